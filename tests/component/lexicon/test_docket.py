from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.support.court import Court, command, now, reason, sitting

from faristol.consumers import Live, Progress, Rebuild, read
from faristol.lexicon.adjudication.cases import docket, queries
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.words import InstalledLexicon, Library

ANY, ANYS = ("A", "NY"), ("A", "NY", "S")


@pytest.fixture
async def court(
    tmp_path: Path, library: Library, catalan: InstalledLexicon, shared_nats: str, database_url: str
) -> AsyncIterator[Court]:
    async with sitting(tmp_path, library.path, shared_nats, catalan.digest, database_url=database_url) as made:
        yield made


async def rows(court: Court) -> tuple[dict[str, list[tuple[object, ...]]], Live]:
    """Return every row of the docket that is read, by table."""

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
    await court.wait_for_case("ada", waits)
    await court.open_game("cup-r1-t2")
    gone = await court.challenge("cup-r1-t2", ANY)
    await court.wait_for_case("ada", gone)
    await court.add("game-cup-r1-t2", game_events.GameEnded(occurred_at=now()))
    await court.came(gone, events.CaseWithdrawn)
    await court.close_round(1)
    await court.close_round(1)
    last = await court.record.last_position()
    assert await Progress(court.record, docket.projection().consumer).wait_until_reached(last, 60)
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


async def test_the_list_of_rulings_is_read_page_by_page_and_none_is_left_out_or_told_twice(court: Court) -> None:
    challenged = []
    for game_id, round_ in (("cup-r2-t1", 2), ("cup-r1-t1", 1), ("cup-r1-t2", 1), ("cup-r3-t1", 3)):
        await court.open_game(game_id, round_)
        for number in (1, 2):
            await court.came(await court.challenge(game_id, ANY, number=number), events.CaseRuled)
            challenged.append((round_, game_id, number))
    for round_ in (2, 1):
        await court.close_round(round_)
    last = await court.record.last_position()
    assert await Progress(court.record, docket.projection().consumer).wait_until_reached(last, 60)

    async def page(size: int, token: str = "", round_: int = 0) -> pb.ListRulingsResponse:
        return await court.direct.ListRulings(
            pb.ListRulingsRequest(tournament_id="cup", round=round_, page_size=size, page_token=token)
        )

    expected = sorted((each for each in challenged if each[0] < 3), key=lambda each: each[0])
    for size in (1, 2, 3, 6, 7):
        found, token, pages = [], "", 0
        while pages == 0 or token:
            answer = await page(size, token)
            assert len(answer.rulings) <= size
            found += [(ruling.round, ruling.game_id, ruling.challenge) for ruling in answer.rulings]
            token, pages = answer.next_page_token, pages + 1
        assert (found, pages) == (expected, -(-6 // size))
    assert len((await page(1, round_=2)).rulings) == 1
    assert (await page(2, round_=2)).next_page_token == ""
    for size, token, field in ((-1, "", "page_size"), (1_001, "", "page_size"), (1, "1.2", "page_token")):
        why, sentence = await reason(page(size, token))
        assert (why, sentence.split(":")[0]) == ("INVALID", field)


async def test_the_cases_that_wait_are_told_of_one_tournament_alone(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game("cup-r1-t1")
    waits = await court.challenge("cup-r1-t1", ANY)
    await court.wait_for_case("ada", waits)
    assert [case.case_id for case in await queries.waiting(court.record, "cup")] == [waits]
    assert await queries.waiting(court.record, "lliga") == []
