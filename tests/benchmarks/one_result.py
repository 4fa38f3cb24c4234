"""Measure the cost of one more result of a large tournament for the read models, and the share that is rewritten.

``python -m tests.benchmarks.one_result`` measures on SQLite; with ``--profile`` it prints where the time goes.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import random
import statistics
import tempfile
import time
from collections.abc import Sequence

from google.protobuf.message import Message
from sqlalchemy import event
from tests.benchmarks.figures import Figures

from faristol.consumers import generations
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.projections.projection import projection
from faristol.rules import load_ruleset

PLAYER_COUNT = 1_000
ROUND_COUNT = 12
RESULT_COUNT = 40
"""Results of the last round that are measured one by one, once some others of it are in."""
BATCH_EVENTS = 500
"""Events of an append, and of a transaction of the projection."""
REACH_MS = 20


def events_of(players: int, rounds: int) -> tuple[list[Message], list[Message]]:
    """Return a tournament up to its last round, of which 40 in 100 results are in; and the next results, one by one."""
    chance = random.Random(players)
    rules = load_ruleset("fisc-2023")
    pin = game.Pin(name=rules.name, digest=rules.digest)
    names = [f"player-{number}" for number in range(players)]
    told: list[Message] = [
        pairing.TournamentCreated(tournament_id="great", name="great", rounds=rounds),
        pairing.RulesetPinned(ruleset=pin),
        *(pairing.PlayerRegistered(player_id=name, rating=1_000 + chance.randrange(900)) for name in names),
    ]
    results: list[Message] = []
    for number in range(1, rounds + 1):
        chance.shuffle(names)
        pairs = [
            pairing.Pairing(
                table=table, game_id=f"great-r{number}-t{table}", first_player_id=first, second_player_id=second
            )
            for table, (first, second) in enumerate(zip(names[::2], names[1::2], strict=True), 1)
        ]
        told += [pairing.RoundPaired(round=number, pairings=pairs), pairing.RoundStarted(round=number)]
        results = [
            pairing.ResultRecorded(
                round=number,
                game_id=pair.game_id,
                scores=[
                    game.FinalScore(player_id=player, score=chance.randint(250, 550))
                    for player in (pair.first_player_id, pair.second_player_id)
                ],
            )
            for pair in pairs
        ]
        if number < rounds:
            told += [*results, pairing.RoundClosed(round=number)]
    known = len(results) * 4 // 10
    return told + results[:known], results[known : known + RESULT_COUNT]


async def append(record: Record, told: Sequence[Message], version: int = 0) -> int:
    """Append to the tournament; the version that comes of it."""
    for start in range(0, len(told), BATCH_EVENTS):
        some = told[start : start + BATCH_EVENTS]
        await record.append(Decision([Write("tournament-great", version, some, "great")]), Metadata(actor="bench"))
        version += len(some)
    return version


async def one_result_figures(name: str, url: str, *, profile: bool = False) -> Figures:
    """Return processor time and statements of the projection for each result, on an empty database that this fills."""
    record = await Record.open(url)
    work = projection(1)
    rules = load_ruleset("fisc-2023")
    taken: list[float] = []
    rows = statements = 0

    def count_statement(*given: object) -> None:
        nonlocal rows, statements
        parameters, many = given[3], given[5]
        statements += 1
        rows += len(parameters) if many and isinstance(parameters, list) else 0

    try:
        async with record.writing() as connection:
            await generations.create_first_generation(connection, work)
        kept = [pairing.RulesetKept(digest=rules.digest, content=rules.canonical)]
        await record.append(Decision([Write(f"ruleset-{rules.digest}", 0, kept, "great")]), Metadata(actor="bench"))
        told, results = events_of(PLAYER_COUNT, ROUND_COUNT)
        version = await append(record, told)
        position = 0
        while some := await record.read(position, limit=BATCH_EVENTS):
            position = some[-1].position
            async with record.writing() as connection:
                await work.apply(connection, some)
        profiler = cProfile.Profile()
        for number, result in enumerate(results):
            version = await append(record, [result], version)
            some = await record.read(position)
            position = some[-1].position
            async with record.writing() as connection:
                event.listen(connection.sync_connection, "before_cursor_execute", count_statement)
                if profile and number:
                    profiler.enable()
                begun = time.process_time()
                await work.apply(connection, some)
                taken.append(time.process_time() - begun)
                profiler.disable()
                event.remove(connection.sync_connection, "before_cursor_execute", count_statement)
        if profile:
            pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)
    finally:
        await record.close()
    what = f"{name}: a result of {PLAYER_COUNT:,} players, round {ROUND_COUNT}, projected"
    return [
        (f"{what}, median", statistics.median(taken) * 1_000, f"ms of processor; to stay below {REACH_MS}"),
        (f"{what}, the longest", max(taken) * 1_000, "ms of processor"),
        (f"{what}: statements", statements / len(results), "each"),
        (f"{what}: rows written by them", rows / len(results), "each"),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faristol-bench-") as folder:
        for figure in asyncio.run(one_result_figures("SQLite", f"sqlite:///{folder}/one.db", profile=asked.profile)):
            print(*figure)  # noqa: T201


if __name__ == "__main__":
    main()
