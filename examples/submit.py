#!/usr/bin/env python3
"""Brings the result of a run to a hub as a pull request with a signed entry, as an evaluation framework would.

It takes `huggingface_hub` for what every hub does, and plain HTTP for the issuer. `assay submit` does the same from a
harness log; this is for those who would rather do it from their own Python.

    export HF_ENDPOINT=https://hub.example HF_TOKEN=hf_...     # who opens the pull request
    export ASSAY_CREDENTIAL=evp_...                            # what the issuer knows this machine by
    python examples/submit.py --model acme/model-x --benchmark acme/sums --task words \\
        --framework inspect-ai --framework-version 0.4.2 --metric accuracy=75.5 --proof row.proof

The exit code is 0 when the hub calls the entry verified, and 1 otherwise. Run again, it finds what it sent before.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from huggingface_hub import HfApi, hf_hub_url


def main() -> int:
    arguments = read_arguments()
    hub = os.environ["HF_ENDPOINT"].rstrip("/")
    issuer = os.environ.get("ASSAY_ISSUER", hub).rstrip("/")
    api = HfApi(endpoint=hub, token=os.environ["HF_TOKEN"])

    # 1. Pin. The commits that were evaluated, in full: a short one is shown and cannot be verified.
    model_revision = arguments.model_revision or api.model_info(arguments.model).sha
    benchmark_revision = arguments.benchmark_revision or api.dataset_info(arguments.benchmark).sha

    # 2. Build the entry as it will stand in the file. All of it is signed.
    framework = {"name": arguments.framework, "version": arguments.framework_version}
    if arguments.command:
        framework["command"] = arguments.command
    entry = {
        "dataset": {"id": arguments.benchmark, "task_id": arguments.task, "revision": benchmark_revision},
        "model_revision": model_revision,
        "framework": framework,
        "metrics": [{"metric_id": name, "value": value} for name, value in arguments.metric],
    }
    if arguments.notes:
        entry["notes"] = arguments.notes

    # 3. Has it been sent before? What a run claims does not depend on what `main` is today.
    found = find(hub, arguments, entry)
    if found is None:
        # 4. Have it signed, and open the pull request while the token holds.
        bearer = authenticate(issuer)
        issued = ask_for_token(issuer, bearer, arguments.model, entry)
        number, url = open_pull_request(api, arguments.model, issued)
        print(f"opened pull request {number}: {url}")
        found = find(hub, arguments, entry)
    else:
        print("nothing to do: the hub has it")

    # 5. See what the hub makes of it, and keep the proof.
    if found is None:
        print("error: the hub does not show the entry", file=sys.stderr)
        return 1
    standing = found.get("standing") or {}
    if not found["verified"]:
        print(f"unverified ({standing.get('reason')}): {standing.get('detail')}", file=sys.stderr)
        return 1
    attested = standing.get("attested") or {}
    print(f"verified: {attested.get('integration')} answers for it, first seen {attested.get('firstSeen')}")
    if arguments.proof:
        with open(arguments.proof, "wb") as file:
            file.write(proof_of(hub, arguments.model, attested["jti"]))
        print(f"the proof is in {arguments.proof}")
    return 0


def read_arguments() -> argparse.Namespace:
    def metric(text: str) -> tuple[str, float]:
        name, _, value = text.partition("=")
        return name, float(value)

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--task", required=True)
    parser.add_argument("--metric", required=True, action="append", type=metric, help="NAME=VALUE, the primary one first")
    parser.add_argument("--framework", required=True)
    parser.add_argument("--framework-version", required=True)
    parser.add_argument("--command", help="the command line that ran the evaluation")
    parser.add_argument("--model-revision", help="a full commit; otherwise that of `main` now")
    parser.add_argument("--benchmark-revision", help="a full commit; otherwise that of `main` now")
    parser.add_argument("--notes")
    parser.add_argument("--proof", help="where to put the proof of the row")
    return parser.parse_args()


def request(url: str, token: str | None = None, data: bytes | None = None, headers: dict | None = None) -> bytes:
    """Asks; a refusal becomes an error with the reason that the server gives."""
    asked = urllib.request.Request(url, data=data, headers=headers or {})
    if token:
        asked.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.read()
    except urllib.error.HTTPError as refusal:
        body = refusal.read().decode(errors="replace")
        try:
            # RFC 9457 at the issuer, RFC 6749 at its token endpoint.
            problem = json.loads(body)
            reason = problem.get("detail") or problem.get("error_description") or problem.get("error") or body
            code = problem.get("code") or refusal.code
        except ValueError:
            reason, code = body, refusal.code
        raise SystemExit(f"error: {url}: {reason} ({code})") from refusal


def authenticate(issuer: str) -> str:
    """What is shown with a request for a token: a personal token as it is, anything else after an exchange."""
    if credential := os.environ.get("ASSAY_CREDENTIAL"):
        return credential
    if "ASSAY_CLIENT_ID" in os.environ:
        form = {
            "grant_type": "client_credentials",
            "client_id": os.environ["ASSAY_CLIENT_ID"],
            "client_secret": os.environ["ASSAY_CLIENT_SECRET"],
            "scope": "eval:issue",
        }
    elif id_token := id_token_of_this_run(issuer):
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": id_token,
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "scope": "eval:issue",
        }
    else:
        raise SystemExit("error: there is no credential: set ASSAY_CREDENTIAL")
    answer = request(f"{issuer}/oauth/token", data=urllib.parse.urlencode(form).encode())
    return json.loads(answer)["access_token"]


def id_token_of_this_run(issuer: str) -> str | None:
    """Who this run is, if a CI system says so: GitLab in a variable, GitHub Actions when it is asked."""
    if token := os.environ.get("ASSAY_ID_TOKEN"):
        return token
    if "ACTIONS_ID_TOKEN_REQUEST_URL" not in os.environ:
        return None
    metadata = json.loads(request(f"{issuer}/.well-known/oauth-authorization-server"))
    audience = urllib.parse.quote(metadata["issuer"], safe="")
    url = f"{os.environ['ACTIONS_ID_TOKEN_REQUEST_URL']}&audience={audience}"
    return json.loads(request(url, os.environ["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]))["value"]


def ask_for_token(issuer: str, bearer: str, model: str, entry: dict) -> dict:
    """The token, and the entry with it, ready for the file. Made again with the same key, the request gives the same token."""
    body = json.dumps({"model_repo": model, "entry": entry}).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
    for patience in (1, 2, None):
        try:
            return json.loads(request(f"{issuer}/v1/eval-tokens", bearer, body, headers))
        except urllib.error.URLError:
            if patience is None:
                raise
            time.sleep(patience)
    raise AssertionError("the last attempt returns or raises")


def open_pull_request(api: HfApi, model: str, issued: dict) -> tuple[int, str]:
    """Adds the entry behind what the file has on the main branch, as a pull request."""
    path = issued["path"]
    before = ""
    if api.file_exists(model, path):
        before = request(hf_hub_url(model, path, endpoint=api.endpoint), api.token).decode()
        if not before.endswith("\n"):
            before += "\n"
    commit = api.upload_file(
        path_or_fileobj=(before + issued["entry_yaml"]).encode(),
        path_in_repo=path,
        repo_id=model,
        commit_message=f"Add results to {path.rsplit('/', 1)[-1]}",
        create_pr=True,
    )
    return commit.pr_num, commit.pr_url


def find(hub: str, arguments: argparse.Namespace, entry: dict) -> dict | None:
    """The entry as the hub shows it, wherever it stands: in an open pull request or on the main branch."""
    url = f"{hub}/api/models/{arguments.model}?expand=evalResults"
    results = json.loads(request(url, os.environ["HF_TOKEN"])).get("evalResults") or []
    pinned = [key for key in ("model_revision",) if getattr(arguments, key)]
    for result in results:
        data = result["data"]
        same = (
            data["dataset"]["id"] == arguments.benchmark
            and data["dataset"]["task_id"] == arguments.task
            and [(item["metric_id"], item["value"]) for item in data.get("metrics") or []] == arguments.metric
            and data.get("framework") == entry["framework"]
            and data.get("notes") == arguments.notes
            and all(data.get(key) == entry[key] for key in pinned)
        )
        if same:
            return result
    return None


def proof_of(hub: str, model: str, jti: str) -> bytes:
    """The proof of the row: everything that a stranger needs, in one small file."""
    return request(f"{hub}/api/models/{model}/eval-results/{jti}/proof", os.environ["HF_TOKEN"])


if __name__ == "__main__":
    sys.exit(main())
