"""Asks a hub through the official client of the Model Context Protocol: what it is offered, and what each tool answers.

    compat/mcp_client.py WORK

Called by `compat/run.sh mcp` with the Python of an environment that has the package `mcp`, once with its newest version and once with the
last that begins with a handshake. ASSAY is the program; its hub is started here.
"""

import asyncio
import json
import sys
import urllib.request
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from scene import Scene

WORK = Path(sys.argv[1])
TOOLS = {"search", "board", "compare", "evidence", "changes"}
EVAL = """name: Sums
description: Adding numbers.
metrics:
  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}
tasks:
  - {id: words}
"""
RESULT = """- dataset: {{id: "alice/sums", task_id: "words"}}
  metrics: [{{metric_id: "accuracy", value: {value}}}]
"""


@asynccontextmanager
async def connected(url: str, token: "str | None" = None):
    """A session with the endpoint, as either generation of the package opens it."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if version("mcp").startswith("1."):
        from mcp import ClientSession
        from mcp.client.streamable_http import streamablehttp_client

        async with streamablehttp_client(url, headers=headers) as (reads, writes, _), ClientSession(reads, writes) as session:
            await session.initialize()
            yield session
    else:
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        async with create_mcp_http_client(headers=headers) as http, Client(streamable_http_client(url, http_client=http)) as session:
            yield session


async def answered(session, tool: str, **arguments) -> dict:
    """What a tool answers, which is JSON."""
    result = await session.call_tool(tool, arguments)
    failed, text = told(result)
    assert not failed, text
    return json.loads(text)


def told(result) -> "tuple[bool, str]":
    """Whether a tool failed, and its text."""
    failed = result.is_error if hasattr(result, "is_error") else result.isError
    return bool(failed), result.content[0].text


async def check(scene: Scene) -> None:
    url = f"{scene.url}/mcp"
    async with connected(url) as session:
        offered = (await session.list_tools()).tools
        assert {tool.name for tool in offered} == TOOLS, offered
        assert all(tool.annotations and tool.description for tool in offered), offered

        found = await answered(session, "search", query="sums")
        assert found["benchmarks"][0]["id"] == "alice/sums", found
        board = await answered(session, "board", benchmark="alice/sums", task="words")
        assert [row["modelId"] for row in board["rows"]] == ["alice/large", "alice/small"], board
        compared = await answered(session, "compare", models=["alice/large", "alice/small"])
        assert compared["boards"][0]["rows"][1]["difference"]["verdict"] == "uncertainty not known", compared
        evidence = await answered(session, "evidence", model="alice/large")
        assert evidence["results"][0]["standing"]["state"] == "unverified", evidence
        changed = await answered(session, "changes", **{"from": "2020-01-01"})
        assert changed["boards"][0]["counts"]["came"] == 2, changed

        failed, text = told(await session.call_tool("board", {"benchmark": "alice/nothing"}))
        assert failed and "not found" in text.lower(), text
        failed, text = told(await session.call_tool("evidence", {"model": "alice/hidden"}))
        assert failed, text

    async with connected(url, scene.token) as session:
        evidence = await answered(session, "evidence", model="alice/hidden")
        assert len(evidence["results"]) == 1, evidence


def main() -> None:
    with Scene(WORK, "alice") as scene:
        scene.create("dataset", "sums", {"eval.yaml": EVAL})
        for name, value in [("small", 0.5), ("large", 0.7), ("hidden", 0.9)]:
            scene.create("model", name, {".eval_results/sums.yaml": RESULT.format(value=value)})
        hide(scene, "hidden")
        asyncio.run(check(scene))
    print(f"mcp {version('mcp')}: {len(TOOLS)} tools answer, and a token sees what it sees elsewhere")


def hide(scene: Scene, model: str) -> None:
    """Makes a model private."""
    address = f"{scene.url}/api/models/{scene.owner}/{model}/settings"
    headers = {"Authorization": f"Bearer {scene.token}", "Content-Type": "application/json"}
    request = urllib.request.Request(address, data=b'{"private": true}', headers=headers, method="PUT")
    urllib.request.urlopen(request).close()


if __name__ == "__main__":
    main()
