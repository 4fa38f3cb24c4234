"""An absent player loses when the rest of the round is over (FISE 37), and under no other book."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest
from google.protobuf.message import Message
from tests.component.running_clocks import deal_racks

from faristol.clock.rounds import build_end_reaction
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.host.table_store import load_table, load_tables
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules.ruleset.file import load_ruleset

START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000
GAMES = ("cup-r1-t1", "cup-r1-t2", "cup-r1-t3")
ENDED = game_events.GameEnded(
    condition=game_events.END_CONDITION_OUT, occurred_at=timestamp(START_NS + 900 * SECOND_NS)
)
CLOSED = game_events.TableClosed(occurred_at=timestamp(START_NS + 900 * SECOND_NS))
ABSENT = clock_events.PlayerAbsent(
    player_id="biel",
    signal_at=timestamp(START_NS),
    clock_starts_at=timestamp(START_NS),
    arbiter_id="arbiter-1",
    occurred_at=timestamp(START_NS),
)
AWAY = clock_events.PlayerLeft(player_id="biel", turn=1, told=True, occurred_at=timestamp(START_NS))


async def add(record: Record, stream: str, *events: Message) -> None:
    version = len(await record.read_stream(stream))
    await record.append(Decision([Write(stream, version, events, "cup")]), Metadata())


async def began(record: Record, ruleset: str, games: Sequence[str] = GAMES) -> None:
    """Begin the games of a round."""
    pairings = [pairing_events.Pairing(table=table, game_id=game_id) for table, game_id in enumerate(games, 1)]
    await add(record, "tournament-cup", pairing_events.RoundPaired(round=1, pairings=pairings))
    for game_id in games:
        pin = game_events.Pin(name=ruleset, digest=load_ruleset(ruleset).digest)
        opened = game_events.GameOpened(
            game_id=game_id,
            tournament_id="cup",
            player_ids=["anna", "biel"],
            ruleset=pin,
            occurred_at=timestamp(START_NS),
        )
        started = game_events.GameStarted(first_player_id="anna", occurred_at=timestamp(START_NS))
        await add(record, f"game-{game_id}", opened, *deal_racks(["anna", "biel"], started.occurred_at), started)


async def end_game(record: Record, game_id: str, ended: Message = ENDED) -> Decision | None:
    """End a game, and return the reaction of the clocks."""
    await add(record, f"game-{game_id}", ended)
    reaction, news = build_end_reaction(record), (await record.read_stream(f"game-{game_id}"))[-1]
    assert news.type in reaction.types
    return await reaction.react(news)


@pytest.mark.parametrize("ended", [ENDED, CLOSED])
@pytest.mark.parametrize(
    ("missing", "reason"),
    [(ABSENT, clock_events.FORFEIT_REASON_LATE), (AWAY, clock_events.FORFEIT_REASON_ABSENT)],
)
async def test_who_is_missing_from_the_last_game_of_a_round_loses_with_the_one_before(
    tmp_path: Path, missing: Message, reason: clock_events.ForfeitReason.ValueType, ended: Message
) -> None:
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    await began(record, "fise")
    opened = clock_events.ClockOpened(
        game_id=GAMES[2], tournament_id="cup", player_ids=["anna", "biel"], allowance_ms=1_800_000
    )
    started = clock_events.ClockStarted(player_id="anna", occurred_at=timestamp(START_NS))
    await add(record, f"clock-{GAMES[2]}", opened, started, missing)
    assert await end_game(record, GAMES[0]) is None
    decision = await end_game(record, GAMES[1], ended)
    assert decision is not None
    await record.append(decision, Metadata())
    lost, stopped = (await record.events(f"clock-{GAMES[2]}"))[3:]
    assert isinstance(stopped, clock_events.ClockStopped)
    assert lost == clock_events.TimeForfeited(player_id="biel", reason=reason, occurred_at=ENDED.occurred_at)
    settled = await load_table(record, GAMES[2])
    assert settled is not None
    assert settled.game.condition == game_events.END_CONDITION_FORFEIT
    assert not settled.missing
    await record.close()


@pytest.mark.parametrize(("ruleset", "missing"), [("fise", None), ("fisc-2023", ABSENT), ("pes-2024", ABSENT)])
async def test_a_game_that_nobody_is_missing_from_goes_on_and_so_does_one_under_another_book(
    tmp_path: Path, ruleset: str, missing: Message | None
) -> None:
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    await began(record, ruleset)
    opened = clock_events.ClockOpened(
        game_id=GAMES[2], tournament_id="cup", player_ids=["anna", "biel"], allowance_ms=1_800_000
    )
    await add(record, f"clock-{GAMES[2]}", opened, *([missing] if missing else []))
    assert await end_game(record, GAMES[0]) is None
    assert await end_game(record, GAMES[1]) is None
    await record.close()


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    opened = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    yield opened
    await opened.close()


async def missing_from(record: Record, game_id: str) -> None:
    """Record that a player is missing from a game, whose clock runs."""
    opened = clock_events.ClockOpened(
        game_id=game_id, tournament_id="cup", player_ids=["anna", "biel"], allowance_ms=1_800_000
    )
    started = clock_events.ClockStarted(player_id="anna", occurred_at=timestamp(START_NS))
    await add(record, f"clock-{game_id}", opened, started, ABSENT)


async def test_a_game_that_is_played_later_is_not_waited_for_until_it_begins(record: Record) -> None:
    await began(record, "fise")
    await missing_from(record, GAMES[2])
    await add(record, "tournament-cup", pairing_events.GamePostponed(round=1, game_id=GAMES[0]))
    assert await end_game(record, GAMES[1]) is not None
    await add(record, "tournament-cup", pairing_events.PostponedGameStarted(round=1, game_id=GAMES[0]))
    (ended,) = [event for event in await record.read_stream(f"game-{GAMES[1]}") if event.name == "GameEnded"]
    assert await build_end_reaction(record).react(ended) is None
    assert await end_game(record, GAMES[0]) is not None


async def test_a_game_whose_postponement_is_taken_back_is_waited_for(record: Record) -> None:
    await began(record, "fise")
    await missing_from(record, GAMES[2])
    new_events = (pairing_events.GamePostponed, pairing_events.PostponementCancelled)
    await add(record, "tournament-cup", *(event(round=1, game_id=GAMES[0]) for event in new_events))
    assert await end_game(record, GAMES[1]) is None


async def test_a_round_that_is_paired_anew_has_the_games_of_its_last_pairing(record: Record) -> None:
    await began(record, "fise", [*GAMES, "cup-r1-t4"])
    pairings = [pairing_events.Pairing(table=table, game_id=game_id) for table, game_id in enumerate(GAMES, 1)]
    await add(record, "tournament-cup", pairing_events.RoundPaired(round=1, pairings=pairings))
    await missing_from(record, GAMES[2])
    assert await end_game(record, GAMES[0]) is None
    assert await end_game(record, GAMES[1]) is not None


@pytest.mark.parametrize("order", ["by table", "backwards", "any"])
@pytest.mark.parametrize("signed", [True, False])
async def test_the_tables_of_a_great_round_are_not_all_looked_at_whenever_a_game_ends(
    record: Record, order: str, signed: bool
) -> None:
    """Queries in a round of 150 tables: a few for each, whether results arrive during the round or all at the end."""
    games = [f"cup-r1-t{table}" for table in range(1, 151)]
    await began(record, "fise", games)
    await missing_from(record, "cup-r1-t75")
    ending_games = [game_id for game_id in games if game_id != "cup-r1-t75"]
    if order == "backwards":
        ending_games.reverse()
    elif order == "any":
        random.Random(7).shuffle(ending_games)
    reaction, read = build_end_reaction(record), 0
    plain = record.events_after

    async def count_read(versions: Mapping[str, int]) -> list[tuple[str, Message]]:
        nonlocal read
        read += 1
        return await plain(versions)

    decisions = []
    for game_id in ending_games:
        await add(record, f"game-{game_id}", ENDED)
        news = (await record.read_stream(f"game-{game_id}"))[-1]
        record.events_after = count_read  # type: ignore[method-assign] # it counts, and reads as before
        decisions.append(await reaction.react(news))
        record.events_after = plain  # type: ignore[method-assign] # as it was
        if signed:
            await add(record, "tournament-cup", pairing_events.ResultRecorded(round=1, game_id=game_id))

    assert [decision is not None for decision in decisions] == [False] * 148 + [True]
    assert read <= 6 * 150


async def test_many_tables_are_loaded_as_each_is_alone_and_what_cannot_be_folded_stands_for_itself(
    record: Record,
) -> None:
    games = [f"cup-r1-t{table}" for table in range(1, 6)]
    await began(record, "fise", games)
    await add(record, f"game-{games[1]}", ENDED)
    await add(record, f"game-{games[3]}", pairing_events.RoundClosed(round=1))
    loaded = await load_tables(record, [*games, "cup-r9-t9"])
    for game_id in [*games[:3], games[4], "cup-r9-t9"]:
        assert loaded[game_id] == await load_table(record, game_id)
    assert isinstance(loaded[games[3]], TypeError)
    assert loaded["cup-r9-t9"] is None
