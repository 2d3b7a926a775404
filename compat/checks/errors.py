"""The right exception for each thing that is missing."""

from huggingface_hub.errors import (
    EntryNotFoundError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from harness import World, check, raises


@check
def repository_not_found(world: World):
    """A missing repository, asked for by somebody and by nobody."""
    for api in (world.owner, world.anonymous):
        with raises(RepositoryNotFoundError):
            api.model_info(f"{world.owner_name}/nope")
        with raises(RepositoryNotFoundError):
            api.hf_hub_download(f"{world.owner_name}/nope", "x")
    with raises(RepositoryNotFoundError):
        world.owner.model_info("gpt2")


@check
def entry_not_found(world: World):
    """A missing file, with the commit that was looked in."""
    with raises(EntryNotFoundError):
        world.anonymous.hf_hub_download(world.model, "nope.txt")
    status, headers, _ = world.raw("HEAD", f"/{world.model}/resolve/main/nope.txt")
    assert status == 404 and headers["x-error-code"] == "EntryNotFound" and len(headers["x-repo-commit"]) == 40, headers


@check
def revision_not_found(world: World):
    """A missing branch, tag, hash or pull request."""
    for revision in ("nope", "0" * 40, "refs/pr/999"):
        with raises(RevisionNotFoundError):
            world.anonymous.model_info(world.model, revision=revision)


@check
def error_message_reaches_user(world: World):
    """The hub's own words are in the exception, with the request id."""
    try:
        world.stranger.upload_file(path_or_fileobj=b"x", path_in_repo="x.txt", repo_id=world.model)
    except HfHubHTTPError as error:
        assert "write" in str(error).lower() or "permission" in str(error).lower(), error
        assert error.request_id, error
    else:
        raise AssertionError("a stranger wrote")


@check
def unknown_paths_are_json(world: World):
    """An unknown path is 404 in JSON, never a page and never our fault."""
    import json

    for path in ("/api/nothing", "/api/models/a/b/c/d/e", "/api/spaces/a/b", "/api/collections", "/api/jobs/x"):
        status, headers, body = world.raw("GET", path, world.owner_token)
        assert status == 404 and "error" in json.loads(body), (path, status, body)
