"""The functions of the package. Each is one command of a program.

The examples run in a directory with the examples of the repository, a log ``run.eval``, and a hub that
``ASSAY_HUB``, ``ASSAY_TOKEN`` and ``ASSAY_CREDENTIAL`` name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Union

from assay_hub._program import StrPath, read_json

if TYPE_CHECKING:
    import pandas
    import pyarrow

Paths = Union[StrPath, Sequence[StrPath]]


@dataclass(frozen=True)
class Finding:
    """One fault that the validator found: a stable code, its place and the next step."""

    code: str
    severity: str
    message: str
    file: str
    line: int
    column: int
    help: Optional[str]

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.severity}[{self.code}]: {self.message}"


@dataclass(frozen=True)
class ValidationReport:
    """The findings of a validation, and the whole document of the program as ``raw``."""

    findings: List[Finding]
    files: int
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def errors(self) -> List[Finding]:
        """The findings that make files invalid."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warnings(self) -> List[Finding]:
        """The findings that are suspicions."""
        return [finding for finding in self.findings if finding.severity == "warning"]

    @property
    def is_valid(self) -> bool:
        """Whether there are no errors."""
        return not self.errors


@dataclass(frozen=True)
class ConversionReport:
    """The records that logs became, and the logs that could not be converted."""

    records: List[str]
    refused: List[str]
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class SubmissionReport:
    """The pull request that was opened; ``url`` is None when the hub had everything already."""

    url: Optional[str]
    number: Optional[int]
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class VerificationReport:
    """The outcome of a verification."""

    is_verified: bool
    raw: Mapping[str, Any] = field(repr=False)


class Leaderboard(List[Mapping[str, Any]]):
    """The rows of a leaderboard in order, each as the API of the hub has it."""

    def to_pandas(self) -> "pandas.DataFrame":
        """Returns a table with a column for each field; inner fields are named ``outer.inner``."""
        import pandas

        return pandas.json_normalize(list(self))

    def to_arrow(self) -> "pyarrow.Table":
        """Returns the rows as an Arrow table, with inner fields as structs."""
        import pyarrow

        return pyarrow.Table.from_pylist(list(self))


@dataclass(frozen=True)
class Comparison:
    """Two models on the samples that both have answered.

    ``difference`` is the mean of A minus that of B, ``low`` and ``high`` are the ends of its 95 %
    interval; all three are None when nothing can be said of it. ``verdict`` is ``a_higher``,
    ``b_higher`` or ``not_separated``.
    """

    shared: int
    verdict: str
    difference: Optional[float]
    low: Optional[float]
    high: Optional[float]
    raw: Mapping[str, Any] = field(repr=False)


def validate(
    paths: Paths,
    *,
    benchmarks: Optional[StrPath] = None,
    hub: Optional[str] = None,
    layout: Optional[str] = None,
) -> ValidationReport:
    """Validates benchmark definitions, result files and Every Eval Ever files.

    ``benchmarks`` is a directory with checkouts of benchmarks, ``hub`` the address of a hub:
    with either, tasks and metrics must exist.

    >>> report = validate("examples/faulty")
    >>> report.is_valid
    False
    >>> report.errors[0].code.startswith("AY")
    True
    """
    arguments: List[StrPath] = ["validate", *_listed(paths), "--format", "json", "--no-progress"]
    arguments += _option("--benchmarks", benchmarks)
    arguments += _option("--hub", hub)
    arguments += _option("--layout", layout)
    document = read_json(arguments, accepted=(0, 1, 2))
    findings = [
        _finding(found, report["path"]) for report in document["files"] for found in report["findings"]
    ]
    return ValidationReport(findings, document["summary"]["files"], document)


def convert(
    logs: Paths,
    out: StrPath,
    *,
    harness: Optional[str] = None,
) -> ConversionReport:
    """Converts logs of evaluation harnesses to Every Eval Ever records below ``out``.

    >>> report = convert("run.eval", "datastore")
    >>> len(report.records), report.refused
    (1, [])
    """
    arguments: List[StrPath] = ["convert", *_listed(logs), "--out", out, "--format", "json"]
    arguments += ["--no-progress", *_option("--from", harness)]
    document = read_json(arguments, accepted=(0, 1, 2))
    records = [record["path"] for log in document["logs"] for record in log["records"]]
    refused = [log["path"] for log in document["logs"] if not log["converted"]]
    return ConversionReport(records, refused, document)


def submit(
    paths: Paths,
    *,
    model: str,
    benchmark: Optional[str] = None,
    task: Optional[str] = None,
    hub: Optional[str] = None,
    token: Optional[str] = None,
    credential: Optional[str] = None,
    dry_run: bool = False,
) -> SubmissionReport:
    """Brings the results of a run to a hub, as a pull request with signed entries.

    Without ``hub``, ``token`` and ``credential`` the environment has them: ``ASSAY_HUB``,
    ``ASSAY_TOKEN`` and ``ASSAY_CREDENTIAL``, or the identity of a CI run. Secrets are handed to the
    program in its environment, where other users of the machine cannot read them.

    >>> planned = submit("run.eval", model="alice/model-x", benchmark="alice/sums", dry_run=True)
    >>> planned.url is None
    True
    >>> sent = submit("run.eval", model="alice/model-x", benchmark="alice/sums")
    >>> sent.number
    1
    """
    arguments: List[StrPath] = ["submit", *_listed(paths), "--model", model, "--format", "json"]
    arguments += _option("--benchmark", benchmark) + _option("--task", task) + _option("--hub", hub)
    if dry_run:
        arguments.append("--dry-run")
    secrets = {"ASSAY_TOKEN": token, "ASSAY_CREDENTIAL": credential}
    environment = {name: value for name, value in secrets.items() if value is not None}
    document = read_json(arguments, accepted=(0, 2), environment=environment)
    pull = document.get("pull_request") or {}
    return SubmissionReport(pull.get("url"), pull.get("num"), document)


def verify(
    paths: Paths,
    *,
    trust: Optional[StrPath] = None,
    hub: Optional[str] = None,
) -> VerificationReport:
    """Verifies proofs of rows, result files or tokens; without ``hub``, without a network.

    >>> verify("row.proof", trust="hub.note").is_verified
    True
    """
    arguments: List[StrPath] = ["verify", *_listed(paths), "--format", "json"]
    arguments += _option("--trust", trust) + _option("--hub", hub)
    document = read_json(arguments, accepted=(0, 1, 2))
    return VerificationReport(document["exit_code"] == 0, document)


def leaderboard(
    benchmark: str,
    *,
    task: Optional[str] = None,
    metric: Optional[str] = None,
    limit: Optional[int] = None,
    hub: Optional[str] = None,
) -> Leaderboard:
    """Returns the rows of a leaderboard, with ``to_pandas()`` and ``to_arrow()`` for tables.

    >>> [row["modelId"] for row in leaderboard("alice/sums")]
    ['alice/model-y']
    """
    arguments: List[StrPath] = ["hub", "leaderboard", benchmark, "--format", "json"]
    arguments += _option("--task", task) + _option("--metric", metric) + _option("--hub", hub)
    arguments += _option("--limit", None if limit is None else str(limit))
    return Leaderboard(read_json(arguments))


def compare(
    model_a: str,
    model_b: str,
    *,
    lake: Optional[StrPath] = None,
    task: Optional[str] = None,
    benchmark: Optional[str] = None,
    metric: Optional[str] = None,
) -> Comparison:
    """Compares two models on the samples of a lake that both have answered.

    The program ``assay-lake`` does this; it is not part of the wheel.

    >>> compare("alice/model-x", "alice/model-y", lake="lake").verdict
    'not_separated'
    """
    arguments: List[StrPath] = ["compare", model_a, model_b, "--format", "json"]
    arguments += _option("--lake", lake) + _option("--task", task)
    arguments += _option("--benchmark", benchmark) + _option("--metric", metric)
    document = read_json(arguments, program="assay-lake")["comparison"]
    difference = document["difference"] or {}
    return Comparison(
        shared=document["shared"],
        verdict=document["verdict"],
        difference=difference.get("value"),
        low=difference.get("low"),
        high=difference.get("high"),
        raw=document,
    )


def _listed(paths: Paths) -> List[StrPath]:
    if isinstance(paths, (list, tuple)):
        return list(paths)
    return [paths]  # type: ignore[list-item]


def _option(name: str, value: Optional[StrPath]) -> List[StrPath]:
    return [] if value is None else [name, value]


def _finding(found: Mapping[str, Any], file: str) -> Finding:
    place = found.get("place") or {}
    return Finding(
        code=found["code"],
        severity=found["severity"],
        message=found["message"],
        file=place.get("file", file),
        line=place.get("line", 0),
        column=place.get("column", 0),
        help=found.get("help"),
    )
