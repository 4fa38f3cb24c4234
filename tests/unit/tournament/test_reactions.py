from __future__ import annotations

import pytest
from tests.support.halls import NOON, Hall

from faristol.consumers.handlers import build_handler
from faristol.consumers.progress import Progress
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.reactions import results, sanctions


async def record_game(record: Record, game: str, first: tuple[str, int], second: tuple[str, int]) -> Recorded:
    """Return a tournament whose first round is being played, and the last event of one of its games."""
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)})
    hall.pair(1)
    hall.start(1)
    await record.append(Decision([Write("tournament-open", 0, hall.events, "open")]), Metadata())
    scores = [game_events.FinalScore(player_id=name, score=score) for name, score in (first, second)]
    final = game_events.ResultFinal(scores=scores, winner_id=first[0], occurred_at=to_timestamp(hall.now))
    await record.append(Decision([Write(f"game-{game}", 0, [final], "open")]), Metadata())
    return (await record.read_stream(f"game-{game}"))[0]


async def test_a_final_result_comes_back_into_its_tournament_once(record: Record) -> None:
    reaction = results(record)
    event = await record_game(record, "open-r1-t2", ("p2", 420), ("p6", 390))
    assert event.type in reaction.types

    decision = await reaction.react(event)
    assert decision is not None
    await record.append(decision, Metadata(actor="pairing.results"))

    message = (await record.read_stream("tournament-open"))[-1].message
    assert isinstance(message, events.ResultRecorded)
    assert (message.game_id, [score.score for score in message.scores]) == ("open-r1-t2", [420, 390])
    assert await reaction.react(event) is None


@pytest.mark.parametrize(
    ("game", "first", "second", "reason"),
    [
        ("open-r1-t9", ("p2", 420), ("p6", 390), "GAME_NOT_PAIRED"),
        ("open-r1-t2", ("p2", 420), ("p7", 390), "WRONG_PLAYERS"),
    ],
)
async def test_a_result_of_nothing_paired_stops_the_reaction(
    record: Record, game: str, first: tuple[str, int], second: tuple[str, int], reason: str
) -> None:
    event = await record_game(record, game, first, second)

    with pytest.raises(Refusal) as refused:
        await results(record).react(event)

    assert refused.value.reason == reason


async def test_a_sanction_of_a_table_is_noted_in_a_tournament_that_is_not_over(record: Record) -> None:
    await record_game(record, "open-r1-t2", ("p2", 420), ("p6", 390))
    imposed = game_events.SanctionImposed(player_id="p2", turn=3, kind=game_events.SANCTION_KIND_WARNING)
    await record.append(Decision([Write("game-open-r1-t2", 1, [imposed], "open")]), Metadata())
    event = (await record.read_stream("game-open-r1-t2"))[-1]
    reaction = sanctions(record)

    decision = await reaction.react(event)
    assert decision is not None
    (write,) = decision.writes
    assert isinstance(write.events[0], events.TableSanctionNoted)

    version = len(await record.read_stream("tournament-open"))
    await record.append(
        Decision([Write("tournament-open", version, [events.StandingsPublished()], "open")]), Metadata()
    )
    assert await reaction.react(event) is None
    await record.append(
        Decision(
            [Write("tournament-open", version + 1, [events.StandingsReopened(), events.TournamentRemoved()], "open")]
        ),
        Metadata(),
    )
    assert await reaction.react(event) is None


async def test_results_that_arrive_together_are_recorded_in_one_transaction_each_with_its_cause(record: Record) -> None:
    """A result that no table can have parks its own stream, and the results after it are recorded."""
    await record_game(record, "open-r1-t2", ("p2", 420), ("p6", 390))
    reaction = results(record)
    handler = build_handler(record, reaction, Progress(record, reaction.consumer))
    await handler.prepare()
    await handler.load()
    for game, first, second in (
        ("open-r1-t1", "p1", "p5"),
        ("open-r1-t9", "p3", "p7"),
        ("open-r1-t3", "p3", "p7"),
    ):
        scores = [game_events.FinalScore(player_id=name, score=score) for name, score in ((first, 400), (second, 390))]
        final = game_events.ResultFinal(scores=scores, winner_id=first, occurred_at=to_timestamp(NOON))
        await record.append(Decision([Write(f"game-{game}", 0, [final], "open")]), Metadata())
    finals = await record.read()

    await handler.take(finals)

    recorded = [event for event in await record.read_stream("tournament-open") if event.name == "ResultRecorded"]
    causes = {event.event_id: event.stream for event in finals}
    assert [causes[event.metadata.causation_id] for event in recorded] == [
        "game-open-r1-t2",
        "game-open-r1-t1",
        "game-open-r1-t3",
    ]
    assert recorded[0].recorded_at == recorded[1].recorded_at
    assert handler.parked.keys() == {"game-open-r1-t9"}
    assert handler.noted == finals[-1].position
