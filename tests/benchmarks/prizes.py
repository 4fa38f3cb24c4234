"""Measure the computation of the leaders for the prizes of a great championship."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

import grpc
from tests.benchmarks.figures import Figures

from faristol.consumers import Progress, generations
from faristol.event_store import Record
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.read_models.api import service as results_service
from faristol.read_models.projections.projection import projection
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.rows import Game, Line, Round, StoredRow, Tournament, encode_tuples
from faristol.read_models.storage.store import write
from faristol.read_models.storage.tables import TABLES_VERSION, schema

PLAYER_COUNT = 300
ROUND_COUNT = 8
TURN_COUNT = 26
REPEAT_COUNT = 5
TOURNAMENT = "great"


async def prize_figures(name: str, url: str) -> Figures:
    """Return the milliseconds until GetPrizes has answered: at first, after another play, and with nothing new."""
    chance = random.Random(7)
    record = await Record.open(url)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, projection())
    await _write(record, [Tournament(TOURNAMENT, ruleset="fisc-2023")])
    for number in range(1, ROUND_COUNT + 1):
        ids = [f"r{number}-t{table}" for table in range(1, PLAYER_COUNT // 2 + 1)]
        games = [Game(game_id, TOURNAMENT, number, place) for place, game_id in enumerate(ids)]
        await _write(record, [Round(TOURNAMENT, number, results.ROUND_PHASE_CLOSED)])
        await _write(record, games)
        await _write(record, [line for game_id in ids for line in _lines(game_id, chance)])
    server = grpc.aio.server()
    service: Any = results_service.services(ReadModels(record, Progress(record, projection().consumer)))[0]
    results_pb2_grpc.add_ResultsServiceServicer_to_server(service, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    after_play, again = [], []
    async with grpc.aio.insecure_channel(address) as channel:
        stub = results_pb2_grpc.ResultsServiceStub(channel)
        first = await _time_prizes(stub)
        for _ in range(REPEAT_COUNT):
            await _write(record, _lines("r8-t1", chance))
            after_play.append(await _time_prizes(stub))
            again.append(await _time_prizes(stub))
    await server.stop(None)
    await record.close()
    what = f"{name}: prizes, {PLAYER_COUNT} players, {ROUND_COUNT} rounds"
    return [
        (f"{what}, at first", first * 1_000, "ms"),
        (f"{what}, after a play", statistics.median(after_play) * 1_000, "ms"),
        (f"{what}, again", statistics.median(again) * 1_000, "ms"),
    ]


async def _write(record: Record, rows: Sequence[StoredRow]) -> None:
    """Write rows of one class."""
    async with record.writing() as connection:
        await write(connection, schema(TABLES_VERSION, 1)[type(rows[0])], rows)


def _lines(game_id: str, chance: random.Random) -> list[Line]:
    lines = []
    for turn in range(1, TURN_COUNT + 1):
        faces = chance.choices(("A", "E", "I", "R", "S", "T", "L·L"), k=chance.randint(2, 8))
        line = Line(
            game_id, turn, TOURNAMENT, results.ENTRY_KIND_PLAY, turn, f"player-{chance.randrange(PLAYER_COUNT)}"
        )
        line.placements = encode_tuples([(8, column, face, False) for column, face in enumerate(faces, 1)])
        line.words = encode_tuples([(faces, 8, 1, True, 0)])
        line.score, line.bingo = chance.randint(4, 90), len(faces) > 7
        line.complete, line.coordinates = True, "H8"
        lines.append(line)
    return lines


async def _time_prizes(stub: results_pb2_grpc.ResultsServiceAsyncStub) -> float:
    start = time.perf_counter()
    answer = await stub.GetPrizes(results.GetPrizesRequest(tournament_id=TOURNAMENT))
    taken = time.perf_counter() - start
    assert answer.prizes[0].value > 0
    return taken
