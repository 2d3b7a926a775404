"""Runs a page of the documentation as printed, with the real harness, and finds a verified row.

    compat/quickstart.py HARNESS WORK

The page is docs/quickstart-HARNESS.md. A block after a line "File `NAME`:" becomes that file; every `sh` block is run, in order and in
one shell. The addresses and secrets of the page stand for those of a hub that is started here, and lines with `pip install` are left
out: this Python has the wheel and the harness. Called by `compat/run.sh`; ASSAY is the program.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

from scene import Scene, clean_environment, verify_offline

HARNESS, WORK = sys.argv[1], Path(sys.argv[2])
PAGE = Path(__file__).parent.parent / "docs" / f"quickstart-{HARNESS}.md"
BENCHMARK = """name: {name}
description: Questions with one right answer.
evaluation_framework: {framework}
metrics:
  - {{id: {metric}, display_name: Score, higher_is_better: true, primary: true}}
tasks:
  - {{id: {task}}}
"""
#: The owner and the benchmark that each page evaluates, and the files of the dataset that the harness reads.
BENCHMARKS = {
    "inspect": ("acme", "sums", {"framework": "inspect-ai", "metric": "accuracy", "task": "words"}),
    "lm-eval": ("acme", "sums", {"framework": "lm-evaluation-harness", "metric": "acc", "task": "words"}),
    "lighteval": ("openai", "gsm8k", {"framework": "lighteval", "metric": "accuracy", "task": "main"}),
    "run": ("acme", "sums", {"framework": "inspect-ai", "metric": "accuracy", "task": "words"}),
}
#: What lighteval loads for its task `gsm8k`, as the dataset has it.
GSM8K = {
    "README.md": """---
configs:
- config_name: main
  data_files:
  - {split: train, path: main/train.jsonl}
  - {split: test, path: main/test.jsonl}
---
""",
    "main/train.jsonl": '{"question": "What is 1 + 1?", "answer": "1 + 1 = 2\\n#### 2"}\n',
    "main/test.jsonl": '{"question": "What is 2 + 3?", "answer": "2 + 3 = 5\\n#### 5"}\n'
    '{"question": "What is 4 + 4?", "answer": "4 + 4 = 8\\n#### 8"}\n',
}
#: Inspect's mock counts tokens with a vocabulary that tiktoken fetches; offline, each byte is a token.
OFFLINE_TOKENS = """import tiktoken

def get_encoding(name):
    ranks = {bytes([byte]): byte for byte in range(256)}
    return tiktoken.Encoding(name, pat_str="(?s:.)", mergeable_ranks=ranks, special_tokens={})

tiktoken.get_encoding = get_encoding
"""
FILE_LINE = re.compile(r"^File `([^`]+)`:$")
#: Ends when everything is delivered, as it is when a person types the next block.
DELIVERED = 'for _ in $(seq 240); do assay outbox list --format json | grep -q \'"id"\' || break; sleep 0.25; done\n'


def read_page(text: str) -> "tuple[dict[str, str], list[str]]":
    """Returns the files and the shell blocks of a page."""
    files: "dict[str, str]" = {}
    shell = []
    name = None
    lines = iter(text.splitlines())
    for line in lines:
        if found := FILE_LINE.match(line):
            name = found[1]
        if line.startswith("```"):
            block = []
            for inner in lines:
                if inner.startswith("```"):
                    break
                block.append(inner)
            content = "\n".join(block) + "\n"
            if name:
                files[name], name = content, None
            elif line == "```sh":
                shell.append(content)
    return files, shell


def outbox(environment: "dict[str, str]") -> str:
    """What is not delivered, as JSON."""
    arguments = ["assay", "outbox", "list", "--format", "json"]
    return subprocess.run(arguments, env=environment, check=True, capture_output=True, text=True).stdout


def main() -> None:
    owner, name, facts = BENCHMARKS[HARNESS]
    files, shell = read_page(PAGE.read_text())
    place = WORK / "project"
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(content)
    (WORK / "offline").mkdir()
    if HARNESS != "lm-eval":
        (WORK / "offline" / "sitecustomize.py").write_text(OFFLINE_TOKENS)
    with Scene(WORK, owner) as hub:
        definition = BENCHMARK.format(name=name, **facts)
        hub.create("dataset", name, {"eval.yaml": definition, **(GSM8K if name == "gsm8k" else {})})
        hub.create("model", "model-x", {"README.md": "# Model X\n"})
        secrets = {"https://hub.example": hub.url, "hf_…": hub.token, "evp_…": hub.credential}
        script = "set -euo pipefail\n"
        for block in shell:
            kept = [line for line in block.splitlines() if "pip install" not in line]
            script += "\n".join(kept) + "\n" + DELIVERED
        for shown, real in secrets.items():
            script = script.replace(shown, real)
        begun = time.monotonic()
        environment = clean_environment(WORK, HF_HOME=str(WORK / "cache"), PYTHONPATH=str(WORK / "offline"))
        ended = subprocess.run(["bash", "-c", script], cwd=place, env=environment, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-8000:]
        assert '"id"' not in outbox(environment), ended.stdout[-8000:] + ended.stderr[-8000:] + outbox(environment)
        found = hub.results("model-x")
        assert [result["verified"] for result in found] == [True], ended.stdout[-8000:] + ended.stderr[-8000:] + str(found)
        result = found[0]
        assert "verified" in ended.stdout, ended.stdout[-8000:]
        hub.keep_proof("model-x", result)
        seconds = time.monotonic() - begun
    verify_offline(WORK)
    print(f"quickstart {HARNESS}: 1 verified row, {seconds:.0f} s, proof verified without the hub")


main()
