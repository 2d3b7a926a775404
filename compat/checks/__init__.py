"""The checks, in the order in which they run: later ones use what earlier ones have made."""

from . import accounts, repositories, benchmarks, pulls, results, evidence, files, large, xet, operations, errors, privacy, misc, webhooks, command, git  # noqa: F401
