"""Finds and runs the programs ``assay`` and ``assay-lake``."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Union

StrPath = Union[str, "os.PathLike[str]"]

#: Names the program to run instead of the one in this environment.
PROGRAM_VARIABLE = "ASSAY_PROGRAM"

#: Names the program of the lake to run instead of the one in this environment.
LAKE_VARIABLE = "ASSAY_LAKE_PROGRAM"

#: The exit code for wrong usage, and for what could not be read or reached.
EXIT_FAILED = 3


class AssayError(Exception):
    """A command that could not do what it was asked to.

    ``exit_code`` is the exit code of the program: 1 for a refusal, 3 for wrong usage or for
    something that could not be read or reached. The message has the reason and the next step;
    where the reason is a rule, ``code``, ``place`` and ``next_step`` have its parts.

    >>> message = "error[AY324]: no such task\\n  --> eval.yaml:3:14\\n   = help: did you mean `words`?"
    >>> error = AssayError(message, 1)
    >>> error.code, error.place, error.next_step
    ('AY324', 'eval.yaml:3:14', 'did you mean `words`?')
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message.removeprefix("error: "))
        self.exit_code = exit_code
        self.code = _first(r"^error\[(AY\d{3})\]", message)
        self.place = _first(r"^ *--> (.+)$", message)
        self.next_step = _first(r"^ *= help: (.+)$", message)

    @property
    def is_refusal(self) -> bool:
        """Whether the results were refused, so that trying again does not help."""
        return self.exit_code == 1


class ProgramNotFound(AssayError):
    """The program is neither in this environment nor on the PATH."""

    def __init__(self, program: str, variable: str) -> None:
        package = "`assay-hub`" if program == "assay" else "it from crates/assay-lake of a clone"
        super().__init__(
            f"the program `{program}` is neither in this environment nor on the PATH; "
            f"install {package}, or set {variable}",
            EXIT_FAILED,
        )


def find_program(program: str = "assay") -> str:
    """Returns the path of a program: the one that its variable names, this environment, then the PATH.

    The variables are ``ASSAY_PROGRAM`` for ``assay`` and ``ASSAY_LAKE_PROGRAM`` for ``assay-lake``.
    """
    variable = PROGRAM_VARIABLE if program == "assay" else LAKE_VARIABLE
    named = os.environ.get(variable)
    if named:
        return named
    name = f"{program}.exe" if sys.platform == "win32" else program
    for scripts in (sysconfig.get_path("scripts"), str(Path(sys.executable).parent)):
        path = Path(scripts) / name
        if path.is_file():
            return str(path)
    found = shutil.which(program)
    if found is None:
        raise ProgramNotFound(program, variable)
    return found


def run_program(
    arguments: Iterable[StrPath],
    *,
    program: str = "assay",
    environment: Optional[Mapping[str, str]] = None,
    timeout: Optional[float] = None,
) -> "subprocess.CompletedProcess[str]":
    """Runs the program to its end. Neither standard input nor a terminal is used."""
    whole = dict(os.environ)
    whole.update(environment or {})
    return subprocess.run(
        [find_program(program), *(os.fspath(argument) for argument in arguments)],
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
    program: str = "assay",
    accepted: Iterable[int] = (0,),
    environment: Optional[Mapping[str, str]] = None,
) -> Any:
    """Runs the program and returns the JSON document that it prints.

    Raises AssayError for an exit code that is not accepted.
    """
    ended = run_program(arguments, program=program, environment=environment)
    if ended.returncode not in accepted:
        raise AssayError(_reason(ended), ended.returncode)
    return json.loads(ended.stdout)


def _first(pattern: str, text: str) -> Optional[str]:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else None


def _reason(ended: "subprocess.CompletedProcess[str]") -> str:
    text = ended.stderr.strip() or ended.stdout.strip()
    return text or f"the program ended with exit code {ended.returncode}"
