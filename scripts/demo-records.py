#!/usr/bin/env python3
"""Makes crates/assay/demo/records.jsonl.gz, the published results that `assay serve --demo` shows.

    scripts/demo-records.py DATASTORE crates/assay/demo/records.jsonl.gz

DATASTORE is a directory of Every Eval Ever records. Kept are the facts: names, scores, scales, numbers of samples,
errors, setups, costs, dates and addresses of the sources. Texts that others wrote (descriptions of tools and
instructions) are left out. Collections of many models are cut to the models that other collections have as well and
the best by the mean of their scores. The same input gives the same bytes. Needs the standard library alone.
"""

import argparse
import collections
import gzip
import json
import pathlib
import re
import sys

# Collections with more models than these are cut to the models of other collections and this many of the best.
MAX_WHOLE = 120
BEST = 60
# Keys of `additional_details` that are facts about a run or a model; the setup is what record_setup.rs in assay-formats reads.
FACTS = {
    "runs", "total_cost_usd", "accuracy_confidence_interval", "architecture", "params_billions", "model_type", "display_name",
    "tasks_evaluated",
    "agent_scaffold", "agent", "scaffold", "agent_name", "inference_effort", "reasoning_effort", "effort", "thinking_effort",
    "num_fewshot", "n_shot", "num_shots", "shots", "few_shot", "use_few_shot", "prompt_type", "method", "mode",
    "use_chain_of_thought", "chain_of_thought", "cot", "judge", "judge_model", "grader", "evaluator", "epochs", "attempts",
    "num_attempts", "temperature", "num_output_tokens", "max_tokens", "precision", "dtype", "quantization", "quantisation",
    "task_version",
}  # fmt: skip


def read_records(root):
    """Yields the place of every record below `data` and its content, in the order of places."""
    found = {}
    for file in pathlib.Path(root).rglob("*.json"):
        if file.is_file() and "data" in file.parts:
            parts = file.parts[len(file.parts) - 1 - file.parts[::-1].index("data"):]
            # data/BENCHMARK/DEVELOPER/MODEL/UUID.json
            if len(parts) == 5:
                found["/".join(parts)] = file
    for place in sorted(found):
        record = json.loads(found[place].read_text(encoding="utf-8"))
        if "evaluation_results" in record:
            yield place, record


def mean_of(record):
    """Returns the mean of the scores of a record, for choosing the best of a large collection."""
    scores = [one["score_details"]["score"] for one in record["evaluation_results"]]
    return sum(scores) / len(scores) if scores else 0.0


def chosen(records):
    """Returns the records to keep."""
    models = collections.defaultdict(set)
    for place, record in records:
        models[place.split("/")[1]].add(record["model_info"]["id"])
    shared = collections.Counter(model for of in models.values() for model in of)
    best = {}
    for name, of in models.items():
        if len(of) > MAX_WHOLE:
            own = [one for place, one in records if place.split("/")[1] == name]
            own.sort(key=lambda one: (-mean_of(one), one["model_info"]["id"]))
            best[name] = {one["model_info"]["id"] for one in own[:BEST]}
    for place, record in records:
        name, model = place.split("/")[1], record["model_info"]["id"]
        # A name that the source cut off names no model.
        if re.search(r"\.\.\.$", model):
            continue
        if name not in best or model in best[name] or shared[model] > 1:
            yield place, record


def facts(details):
    """Returns the details that are facts; short texts and numbers alone."""
    kept = {key: value for key, value in (details or {}).items() if key in FACTS and isinstance(value, (str, int, float))}
    return kept or None


def without_empty(record):
    """Returns a mapping without the keys that have no value."""
    return {key: value for key, value in record.items() if value not in (None, {}, [])}


def slim_result(result):
    """Returns a result with its facts alone."""
    generation = result.get("generation_config") or {}
    arguments = generation.get("generation_args") or {}
    tools = (arguments.get("agentic_eval_config") or {}).get("available_tools") or []
    tools = [{"name": tool["name"]} for tool in tools]
    arguments = {key: value for key, value in arguments.items() if isinstance(value, (int, float, bool))}
    if tools:
        arguments["agentic_eval_config"] = {"available_tools": tools}
    details = result["score_details"]
    raw = (details.get("details") or {}).get("accuracy_raw")
    score = {"score": details["score"], "uncertainty": details.get("uncertainty")}
    # The raw accuracy says that the range of the runs is that of the whole score.
    score["details"] = {"accuracy_raw": raw} if raw else None
    source = result["source_data"]
    source = {**source, "additional_details": facts(source.get("additional_details"))}
    config = {"generation_args": arguments, "additional_details": facts(generation.get("additional_details"))}
    return without_empty({
        "evaluation_name": result["evaluation_name"],
        "source_data": without_empty(source),
        "metric_config": result["metric_config"],
        "score_details": without_empty(score),
        "generation_config": without_empty(config),
    })  # fmt: skip


def slim(record):
    """Returns a record with its facts alone."""
    model = {**record["model_info"], "additional_details": facts(record["model_info"].get("additional_details"))}
    about = {key: value for key, value in record["source_metadata"].items() if key != "additional_details"}
    return without_empty({
        "schema_version": record["schema_version"],
        "evaluation_id": record["evaluation_id"],
        "retrieved_timestamp": record["retrieved_timestamp"],
        "evaluation_timestamp": record.get("evaluation_timestamp"),
        "source_metadata": about,
        "eval_library": record.get("eval_library"),
        "model_info": without_empty(model),
        "evaluation_results": [slim_result(one) for one in record["evaluation_results"]],
    })  # fmt: skip


def main():
    """Writes the file that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datastore")
    parser.add_argument("output", type=pathlib.Path)
    arguments = parser.parse_args()
    kept = list(chosen(list(read_records(arguments.datastore))))
    lines = [json.dumps({"path": place, "record": slim(record)}, ensure_ascii=False) for place, record in kept]
    text = "".join(line + "\n" for line in lines)
    with arguments.output.open("wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        packed.write(text.encode("utf-8"))
    results = sum(len(record["evaluation_results"]) for _, record in kept)
    models = {record["model_info"]["id"] for _, record in kept}
    size = arguments.output.stat().st_size
    print(f"{len(kept)} records, {len(models)} models, {results} results, {size} bytes packed, {len(text)} unpacked", file=sys.stderr)


if __name__ == "__main__":
    main()
