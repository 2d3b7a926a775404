"""Runs the hook of this repository with the real pre-commit, and makes Python classes of the schemas.

    compat/hook.py WORK

Called by `compat/run.sh hook` with the Python of an environment that has pre-commit and datamodel-code-generator. ASSAY is the
program. What pre-commit is given is the commit that is checked out, as those who name this repository in theirs are.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASSAY = Path(os.environ["ASSAY"]).resolve()
CHECKS: list = []
# The folder of a wrongly named record, which is none of the examples.
WRONG = "data/sum-check/acme/adder/results.json"


def check(function):
    """Registers a check, in the order of this file."""
    CHECKS.append(function)
    return function


class Datastore:
    """A repository with the records of the examples and the hook of this one."""

    def __init__(self, work: Path):
        self.place = work / "datastore"
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{ASSAY.parent}:{os.environ['PATH']}",
            "HOME": str(work),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Alice",
            "GIT_AUTHOR_EMAIL": "alice@example.org",
            "GIT_COMMITTER_NAME": "Alice",
            "GIT_COMMITTER_EMAIL": "alice@example.org",
        }
        shutil.copytree(ROOT / "examples/datastore", self.place)
        revision = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
        (self.place / ".pre-commit-config.yaml").write_text(
            f"repos:\n  - repo: {ROOT}\n    rev: {revision}\n    hooks:\n      - id: assay-validate-system\n"
        )
        self.run("git", "init", "--quiet", "--initial-branch", "main")
        self.run("git", "add", "--all")
        self.record = next(path for path in sorted(self.place.glob("data/**/*.json")))
        self.whole = self.record.read_text()

    def run(self, *arguments: str, ok: bool = True) -> str:
        """Runs a command in the repository; it has to succeed, or to fail."""
        done = subprocess.run(
            arguments, cwd=self.place, env=self.environment, capture_output=True, text=True
        )
        told = done.stdout + done.stderr
        assert (done.returncode == 0) == ok, f"{' '.join(arguments)}: {done.returncode} {told}"
        return told

    def harm(self) -> None:
        """Takes what a record must have, and stages it."""
        record = json.loads(self.whole)
        del record["evaluation_id"]
        self.record.write_text(json.dumps(record, indent=2))
        self.run("git", "add", "--all")

    def mend(self) -> None:
        self.record.write_text(self.whole)
        self.run("git", "add", "--all")


@check
def staged_files(store: Datastore) -> None:
    """What is staged is validated, and the finding is shown."""
    assert "Passed" in store.run("pre-commit", "run")
    store.harm()
    told = store.run("pre-commit", "run", ok=False)
    assert "Failed" in told and "AY101" in told and "evaluation_id" in told, told
    store.mend()


@check
def wrongly_named_files(store: Datastore) -> None:
    """A record under another name than a UUID is a fault, and not passed over."""
    wrong = store.place / WRONG
    wrong.parent.mkdir(parents=True)
    wrong.write_text(store.whole)
    store.run("git", "add", "--all")
    told = store.run("pre-commit", "run", ok=False)
    assert "results.json" in told and "AY4" in told, told
    store.run("git", "rm", "--quiet", "--force", WRONG)


@check
def all_files(store: Datastore) -> None:
    """Every file is validated, staged or not."""
    store.run("git", "commit", "--quiet", "--message", "records")
    assert "Passed" in store.run("pre-commit", "run", "--all-files")
    store.harm()
    store.run("git", "commit", "--quiet", "--message", "a record without an id")
    assert "Skipped" in store.run("pre-commit", "run"), "nothing is staged"
    assert "AY101" in store.run("pre-commit", "run", "--all-files", ok=False)


@check
def named_files(store: Datastore) -> None:
    """Files that are named are validated, and no others."""
    name = str(store.record.relative_to(store.place))
    assert "AY101" in store.run("pre-commit", "run", "--files", name, ok=False)
    assert "Skipped" in store.run("pre-commit", "run", "--files", ".pre-commit-config.yaml")
    store.mend()
    assert "Passed" in store.run("pre-commit", "run", "--files", name)


@check
def installed(store: Datastore) -> None:
    """Once installed, a commit with a fault is none."""
    store.run("git", "commit", "--quiet", "--message", "mended")
    store.run("pre-commit", "install")
    before = store.run("git", "rev-parse", "HEAD")
    store.harm()
    assert "AY101" in store.run("git", "commit", "--message", "harm", ok=False)
    assert store.run("git", "rev-parse", "HEAD") == before
    store.mend()
    (store.place / "notes.txt").write_text("fine")
    store.run("git", "add", "--all")
    store.run("git", "commit", "--message", "notes")
    assert store.run("git", "rev-parse", "HEAD") != before


def classes(store: Datastore, kind: str, name: str):
    """The Python class of a schema, made as the authors of the format make theirs."""
    schema, module = store.place.parent / f"{kind}.json", store.place.parent / f"{name.lower()}.py"
    schema.write_text(store.run(str(ASSAY), "schema", kind))
    arguments = ["--input", str(schema), "--output", str(module), "--class-name", name]
    arguments += ["--output-model-type", "pydantic_v2.BaseModel", "--input-file-type", "jsonschema"]
    store.run("datamodel-codegen", *arguments)
    spec = importlib.util.spec_from_file_location(name.lower(), module)
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return getattr(made, name)


@check
def classes_of_records(store: Datastore) -> None:
    """Python classes of the schema of records read a record, and refuse one that lacks a key."""
    log = classes(store, "eee", "EvaluationLog")
    record = json.loads(store.whole)
    assert log.model_validate(record).evaluation_id == record["evaluation_id"]
    del record["evaluation_id"]
    refused(log, record)


@check
def classes_of_rows(store: Datastore) -> None:
    """Python classes of the schema of rows read every row, and refuse one that lacks a key."""
    log = classes(store, "eee-samples", "InstanceLevelEvaluationLog")
    rows = [json.loads(line) for path in store.place.glob("data/**/*.jsonl") for line in path.open()]
    assert rows, "the examples have samples"
    for row in rows:
        assert log.model_validate(row).evaluation_id == row["evaluation_id"]
    del rows[0]["evaluation_id"]
    refused(log, rows[0])


def refused(log, value) -> None:
    from pydantic import ValidationError

    try:
        log.model_validate(value)
    except ValidationError as error:
        assert "evaluation_id" in str(error), error
        return
    raise AssertionError("what lacks a key was taken")


def main() -> int:
    store = Datastore(Path(sys.argv[1]))
    for function in CHECKS:
        function(store)
        print(f"ok   {function.__name__}", flush=True)
    print(f"hook: {len(CHECKS)} ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
