from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.unit.lexicon.court import Court, command, now, sitting

from faristol.bus import Live, Progress, Rebuild, read
from faristol.lexicon import docket
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.words import Installed, Library

ANY, ANYS = ("A", "NY"), ("A", "NY", "S")


@pytest.fixture
async def court(tmp_path: Path, library: Library, catalan: Installed, shared_nats: str) -> AsyncIterator[Court]:
    async with sitting(tmp_path, library.path, shared_nats, catalan.digest) as made:
        yield made


async def rows(court: Court) -> tuple[dict[str, list[tuple[object, ...]]], Live]:
    """Every row of the docket that is read, by table."""

    async def look(connection, live):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        tables = docket.tables(live.version, live.generation)
        found = {}
        for name in ("cases", "words", "judges", "games", "closed"):
            table = getattr(tables, name)
            found[name] = sorted(tuple(row) for row in await connection.execute(select(table)))
        return found

    return await read(court.record, docket.projection(), look)


async def test_a_docket_built_again_is_the_live_one(court: Court) -> None:
    await court.open_game("cup-r1-t1")
    ruled = await court.challenge("cup-r1-t1", ANY, ANYS)
    await court.came(ruled, events.CaseRuled)
    await court.set_mode(events.MODE_JUDGE)
    await court.appoint("ada", languages=["ca", "es"])
    await court.direct.DismissJudge(
        pb.DismissJudgeRequest(command_id=command(), tournament_id="cup", judge_id="carles")
    )
    waits = await court.challenge("cup-r1-t1", ANYS, number=2)
    await court.queued("ada", waits)
    await court.open_game("cup-r1-t2")
    gone = await court.challenge("cup-r1-t2", ANY)
    await court.queued("ada", gone)
    await court.add("game-cup-r1-t2", game_events.GameEnded(occurred_at=now()))
    await court.came(gone, events.CaseWithdrawn)
    await court.close_round(1)
    await court.close_round(1)
    last = await court.record.last_position()
    assert await Progress(court.record, docket.projection().consumer).reached(last, 20)
    lived, _ = await rows(court)
    await Rebuild(court.record, docket.projection()).run()
    rebuilt, where = await rows(court)
    assert (where.generation, where.position) == (2, last)
    assert rebuilt == lived
    assert {(row[0], row[6], row[7]) for row in rebuilt["cases"]} == {
        (ruled, False, True),
        (waits, True, False),
        (gone, False, False),
    }
    assert [(row[0], row[2], row[3]) for row in rebuilt["judges"]] == [
        ("ada", "ca es", False),
        ("berta", "ca", False),
        ("head", "en", True),
    ]
    assert rebuilt["closed"] == [("cup", 1)]
    assert len(rebuilt["words"]) == 4
