"""The `hf` command."""

from harness import Skip, World, check

from .pulls import FILE, RESULT


@check
def cli_whoami(world: World):
    """`hf auth whoami`."""
    assert world.owner_name in world.hf("auth", "whoami")


@check
def cli_leaderboard(world: World):
    """`hf datasets leaderboard` and `hf datasets ls`."""
    if "leaderboard" not in world.hf("datasets", "--help", ok=False):
        raise Skip("this client has no `hf datasets leaderboard`")
    assert world.model in world.hf("datasets", "leaderboard", world.bench)
    listed = world.hf("datasets", "ls", "--filter", "benchmark:official", "--format", "json")
    assert world.bench in listed, listed


@check
def cli_upload_pr_and_discussions(world: World):
    """`hf upload --create-pr` of a result."""
    path = world.work / "cli.yaml"
    path.write_text(RESULT.format(bench=world.bench, value=33.25))
    world.owner.create_repo(f"{world.owner_name}/cli-model")
    world.hf(
        "upload", f"{world.owner_name}/cli-model", str(path), FILE, "--create-pr", token=world.stranger_token
    )
    (found,) = world.anonymous.get_repo_discussions(f"{world.owner_name}/cli-model")
    assert found.is_pull_request and found.author == world.stranger_name, found


@check
def cli_download_and_errors(world: World):
    """`hf download`, and a plain word when it is not there."""
    target = world.work / "cli-download"
    world.hf("download", world.bench, "eval.yaml", "--repo-type", "dataset", "--local-dir", str(target))
    assert (target / "eval.yaml").read_text().startswith("name: Demo")
    assert "not found" in world.hf("download", f"{world.owner_name}/nope", "x", ok=False).lower()
