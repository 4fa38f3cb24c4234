"""A rating list follows its results, even if they change after publication."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.halls import Hall

from faristol.event_store import Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.decide import choose, publish, revise
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.model import RatingList, TournamentView, evolve, view
from faristol.rating.reactions import lists

SIX = {"a": 1500, "b": 1450, "c": 1400, "d": 1350, "e": None, "f": 900}
LAST = "open-r5-t1"
AT = Timestamp(seconds=1_700_000_000)


def play_rounds(rounds: int = 5) -> Hall:
    hall = Hall(SIX)
    for number in range(1, rounds + 1):
        hall.play(number)
    return hall


def correct_result(hall: Hall, game: str, first: int, second: int) -> Sequence[Message]:
    """Return the events of a correction by an arbiter, under rules that leave it to the arbiter."""
    found = hall.state.find_game(game)
    assert found is not None
    scores = [
        game_events.FinalScore(player_id=player, score=score)
        for player, score in zip(found[1].player_ids, (first, second), strict=True)
    ]
    winner = "" if first == second else scores[first < second].player_id
    event = pairing_events.ResultCorrected(
        round=found[0].number, game_id=game, scores=scores, winner_id=winner, arbiter_id="eva", occurred_at=AT
    )
    return hall.do([event])


def build_view(hall: Hall) -> TournamentView:
    return view(TournamentView(), hall.events)


def publish_list(hall: Hall, chosen: RatingList = RatingList()) -> RatingList:  # noqa: B008 # it is immutable
    new_events = publish(chosen, build_view(hall), tournament_id="open", occurred_at=AT)
    return reduce(evolve, new_events, chosen)


async def happen(record: Record, past_events: Sequence[Message]) -> Recorded:
    """Record events of the tournament; return the last one from the record."""
    version = len(await record.read_stream("tournament-open"))
    await record.append(Decision([Write("tournament-open", version, past_events, "open")]), Metadata())
    return (await record.read_stream("tournament-open"))[-1]


async def follow(record: Record, event: Recorded) -> bool:
    """Return the effect of an event on the ratings, and whether there is one."""
    reaction = lists(record, EarlierDeviations(record))
    assert event.type in reaction.types
    decision = await reaction.react(event)
    if decision is None:
        return False
    await record.append(decision, Metadata(actor=reaction.name, causation_id=event.event_id))
    return True


async def load_list(record: Record) -> RatingList:
    return reduce(evolve, await record.events("ratings-open"), RatingList())


PLAYED = play_rounds()


def copy(hall: Hall) -> Hall:
    """Return another hall with the same events."""
    other = Hall({})
    other.events, other.now = list(hall.events), hall.now
    return other


@settings(deadline=None, max_examples=25)
@given(
    corrections=st.lists(
        st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6
    ),
    system=st.sampled_from(["elo-1", "naspa-1", "glicko2-1"]),
)
def test_whatever_is_corrected_the_revised_list_is_the_one_that_the_results_make(
    corrections: list[tuple[int, int, int, int]], system: str
) -> None:
    chosen = reduce(evolve, choose(RatingList(), tournament_id="open", system=system, occurred_at=AT), RatingList())
    hall = copy(PLAYED)
    state, revisions = publish_list(hall, chosen), 0
    for round_, table, first, second in corrections:
        correct_result(hall, f"open-r{round_}-t{table}", first, second)
        new_events = revise(state, build_view(hall), occurred_at=AT)
        revisions += bool(new_events)
        state = reduce(evolve, new_events, state)
        assert state.lines == publish_list(hall, chosen).lines
        assert state.revision == revisions
        assert not revise(state, build_view(hall), occurred_at=AT)


def test_a_correction_that_no_rating_depends_on_makes_no_revision() -> None:
    hall = play_rounds()
    state = publish_list(hall)

    correct_result(hall, LAST, 500, 300)

    assert not revise(state, build_view(hall), occurred_at=AT)


def test_nothing_is_revised_before_there_is_a_list() -> None:
    hall = play_rounds(4)
    correct_result(hall, "open-r4-t1", 300, 400)

    assert not revise(RatingList(), build_view(hall), occurred_at=AT)


async def test_a_list_is_published_anew_when_a_result_behind_it_is_corrected(record: Record) -> None:
    hall = play_rounds()
    closed = await happen(record, hall.events)
    assert await follow(record, closed)
    first = await load_list(record)

    correction = await happen(record, correct_result(hall, LAST, 300, 400))
    assert await follow(record, correction)

    state = await load_list(record)
    assert (state.revision, state.occurred_at, state.revised_at) == (1, first.occurred_at, AT)
    assert state.lines == publish_list(hall).lines != first.lines
    assert not await follow(record, correction)  # a second time
    assert not await follow(record, closed)


async def test_a_game_that_was_opened_again_and_has_another_result_revises_the_list(record: Record) -> None:
    hall = play_rounds()
    assert await follow(record, await happen(record, hall.events))
    scores = list(hall.events[-2].scores)  # type: ignore[attr-defined] # the result of the last table
    result = pairing_events.ResultRecorded(round=5, game_id="open-r5-t3", scores=scores, revision=1, occurred_at=AT)
    result.winner_id = scores[1].player_id

    assert await follow(record, await happen(record, [result]))
    assert (await load_list(record)).revision == 1


async def test_corrections_before_the_list_are_in_it_and_a_late_consumer_does_not_list_them_twice(
    record: Record,
) -> None:
    hall = play_rounds()
    new_events = len(hall.events)
    correction = correct_result(hall, LAST, 300, 400)
    await happen(record, hall.events[:new_events])
    told = await happen(record, correction)

    assert not await follow(record, told)
    (closing,) = [
        event
        for event in await record.read_stream("tournament-open")
        if isinstance(event.message, pairing_events.RoundClosed) and event.message.round == 5
    ]
    assert await follow(record, closing)
    assert not await follow(record, told)
    assert (await load_list(record)).lines == publish_list(hall).lines


async def test_a_correction_while_a_list_is_revised_makes_it_decide_again(record: Record) -> None:
    hall = play_rounds()
    assert await follow(record, await happen(record, hall.events))
    first = await happen(record, correct_result(hall, LAST, 300, 400))
    decision = await lists(record, EarlierDeviations(record)).react(first)
    assert decision is not None

    second = await happen(record, correct_result(hall, "open-r5-t2", 300, 400))

    with pytest.raises(Conflict):
        await record.append(decision, Metadata(causation_id=first.event_id))
    assert await follow(record, first)
    assert not await follow(record, second)
    assert (await load_list(record)).lines == publish_list(hall).lines


async def test_a_list_stands_while_rounds_that_were_added_are_played_and_is_revised_after_them(record: Record) -> None:
    hall = Hall({f"p{place}": 2000 - 50 * place for place in range(1, 9)})
    for number in range(1, 6):
        hall.play(number)
    assert await follow(record, await happen(record, hall.events))
    before = await load_list(record)

    added = hall.carry_out(pb.ChangeRoundsRequest(rounds=6))
    assert not await follow(record, await happen(record, added))
    assert not await follow(record, await happen(record, correct_result(hall, LAST, 300, 400)))
    assert await load_list(record) == before
    count = len(hall.events)
    hall.play(6)
    assert await follow(record, await happen(record, hall.events[count:]))

    state = await load_list(record)
    assert (state.revision, {change.games for change in state.lines}) == (1, {6})


async def test_lists_that_may_rest_on_a_list_are_no_earlier_lists_when_it_is_revised(record: Record) -> None:
    hall = play_rounds()
    await record.append(
        Decision([Write("ratings-open", 0, [events.RatingSystemChosen(system="glicko2-1")], "open")]), Metadata()
    )
    assert await follow(record, await happen(record, hall.events))
    first = await load_list(record)
    later = [
        events.RatingListPublished(tournament_id="cup", system="glicko2-1"),
        *(events.RatingUpdated(player_id=name, after=1500, deviation=40_00, volatility=60_000) for name in SIX),
    ]
    await record.append(Decision([Write("ratings-cup", 0, later, "cup")]), Metadata())

    assert await follow(record, await happen(record, correct_result(hall, LAST, 300, 400)))
    assert await follow(record, await happen(record, correct_result(hall, LAST, 400, 300)))

    state = await load_list(record)
    assert (state.revision, state.lines) == (2, first.lines)
