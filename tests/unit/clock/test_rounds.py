"""An absent player loses when the rest of the round is over (FISE 37), and under no other book."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf.message import Message

from faristol.clock.model import timestamp
from faristol.clock.rounds import ending
from faristol.clock.streams import load_clock
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.record import Decision, Metadata, Record, Write
from faristol.rules.ruleset import load_ruleset

START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000
GAMES = ("cup-r1-t1", "cup-r1-t2", "cup-r1-t3")
ENDED = game_events.GameEnded(occurred_at=timestamp(START + 900 * SECOND))
CLOSED = game_events.TableClosed(occurred_at=timestamp(START + 900 * SECOND))
ABSENT = clock_events.PlayerAbsent(
    player_id="biel",
    signal_at=timestamp(START),
    clock_starts_at=timestamp(START),
    arbiter_id="arbiter-1",
    occurred_at=timestamp(START),
)
AWAY = clock_events.PlayerLeft(player_id="biel", turn=1, told=True, occurred_at=timestamp(START))


async def add(record: Record, stream: str, *facts: Message) -> None:
    version = len(await record.read_stream(stream))
    await record.append(Decision([Write(stream, version, facts, "cup")]), Metadata())


async def began(record: Record, ruleset: str) -> None:
    """Three games of a round."""
    pairings = [pairing_events.Pairing(table=table, game_id=game_id) for table, game_id in enumerate(GAMES, 1)]
    await add(record, "tournament-cup", pairing_events.RoundPaired(round=1, pairings=pairings))
    for game_id in GAMES:
        pin = game_events.Pin(name=ruleset, digest=load_ruleset(ruleset).digest)
        opened = game_events.GameOpened(
            game_id=game_id,
            tournament_id="cup",
            player_ids=["anna", "biel"],
            ruleset=pin,
            occurred_at=timestamp(START),
        )
        started = game_events.GameStarted(first_player_id="anna", occurred_at=timestamp(START))
        await add(record, f"game-{game_id}", opened, started)


async def told(record: Record, game_id: str, ended: Message = ENDED) -> Decision | None:
    """A game ends, and the clocks hear of it."""
    await add(record, f"game-{game_id}", ended)
    reaction, news = ending(record), (await record.read_stream(f"game-{game_id}"))[-1]
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
    started = clock_events.ClockStarted(player_id="anna", occurred_at=timestamp(START))
    await add(record, f"clock-{GAMES[2]}", opened, started, missing)
    assert await told(record, GAMES[0]) is None
    decision = await told(record, GAMES[1], ended)
    assert decision is not None
    await record.append(decision, Metadata())
    (lost,) = (await record.facts(f"clock-{GAMES[2]}"))[3:]
    assert lost == clock_events.TimeForfeited(player_id="biel", reason=reason, occurred_at=ENDED.occurred_at)
    assert (await load_clock(record, GAMES[2])).state.played_out
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
    assert await told(record, GAMES[0]) is None
    assert await told(record, GAMES[1]) is None
    await record.close()
