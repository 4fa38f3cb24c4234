"""Three NATS servers that are one cluster, for tests that lose one."""

from __future__ import annotations

import asyncio
import shutil
import signal
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import nats
from nats.errors import Error as NatsError
from tests.component.processes import free_port

from faristol.bus.server import build_parent_death_prefix, stop_process

CONFIGURATION = """
server_name: {name}
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}", sync_interval: always }}
cluster {{ name: test, listen: 127.0.0.1:{own}, routes: [{routes}] }}
"""
BY_TLS = """
tls {{ cert_file: "{tls}/tls.crt", key_file: "{tls}/tls.key", ca_file: "{tls}/ca.crt", verify: true }}
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
            *build_parent_death_prefix(), program, "--config", str(self.folder / "nats.conf"), "--log", str(log)
        )

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    def reload(self) -> None:
        """Have it read its configuration and certificates again, as `nats-server --signal reload` does."""
        self.process.send_signal(signal.SIGHUP)


@asynccontextmanager
async def cluster(folder: Path, tls: Path | None = None) -> AsyncIterator[list[Node]]:
    """Yield three servers that have found each other; those that still run are ended afterwards.

    ``tls`` is the folder of their certificate, where clients come by TLS and show one of the same authority.
    """
    ports, own = [free_port() for _ in range(3)], [free_port() for _ in range(3)]
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in own)
    nodes = []
    for number, port in enumerate(ports):
        place = folder / f"nats-{number}"
        place.mkdir()
        given = {"name": f"nats-{number}", "port": port, "own": own[number], "routes": routes, "folder": place}
        by_tls = BY_TLS.format(tls=tls) if tls else ""
        (place / "nats.conf").write_text(CONFIGURATION.format(**given) + by_tls, encoding="utf-8")
        node = Node(place, port, None)  # type: ignore[arg-type] # started below
        await node.start()
        nodes.append(node)
    try:
        await _wait_for_leader(url_of(nodes, tls), context_of(tls) if tls else None)
        yield nodes
    finally:
        for node in nodes:
            if node.process.returncode is None:
                await stop_process(node.process, 10)


def url_of(nodes: list[Node], tls: Path | None = None) -> str:
    """Return the URLs of all of them, with commas."""
    return ",".join(f"{'tls' if tls else 'nats'}://127.0.0.1:{node.port}" for node in nodes)


def context_of(tls: Path) -> ssl.SSLContext:
    """Return the TLS context of a client with the certificate in a folder."""
    context = ssl.create_default_context(cafile=tls / "ca.crt")
    context.load_cert_chain(tls / "tls.crt", tls / "tls.key")
    return context


async def _wait_for_leader(url: str, context: ssl.SSLContext | None) -> None:
    """Wait until the cluster has a leader that makes streams."""
    async with asyncio.timeout(30):
        while True:
            with suppress(NatsError, OSError):
                client = await nats.connect(url.split(","), connect_timeout=2, tls=context)
                try:
                    stream = client.jetstream(timeout=2)
                    await stream.add_stream(name="probe", subjects=["probe"], num_replicas=3)
                    await stream.delete_stream("probe")
                    return
                finally:
                    await client.close()
            await asyncio.sleep(0.3)
