"""A hook of Inspect AI that submits finished tasks to a hub.

Inspect finds it by the entry point ``inspect_ai`` of this package. It is active when ``ASSAY_HUB``
is set, and it never changes what Inspect does: whatever goes wrong here becomes one line of the log
of the harness.
"""

from __future__ import annotations

import logging
import os
from urllib.parse import unquote, urlparse

from inspect_ai.hooks import Hooks, TaskEnd, hooks

from assay_hub.delivery import deliver
from assay_hub.targets import find_target

logger = logging.getLogger(__name__)


@hooks(name="assay", description="Submits finished tasks to an Assay hub")
class AssayHooks(Hooks):
    """Submits the log of each task that was completed."""

    def enabled(self) -> bool:
        return bool(os.environ.get("ASSAY_HUB"))

    async def on_task_end(self, data: TaskEnd) -> None:
        try:
            submit_log(data.log.location, data.log.eval.task, data.log.eval.model, data.log.status)
        except Exception as error:  # noqa: BLE001 - a harness does not suffer from its hooks
            logger.warning("assay: not submitted: %s", error)


def submit_log(location: str, task: str, model: str, status: str) -> None:
    """Submits a log, unless its task was not completed."""
    if status != "success":
        logger.warning("assay: not submitted: the task ended with status `%s`", status)
        return
    address = urlparse(location)
    if address.scheme not in ("", "file"):
        raise ValueError(f"the log is not on this machine: {location}")
    path = unquote(address.path) if address.scheme == "file" else location
    item = deliver(path, find_target(task, model))
    logger.info("assay: submission %s", item)
