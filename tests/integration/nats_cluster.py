"""Three NATS servers that are one cluster, for tests that lose one."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import nats
from nats.errors import Error as NatsError
from tests.integration.processes import free_port

from faristol.bus.children import ending_with_us, stopped

CONFIGURATION = """
server_name: {name}
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}", sync_interval: always }}
cluster {{ name: test, listen: 127.0.0.1:{own}, routes: [{routes}] }}
"""


@dataclass
class Node:
    """A server of the cluster."""

    folder: Path
    port: int
    process: asyncio.subprocess.Process

    async def start(self) -> None:
        program = shutil.which("nats-server", path=str(Path(sys.executable).parent)) or "nats-server"
        log = self.folder / "log"
        self.process = await asyncio.create_subprocess_exec(
            *ending_with_us(), program, "--config", str(self.folder / "nats.conf"), "--log", str(log)
        )

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def cluster(folder: Path) -> AsyncIterator[list[Node]]:
    """Three servers that have found each other; those that still run are ended afterwards."""
    ports, own = [free_port() for _ in range(3)], [free_port() for _ in range(3)]
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in own)
    nodes = []
    for number, port in enumerate(ports):
        place = folder / f"nats-{number}"
        place.mkdir()
        given = {"name": f"nats-{number}", "port": port, "own": own[number], "routes": routes, "folder": place}
        (place / "nats.conf").write_text(CONFIGURATION.format(**given), encoding="utf-8")
        node = Node(place, port, None)  # type: ignore[arg-type] # started below
        await node.start()
        nodes.append(node)
    try:
        await _formed(url_of(nodes))
        yield nodes
    finally:
        for node in nodes:
            if node.process.returncode is None:
                await stopped(node.process, 10)


def url_of(nodes: list[Node]) -> str:
    """The URLs of all of them, with commas."""
    return ",".join(f"nats://127.0.0.1:{node.port}" for node in nodes)


async def _formed(url: str) -> None:
    """Wait until the cluster has a leader that makes streams."""
    async with asyncio.timeout(30):
        while True:
            with suppress(NatsError, OSError):
                client = await nats.connect(url.split(","), connect_timeout=2)
                try:
                    stream = client.jetstream(timeout=2)
                    await stream.add_stream(name="probe", subjects=["probe"], num_replicas=3)
                    await stream.delete_stream("probe")
                    return
                finally:
                    await client.close()
            await asyncio.sleep(0.3)
