"""The public answers about divisions of a championship, at present and as of a past time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.component.read_models.test_history import CALLER

from faristol.consumers import Progress, generations, tables
from faristol.event_store import Checkpoint, Decision, Metadata, Record, Write
from faristol.event_store.positions import move_checkpoint
from faristol.kernel.errors import NotFound
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import service as results_service
from faristol.read_models.projections.projection import projection
from faristol.read_models.storage.models import ReadModels
from faristol.rules import load_ruleset

NOON = datetime(2026, 3, 7, 12, tzinfo=UTC)
DIVISIONS = {"copa": "A", "copa-b": "B", "copa-c": "C"}


def create_tournament(tournament_id: str, division: str = "", division_of: str = "") -> list[Message]:
    rules = load_ruleset("fisc-2023")
    return [
        pairing.TournamentCreated(
            tournament_id=tournament_id,
            name="Copa",
            rounds=5,
            division=division,
            division_of=division_of,
            occurred_at=to_timestamp(NOON),
        ),
        pairing.RulesetPinned(ruleset=game.Pin(name=rules.name, digest=rules.digest)),
    ]


def add_division(tournament_id: str) -> pairing.DivisionAdded:
    division = pairing.Division(tournament_id=tournament_id, name=DIVISIONS[tournament_id])
    return pairing.DivisionAdded(division=division, occurred_at=to_timestamp(NOON))


class Cell:
    """A record whose clock advances by a minute for each append, and the results service on it."""

    def __init__(self, record: Record, clock: list[datetime]) -> None:
        self.record = record
        self._clock = clock
        self._work = projection()
        self.service: Any = results_service.services(ReadModels(record, Progress(record, self._work.consumer)))[0]

    async def append(self, *writes: tuple[str, int, Sequence[Message]]) -> None:
        self._clock[0] += timedelta(minutes=1)
        before = await self.record.last_position()
        decided = [Write(f"tournament-{write}", version, new_events, write) for write, version, new_events in writes]
        await self.record.append(Decision(decided), Metadata())
        for event in await self.record.read(before):
            async with self.record.writing() as connection:
                await move_checkpoint(connection, Checkpoint(self._work.consumer, event.position - 1, event.position))
                await self._work.apply(connection, [event])

    async def list_divisions(self, when: datetime | None = None) -> dict[str, tuple[str, str, list[str]]]:
        """Return division, first division and ids of all divisions of each tournament, alone and in the list."""
        as_of: dict[str, Any] = {} if when is None else {"as_of": to_timestamp(when)}
        found = {}
        answer = await self.service.ListTournaments(results.ListTournamentsRequest(**as_of), CALLER)
        for tournament in answer.tournaments:
            request = results.GetTournamentRequest(tournament_id=tournament.tournament_id, **as_of)
            assert (await self.service.GetTournament(request, CALLER)).tournament == tournament
            ids = [division.tournament_id for division in tournament.divisions]
            assert [division.name for division in tournament.divisions] == [DIVISIONS[known] for known in ids]
            found[tournament.tournament_id] = (tournament.division, tournament.division_of, ids)
        return found


@pytest.fixture
async def cell(database_url: str) -> Cell:
    clock = [NOON]
    record = await Record.open(database_url, lambda: clock[0])
    made = Cell(record, clock)
    async with record.writing() as connection:
        await tables.make(connection)
        await generations.create_first_generation(connection, projection())
    return made


async def test_every_division_shows_all_of_them_now_and_as_they_were(cell: Cell) -> None:
    await cell.append(("copa", 0, create_tournament("copa")))
    await cell.append(
        ("copa-b", 0, create_tournament("copa-b", "B", "copa")),
        ("copa", 2, [add_division("copa"), add_division("copa-b")]),
    )
    await cell.append(("copa-c", 0, create_tournament("copa-c", "C", "copa")), ("copa", 4, [add_division("copa-c")]))
    two, three = ["copa", "copa-b"], ["copa", "copa-b", "copa-c"]
    then = [
        {"copa": ("", "", [])},
        {"copa": ("A", "", two), "copa-b": ("B", "copa", two)},
        {"copa": ("A", "", three), "copa-b": ("B", "copa", three), "copa-c": ("C", "copa", three)},
    ]
    assert await cell.list_divisions() == then[2]
    # B has no further events: as of a time before C, it still shows no C.
    for minutes, expected in enumerate(then, 1):
        assert await cell.list_divisions(NOON + timedelta(minutes=minutes, seconds=30)) == expected
    with pytest.raises(NotFound):
        await cell.service.GetTournament(results.GetTournamentRequest(tournament_id="copa-b", as_of_position=2), CALLER)
    await cell.record.close()


async def test_a_tournament_that_is_created_as_the_first_division_knows_itself(cell: Cell) -> None:
    await cell.append(("copa", 0, create_tournament("copa", "A")))
    assert await cell.list_divisions() == {"copa": ("A", "", ["copa"])}
    await cell.record.close()


async def test_standings_pairings_and_crosstable_say_their_division(cell: Cell) -> None:
    await cell.append(("copa", 0, create_tournament("copa", "A")))
    paired = pairing.RoundPaired(
        round=1,
        pairings=[pairing.Pairing(table=1, game_id="copa-r1-t1", first_player_id="anna", second_player_id="biel")],
        occurred_at=to_timestamp(NOON),
    )
    players = [pairing.PlayerRegistered(player_id=name, rating=1500) for name in ("anna", "biel")]
    await cell.append(("copa", 2, [*players, paired]))
    for position in (0, await cell.record.last_position()):
        standings = await cell.service.GetStandings(
            results.GetStandingsRequest(tournament_id="copa", as_of_position=position), CALLER
        )
        pairings = await cell.service.GetPairings(
            results.GetPairingsRequest(tournament_id="copa", round=1, as_of_position=position), CALLER
        )
        crosstable = await cell.service.GetCrosstable(
            results.GetCrosstableRequest(tournament_id="copa", as_of_position=position), CALLER
        )
        assert (standings.division, pairings.division, crosstable.division) == ("A", "A", "A")
    report = await cell.service.GetReport(results.GetReportRequest(tournament_id="copa"), CALLER)
    assert "012 Copa (A)\r\n" in report.text
    await cell.record.close()
