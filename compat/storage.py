"""Large files in object storage, which is moto here: uploads by Xet and git-lfs, downloads, collection, backup, restore, and the way there.

    compat/storage.py WORK

Called by `compat/run.sh storage` with the Python of an environment that has the client and moto. ASSAY is the program.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import boto3
from huggingface_hub import HfApi, hf_hub_download
from moto.server import ThreadedMotoServer

ASSAY = os.environ["ASSAY"]
WORK = Path(sys.argv[1])
PLACE = "s3://hub/files"
# More than two parts of an upload, and larger than what a commit takes.
LARGE = os.urandom((101 << 20) + 3)
OTHER = os.urandom(20 << 20)


def assay(data: Path, *arguments: str, fails: bool = False) -> str:
    """Runs a command of the operator, and returns what it printed."""
    done = subprocess.run([ASSAY, *arguments], env={**os.environ, "ASSAY_DATA": str(data)}, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, f"assay {arguments}: {done.returncode} {done.stdout} {done.stderr}"
    return done.stdout + done.stderr


@contextmanager
def serving(data: Path, *flags: str):
    """A hub that is running."""
    with (WORK / "log").open("a") as log:
        command = [ASSAY, "serve", "--listen", "127.0.0.1:0", *flags]
        server = subprocess.Popen(command, env={**os.environ, "ASSAY_DATA": str(data)}, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            begun = next((line for line in server.stdout if line.startswith("the hub is at ")), None)
            assert begun, (WORK / "log").read_text()[-2000:]
            yield begun.removeprefix("the hub is at ").strip()
        finally:
            server.terminate()
            assert server.wait() == 0


def stored(bucket) -> list[str]:
    """The names of the large files in the bucket."""
    return sorted(entry.key.rsplit("/", 1)[1] for entry in bucket.objects.filter(Prefix="files/lfs/"))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fetch(url: str, path: str, token: str, home: str) -> bytes:
    """Downloads a file as a client with an empty cache does."""
    place = hf_hub_download("alice/big", path, endpoint=url, token=token, cache_dir=WORK / home)
    return Path(place).read_bytes()


def main() -> None:
    storage = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    storage.start()
    host, port = storage.get_host_and_port()
    os.environ.update(
        AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="secret", AWS_REGION="us-east-1", AWS_DEFAULT_REGION="us-east-1",
        AWS_ENDPOINT=f"http://{host}:{port}", AWS_ALLOW_HTTP="true",
    )  # fmt: skip
    data, flags = WORK / "data", ["--set", f"large_files={PLACE}"]

    # A bucket that is not there is said at the start, and not at the first upload.
    refused = subprocess.run([ASSAY, "serve", "--listen", "127.0.0.1:0", *flags], env={**os.environ, "ASSAY_DATA": str(data)}, capture_output=True, text=True)
    assert refused.returncode != 0 and "large files cannot be written to `s3://hub/files`" in refused.stderr, refused.stderr
    bucket = boto3.resource("s3", endpoint_url=os.environ["AWS_ENDPOINT"]).create_bucket(Bucket="hub")
    assay(data, "config", "check", *flags)

    with serving(data, *flags) as url:
        assay(data, "admin", "user", "create", "alice")
        token = json.loads(assay(data, "admin", "token", "create", "alice", "--format", "json"))["token"]
        api = HfApi(endpoint=url, token=token)
        api.create_repo("alice/big")
        begun = time.monotonic()
        api.upload_file(path_or_fileobj=LARGE, path_in_repo="xet.bin", repo_id="alice/big")
        by_xet = time.monotonic() - begun
        # A file object goes by git-lfs.
        (WORK / "other").write_bytes(OTHER)
        api.upload_file(path_or_fileobj=b"*.dat filter=lfs\n", path_in_repo=".gitattributes", repo_id="alice/big")
        with (WORK / "other").open("rb") as file:
            api.upload_file(path_or_fileobj=file, path_in_repo="lfs.dat", repo_id="alice/big")
        assert stored(bucket) == sorted([digest(LARGE), digest(OTHER)])
        assert not list((data / "lfs").rglob("*")) and [entry for entry in bucket.objects.filter(Prefix="files/xet/")]

        assert fetch(url, "xet.bin", token, "one") == LARGE
        assert fetch(url, "lfs.dat", token, "one") == OTHER
        headers = {"Authorization": f"Bearer {token}", "Range": "bytes=20000000-20000099"}
        request = urllib.request.Request(f"{url}/alice/big/resolve/main/xet.bin", headers=headers)
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 206 and answer.read() == LARGE[20_000_000:20_000_100]
        ready = json.load(urllib.request.urlopen(f"{url}/readyz"))
        assert "the object storage can be written" in json.dumps(ready), ready

        # A command of the operator finds the bucket by itself.
        assert "0 large files" in assay(data, "admin", "gc")
        assay(data, "admin", "backup", str(WORK / "backup"), "--no-progress")
        assay(data, "admin", "backup", str(WORK / "backup"), "--verify", "--no-progress")

    assert "assay admin move-large-files --to disk" in assay(data, "serve", "--listen", "127.0.0.1:0", "--set", "large_files=disk", fails=True)
    assay(data, "admin", "move-large-files", "--to", "disk")
    bucket.objects.filter(Prefix="files/lfs/").delete()
    with serving(data) as url:
        assert fetch(url, "xet.bin", token, "two") == LARGE
    assay(data, "admin", "move-large-files", "--to", PLACE)

    # A restore puts them where it is told, under another prefix here.
    restored = WORK / "restored"
    os.environ["ASSAY_LARGE_FILES"] = "s3://hub/restored"
    assay(restored, "admin", "restore", str(WORK / "backup"), "--data", str(restored), "--no-progress")
    with serving(restored) as url:
        assert fetch(url, "xet.bin", token, "three") == LARGE
        assert fetch(url, "lfs.dat", token, "three") == OTHER
    del os.environ["ASSAY_LARGE_FILES"]

    # Two servers with nothing but the storage, the database and the repositories in common need PostgreSQL; here one starts again.
    with serving(data) as url:
        assert fetch(url, "xet.bin", token, "four") == LARGE
    storage.stop()
    print(f"object storage: uploads, downloads, ranges, backup, restore and both moves; {len(LARGE) >> 20} MiB by Xet in {by_xet:.1f} s")


main()
