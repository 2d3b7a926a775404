"""A hub of its own with an issuer, a benchmark and a model, for checks of what people run."""

import base64
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ASSAY = os.environ["ASSAY"]
POLICY = """version = 1
[[integration]]
id = "harness"
frameworks = [{{ name = "inspect-ai", versions = ">=0.3" }}, {{ name = "lm-evaluation-harness" }}, {{ name = "lighteval" }}]
  [[integration.identity]]
  kind = "token"
  name = "ci"
  [[integration.rule]]
  effect = "allow"
  benchmarks = ["{owner}/*"]
  models = ["{owner}/*"]
"""
ARRIVAL_SECONDS = 60


def free_port() -> int:
    """A port that nobody listens on. The hub calls itself by it, so that it has to be known before."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Scene:
    """A hub, one account that owns everything, its access token, and a credential of the issuer."""

    def __init__(self, work: Path, owner: str, identity: str = "harness/ci", settings: "list[str] | None" = None) -> None:
        self.work = work
        self.owner = owner
        (work / "policy.toml").write_text(POLICY.format(owner=owner))
        self.log = (work / "log").open("w")
        given = [f"issuer.policy={work / 'policy.toml'}", *(settings or [])]
        self.process = subprocess.Popen(
            [ASSAY, "serve", "--listen", f"127.0.0.1:{free_port()}", *(part for setting in given for part in ("--set", setting))],
            env={**os.environ, "ASSAY_DATA": str(work / "data")},
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.url = self.process.stdout.readline().split()[-1]
        policy = ["--policy", str(work / "policy.toml")]
        self.operate("admin", "user", "create", owner)
        self.token = json.loads(self.operate("admin", "token", "create", owner, "--format", "json"))["token"]
        self.operate("issuer", "integration", "add", "harness", *policy)
        made = self.operate("issuer", "credential", "add", identity, *policy, "--format", "json")
        self.credential = json.loads(made)["secret"]

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *_reason) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the hub. Calling it twice does nothing."""
        self.process.terminate()
        self.process.wait()

    def operate(self, *arguments: str) -> str:
        """Runs a command of the operator."""
        environment = {**os.environ, "ASSAY_DATA": str(self.work / "data")}
        ended = subprocess.run([ASSAY, *arguments], env=environment, check=False, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def request(self, path: str, body: "bytes | None" = None, kind: str = "application/json"):
        """Sends a request with the access token and returns the JSON of the response."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        request = urllib.request.Request(self.url + path, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode()}") from error

    def create(self, kind: str, name: str, files: "dict[str, str]") -> None:
        """Creates a repository with files."""
        self.request("/api/repos/create", json.dumps({"name": name, "type": kind}).encode())
        lines = [{"key": "header", "value": {"summary": "Begin"}}]
        for path, text in files.items():
            content = base64.b64encode(text.encode()).decode()
            lines.append({"key": "file", "value": {"path": path, "content": content, "encoding": "base64"}})
        body = "\n".join(json.dumps(line) for line in lines).encode()
        self.request(f"/api/{kind}s/{self.owner}/{name}/commit/main", body, "application/x-ndjson")

    def variables(self) -> "dict[str, str]":
        """What a person sets before an evaluation."""
        return {"ASSAY_HUB": self.url, "ASSAY_TOKEN": self.token, "ASSAY_CREDENTIAL": self.credential}

    def results(self, model: str) -> list:
        """Returns the results of a model, those in open pull requests too."""
        return self.request(f"/api/models/{self.owner}/{model}?expand[]=evalResults").get("evalResults") or []

    def wait_for_results(self, model: str) -> list:
        """Returns the results of a model once there are some."""
        for _ in range(ARRIVAL_SECONDS * 4):
            found = self.results(model)
            if found:
                return found
            time.sleep(0.25)
        raise AssertionError(f"no result came within {ARRIVAL_SECONDS} s")

    def keep_proof(self, model: str, result: dict) -> None:
        """Writes `hub.note` and `row.proof`, with which the row can be verified when the hub is gone."""
        note = urllib.request.urlopen(self.url + "/.well-known/eval-trust").read().decode()
        (self.work / "hub.note").write_text(note)
        jti = result["standing"]["attested"]["jti"]
        proof = self.operate("hub", "proof", f"{self.owner}/{model}", jti, "--hub", self.url)
        (self.work / "row.proof").write_text(proof)


def verify_offline(work: Path) -> None:
    """Verifies the kept proof; the hub is not asked."""
    arguments = [ASSAY, "verify", "row.proof", "--trust", "hub.note"]
    ended = subprocess.run(arguments, cwd=work, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def clean_environment(work: Path, **variables: str) -> "dict[str, str]":
    """The environment of a person with the programs of this Python and nothing else set."""
    programs = str(Path(sys.executable).parent)
    return {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(work), **variables}
