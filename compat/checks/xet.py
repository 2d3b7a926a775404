"""Large files as the newest clients send them: by Xet, without asking, and the same file by git-lfs."""

import hashlib
import io
import os
import shutil

from harness import Skip, World, check, raises

SIZE = 5 << 20


def content(seed: str, size: int = SIZE) -> bytes:
    """Bytes that do not compress, the same each time."""
    blocks = (hashlib.sha256(f"{seed}{number}".encode()).digest() for number in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def repo(world: World) -> str:
    return f"{world.owner_name}/by-xet"


@check
def xet_bytes_path_and_fileobj(world: World):
    """What `.gitattributes` calls large goes beside git, from memory, from a path and from an open file."""
    name = repo(world)
    world.owner.create_repo(name)
    world.owner.upload_file(
        path_or_fileobj=b"*.bin filter=lfs diff=lfs merge=lfs -text\n", path_in_repo=".gitattributes", repo_id=name
    )
    path = world.work / "xet.bin"
    path.write_bytes(content("path"))
    world.owner.upload_file(path_or_fileobj=content("bytes"), path_in_repo="bytes.bin", repo_id=name)
    world.owner.upload_file(path_or_fileobj=str(path), path_in_repo="path.bin", repo_id=name)
    world.owner.upload_file(path_or_fileobj=io.BytesIO(content("object")), path_in_repo="object.bin", repo_id=name)
    for kind in ("bytes", "path", "object"):
        (info,) = world.anonymous.get_paths_info(name, [f"{kind}.bin"])
        assert info.lfs and info.lfs.sha256 == hashlib.sha256(content(kind)).hexdigest(), info
        local = world.anonymous.hf_hub_download(name, f"{kind}.bin")
        assert open(local, "rb").read() == content(kind), kind


@check
def xet_changed_file(world: World):
    """A new version of a file, and the same file under another name."""
    name = repo(world)
    before = content("bytes")
    changed = before[: SIZE // 2] + b"a few more bytes" + before[SIZE // 2 :]
    world.owner.upload_file(path_or_fileobj=changed, path_in_repo="bytes.bin", repo_id=name)
    world.owner.upload_file(path_or_fileobj=changed, path_in_repo="copy.bin", repo_id=name)
    for file in ("bytes.bin", "copy.bin"):
        assert open(world.anonymous.hf_hub_download(name, file), "rb").read() == changed, file


@check
def xet_beyond_the_limit_of_git(world: World):
    """A file above 100 MiB, as anybody's first one is."""
    name = repo(world)
    path = world.work / "huge.dat"
    path.write_bytes(content("huge", 1 << 20) * 101)
    world.owner.upload_file(path_or_fileobj=str(path), path_in_repo="huge.dat", repo_id=name)
    local = world.anonymous.hf_hub_download(name, "huge.dat")
    assert os.path.getsize(local) == path.stat().st_size
    path.unlink()
    os.unlink(os.path.realpath(local))


@check
def xet_by_command(world: World):
    """`hf upload` of a folder."""
    name = repo(world)
    folder = world.work / "xet-folder"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.bin").write_bytes(content(f"folder{number}", 1 << 20))
    world.hf("upload", name, str(folder), "folder")
    for number in range(3):
        local = world.anonymous.hf_hub_download(name, f"folder/{number}.bin")
        assert open(local, "rb").read() == content(f"folder{number}", 1 << 20)


@check
def xet_by_strangers(world: World):
    """Who may not write sends large files for a pull request, and for nothing else."""
    from huggingface_hub.errors import HfHubHTTPError

    name = repo(world)
    commit = world.stranger.upload_file(
        path_or_fileobj=content("stranger"), path_in_repo="offer.bin", repo_id=name, create_pr=True
    )
    local = world.anonymous.hf_hub_download(name, "offer.bin", revision=commit.pr_revision)
    assert open(local, "rb").read() == content("stranger")
    world.stranger.upload_file(
        path_or_fileobj=content("more"), path_in_repo="more.bin", repo_id=name, revision=commit.pr_revision
    )
    with raises(HfHubHTTPError):
        world.stranger.upload_file(path_or_fileobj=content("stranger"), path_in_repo="no.bin", repo_id=name)


@check
def xet_and_git_lfs(world: World):
    """git-lfs fetches what came by Xet, and Python what came by git-lfs."""
    if not shutil.which("git-lfs"):
        raise Skip("git-lfs is not installed")
    name = repo(world)
    clone = world.work / "lfs-clone"
    world.git("clone", "-q", world.url(name, world.owner_token), str(clone))
    world.git("lfs", "install", "--local", cwd=clone)
    world.git("lfs", "pull", cwd=clone)
    assert (clone / "path.bin").read_bytes() == content("path")
    assert not world.git("status", "--porcelain", cwd=clone)
    (clone / "pushed.bin").write_bytes(content("pushed"))
    world.git("add", "pushed.bin", cwd=clone)
    world.git("commit", "-q", "-m", "By git-lfs", cwd=clone)
    world.git("push", "-q", "origin", "HEAD:main", cwd=clone)
    local = world.anonymous.hf_hub_download(name, "pushed.bin")
    assert open(local, "rb").read() == content("pushed")
