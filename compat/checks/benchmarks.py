"""Benchmarks, lists and empty leaderboards."""

from huggingface_hub import HfApi
from huggingface_hub.errors import BadRequestError, HfHubHTTPError, RepositoryNotFoundError

from harness import Skip, World, check, needs, raises

EVAL_YAML = b"""name: Demo
description: A benchmark for the compatibility checks.
metrics:
  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}
  - {id: wer, display_name: Word error rate, higher_is_better: false, primary: false}
tasks:
  - {id: default}
  - {id: hard}
"""


@check
def upload_eval_yaml(world: World):
    """A dataset becomes a benchmark by its `eval.yaml`."""
    done = world.owner.upload_file(
        path_or_fileobj=EVAL_YAML, path_in_repo="eval.yaml", repo_id=world.bench, repo_type="dataset"
    )
    assert len(done.oid) == 40, done


@check
def upload_eval_yaml_invalid(world: World):
    """A broken definition is refused with the reason, and nothing has changed."""
    before = world.owner.dataset_info(world.bench).sha
    with raises(BadRequestError, text="metrics"):
        world.owner.upload_file(
            path_or_fileobj=b"name: X\ndescription: y\nmetrics: 7\ntasks: [{id: a}]\n",
            path_in_repo="eval.yaml",
            repo_id=world.bench,
            repo_type="dataset",
        )
    assert world.owner.dataset_info(world.bench).sha == before


@check
def list_datasets_benchmark(world: World):
    """`benchmark=True` lists what the operator marked."""
    assert world.bench not in [found.id for found in world.anonymous.list_datasets(filter="benchmark:official")]
    world.operate("admin", "benchmark", "official", world.bench)
    try:
        listed = list(world.anonymous.list_datasets(benchmark=True))
    except (TypeError, ValueError):
        listed = list(world.anonymous.list_datasets(filter="benchmark:official"))
    assert world.bench in [found.id for found in listed], listed
    assert "benchmark:official" in world.anonymous.dataset_info(world.bench).tags


@check
def list_filters(world: World):
    """Author, search, sort, limit and expand."""
    found = list(world.anonymous.list_models(author=world.owner_name, search="demo", limit=5))
    assert [model.id for model in found] == [world.model], found
    assert not list(world.anonymous.list_models(author=world.owner_name, search="no-such-thing"))
    expanded = list(world.anonymous.list_models(author=world.owner_name, sort="lastModified", expand=["sha", "tags"]))
    assert expanded and all(len(model.sha) == 40 for model in expanded), expanded
    status, _, body = world.raw("GET", "/api/models?expand=nonsense")
    assert status == 400 and b"expand" in body, (status, body)


@check
def pagination_link_header(world: World):
    """Lists longer than a page are followed to the end, and filters stay."""
    for number in range(5):
        world.owner.create_repo(f"{world.owner_name}/page-{number}", exist_ok=True)
    status, headers, _ = world.raw("GET", f"/api/models?author={world.owner_name}&search=page-&limit=2")
    assert status == 200 and 'rel="next"' in headers["link"], headers
    assert headers["link"].startswith(f"<{world.endpoint}/"), headers
    seen = []
    path = f"/api/models?author={world.owner_name}&search=page-&limit=2"
    while path:
        import json

        _, headers, body = world.raw("GET", path)
        seen += [model["id"] for model in json.loads(body)]
        link = headers.get("link")
        path = link[1 : link.index(">")].removeprefix(world.endpoint) if link else None
    assert sorted(seen) == [f"{world.owner_name}/page-{number}" for number in range(5)], seen


def leaderboard(api: HfApi, bench: str, **options):
    """The leaderboard through the client, where it has the call."""
    needs(HfApi, "get_dataset_leaderboard")
    try:
        return list(api.get_dataset_leaderboard(bench, **options))
    except TypeError as error:
        raise Skip(str(error)) from error


@check
def leaderboard_empty(world: World):
    """A benchmark without results has an empty board."""
    assert leaderboard(world.anonymous, world.bench) == []


@check
def leaderboard_not_a_benchmark(world: World):
    """A dataset that is no benchmark has no board."""
    world.owner.create_repo(f"{world.owner_name}/plain", repo_type="dataset")
    status, headers, _ = world.raw("GET", f"/api/datasets/{world.owner_name}/plain/leaderboard")
    assert status == 404 and "x-error-code" not in headers, headers
    with raises(HfHubHTTPError):
        leaderboard(world.anonymous, f"{world.owner_name}/plain")


@check
def leaderboard_missing_dataset(world: World):
    """A dataset that is not there is a missing repository."""
    with raises(RepositoryNotFoundError):
        leaderboard(world.owner, f"{world.owner_name}/nope")
