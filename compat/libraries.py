"""Libraries that use a hub by themselves: configurations and tokenizers of transformers, tasks and results of lm-evaluation-harness,
benchmarks that Inspect runs by their name.

    compat/libraries.py NAME

Called by `compat/run.sh` with the Python of an environment that has the library. HF_ENDPOINT and HF_TOKEN are those of a hub
that is running; the account is `alice`.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from huggingface_hub import HfApi

api = HfApi()


def transformers() -> str:
    """Pushes a configuration, a generation configuration and a tokenizer, and loads them again by name and revision."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import AutoConfig, AutoTokenizer, GenerationConfig, GPT2Config, PreTrainedTokenizerFast

    name = "alice/configured"
    GPT2Config(n_layer=3).push_to_hub(name)
    first = api.model_info(name).sha
    GPT2Config(n_layer=5).push_to_hub(name)
    GenerationConfig(temperature=0.25, do_sample=True).push_to_hub(name, private=False)
    words = Tokenizer(models.WordLevel({"[UNK]": 0, "two": 1, "words": 2}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]").push_to_hub(name)

    assert AutoConfig.from_pretrained(name).n_layer == 5
    assert AutoConfig.from_pretrained(name, revision=first).n_layer == 3
    assert GenerationConfig.from_pretrained(name).temperature == 0.25
    assert AutoTokenizer.from_pretrained(name)("two words")["input_ids"] == [1, 2]
    try:
        AutoConfig.from_pretrained("alice/missing")
    except OSError as error:
        assert "alice/missing" in str(error), error
    else:
        raise AssertionError("a repository that is not there was loaded")
    return "configurations and a tokenizer, by name and by revision"


def lm_eval() -> str:
    """Runs a task whose data is on the hub with the model `dummy`, and pushes results and samples."""
    import lm_eval as harness
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    rows = [{"question": f"{n} and {n}", "answer": str(2 * n)} for n in range(4)]
    api.create_repo("alice/words", repo_type="dataset")
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    api.upload_file(path_or_fileobj=text, path_in_repo="test.jsonl", repo_id="alice/words", repo_type="dataset")
    work = Path(tempfile.mkdtemp())
    (work / "words.yaml").write_text(
        "task: words\ndataset_path: alice/words\noutput_type: generate_until\ntest_split: test\n"
        'doc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\nmetric_list: [{metric: exact_match}]\n'
    )
    tracker = EvaluationTracker(
        output_path=str(work / "out"), hub_results_org="alice", results_repo_name="results", details_repo_name="details",
        push_results_to_hub=True, push_samples_to_hub=True, public_repo=True, token=os.environ["HF_TOKEN"], point_of_contact="",
    )  # fmt: skip
    tasks = TaskManager(include_path=str(work), include_defaults=False)
    done = harness.simple_evaluate(model="dummy", tasks=["words"], task_manager=tasks, log_samples=True, evaluation_tracker=tracker)
    samples = done.pop("samples")
    tracker.save_results_aggregated(results=done, samples=samples)
    tracker.save_results_samples(task_name="words", samples=samples["words"])
    pushed = [file for repo in ("results", "details") for file in api.list_repo_files(f"alice/{repo}", repo_type="dataset")]
    assert any("results_" in file for file in pushed) and any("samples_words_" in file for file in pushed), pushed
    return "a task from the hub, its results and its samples"


def inspect() -> str:
    """Runs the task of a benchmark by its name on the hub, `hf/NAMESPACE/NAME`, with a model that needs no network."""
    import tiktoken
    from inspect_ai import eval as evaluate

    # Inspect counts tokens with a table that it fetches from elsewhere.
    class Words:
        def encode(self, text: str, **_: object) -> list[str]:
            return text.split()

    tiktoken.get_encoding = lambda _: Words()
    name = "alice/number-words"
    rows = [{"question": word, "answer": "Default output from mockllm/model"} for word in ("two", "three")]
    definition = """name: Number words
description: Numbers in words.
evaluation_framework: inspect-ai
metrics:
  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}
tasks:
  - id: words
    config: default
    split: test
    field_spec: {input: question, target: answer}
    solvers: [{name: generate}]
    scorers: [{name: match}]
"""
    api.create_repo(name, repo_type="dataset")
    for path, text in (("test.jsonl", "".join(json.dumps(row) + "\n" for row in rows)), ("eval.yaml", definition)):
        api.upload_file(path_or_fileobj=text.encode(), path_in_repo=path, repo_id=name, repo_type="dataset")
    work = tempfile.mkdtemp()
    os.chdir(work)
    (log,) = evaluate(f"hf/{name}", model="mockllm/model", display="none", log_dir=work)
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1 and len(log.samples) == 2, log.results
    return f"`inspect eval hf/{name}`"


print(f"{sys.argv[1]}: {globals()[sys.argv[1]]()}")
