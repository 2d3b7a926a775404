#!/usr/bin/env python3
"""Drives a running hub with the real `datasets`: what people push with one line of Python, and load with another.

    HF_ENDPOINT=http://127.0.0.1:8080 HF_TOKEN_OWNER=... HF_TOKEN_STRANGER=... python compat/datasets_client.py

The exit code is 1 when a check failed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from pathlib import Path

HOME = tempfile.mkdtemp(prefix="assay-compat-home-")
os.environ.update(
    HF_HOME=HOME,
    HF_HUB_DISABLE_PROGRESS_BARS="1",
    HF_HUB_DISABLE_UPDATE_CHECK="1",
    HF_DATASETS_DISABLE_PROGRESS_BARS="1",
    HF_TOKEN=os.environ["HF_TOKEN_OWNER"],
)
sys.path.insert(0, str(Path(__file__).parent))

import datasets  # noqa: E402
from datasets import Dataset, DatasetDict, Features, IterableDataset, Value, load_dataset  # noqa: E402
from huggingface_hub import HfApi  # noqa: E402

ROWS = {"question": [f"What is {number} + 1?" for number in range(50)], "answer": list(range(1, 51))}


def numbers():
    for number in range(10):
        yield {"number": number}


def push_and_load(api: HfApi, owner: str) -> None:
    """What was pushed comes back, and pushing it again changes nothing."""
    name = f"{owner}/pushed"
    Dataset.from_dict(ROWS).push_to_hub(name)
    assert load_dataset(name, split="train")["answer"][-1] == 50
    before = api.dataset_info(name).sha
    Dataset.from_dict(ROWS).push_to_hub(name)
    assert api.dataset_info(name).sha == before


def push_splits_and_configurations(api: HfApi, owner: str) -> None:
    """Splits and configurations are found by the card that the library writes."""
    name = f"{owner}/configured"
    data = Dataset.from_dict(ROWS)
    DatasetDict({"train": data, "test": data.select(range(5))}).push_to_hub(name, "sums")
    data.select(range(3)).push_to_hub(name, "few", split="test")
    assert load_dataset(name, "sums", split="test").num_rows == 5
    assert load_dataset(name, "few", split="test").num_rows == 3


def stream(api: HfApi, owner: str) -> None:
    """A dataset is read row by row without being downloaded."""
    rows = load_dataset(f"{owner}/pushed", split="train", streaming=True)
    assert next(iter(rows))["answer"] == 1
    assert sum(1 for _ in rows) == 50


def push_pull_request(api: HfApi, owner: str) -> None:
    """`create_pr` opens a pull request and leaves `main` alone."""
    name = f"{owner}/pushed"
    before = api.dataset_info(name).sha
    Dataset.from_dict(ROWS).select(range(7)).push_to_hub(name, create_pr=True)
    assert api.dataset_info(name).sha == before
    (pull,) = api.get_repo_discussions(name, repo_type="dataset")
    loaded = load_dataset(name, split="train", revision=f"refs/pr/{pull.num}")
    assert loaded.num_rows == 7, loaded


def push_private(api: HfApi, owner: str) -> None:
    """A private dataset is loaded with the token of its owner alone."""
    name = f"{owner}/hidden"
    Dataset.from_dict(ROWS).push_to_hub(name, private=True)
    assert api.dataset_info(name).private
    assert load_dataset(name, split="train").num_rows == 50
    stranger = HfApi(token=os.environ["HF_TOKEN_STRANGER"])
    assert not stranger.repo_exists(name, repo_type="dataset")


def push_iterable(api: HfApi, owner: str) -> None:
    """Rows that are made while they are pushed."""
    # Without features, 4.8 looks for them where there are none.
    data = IterableDataset.from_generator(numbers, features=Features({"number": Value("int64")}))
    if not hasattr(data, "push_to_hub"):
        print("skip push_iterable: this version has no `IterableDataset.push_to_hub`")
        return
    data.push_to_hub(f"{owner}/iterated")
    assert load_dataset(f"{owner}/iterated", split="train")["number"][-1] == 9


def load_plain_files(api: HfApi, owner: str) -> None:
    """JSON lines and CSV that were uploaded as they are."""
    name = f"{owner}/plain"
    api.create_repo(name, repo_type="dataset")
    for path, content in [("a.jsonl", b'{"x": 1}\n{"x": 2}\n'), ("b.csv", b"x\n3\n")]:
        api.upload_file(path_or_fileobj=content, path_in_repo=path, repo_id=name, repo_type="dataset")
    assert load_dataset(name, data_files="a.jsonl", split="train")["x"][:] == [1, 2]
    assert load_dataset(name, data_files="b.csv", split="train")["x"][:] == [3]


CHECKS = [
    push_and_load,
    push_splits_and_configurations,
    stream,
    push_pull_request,
    push_private,
    push_iterable,
    load_plain_files,
]


def main() -> int:
    api = HfApi()
    owner = api.whoami()["name"]
    failed = 0
    for check in CHECKS:
        try:
            check(api, owner)
        except Exception:
            failed += 1
            print(f"FAIL {check.__name__}: {traceback.format_exc(limit=-4)}", flush=True)
        else:
            print(f"ok   {check.__name__}", flush=True)
    print(f"datasets {datasets.__version__}: {len(CHECKS) - failed} ok, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
