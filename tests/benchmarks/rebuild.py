"""Measure the speed of rebuilding the standings and scoresheets of many games, and its memory.

`rebuild_figures` is for `run.py`. A rebuild runs in a process of its own, so that its peak memory is its own:
`python tests/benchmarks/rebuild.py URL` rebuilds the results of the record at URL and prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.consumers import Rebuild, generations
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.projections.projection import projection

Figures = list[tuple[str, float, str]]
Step = list[tuple[str, list[Message]]]
"""The streams and events of one append."""

TABLE_COUNT = 50
TURN_COUNT = 24
START = datetime(2026, 3, 7, 10, tzinfo=UTC)
FACES = ("A", "E", "I", "R", "S", "T", "L·L")
BATCH_EVENTS = 20
"""Events that are appended in one transaction."""
LIVE_EVENTS = 1_500
LIVE_GENERATION_NUMBER = 1_000_000


class Tournament:
    """A tournament of `TABLES` tables and some rounds; the games of a round are played at the same time."""

    def __init__(self, tournament_id: str, rounds: int) -> None:
        self.id = tournament_id
        self.rounds = rounds
        self.players = [f"player-{number}" for number in range(2 * TABLE_COUNT)]
        self.now = START

    def at(self) -> Timestamp:
        """Return a time later than any before."""
        self.now += timedelta(milliseconds=20)
        stamp = Timestamp()
        stamp.FromDatetime(self.now)
        return stamp

    def steps(self) -> Iterator[Step]:
        """Yield the whole of it."""
        own = f"tournament-{self.id}"
        yield [(own, [*self._begin()])]
        for number in range(1, self.rounds + 1):
            pairs = [
                (self.players[2 * n], self.players[(2 * n + 2 * number - 1) % len(self.players)])
                for n in range(TABLE_COUNT)
            ]
            ids = [f"{self.id}-r{number}-t{table}" for table in range(1, TABLE_COUNT + 1)]
            pairings = [
                pairing.Pairing(table=table, game_id=game_id, first_player_id=first, second_player_id=second)
                for table, (game_id, (first, second)) in enumerate(zip(ids, pairs, strict=True), 1)
            ]
            yield [(own, [pairing.RoundPaired(round=number, pairings=pairings, occurred_at=self.at())])]
            yield [(own, [pairing.RoundStarted(round=number, occurred_at=self.at())])]
            games = [
                Game(self, number, table, game_id, pair)
                for table, (game_id, pair) in enumerate(zip(ids, pairs, strict=True), 1)
            ]
            yield [step for played in games for step in played.opening()]
            for turn in range(1, TURN_COUNT + 1):
                for played in games:
                    yield from played.play(turn)
            for played in games:
                yield from played.finish()
                yield [(own, [pairing.ResultRecorded(round=number, game_id=played.id, scores=played.scores())])]
            yield [(own, [pairing.RoundClosed(round=number, occurred_at=self.at())])]

    def _begin(self) -> Iterator[Message]:
        yield pairing.TournamentCreated(tournament_id=self.id, name=self.id, rounds=self.rounds, occurred_at=self.at())
        yield pairing.RulesetPinned(ruleset=game.Pin(name="fisc-2023", digest="a" * 64))
        yield pairing.LexiconPinned(lexicon=game.Pin(name="catalan", digest="b" * 64))
        for place, player in enumerate(self.players):
            yield pairing.PlayerRegistered(player_id=player, rating=2_000 - place)


class Game:
    """A game as long as one between good players, with every event that such a game has."""

    def __init__(self, of: Tournament, round_: int, table: int, game_id: str, players: tuple[str, str]) -> None:
        self.of, self.round, self.table, self.id, self.players = of, round_, table, game_id, players
        self.totals = dict.fromkeys(players, 0)
        self.used = dict.fromkeys(players, 0)
        self.streams = f"game-{game_id}", f"clock-{game_id}"

    def opening(self) -> Step:
        """Return the events that open the table and start the first clock."""
        first = self.players[0]
        at = self.of.at()
        opened = game.GameOpened(
            game_id=self.id,
            tournament_id=self.of.id,
            round=self.round,
            table=self.table,
            player_ids=self.players,
            ruleset=game.Pin(name="fisc-2023", digest="a" * 64),
            lexicon=game.Pin(name="catalan", digest="b" * 64),
            seed=b"s" * 32,
            occurred_at=at,
        )
        drawn = [game.TilesDrawn(player_id=player, faces=FACES, draw=2, bag_left=86) for player in self.players]
        started = game.GameStarted(first_player_id=first, occurred_at=at)
        ticking = clock.ClockOpened(game_id=self.id, player_ids=self.players, allowance_ms=1_500_000, occurred_at=at)
        return [
            (self.streams[0], [opened, game.StartDecided(player_id=first), *drawn, started]),
            (self.streams[1], [ticking, clock.ClockStarted(player_id=first, occurred_at=at)]),
        ]

    def play(self, turn: int) -> Iterator[Step]:
        """Yield one turn: a play of four tiles, a draw, a press, and the next player is on turn."""
        mover, score = self.players[(turn - 1) % 2], 17 + (turn * self.table) % 23
        self.totals[mover] += score
        self.used[mover] += 40_000
        cells = [((turn * 4 + n) // 15, (turn * 4 + n) % 15) for n in range(4)]
        placements = [game.Placement(row=row, column=column, face="A") for row, column in cells]
        word = game.ScoredWord(
            word=game.Word(faces=["A"] * 4), row=cells[0][0], column=cells[0][1], across=True, score=score
        )
        own, ticking = self.streams
        at = self.of.at()
        placed = game.PlayPlaced(
            turn=turn, player_id=mover, placements=placements, words=[word], score=score, occurred_at=at
        )
        yield [(own, [placed])]
        yield [(own, [game.TilesDrawn(player_id=mover, faces=FACES[:4], draw=turn + 3, bag_left=80, occurred_at=at)])]
        pressed = clock.ClockPressed(player_id=mover, turn=turn, used_ms=self.used[mover], occurred_at=at)
        yield [(ticking, [pressed])]
        total = self.totals[mover]
        yield [(own, [game.PlayCompleted(turn=turn, player_id=mover, score=score, total=total, occurred_at=at)])]

    def scores(self) -> Sequence[game.FinalScore]:
        """Return the scores of the game."""
        return [game.FinalScore(player_id=player, score=total) for player, total in self.totals.items()]

    def finish(self) -> Iterator[Step]:
        """Yield the end of the game, the signatures and the final result."""
        first, second = self.players
        times = [clock.SideTime(player_id=player, used_ms=used) for player, used in self.used.items()]
        self.totals[first] -= 3
        self.totals[second] += 3
        yield [
            (
                self.streams[0],
                [
                    game.GameEnded(condition=game.END_CONDITION_OUT),
                    game.RackPenalty(player_id=first, faces=["A", "T"], points=3),
                    game.OutBonus(player_id=second, points=3),
                ],
            )
        ]
        yield [(self.streams[1], [clock.ClockStopped(times=times)])]
        winner = max(self.totals, key=lambda player: self.totals[player])
        signed = [game.SheetSigned(player_id=player) for player in self.players]
        yield [(self.streams[0], [*signed, game.ResultFinal(scores=self.scores(), winner_id=winner)])]


async def fill(record: Record, tournament_id: str, games: int) -> None:
    """Append a tournament with this number of games, in the order of play."""
    versions: dict[str, int] = {}
    held: dict[str, list[Message]] = {}

    async def write() -> None:
        writes = [Write(stream, versions.get(stream, 0), events, tournament_id) for stream, events in held.items()]
        await record.append(Decision(writes), Metadata(actor="bench"))
        for stream, events in held.items():
            versions[stream] = versions.get(stream, 0) + len(events)
        held.clear()

    for step in Tournament(tournament_id, games // TABLE_COUNT).steps():
        for stream, events in step:
            held.setdefault(stream, []).extend(events)
        if sum(map(len, held.values())) >= BATCH_EVENTS:
            await write()
    if held:
        await write()


async def live_speed(record: Record) -> float:
    """Return the events per second when each is projected in its own transaction, as when games are played one move at
    a time.
    """
    work = projection(LIVE_GENERATION_NUMBER)
    async with record.writing() as connection:
        await generations.add(connection, work)
    events = await record.read(limit=LIVE_EVENTS)
    start = time.perf_counter()
    for event in events:
        async with record.writing() as connection:
            await work.apply(connection, [event])
    speed = len(events) / (time.perf_counter() - start)
    async with record.writing() as connection:
        await generations.checkpoint_held(connection, work.consumer)
        await generations.drop_unread(connection, work.name, work.version, LIVE_GENERATION_NUMBER)
    return speed


def peak_mb() -> float:
    """Return the most memory that this process has had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # `ru_maxrss` includes the memory of the parent at the fork
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1_024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


async def rebuild(url: str) -> dict[str, float]:
    """Rebuild the results: events, seconds, and the peak memory of this process before and after, in MB."""
    record = await Record.open(url)
    try:
        before = peak_mb()
        rebuilt = await Rebuild(record, projection()).run()
        return {"events": rebuilt.events, "seconds": rebuilt.seconds, "before": before, "peak": peak_mb()}
    finally:
        await record.close()


async def rebuild_apart(url: str) -> dict[str, float]:
    """Return the same from a separate process."""
    process = await asyncio.create_subprocess_exec(sys.executable, __file__, url, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    figures: dict[str, float] = json.loads(out)
    return figures


async def rebuild_figures(name: str, url: str, games: int = 1_000) -> Figures:
    """Return the figures of a rebuild of these games, beside the live path, on an empty database that it fills."""
    record = await Record.open(url)
    try:
        async with record.writing() as connection:
            await generations.create_first_generation(connection, projection())
        await fill(record, "quarter", games // 4)
        quarter = await rebuild_apart(url)
        await fill(record, "rest", games - games // 4)
        whole = await rebuild_apart(url)
        live = await live_speed(record)
    finally:
        await record.close()
    speed = whole["events"] / whole["seconds"]
    return [
        (f"{name}: rebuild of {games:,} games", whole["events"], "events"),
        (f"{name}: rebuild of {games:,} games", speed, "events per second"),
        (f"{name}: rebuild, against one event per transaction", speed / live, "times"),
        (f"{name}: rebuild of {games:,} games, peak memory", whole["peak"], "MB"),
        (f"{name}: rebuild of {games:,} games, memory above an idle process", whole["peak"] - whole["before"], "MB"),
        (f"{name}: rebuild of {games // 4:,} games, the same", quarter["peak"] - quarter["before"], "MB"),
    ]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(rebuild(sys.argv[1]))))  # noqa: T201
