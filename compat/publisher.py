"""Writes to a repository as a trusted publisher, and signs in by device code, with the unmodified huggingface_hub.

    compat/publisher.py WORK

Called by `compat/run.sh publisher` with the Python of an environment that has the client and PyJWT. ASSAY is the program; its hub is
started here, and so is an identity provider that signs ID tokens as GitHub does. No secret is stored anywhere.
"""

import html
import http.cookiejar
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from identity_provider import IdentityProvider
from scene import free_port

ASSAY = os.environ["ASSAY"]
WORK = Path(sys.argv[1])
# What a job does: three lines of Python with the client as it is installed.
JOB = """
from huggingface_hub import HfApi
made = HfApi().upload_file(path_or_fileobj=b"hello", path_in_repo="notes.txt", repo_id="alice/model-x")
print(made.oid)
"""
LOGIN = """
from huggingface_hub import HfApi, interpreter_login
interpreter_login()
print(HfApi().whoami()["name"])
"""


def operate(*arguments: str) -> str:
    """Runs a command of the operator."""
    environment = {**os.environ, "ASSAY_DATA": str(WORK / "data")}
    return subprocess.run([ASSAY, *arguments], env=environment, check=True, capture_output=True, text=True).stdout


def run(script: str, **variables: str) -> subprocess.Popen:
    """Starts a script in an environment that has no token: only the variables that are given."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(WORK / "home"), "HF_HUB_DISABLE_XET": "1", **variables}
    return subprocess.Popen(
        [sys.executable, "-u", "-c", script], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def approve(url: str, page: str) -> None:
    """Signs in to the pages with a password, opens the address that the client shows, and approves."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def read(address: str) -> str:
        return browser.open(address).read().decode()

    def send(address: str, text: str, **fields: str) -> str:
        token = html.unescape(re.search(r'name="_form" value="([^"]+)"', text)[1])
        body = urllib.parse.urlencode({"_form": token, **fields}).encode()
        request = urllib.request.Request(address, data=body, headers={"Origin": url})
        return browser.open(request).read().decode()

    send(f"{url}/login", read(f"{url}/login"), name="alice", password="correct horse battery", next="/")
    text = read(page)
    code = re.search(r'id="code"[^>]* value="([^"]+)"', text)[1]
    assert "signed in" in send(f"{url}/login/device", text, code=code, decision="write")


def main() -> None:
    claims = {"sub": "repo:org/evals:ref:refs/heads/main", "repository": "org/evals", "event_name": "push"}
    issuer = IdentityProvider(claims).url
    policy = WORK / "policy.toml"
    policy.write_text(f'version = 1\n[[issuer]]\nurl = "{issuer}"\nkind = "github"\njwks = "{issuer}/keys"\n')
    url = f"http://127.0.0.1:{free_port()}"
    settings = ["--set", f"issuer.policy={policy}", "--set", "issuer.allow_loopback=true"]
    log = (WORK / "log").open("w")
    hub = subprocess.Popen(
        [ASSAY, "serve", "--listen", url.removeprefix("http://"), *settings],
        env={**os.environ, "ASSAY_DATA": str(WORK / "data")}, stdout=subprocess.PIPE, stderr=log, text=True,
    )
    try:
        hub.stdout.readline()
        operate("admin", "user", "create", "alice")
        password = subprocess.run(
            [ASSAY, "admin", "user", "password", "alice", "--stdin"], input="correct horse battery\n",
            env={**os.environ, "ASSAY_DATA": str(WORK / "data")}, text=True, capture_output=True,
        )
        assert password.returncode == 0, password.stderr
        token = json.loads(operate("admin", "token", "create", "alice", "--format", "json"))["token"]
        body = json.dumps({"name": "model-x", "type": "model"}).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(f"{url}/api/repos/create", data=body, headers=headers)).close()
        checks(url, issuer)
    finally:
        hub.terminate()
        assert hub.wait(30) == 0


def checks(url: str, issuer: str) -> None:
    runner = {
        "GITHUB_ACTIONS": "true",
        "ACTIONS_ID_TOKEN_REQUEST_URL": f"{issuer}/token",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "of-the-runner",
        "HF_ENDPOINT": url,
        "HF_OIDC_RESOURCE": "alice/model-x",
    }
    refused = run(JOB, **runner)
    text = refused.communicate(timeout=60)[0]
    assert refused.returncode != 0 and "trusted publisher" in text, text
    print("ok: a job that nobody trusts is refused and told what to do")

    operate("admin", "publisher", "add", "models/alice/model-x", "--as", "alice", "--issuer", issuer, "--claim", "repository=org/evals")
    job = run(JOB, **runner)
    text = job.communicate(timeout=60)[0]
    assert job.returncode == 0 and re.search(r"^[0-9a-f]{40}$", text, re.M), text
    print("ok: a trusted job uploads with nothing in its secrets")

    operate("admin", "publisher", "remove", "models/alice/model-x", "1")
    job = run(JOB, **runner)
    assert job.wait(60) != 0
    print("ok: a publisher that was removed is refused")

    login = run(LOGIN, HF_ENDPOINT=url)
    lines = []
    for line in login.stdout:
        lines.append(line)
        found = re.search(r"http\S+/login/device\?code=\S+", line)
        if found:
            approve(url, found[0])
            break
    lines.append(login.communicate(timeout=60)[0])
    assert login.returncode == 0 and "".join(lines).rstrip().endswith("alice"), "".join(lines)
    print("ok: `hf auth login` signs in by device code")


main()
print("4 checks passed, 0 failed")
