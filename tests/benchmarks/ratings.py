"""Measure the estimate of the ratings of a great championship after many earlier ones."""

from __future__ import annotations

import random
import statistics
import time

import grpc
from google.protobuf.message import Message
from tests.benchmarks.figures import Figures

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.host import Runtime, Settings
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.pb.rating.v1 import rating_pb2, rating_pb2_grpc
from faristol.rating.service_module import part

PLAYER_COUNT = 300
ROUND_COUNT = 8
LIST_COUNT = 50
REPEAT_COUNT = 5
SYSTEMS = ("elo-1", "glicko2-1")


async def rating_figures(name: str, url: str) -> Figures:
    """Return the milliseconds until EstimateRatings has answered: at first, and after one more result."""
    chance = random.Random(7)
    record = await Record.open(url)
    players = [f"player-{number}" for number in range(PLAYER_COUNT)]
    for number in range(LIST_COUNT):
        lines = [
            rating.RatingUpdated(player_id=player, before=1500, after=1500, deviation=80_00, volatility=60_000)
            for player in players
        ]
        list_ = rating.RatingListPublished(tournament_id=f"cup-{number}", system="glicko2-1")
        await append(record, f"ratings-cup-{number}", 0, [list_, *lines])
    server = grpc.aio.server()
    for servicer in part(Runtime(Settings.model_validate({}), record)).servicers:
        servicer.add_to(server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    figures: Figures = []
    async with grpc.aio.insecure_channel(address) as channel:
        stub = rating_pb2_grpc.RatingServiceStub(channel)
        for system in SYSTEMS:
            figures += await _estimates(name, record, stub, system, players, chance)
    await server.stop(None)
    await record.close()
    return figures


async def append(record: Record, stream: str, version: int, events: list[Message]) -> None:
    """Append events of one stream; the text after the ``-`` is the tournament."""
    await record.append(Decision([Write(stream, version, events, stream.partition("-")[2])]), Metadata())


async def _estimates(
    name: str,
    record: Record,
    stub: rating_pb2_grpc.RatingServiceAsyncStub,
    system: str,
    players: list[str],
    chance: random.Random,
) -> Figures:
    tournament = f"great-{system}"
    new_events: list[Message] = [pairing.TournamentCreated(tournament_id=tournament, rounds=ROUND_COUNT + 1)]
    new_events += [pairing.PlayerRegistered(player_id=player, rating=chance.randint(600, 2200)) for player in players]
    for number in range(1, ROUND_COUNT + 1):
        chance.shuffle(players)
        new_events += [_result(number, place, players, chance) for place in range(0, PLAYER_COUNT, 2)]
        new_events.append(pairing.RoundClosed(round=number))
    await append(record, f"tournament-{tournament}", 0, new_events)
    await append(record, f"ratings-{tournament}", 0, [rating.RatingSystemChosen(system=system)])
    request = rating_pb2.EstimateRatingsRequest(tournament_id=tournament)
    first = await _time_estimate(stub, request)
    after_result, again = [], []
    for time_ in range(REPEAT_COUNT):
        one_more = _result(ROUND_COUNT + 1, 2 * time_, players, chance)
        await append(record, f"tournament-{tournament}", len(new_events) + time_, [one_more])
        after_result.append(await _time_estimate(stub, request))
        again.append(await _time_estimate(stub, request))
    size = f"{PLAYER_COUNT} players, {ROUND_COUNT} rounds, {LIST_COUNT} lists before"
    what = f"{name}: ratings estimated by {system}, {size}"
    return [
        (f"{what}, at first", first * 1_000, "ms"),
        (f"{what}, after a result", statistics.median(after_result) * 1_000, "ms"),
        (f"{what}, again", statistics.median(again) * 1_000, "ms"),
    ]


async def _time_estimate(
    stub: rating_pb2_grpc.RatingServiceAsyncStub, request: rating_pb2.EstimateRatingsRequest
) -> float:
    start = time.perf_counter()
    answer = await stub.EstimateRatings(request)
    taken = time.perf_counter() - start
    assert len(answer.ratings) == PLAYER_COUNT
    assert sum(line.games for line in answer.ratings) >= PLAYER_COUNT * ROUND_COUNT
    return taken


def _result(round_: int, place: int, players: list[str], chance: random.Random) -> pairing.ResultRecorded:
    scores = [
        game.FinalScore(player_id=player, score=chance.randint(250, 550)) for player in players[place : place + 2]
    ]
    winner = max(scores, key=lambda score: score.score).player_id
    return pairing.ResultRecorded(
        round=round_, game_id=f"great-r{round_}-t{place // 2 + 1}", scores=scores, winner_id=winner
    )
