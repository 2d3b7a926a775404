"""Result files: both dialects, directions, base models, and hostile ones."""

import json

from huggingface_hub import HfApi
from huggingface_hub.errors import BadRequestError, HfHubHTTPError

from harness import Skip, World, check, raises

from .pulls import FILE, RESULT, board, rows_of


def publish(world: World, model: str, text: str, file: str = FILE) -> None:
    """A result file on the main branch of a model."""
    world.owner.create_repo(model, exist_ok=True)
    world.owner.upload_file(path_or_fileobj=text.encode(), path_in_repo=file, repo_id=model)


@check
def multi_metric_target_format(world: World):
    """Several metrics: the primary one is `value`, wherever it stands in the list."""
    name = f"{world.owner_name}/multi"
    publish(
        world,
        name,
        f"""- dataset: {{id: {world.bench}, task_id: default}}
  framework: {{name: inspect-ai, version: 0.4.2, command: inspect eval x.py}}
  metrics:
    - {{metric_id: wer, value: 3.5}}
    - {{metric_id: accuracy, value: 72.25}}
""",
    )
    (row,) = rows_of(world, name)
    assert row["value"] == 72.25 and len(row["metrics"]) == 2, row
    assert row["framework"]["name"] == "inspect-ai", row
    _, _, body = world.raw("GET", f"/api/models/{name}?expand=evalResults")
    (item,) = json.loads(body)["evalResults"]
    assert item["data"]["value"] == 72.25 and len(item["data"]["metrics"]) == 2, item


@check
def lower_is_better(world: World):
    """A metric that improves downwards ranks upwards."""
    name = f"{world.owner_name}/multi-worse"
    publish(
        world,
        name,
        f"""- dataset: {{id: {world.bench}, task_id: default}}
  metrics:
    - {{metric_id: wer, value: 9.5}}
    - {{metric_id: accuracy, value: 80}}
""",
    )
    rows = board(world, "?metric_id=wer")
    assert [(row["rank"], row["modelId"], row["value"]) for row in rows] == [
        (1, f"{world.owner_name}/multi", 3.5),
        (2, name, 9.5),
    ], rows


@check
def ties_share_a_rank(world: World):
    """Equal values have one rank, and the next one is left out."""
    publish(world, f"{world.owner_name}/tie-a", RESULT.format(bench=world.bench, value=50))
    publish(world, f"{world.owner_name}/tie-b", RESULT.format(bench=world.bench, value=50.0))
    publish(world, f"{world.owner_name}/tie-c", RESULT.format(bench=world.bench, value=49))
    ranks = {row["modelId"].split("/")[1]: row["rank"] for row in board(world)}
    assert ranks["tie-a"] == ranks["tie-b"] == ranks["tie-c"] - 2, ranks


@check
def base_model_only(world: World):
    """Models that name a base model are hidden unless asked for (T4)."""
    name = f"{world.owner_name}/finetune"
    publish(world, name, RESULT.format(bench=world.bench, value=99))
    card = f"---\nbase_model: {world.model}\nlicense: mit\n---\n# Finetune\n"
    world.owner.upload_file(path_or_fileobj=card.encode(), path_in_repo="README.md", repo_id=name)
    assert rows_of(world, name) == []
    (row,) = rows_of(world, name, "?base_model=false")
    assert row["rank"] == 1, row
    assert f"base_model:{world.model}" in world.anonymous.model_info(name).tags


@check
def invalid_result_file(world: World):
    """A broken result file is refused, with the place and the code, and nothing has changed."""
    name = f"{world.owner_name}/multi"
    before = world.owner.model_info(name).sha
    with raises(BadRequestError, text="value"):
        world.owner.upload_file(
            path_or_fileobj=f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: high\n".encode(),
            path_in_repo=FILE,
            repo_id=name,
        )
    assert world.owner.model_info(name).sha == before
    body = json.dumps({"key": "header", "value": {"summary": "x", "description": ""}}) + "\n"
    import base64

    content = base64.b64encode(b"- dataset: {id: a/b, task_id: c}\n  value: .nan\n").decode()
    body += json.dumps({"key": "file", "value": {"path": FILE, "content": content, "encoding": "base64"}}) + "\n"
    status, headers, answer = world.raw(
        "POST", f"/api/models/{name}/commit/main", world.owner_token, body, {"Content-Type": "application/x-ndjson"}
    )
    assert status == 400 and headers["x-error-message"], (status, headers)
    (found,) = [d for d in json.loads(answer)["diagnostics"] if d["severity"] == "error"]
    assert found["code"].startswith("AY") and found["place"]["line"] == 2, found


@check
def hostile_result_files(world: World):
    """What would break a reader is refused; what is odd is kept and does not break one."""
    name = f"{world.owner_name}/hostile"
    world.owner.create_repo(name)
    bombs = {
        "alias bomb": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n",
        "not a list": "value: 1\n",
        "no dataset": "- value: 1\n",
        "source without url": f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: 1\n  source: {{name: x}}\n",
        "infinite": f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: .inf\n",
        "text": f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: '1'\n",
        "twice": f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: 1\n  value: 2\n",
        "binary": "\x00\x01\x02",
        "deep": "[" * 5000,
    }
    for what, text in bombs.items():
        with raises(BadRequestError):
            world.stranger.upload_file(
                path_or_fileobj=text.encode(), path_in_repo=".eval_results/x.yaml", repo_id=name, create_pr=True
            )
    info = world.anonymous.model_info(name)
    assert info.id == name


@check
def unknown_benchmark_is_pending(world: World):
    """A result for a benchmark that nobody knows yet is kept, and is on the board once there is one."""
    name, late = f"{world.owner_name}/early", f"{world.owner_name}/Late-Bench"
    publish(world, name, RESULT.format(bench=late, value=12.5), ".eval_results/late_bench.yaml")
    status, _, _ = world.raw("GET", f"/api/datasets/{late}/leaderboard")
    assert status in (401, 404), status
    world.owner.create_repo(late, repo_type="dataset")
    world.owner.upload_file(
        path_or_fileobj=b"name: Late\ndescription: d\ntasks: [{id: default}]\n",
        path_in_repo="eval.yaml",
        repo_id=late,
        repo_type="dataset",
    )
    _, _, body = world.raw("GET", f"/api/datasets/{late}/leaderboard")
    assert [row["modelId"] for row in json.loads(body)] == [name], body


@check
def unquoted_yaml_date(world: World):
    """A date that YAML reads as a date is text for the client."""
    name = f"{world.owner_name}/dated"
    publish(world, name, f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: 5\n  date: 2026-02-14\n")
    _, _, body = world.raw("GET", f"/api/models/{name}?expand=evalResults")
    (item,) = json.loads(body)["evalResults"]
    assert item["data"]["date"] == "2026-02-14", item


@check
def default_date_is_the_creation_of_the_file(world: World):
    """Without a date, the entry is dated by the commit that created the file."""
    name = f"{world.owner_name}/undated"
    publish(world, name, f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: 5.5\n")
    (row,) = rows_of(world, name)
    assert row["date"].startswith("20"), row


@check
def hostile_card_keys(world: World):
    """Keys of a card that crash clients are left out, and tags cannot claim the mark of the operator."""
    name = f"{world.owner_name}/card"
    world.owner.create_repo(name)
    card = "---\nself: 1\nignore_metadata_errors: true\ntags: ['benchmark:official', nice]\nlicense: mit\n---\n# hi\n"
    world.owner.upload_file(path_or_fileobj=card.encode(), path_in_repo="README.md", repo_id=name)
    info = world.anonymous.model_info(name)
    assert "nice" in info.tags and "license:mit" in info.tags, info.tags
    assert "benchmark:official" not in info.tags, info.tags
    assert any(model.id == name for model in world.anonymous.list_models(author=world.owner_name, cardData=True))
