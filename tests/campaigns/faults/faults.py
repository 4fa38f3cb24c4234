"""Faults of a cell: each injects a fault, repairs it as an operator of a cluster would, and ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.faults import damage
from tests.campaigns.faults.cell import AS_INSTALLED, REPLICA_COUNT, until
from tests.campaigns.faults.release import Release
from tests.campaigns.faults.scene import Scene, Untried, connect_to_nats, find_leader
from tests.component.processes import FARISTOL, START_SECONDS, environment
from tests.support.certificates import sign_certificate

from faristol.bus.permissions import NOTIFICATION_STREAM

DISK_MB = 200
"""Size of the disk that is filled: an empty database and its log take half of it."""
FILLED_SECONDS = 120.0
"""Within which a command has to find that the disk is full."""
FULL_SECONDS = 5.0
"""For how long a disk stays full, after the first command that found it so."""
NODE_OUTAGE_SECONDS = 8.0
"""Seconds for which a server of NATS is away."""
ROTATION_STEP_SECONDS = 3.0
"""Seconds between two steps of a rotation: readers check certificates every second."""
OFF = "5m"
"""By how much the clock of a node is off."""
FAULTY_PLAY_SECONDS = 20.0
"""Seconds of play with a wrong clock, or with two versions, before it ends."""

UPGRADE = "an upgrade from the version before: record prepared, both versions for a while, record migrated"


@dataclass(frozen=True)
class Fault:
    """A fault, and the required cell."""

    name: str
    what: str
    strike: Callable[[Scene], Awaitable[None]]
    by: Callable[[str, int, Release | None], Sequence[str]] = lambda *_: AS_INSTALLED
    """The start of a service's replica."""
    small_disk: bool = False
    two_versions: bool = False
    other_clock: bool = False


async def nothing(_: Scene) -> None:
    """Inject no fault: the undisturbed run."""


async def roll(scene: Scene) -> None:
    """Replace each replica, one after another."""
    for number in range(REPLICA_COUNT):
        for replica in scene.cell.of():
            if replica.number == number:
                code = await scene.cell.restart(replica)
                assert code == 0, f"{replica.name} ended with {code}"


async def kill(scene: Scene) -> None:
    """Kill each replica, one after another, and restart it at once."""
    for number in range(REPLICA_COUNT):
        for replica in scene.cell.of():
            if replica.number == number:
                await replica.end(signal.SIGKILL)
                replica.start()
                assert await until(replica.ready, START_SECONDS), f"{replica.name} is not ready"


async def drop(scene: Scene) -> None:
    """End each replica without notice, and without time for its running work."""
    for number in range(REPLICA_COUNT):
        for replica in scene.cell.of():
            if replica.number == number:
                await scene.cell.restart(replica, drain=False)


async def fail_over(scene: Scene) -> None:
    """Lose the primary of the database."""
    await scene.cell.database.fail_over()


async def lose_node(scene: Scene) -> None:
    """Kill the server of NATS that leads the stream of notifications, and restart it."""
    leader = await find_leader(scene.cell)
    await leader.kill()
    await asyncio.sleep(NODE_OUTAGE_SECONDS)
    await leader.start()


async def wipe(scene: Scene) -> None:
    """Delete the stream of notifications, with its messages and the position of every consumer."""
    client = await connect_to_nats(scene.cell)
    try:
        await client.jetstream().delete_stream(NOTIFICATION_STREAM)
    finally:
        await client.close()


async def fill(scene: Scene) -> None:
    """Fill the disk of the database for a while."""
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
    """Replace every certificate twice, and the authority once; restart a server of NATS at the end."""
    cell = scene.cell
    old, new = cell.authority, sign_certificate("another authority")
    for by, taken in ((old, (old,)), (old, (old, new)), (new, (old, new)), (new, (new,))):
        cell.certify(by, *taken)
        for node in cell.nodes:
            node.reload()
        await asyncio.sleep(ROTATION_STEP_SECONDS)
    await cell.nodes[0].kill()
    await cell.nodes[0].start()


async def play_on(_: Scene) -> None:
    """Continue for a while with the fault that was there from the start."""
    await asyncio.sleep(FAULTY_PLAY_SECONDS)


async def upgrade(scene: Scene) -> None:
    """Upgrade the cell as ``docs/operations.md`` says: prepare the record, replace the replicas one after another with
    a while of both versions, then migrate the record. An archive of the previous version is restored in this one.
    """
    assert scene.release
    archive, restored = scene.cell.folder / "before.archive", scene.cell.folder / "restored.db"
    at = ("--database-url", scene.cell.database.url)
    await _run("record", "export", str(archive), "--with-people", *at, by=scene.release.by)
    await _run("record", "migrate", "--pre", *at)
    for number in range(REPLICA_COUNT):
        for replica in scene.cell.of():
            if replica.number == number:
                code = await scene.cell.restart(replica, by=AS_INSTALLED)
                assert code == 0, f"{replica.name} ended with {code}"
        await asyncio.sleep(FAULTY_PLAY_SECONDS)
    await _run("record", "migrate", *at)
    own = ("--database-url", f"sqlite:///{restored}")
    await _run("record", "restore", str(archive), "--erased", "none", *own)
    await _run("record", "verify", "--public-key", str(scene.cell.public_key), *own)


async def _run(*arguments: str, by: Sequence[str] = AS_INSTALLED) -> None:
    """Run a command of Faristol while the cell runs. Raises ``AssertionError`` if it fails."""
    process = await asyncio.create_subprocess_exec(
        *by, FARISTOL, *arguments, env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, f"{' '.join(arguments)}: {output.decode(errors='replace')}"


def clock_of(sign: str) -> Callable[[str, int, Release | None], Sequence[str]]:
    """Return the start of the second replica of each service by a clock that is wrong."""

    def by(_: str, number: int, __: Release | None) -> Sequence[str]:
        given = (f"LD_PRELOAD={_faketime()}", f"FAKETIME={sign}{OFF}", "DONT_FAKE_MONOTONIC=1")
        return ("env", *given) if number else AS_INSTALLED

    return by


def older(_: str, __: int, release: Release | None) -> Sequence[str]:
    """Return the start of a replica in the previous version, which creates the record."""
    assert release
    return release.by


def _faketime() -> Path:
    """Return the library that gives a process another time of day. Raises ``Untried``."""
    found = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if found is None:
        raise Untried("there is no libfaketime on this machine")
    return found


def check(fault: Fault) -> None:
    """Raise ``Untried`` if this machine lacks a tool of a fault."""
    if fault.other_clock:
        _faketime()


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Yield a separate file system. Raises ``Untried`` if none can be mounted."""
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
    Fault("nats-node", f"NATS: the leader of three killed, back after {NODE_OUTAGE_SECONDS:.0f} s", lose_node),
    Fault(
        "nats-bits",
        "NATS: bits flipped in the messages of the leader of three while it runs",
        damage.flip_bits_of_messages,
    ),
    Fault("nats-truncated", "NATS: the messages of one of three cut in half", damage.truncate_messages),
    Fault("nats-snapshots", "NATS: bits flipped in the snapshots of one of three", damage.damage_snapshots),
    Fault("nats-paused", "NATS: the leader of three stands still, another is killed", damage.pause_node),
    Fault("nats-replaced", "NATS: one of three replaced by an empty server", damage.replace_node),
    Fault("nats-power", "NATS: power lost on all three, with the writes of 5 s", damage.lose_power_of_nats),
    Fault("page", "PostgreSQL: a damaged page of the events, then a failover", damage.damage_page),
    Fault(
        "wal-lost", "PostgreSQL: the write-ahead log of the primary lost, then a failover", damage.lose_log_of_primary
    ),
    Fault(
        "lagging",
        "PostgreSQL: the primary killed while a standby lags",
        damage.fail_over_beside_lagging_standby,
    ),
    Fault("full-disk", "PostgreSQL: its disk full, then free space again", fill, small_disk=True),
    Fault("wiped", "NATS: the stream deleted", wipe),
    Fault("certificates", "certificates and their authority replaced, on gRPC and NATS", rotate),
    Fault("clock-ahead", f"the clock of one node {OFF} ahead", play_on, by=clock_of("+"), other_clock=True),
    Fault("clock-behind", f"the clock of one node {OFF} behind", play_on, by=clock_of("-"), other_clock=True),
    Fault(
        "versions",
        "the version before replaced by this one, both for a while, and the record migrated",
        upgrade,
        by=older,
        two_versions=True,
    ),
)
