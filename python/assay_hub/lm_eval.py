"""A tracker for lm-evaluation-harness that submits finished tasks to a hub.

The command ``assay-lm-eval`` is ``lm-eval`` with this tracker: it takes the same arguments, and
submits what was evaluated when ``ASSAY_HUB`` is set. From Python::

    tracker = AssayTracker(output_path="results")
    results = lm_eval.simple_evaluate(..., evaluation_tracker=tracker)
    tracker.save_results_aggregated(results=results)
    tracker.submit()

Like the other hooks it never changes what the harness does: whatever goes wrong here becomes one
line of its log.
"""

from __future__ import annotations

import atexit
import logging
import os
import tempfile
from pathlib import Path
from typing import Any, List, Mapping, Optional

import lm_eval.loggers
from lm_eval.loggers import EvaluationTracker

from assay_hub.delivery import deliver
from assay_hub.targets import TASKS_FILE, Target, UnknownTarget, find_target

logger = logging.getLogger(__name__)

#: What the harness calls the argument that has the name of the model, by precedence.
MODEL_ARGUMENTS = ("pretrained", "model", "path", "engine")


class AssayTracker(EvaluationTracker):  # type: ignore[misc]
    """Saves results as the harness does, then submits them, once.

    Without an ``output_path`` the results are saved in a temporary directory until they are in
    the outbox. Results that nobody has submitted by the end of the process are submitted then.
    """

    output_path: Any

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._scratch: Optional[tempfile.TemporaryDirectory[str]] = None
        self._unsent: Optional[Mapping[str, Any]] = None

    def save_results_aggregated(self, results: Any, samples: Any = None) -> None:
        if is_active() and not self.output_path:
            self._scratch = tempfile.TemporaryDirectory(prefix="assay-")
            self.output_path = self._scratch.name
        super().save_results_aggregated(results=results, samples=samples)
        if is_active():
            self._unsent = results
            # Samples are saved after this, so that the log is complete only later.
            atexit.register(self.submit)

    def submit(self) -> List[str]:
        """Submits the results that were saved and returns the ids of the submissions."""
        results, self._unsent = self._unsent, None
        items: List[str] = []
        try:
            if results is not None:
                items = submit_results(self._saved_file(), results)
        except Exception as error:  # noqa: BLE001 - a harness does not suffer from its hooks
            logger.warning("assay: not submitted: %s", error)
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None
            self.output_path = None
        return items

    def _saved_file(self) -> Path:
        path = Path(self.output_path)
        if path.suffix == ".json":
            return path.with_name(f"{path.stem}_{self.date_id}.json")
        model = str(self.general_config_tracker.model_name_sanitized)
        return path / model / f"results_{self.date_id}.json"


def is_active() -> bool:
    """Whether results are submitted: ``ASSAY_HUB`` names a hub."""
    return bool(os.environ.get("ASSAY_HUB"))


def submit_results(log: Path, results: Mapping[str, Any]) -> List[str]:
    """Submits each evaluation of a results file whose benchmark is known."""
    model = model_name(results)
    evaluations = list(results["results"])
    groups = [name for name in results.get("groups", {}) if name in evaluations]
    # One evaluation, or the group of all others, is what a benchmark of the environment means.
    named = evaluations if len(evaluations) == 1 else groups if len(groups) == 1 else []
    if os.environ.get("ASSAY_BENCHMARK") and not named:
        raise UnknownTarget(
            f"ASSAY_BENCHMARK names one benchmark, and these are {len(evaluations)} tasks: "
            f"name them in {TASKS_FILE} instead"
        )
    wanted = named if os.environ.get("ASSAY_BENCHMARK") else evaluations
    targets: "dict[str, Target]" = {}
    unknown: Optional[UnknownTarget] = None
    for evaluation in wanted:
        try:
            targets[evaluation] = find_target(evaluation, model)
        except UnknownTarget as error:
            unknown = error
    if unknown is not None and not targets:
        raise unknown
    items = []
    for evaluation, target in targets.items():
        several = evaluation if len(evaluations) > 1 else None
        items.append(deliver(log, target, evaluation=several))
        logger.info("assay: submission %s", items[-1])
    return items


def model_name(results: Mapping[str, Any]) -> str:
    """Returns the name of the model that was evaluated, or that of its back-end without one."""
    config = results.get("config", {})
    arguments = config.get("model_args") or {}
    if isinstance(arguments, str):
        pairs = (part.split("=", 1) for part in arguments.split(",") if "=" in part)
        arguments = {name.strip(): value for name, value in pairs}
    for name in MODEL_ARGUMENTS:
        if arguments.get(name):
            return str(arguments[name])
    return str(config.get("model") or results.get("model_name") or "unknown")


def main() -> None:
    """Runs lm-eval with the tracker of this module."""
    from lm_eval.__main__ import cli_evaluate

    # The command line looks the class up in this package when it is about to evaluate.
    lm_eval.loggers.EvaluationTracker = AssayTracker
    cli_evaluate()


if __name__ == "__main__":
    main()
