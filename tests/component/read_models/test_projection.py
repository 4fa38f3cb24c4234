from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message
from sqlalchemy import select
from tests.support.league import League
from tests.support.synthetic import TOURNAMENT, Championship, Step, append, append_all, game_id, keep_names

from faristol.consumers import CannotTake
from faristol.event_store import Record, Recorded
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.computed.standings import rank
from faristol.read_models.computed.teams import rank_teams, to_standing_messages
from faristol.read_models.projections.model import PROJECTED_TYPES
from faristol.read_models.projections.projection import Rebuilding, projection
from faristol.read_models.storage.rows import Player, Standing, Team, TeamStanding, Tournament
from faristol.read_models.storage.store import Reader
from faristol.read_models.storage.tables import TABLES_VERSION, schema

Rows = dict[str, list[tuple[Any, ...]]]
TABLES = schema(TABLES_VERSION, 1)


async def read_rows(record: Record) -> Rows:
    async with record.reading() as connection:
        return {
            cls.__name__: [
                tuple(row) for row in await connection.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for cls, table in TABLES.items()
        }


async def project(record: Record, events: list[Recorded], size: int) -> None:
    for start in range(0, len(events), size):
        async with record.writing() as connection:
            await projection().apply(connection, events[start : start + size])


async def make_tables(record: Record) -> None:
    async with record.writing() as connection:
        await connection.run_sync(projection().tables.drop_all)
        await connection.run_sync(projection().tables.create_all)


async def test_rebuilt_and_live_are_equal_byte_for_byte(record: Record) -> None:
    await keep_names(record)
    await make_tables(record)
    at = 0
    for step in Championship().steps():
        await append(record, step)
        news = await record.read(at, types=PROJECTED_TYPES)
        await project(record, news, size=1)
        at = news[-1].position
    live = await read_rows(record)
    of_each = {name: len(found) for name, found in live.items()}
    assert of_each == {
        "Ruleset": 1,
        "Tournament": 1,
        "Player": 5,
        "Team": 0,
        "Round": 2,
        "Bye": 2,
        "Match": 0,
        "Game": 4,
        "Seat": 8,
        "Sheet": 4,
        "Line": 9 + 3 * 4,
        "Standing": 2 * 5,
        "TeamStanding": 0,
    }
    everything = await record.read(types=PROJECTED_TYPES)
    for size in (len(everything), 7, 2):
        await make_tables(record)
        await project(record, everything, size)
        assert await read_rows(record) == live, f"rebuilt in batches of {size}"


async def test_a_tournament_of_teams_rebuilt_in_one_batch_is_that_which_was_kept_live(record: Record) -> None:
    await make_tables(record)
    at, league = 0, League()
    for step in [league.keep_ruleset(), *league.steps()]:
        await append(record, step)
        news = await record.read(at, types=PROJECTED_TYPES)
        await project(record, news, size=1)
        at = news[-1].position
    live = await read_rows(record)
    assert len(live["TeamStanding"]) == 3 * 3
    async with record.reading() as connection:
        reader = Reader(connection, TABLES)
        (of,) = await reader.of_tournament(Tournament, TOURNAMENT)
        teams = {team.team_id: team for team in await reader.of_tournament(Team, TOURNAMENT)}
        rounds = [round_ for _, round_ in sorted((await reader.rounds(TOURNAMENT)).items())]
        for number in (1, 2, 3):
            lines = await reader.standings(TeamStanding, TOURNAMENT, number)
            assert to_standing_messages(lines, teams) == rank_teams(of, teams.values(), rounds[:number])
    everything = await record.read(types=PROJECTED_TYPES)
    await make_tables(record)
    await project(record, everything, len(everything))
    assert await read_rows(record) == live


@pytest.mark.parametrize("keep", [0, 3, 1_000])
async def test_rows_folded_in_memory_and_written_late_are_those_of_the_live_ones(record: Record, keep: int) -> None:
    await make_tables(record)
    await append_all(record, Championship().steps())
    everything = await record.read(types=PROJECTED_TYPES)
    await project(record, everything, size=1)
    live = await read_rows(record)
    await make_tables(record)
    unit = Rebuilding(TABLES, keep)
    for start in range(0, len(everything), 11):
        async with record.reading() as connection:
            await unit.take(connection, everything[start : start + 11])
        if start % 33 == 0:
            async with record.writing() as connection:
                await unit.write(connection)
    async with record.writing() as connection:
        await unit.write(connection)
        while await unit.finish(connection):
            pass
    assert unit.held == 0
    assert await read_rows(record) == live


async def test_no_name_is_in_a_row(record: Record) -> None:
    await keep_names(record)
    await make_tables(record)
    await append_all(record, Championship().steps())
    await project(record, await record.read(types=PROJECTED_TYPES), size=50)
    rows = [row for found in (await read_rows(record)).values() for row in found]
    assert rows
    assert not [row for row in rows if "Puigdomènech" in str(row) or "Tarragona" in str(row)]


async def test_a_broken_event_is_named_by_its_position_and_stream(record: Record) -> None:
    await make_tables(record)
    step: Step = {"game-nowhere": [game.PlayCompleted(turn=1, player_id="anna")]}
    await append(record, step, tournament="nowhere")
    told = r"event 1 \(PlayCompleted on game-nowhere\): Broken: PlayCompleted is of a game that was not opened"
    with pytest.raises(CannotTake, match=told):
        await project(record, await record.read(), size=1)


async def test_what_is_amended_of_a_player_is_the_same_live_and_rebuilt(record: Record) -> None:
    hall = Championship()
    rating, category = pairing.ENTRY_PART_RATING, pairing.ENTRY_PART_CATEGORY
    amended: list[Message] = [
        pairing.PlayerAmended(parts=[rating, category], rating=1000, unrated=True, category="U18", player_id="anna"),
        pairing.PlayerAmended(parts=[pairing.ENTRY_PART_NAME, pairing.ENTRY_PART_NOTE], player_id="anna"),
        pairing.PlayerAmended(parts=[rating], rating=1450, player_id="anna"),
    ]
    steps: list[Step] = [*hall.create(), {hall.stream: amended}, *hall.first_round()]
    await append_all(record, steps)
    everything = await record.read(types=PROJECTED_TYPES)
    seen = []
    for size in (1, 3, len(everything)):
        await make_tables(record)
        await project(record, everything, size)
        seen.append(await read_rows(record))
    assert seen[0] == seen[1] == seen[2]
    async with record.reading() as connection:
        found = await Reader(connection, TABLES).players(TOURNAMENT, ["anna"])
    assert [(each.rating, each.unrated, each.category) for each in found] == [(1450, False, "U18")]


async def play_changes(record: Record) -> list[Recorded]:
    """Return every event of a championship of which a round is paired, taken back and paired otherwise, and then
    corrected.
    """
    hall = Championship()
    again: Step = {hall.stream: [pairing.RoundUnpaired(round=1, occurred_at=hall.at())]}
    scores = [game.FinalScore(player_id=player, score=score) for player, score in (("anna", 300), ("carme", 310))]
    corrected = pairing.ResultCorrected(round=1, game_id=game_id(1, 1), scores=scores, winner_id="carme")
    late = pairing.LateEntryAdmitted(player_id="fina", rating=1400, round=3)
    gone: list[Message] = [
        pairing.PlayerWithdrawn(player_id="fina", round=3),
        pairing.PlayerReinstated(player_id="fina"),
    ]
    steps: list[Step] = [
        *hall.create(),
        *hall.pair(1, [("dolors", "eloi"), ("anna", "biel"), ("carme", "eloi")], "carme"),
        again,
        *hall.first_round(),
        *hall.second_round(),
        {hall.stream: [corrected]},
        {hall.stream: [late]},
        {hall.stream: gone},
        {f"game-{game_id(2, 1)}": [game.EntriesTakenBack(turn=2, player_id="biel", bag_left=80)]},
    ]
    await append_all(record, steps)
    return await record.read(types=PROJECTED_TYPES)


@pytest.mark.parametrize("size", [2, 5, 1_000])
async def test_what_is_taken_back_corrected_or_entered_late_is_the_same_live_and_in_batches(
    record: Record, size: int
) -> None:
    everything = await play_changes(record)
    await make_tables(record)
    await project(record, everything, size=1)
    live = await read_rows(record)
    lines = [row[0] for row in live["Line"]].count(game_id(2, 1))
    assert lines == 3, "the first turn, and what each lost at the end, which stands"
    assert len(live["Game"]) == len({row[0] for row in live["Game"]}) == 4, "nothing is left of what was taken back"
    assert len(live["Standing"]) == 2 * 6, "after both rounds, with the late entry"
    await make_tables(record)
    await project(record, everything, size)
    assert await read_rows(record) == live
    await make_tables(record)
    unit = Rebuilding(TABLES, 3)
    for start in range(0, len(everything), size):
        async with record.writing() as connection:
            await unit.take(connection, everything[start : start + size])
            if start % 3 == 0:
                await unit.write(connection)
    async with record.writing() as connection:
        await unit.write(connection)
        while await unit.finish(connection):
            pass
    assert await read_rows(record) == live


async def test_replicas_that_take_turns_write_what_one_alone_writes(record: Record, database_url: str) -> None:
    await make_tables(record)
    events = await play_changes(record)
    await project(record, events, size=1)
    alone = await read_rows(record)
    await make_tables(record)
    other = await Record.open(database_url)
    try:
        for number, event in enumerate(events):
            await project(other if number % 3 else record, [event], size=1)
    finally:
        await other.close()
    assert await read_rows(record) == alone


async def test_standings_that_are_kept_are_those_that_are_ranked_when_asked_for(record: Record) -> None:
    await make_tables(record)
    await project(record, await play_changes(record), size=7)
    async with record.reading() as connection:
        reader = Reader(connection, TABLES)
        (of,) = await reader.of_tournament(Tournament, TOURNAMENT)
        players = await reader.of_tournament(Player, TOURNAMENT)
        rounds = await reader.rounds(TOURNAMENT)
        for number in (1, 2):
            counted = [round_ for _, round_ in sorted(rounds.items()) if round_.round <= number]
            ranked = [line.standing for line in rank(of, players, counted)]
            assert await reader.standings(Standing, TOURNAMENT, number) == ranked


async def test_without_the_content_of_the_rules_on_the_record_no_standings_are_kept(record: Record) -> None:
    await make_tables(record)
    events = await play_changes(record)
    await project(record, [event for event in events if event.name != "RulesetKept"], size=50)
    assert not (await read_rows(record))["Standing"]
    kept = [event for event in events if event.name == "RulesetKept"]
    await project(record, kept, size=1)
    assert len((await read_rows(record))["Standing"]) == 2 * 6, "another tournament kept it, and it serves for all"
