"""Runs an evaluation with the real Inspect AI and the hook of the package `assay-hub`, and finds a verified row.

    compat/inspect_hook.py WORK

Called by `compat/run.sh` with the Python of an environment that has both. ASSAY is the program; its hub is started here. What
a person types is three lines: the hub, the credential, and the evaluation itself.
"""

import base64
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ASSAY = os.environ["ASSAY"]
POLICY = """version = 1
[[integration]]
id = "harness"
frameworks = [{ name = "inspect-ai", versions = ">=0.3" }]
  [[integration.identity]]
  kind = "token"
  name = "ci"
  [[integration.rule]]
  effect = "allow"
  benchmarks = ["alice/*"]
  models = ["alice/*"]
"""
BENCHMARK = """name: Sums
description: Adding.
evaluation_framework: inspect-ai
metrics:
  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}
tasks:
  - {id: words}
"""
MAPPING = """[tasks.sums]
benchmark = "alice/sums"

[models]
"mockllm/model" = "alice/model-x"
"""
# The mock counts tokens with a file from the network unless its outputs have usage.
EVALUATION = """
from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

@task
def sums():
    samples = [Sample(input="1+1?", target="2"), Sample(input="2+2?", target="4")]
    return Task(dataset=samples, solver=[generate()], scorer=match(location="begin"))

def output(text):
    made = ModelOutput.from_content("mockllm/model", text)
    made.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)
    return made

model = get_model("mockllm/model", custom_outputs=[output("2"), output("5")])
[log] = eval(sums(), model=model, display="none")
assert log.status == "success", log.status
print(log.location)
"""
ARRIVAL_SECONDS = 60


def operate(work: Path, *arguments: str) -> str:
    """Runs a command of the operator."""
    environment = {**os.environ, "ASSAY_DATA": str(work / "data")}
    return subprocess.run([ASSAY, *arguments], env=environment, check=True, capture_output=True, text=True).stdout


class Hub:
    """A hub of its own, with an issuer."""

    def __init__(self, work: Path) -> None:
        self.work = work
        (work / "policy.toml").write_text(POLICY)
        self.log = (work / "log").open("w")
        self.process = subprocess.Popen(
            [ASSAY, "serve", "--listen", "127.0.0.1:0", "--set", f"issuer.policy={work / 'policy.toml'}"],
            env={**os.environ, "ASSAY_DATA": str(work / "data")},
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.url = self.process.stdout.readline().split()[-1]
        policy = ["--policy", str(work / "policy.toml")]
        operate(work, "admin", "user", "create", "alice")
        self.token = json.loads(operate(work, "admin", "token", "create", "alice", "--format", "json"))["token"]
        operate(work, "issuer", "integration", "add", "harness", *policy)
        made = operate(work, "issuer", "credential", "add", "harness/ci", *policy, "--format", "json")
        self.credential = json.loads(made)["secret"]

    def ask(self, path: str, body: "bytes | None" = None, kind: str = "application/json"):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        request = urllib.request.Request(self.url + path, data=body, headers=headers)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def create(self, kind: str, name: str, path: str, text: str) -> None:
        """Makes a repository with one file."""
        self.ask("/api/repos/create", json.dumps({"name": name, "type": kind}).encode())
        content = base64.b64encode(text.encode()).decode()
        lines = [
            {"key": "header", "value": {"summary": "Begin"}},
            {"key": "file", "value": {"path": path, "content": content, "encoding": "base64"}},
        ]
        body = "\n".join(json.dumps(line) for line in lines).encode()
        self.ask(f"/api/{kind}s/alice/{name}/commit/main", body, "application/x-ndjson")


def evaluate(work: Path, variables: "dict[str, str]") -> "subprocess.CompletedProcess[str]":
    """Runs the evaluation with nothing else in its environment."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "ASSAY_PROGRAM": ASSAY, **variables}
    return subprocess.run(
        [sys.executable, str(work / "evaluation.py")], cwd=work, env=environment, capture_output=True, text=True
    )


def results(hub: Hub) -> list:
    """The results of the model, those in open pull requests too, once there are some."""
    path = "/api/models/alice/model-x?expand[]=evalResults"
    for _ in range(ARRIVAL_SECONDS * 4):
        found = hub.ask(path).get("evalResults") or []
        if found:
            return found
        time.sleep(0.25)
    raise AssertionError(f"no result came within {ARRIVAL_SECONDS} s")


def main() -> None:
    work = Path(sys.argv[1])
    (work / "evaluation.py").write_text(EVALUATION)
    (work / "assay-tasks.toml").write_text(MAPPING)
    hub = Hub(work)
    try:
        hub.create("dataset", "sums", "eval.yaml", BENCHMARK)
        hub.create("model", "model-x", "README.md", "# Model X\n")
        outbox = str(work / "outbox")
        bare = evaluate(work, {})
        assert bare.returncode == 0, bare.stderr
        away = {"ASSAY_HUB": "http://127.0.0.1:9", "ASSAY_TOKEN": hub.token, "ASSAY_OUTBOX": str(work / "other")}
        without = evaluate(work, away)
        assert without.returncode == 0, without.stderr
        variables = {"ASSAY_HUB": hub.url, "ASSAY_TOKEN": hub.token, "ASSAY_CREDENTIAL": hub.credential}
        ended = evaluate(work, {**variables, "ASSAY_OUTBOX": outbox})
        assert ended.returncode == 0, ended.stderr
        [result] = results(hub)
        assert result["verified"], result
        assert result["data"]["framework"]["version"].startswith("0."), result
        waiting = subprocess.run(
            [ASSAY, "outbox", "list", "--format", "json"],
            env={**os.environ, "ASSAY_OUTBOX": str(work / "other")},
            check=True,
            capture_output=True,
            text=True,
        )
        assert len(json.loads(waiting.stdout)["items"]) == 1, waiting.stdout
        (work / "hub.note").write_text(urllib.request.urlopen(hub.url + "/.well-known/eval-trust").read().decode())
        proof = operate(work, "hub", "proof", "alice/model-x", result["standing"]["attested"]["jti"], "--hub", hub.url)
        (work / "row.proof").write_text(proof)
    finally:
        hub.process.terminate()
        hub.process.wait()
    # The hub is gone: the proof holds without it.
    checked = subprocess.run(
        [ASSAY, "verify", "row.proof", "--trust", "hub.note"], cwd=work, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    print("inspect: 1 verified row, 1 submission kept while the hub was away, harness unchanged")


main()
