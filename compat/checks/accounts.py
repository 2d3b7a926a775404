"""Who the caller is."""

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError

from harness import World, check, needs, raises


@check
def whoami_owner(world: World):
    """The owner is told apart, with a role the client understands."""
    who = world.owner.whoami()
    assert who["name"] == world.owner_name and who["type"] == "user", who
    assert isinstance(who["orgs"], list), who
    assert who["auth"]["accessToken"]["role"] in ("write", "fineGrained"), who


@check
def whoami_stranger(world: World):
    """The stranger is somebody else."""
    assert world.stranger.whoami()["name"] == world.stranger_name != world.owner_name


@check
def whoami_bad_token(world: World):
    """An unknown token is refused."""
    # Old clients raise the error of the HTTP library, which is an OSError like their own.
    with raises(HfHubHTTPError, OSError, text="invalid"):
        HfApi(endpoint=world.endpoint, token="hf_" + "x" * 34).whoami()


@check
def bad_credentials_are_never_anonymous(world: World):
    """A bad token does not fall back to nobody, not even for what everyone may read."""
    status, headers, _ = world.raw("GET", "/api/models", token="hf_" + "y" * 34)
    assert status == 401, status
    assert headers["x-error-message"] == "Invalid credentials in Authorization header", headers


@check
def every_answer_has_a_request_id(world: World):
    """Success and failure carry a request id."""
    for path in ("/api/models", "/api/models/nobody/nothing", "/api/no-such-thing"):
        _, headers, _ = world.raw("GET", path)
        assert headers.get("x-request-id"), path


@check
def auth_check(world: World):
    """`auth_check` lets the owner write and keeps the stranger out."""
    needs(HfApi, "auth_check")
    world.owner.create_repo(f"{world.owner_name}/auth", exist_ok=True)
    world.owner.auth_check(f"{world.owner_name}/auth")
    try:
        world.owner.auth_check(f"{world.owner_name}/auth", write=True)
    except TypeError:
        status, _, _ = world.raw("GET", f"/api/models/{world.owner_name}/auth/auth-check/write", world.owner_token)
        assert status == 200, status
    status, _, _ = world.raw("GET", f"/api/models/{world.owner_name}/auth/auth-check/write", world.stranger_token)
    assert status == 403, status
