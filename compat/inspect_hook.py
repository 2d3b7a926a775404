"""Runs an evaluation with the real Inspect AI and the hook of the package `assay-hub`, and finds a verified row.

    compat/inspect_hook.py WORK

Called by `compat/run.sh` with the Python of an environment that has both. ASSAY is the program; its hub is started here. What
a person types is three lines: the hub, the credential, and the evaluation itself.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from scene import ASSAY, Scene, verify_offline

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


def evaluate(work: Path, variables: "dict[str, str]") -> "subprocess.CompletedProcess[str]":
    """Runs the evaluation with nothing else in its environment."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "ASSAY_PROGRAM": ASSAY, **variables}
    return subprocess.run(
        [sys.executable, str(work / "evaluation.py")], cwd=work, env=environment, capture_output=True, text=True
    )


def main() -> None:
    work = Path(sys.argv[1])
    (work / "evaluation.py").write_text(EVALUATION)
    (work / "assay-tasks.toml").write_text(MAPPING)
    with Scene(work, "alice") as hub:
        hub.create("dataset", "sums", {"eval.yaml": BENCHMARK})
        hub.create("model", "model-x", {"README.md": "# Model X\n"})
        bare = evaluate(work, {})
        assert bare.returncode == 0, bare.stderr
        away = {"ASSAY_HUB": "http://127.0.0.1:9", "ASSAY_TOKEN": hub.token, "ASSAY_OUTBOX": str(work / "other")}
        without = evaluate(work, away)
        assert without.returncode == 0, without.stderr
        ended = evaluate(work, {**hub.variables(), "ASSAY_OUTBOX": str(work / "outbox")})
        assert ended.returncode == 0, ended.stderr
        [result] = hub.wait_for_results("model-x")
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
        hub.keep_proof("model-x", result)
    # The hub is gone: the proof holds without it.
    verify_offline(work)
    print("inspect: 1 verified row, 1 submission kept while the hub was away, harness unchanged")


main()
