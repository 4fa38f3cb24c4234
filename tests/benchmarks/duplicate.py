"""A duplicate game of 10,000 players in 40 halls: slips, scores, classification, size, and how it is read again.

``python -m tests.benchmarks.duplicate --players 10000 --halls 40 --turns 25``; writes var/duplicate.json.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from tests.campaigns.halls.world import OneLexicon
from tests.support.games_ahead import FISC, words

from faristol.casebook.hosts.memory import Caller
from faristol.client.services import method_of
from faristol.clock.service_module import part as clock_part
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.game.service_module import part as game_part
from faristol.host import Runtime, Settings
from faristol.host.duplicate_store import load_game, load_halls
from faristol.kernel.pins import Pin
from faristol.kernel.times import to_timestamp
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Notation
from faristol.tournament.administration.tournaments import pin_of

CUP, GAME = "cup", "cup-r1"
BATCH_SIZE = 50
PHONE_SLIP_COUNT = 500
"""Slips of a turn that come one by one, from phones."""
MAX_CALLS_AT_ONCE = 40
OUT = Path("var") / "duplicate.json"


class Game:
    """A game in one process, on a record."""

    def __init__(self, record: Record, folder: Path, players: int, halls: int) -> None:
        self.record, self.now = record, datetime(2026, 5, 2, 10, tzinfo=UTC)
        runtime = Runtime(Settings(data=folder), record, lambda: self.now)
        parts = (game_part(runtime, OneLexicon()), clock_part(runtime))
        self._instances = {each.descriptor.full_name: each for part in parts for each in part.servicers}
        self.opening = next(each for part in parts for each in part.reactions if each.name == "game.open")
        names = [f"hall {number}" for number in range(1, halls + 1)]
        share = players // halls
        self.halls = {
            name: [f"p{place * share + number:05}" for number in range(share)] for place, name in enumerate(names)
        }

    async def ask(self, request: Any) -> Any:
        if "command_id" in request.DESCRIPTOR.fields_by_name:
            request.command_id = str(uuid.uuid4())
        method = method_of(request.DESCRIPTOR)
        return await getattr(self._instances[method.containing_service.full_name], method.name)(request, Caller())

    async def open(self) -> None:
        stream = f"tournament-{CUP}"
        seats, first = pairing_events.HallsSet(occurred_at=to_timestamp(self.now)), 1
        for name, some in self.halls.items():
            seats.halls.add(name=name, first_table=first, last_table=first + len(some) - 1)
            first += len(some)
        new_events = [
            pairing_events.TournamentCreated(tournament_id=CUP, rounds=1, seed=bytes(32)),
            pairing_events.RulesetPinned(ruleset=pin_of(FISC).message()),
            pairing_events.LexiconPinned(lexicon=Pin("words", "0" * 64).message()),
            seats,
            *(pairing_events.PlayerRegistered(player_id=player) for some in self.halls.values() for player in some),
            pairing_events.RoundStarted(round=1, occurred_at=to_timestamp(self.now)),
        ]
        await self.record.append(Decision([Write(stream, 0, new_events, CUP)]), Metadata())
        event = (await self.record.read_stream(stream))[-1]
        decision = await self.opening.react(event)
        assert decision is not None
        await self.record.append(decision, Metadata())

    async def turn(self, number: int) -> dict[str, float] | None:
        """Return a turn, and how long its parts took; None where the game is over."""
        called = await self.ask(pb.CallRackRequest(game_id=GAME, arbiter_id="judge"))
        if called.end:
            return None
        await self.ask(turns.StartTurnRequest(game_id=GAME, turn=number, arbiter_id="judge"))
        self.now += timedelta(seconds=181)
        turn = (await load_game(self.record, GAME)).state.turn(number)
        assert turn is not None
        found = [play for size in range(2, 8) for play in words().tops(turn.board, turn.rack[:size])]
        written = [(Notation.FISC.write(play.start), " ".join(map(str, play.word))) for play in found]
        slips = [
            (hall, events.Slip(player_id=player, coordinates=where, word=word))
            for hall, players in self.halls.items()
            for place, player in enumerate(players)
            for where, word in (written[place % len(written)],)
        ]
        step = max(1, len(slips) // PHONE_SLIP_COUNT)
        single = slips[::step]
        batched = [slip for place, slip in enumerate(slips) if place % step] if step > 1 else slips
        cpu = time.process_time()
        one_by_one = await self._time_slips([(hall, [slip]) for hall, slip in single], number)
        cpu_of_one = (time.process_time() - cpu) / len(single)
        batches: list[tuple[str, list[events.Slip]]] = []
        for hall in self.halls:
            of_hall = [slip for of, slip in batched if of == hall]
            batches += [(hall, of_hall[at : at + BATCH_SIZE]) for at in range(0, len(of_hall), BATCH_SIZE)]
        cpu = time.process_time()
        in_batches = await self._time_slips(batches, number)
        cpu_of_batches = (time.process_time() - cpu) / len(batched)
        began = time.perf_counter()
        for hall in self.halls:
            await self.ask(pb.CloseHallRequest(game_id=GAME, hall=hall, turn=number, collector_id="collector"))
        closed, cpu = time.perf_counter(), time.process_time()
        await self.ask(pb.ScoreTurnRequest(game_id=GAME, turn=number, arbiter_id="judge"))
        scored = time.perf_counter()
        standings = await self.ask(pb.GetDuplicateStandingsRequest(game_id=GAME))
        ended = time.perf_counter()
        assert len(standings.lines) == len(slips)
        return {
            "slips_per_second_one_by_one": len(single) / one_by_one,
            "slips_per_second_in_batches": len(batched) / in_batches,
            "cpu_microseconds_of_a_slip_one_by_one": cpu_of_one * 1e6,
            "cpu_microseconds_of_a_slip_in_batches": cpu_of_batches * 1e6,
            "close_seconds": closed - began,
            "score_seconds": scored - closed,
            "standings_seconds": ended - scored,
            "classification_seconds": ended - closed,
            "classification_cpu_seconds": time.process_time() - cpu,
        }

    async def _time_slips(self, parts: Sequence[tuple[str, list[events.Slip]]], number: int) -> float:
        gate = asyncio.Semaphore(MAX_CALLS_AT_ONCE)

        async def hand_in(hall: str, slips: list[events.Slip]) -> None:
            async with gate:
                request = pb.SubmitSlipsRequest(
                    game_id=GAME, hall=hall, turn=number, collector_id="collector", slips=slips
                )
                await self.ask(request)

        began = time.perf_counter()
        await asyncio.gather(*(hand_in(hall, slips) for hall, slips in parts))
        return time.perf_counter() - began


async def measure_game(players: int, halls: int, turns_: int) -> dict[str, Any]:
    """Return the figures of a game."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/record.db"
        record = await Record.open(url)
        game = Game(record, Path(folder), players, halls)
        began = time.perf_counter()
        await game.open()
        opened = time.perf_counter() - began
        by_turn: list[dict[str, float]] = []
        while len(by_turn) < turns_ and (figures_of_turn := await game.turn(len(by_turn) + 1)):
            by_turn.append(figures_of_turn)
        await record.close()
        size = sum(file.stat().st_size for file in Path(folder).glob("record.db*"))  # noqa: ASYNC240 # nothing runs beside
        record = await Record.open(url)
        began = time.perf_counter()
        state = (await load_game(record, GAME)).state
        await load_halls(record, state)
        rebuilt = time.perf_counter() - began
        await record.close()
    figures: dict[str, Any] = {name: statistics.median(turn[name] for turn in by_turn) for name in by_turn[0]}
    slowest = max(turn["classification_seconds"] for turn in by_turn)
    return {
        "turns_played": len(by_turn),
        **figures,
        "slowest_classification_seconds": slowest,
        "open_seconds": opened,
        "record_megabytes": size / 1e6,
        "rebuild_seconds": rebuilt,
    }


def main(
    players: Annotated[int, typer.Option(min=100)] = 10_000,
    halls: Annotated[int, typer.Option(min=1)] = 40,
    rounds: Annotated[int, typer.Option("--turns", min=1, max=40)] = 25,
) -> None:
    """Measure one game, and write its figures."""
    found = asyncio.run(measure_game(players, halls, rounds))
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"players": players, "halls": halls, "turns": rounds, **found}, indent=2) + "\n")
    for name, value in found.items():
        typer.echo(f"{name}: {value:,.3f}")


if __name__ == "__main__":
    typer.run(main)
