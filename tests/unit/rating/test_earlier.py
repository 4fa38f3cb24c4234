"""The certainty of ratings, from earlier lists that are read once."""

from __future__ import annotations

import asyncio
import random

import pytest

from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.games import Rated
from faristol.rating.model import RatingList, TournamentView

GLICKO = RatingList(system="glicko2-1")
PLAYERS = [f"p{number}" for number in range(6)]
TOURNAMENT = TournamentView(players=[Rated(player_id, 1500) for player_id in PLAYERS])


async def publish(record: Record, tournament: str, deviations: dict[str, int], system: str = "glicko2-1") -> int:
    """Publish a list, or the list of the tournament again; return its last position."""
    stream = f"ratings-{tournament}"
    version = len(await record.read_stream(stream))
    lines = [
        events.RatingUpdated(player_id=player_id, after=1500, deviation=deviation, volatility=60_000)
        for player_id, deviation in deviations.items()
    ]
    published = events.RatingListPublished(tournament_id=tournament, system=system, revision=min(1, version))
    await record.append(Decision([Write(stream, version, [published, *lines], tournament)]), Metadata())
    return await record.last_position()


def deviations(tournament: TournamentView) -> dict[str, int]:
    return {player.player_id: player.deviation for player in tournament.players if player.deviation}


async def test_at_every_position_the_last_lists_before_it_are_told_in_whatever_order_is_asked(record: Record) -> None:
    chance = random.Random(7)
    expected = {0: dict[str, int]()}
    for _ in range(30):
        tournament = chance.choice(["cup", "open", "lliga"])
        new = {player_id: chance.randint(1, 350_00) for player_id in chance.sample(PLAYERS, 3)}
        before = expected[max(expected)]
        expected[await publish(record, tournament, new)] = before if tournament == "open" else {**before, **new}
    earlier = EarlierDeviations(record)
    asked = list(expected)
    chance.shuffle(asked)

    for position in asked:
        assert deviations(await earlier.before("open", TOURNAMENT, GLICKO, position)) == expected[position]


async def test_lists_are_read_once_by_however_many_ask(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        end = await publish(record, f"cup-{number}", dict.fromkeys(PLAYERS, 80_00 - number))
    read = list[Recorded]()
    plain = record.read

    async def count_read(*args: int, **limits: object) -> list[Recorded]:
        found = await plain(*args, **limits)  # type: ignore[arg-type] # they are passed on
        read.extend(found)
        return found

    monkeypatch.setattr(record, "read", count_read)
    monkeypatch.setattr("faristol.rating.earlier.RATING_BATCH_LINES", 4)
    earlier = EarlierDeviations(record)

    seen = await asyncio.gather(*(earlier.before("open", TOURNAMENT, GLICKO, end) for _ in range(5)))

    assert [deviations(list_seen) for list_seen in seen] == [dict.fromkeys(PLAYERS, 80_00 - 4)] * 5
    assert len(read) == 5 * len(PLAYERS)
    end = await publish(record, "later", {"p0": 40_00})
    assert deviations(await earlier.before("open", TOURNAMENT, GLICKO, end))["p0"] == 40_00
    assert len(read) == 5 * len(PLAYERS) + 1


async def test_a_system_without_deviations_reads_no_list(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    end = await publish(record, "cup", dict.fromkeys(PLAYERS, 80_00))

    async def read(*_: object, **__: object) -> list[Recorded]:
        raise AssertionError("a list was read")

    monkeypatch.setattr(record, "read", read)
    assert await EarlierDeviations(record).before("open", TOURNAMENT, RatingList(system="elo-1"), end) == TOURNAMENT


async def test_a_list_of_a_system_without_deviations_leaves_those_of_the_list_before(record: Record) -> None:
    await publish(record, "cup", {"p0": 80_00})
    end = await publish(record, "lliga", {"p0": 0}, "elo-1")
    assert deviations(await EarlierDeviations(record).before("open", TOURNAMENT, GLICKO, end)) == {"p0": 80_00}
