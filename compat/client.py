#!/usr/bin/env python3
"""Drives a running hub with the real `huggingface_hub`, the `hf` command and plain git.

    HF_ENDPOINT=http://127.0.0.1:8080 HF_TOKEN_OWNER=... HF_TOKEN_STRANGER=... python compat/client.py [--only NAME,...]

`ASSAY` is the command that operates the hub, such as `assay --data DIR`; the checks need it to mark a benchmark as
official. The exit code is 1 when a check failed.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path

# The client reads these when it is imported: its caches must be ours, and nothing of the user's may leak in.
HOME = tempfile.mkdtemp(prefix="assay-compat-home-")
os.environ.update(
    HF_HOME=HOME,
    HF_HUB_DISABLE_PROGRESS_BARS="1",
    HF_HUB_DISABLE_UPDATE_CHECK="1",
    HF_HUB_DOWNLOAD_TIMEOUT="60",
)
os.environ.pop("HF_TOKEN", None)
sys.path.insert(0, str(Path(__file__).parent))

from huggingface_hub import HfApi  # noqa: E402

from harness import World, run  # noqa: E402
import checks  # noqa: E402, F401


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of checks, with commas; earlier ones may be needed")
    arguments = parser.parse_args()
    endpoint = os.environ["HF_ENDPOINT"].rstrip("/")
    owner, stranger = os.environ["HF_TOKEN_OWNER"], os.environ["HF_TOKEN_STRANGER"]
    world = World(
        endpoint=endpoint,
        owner=HfApi(endpoint=endpoint, token=owner),
        stranger=HfApi(endpoint=endpoint, token=stranger),
        anonymous=HfApi(endpoint=endpoint, token=False),
        owner_token=owner,
        stranger_token=stranger,
        assay=shlex.split(os.environ.get("ASSAY", "assay")),
    )
    world.owner_name = world.owner.whoami()["name"]
    world.stranger_name = world.stranger.whoami()["name"]
    failed = run(world, {name for name in arguments.only.split(",") if name})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
