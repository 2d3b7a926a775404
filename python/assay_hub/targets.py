"""Which benchmark and model on a hub the task and model of a harness are.

A task of the form ``hf/<namespace>/<name>[/<task>]`` names its benchmark itself. For others, the
file ``assay-tasks.toml`` in the working directory, or the one in ``ASSAY_TASKS``, says it::

    [tasks."inspect_evals/gpqa_diamond"]
    benchmark = "Idavidrein/gpqa"
    task = "gpqa_diamond"

    [models]
    "openai/gpt-x-2026-01-01" = "openai/gpt-x"

``ASSAY_BENCHMARK``, ``ASSAY_TASK`` and ``ASSAY_MODEL`` come before both.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional

#: The file that maps tasks and models, unless ``ASSAY_TASKS`` names another.
TASKS_FILE = "assay-tasks.toml"

#: Providers that stand before the name of a model in the notation of harnesses, and are no part of it.
PROVIDERS = ("hf/", "vllm/", "sglang/", "hf-inference-providers/", "transformers_lens/")


class UnknownTarget(Exception):
    """Nothing says which benchmark or model it is; the message says what to set."""


@dataclass(frozen=True)
class Target:
    """The benchmark, task and model of a run, by their names on a hub."""

    benchmark: str
    task: Optional[str]
    model: str
    benchmark_revision: Optional[str] = None


def find_target(task: str, model: str, environment: Optional[Mapping[str, str]] = None) -> Target:
    """Returns what a task and a model of a harness are on a hub."""
    variables = os.environ if environment is None else environment
    mapped = _read_mapping(variables)
    benchmark, task_id, revision = _benchmark(task, variables, mapped)
    return Target(benchmark, task_id, _model(model, variables, mapped), revision)


def _benchmark(
    task: str, variables: Mapping[str, str], mapped: Mapping[str, Any]
) -> "tuple[str, Optional[str], Optional[str]]":
    named = variables.get("ASSAY_BENCHMARK")
    if named:
        return named, variables.get("ASSAY_TASK") or None, None
    entry = mapped.get("tasks", {}).get(task)
    if entry is not None:
        return entry["benchmark"], entry.get("task"), None
    if task.startswith("hf/"):
        name, _, revision = task[len("hf/") :].partition("@")
        parts = name.split("/")
        if len(parts) in (2, 3) and all(parts):
            task_id = parts[2] if len(parts) == 3 else None
            return "/".join(parts[:2]), task_id, revision or None
    raise UnknownTarget(
        f"the benchmark of task `{task}` is not known: name it in {TASKS_FILE}, "
        "or set ASSAY_BENCHMARK and ASSAY_TASK"
    )


def _model(model: str, variables: Mapping[str, str], mapped: Mapping[str, Any]) -> str:
    named = variables.get("ASSAY_MODEL")
    if named:
        return named
    known = mapped.get("models", {}).get(model)
    if known is not None:
        return str(known)
    for provider in PROVIDERS:
        rest = model[len(provider) :] if model.startswith(provider) else ""
        if rest.count("/") == 1 and not rest.startswith(("/", ".")):
            return rest
    if model.count("/") == 1 and not model.startswith(("/", ".")):
        return model
    raise UnknownTarget(
        f"the model `{model}` is no name of a hub: name it under [models] in {TASKS_FILE}, or set ASSAY_MODEL"
    )


def _read_mapping(variables: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:  # Python before 3.11
        import tomli as tomllib  # type: ignore[no-redef, import-not-found]

    named = variables.get("ASSAY_TASKS")
    path = Path(named or TASKS_FILE)
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        if named:
            raise UnknownTarget(f"there is no file `{named}`, which ASSAY_TASKS names") from None
        return {}
    except tomllib.TOMLDecodeError as error:
        raise UnknownTarget(f"`{path}` cannot be read: {error}") from error
