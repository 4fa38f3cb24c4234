"""Results that the higher score does not win, and reopened results."""

from __future__ import annotations

import pytest
from tests.support.halls import Hall

from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.administration.tournaments import pin_of
from faristol.tournament.results.results import record_result
from faristol.tournament.rounds.ranking import entrants
from faristol.tournament.state import GameDecision

SIX = {"p1": 2000, "p2": 1900, "p3": 1800, "p4": 1700, "p5": 1600, "p6": 1500}
FISC = load_ruleset("fisc-2023")


def report_result(hall: Hall, game: str, first: int, second: int, decided: GameDecision) -> list[events.ResultRecorded]:
    found = hall.state.find_game(game)
    assert found is not None
    scores = list(zip(found[1].player_ids, (first, second), strict=True))
    new_events = record_result(
        hall.state, hall.ruleset, game=game, scores=scores, occurred_at=to_timestamp(hall.now), decided=decided
    )
    return [event for event in hall.do(new_events) if isinstance(event, events.ResultRecorded)]


def start_hall() -> Hall:
    hall = Hall(SIX)
    hall.pair(1)
    hall.start(1)
    return hall


def half_points(hall: Hall) -> dict[str, int]:
    return {entrant.player_id: entrant.half_points for entrant in entrants(hall.state, FISC)}


def test_who_leaves_while_leading_does_not_win() -> None:
    hall = start_hall()
    first, second = hall.state.played[0].pairings[0].player_ids
    report_result(hall, "open-r1-t1", 310, 300, GameDecision(winner_id=second))
    assert (half_points(hall)[first], half_points(hall)[second]) == (0, 2)


def test_when_all_leave_nobody_gets_a_point() -> None:
    hall = start_hall()
    first, second = hall.state.played[0].pairings[0].player_ids
    report_result(hall, "open-r1-t1", 0, 0, GameDecision(lost_by_all=True))
    assert (half_points(hall)[first], half_points(hall)[second]) == (0, 0)


def test_a_result_that_was_opened_again_takes_the_place_of_the_first_though_the_round_is_closed() -> None:
    hall = start_hall()
    first, second = hall.state.played[0].pairings[0].player_ids
    report_result(hall, "open-r1-t1", 300, 299, GameDecision(winner_id=first))
    for table in (2, 3):
        report_result(hall, f"open-r1-t{table}", 300, 299, GameDecision())
    hall.close(1)
    (event,) = report_result(hall, "open-r1-t1", 298, 299, GameDecision(winner_id=second, revision=1))
    assert (event.revision, event.winner_id) == (1, second)
    assert (half_points(hall)[first], half_points(hall)[second]) == (0, 2)
    assert report_result(hall, "open-r1-t1", 298, 299, GameDecision(winner_id=second, revision=1)) == []
    assert report_result(hall, "open-r1-t1", 300, 299, GameDecision(winner_id=first)) == []


def test_another_result_without_being_opened_again_is_not_taken() -> None:
    hall = start_hall()
    report_result(hall, "open-r1-t1", 300, 299, GameDecision())
    with pytest.raises(Refusal, match="ended 300–299 in the record"):
        report_result(hall, "open-r1-t1", 298, 299, GameDecision())


def test_a_pin_says_what_was_chosen() -> None:
    pin = pin_of(with_options(load_ruleset("uf-2007"), {"minutes": "25", "layers": "balearic,valencian"}))
    assert pin.options == (("layers", "balearic,valencian"), ("minutes", "25"))
    assert [(option.name, option.value) for option in pin.message().options] == list(pin.options)
