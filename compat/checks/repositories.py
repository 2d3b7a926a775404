"""The life of a repository."""

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError

from harness import World, check, raises


@check
def create_model(world: World):
    """A model repository, with an address of this hub."""
    url = world.owner.create_repo(world.model)
    assert str(url).endswith(world.model), url
    assert url.repo_id == world.model and url.repo_type == "model", url


@check
def create_dataset(world: World):
    """A dataset repository."""
    url = world.owner.create_repo(world.bench, repo_type="dataset", private=False)
    assert url.repo_id == world.bench and url.repo_type == "dataset", url


@check
def create_repo_short_name(world: World):
    """A bare name goes into the caller's own namespace."""
    url = world.owner.create_repo("short")
    assert url.repo_id == f"{world.owner_name}/short", url


@check
def create_repo_conflict(world: World):
    """A taken name is refused, unless that is fine; letters of another case are the same name."""
    with raises(HfHubHTTPError, text="already"):
        world.owner.create_repo(world.model)
    assert world.owner.create_repo(world.model, exist_ok=True).repo_id == world.model
    with raises(HfHubHTTPError, text="already"):
        world.owner.create_repo(world.model.upper().replace(world.owner_name.upper(), world.owner_name))


@check
def create_repo_foreign_namespace(world: World):
    """Nobody creates in another's namespace; to look one's target up first still works."""
    with raises(HfHubHTTPError, text="403"):
        world.stranger.create_repo(f"{world.owner_name}/intruder")
    assert world.stranger.create_repo(world.model, exist_ok=True).repo_id == world.model


@check
def create_repo_anonymous(world: World):
    """Nobody in particular creates nothing."""
    status, _, _ = world.raw("POST", "/api/repos/create", body={"name": "x", "organization": world.owner_name})
    assert status == 401, status


@check
def create_repo_with_a_name_that_breaks_urls(world: World):
    """Names that would leave their place are refused as bad requests."""
    for name in ("..", "a/b/c", ".git", "x.git", "a--b", "-a", "a" * 97, "é"):
        status, _, _ = world.raw(
            "POST", "/api/repos/create", world.owner_token, {"name": name, "organization": world.owner_name}
        )
        assert status in (400, 422), (name, status)


@check
def repo_exists(world: World):
    """What is there exists, what is not does not."""
    assert world.anonymous.repo_exists(world.model)
    assert world.anonymous.repo_exists(world.bench, repo_type="dataset")
    assert not world.owner.repo_exists(f"{world.owner_name}/nope")
    assert not world.anonymous.repo_exists(f"{world.owner_name}/nope")


@check
def initial_commit(world: World):
    """A new repository has a `main` with one commit."""
    info = world.anonymous.model_info(world.model)
    assert info.sha and len(info.sha) == 40, info
    assert len(world.anonymous.list_repo_commits(world.model)) == 1
    assert info.created_at and info.last_modified and info.author == world.owner_name, info


@check
def update_settings_and_move(world: World):
    """Private hides, public shows, and a moved repository is found under both names."""
    old, new = f"{world.owner_name}/to-move", f"{world.owner_name}/moved"
    world.owner.create_repo(old)
    world.owner.update_repo_settings(old, private=True)
    with raises(RepositoryNotFoundError):
        world.stranger.model_info(old)
    assert world.owner.model_info(old).private
    world.owner.update_repo_settings(old, private=False)
    assert not world.stranger.model_info(old).private

    world.owner.move_repo(from_id=old, to_id=new)

    assert world.stranger.model_info(new).id == new
    assert world.stranger.model_info(old).id == new, "the old name leads to the new one"
    with raises(HfHubHTTPError):
        world.stranger.move_repo(from_id=new, to_id=f"{world.stranger_name}/stolen")


@check
def delete_repo(world: World):
    """Deleted is gone; only those who may delete."""
    name = f"{world.owner_name}/short"
    with raises(HfHubHTTPError, text="403"):
        world.stranger.delete_repo(name)
    world.owner.delete_repo(name)
    assert not world.owner.repo_exists(name)
    with raises(RepositoryNotFoundError):
        world.owner.delete_repo(name)
    world.owner.delete_repo(name, missing_ok=True)
