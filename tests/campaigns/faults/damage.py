"""Damage to the files of NATS and PostgreSQL, and servers that stand still or come back with an earlier store."""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.campaigns.faults.cell import until
from tests.campaigns.faults.scene import Scene, Untried, find_leader
from tests.component import nats_cluster

FLIPPED_BITS_COUNT = 40
"""Bits that are flipped in the files of one server of NATS."""
PAUSE_SECONDS = 12.0
"""Seconds for which a server of NATS stands still: longer than an election takes."""
UNSYNCED_SECONDS = 5.0
"""Seconds of writes that a loss of power takes from every server of NATS."""
DAMAGED_PLAY_SECONDS = 8.0
"""Seconds of play on damaged files, before the server starts again and reads them."""
PAGE_BYTES = 8_192
"""Size of a page of PostgreSQL."""
FOUND_SECONDS = 60.0
"""Within which PostgreSQL has to report a damaged page."""

BLOCK_FILES = "jetstream/**/msgs/*.blk"
"""Files with the messages of streams, of all accounts, and with the entries of Raft."""
SNAPSHOT_FILES = "jetstream/**/snapshots/*"
"""Snapshots of the cluster's metadata, and of the state of streams and consumers."""


def flip_bits(files: Sequence[Path], count: int, chance: random.Random) -> int:
    """Flip single bits of files that are in use, in their second half; return the number of bits."""
    flipped = 0
    for _ in range(count):
        path = chance.choice(files)
        size = path.stat().st_size
        if not size:
            continue
        with path.open("r+b") as file:
            offset = chance.randrange(size // 2, size)
            file.seek(offset)
            (value,) = file.read(1)
            file.seek(offset)
            file.write(bytes([value ^ 1 << chance.randrange(8)]))
        flipped += 1
    return flipped


def _files(node: nats_cluster.Node, pattern: str) -> list[Path]:
    """Return the files of a server. Raises ``Untried`` if it has none."""
    found = sorted(path for path in node.folder.glob(pattern) if path.is_file() and path.stat().st_size)
    if not found:
        raise Untried(f"{node.folder.name} has no files {pattern}")
    return found


async def _restart(nodes: Iterable[nats_cluster.Node]) -> None:
    for node in nodes:
        await node.kill()
        await node.start()


async def flip_bits_of_messages(scene: Scene) -> None:
    """Flip bits in the messages of the server that leads the stream while it runs, and restart it later."""
    leader = await find_leader(scene.cell)
    flip_bits(_files(leader, BLOCK_FILES), FLIPPED_BITS_COUNT, random.Random(7))
    await asyncio.sleep(DAMAGED_PLAY_SECONDS)
    await _restart([leader])


async def truncate_messages(scene: Scene) -> None:
    """Cut the files with messages of one server in half while it is down."""
    leader = await find_leader(scene.cell)
    await leader.kill()
    for path in _files(leader, BLOCK_FILES):
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 2)
    await leader.start()


async def damage_snapshots(scene: Scene) -> None:
    """Flip bits in the snapshots of one server while it is down."""
    leader = await find_leader(scene.cell)
    await leader.kill()
    flip_bits(_files(leader, SNAPSHOT_FILES), FLIPPED_BITS_COUNT, random.Random(8))
    await leader.start()


async def pause_node(scene: Scene) -> None:
    """Stop the process of the server that leads the stream for a while, and kill another before it continues."""
    leader = await find_leader(scene.cell)
    leader.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(PAUSE_SECONDS)
    other = next(node for node in scene.cell.nodes if node is not leader)
    await other.kill()
    leader.process.send_signal(signal.SIGCONT)
    await asyncio.sleep(1)
    await other.start()


async def replace_node(scene: Scene) -> None:
    """Replace a server by an empty one of the same name."""
    leader = await find_leader(scene.cell)
    await leader.kill()
    shutil.rmtree(leader.folder / "jetstream")
    await leader.start()


async def lose_power_of_nats(scene: Scene) -> None:
    """Kill all servers of NATS at once; each comes back with its store of some seconds before."""
    nodes = scene.cell.nodes
    copies = [node.folder / "before" for node in nodes]
    for node, copy in zip(nodes, copies, strict=True):
        await asyncio.to_thread(_copy_store, node.folder / "jetstream", copy)
    await asyncio.sleep(UNSYNCED_SECONDS)
    await asyncio.gather(*(node.kill() for node in nodes))
    for node, copy in zip(nodes, copies, strict=True):
        shutil.rmtree(node.folder / "jetstream")
        copy.rename(node.folder / "jetstream")
        await node.start()


def _copy_store(store: Path, copy: Path) -> None:
    """Copy a folder whose files come and go."""

    def copy_if_there(source: str, target: str) -> str:
        if Path(source).exists():
            shutil.copy2(source, target)
        return target

    shutil.copytree(store, copy, copy_function=copy_if_there)


async def damage_page(scene: Scene) -> None:
    """Damage the first page of the events on the primary; fail over when PostgreSQL has reported it.

    The server is killed for it, so that the page is read from the file again.
    """
    database = scene.cell.database
    damaged = database.primary
    where = await asyncio.to_thread(damaged.ask, "CHECKPOINT; SELECT pg_relation_filepath('events')")
    await asyncio.to_thread(damaged.kill)
    with (damaged.folder / where.splitlines()[-1]).open("r+b") as file:
        file.seek(PAGE_BYTES // 2)
        content = file.read(16)
        file.seek(PAGE_BYTES // 2)
        file.write(bytes(255 - value for value in content))
    log = damaged.folder.parent / "server.log"

    async def is_reported() -> bool:
        return "page verification failed" in log.read_text(errors="replace")

    found = await until(is_reported, FOUND_SECONDS)
    await database.fail_over()
    assert found, "no process read the damaged page"


async def lose_log_of_primary(scene: Scene) -> None:
    """Lose the write-ahead log of the primary, which cannot start again; fail over."""
    database = scene.cell.database
    lost = database.primary
    await asyncio.to_thread(lost.kill)
    shutil.rmtree(lost.folder / "pg_wal")
    await database.fail_over()


async def fail_over_beside_lagging_standby(scene: Scene) -> None:
    """Lose the primary while one standby has not received the last commits."""
    database = scene.cell.database
    lagging = next(server for server in database.servers if server is not database.primary)
    with lagging.suspend():
        await asyncio.sleep(DAMAGED_PLAY_SECONDS)
        await database.fail_over(without=lagging)
    await asyncio.to_thread(lagging.restart)
