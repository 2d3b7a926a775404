"""Files: upload, list, download."""

from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationCopy,
    CommitOperationDelete,
    HfApi,
    HfFileSystem,
)
from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RepositoryNotFoundError

from harness import Skip, World, check, raises


@check
def upload_readme_validates_yaml(world: World):
    """A README is checked first; a broken front matter never becomes a commit."""
    world.owner.upload_file(
        path_or_fileobj=b"---\nlicense: mit\n---\n# hi\n", path_in_repo="README.md", repo_id=world.model
    )
    assert world.anonymous.model_info(world.model).card_data["license"] == "mit"
    with raises(ValueError, text="invalid metadata"):
        world.owner.upload_file(
            path_or_fileobj=b"---\nlicense: [mit\n---\n# hi\n", path_in_repo="README.md", repo_id=world.model
        )


@check
def commit_add_delete_copy(world: World):
    """One commit that adds, deletes a file and a folder, and copies."""
    name = f"{world.owner_name}/files"
    world.owner.create_repo(name)
    add = [CommitOperationAdd(path, path.encode()) for path in ("a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "e/f/g.txt")]
    world.owner.create_commit(name, add, commit_message="add")
    world.owner.create_commit(
        name,
        [
            CommitOperationCopy("a.txt", "copy/a.txt"),
            CommitOperationDelete("b.txt"),
            CommitOperationDelete("dir/", is_folder=True),
        ],
        commit_message="change",
        commit_description="with a body",
    )
    assert world.owner.list_repo_files(name) == [".gitattributes", "a.txt", "copy/a.txt", "e/f/g.txt"] or sorted(
        file for file in world.owner.list_repo_files(name) if file != ".gitattributes"
    ) == ["a.txt", "copy/a.txt", "e/f/g.txt"]
    commit = world.owner.list_repo_commits(name)[0]
    assert (commit.title, commit.message) == ("change", "with a body"), commit
    assert commit.authors == [world.owner_name], commit


@check
def delete_missing_file(world: World):
    """What is not there cannot be deleted."""
    with raises(EntryNotFoundError):
        world.owner.delete_file("nope.txt", repo_id=f"{world.owner_name}/files")


@check
def no_op_commit_is_skipped(world: World):
    """Uploading what is there already makes no commit."""
    name = f"{world.owner_name}/files"
    before = world.owner.model_info(name).sha
    world.owner.upload_file(path_or_fileobj=b"a.txt", path_in_repo="a.txt", repo_id=name)
    assert world.owner.model_info(name).sha == before


@check
def gitignore_in_commit(world: World):
    """Files that `.gitignore` names are left out."""
    name = f"{world.owner_name}/ignoring"
    world.owner.create_repo(name)
    add = [CommitOperationAdd(".gitignore", b"*.log\n"), CommitOperationAdd("a.txt", b"a"), CommitOperationAdd("z.log", b"z")]
    world.owner.create_commit(name, add, commit_message="add")
    files = world.owner.list_repo_files(name)
    assert "a.txt" in files and "z.log" not in files, files


@check
def parent_commit_conflict(world: World):
    """A commit on an old head is refused."""
    name = f"{world.owner_name}/files"
    commits = world.owner.list_repo_commits(name)
    add = [CommitOperationAdd("late.txt", b"late")]
    with raises(HfHubHTTPError, text="412"):
        world.owner.create_commit(name, add, commit_message="late", parent_commit=commits[-1].commit_id)
    done = world.owner.create_commit(name, add, commit_message="in time", parent_commit=commits[0].commit_id[:10])
    assert done.oid == world.owner.model_info(name).sha


@check
def write_needs_access(world: World):
    """A stranger does not write to a branch, nobody in particular writes nothing."""
    with raises(HfHubHTTPError, text="403"):
        world.stranger.upload_file(path_or_fileobj=b"x", path_in_repo="x.txt", repo_id=world.model)
    with raises(HfHubHTTPError, text="401"):
        world.anonymous.upload_file(path_or_fileobj=b"x", path_in_repo="x.txt", repo_id=world.model)


@check
def unsafe_paths_are_refused(world: World):
    """Paths that would leave a checkout are never committed."""
    import base64
    import json

    for path in ("../x", "a/../../x", "/etc/x", ".git/config", "a/.GIT/hooks/x", "a\\..\\x", "a\nb"):
        lines = [
            {"key": "header", "value": {"summary": "x", "description": ""}},
            {"key": "file", "value": {"path": path, "content": base64.b64encode(b"x").decode(), "encoding": "base64"}},
        ]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        status, _, _ = world.raw(
            "POST", f"/api/models/{world.model}/commit/main", world.owner_token, body, {"Content-Type": "application/x-ndjson"}
        )
        assert status == 422, (path, status)


@check
def list_repo_tree(world: World):
    """Folders and files, at any depth, with the last commit when asked."""
    name = f"{world.owner_name}/files"
    top = {item.path: item for item in world.owner.list_repo_tree(name)}
    assert "e" in top and "a.txt" in top and "e/f/g.txt" not in top, top
    deep = {item.path for item in world.owner.list_repo_tree(name, recursive=True)}
    assert {"e", "e/f", "e/f/g.txt"} <= deep, deep
    (only,) = world.owner.list_repo_tree(name, path_in_repo="e/f", expand=True)
    assert only.path == "e/f/g.txt" and only.size == 9 and only.last_commit.title == "add", only
    with raises(EntryNotFoundError):
        list(world.owner.list_repo_tree(name, path_in_repo="no/such"))


@check
def paths_info(world: World):
    """Some paths at once; unknown ones are left out."""
    found = world.anonymous.get_paths_info(f"{world.owner_name}/files", ["a.txt", "e", "nope"])
    assert [item.path for item in found] == ["a.txt", "e"], found
    import json

    status, _, body = world.raw(
        "POST", f"/api/models/{world.owner_name}/files/paths-info/main", body={"paths": ["a.txt"], "expand": False}
    )
    assert status == 200 and json.loads(body)[0]["path"] == "a.txt", body


@check
def files_metadata(world: World):
    """`files_metadata` gives sizes and blobs."""
    info = world.anonymous.model_info(f"{world.owner_name}/files", files_metadata=True)
    file = next(item for item in info.siblings if item.rfilename == "a.txt")
    assert file.size == 5 and len(file.blob_id) == 40, file


@check
def hf_hub_download(world: World):
    """Download, from the hub and then from the cache; a file in a folder too."""
    name = f"{world.owner_name}/files"
    first = world.anonymous.hf_hub_download(name, "e/f/g.txt")
    assert open(first).read() == "e/f/g.txt"
    assert world.anonymous.hf_hub_download(name, "e/f/g.txt") == first
    sha = world.anonymous.model_info(name).sha
    assert world.anonymous.hf_hub_download(name, "a.txt", revision=sha)
    assert world.anonymous.file_exists(name, "a.txt") and not world.anonymous.file_exists(name, "b.txt")


@check
def head_resolve_headers(world: World):
    """The headers that downloads stand on."""
    status, headers, body = world.raw("HEAD", f"/{world.owner_name}/files/resolve/main/a.txt")
    assert status == 200 and body == b"", status
    assert headers["content-length"] == "5" and len(headers["x-repo-commit"]) == 40, headers
    assert headers["etag"].startswith('"') and headers["accept-ranges"] == "bytes", headers
    assert "x-xet-hash" not in headers and headers["x-content-type-options"] == "nosniff", headers


@check
def range_request(world: World):
    """A part of a file, and a part that is not there."""
    path = f"/{world.owner_name}/files/resolve/main/e/f/g.txt"
    status, headers, body = world.raw("GET", path, headers={"Range": "bytes=2-4"})
    assert (status, body, headers["content-range"]) == (206, b"f/g", "bytes 2-4/9"), (status, body, headers)
    status, headers, body = world.raw("GET", path, headers={"Range": "bytes=-3"})
    assert (status, body) == (206, b"txt"), (status, body)
    status, headers, _ = world.raw("GET", path, headers={"Range": "bytes=99-"})
    assert (status, headers["content-range"]) == (416, "bytes */9"), (status, headers)


@check
def hf_file_system(world: World):
    """fsspec reads and lists."""
    system = HfFileSystem(endpoint=world.endpoint, token=world.owner_token)
    name = f"{world.owner_name}/files"
    assert system.read_text(f"{name}/a.txt") == "a.txt"
    assert f"{name}/e" in [item["name"] for item in system.ls(name)]


@check
def snapshot_download(world: World):
    """A whole repository, at a commit."""
    from pathlib import Path

    path = Path(world.anonymous.snapshot_download(world.bench, repo_type="dataset"))
    assert (path / "eval.yaml").read_text().startswith("name: Demo"), path


@check
def branches_and_tags(world: World):
    """Branches and tags come and go; `main` stays."""
    name = f"{world.owner_name}/files"
    world.owner.create_branch(name, branch="dev/x")
    world.owner.create_tag(name, tag="v1", revision="dev/x")
    world.owner.create_tag(name, tag="v2", tag_message="second")
    refs = world.anonymous.list_repo_refs(name, include_pull_requests=True)
    assert {ref.name for ref in refs.branches} == {"main", "dev/x"}, refs
    assert {ref.name for ref in refs.tags} == {"v1", "v2"}, refs
    assert len({ref.target_commit for ref in (*refs.tags, *refs.branches)}) == 1, refs
    with raises(HfHubHTTPError, text="409"):
        world.owner.create_branch(name, branch="dev/x")
    world.owner.create_branch(name, branch="dev/x", exist_ok=True)
    world.owner.upload_file(path_or_fileobj=b"on a branch", path_in_repo="branch.txt", repo_id=name, revision="dev/x")
    assert not world.owner.file_exists(name, "branch.txt")
    assert world.owner.file_exists(name, "branch.txt", revision="dev/x")
    world.owner.delete_tag(name, tag="v1")
    world.owner.delete_branch(name, branch="dev/x")
    with raises(HfHubHTTPError, text="403"):
        world.owner.delete_branch(name, branch="main")
