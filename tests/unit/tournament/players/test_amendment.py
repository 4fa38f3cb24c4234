"""Wrong data of a player are corrected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.support.halls import FISC, Hall, hall_of

from faristol.kernel.details import Person
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rating.model import TournamentView, view
from faristol.tournament.command_handling.undo import can_undo
from faristol.tournament.players.amendment import amend
from faristol.tournament.situation import Situation, Words
from faristol.tournament.state import PlayerState

ANNA = Words(Person("p1", "Ana Puig", "Valls", "ESP"), "needs a ramp")
NAME, CLUB, COUNTRY = events.ENTRY_PART_NAME, events.ENTRY_PART_CLUB, events.ENTRY_PART_COUNTRY
RATING, CATEGORY, NOTE = events.ENTRY_PART_RATING, events.ENTRY_PART_CATEGORY, events.ENTRY_PART_NOTE


def amend_player(hall: Hall, player_id: str = "p1", **given: Any) -> events.PlayerAmended:
    situation = Situation(hall.state, now=hall.now, rules=FISC, past_events=hall.events, words=ANNA)
    (event,) = hall.do(amend(situation, pb.AmendPlayerRequest(player_id=player_id, **given)))
    assert isinstance(event, events.PlayerAmended)
    return event


def player(hall: Hall, player_id: str = "p1") -> PlayerState:
    found = hall.state.player(player_id)
    assert found is not None
    return found


def reason_of(act: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refused:
        act()
    return refused.value.reason


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"name": "Anna Puig"}, [NAME]),
        ({"club": ""}, [CLUB]),
        ({"country": "AND", "club": "Valls"}, [COUNTRY]),
        ({"note": "", "name": "Ana Puig"}, [NOTE]),
        ({"category": "U18"}, [CATEGORY]),
        ({"rating": 1450}, [RATING]),
        ({"unrated": True}, [RATING]),
        ({"note": "x", "category": "U18", "name": "A", "rating": 7}, [NAME, RATING, CATEGORY, NOTE]),
    ],
)
def test_what_is_given_and_is_another_changes_and_nothing_else_does(given: Any, parts: list[int]) -> None:
    hall = hall_of(7, 7)
    before = player(hall)
    event = amend_player(hall, **given)
    assert list(event.parts) == parts
    expected = before
    if RATING in parts:
        rating = 1000 if given.get("unrated") else given["rating"]
        expected = replace(expected, rating=rating, unrated=bool(given.get("unrated")))
    if CATEGORY in parts:
        expected = replace(expected, category="U18")
    assert player(hall) == expected
    assert event.note == (given["note"] if NOTE in parts else "")


@pytest.mark.parametrize("given", [{}, {"name": "Ana Puig", "rating": 1999}, {"category": "", "note": "needs a ramp"}])
def test_something_has_to_be_another(given: Any) -> None:
    assert reason_of(lambda: amend_player(hall_of(7, 7), **given)) == "SAME_ENTRY"


def test_nobody_is_amended_who_is_not_registered_and_no_rating_is_taken_for_one() -> None:
    hall = hall_of(7, 7)
    assert reason_of(lambda: amend_player(hall, "nobody", name="A")) == "NOT_REGISTERED"
    for given in ({"rating": 10_000}, {"rating": -1}, {"rating": 1500, "unrated": True}):
        with pytest.raises(Invalid):
            amend_player(hall, **given)  # type: ignore[arg-type]


def test_a_rating_changes_until_a_pairing_was_made_with_it_and_the_rest_at_any_time() -> None:
    hall = hall_of(7, 7)
    amend_player(hall, rating=1)
    hall.pair(1)
    assert hall.state.played[0].bye == "p1"  # it is the lowest of seven now
    assert reason_of(lambda: amend_player(hall, rating=2)) == "ROUND_PAIRED"
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    amend_player(hall, rating=2)
    hall.play(1)
    assert reason_of(lambda: amend_player(hall, rating=3)) == "ROUND_PAIRED"
    amend_player(hall, rating=2, category="U18")
    hall.carry_out(pb.RegisterPlayerRequest(player_id="late", rating=100))
    amend_player(hall, "late", rating=1100)
    hall.pair(2)
    assert reason_of(lambda: amend_player(hall, "late", rating=3)) == "ROUND_PAIRED"
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="p1"))
    amend_player(hall, name="Anna Puig")


def test_a_name_is_put_right_after_the_final_standings_too() -> None:
    hall = hall_of(7, 7)
    for number in range(1, 8):
        hall.play(number)
    hall.carry_out(pb.PublishStandingsRequest())
    amend_player(hall, name="Anna Puig", category="U18")
    assert reason_of(lambda: amend_player(hall, rating=3)) == "ROUND_PAIRED"


def test_a_rating_list_goes_by_the_rating_that_was_put_right() -> None:
    hall = hall_of(7, 7)
    amend_player(hall, "p2", rating=1111)
    amend_player(hall, "p3", unrated=True)
    amend_player(hall, "p4", name="Anna Puig")
    rated = {each.player_id: (each.rating, each.unrated) for each in view(TournamentView(), hall.events).players}
    assert [rated[f"p{place}"] for place in range(1, 5)] == [(1999, False), (1111, False), (1000, True), (1996, False)]


def undo(hall: Hall, version: int) -> events.PlayerAmended:
    (event,) = hall.carry_out(pb.UndoActRequest(version=version, note="a slip"))
    assert isinstance(event, events.PlayerAmended)
    return event


def test_a_rating_and_a_category_are_undone_and_done_again() -> None:
    hall = hall_of(7, 7)
    before = player(hall)
    amend_player(hall, rating=1450, category="U18")
    act = len(hall.events)
    assert can_undo(hall.state, hall.events, act) == "AmendPlayer"
    event = undo(hall, act)
    assert (player(hall), event.note, list(event.parts)) == (before, "a slip", [RATING, CATEGORY])
    undo(hall, len(hall.events))
    assert (player(hall).rating, player(hall).category) == (1450, "U18")
    assert reason_of(lambda: undo(hall, act)) == "NOT_UNDONE"


def test_who_had_no_rating_has_none_when_it_is_undone() -> None:
    hall = Hall({"p1": None, "p2": 1500})
    amend_player(hall, rating=1450)
    undo(hall, len(hall.events))
    assert (player(hall).rating, player(hall).unrated) == (1000, True)


def test_what_a_later_amendment_is_not_about_is_undone_by_itself() -> None:
    hall = hall_of(7, 7)
    amend_player(hall, category="U18")
    act = len(hall.events)
    amend_player(hall, rating=1450)
    amend_player(hall, "p2", category="U12")
    undo(hall, act)
    assert (player(hall).rating, player(hall).category) == (1450, "")


@pytest.mark.parametrize("given", [{"name": "A"}, {"club": ""}, {"country": ""}, {"note": ""}])
def test_words_are_not_undone_because_nothing_keeps_those_before(given: Any) -> None:
    hall = hall_of(7, 7)
    amend_player(hall, category="U18", **given)
    assert can_undo(hall.state, hall.events, len(hall.events)) == ""
    assert reason_of(lambda: undo(hall, len(hall.events))) == "NOT_UNDONE"


def test_a_rating_that_was_paired_with_is_not_undone() -> None:
    hall = hall_of(7, 7)
    amend_player(hall, rating=1450)
    act = len(hall.events)
    hall.pair(1)
    assert can_undo(hall.state, hall.events, act) == ""
    assert reason_of(lambda: undo(hall, act)) == "ROUND_PAIRED"
