"""Signed results: the example for framework authors, the board, and the proof without a network."""

import json
import os
import subprocess
import sys
from pathlib import Path

from harness import World, check

from .pulls import FILE, rows_of

ROOT = Path(__file__).resolve().parents[2]
POLICY = str(ROOT / "compat" / "policy.toml")


def credential(world: World) -> str:
    """A new credential of the one identity that the policy of the checks has."""
    made = world.operate("issuer", "credential", "add", "example/ci", "--policy", POLICY, "--format", "json")
    return json.loads(made)["secret"]


def submit(world: World, model: str, secret: str, *more: str) -> subprocess.CompletedProcess:
    """Runs the example as the stranger would, with nothing else in its environment."""
    environment = {
        "PATH": os.environ["PATH"],
        "HF_HOME": os.environ["HF_HOME"],
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_ENDPOINT": world.endpoint,
        "HF_TOKEN": world.stranger_token,
        "ASSAY_CREDENTIAL": secret,
    }
    line = [sys.executable, str(ROOT / "examples" / "submit.py"), "--model", model, "--benchmark", world.bench]
    line += ["--task", "default", "--framework", "inspect-ai", "--framework-version", "0.4.2"]
    return subprocess.run([*line, *more], capture_output=True, text=True, env=environment)


def verify(world: World, *arguments: str) -> subprocess.CompletedProcess:
    """Runs `assay verify` where no hub is known."""
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run([*world.assay, "verify", *arguments], capture_output=True, text=True, env=environment)


@check
def example_submits_a_verified_result(world: World):
    """The example: signed, in a pull request, verified on the board; a second run finds the first."""
    name = f"{world.owner_name}/signed"
    world.owner.create_repo(name)
    world.owner.upload_file(path_or_fileobj=b"{}", path_in_repo="config.json", repo_id=name)
    world.operate("issuer", "integration", "add", "example", "--policy", POLICY)
    secret, proof = credential(world), str(world.work / "row.proof")
    line = ["--metric", "accuracy=20.90", "--metric", "wer=0.81", "--notes", "no-tools", "--proof", proof]
    first = submit(world, name, secret, *line)
    assert first.returncode == 0 and "verified: example" in first.stdout, first
    (row,) = rows_of(world, name)
    assert row["verified"] and row["value"] == 20.9 and row["pullRequest"] == 1, row
    assert row["standing"]["attested"]["assurance"] == "attributed", row
    again = submit(world, name, secret, *line)
    assert again.returncode == 0 and "nothing to do" in again.stdout, again
    assert len(list(world.anonymous.get_repo_discussions(name))) == 1


@check
def proof_is_verified_without_a_network(world: World):
    """The proof that the example kept, against the trust note of the hub; any change is noticed."""
    proof, note = world.work / "row.proof", world.work / "hub.note"
    status, _, body = world.raw("GET", "/.well-known/eval-trust")
    assert status == 200, body
    note.write_bytes(body)
    good = verify(world, str(proof), "--trust", str(note), "--format", "json")
    assert good.returncode == 0, good
    verdict = json.loads(good.stdout)
    assert verdict["state"] == "verified" and verdict["path"] == FILE, verdict
    assert verdict["claims"]["metrics"][0] == {"metric_id": "accuracy", "value": 20.9}, verdict
    assert verify(world, str(proof)).returncode == 2, "a proof by itself is not trusted"
    text = proof.read_text()
    forged = world.work / "forged.proof"
    forged.write_text(text.replace("20.9", "99.9"))
    assert forged.read_text() != text
    assert verify(world, str(forged), "--trust", str(note)).returncode in (1, 3)
    assert len(text) < 20_000, len(text)


@check
def merged_result_stays_verified(world: World):
    """What was first seen in time stays verified when it is merged."""
    name = f"{world.owner_name}/signed"
    world.owner.merge_pull_request(name, 1)
    (row,) = rows_of(world, name)
    assert row["verified"] and row.get("pullRequest") is None, row


@check
def changed_result_is_unverified_with_the_field(world: World):
    """A value that was changed under a token is shown, and says which field differs."""
    name = f"{world.owner_name}/signed"
    _, _, body = world.raw("GET", f"/{name}/resolve/main/{FILE}")
    text = body.decode()
    assert "20.9" in text, text
    world.owner.upload_file(path_or_fileobj=text.replace("20.9", "99.9").encode(), path_in_repo=FILE, repo_id=name)
    (row,) = rows_of(world, name)
    assert not row["verified"] and row["value"] == 99.9, row
    assert row["standing"]["reason"] == "claim_mismatch:metrics" and row["standing"]["hint"], row


@check
def issuer_refuses_strangers_and_other_frameworks(world: World):
    """Nobody is signed for without a credential, nor for a framework that is not theirs; nothing is sent then."""
    name = f"{world.owner_name}/signed"
    before = len(list(world.anonymous.get_repo_discussions(name)))
    stranger = submit(world, name, "evp_000000000000_nobody", "--metric", "accuracy=1")
    assert stranger.returncode == 1 and "unauthenticated" in stranger.stderr, stranger
    other = submit(world, name, credential(world), "--metric", "accuracy=1", "--framework", "lighteval")
    assert other.returncode == 1 and "framework_not_allowed" in other.stderr, other
    assert len(list(world.anonymous.get_repo_discussions(name))) == before
