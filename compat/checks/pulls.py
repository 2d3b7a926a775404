"""Pull requests and discussions, and what they do to boards."""

import json

from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError

from harness import Skip, World, check, raises

from .benchmarks import leaderboard

RESULT = """- dataset:
    id: {bench}
    task_id: default
  value: {value}
  verifyToken: eyJ...
  date: '2026-02-14'
  source:
    url: https://example.org/log
    name: Eval Logs
  notes: no-tools
"""
FILE = ".eval_results/demo_bench.yaml"


def board(world: World, query: str = "", token: str | None = None) -> list:
    """The board as it goes over the wire."""
    status, _, body = world.raw("GET", f"/api/datasets/{world.bench}/leaderboard{query}", token)
    assert status == 200, (status, body)
    return json.loads(body)


def rows_of(world: World, model: str, query: str = "") -> list:
    """The rows of one model."""
    return [row for row in board(world, query) if row["modelId"] == model]


@check
def pr_open_live_format(world: World):
    """A stranger opens a pull request with a result in the live dialect."""
    done = world.stranger.upload_file(
        path_or_fileobj=RESULT.format(bench=world.bench, value=61.5).encode(),
        path_in_repo=FILE,
        repo_id=world.model,
        create_pr=True,
        commit_message="Add Demo results",
    )
    assert done.pr_num == 1 and done.pr_url.endswith(f"{world.model}/discussions/1"), done


@check
def pr_on_missing_repo(world: World):
    """There is no pull request on what is not there."""
    with raises(RepositoryNotFoundError):
        world.stranger.upload_file(
            path_or_fileobj=b"x", path_in_repo="x", repo_id=f"{world.owner_name}/nope", create_pr=True
        )


@check
def discussion_list(world: World):
    """The pull request is listed."""
    found = list(world.anonymous.get_repo_discussions(world.model))
    assert [(d.num, d.title, d.status, d.is_pull_request, d.author) for d in found] == [
        (1, "Add Demo results", "open", True, world.stranger_name)
    ], found


@check
def discussion_filters(world: World):
    """By type, status and author."""

    def numbers(**filters):
        try:
            return [d.num for d in world.anonymous.get_repo_discussions(world.model, **filters)]
        except TypeError as error:
            raise Skip(str(error)) from error

    assert numbers(discussion_type="pull_request", discussion_status="open", author=world.stranger_name) == [1]
    assert numbers(discussion_type="discussion") == []
    assert numbers(discussion_status="closed") == []
    assert numbers(author=world.owner_name) == []


@check
def discussion_details_and_diff(world: World):
    """Details have the events, the base and the diff."""
    details = world.anonymous.get_discussion_details(world.model, 1)
    assert details.target_branch == "refs/heads/main", details
    assert details.diff and "+++ b/.eval_results/demo_bench.yaml" in details.diff, details.diff
    assert any(event.type == "commit" for event in details.events), details.events
    assert not details.conflicting_files, details


@check
def pr_ref_is_readable(world: World):
    """The files of a pull request are read through its ref."""
    assert FILE in world.anonymous.list_repo_files(world.model, revision="refs/pr/1")
    assert FILE not in world.anonymous.list_repo_files(world.model)
    path = world.anonymous.hf_hub_download(world.model, FILE, revision="refs/pr/1")
    assert "61.5" in open(path).read()


@check
def leaderboard_shows_open_pr(world: World):
    """While the pull request is open, its result is on the board, as community."""
    (row,) = leaderboard(world.anonymous, world.bench)
    assert (row.rank, row.model_id, row.value, row.pull_request) == (1, world.model, 61.5, 1), row
    assert row.verified is False and row.filename == FILE and row.notes == "no-tools", row
    assert world.owner_name in (getattr(row.author, "username", None), getattr(row.author, "name", None)), row
    source = row.source if isinstance(row.source, dict) else vars(row.source)
    assert source["url"] == "https://example.org/log" and source["isExternal"] is True, row


@check
def leaderboard_raw_keys(world: World):
    """The keys that clients pop are there, and ours beside them (T3, T5)."""
    (row,) = board(world)
    for key in ("rank", "modelId", "value", "filename", "verified", "author", "source", "pullRequest"):
        assert key in row, (key, row)
    assert row["author"]["type"] == "user", row
    assert row["taskId"] == "default" and row["metricId"] == "accuracy", row
    assert row["verified"] is False, row


@check
def leaderboard_parameters(world: World):
    """Task and metric can be chosen, unknown ones are told (T4, T5)."""
    assert rows_of(world, world.model, "?task_id=default&metric_id=accuracy&policy=best")
    assert board(world, "?task_id=hard") == []
    assert board(world, "?verified=true") == []
    assert len(board(world, "?base_model=false")) == len(board(world, "?base_model_only=false")) == 1
    for query in ("?task_id=nope", "?metric_id=nope"):
        status, _, _ = world.raw("GET", f"/api/datasets/{world.bench}/leaderboard{query}")
        assert status == 404, (query, status)
    for query in ("?policy=nope", "?limit=minus", "?as_of=never"):
        status, _, _ = world.raw("GET", f"/api/datasets/{world.bench}/leaderboard{query}")
        assert status == 400, (query, status)


@check
def leaderboard_downloads(world: World):
    """The board as CSV, JSON, lines, Parquet and Markdown."""
    kinds = {".csv": b"rank,", ".json": b"[", ".ndjson": b"{", ".parquet": b"PAR1", ".md": b"|", ".tex": b"%"}
    for suffix, start in kinds.items():
        status, headers, body = world.raw("GET", f"/api/datasets/{world.bench}/leaderboard{suffix}")
        assert status == 200 and body.startswith(start), (suffix, status, body[:80])
        assert world.model.encode() in body, (suffix, body[:200])


@check
def eval_results_raw_shape(world: World):
    """The payload that every client version reads (T2)."""
    status, _, body = world.raw("GET", f"/api/models/{world.model}?expand=evalResults")
    assert status == 200, status
    (item,) = json.loads(body)["evalResults"]
    assert item["filename"] == FILE and item["verified"] is False and item["pullRequest"] == 1, item
    data = item["data"]
    assert data["dataset"] == {"id": world.bench, "task_id": "default"}, data
    assert data["value"] == 61.5 and data["verifyToken"] == "eyJ..." and data["date"] == "2026-02-14", data


@check
def eval_results_open_pr(world: World):
    """The client reads the results of a model."""
    try:
        info = world.anonymous.model_info(world.model, expand=["evalResults"])
    except (ValueError, HfHubHTTPError) as error:
        raise Skip(str(error)) from error
    if not hasattr(info, "eval_results"):
        raise Skip("this client has no `eval_results`")
    (entry,) = info.eval_results
    assert (entry.dataset_id, entry.task_id, entry.value) == (world.bench, "default", 61.5), entry
    assert entry.verify_token == "eyJ...", entry


@check
def discussion_comment_edit_rename(world: World):
    """Comment, edit, hide, rename."""
    comment = world.owner.comment_discussion(world.model, 1, comment="Thanks")
    assert comment.content == "Thanks" and comment.author == world.owner_name, comment
    edited = world.owner.edit_discussion_comment(world.model, 1, comment.id, new_content="Thank you")
    assert edited.content == "Thank you" and edited.edited, edited
    with raises(HfHubHTTPError, text="403"):
        world.stranger.edit_discussion_comment(world.model, 1, comment.id, new_content="mine now")
    hidden = world.owner.hide_discussion_comment(world.model, 1, comment.id)
    assert hidden.hidden, hidden
    title = world.owner.rename_discussion(world.model, 1, new_title="Add Demo Bench results")
    assert (title.old_title, title.new_title) == ("Add Demo results", "Add Demo Bench results"), title


@check
def close_hides_reopen_shows(world: World):
    """A closed pull request leaves the board, a reopened one returns."""
    world.owner.change_discussion_status(world.model, 1, "closed")
    assert rows_of(world, world.model) == []
    assert [d.num for d in world.anonymous.get_repo_discussions(world.model)] == [1]
    world.owner.change_discussion_status(world.model, 1, "open")
    assert len(rows_of(world, world.model)) == 1


@check
def merge_needs_write_access(world: World):
    """The author of a pull request does not merge it."""
    with raises(HfHubHTTPError, text="403"):
        world.stranger.merge_pull_request(world.model, 1)


@check
def merge_by_owner(world: World):
    """The owner merges: one commit more, named after the pull request."""
    world.owner.merge_pull_request(world.model, 1)
    details = world.anonymous.get_discussion_details(world.model, 1)
    head = world.anonymous.model_info(world.model).sha
    assert details.status == "merged" and details.merge_commit_oid == head, (details, head)
    assert world.anonymous.list_repo_commits(world.model)[0].title == "Add Demo Bench results (#1)"
    with raises(HfHubHTTPError):
        world.owner.merge_pull_request(world.model, 1)


@check
def leaderboard_after_merge(world: World):
    """What was community is now the model's own."""
    (row,) = rows_of(world, world.model)
    assert row.get("pullRequest") is None and row["value"] == 61.5, row


@check
def plain_discussion(world: World):
    """A discussion without changes."""
    opened = world.stranger.create_discussion(world.model, title="How was this run?", description="Which prompt?")
    assert opened.num == 2 and not opened.is_pull_request and opened.status == "open", opened
    details = world.anonymous.get_discussion_details(world.model, 2)
    assert details.events[0].content == "Which prompt?", details.events


@check
def upload_folder_create_pr(world: World):
    """A folder becomes a pull request whose results reach the board, although the client leaves it a draft."""
    folder = world.work / "folder"
    (folder / ".eval_results").mkdir(parents=True)
    (folder / ".eval_results" / "demo_bench.yaml").write_text(RESULT.format(bench=world.bench, value=70.25))
    world.owner.create_repo(f"{world.owner_name}/folder-model")
    world.stranger.upload_folder(
        repo_id=f"{world.owner_name}/folder-model", folder_path=folder, create_pr=True, commit_message="Folder PR"
    )
    (row,) = rows_of(world, f"{world.owner_name}/folder-model")
    assert row["value"] == 70.25 and row["pullRequest"] == 1, row
    world.owner.merge_pull_request(f"{world.owner_name}/folder-model", 1)
    (row,) = rows_of(world, f"{world.owner_name}/folder-model")
    assert row.get("pullRequest") is None, row


@check
def merge_conflict_is_reported(world: World):
    """Two changes of one line cannot both be merged, and the answer says which file."""
    name = f"{world.owner_name}/conflict"
    world.owner.create_repo(name)
    world.owner.upload_file(path_or_fileobj=b"one\n", path_in_repo="a.txt", repo_id=name)
    world.stranger.upload_file(path_or_fileobj=b"two\n", path_in_repo="a.txt", repo_id=name, create_pr=True)
    world.owner.upload_file(path_or_fileobj=b"three\n", path_in_repo="a.txt", repo_id=name)
    details = world.owner.get_discussion_details(name, 1)
    assert details.conflicting_files in (["a.txt"], True), details.conflicting_files
    with raises(HfHubHTTPError, text="conflict"):
        world.owner.merge_pull_request(name, 1)
    assert world.owner.get_discussion_details(name, 1).status == "open"


@check
def commit_to_a_pull_request(world: World):
    """Its author adds to a pull request, others may not."""
    name = f"{world.owner_name}/conflict"
    add = [CommitOperationAdd("b.txt", b"more\n")]
    world.stranger.create_commit(name, add, commit_message="more", revision="refs/pr/1")
    details = world.owner.get_discussion_details(name, 1)
    assert sum(event.type == "commit" for event in details.events) == 2, details.events
