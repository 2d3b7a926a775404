"""Validate, convert, submit and verify AI evaluation results.

The functions run the program ``assay``, which is part of this package, and return what it
reports. A hub is named by ``ASSAY_HUB`` and its token by ``ASSAY_TOKEN``, as for the program.

>>> import assay_hub
>>> report = assay_hub.validate("examples/model")
>>> report.is_valid
True
"""

from assay_hub._api import (
    Comparison,
    ConversionReport,
    Finding,
    Leaderboard,
    SubmissionReport,
    ValidationReport,
    VerificationReport,
    compare,
    convert,
    leaderboard,
    submit,
    validate,
    verify,
)
from assay_hub._program import AssayError, ProgramNotFound, find_program

__all__ = [
    "AssayError",
    "Comparison",
    "ConversionReport",
    "Finding",
    "Leaderboard",
    "ProgramNotFound",
    "SubmissionReport",
    "ValidationReport",
    "VerificationReport",
    "compare",
    "convert",
    "find_program",
    "leaderboard",
    "submit",
    "validate",
    "verify",
]
