#!/usr/bin/env python3
"""Builds a wheel of the Python package around a program that is compiled already.

    scripts/wheel.py PROGRAM DIRECTORY

Prints the path of the wheel. `pip install .` compiles the program for release and is what people use; tests use this, because they
have a program and compile nothing twice. Both have the same files and the same metadata, those of pyproject.toml.
"""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXECUTABLE = 0o100755 << 16
PLAIN = 0o100644 << 16


def version() -> str:
    """The version of the workspace."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def metadata(project: dict) -> str:
    """The METADATA file."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
    ]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    return "\n".join(lines) + "\n"


def entry_points(project: dict) -> str:
    """The entry points."""
    sections = []
    for group, entries in project["entry-points"].items():
        sections.append(f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items()))
    return "\n".join(sections)


def stripped(program: Path, scratch: Path) -> bytes:
    """The program without debugging symbols, where `strip` is installed."""
    copy = scratch / "assay"
    shutil.copy(program, copy)
    if shutil.which("strip"):
        subprocess.run(["strip", copy], check=True)
    return copy.read_bytes()


def main() -> None:
    program, directory = Path(sys.argv[1]), Path(sys.argv[2])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stem = f"{project['name'].replace('-', '_')}-{version()}"
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    tag = f"py3-none-{platform}"
    wheel = directory / f"{stem}-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w") as archive, tempfile.TemporaryDirectory() as scratch:

        def add(name: str, content: bytes, mode: int = PLAIN) -> None:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")

        for path in sorted((ROOT / "python/assay_hub").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                add(path.relative_to(ROOT / "python").as_posix(), path.read_bytes())
        for path in sorted((ROOT / "python/data/scripts").iterdir()):
            add(f"{stem}.data/scripts/{path.name}", path.read_bytes(), EXECUTABLE)
        add(f"{stem}.data/scripts/{program.name}", stripped(program, Path(scratch)), EXECUTABLE)
        info = f"{stem}.dist-info"
        add(f"{info}/METADATA", metadata(project).encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        add(f"{info}/entry_points.txt", entry_points(project).encode())
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
    print(wheel)


main()
