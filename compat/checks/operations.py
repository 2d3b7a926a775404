"""Calls of the client beside files and pull requests: storage, members, overviews, drafts, formatted commits."""

import hashlib

from huggingface_hub.errors import HfHubHTTPError

from harness import World, check, needs, raises


def repo(world: World) -> str:
    return f"{world.owner_name}/operations"


@check
def list_and_delete_lfs_files(world: World):
    """Large files are listed with a name; one that a commit names cannot be deleted, and the message says why."""
    needs(world.owner, "list_lfs_files")
    name = repo(world)
    world.owner.create_repo(name)
    world.owner.upload_file(
        path_or_fileobj=b"*.bin filter=lfs\n", path_in_repo=".gitattributes", repo_id=name
    )
    world.owner.upload_file(path_or_fileobj=b"large by name", path_in_repo="w.bin", repo_id=name)
    (file,) = world.owner.list_lfs_files(name)
    assert file.filename == "w.bin" and file.size == 13, file
    assert file.file_oid == hashlib.sha256(b"large by name").hexdigest(), file
    with raises(HfHubHTTPError, text="purge"):
        world.owner.permanently_delete_lfs_files(name, [file])


@check
def duplicated_repository(world: World):
    """A copy has the history, the branches and the large files, and belongs to who made it."""
    needs(world.stranger, "duplicate_repo")
    name, copy = repo(world), f"{world.stranger_name}/operations-copy"
    made = world.stranger.duplicate_repo(name, to_id=copy)
    assert made.repo_id == copy, made
    assert getattr(made, "files_copy_pending", False) is False
    commits = [commit.commit_id for commit in world.stranger.list_repo_commits(copy)]
    assert commits == [commit.commit_id for commit in world.owner.list_repo_commits(name)], commits
    file = world.stranger.hf_hub_download(copy, "w.bin", local_dir=world.work / "copy")
    assert open(file, "rb").read() == b"large by name"
    with raises(HfHubHTTPError, text="409"):
        world.stranger.duplicate_repo(name, to_id=copy)
    again = world.stranger.duplicate_repo(name, to_id=copy, exist_ok=True)
    assert again.repo_id == copy, again


@check
def draft_pull_request(world: World):
    """A draft, a commit to it, and the status that it has by then; closed twice is closed."""
    name = repo(world)
    pull = world.stranger.create_pull_request(name, title="A draft")
    world.stranger.upload_file(
        path_or_fileobj=b"note", path_in_repo="note.txt", repo_id=name, revision=f"refs/pr/{pull.num}"
    )
    world.stranger.change_discussion_status(name, pull.num, "open")
    world.stranger.change_discussion_status(name, pull.num, "closed")
    event = world.stranger.change_discussion_status(name, pull.num, "closed")
    assert event.new_status == "closed", event


@check
def formatted_commits(world: World):
    """Titles as HTML, on request."""
    commits = world.anonymous.list_repo_commits(repo(world), formatted=True)
    assert all(commit.formatted_title for commit in commits), commits


@check
def squashed_history(world: World):
    """A branch becomes one commit with its files; the history of `main` stays, and the message says what to do."""
    name = repo(world)
    world.owner.create_branch(name, branch="squashed")
    before = len(world.owner.list_repo_commits(name, revision="main"))
    files = world.owner.list_repo_files(name, revision="squashed")
    world.owner.super_squash_history(name, branch="squashed", commit_message="All of it")
    (commit,) = world.owner.list_repo_commits(name, revision="squashed")
    assert commit.title == "All of it", commit
    assert world.owner.list_repo_files(name, revision="squashed") == files
    with raises(HfHubHTTPError, text="the history of `main` is kept"):
        world.owner.super_squash_history(name)
    assert len(world.owner.list_repo_commits(name, revision="main")) == before


@check
def user_overview_counts(world: World):
    """An overview says how many models and datasets there are."""
    needs(world.anonymous, "get_user_overview")
    overview = world.anonymous.get_user_overview(world.owner_name)
    assert overview.num_models >= 1 and overview.num_datasets >= 1, overview


@check
def organisation_members(world: World):
    """Members see members, and nobody else does."""
    needs(world.owner, "list_organization_members")
    world.operate("admin", "org", "create", "compat-lab")
    world.operate("admin", "org", "member", "compat-lab", world.owner_name, "--role", "admin")
    members = list(world.owner.list_organization_members("compat-lab"))
    assert [member.username for member in members] == [world.owner_name], members
    with raises(HfHubHTTPError):
        list(world.stranger.list_organization_members("compat-lab"))


@check
def user_repositories(world: World):
    """The caller's own repositories, with the space that they take."""
    needs(world.owner, "list_user_repos")
    repositories = {own.id: own for own in world.owner.list_user_repos()}
    assert repositories[repo(world)].storage > 0, repositories


@check
def benchmark_tag(world: World):
    """A benchmark has the tag, in its info and in lists."""
    assert "benchmark" in world.anonymous.dataset_info(world.bench).tags
    assert "benchmark" not in world.anonymous.model_info(world.model).tags


@check
def what_is_not_here(world: World):
    """Spaces and collections are refused with 404, to everybody alike."""
    for path in ("/api/spaces", "/api/collections", "/api/kernels", "/api/daily_papers"):
        for token in (None, world.owner_token):
            status, _, _ = world.raw("GET", path, token)
            assert status == 404, (path, status)


@check
def renamed_repository_takes_uploads(world: World):
    """An upload to the old name goes to the new one, and loses no connection on the way."""
    name = f"{world.owner_name}/was-called"
    world.owner.create_repo(name)
    world.owner.move_repo(name, f"{world.owner_name}/is-called")
    for number in range(20):
        world.owner.upload_file(
            path_or_fileobj=f"{number}".encode(), path_in_repo=f"{number}.txt", repo_id=name
        )
    files = world.owner.list_repo_files(f"{world.owner_name}/is-called")
    assert {f"{number}.txt" for number in range(20)} <= set(files), files
