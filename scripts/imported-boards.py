#!/usr/bin/env python3
"""Compares the boards of a hub with the Every Eval Ever records that were imported into it.

    assay serve --data DIR --listen 127.0.0.1:8460
    HF_TOKEN=hf_... assay import eee RECORDS --hub http://127.0.0.1:8460
    scripts/imported-boards.py RECORDS --hub http://127.0.0.1:8460 > table.md

Prints the table of docs/imported-boards.md: each board by the earlier rules, computed from the records, beside the board
of the hub. Then checks the hub against the records: the first row has the best value of the source, every stated number
of samples, error or interval gives an interval, a task is of one benchmark and one scale, and every form of a board has
the same rows. Faults go to standard error, and the exit code is 1 when there are any. Needs the standard library alone.
"""

import argparse
import collections
import csv
import html
import io
import json
import pathlib
import re
import sys
import urllib.parse
import urllib.request

# How far the first value may be from the best of the source: boards show means of runs that nothing tells apart.
TOLERANCE = 1e-3
# How many rows the forms of a board are compared by.
COMPARED_ROWS = 20

Result = collections.namedtuple("Result", "benchmark folder task model score config details uncertainty retrieved")
Board = collections.namedtuple("Board", "benchmark task name rows")


def read_results(roots):
    """Yields every record with its results, in the order of file names."""
    files = [file for root in roots for file in pathlib.Path(root).rglob("*.json") if file.is_file()]
    for file in sorted(files, key=lambda file: file.name):
        record = json.loads(file.read_text(encoding="utf-8"))
        if "evaluation_results" not in record:
            continue
        parts = file.parts[len(file.parts) - 1 - file.parts[::-1].index("data"):][1:]
        benchmark = record["evaluation_id"].split("/")[0]
        model = record["model_info"]["id"]
        results = []
        for result in record["evaluation_results"]:
            details = result["score_details"]
            source = result.get("source_data")
            source = source.get("additional_details") or {} if isinstance(source, dict) else {}
            results.append(
                Result(
                    benchmark,
                    parts[0],
                    result["evaluation_name"],
                    model,
                    details["score"],
                    result["metric_config"],
                    source,
                    details.get("uncertainty") or {},
                    int(float(record["retrieved_timestamp"])),
                )
            )
        is_portable = len(parts) == 4 and not any(part.endswith(".") for part in parts)
        yield is_portable, results


def is_possible(result):
    """Whether a score is inside the bounds that its record gives."""
    low, high = result.config.get("min_score"), result.config.get("max_score")
    return (low is None or result.score >= low) and (high is None or result.score <= high)


def has_uncertainty(result):
    """Whether a record gives a number of samples, an error or an interval."""
    stated = result.uncertainty
    return bool(
        stated.get("num_samples")
        or stated.get("standard_error")
        or (stated.get("confidence_interval") or {}).get("lower") is not None
        or result.details.get("tasks_evaluated")
    )


def best_of(results):
    """The best results: all that share the best score."""
    lower = results[0].config.get("lower_is_better")
    score = (min if lower else max)(result.score for result in results)
    return [result for result in results if result.score == score]


def plain(text):
    """A name without case and signs."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def number(value):
    """A value with at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


class Hub:
    """The boards of a namespace of a hub."""

    def __init__(self, address, namespace):
        self.address, self.namespace = address.rstrip("/"), namespace

    def text(self, path, **query):
        query = f"?{urllib.parse.urlencode(query)}" if query else ""
        with urllib.request.urlopen(f"{self.address}{path}{query}") as answer:
            return answer.read().decode()

    def benchmarks(self):
        listed = json.loads(self.text("/api/datasets", author=self.namespace, limit=1000))
        return sorted(one["id"] for one in listed)

    def tasks(self, benchmark):
        """Ids and names of the tasks, from the definition as the import writes it."""
        _, tasks = self.text(f"/datasets/{benchmark}/resolve/main/eval.yaml").split("\ntasks:\n")
        names = {}
        for key, value in re.findall(r'^(?:  - |    )(id|display_name): (".*")$', tasks, re.M):
            value = json.loads(value)
            task = value if key == "id" else task
            names[task] = value
        return names

    def file(self, benchmark, form, task, **query):
        return self.text(f"/api/datasets/{benchmark}/leaderboard.{form}", task_id=task, **query)

    def boards(self):
        for benchmark in self.benchmarks():
            for task, name in self.tasks(benchmark).items():
                rows = json.loads(self.file(benchmark, "json", task, limit=100000))
                yield Board(benchmark, task, name, rows)


def rows_of_page(page):
    """Ranks and models of a page or an embedded board."""
    ranks = re.findall(r'<td class="num rank[^"]*"[^>]*>\s*(\d+)', page)
    models = re.findall(r'<a class="model" href="[^"]*?/?([^/"]+/[^/"?#]+)"', page)
    return [(int(rank), html.unescape(model)) for rank, model in zip(ranks, models)]


def differing_forms(hub, board):
    """Names the forms of a board that do not begin with its rows."""
    ours = [(row["rank"], row["modelId"]) for row in board.rows[:COMPARED_ROWS]]
    of = lambda row, model: (int(row["rank"]), row[model])
    table = csv.DictReader(io.StringIO(hub.file(board.benchmark, "csv", board.task, limit=COMPARED_ROWS)))
    lines = hub.file(board.benchmark, "ndjson", board.task, limit=COMPARED_ROWS).splitlines()
    place = f"/datasets/{board.benchmark}"
    task = urllib.parse.quote(board.task, safe="")
    forms = {
        "CSV": [of(row, "model_id") for row in table],
        "NDJSON": [of(row, "modelId") for row in map(json.loads, lines) if "modelId" in row],
        "page": rows_of_page(hub.text(f"{place}/leaderboard/{task}")),
        "embed": rows_of_page(hub.text(f"{place}/embed/leaderboard", leaderboard_task_id=board.task)),
    }
    names = [name for name, rows in forms.items() if not rows or rows[:COMPARED_ROWS] != ours[: len(rows)]]
    first = board.rows[0]["modelId"]
    badge = hub.text(f"/badges/models/{first}/rank.svg", benchmark=board.benchmark, task=board.task)
    return names if "#1 of" in badge or "value in doubt" in badge else [*names, "badge"]


def board_before(results):
    """Models and first row of a folder by the earlier rules: what was copied last stands for a model, then the first file name."""
    models = {}
    for result in sorted(results, key=lambda result: -result.retrieved):
        models.setdefault(plain_model(result.model), result)
    lower = next(iter(models.values())).config.get("lower_is_better")
    by_score = lambda result: (result.score if lower else -result.score, result.model)
    first = min(models.values(), key=by_score)
    return len(models), f"{first.model} {number(first.score)}"


def plain_model(model):
    """Hubs tell names of repositories apart without their case."""
    return re.sub(r"[^a-z0-9_.-]+", "-", model.lower())


def same_first(cell):
    """Model and value of a first row, without the setup and the signs that a name of a repository cannot have."""
    model, value = re.match(r"(.*?) (\d[\d.]*)(?:[ ,(].*)?$", cell).groups()
    return plain(model.removeprefix("unknown/")), value


def board_now(board):
    """The cells of the table that tell of the board of the hub."""
    first = board.rows[0]
    tied = sum(row["rank"] == 1 and row.get("group") == first.get("group") for row in board.rows)
    setups = max(row["setups"]["count"] for row in board.rows)
    setup = [first.get("setup", {}).get(key) for key in ("agent", "effort", "precision")]
    words = ", ".join(filter(None, setup)) if setups > 1 else ""
    words = f" ({words})" if words else ""
    words += f", {tied} tied" if tied > 1 else ""
    count = lambda kept: sum(1 for row in board.rows if kept(row)) or ""
    return (
        len({row["modelId"] for row in board.rows}),
        f"{first['modelId']} {number(first['value'])}{words}",
        setups if setups > 1 else "",
        count(lambda row: "valueInterval" in row),
        count(lambda row: row["runs"] > 1),
    )


def faults_of(hub, board, results):
    """Yields the faults of a board, a sentence each."""
    possible = [result for result in results if is_possible(result)]
    best, first = best_of(possible), board.rows[0]
    if abs(best[0].score - first["value"]) > TOLERANCE:
        yield f"the source's first is {best[0].model} {best[0].score}, not {first['modelId']} {first['value']}"
    scales = {(one.config.get("min_score"), one.config.get("max_score")) for one in possible}
    if len(scales) > 1 or len({one.config.get("lower_is_better") for one in possible}) > 1:
        yield f"the source has several scales: {scales}"
    stated = {plain(one.model) for one in possible if has_uncertainty(one)}
    with_interval = {plain(row["modelId"]) for row in board.rows if "valueInterval" in row}
    if len(stated) > len(with_interval):
        yield f"{len(stated)} models state an uncertainty, {len(with_interval)} rows have an interval"
    for form in differing_forms(hub, board):
        yield f"the {form} has other rows"


def main():
    """Prints the table, then the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="directories of records, as given to `assay import eee`")
    parser.add_argument("--hub", default="http://127.0.0.1:8460")
    parser.add_argument("--namespace", default="every-eval-ever")
    options = parser.parse_args()

    before, now = collections.defaultdict(list), collections.defaultdict(list)
    for is_portable, results in read_results(options.records):
        if is_portable:
            for result in results:
                now[plain(result.benchmark), plain(result.task)].append(result)
            if all(map(is_possible, results)):
                for result in results:
                    before[result.folder, plain(result.task)].append(result)

    hub = Hub(options.hub, options.namespace)
    print("| benchmark | task | models before | first before | models | first now (its setup, where there are several) | setups | intervals | means |")
    print("|---|---|---:|---|---:|---|---:|---:|---:|")
    boards, faults, other_first, other_models = 0, 0, 0, 0
    for board in hub.boards():
        boards += 1
        results = now[plain(board.benchmark.split("/")[1]), plain(board.name)]
        models, first = board_before(before[results[0].folder, plain(board.name)])
        cells = board_now(board)
        other_first += same_first(first) != same_first(cells[1])
        other_models += models != cells[0]
        name = board.benchmark.split("/")[1]
        print("|", " | ".join(str(cell) for cell in (name, board.name, models, first, *cells)), "|")
        for fault in faults_of(hub, board, results):
            faults += 1
            print(f"{board.benchmark} {board.name}: {fault}", file=sys.stderr)
    summary = f"{boards} boards, {other_first} with another first row, {other_models} with another number of models"
    print(f"{summary}; {faults} faults", file=sys.stderr)
    sys.exit(1 if faults or not boards else 0)


if __name__ == "__main__":
    main()
