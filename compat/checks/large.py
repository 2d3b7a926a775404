"""Large files: in git up to the hub's limit, whatever the client would rather do."""

import hashlib
import io

from huggingface_hub import CommitOperationAdd
from huggingface_hub.errors import HfHubHTTPError

from harness import World, check, raises

SIZE = 12 << 20


def content() -> bytes:
    """Bytes that do not compress, the same each time."""
    block = b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(1 << 15))
    return (block * (SIZE // len(block) + 1))[:SIZE]


@check
def large_file_bytes(world: World):
    """Twelve megabytes from memory come back as they were."""
    name = f"{world.owner_name}/large"
    world.owner.create_repo(name)
    world.owner.upload_file(path_or_fileobj=content(), path_in_repo="big.bin", repo_id=name)
    path = world.anonymous.hf_hub_download(name, "big.bin")
    assert open(path, "rb").read() == content()


@check
def large_file_path_and_fileobj(world: World):
    """From a path and from an open file."""
    name = f"{world.owner_name}/large"
    path = world.work / "big.bin"
    path.write_bytes(content()[::-1])
    world.owner.upload_file(path_or_fileobj=str(path), path_in_repo="path.bin", repo_id=name)
    world.owner.upload_file(path_or_fileobj=io.BytesIO(content()), path_in_repo="object.bin", repo_id=name)
    info = {item.path: item.size for item in world.anonymous.get_paths_info(name, ["path.bin", "object.bin"])}
    assert info == {"path.bin": SIZE, "object.bin": SIZE}, info


@check
def large_file_no_op(world: World):
    """The same bytes again make no commit."""
    name = f"{world.owner_name}/large"
    before = world.owner.model_info(name).sha
    world.owner.upload_file(path_or_fileobj=content(), path_in_repo="big.bin", repo_id=name)
    assert world.owner.model_info(name).sha == before


@check
def large_file_delete(world: World):
    """Deleted is gone from the tree."""
    name = f"{world.owner_name}/large"
    world.owner.delete_file("big.bin", repo_id=name)
    assert not world.owner.file_exists(name, "big.bin")


@check
def lfs_basic_transfer(world: World):
    """The batch API, an upload through a signed link, a commit with the pointer, and the download."""
    import json

    name = f"{world.owner_name}/large"
    data = content()[: 1 << 20]
    oid = hashlib.sha256(data).hexdigest()
    batch = {"operation": "upload", "transfers": ["basic"], "objects": [{"oid": oid, "size": len(data)}], "hash_algo": "sha256", "ref": {"name": "main"}}
    kind = {"Content-Type": "application/vnd.git-lfs+json", "Accept": "application/vnd.git-lfs+json"}
    status, _, body = world.raw("POST", f"/{name}.git/info/lfs/objects/batch", world.stranger_token, json.dumps(batch), kind)
    assert status == 403, (status, body)
    status, _, body = world.raw("POST", f"/{name}.git/info/lfs/objects/batch", world.owner_token, json.dumps(batch), kind)
    assert status == 200, (status, body)
    actions = json.loads(body)["objects"][0]["actions"]
    put = actions["upload"]["href"].removeprefix(world.endpoint)
    status, _, body = world.raw("PUT", put, body=b"x" * len(data))
    assert status in (400, 422), (status, body)
    status, _, body = world.raw("PUT", put, body=data)
    assert status == 200, (status, body)
    verify = actions["verify"]["href"].removeprefix(world.endpoint)
    status, _, body = world.raw("POST", verify, world.owner_token, json.dumps({"oid": oid, "size": len(data)}), kind)
    assert status == 200, (status, body)
    lines = [
        {"key": "header", "value": {"summary": "lfs", "description": ""}},
        {"key": "lfsFile", "value": {"path": "lfs.bin", "algo": "sha256", "oid": oid, "size": len(data)}},
    ]
    status, _, body = world.raw(
        "POST",
        f"/api/models/{name}/commit/main",
        world.owner_token,
        "".join(json.dumps(line) + "\n" for line in lines),
        {"Content-Type": "application/x-ndjson"},
    )
    assert status == 200, (status, body)
    path = world.anonymous.hf_hub_download(name, "lfs.bin")
    assert open(path, "rb").read() == data
    (info,) = world.anonymous.get_paths_info(name, ["lfs.bin"])
    assert info.lfs.sha256 == oid and info.size == len(data), info
