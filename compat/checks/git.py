"""Plain git."""

import json

from harness import World, check

from .pulls import FILE, RESULT, rows_of


@check
def git_clone_forms(world: World):
    """All four forms of address."""
    for number, path in enumerate(
        (world.model, f"{world.model}.git", f"datasets/{world.bench}", f"datasets/{world.bench}.git")
    ):
        target = world.work / f"clone-{number}"
        world.git("clone", "-q", world.url(path), str(target))
        assert (target / "README.md").exists() or (target / "eval.yaml").exists(), path
    world.git("clone", "-q", "--depth", "1", world.url(world.model), str(world.work / "shallow"))
    assert world.git("rev-list", "--count", "HEAD", cwd=world.work / "shallow").strip() == "1"


@check
def git_push_with_token(world: World):
    """A push with the token as password, and one without."""
    clone = world.work / "push"
    name = f"{world.owner_name}/pushed"
    world.owner.create_repo(name)
    world.git("clone", "-q", world.url(name, world.owner_token), str(clone))
    (clone / ".eval_results").mkdir()
    (clone / FILE).write_text(RESULT.format(bench=world.bench, value=44.5))
    world.git("add", ".", cwd=clone)
    world.git("commit", "-qm", "Add results", cwd=clone)
    world.git("push", "-q", world.url(name), "HEAD:main", cwd=clone, ok=False)
    world.git("push", "-q", world.url(name, world.stranger_token), "HEAD:main", cwd=clone, ok=False)
    world.git("push", "-q", "origin", "HEAD:main", cwd=clone)
    (row,) = rows_of(world, name)
    assert row["value"] == 44.5, row


@check
def git_push_is_judged(world: World):
    """A broken file is refused before the branch moves, and git shows file, line, caret and code."""
    clone = world.work / "push"
    before = world.anonymous.model_info(f"{world.owner_name}/pushed").sha
    (clone / FILE).write_text(f"- dataset: {{id: {world.bench}, task_id: default}}\n  value: lots\n")
    world.git("commit", "-qam", "Break it", cwd=clone)
    output = world.git("push", "origin", "HEAD:main", cwd=clone, ok=False)
    assert "AY" in output and "demo_bench.yaml:2:" in output and "^" in output, output
    assert world.anonymous.model_info(f"{world.owner_name}/pushed").sha == before
    world.git("reset", "-q", "--hard", "HEAD~1", cwd=clone)


@check
def git_branch_rules(world: World):
    """Branches and tags by git: `main` is neither deleted nor rewritten, others may be."""
    clone = world.work / "push"
    world.git("push", "-q", "origin", "HEAD:refs/heads/topic", "HEAD:refs/tags/t1", cwd=clone)
    (clone / "x.txt").write_text("x")
    world.git("add", ".", cwd=clone)
    world.git("commit", "-q", "--amend", "-m", "rewritten", cwd=clone)
    world.git("push", "-q", "--force", "origin", "HEAD:main", cwd=clone, ok=False)
    world.git("push", "-q", "--force", "origin", "HEAD:topic", cwd=clone)
    world.git("push", "-q", "origin", ":main", cwd=clone, ok=False)
    world.git("push", "-q", "origin", ":topic", ":refs/tags/t1", cwd=clone)
    world.git("push", "-q", "origin", "HEAD:refs/convert/parquet", cwd=clone, ok=False)


@check
def git_pr_ref(world: World):
    """A pull request is fetched, added to and opened by git."""
    name = f"{world.owner_name}/pushed"
    clone = world.work / "pr"
    world.git("clone", "-q", world.url(name, world.stranger_token), str(clone))
    (clone / FILE).write_text(RESULT.format(bench=world.bench, value=45.5))
    world.git("commit", "-qam", "Better run", cwd=clone)
    output = world.git("push", "origin", "HEAD:refs/pr/new", cwd=clone)
    assert "discussions/1" in output, output
    (found,) = world.anonymous.get_repo_discussions(name)
    assert (found.title, found.author) == ("Better run", world.stranger_name), found
    world.git("fetch", "-q", "origin", "refs/pr/1:pr/1", cwd=clone)
    (clone / "notes.txt").write_text("n")
    world.git("add", ".", cwd=clone)
    world.git("commit", "-qm", "Notes", cwd=clone)
    world.git("push", "-q", "origin", "HEAD:refs/pr/1", cwd=clone)
    world.git("push", "-q", "origin", "HEAD:refs/pr/7", cwd=clone, ok=False)
    details = world.anonymous.get_discussion_details(name, 1)
    assert sum(event.type == "commit" for event in details.events) == 2, details.events
    world.owner.merge_pull_request(name, 1)
    (row,) = rows_of(world, name)
    assert row["value"] == 45.5 and row.get("pullRequest") is None, row


@check
def git_private_clone(world: World):
    """A private repository is cloned by its owner and is missing for others."""
    name = f"{world.owner_name}/secret"
    world.git("clone", "-q", world.url(name, world.owner_token), str(world.work / "secret"))
    output = world.git("clone", "-q", world.url(name, world.stranger_token), str(world.work / "no"), ok=False)
    assert "not found" in output.lower() or "404" in output, output
    world.git("clone", "-q", world.url(name), str(world.work / "no"), ok=False)


@check
def git_moved_repository(world: World):
    """The old name of a repository still clones."""
    target = world.work / "moved"
    world.git("clone", "-q", world.url(f"{world.owner_name}/to-move"), str(target))
    assert (target / ".git").exists()
