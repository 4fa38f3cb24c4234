"""How long it takes to say who is ahead for the prizes of a great championship."""

from __future__ import annotations

import random
import statistics
import time
from typing import Any

import grpc
from google.protobuf.message import Message
from tests.benchmarks.figures import Figures

from faristol.bus import Progress, generations
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.record import Record
from faristol.results import service as results_service
from faristol.results.projection import projection
from faristol.results.shelf import Kind, round_id
from faristol.results.store import VERSION, table

PLAYERS = 300
ROUNDS = 8
TURNS = 26
TIMES = 5
TOURNAMENT = "great"


async def prize_figures(name: str, url: str) -> Figures:
    """Milliseconds until GetPrizes has answered: at first, after another play, and with nothing new."""
    chance = random.Random(7)
    record = await Record.open(url)
    async with record.writing() as connection:
        await generations.found(connection, projection())
    await _write(record, Kind.TOURNAMENT, TOURNAMENT, 1, results.Tournament(tournament_id=TOURNAMENT))
    for number in range(1, ROUNDS + 1):
        tables = [results.Table(table=one, game_id=f"r{number}-t{one}") for one in range(1, PLAYERS // 2 + 1)]
        round_ = results.GetPairingsResponse(round=number, phase=results.ROUND_PHASE_CLOSED, tables=tables)
        await _write(record, Kind.ROUND, round_id(TOURNAMENT, number), 1, round_)
        for one in tables:
            await _write(record, Kind.GAME, one.game_id, 1, _game(number, one.game_id, chance))
    server = grpc.aio.server()
    service: Any = results_service.service(record, Progress(record, projection().consumer))
    results_pb2_grpc.add_ResultsServiceServicer_to_server(service, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    after_play, again = [], []
    async with grpc.aio.insecure_channel(address) as channel:
        stub = results_pb2_grpc.ResultsServiceStub(channel)
        first = await _timed(stub)
        for time_ in range(TIMES):
            await _write(record, Kind.GAME, "r8-t1", 2 + time_, _game(8, "r8-t1", chance))
            after_play.append(await _timed(stub))
            again.append(await _timed(stub))
    await server.stop(None)
    await record.close()
    what = f"{name}: prizes, {PLAYERS} players, {ROUNDS} rounds"
    return [
        (f"{what}, at first", first * 1_000, "ms"),
        (f"{what}, after a play", statistics.median(after_play) * 1_000, "ms"),
        (f"{what}, again", statistics.median(again) * 1_000, "ms"),
    ]


async def _write(record: Record, kind: Kind, row_id: str, position: int, body: Message) -> None:
    """One row, at a position at which it is said to have changed."""
    rows = table(VERSION, 1)
    async with record.writing() as connection:
        await connection.execute(rows.delete().where(rows.c.kind == kind.value, rows.c.id == row_id))
        row = {"kind": kind.value, "id": row_id, "tournament_id": TOURNAMENT, "position": position}
        await connection.execute(rows.insert().values(**row, body=body.SerializeToString(deterministic=True)))


def _game(round_: int, game_id: str, chance: random.Random) -> results.GetGameResponse:
    entries = []
    for turn in range(1, TURNS + 1):
        faces = chance.choices(("A", "E", "I", "R", "S", "T", "L·L"), k=chance.randint(2, 8))
        placements = [game.Placement(row=8, column=column, face=face) for column, face in enumerate(faces, 1)]
        word = game.ScoredWord(word=game.Word(faces=faces))
        entries.append(
            results.Entry(
                turn=turn,
                player_id=f"player-{chance.randrange(PLAYERS)}",
                kind=results.ENTRY_KIND_PLAY,
                complete=True,
                coordinates="H8",
                score=chance.randint(4, 90),
                bingo=len(faces) > 7,
                words=[word],
                placements=placements,
            )
        )
    board = [game.Placement(row=8, column=column, face="A") for column in range(1, 91)]
    return results.GetGameResponse(game_id=game_id, round=round_, entries=entries, board=board)


async def _timed(stub: results_pb2_grpc.ResultsServiceAsyncStub) -> float:
    start = time.perf_counter()
    answer = await stub.GetPrizes(results.GetPrizesRequest(tournament_id=TOURNAMENT))
    taken = time.perf_counter() - start
    assert answer.prizes[0].value > 0
    return taken
