"""Checks a proof of a row with nothing of Assay: `verify.py row.proof trust.note entry.json`.

Everything is written again from the documents: the canonical spelling of RFC 8785 for the values that occur here, the
Ed25519 token, the two digests, the RFC 6962 tree, the C2SP receipt and signed note, and the git objects. The only thing
taken from a library is the signature itself, from `cryptography`. It prints what it found, and fails at the first
disagreement.
"""

import base64
import hashlib
import json
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def main(proof_path, note_path, entry_path):
    text = open(proof_path, encoding="utf-8").read()
    note = read_note(open(note_path, encoding="utf-8").read())
    proof = json.loads(text)
    assert canonical(proof) == text, "the proof is not in its canonical spelling"
    stated = proof.pop("sha256")
    assert digest("assay-proof/v1", canonical(proof)) == stated, "the digest of the proof does not fit"

    keys = control_keys(proof["control"], note["control"])
    issue = receipt(proof["issue"], note["results"])
    decide = receipt(proof["decide"], note["results"])
    commit = git(proof["git"])
    token = find_token(proof["git"]["file"])
    claims = check_token(token, keys)

    # The entry is read as the JSON of an issue request: the numbers are spelled as their author did.
    entry = json.loads(open(entry_path, encoding="utf-8").read())
    entry_digest = digest("eval-entry/v1", canonical(entry))
    subject = {key: claims[key] for key in SUBJECT}
    subject_digest = digest("eval-subject/v1", canonical(subject))
    assert claims["digests"] == {"entry": entry_digest, "subject": subject_digest}

    token_digest = "sha256:" + hashlib.sha256(token.encode()).hexdigest()
    assert issue["leaf"]["t"] == "issue" and decide["leaf"]["t"] == "decide"
    for leaf in (issue["leaf"], decide["leaf"]):
        assert leaf["token"] == token_digest and leaf["jti"] == claims["jti"]
    assert decide["leaf"]["outcome"] == "admitted"
    assert decide["leaf"]["issue_index"] == issue["index"] < decide["index"]
    assert decide["leaf"]["entry"] == entry_digest
    assert claims["nbf"] - 60 <= decide["leaf"]["received_at"] <= claims["exp"] + 60

    print("token    ", token_digest)
    print("subject  ", subject_digest)
    print("entry    ", entry_digest)
    print("issue    ", issue["index"], issue["root"])
    print("decide   ", decide["index"], decide["root"])
    print("commit   ", commit)


SUBJECT = [
    "benchmark_repo",
    "benchmark_revision",
    "framework",
    "metrics",
    "model_repo",
    "model_revision",
    "task_id",
]


# --- RFC 8785 -------------------------------------------------------------------------------------------------------


def canonical(value):
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(string(key) + ":" + canonical(value[key]) for key in keys) + "}"


def number(value):
    """A number as ECMAScript prints it. Python finds the same shortest digits and lays them out differently."""
    value = float(value)
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number(-value)
    mantissa, exponent = f"{value!r}e0".split("e")[0:2]
    digits = mantissa.replace(".", "")
    point = len(mantissa.split(".")[0]) + int(exponent)
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.lstrip("0").rstrip("0") or "0"
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    head = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{head}e{'+' if power > 0 else '-'}{abs(power)}"


def string(text):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    escape = lambda c: short.get(c) or (f"\\u{ord(c):04x}" if c < " " else c)
    return '"' + "".join(escape(c) for c in text) + '"'


def digest(domain, text):
    return "sha256:" + hashlib.sha256(f"{domain}\n{text}".encode()).hexdigest()


# --- the token ------------------------------------------------------------------------------------------------------


def check_token(token, keys):
    header, payload, signature = token.split(".")
    fields = json.loads(unbase64url(header))
    kid = fields["kid"]
    allowed = [
        f'{{"alg":"EdDSA","typ":"JWT","kid":"{kid}"}}',
        f'{{"alg":"EdDSA","kid":"{kid}","typ":"evalresult+jwt"}}',
    ]
    assert unbase64url(header).decode() in allowed, "the header is another"
    key = Ed25519PublicKey.from_public_bytes(keys[kid])
    key.verify(unbase64url(signature), f"{header}.{payload}".encode())
    claims = json.loads(unbase64url(payload))
    assert canonical(claims) == unbase64url(payload).decode(), "the claims are not canonical"
    return claims


def find_token(file):
    line = next(line for line in file.splitlines() if line.strip().startswith("verify_token:"))
    return line.split(":", 1)[1].strip().strip("\"'")


def control_keys(control, vkey):
    leaves = [canonical(leaf).encode() for leaf in control["leaves"]]
    size, root = checkpoint(control["checkpoint"], vkey)
    assert size == len(leaves), "the control log is not whole"
    assert root == tree_root([leaf_hash(leaf) for leaf in leaves]), "the control log is another"
    keys = {}
    for leaf in control["leaves"]:
        if leaf["t"] == "key" and leaf["use"] == "token":
            jwk = leaf["jwk"]
            thumbprint = hashlib.sha256(canonical(jwk).encode()).digest()
            assert base64url(thumbprint) == leaf["kid"], "the name of a key is not its thumbprint"
            keys[leaf["kid"]] = unbase64url(jwk["x"])
    return keys


# --- RFC 6962 and C2SP ----------------------------------------------------------------------------------------------


def leaf_hash(leaf):
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree_root(hashes):
    """The definition of the standard, recursive as it stands there."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(tree_root(hashes[:split]), tree_root(hashes[split:]))


def inclusion_root(index, size, leaf, path):
    """The root that a path leads to, by the recursion of the definition and not by its iterative form."""
    if size == 1:
        assert not path, "the path is too long"
        return leaf
    split = 1
    while split * 2 < size:
        split *= 2
    if index < split:
        return node_hash(inclusion_root(index, split, leaf, path[:-1]), path[-1])
    return node_hash(path[-1], inclusion_root(index - split, size - split, leaf, path[:-1]))


def receipt(text, vkey):
    head, note = text.split("\n\n", 1)
    lines = head.split("\n")
    assert lines[0] == "c2sp.org/tlog-proof@v1"
    leaf = base64.b64decode(lines[1].removeprefix("extra "), validate=True)
    index = int(lines[2].removeprefix("index "))
    path = [base64.b64decode(line, validate=True) for line in lines[3:]]
    size, root = checkpoint(note, vkey)
    assert inclusion_root(index, size, leaf_hash(leaf), path) == root, "the leaf is not in the log"
    return {"leaf": json.loads(leaf), "index": index, "root": root.hex()}


def checkpoint(note, vkey):
    name, key_hash, encoded = vkey.split("+", 2)
    key = base64.b64decode(encoded)
    assert key[0] == 1 and hashlib.sha256(f"{name}\n".encode() + key).digest()[:4].hex() == key_hash
    body, signatures = note.split("\n\n", 1)
    body += "\n"
    own = next(line for line in signatures.splitlines() if line.startswith(f"\u2014 {name} "))
    signature = base64.b64decode(own.split(" ")[2], validate=True)
    assert signature[:4].hex() == key_hash
    Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature[4:], body.encode())
    origin, size, root = body.splitlines()[:3]
    assert origin == name
    return int(size), base64.b64decode(root, validate=True)


def read_note(text):
    lines = text.splitlines()
    assert lines[0] == "assay trust note v1"
    return dict(line.split(" ", 1) for line in lines[1:])


# --- git ------------------------------------------------------------------------------------------------------------


def git(proof):
    commit = base64.b64decode(proof["commit"], validate=True)
    root = base64.b64decode(proof["root"], validate=True)
    directory = base64.b64decode(proof["directory"], validate=True)
    assert git_hash("commit", commit) == proof["id"]
    assert commit.split(b"\n")[0] == b"tree " + git_hash("tree", root).encode()
    assert tree_entries(root)[b".eval_results"] == (b"40000", git_hash("tree", directory))
    blob = git_hash("blob", proof["file"].encode())
    assert (b"100644", blob) in tree_entries(directory).values()
    return proof["id"]


def git_hash(kind, content):
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).hexdigest()


def tree_entries(tree):
    entries = {}
    while tree:
        head, rest = tree.split(b"\0", 1)
        mode, name = head.split(b" ", 1)
        assert name not in entries
        entries[name] = (mode, rest[:20].hex())
        tree = rest[20:]
    return entries


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unbase64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


if __name__ == "__main__":
    main(*sys.argv[1:])
