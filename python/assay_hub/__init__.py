"""Validate, convert, submit and verify AI evaluation results.

The functions run the program ``assay``, which is part of this package, and return what it
reports. A hub is named by ``ASSAY_HUB`` and its token by ``ASSAY_TOKEN``, as for the program.

>>> import assay_hub
>>> report = assay_hub.validate("examples/model")
>>> report.is_valid
True
"""

from assay_hub._api import (
    ConversionReport,
    Finding,
    SubmissionReport,
    ValidationReport,
    VerificationReport,
    convert,
    leaderboard,
    submit,
    validate,
    verify,
)
from assay_hub._program import AssayError, ProgramNotFound, find_program

__all__ = [
    "AssayError",
    "ConversionReport",
    "Finding",
    "ProgramNotFound",
    "SubmissionReport",
    "ValidationReport",
    "VerificationReport",
    "convert",
    "find_program",
    "leaderboard",
    "submit",
    "validate",
    "verify",
]
