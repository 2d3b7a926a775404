"""Private means invisible."""

import json

from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError

from harness import World, check, raises

from .pulls import FILE, RESULT, board


@check
def private_repo_is_invisible(world: World):
    """Not in lists, not on boards, not by git, and told apart from a missing one by nothing."""
    name = f"{world.owner_name}/secret"
    world.owner.create_repo(name, private=True)
    world.owner.upload_file(
        path_or_fileobj=RESULT.format(bench=world.bench, value=99.5).encode(), path_in_repo=FILE, repo_id=name
    )
    for api in (world.stranger, world.anonymous):
        with raises(RepositoryNotFoundError):
            api.model_info(name)
        assert name not in [model.id for model in api.list_models(search="secret")]
        with raises(RepositoryNotFoundError):
            api.hf_hub_download(name, FILE)
    assert name in [model.id for model in world.owner.list_models(search="secret")]
    assert name not in [row["modelId"] for row in board(world)]
    assert name not in [row["modelId"] for row in board(world, token=world.stranger_token)]
    assert name in [row["modelId"] for row in board(world, token=world.owner_token)]

    for path in ("/api/models/{}", "/{}/resolve/main/x", "/api/models/{}/tree/main", "/api/models/{}/discussions"):
        for token in (None, world.stranger_token):
            hidden = world.raw("GET", path.format(name), token)
            absent = world.raw("GET", path.format(f"{world.owner_name}/nope"), token)
            varying = ("x-request-id", "date", "ratelimit", "content-length")
            strip = lambda headers: {key: value for key, value in headers.items() if key not in varying}
            assert hidden[0] == absent[0] and strip(hidden[1]) == strip(absent[1]), (path, hidden, absent)
            assert hidden[2] == absent[2], (path, hidden[2], absent[2])


@check
def a_private_benchmark_has_no_public_board(world: World):
    """The board of a private benchmark is as missing as the benchmark."""
    name = f"{world.owner_name}/secret-bench"
    world.owner.create_repo(name, repo_type="dataset", private=True)
    world.owner.upload_file(
        path_or_fileobj=b"name: S\ndescription: d\ntasks: [{id: default}]\n",
        path_in_repo="eval.yaml",
        repo_id=name,
        repo_type="dataset",
    )
    status, headers, _ = world.raw("GET", f"/api/datasets/{name}/leaderboard", world.stranger_token)
    assert status == 404 and headers["x-error-code"] == "RepoNotFound", headers
    status, _, body = world.raw("GET", f"/api/datasets/{name}/leaderboard", world.owner_token)
    assert status == 200 and json.loads(body) == [], body
