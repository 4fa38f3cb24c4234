"""The checks of the record, its read models and its consumers after kills.

Each function yields a sentence for every error.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from sqlalchemy import func, select
from tests.campaigns.torture import facts
from tests.campaigns.torture.clients import Network
from tests.campaigns.torture.ledger import Acknowledged, Ledger
from tests.component import contents
from tests.component.processes import faristol

from faristol.client.services import ATTEMPT_TIMEOUT_SECONDS
from faristol.consumers.parked import all_parked
from faristol.consumers.status import State, status
from faristol.consumers.stopped import all_stopped
from faristol.event_store import Record, stored
from faristol.event_store.backends import tables
from faristol.event_store.integrity import seals
from faristol.read_models.projections.projection import projection

CATCH_UP_SECONDS = 60.0
"""Seconds for consumers to reach the end of the record after the last append: leases of the killed run expire within 6
s.
"""
LOOKUP_SIZE = 500
"""Commands that are looked up in one statement."""
RESENT_COUNT = 80
"""Acknowledged commands that are sent again in each judgement."""


@asynccontextmanager
async def open_record(url: str) -> AsyncIterator[Record]:
    """Yield the record for a check: an open SQLite database needs no recovery after a crash of another process."""
    record = await Record.open(url, create=False)
    try:
        yield record
    finally:
        await record.close()


async def at_a_glance(record: Record, acknowledged: Sequence[Acknowledged]) -> list[str]:
    """Return the problems that can be found quickly under load: these commands are stored, no position is missing."""
    wrong: list[str] = []
    async with record.reading() as connection:
        counter, last = await stored.end(connection)
        count = (await connection.execute(select(func.count()).select_from(tables.events))).scalar_one()
        if not counter == last == count:
            wrong.append(f"the counter is at {counter}, the last event at {last}, and there are {count} events")
        kept: dict[str, tuple[bytes, int]] = {}
        for start in range(0, len(acknowledged), LOOKUP_SIZE):
            ids = [command.command_id for command in acknowledged[start : start + LOOKUP_SIZE]]
            found = await connection.execute(select(tables.commands).where(tables.commands.c.command_id.in_(ids)))
            kept |= {row.command_id: (bytes(row.answer), row.position) for row in found}
        halted = await all_stopped(connection)
        waiting = [row for rows in (await all_parked(connection)).values() for row in rows]
    return [
        *wrong,
        *(f"{line.consumer} has stopped before position {line.position}: {line.error}" for line in halted),
        *(f"{row.consumer} has parked {row.key} at position {row.position}: {row.error}" for row in waiting),
        *facts.unkept(acknowledged, kept),
    ]


async def against_the_ledger(
    record: Record, acknowledged: Collection[Acknowledged], sent: Collection[str]
) -> list[str]:
    """Return the acknowledged commands that are not stored once with their answer, and the ones that no client sent."""
    kept = {
        command_id: (answer, at) for command_id, answer, at in (await contents.rows(record, "commands"))["commands"]
    }
    events = await contents.read_stored(record)
    async with record.reading() as connection:
        counter, _ = await stored.end(connection)
    return [
        *facts.unkept(acknowledged, kept),
        *facts.find_unsent(sent, kept),
        *facts.done_otherwise(acknowledged, events),
        *facts.holes(events, counter),
        *facts.said_twice(events),
    ]


async def caught_up(record: Record, seconds: float = CATCH_UP_SECONDS) -> list[str]:
    """Check that, after the last append, every consumer reaches the end of the record, and all of it is sealed."""
    give_up = time.monotonic() + seconds
    while True:
        lines, last = await status(record)
        lines = [line for line in lines if line.state is not State.OLDER]  # the processes that followed by it are gone
        async with record.reading() as connection:
            sealed = newest.to_position if (newest := await seals.last(connection)) else 0
        wrong = [f"{line.name} is {line.state} at position {line.position} of {last}" for line in lines if line.lag]
        if sealed < last:
            wrong.append(f"seals reach to position {sealed} of {last}")
        stopped = [line for line in lines if line.state is not State.LIVE]
        if stopped or not wrong or time.monotonic() > give_up:
            return wrong + [f"{line.name} is {line.state}: {line.stopped}" for line in stopped]
        await asyncio.sleep(0.2)


def check_verification(url: str, public_key: Path, *, last: int | None = None, from_seal: bool = False) -> list[str]:
    """Check that `faristol record verify` finds order, hashes and seals valid, up to ``last`` if that is known."""
    options = ["--json", "--public-key", str(public_key), *(["--from-seal"] if from_seal else [])]
    said = faristol("record", "verify", *options, database_url=url, timeout=600)
    try:
        verdict = json.loads(said.stdout)
    except json.JSONDecodeError:
        return [f"faristol record verify ended with code {said.returncode} and said {said.stderr.strip()!r}"]
    if said.returncode or verdict["wrong"]:
        return [f"faristol record verify says: wrong at {verdict['wrong']}"]
    if last is not None and verdict["position"] != last:
        return [f"faristol record verify came to position {verdict['position']}, and the record ends at {last}"]
    return []


async def check_rebuild(record: Record, url: str) -> list[str]:
    """Check that the read models, rebuilt by `faristol projection rebuild`, equal the live ones byte for byte."""
    live, before = await contents.read_models(record, projection())
    said = await asyncio.to_thread(faristol, "projection", "rebuild", database_url=url, timeout=600)
    if said.returncode:
        return [f"faristol projection rebuild ended with code {said.returncode}: {said.stderr.strip()}"]
    again, after = await contents.read_models(record, projection())
    if before.position != after.position:
        return [f"the read models moved from position {before.position} to {after.position} while nobody appended"]
    return list(unequal(live, again))


def unequal(live: Iterable[Sequence[Any]], rebuilt: Iterable[Sequence[Any]]) -> list[str]:
    """Return the rows of read models, by table and key, that the live tables and the rebuilt ones do not have alike."""
    differing = {tuple(row) for row in live} ^ {tuple(row) for row in rebuilt}
    return sorted(
        {f"the {table} {key} of the read models is not as it is when it is rebuilt" for table, key, *_ in differing}
    )


async def asked_again(network: Network, again: Sequence[Acknowledged], chance: random.Random) -> list[str]:
    """Return a command that is sent again, to any replica, gets its first answer."""
    wrong = []
    for command in again:
        address = chance.choice(network.replicas[command.method.split(".")[1]])
        method: Any = network.channel(address).unary_unary(command.method, None, None)
        try:
            answer = await method(command.request.SerializeToString(), timeout=ATTEMPT_TIMEOUT_SECONDS)
        except grpc.aio.AioRpcError as problem:
            wrong.append(f"{command}, sent again, is refused: {problem.code().name}, {problem.details()}")
            continue
        if answer != command.answer:
            wrong.append(f"{command}, sent again, is answered otherwise")
    return wrong


async def full(
    record: Record, url: str, public_key: Path, network: Network, ledger: Ledger, chance: random.Random
) -> list[str]:
    """Return all problems, while no client calls and every process serves."""
    acknowledged = list(ledger.acknowledged.values())
    wrong: list[str] = []
    async with record.reading() as connection:
        has_seals = await seals.last(connection) is not None
    if has_seals:
        wrong += await asyncio.to_thread(check_verification, url, public_key, from_seal=True)
    wrong += await caught_up(record)
    last = await record.last_position()
    wrong += await against_the_ledger(record, acknowledged, ledger.sent)
    wrong += await asyncio.to_thread(check_verification, url, public_key, last=last)
    newest = acknowledged[-RESENT_COUNT // 4 :]
    older = chance.sample(acknowledged, min(len(acknowledged), RESENT_COUNT - len(newest)))
    wrong += await asked_again(network, [*newest, *older], chance)
    wrong += await check_rebuild(record, url)
    if (now := await record.last_position()) != last:
        wrong.append(f"the record grew from position {last} to {now}, though no new command was sent")
    return wrong
