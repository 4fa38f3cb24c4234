"""Clients that common generators (`make openapi`) make of the document compile, and read every resource."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.component.gateway.api.test_openapi import ENDLESS, FILLED, operations
from tests.support.stage import Stage

pytestmark = [pytest.mark.nightly, pytest.mark.asyncio(loop_scope="module")]

MADE = Path(__file__).parents[4] / "var" / "openapi"
PYTHON = MADE / "python" / "bin"
NODE = MADE / "node_modules" / ".bin"

READ = """
import importlib, inspect, json, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import client.api
from client import Client
from client.types import File

web, filled = Client(base_url=sys.argv[2], timeout=30), json.loads(sys.argv[3])
for package in pkgutil.iter_modules(client.api.__path__):
    folder = importlib.import_module(f"client.api.{package.name}")
    for module in pkgutil.iter_modules(folder.__path__):
        if module.name in sys.argv[4].split(","):
            continue
        call = importlib.import_module(f"client.api.{package.name}.{module.name}").sync_detailed
        given = {name: filled[name] for name in inspect.signature(call).parameters if name in filled}
        answer = call(client=web, **given)
        print(module.name, answer.status_code.value, type(answer.parsed).__name__, flush=True)
"""


async def run(*command: str | Path) -> str:
    """Return the output of a program; fail if it fails."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()[-4_000:]
    return said.decode()


async def write_document(stage: Stage, folder: Path) -> tuple[dict[str, Any], Path]:
    document: dict[str, Any] = (await stage.http.get("/openapi.json")).json()
    file = folder / "openapi.json"
    file.write_text(json.dumps(document))
    return document, file


async def test_a_client_in_python_reads_every_resource(finished_stage: Stage, tmp_path: Path) -> None:
    if not (PYTHON / "openapi-python-client").exists():
        pytest.skip("openapi-python-client is not installed: `make openapi` does it")
    document, file = await write_document(finished_stage, tmp_path)
    out = tmp_path / "client"
    said = await run(
        PYTHON / "openapi-python-client", "generate", "--path", file, "--output-path", out, "--meta", "none"
    )
    assert "duplicate models" not in said
    assert said.count("WARNING") == said.count("Unsupported content_type application/zip")
    await run(PYTHON / "python", "-m", "compileall", "-q", out)
    script = tmp_path / "read.py"
    script.write_text(READ)
    address = str(finished_stage.http.base_url).rstrip("/")
    number = {**FILLED, "number": 1}
    lines = (
        await run(PYTHON / "python", script, tmp_path, address, json.dumps(number), ",".join(ENDLESS))
    ).splitlines()
    read = {name: (int(status), kind) for name, status, kind in map(str.split, lines)}
    names = {each["operationId"] for _, each in operations(document)} - {*ENDLESS}
    assert read.keys() == names
    for name, (status, kind) in read.items():
        # Some services are not on this stage, and a tournament of tables has no duplicate games.
        assert status in (200, 503) or (name, status) == ("get_duplicate_totals", 409), (name, status)
        assert name == "get_games_zip" or kind != "NoneType", (name, status)


async def test_a_client_in_typescript_reads_every_resource(finished_stage: Stage, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (NODE / "openapi-typescript").exists():
        pytest.skip("openapi-typescript is not installed: `make openapi` does it")
    document, file = await write_document(finished_stage, tmp_path)
    await run(NODE / "openapi-typescript", file, "-o", tmp_path / "schema.ts")
    address = str(finished_stage.http.base_url).rstrip("/")
    lines = [
        'import type { components, paths } from "./schema.js";',
        'const NEWS: components["schemas"]["EventType"] = "PlayPlaced";',
    ]
    lines += ["async function read<T>(path: string): Promise<T> {"]
    lines += [f'  const answer = await fetch("{address}" + path);', "  return (await answer.json()) as T;", "}"]
    wanted = []
    for path, methods in document["paths"].items():
        operation = methods["get"]
        if "application/json" in operation["responses"]["200"]["content"] and operation["operationId"] not in ENDLESS:
            kind = f'paths["{path}"]["get"]["responses"][200]["content"]["application/json"]'
            name = operation["operationId"]
            lines.append(f'const {name}: {kind} = await read<{kind}>("{path.format(**FILLED)}");')
            lines.append(f'console.log("{name}", Object.keys({name}).length, NEWS);')
            wanted.append(name)
    (tmp_path / "read.ts").write_text("\n".join([*lines, "export {};"]))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom")
    await run(NODE / "tsc", *options, "--outDir", tmp_path / "js", tmp_path / "read.ts")
    said = (await run(node, tmp_path / "js" / "read.js")).splitlines()
    assert [line.split()[0] for line in said] == wanted
