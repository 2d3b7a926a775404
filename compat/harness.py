"""What the checks share: a list of checks, the two accounts, and small assertions.

A check is a function with a docstring. It takes the `World` and raises when the hub does not do what the client
expects. A feature that a client version does not have is skipped by name, never passed over in silence.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import huggingface_hub
from huggingface_hub import HfApi

CHECKS: list = []


class Skip(Exception):
    """This client version does not have the feature."""


def check(function):
    """Registers a check, in the order of the files."""
    CHECKS.append(function)
    return function


def needs(owner, name: str) -> None:
    """Skips when the client does not have an attribute."""
    if not hasattr(owner, name):
        raise Skip(f"this client has no `{name}`")


@dataclass
class World:
    """Two people, one hub, and what earlier checks have made."""

    endpoint: str
    owner: HfApi
    stranger: HfApi
    anonymous: HfApi
    owner_token: str
    stranger_token: str
    assay: list[str]
    owner_name: str = ""
    stranger_name: str = ""
    work: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="assay-compat-")))

    @property
    def model(self) -> str:
        return f"{self.owner_name}/demo-model"

    @property
    def bench(self) -> str:
        return f"{self.owner_name}/Demo-Bench"

    def operate(self, *arguments: str) -> str:
        """Runs `assay` as the operator at the shell would."""
        done = subprocess.run([*self.assay, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, f"assay {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def hf(self, *arguments: str, token: str | None = None, ok: bool = True) -> str:
        """Runs the `hf` command of this environment."""
        program = Path(sys.executable).parent / "hf"
        if not program.exists():
            raise Skip("this client has no `hf` command")
        environment = {
            **os.environ,
            "HF_TOKEN": token or self.owner_token,
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "NO_COLOR": "1",
        }
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, env=environment)
        if ok:
            assert done.returncode == 0, f"hf {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def git(self, *arguments: str, ok: bool = True, cwd: Path | None = None) -> str:
        """Runs git without anybody's configuration."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.work),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Alice",
            "GIT_AUTHOR_EMAIL": "alice@example.org",
            "GIT_COMMITTER_NAME": "Alice",
            "GIT_COMMITTER_EMAIL": "alice@example.org",
        }
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=cwd, env=environment)
        if ok:
            assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stdout}{done.stderr}"
        else:
            assert done.returncode != 0, f"git {' '.join(arguments)} should have failed: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def url(self, path: str, token: str | None = None, user: str = "hf_user") -> str:
        """The address of a path, with credentials as git takes them."""
        if token is None:
            return f"{self.endpoint}/{path}"
        scheme, rest = self.endpoint.split("://", 1)
        return f"{scheme}://{user}:{token}@{rest}/{path}"

    def raw(self, method: str, path: str, token: str | None = None, body=None, headers=None):
        """A plain request, for what the client does not show: status, headers, body."""
        import http.client
        import json as json_module
        from urllib.parse import urlsplit

        parts = urlsplit(self.endpoint)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if isinstance(body, (dict, list)):
            body = json_module.dumps(body)
            sent["Content-Type"] = "application/json"
        connection.request(method, path, body=body, headers=sent)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, {key.lower(): value for key, value in response.getheaders()}, content


@contextmanager
def raises(*kinds, text: str = ""):
    """The block has to raise one of these, with this text in its message."""
    try:
        yield
    except kinds as error:
        message = str(error)
        assert text.lower() in message.lower(), f"`{text}` is not in: {message}"
        return
    except Skip:
        raise
    except Exception as error:
        raise AssertionError(f"raised {type(error).__name__}: {error}") from error
    raise AssertionError(f"nothing was raised; expected {', '.join(kind.__name__ for kind in kinds)}")


def run(world: World, only: set[str]) -> int:
    """Runs the checks in order, one line each, and says how many failed."""
    counts = {"ok": 0, "skip": 0, "FAIL": 0}
    for function in CHECKS:
        name = function.__name__
        if only and name not in only:
            continue
        try:
            function(world)
        except Skip as reason:
            outcome, detail = "skip", str(reason)
        except Exception:
            outcome, detail = "FAIL", traceback.format_exc(limit=-4)
        else:
            outcome, detail = "ok", ""
        counts[outcome] += 1
        print(f"{outcome:4} {name}{': ' + detail if detail else ''}", flush=True)
    summary = f"{counts['ok']} ok, {counts['FAIL']} failed, {counts['skip']} skipped"
    print(f"huggingface_hub {huggingface_hub.__version__}: {summary}")
    return counts["FAIL"]
