"""Answers as of a moment are those of that moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
import pytest_asyncio
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from tests.conftest import empty_database
from tests.support.synthetic import TOURNAMENT, Championship, append, game_id, keep_names

from faristol.consumers import Progress, generations, tables
from faristol.event_store import Checkpoint, Record
from faristol.event_store.positions import move_checkpoint
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import service as results_service
from faristol.read_models.projections.projection import projection, read_now
from faristol.read_models.storage.models import ReadModels

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROUNDS = (1, 2)
GAMES = tuple(game_id(round_, table) for round_ in ROUNDS for table in (1, 2))

Answers = dict[str, Message | None]


class Patient:
    """The caller of a service, without a deadline."""

    def time_remaining(self) -> None:
        """Return no deadline."""

    def invocation_metadata(self) -> None:
        """Return no language."""


CALLER = cast("Any", Patient())


@dataclass
class Hall:
    """A championship that was projected event by event, and every answer that was given on the way."""

    service: Any
    record: Record
    given: Mapping[int, Answers]
    """By position: at the first one, each third after it, and the last."""
    recorded_at: Mapping[int, datetime]
    """Of every event, by its position."""


async def answers(service: Any, **as_of: Any) -> Answers:
    """Return every answer that accepts a moment; None if the object did not exist then."""

    async def find(call: Coroutine[Any, Any, Message]) -> Message | None:
        try:
            return await call
        except NotFound:
            return None

    found: Answers = {
        "list": await find(service.ListTournaments(results.ListTournamentsRequest(**as_of), CALLER)),
        "tournament": await find(
            service.GetTournament(results.GetTournamentRequest(tournament_id=TOURNAMENT, **as_of), CALLER)
        ),
        "players": await find(
            service.ListPlayers(results.ListPlayersRequest(tournament_id=TOURNAMENT, **as_of), CALLER)
        ),
    }
    for number in (0, *ROUNDS):
        standings = results.GetStandingsRequest(tournament_id=TOURNAMENT, round=number, **as_of)
        found[f"standings {number}"] = await find(service.GetStandings(standings, CALLER))
    for number in ROUNDS:
        pairings = results.GetPairingsRequest(tournament_id=TOURNAMENT, round=number, **as_of)
        found[f"pairings {number}"] = await find(service.GetPairings(pairings, CALLER))
    for each in GAMES:
        found[each] = await find(service.GetGame(results.GetGameRequest(game_id=each, **as_of), CALLER))
    return found


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('history')}/record.db"
    return empty_database(request.getfixturevalue("postgres"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(url: str) -> AsyncIterator[Hall]:
    """Yield one for all tests, which only read: its creation takes longer than the tests."""
    clock = datetime(2026, 3, 7, 10, tzinfo=UTC)

    def now() -> datetime:
        nonlocal clock
        clock += timedelta(seconds=1)
        return clock

    record = await Record.open(url, now)
    await keep_names(record)
    work = projection()
    async with record.writing() as connection:
        await tables.make(connection)
        await generations.create_first_generation(connection, work)
    service = results_service.services(ReadModels(record, Progress(record, work.consumer), lag=0))[0]
    given: dict[int, Answers] = {}
    recorded_at: dict[int, datetime] = {}
    for step in Championship().steps():
        last = await append(record, step)
        for event in await record.read(max(recorded_at, default=0)):
            async with record.writing() as connection:
                await move_checkpoint(connection, Checkpoint(work.consumer, event.position - 1, event.position))
                await work.apply(connection, [event])
            if event.position % 3 == 1:
                given[event.position] = await answers(service)
            recorded_at[event.position] = event.recorded_at
        assert max(recorded_at) == last
    given[last] = await answers(service)
    yield Hall(service, record, given, recorded_at)
    await record.close()


async def test_an_answer_as_of_a_position_is_the_one_that_was_given_there(hall: Hall) -> None:
    assert len(hall.recorded_at) > 140
    for position, given in list(hall.given.items())[::3]:
        assert await answers(hall.service, as_of_position=position) == given, f"as of {position}"


async def test_an_answer_as_of_a_time_is_the_one_that_was_given_then(hall: Hall) -> None:
    last_before: dict[datetime, int] = {moment: position for position, moment in hall.recorded_at.items()}
    for moment, position in [each for each in last_before.items() if each[1] in hall.given][::5]:
        for later in (timedelta(0), timedelta(milliseconds=900)):
            found = await answers(hall.service, as_of=to_timestamp(moment + later))
            assert _without_position(found) == _without_position(hall.given[position]), f"as of {moment}"
    end = await answers(hall.service, as_of=to_timestamp(max(last_before) + timedelta(days=1)))
    assert end == hall.given[max(hall.given)]
    before = await answers(hall.service, as_of=to_timestamp(min(last_before) - timedelta(seconds=1)))
    assert before.pop("list") == results.ListTournamentsResponse()
    assert set(before.values()) == {None}


def _without_position(found: Answers) -> Answers:
    kept: Answers = {}
    for what, answer in found.items():
        if answer is not None:
            copy: Any = type(answer)()
            copy.CopyFrom(answer)
            copy.ClearField("position")
            answer = copy
        kept[what] = answer
    return kept


async def test_the_games_of_a_player_are_found_by_the_player_alone(hall: Hall) -> None:
    found, _ = await read_now(hall.record, lambda reader: reader.games_of_player("anna"))
    assert [game.game_id for game in found] == [game_id(1, 1), game_id(2, 2)]
    assert [[(seat.player_id, seat.score) for seat in game.seats] for game in found] == [
        [("anna", 15), ("carme", 111)],
        [("eloi", 10), ("anna", 48)],
    ]
    nobodys, _ = await read_now(hall.record, lambda reader: reader.games_of_player("nobody"))
    assert nobodys == []


async def test_what_is_as_of_nothing_that_can_be_is_refused(hall: Hall) -> None:
    last = max(hall.given)
    for wrong, told in (
        ({"as_of_position": -1}, "-1 is not a position"),
        ({"as_of_position": last + 1}, f"the record has not reached {last + 1}: its last position is {last}"),
        ({"as_of_position": 3, "as_of": to_timestamp(datetime.now(UTC))}, "expected a position or a time, not both"),
        ({"as_of_position": 3, "min_position": 3}, "expected as_of or min_position, not both"),
        ({"as_of": Timestamp(seconds=10**15)}, "as_of: is not a time between the years 1 and 9999"),
        ({"as_of": Timestamp(seconds=-(10**13))}, "as_of: is not a time between the years 1 and 9999"),
        ({"as_of": Timestamp(seconds=5, nanos=-7)}, "as_of: is not a time between the years 1 and 9999"),
    ):
        with pytest.raises(Invalid, match=told):
            await hall.service.GetGame(results.GetGameRequest(game_id=GAMES[0], **cast("Any", wrong)), CALLER)
        with pytest.raises(Invalid, match=told):
            await hall.service.ListTournaments(results.ListTournamentsRequest(**cast("Any", wrong)), CALLER)
    with pytest.raises(NotFound):
        await hall.service.GetGame(results.GetGameRequest(game_id=GAMES[3], as_of_position=20), CALLER)


async def test_many_who_look_back_at_once_all_get_their_answer(hall: Hall) -> None:
    positions = sorted(hall.given)[::3]
    found = await asyncio.gather(
        *(
            hall.service.GetGame(results.GetGameRequest(game_id=GAMES[0], as_of_position=position), CALLER)
            for position in positions
            if hall.given[position][GAMES[0]] is not None
        )
    )
    assert [each.position for each in found] == [p for p in positions if hall.given[p][GAMES[0]] is not None]
    assert any(entry.kind == results.ENTRY_KIND_PHONY for entry in found[-1].entries)
    assert found[-1].end_condition == game.END_CONDITION_OUT


async def test_a_tournament_is_not_there_before_its_rules_are(hall: Hall) -> None:
    created, pinned = 1, 2
    assert [type(each.message).__name__ for each in await hall.record.read(0, limit=2)] == [
        "TournamentCreated",
        "RulesetPinned",
    ]
    given = [each for each in hall.given[created].values() if each is not None]
    assert given == [results.ListTournamentsResponse(position=created)]
    for position, is_known in ((created, False), (pinned, True)):
        of: Any = {"tournament_id": TOURNAMENT, "as_of_position": position}
        asked: list[Coroutine[Any, Any, Message]] = [
            hall.service.GetTournament(results.GetTournamentRequest(**of), CALLER),
            hall.service.ListPlayers(results.ListPlayersRequest(**of), CALLER),
            hall.service.GetStandings(results.GetStandingsRequest(**of), CALLER),
            hall.service.GetTeamStandings(results.GetTeamStandingsRequest(**of), CALLER),
            hall.service.ListTeams(results.ListTeamsRequest(**of), CALLER),
            hall.service.GetCrosstable(results.GetCrosstableRequest(**of), CALLER),
            hall.service.GetReport(results.GetReportRequest(**of), CALLER),
        ]
        for call in asked:
            if is_known:
                await call
            else:
                with pytest.raises(NotFound, match=f"there is no tournament '{TOURNAMENT}'"):
                    await call


async def test_the_pages_of_an_answer_are_together_what_it_is_in_one(hall: Hall) -> None:
    asked: list[tuple[Any, Any, str]] = [
        (hall.service.ListPlayers, results.ListPlayersRequest, "players"),
        (hall.service.GetStandings, results.GetStandingsRequest, "standings"),
        (hall.service.GetCrosstable, results.GetCrosstableRequest, "rows"),
    ]
    for ask, request, items in asked:
        whole = await ask(request(tournament_id=TOURNAMENT), CALLER)
        assert len(getattr(whole, items)) > 2
        assert whole.next_page_token == ""
        found: list[Message] = []
        token = ""
        while token or not found:
            page = await ask(request(tournament_id=TOURNAMENT, page_size=2, page_token=token), CALLER)
            assert 1 <= len(getattr(page, items)) <= 2
            found += getattr(page, items)
            token = page.next_page_token
        assert found == list(getattr(whole, items))
        for wrong in ({"page_size": -1}, {"page_token": "²"}, {"page_token": "no"}):
            with pytest.raises(Invalid, match=next(iter(wrong))):
                await ask(request(tournament_id=TOURNAMENT, **wrong), CALLER)
