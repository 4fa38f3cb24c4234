"""What happens to a cell: each fault does it, mends it as whoever runs a cluster would, and ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nats
from nats.aio.client import Client
from tests.campaigns.faults.cell import AS_INSTALLED, REPLICAS, Cell, until
from tests.campaigns.faults.load import Load
from tests.campaigns.faults.release import Release
from tests.component import nats_cluster
from tests.component.processes import START_SECONDS
from tests.support.certificates import signed

from faristol.bus.permissions import NOTIFICATION_STREAM

DISK_MB = 200
"""Size of the disk that is filled: an empty database and its log take half of it."""
FILLED_SECONDS = 120.0
"""Within which a command has to find that the disk is full."""
FULL_SECONDS = 5.0
"""For how long a disk stays full, after the first command that found it so."""
NODE_AWAY = 8.0
"""Seconds for which a server of NATS is away."""
ROTATION = 3.0
"""Seconds between two steps of a rotation: whoever reads certificates looks every second."""
OFF = "5m"
"""By how much the clock of a node is off."""
WITH_A_CLOCK = 20.0
"""Seconds of play with what is off, or of two versions, before it ends."""


class Untried(Exception):
    """The fault cannot be made on this machine; the message says why."""


@dataclass
class Scene:
    """What a fault works on."""

    cell: Cell
    load: Load
    disk: Path | None
    """Where the disk is that can be filled."""
    release: Release | None


@dataclass(frozen=True)
class Fault:
    """A fault, and what the cell has to be for it."""

    name: str
    what: str
    strike: Callable[[Scene], Awaitable[None]]
    by: Callable[[str, int, Release | None], Sequence[str]] = lambda *_: AS_INSTALLED
    """What starts a replica of a service."""
    small_disk: bool = False
    two_versions: bool = False
    other_clock: bool = False


async def nothing(_: Scene) -> None:
    """The undisturbed run."""


async def roll(scene: Scene) -> None:
    """Each replica is replaced, one after another."""
    for number in range(REPLICAS):
        for replica in scene.cell.of():
            if replica.number == number:
                code = await scene.cell.restart(replica)
                assert code == 0, f"{replica.name} ended with {code}"


async def kill(scene: Scene) -> None:
    """Each replica is killed, one after another, and started again at once."""
    for number in range(REPLICAS):
        for replica in scene.cell.of():
            if replica.number == number:
                await replica.end(signal.SIGKILL)
                replica.start()
                assert await until(replica.ready, START_SECONDS), f"{replica.name} is not ready"


async def drop(scene: Scene) -> None:
    """Each replica goes without a word before, and without time for what it is at."""
    for number in range(REPLICAS):
        for replica in scene.cell.of():
            if replica.number == number:
                await scene.cell.restart(replica, drain=False)


async def fail_over(scene: Scene) -> None:
    """The primary of the database is lost."""
    await scene.cell.database.fail_over()


async def lose_node(scene: Scene) -> None:
    """The server of NATS on which the news is led is killed, and comes back."""
    leader = await _leader(scene.cell)
    await leader.kill()
    await asyncio.sleep(NODE_AWAY)
    await leader.start()


async def _client(cell: Cell) -> Client:
    tls = cell.folder / "tls"
    urls = nats_cluster.url_of(cell.nodes, tls).split(",")
    return await nats.connect(urls, tls=nats_cluster.context_of(tls), connect_timeout=5)


async def _leader(cell: Cell) -> nats_cluster.Node:
    client = await _client(cell)
    try:
        information = await client.jetstream().stream_info(NOTIFICATION_STREAM)
    finally:
        await client.close()
    assert information.cluster
    return cell.nodes[int(str(information.cluster.leader).rpartition("-")[2])]


async def wipe(scene: Scene) -> None:
    """The stream of news is deleted, with all that it held and with every consumer's place in it."""
    client = await _client(scene.cell)
    try:
        await client.jetstream().delete_stream(NOTIFICATION_STREAM)
    finally:
        await client.close()


async def fill(scene: Scene) -> None:
    """The disk of the database is full for a while."""
    assert scene.disk
    ballast = scene.disk / "ballast"
    with ballast.open("wb") as file:
        free = os.statvfs(scene.disk)
        file.write(bytes(free.f_bavail * free.f_frsize))

    async def is_refused() -> bool:
        return bool(scene.load.counts.again)

    assert await until(is_refused, FILLED_SECONDS), "no command found the disk full"
    await asyncio.sleep(FULL_SECONDS)
    ballast.unlink()


async def rotate(scene: Scene) -> None:
    """Every certificate is replaced twice, and the authority by another; a server of NATS is started again at last."""
    cell = scene.cell
    old, new = cell.authority, signed("another authority")
    for by, taken in ((old, (old,)), (old, (old, new)), (new, (old, new)), (new, (new,))):
        cell.certify(by, *taken)
        for node in cell.nodes:
            node.reload()
        await asyncio.sleep(ROTATION)
    await cell.nodes[0].kill()
    await cell.nodes[0].start()


async def play_on(_: Scene) -> None:
    """Go on for a while with what is off from the start."""
    await asyncio.sleep(WITH_A_CLOCK)


async def upgrade(scene: Scene) -> None:
    """One replica of each service is of the version before; after a while of both, they are replaced, too."""
    await asyncio.sleep(WITH_A_CLOCK)
    for replica in scene.cell.of():
        if replica.by:
            code = await scene.cell.restart(replica, by=AS_INSTALLED)
            assert code == 0, f"{replica.name} ended with {code}"


def clock_of(sign: str) -> Callable[[str, int, Release | None], Sequence[str]]:
    """Starts the second replica of each service by a clock that is off."""

    def by(_: str, number: int, __: Release | None) -> Sequence[str]:
        given = (f"LD_PRELOAD={_faketime()}", f"FAKETIME={sign}{OFF}", "DONT_FAKE_MONOTONIC=1")
        return ("env", *given) if number else AS_INSTALLED

    return by


def older(_: str, number: int, release: Release | None) -> Sequence[str]:
    """Starts the first replica of each service from the version before; the first of all makes the record."""
    assert release
    return AS_INSTALLED if number else release.by


def _faketime() -> Path:
    """The library that gives a process another time of day. Raises ``Untried``."""
    found = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if found is None:
        raise Untried("there is no libfaketime on this machine")
    return found


def check(fault: Fault) -> None:
    """Raise ``Untried`` where this machine lacks what a fault needs."""
    if fault.other_clock:
        _faketime()


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of its own. Raises ``Untried`` where none can be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise Untried("a small file system cannot be mounted here: only root can")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


NOTHING = Fault("nothing", "the undisturbed run", nothing)

FAULTS = (
    NOTHING,
    Fault("rollout", "every process replaced, one after another, with drain", roll),
    Fault("kill", "every process killed (SIGKILL), one after another", kill),
    Fault("no-drain", "every process ended without drain: SIGTERM, SIGKILL 0.1 s later", drop),
    Fault("failover", "PostgreSQL: the primary killed, the most advanced standby promoted", fail_over),
    Fault("nats-node", f"NATS: the leader of three killed, back after {NODE_AWAY:.0f} s", lose_node),
    Fault("full-disk", "PostgreSQL: its disk full, then free space again", fill, small_disk=True),
    Fault("wiped", "NATS: the stream deleted", wipe),
    Fault("certificates", "certificates and their authority replaced, on gRPC and NATS", rotate),
    Fault("clock-ahead", f"the clock of one node {OFF} ahead", play_on, by=clock_of("+"), other_clock=True),
    Fault("clock-behind", f"the clock of one node {OFF} behind", play_on, by=clock_of("-"), other_clock=True),
    Fault("versions", "the version before beside this one, then replaced", upgrade, by=older, two_versions=True),
)
