"""Drives the installed wheel: its commands, its types, and every example in the documentation of its functions.

    compat/wheel.py WORK

Called by `compat/run.sh wheel` with the Python of an environment that has the wheel, pandas and pyarrow, and nothing of the repository
on its path. ASSAY is the program that serves the hub.
"""

import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path

import assay_hub
from assay_hub import _api, _program
from scene import ASSAY, Scene, clean_environment

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "crates/assay-convert/tests/fixtures/inspect/mcq.eval"
BENCHMARK = """name: Sums
description: Adding.
evaluation_framework: inspect-ai
metrics:
  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}
tasks:
  - {id: words}
"""


def run_program(*arguments: str, cwd: Path) -> str:
    """Runs the program of the wheel as a person does."""
    program = Path(sys.executable).parent / "assay"
    ended = subprocess.run([program, *arguments], cwd=cwd, env=clean_environment(cwd), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def check_package() -> None:
    """The installed files: the module and its marker of types, both commands, the entry point of Inspect."""
    from importlib.metadata import distribution

    place = Path(assay_hub.__file__).parent
    assert place.parent.name == "site-packages", place
    assert (place / "py.typed").is_file()
    assert Path(_program.find_program()).parent == Path(sys.executable).parent
    assert (Path(sys.executable).parent / "assay-lm-eval").is_file()
    [entry] = distribution("assay-hub").entry_points
    assert (entry.group, entry.value) == ("inspect_ai", "assay_hub.inspect_hook"), entry
    assert run_program("--version", cwd=place).split() == ["assay", distribution("assay-hub").version]


def check_failures() -> None:
    """A failure is an exception with its reason."""
    try:
        assay_hub.verify("no-such-file")
    except assay_hub.AssayError as error:
        assert error.exit_code == 3 and "no-such-file" in str(error), error
    else:
        raise AssertionError("a missing file was no failure")


def prepare(hub: Scene, place: Path) -> None:
    """Makes what the examples use: the examples of the repository, a log, a lake, and a proof."""
    hub.create("dataset", "sums", {"eval.yaml": BENCHMARK})
    for model in ("model-x", "model-y"):
        hub.create("model", model, {"README.md": f"# {model}\n"})
    shutil.copytree(ROOT / "examples", place / "examples")
    shutil.copy(LOG, place / "run.eval")
    arguments = ["submit", "run.eval", "--model", "alice/model-y", "--benchmark", "alice/sums"]
    os.environ.update(hub.variables())
    hub.operate(*[str(place / "run.eval") if part == "run.eval" else part for part in arguments])
    [result] = hub.results("model-y")
    hub.keep_proof("model-y", result)
    for name in ("row.proof", "hub.note"):
        shutil.copy(hub.work / name, place / name)
    prepare_lake(place)


def prepare_lake(place: Path) -> None:
    """Makes a lake for the example of `compare`, which is skipped where its program is not built."""
    lake = Path(ASSAY).with_name("assay-lake")
    if not lake.exists():
        print(f"wheel: `compare` is skipped, there is no {lake}")
        _api.compare.__doc__ = None
        return
    os.environ["ASSAY_LAKE_PROGRAM"] = str(lake)
    for model in ("alice/model-x", "alice/model-y"):
        out = place / model.replace("/", "-")
        run_program("convert", "run.eval", "--model", model, "--out", str(out), cwd=place)
        ended = subprocess.run([lake, "ingest", out, "--lake", "lake"], cwd=place, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr


def check_tables() -> None:
    """A leaderboard as tables of pandas and Arrow."""
    board = assay_hub.leaderboard("alice/sums")
    assert list(board.to_pandas()["modelId"]) == [row["modelId"] for row in board]
    assert board.to_arrow().num_rows == len(board) > 0


def main() -> None:
    work = Path(sys.argv[1])
    place = work / "project"
    place.mkdir()
    check_package()
    check_failures()
    with Scene(work, "alice") as hub:
        prepare(hub, place)
        os.chdir(place)
        examples = failures = 0
        for module in (assay_hub, _api, _program):
            found = doctest.testmod(module, optionflags=doctest.FAIL_FAST)
            examples += found.attempted
            failures += found.failed
        assert failures == 0 and examples >= 15, (examples, failures)
        check_tables()
    print(f"wheel: installed, {examples} examples of its documentation ran")


main()
