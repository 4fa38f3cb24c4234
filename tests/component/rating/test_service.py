from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.support.halls import Hall

from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.host import Runtime, Settings
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.rating.v1 import rating_pb2_grpc as rating_grpc
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.reactions import lists
from faristol.rating.service_module import part


@pytest.fixture
async def ratings(record: Record) -> AsyncIterator[rating_grpc.RatingServiceAsyncStub]:
    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    for servicer in part(Runtime(Settings.model_validate({}), record)).servicers:
        servicer.add_to(server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        yield rating_grpc.RatingServiceStub(channel)
    await server.stop(None)


async def play(record: Record) -> list[Recorded]:
    """Record a whole tournament of six players; return the ends of its rounds."""
    hall = Hall({"a": 1500, "b": 1450, "c": 1400, "d": 1350, "e": None, "f": 900})
    for number in range(1, 6):
        hall.play(number)
    await record.append(Decision([Write("tournament-open", 0, hall.events, "open")]), Metadata())
    return [event for event in await record.read_stream("tournament-open") if event.name == "RoundClosed"]


async def test_there_is_no_list_until_the_last_round_is_closed(ratings: rating_grpc.RatingServiceAsyncStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as answer:
        await ratings.GetRatingList(rating.GetRatingListRequest(tournament_id="open"))

    assert answer.value.code() is grpc.StatusCode.NOT_FOUND
    assert "'open'" in (answer.value.details() or "")


async def test_an_empty_id_is_refused(ratings: rating_grpc.RatingServiceAsyncStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as answer:
        await ratings.GetRatingList(rating.GetRatingListRequest())

    assert answer.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_the_list_after_the_last_round_is_published_once_and_shown_highest_first(
    record: Record, ratings: rating_grpc.RatingServiceAsyncStub
) -> None:
    closings = await play(record)
    assert len(closings) == 5
    reaction = lists(record, EarlierDeviations(record))

    decision = await reaction.react(closings[-1])
    assert decision is not None
    await record.append(decision, Metadata(actor="rating.lists"))

    assert await reaction.react(closings[-1]) is None
    found = await ratings.GetRatingList(rating.GetRatingListRequest(tournament_id="open"))
    assert (found.tournament_id, found.system) == ("open", "elo-1")
    assert found.occurred_at == closings[-1].message.occurred_at  # type: ignore[attr-defined]
    assert len(found.ratings) == 6
    assert [line.after for line in found.ratings] == sorted((line.after for line in found.ratings), reverse=True)
    # In a round robin that the higher-ranked player of each pairing wins, a wins all five games. Expected against
    # 1450, 1400, 1350, 1000 and 900: 0.571 + 0.640 + 0.703 + 0.947 + 0.969 = 3.830; 20 × 1.170 = 23.4.
    first = next(line for line in found.ratings if line.player_id == "a")
    assert (first.before, first.games, first.expected_milli) == (1500, 5, 3830)
    assert first.half_points == 10
    assert first.after == 1523


async def test_a_consumer_that_was_away_still_dates_the_list_by_the_last_round(record: Record) -> None:
    closings = await play(record)

    decisions = [await lists(record, EarlierDeviations(record)).react(closing) for closing in closings]

    assert [decision is not None for decision in decisions] == [False, False, False, False, True]


async def test_the_list_follows_when_a_round_that_is_closed_becomes_the_last(record: Record) -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)}, 7)
    for number in range(1, 6):
        hall.play(number)
    hall.carry_out(pb.ChangeRoundsRequest(rounds=5))
    await record.append(Decision([Write("tournament-open", 0, hall.events, "open")]), Metadata())
    reaction = lists(record, EarlierDeviations(record))
    followed = ("RoundClosed", "RoundsChanged")
    news = [event for event in await record.read_stream("tournament-open") if event.name in followed]

    assert [event.name for event in news][-2:] == ["RoundClosed", "RoundsChanged"]
    decision = await reaction.react(news[-1])
    assert decision is not None
    assert len(decision.writes[0].events) == 1 + 8


async def test_ratings_are_estimated_while_the_tournament_lasts_by_the_system_that_is_chosen(
    record: Record, ratings: rating_grpc.RatingServiceAsyncStub
) -> None:
    closings = await play(record)
    request = rating.EstimateRatingsRequest(tournament_id="open")
    usual = await ratings.EstimateRatings(request)
    assert (usual.system, usual.published, len(usual.ratings)) == ("elo-1", False, 6)
    choose = rating.ChooseRatingSystemRequest(command_id=str(uuid.uuid4()), tournament_id="open", system="naspa-1")
    first = await ratings.ChooseRatingSystem(choose)
    assert await ratings.ChooseRatingSystem(choose) == first  # a repeated command is executed once
    estimated = await ratings.EstimateRatings(request)
    assert estimated.system == "naspa-1"
    assert list(estimated.ratings) != list(usual.ratings)

    decision = await lists(record, EarlierDeviations(record)).react(closings[-1])
    assert decision is not None
    await record.append(decision, Metadata(actor="rating.lists"))

    published = await ratings.GetRatingList(rating.GetRatingListRequest(tournament_id="open"))
    assert (published.system, list(published.ratings)) == ("naspa-1", list(estimated.ratings))
    assert (await ratings.EstimateRatings(request)).published
    choose = rating.ChooseRatingSystemRequest(command_id=str(uuid.uuid4()), tournament_id="open", system="elo-1")
    with pytest.raises(grpc.aio.AioRpcError) as answer:
        await ratings.ChooseRatingSystem(choose)
    assert answer.value.code() is grpc.StatusCode.FAILED_PRECONDITION


async def test_a_revised_list_is_read_with_both_its_moments(
    record: Record, ratings: rating_grpc.RatingServiceAsyncStub
) -> None:
    closings = await play(record)
    decision = await lists(record, EarlierDeviations(record)).react(closings[-1])
    assert decision is not None
    await record.append(decision, Metadata(causation_id=closings[-1].event_id))
    request = rating.GetRatingListRequest(tournament_id="open")
    first = await ratings.GetRatingList(request)
    assert (first.revision, first.HasField("revised_at")) == (0, False)
    scores = [game_events.FinalScore(player_id=player, score=score) for player, score in (("a", 300), ("b", 400))]
    past_events = await record.events("tournament-open")
    results = [event for event in past_events if isinstance(event, pairing_events.ResultRecorded)]
    (game_id,) = [result.game_id for result in results if {score.player_id for score in result.scores} == {"a", "b"}]
    correction = pairing_events.ResultCorrected(
        round=5, game_id=game_id, scores=scores, winner_id="b", occurred_at=Timestamp(seconds=1_800_000_000)
    )
    version = len(await record.read_stream("tournament-open"))
    await record.append(Decision([Write("tournament-open", version, [correction], "open")]), Metadata())
    told = (await record.read_stream("tournament-open"))[-1]
    decision = await lists(record, EarlierDeviations(record)).react(told)
    assert decision is not None
    await record.append(decision, Metadata(causation_id=told.event_id))

    found = await ratings.GetRatingList(request)
    assert (found.revision, found.occurred_at, found.revised_at) == (1, first.occurred_at, correction.occurred_at)
    won, had = ({line.player_id: line.half_points for line in answer.ratings} for answer in (found, first))
    assert (won["a"] - had["a"], won["b"] - had["b"]) == (-2, 2)
    assert [line.after for line in found.ratings] == sorted((line.after for line in found.ratings), reverse=True)
    estimated = await ratings.EstimateRatings(rating.EstimateRatingsRequest(tournament_id="open"))
    assert (estimated.published, estimated.revision, estimated.revised_at) == (True, 1, correction.occurred_at)
    assert list(estimated.ratings) == list(found.ratings)

    added = pairing_events.RoundsChanged(rounds=6, before=5)
    await record.append(Decision([Write("tournament-open", version + 1, [added], "open")]), Metadata())
    estimated = await ratings.EstimateRatings(rating.EstimateRatingsRequest(tournament_id="open"))
    assert (estimated.published, estimated.HasField("occurred_at")) == (False, False)


async def test_nothing_is_chosen_or_estimated_for_a_tournament_that_there_is_not(
    ratings: rating_grpc.RatingServiceAsyncStub,
) -> None:
    choose = rating.ChooseRatingSystemRequest(command_id=str(uuid.uuid4()), tournament_id="none", system="naspa-1")
    for asked in (
        ratings.ChooseRatingSystem(choose),
        ratings.EstimateRatings(rating.EstimateRatingsRequest(tournament_id="none")),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as answer:
            await asked
        assert answer.value.code() is grpc.StatusCode.NOT_FOUND


async def test_every_system_is_told_with_its_parameters(ratings: rating_grpc.RatingServiceAsyncStub) -> None:
    found = (await ratings.ListRatingSystems(rating.ListRatingSystemsRequest())).systems
    assert [(system.name, system.usual) for system in found] == [
        ("elo-1", True),
        ("naspa-1", False),
        ("naspa-2", False),
        ("glicko2-1", False),
    ]
    assert (found[0].base, found[0].per_point, found[1].per_point) == ("10", "0.0025", "0.0031879")
    assert [factor.k for factor in found[1].first_factors] == [30, 24, 15]
    assert [system.accelerated_points for system in found] == [0, 0, 5, 0]
    assert found[2].factors == found[1].factors
    assert (found[3].tau, found[3].first_deviation, found[3].first_volatility) == ("0.5", 35_000, 60_000)


async def test_a_rating_is_as_certain_as_the_last_list_before_the_tournament_left_it(
    record: Record, ratings: rating_grpc.RatingServiceAsyncStub
) -> None:
    line = events.RatingUpdated(player_id="a", before=1400, after=1500, deviation=61_00, volatility=59_000)
    published = events.RatingListPublished(tournament_id="cup", system="glicko2-1")
    await record.append(Decision([Write("ratings-cup", 0, [published, line], "cup")]), Metadata())
    closings = await play(record)
    choose = rating.ChooseRatingSystemRequest(command_id=str(uuid.uuid4()), tournament_id="open", system="glicko2-1")
    await ratings.ChooseRatingSystem(choose)
    estimated = await ratings.EstimateRatings(rating.EstimateRatingsRequest(tournament_id="open"))

    decision = await lists(record, EarlierDeviations(record)).react(closings[-1])
    assert decision is not None
    await record.append(decision, Metadata(actor="rating.lists"))

    found = await ratings.GetRatingList(rating.GetRatingListRequest(tournament_id="open"))
    assert list(found.ratings) == list(estimated.ratings)
    deviations = {line.player_id: line.deviation for line in found.ratings}
    assert deviations["a"] < 61_00 < min(deviations[other] for other in "bcdef")


async def test_an_estimate_follows_each_result_and_each_list_of_another_tournament(
    record: Record, ratings: rating_grpc.RatingServiceAsyncStub
) -> None:
    await play(record)
    choose = rating.ChooseRatingSystemRequest(command_id=str(uuid.uuid4()), tournament_id="open", system="glicko2-1")
    await ratings.ChooseRatingSystem(choose)
    request = rating.EstimateRatingsRequest(tournament_id="open")
    first = await ratings.EstimateRatings(request)
    assert list((await ratings.EstimateRatings(request)).ratings) == list(first.ratings)
    line = events.RatingUpdated(player_id="a", before=1400, after=1500, deviation=61_00, volatility=59_000)
    published = events.RatingListPublished(tournament_id="cup", system="glicko2-1")
    await record.append(Decision([Write("ratings-cup", 0, [published, line], "cup")]), Metadata())

    second = await ratings.EstimateRatings(request)
    assert list(second.ratings) != list(first.ratings)
    assert second.position == first.position + 2

    version = len(await record.read_stream("tournament-open"))
    scores = [game_events.FinalScore(player_id=player, score=score) for player, score in (("a", 300), ("b", 400))]
    result = pairing_events.ResultRecorded(round=6, game_id="open-r6-t1", scores=scores, winner_id="b")
    await record.append(Decision([Write("tournament-open", version, [result], "open")]), Metadata())

    third = await ratings.EstimateRatings(request)
    assert {line.player_id: line.games for line in third.ratings}["a"] == 6
