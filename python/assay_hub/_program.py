"""Finds and runs the program ``assay``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Union

StrPath = Union[str, "os.PathLike[str]"]

#: Names the program to run instead of the one in this environment.
PROGRAM_VARIABLE = "ASSAY_PROGRAM"

#: The exit code for wrong usage, and for what could not be read or reached.
EXIT_FAILED = 3


class AssayError(Exception):
    """A command that could not do what it was asked to.

    ``exit_code`` is the exit code of the program: 1 for a refusal, 3 for wrong usage or for
    something that could not be read or reached. The message has the reason and the next step.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    @property
    def is_refusal(self) -> bool:
        """Whether the results were refused, so that trying again does not help."""
        return self.exit_code == 1


class ProgramNotFound(AssayError):
    """The program is neither in this environment nor on the PATH."""

    def __init__(self) -> None:
        super().__init__(
            "the program `assay` is neither in this environment nor on the PATH; "
            f"install `assay-hub`, or set {PROGRAM_VARIABLE}",
            EXIT_FAILED,
        )


def find_program() -> str:
    """Returns the path of the program: ``ASSAY_PROGRAM``, this environment, then the PATH."""
    named = os.environ.get(PROGRAM_VARIABLE)
    if named:
        return named
    name = "assay.exe" if sys.platform == "win32" else "assay"
    for scripts in (sysconfig.get_path("scripts"), str(Path(sys.executable).parent)):
        path = Path(scripts) / name
        if path.is_file():
            return str(path)
    found = shutil.which("assay")
    if found is None:
        raise ProgramNotFound()
    return found


def run_program(
    arguments: Iterable[StrPath],
    *,
    environment: Optional[Mapping[str, str]] = None,
    timeout: Optional[float] = None,
) -> "subprocess.CompletedProcess[str]":
    """Runs the program to its end. Neither standard input nor a terminal is used."""
    whole = dict(os.environ)
    whole.update(environment or {})
    return subprocess.run(
        [find_program(), *(os.fspath(argument) for argument in arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=whole,
        timeout=timeout,
        check=False,
    )


def read_json(
    arguments: Iterable[StrPath],
    *,
    accepted: Iterable[int] = (0,),
    environment: Optional[Mapping[str, str]] = None,
) -> Any:
    """Runs the program and returns the JSON document that it prints.

    Raises AssayError for an exit code that is not accepted.
    """
    ended = run_program(arguments, environment=environment)
    if ended.returncode not in accepted:
        raise AssayError(_reason(ended), ended.returncode)
    return json.loads(ended.stdout)


def _reason(ended: "subprocess.CompletedProcess[str]") -> str:
    text = ended.stderr.strip() or ended.stdout.strip()
    return text.removeprefix("error: ") or f"`assay` ended with exit code {ended.returncode}"
