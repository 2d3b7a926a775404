"""Hands the logs of a harness over without costing the harness anything.

A log is put into the outbox, a local copy, and a process of its own sends it. What that process
cannot send waits there: ``assay outbox send`` sends it later, once.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any, List, Optional

from assay_hub._program import AssayError, StrPath, find_program, run_program
from assay_hub.targets import Target

#: The longest that a harness waits for the local copy of its log, in seconds.
ADD_TIMEOUT_SECONDS = 120.0


def deliver(
    log: StrPath,
    target: Target,
    *,
    command: Optional[str] = None,
    evaluation: Optional[str] = None,
) -> str:
    """Puts a log into the outbox, starts to send it, and returns the id of the submission.

    ``evaluation`` is the name that the log has for what was evaluated, when it has several.
    """
    arguments: List[StrPath] = ["outbox", "add", log, "--format", "json", "--", "--model", target.model]
    arguments += ["--benchmark", target.benchmark]
    if target.task:
        arguments += ["--task", target.task]
    if target.benchmark_revision:
        arguments += ["--benchmark-revision", target.benchmark_revision]
    if command:
        arguments += ["--command", command]
    if evaluation:
        arguments += ["--evaluation", evaluation]
    added = run_program(arguments, timeout=ADD_TIMEOUT_SECONDS)
    if added.returncode != 0:
        raise AssayError(added.stderr.strip(), added.returncode)
    item = str(json.loads(added.stdout)["id"])
    send_later(item)
    return item


def send_later(item: str) -> None:
    """Starts a process that sends a submission, and does not wait for it."""
    options: Any = (
        {"creationflags": 0x00000008} if os.name == "nt" else {"start_new_session": True}
    )
    subprocess.Popen(  # noqa: S603
        [find_program(), "outbox", "send", item],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **options,
    )
