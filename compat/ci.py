"""Executes the steps of the GitHub Action and of the GitLab example as their runners do, against a hub that trusts the job.

    compat/ci.py WORK

Called by `compat/run.sh ci` with the Python of an environment that has PyYAML, PyJWT and pip; WHEEL is the wheel of the package and
ASSAY the program that serves the hub. The identity provider is one of our own (`identity_provider.py`). No secret is stored.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import yaml

import scene
from identity_provider import IdentityProvider
from scene import Scene, verify_offline

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "crates/assay-convert/tests/fixtures/inspect/mcq.eval"
CLAIMS = {
    "sub": "repo:org/evals:ref:refs/heads/main", "repository": "org/evals", "event_name": "push", "run_id": "7",
    "repository_owner_id": "1", "repository_id": "2", "runner_environment": "github-hosted",
    "job_workflow_ref": "org/evals/.github/workflows/eval.yml@refs/heads/main",
}  # fmt: skip
BENCHMARK = """name: Sums
description: Adding.
evaluation_framework: inspect-ai
metrics:
  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}
tasks:
  - {id: words}
"""
POLICY = """version = 1
[[issuer]]
url = "@ISSUER@"
kind = "github"
jwks = "@ISSUER@/keys"
[[integration]]
id = "harness"
frameworks = [{{ name = "inspect-ai" }}]
  [[integration.identity]]
  name = "ci"
  kind = "oidc"
  issuer = "@ISSUER@"
  require = {{ repository_owner_id = "1", repository_id = "2", job_workflow_ref = "org/evals/.github/workflows/eval.yml@refs/heads/main" }}
  events = ["push"]
  [[integration.identity]]
  kind = "token"
  name = "lab"
  [[integration.rule]]
  effect = "allow"
  benchmarks = ["{owner}/*"]
  models = ["{owner}/*"]
"""


class Runner:
    """Runs steps in a directory with a Python environment of its own, as a runner of a CI system does."""

    def __init__(self, place: Path, variables: "dict[str, str]") -> None:
        self.place = place
        place.mkdir()
        venv.create(place / "python", with_pip=True)
        shutil.copytree(ROOT / "examples/datastore/data", place / "data")
        (place / "logs").mkdir()
        shutil.copy(LOG, place / "logs" / "run.eval")
        path = f"{place / 'python/bin'}:{os.environ['PATH']}"
        self.environment = {"PATH": path, "HOME": str(place), "CI": "true", **variables}
        for name in ("PIP_INDEX_URL", "PIP_CERT", "PIP_FIND_LINKS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def run(self, script: str, **variables: str) -> str:
        """Runs a script with `bash -e`, and expects it to succeed."""
        environment = {**self.environment, **variables}
        ended = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=self.place, env=environment, capture_output=True, text=True
        )
        assert ended.returncode == 0, f"{script}\n{ended.stdout}{ended.stderr}"
        return ended.stdout + ended.stderr


def evaluate(text: str, values: "dict[str, str]") -> str:
    """Fills the expressions of a workflow in."""
    return re.sub(r"\$\{\{ *([^}]+?) *\}\}", lambda found: values[found[1]], text)


def run_action(work: Path, hub: Scene, inputs: "dict[str, str]", variables: "dict[str, str]") -> None:
    """Runs the steps of action.yml whose condition holds."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    given = {name: str(inputs.get(name, about["default"])) for name, about in action["inputs"].items()}
    assert set(inputs) <= set(given), inputs
    values = {f"inputs.{name}": value for name, value in given.items()}
    values["github.action_path"] = str(ROOT)
    output = work / "output"
    runner = Runner(work / "github", {"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": str(output), **variables})
    for step in action["runs"]["steps"]:
        condition = re.fullmatch(r"inputs\.([\w-]+) != ''", step.get("if", "inputs.x != ''"))
        if condition[1] != "x" and not given[condition[1]]:
            continue
        environment = {name: evaluate(value, values) for name, value in step.get("env", {}).items()}
        runner.run(step["run"], **environment)
    assert output.read_text().startswith(f"pull-request={hub.url}/acme/model-x/discussions/"), output.read_text()


def run_gitlab(work: Path, url: str, provider: IdentityProvider) -> None:
    """Runs the jobs of the GitLab example."""
    text = (ROOT / "examples/ci/gitlab.yml").read_text().replace("https://hub.example", url).replace("model-x", "model-y")
    pipeline = yaml.safe_load(text)
    variables = {**pipeline["variables"], "ASSAY_PACKAGE": os.environ["WHEEL"]}
    runner = Runner(work / "gitlab", variables)
    for name in ("validate", "submit"):
        job = pipeline[name]
        base = pipeline[job["extends"]]
        tokens = {token: provider.sign(about["aud"]) for token, about in job.get("id_tokens", {}).items()}
        for line in [*base["before_script"], *job["script"]]:
            runner.run(line, **tokens)


def main() -> None:
    work = Path(sys.argv[1])
    provider = IdentityProvider(CLAIMS)
    scene.POLICY = POLICY.replace("@ISSUER@", provider.url)
    with Scene(work, "acme", "harness/lab", ["issuer.allow_loopback=true"]) as hub:
        hub.create("dataset", "sums", {"eval.yaml": BENCHMARK})
        for model in ("model-x", "model-y"):
            hub.create("model", model, {"README.md": "# A model\n"})
            trust = ["--as", "acme", "--issuer", provider.url, "--claim", "repository_id=2"]
            hub.operate("admin", "publisher", "add", f"models/acme/{model}", *trust)
        job = {"ACTIONS_ID_TOKEN_REQUEST_URL": f"{provider.url}/token?job=1", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "of-the-runner"}
        inputs = {
            "package": os.environ["WHEEL"], "paths": "data", "logs": "logs/run.eval",
            "hub": hub.url, "model": "acme/model-x", "benchmark": "acme/sums", "task": "words",
        }  # fmt: skip
        run_action(work, hub, inputs, job)
        run_gitlab(work, hub.url, provider)
        for model in ("model-x", "model-y"):
            found = hub.results(model)
            assert [result["verified"] for result in found] == [True], found
            hub.keep_proof(model, found[0])
    verify_offline(work)
    print("ci: the GitHub Action and the GitLab example brought 2 verified rows with nothing in their secrets")


main()
