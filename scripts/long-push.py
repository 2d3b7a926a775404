#!/usr/bin/env python3
"""Pushes thousands of commits that each change results, and measures how long others wait for their commits meanwhile.

    scripts/long-push.py target/debug/assay [COMMITS [ENTRIES]]

Starts a hub on a free port of this machine, in a directory of its own that is removed at the end. Exits with 1 when a
commit of others failed, or when their 99th percentile is a second or more.
"""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

OTHERS = 4
GOAL_SECONDS = 1.0


def result_file(number, entries):
    lines = []
    for place in range(entries):
        value = f"{number % 100}.{place:03}{number:05}"
        lines.append(f"- dataset: {{id: operator/bench, task_id: t{place}}}\n  value: {value}\n")
    return "".join(lines)


def write_history(directory, commits, entries, tip):
    """Writes the commits with `git fast-import`, on top of the first commit of the repository."""
    importer = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=directory, stdin=subprocess.PIPE)
    out = importer.stdin
    for number in range(1, commits + 1):
        text = result_file(number, entries).encode()
        message = f"Result {number}".encode()
        when = 1_700_000_000 + number * 60
        out.write(b"commit refs/heads/long\n")
        out.write(f"committer Operator <o@example.org> {when} +0000\n".encode())
        out.write(b"data %d\n%s\n" % (len(message), message))
        if number == 1:
            out.write(f"from {tip}\n".encode())
        out.write(b"M 100644 inline .eval_results/b.yaml\n")
        out.write(b"data %d\n%s\n" % (len(text), text))
    out.close()
    if importer.wait() != 0:
        sys.exit("git fast-import failed")


class Hub:
    def __init__(self, program, directory):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.data = os.path.join(directory, "data")
        self.log = open(os.path.join(directory, "log"), "w+")
        self.process = subprocess.Popen(
            [program, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}"],
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.token = self.wait_for_token()

    def wait_for_token(self):
        for _ in range(600):
            with open(self.log.name) as log:
                found = re.search(r"\bhf_[A-Za-z0-9]+", log.read())
            if found:
                return found.group(0)
            if self.process.poll() is not None:
                sys.exit(f"the hub did not start; see {self.log.name}")
            time.sleep(0.1)
        sys.exit("the hub told no token")

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def post(self, path, body, kind):
        request = urllib.request.Request(self.url(path), data=body, method="POST")
        request.add_header("authorization", f"Bearer {self.token}")
        request.add_header("content-type", kind)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status

    def create(self, name):
        self.post("/api/repos/create", json.dumps({"name": name, "type": "model"}).encode(), "application/json")

    def commit(self, name, number):
        content = base64.b64encode(result_file(number, 1).encode()).decode()
        lines = [
            {"key": "header", "value": {"summary": f"Other {number}", "description": ""}},
            {"key": "file", "value": {"path": ".eval_results/b.yaml", "content": content, "encoding": "base64"}},
        ]
        body = "\n".join(json.dumps(line) for line in lines).encode()
        return self.post(f"/api/models/operator/{name}/commit/main", body, "application/x-ndjson")

    def peak_memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) // 1024


def others(hub, name, is_over, waits, failures):
    number = 0
    while not is_over.is_set():
        number += 1
        begun = time.monotonic()
        try:
            hub.commit(name, number)
        except OSError as error:
            failures.append(str(error))
        waits.append(time.monotonic() - begun)
        time.sleep(0.05)


def main():
    program = sys.argv[1]
    commits = int(sys.argv[2]) if len(sys.argv) > 2 else 15_000
    entries = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    directory = tempfile.mkdtemp(prefix="long-push-")
    hub = Hub(os.path.abspath(program), directory)
    try:
        for name in ["long"] + [f"other{number}" for number in range(OTHERS)]:
            hub.create(name)
        work = os.path.join(directory, "work")
        remote = hub.url("/operator/long").replace("http://", f"http://operator:{hub.token}@")
        subprocess.run(["git", "clone", "--quiet", remote, work], check=True)
        tip = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=work, text=True).strip()
        write_history(work, commits, entries, tip)
        is_over, waits, failures = threading.Event(), [], []
        threads = [
            threading.Thread(target=others, args=(hub, f"other{number}", is_over, waits, failures))
            for number in range(OTHERS)
        ]
        for thread in threads:
            thread.start()
        begun = time.monotonic()
        pushed = subprocess.run(["git", "push", "--quiet", "origin", "long:main"], cwd=work)
        took = time.monotonic() - begun
        is_over.set()
        for thread in threads:
            thread.join()
        waits.sort()
        p99 = waits[int(len(waits) * 0.99)]
        database = os.path.getsize(os.path.join(hub.data, "hub.db")) >> 20
        print(f"push of {commits} commits with {entries} results: exit {pushed.returncode} after {took:.1f} s")
        print(f"others: {len(waits)} commits, median {waits[len(waits) // 2]:.3f} s, p99 {p99:.3f} s, "
              f"longest {waits[-1]:.3f} s, {len(failures)} failures")
        print(f"peak memory of the hub {hub.peak_memory()} MiB, database {database} MiB")
        return 0 if not failures and p99 < GOAL_SECONDS and pushed.returncode == 0 else 1
    finally:
        hub.process.terminate()
        hub.process.wait()
        shutil.rmtree(directory)


if __name__ == "__main__":
    sys.exit(main())
