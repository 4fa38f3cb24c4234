"""The end of a tournament: its checks, and the reasons that excuse them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.administration.finalisation import OPEN_SENTENCES, finalise
from faristol.tournament.situation import OpenMatters, Situation

NONE_OPEN = tuple(OpenMatters(check, 0) for check in OPEN_SENTENCES)


def play_and_publish() -> Hall:
    hall = Hall({f"p{number}": 2000 - number for number in range(1, 9)})
    for number in range(1, 6):
        hall.play(number)
    hall.carry_out(pb.PublishStandingsRequest())
    return hall


def end(hall: Hall, *found: OpenMatters, reasons: Any = ()) -> list[Any]:
    """Return the events of the end, with what some checks find."""
    by_check = {each.check: each for each in (*NONE_OPEN, *found)}
    situation = Situation(hall.state, now=hall.now, rules=hall.ruleset, open_matters=tuple(by_check.values()))
    given = [pb.FinalReason(check=check, reason=reason) for check, reason in reasons]
    return finalise(situation, pb.FinaliseTournamentRequest(reasons=given))


def test_a_tournament_without_open_matters_is_finalised_and_says_what_was_checked() -> None:
    hall = play_and_publish()

    (ended,) = hall.do(end(hall))

    assert isinstance(ended, events.TournamentFinalised)
    assert (ended.round, [*ended.checks]) == (5, [*OPEN_SENTENCES])
    assert hall.state.finalised


@pytest.mark.parametrize("check", OPEN_SENTENCES)
def test_each_open_check_prevents_the_end_until_it_has_a_reason(check: events.FinalCheck.ValueType) -> None:
    hall = play_and_publish()
    found = OpenMatters(check, 2, ("open-r1-t1", "hort"))

    with pytest.raises(Refusal, match="open-r1-t1, hort") as refused:
        end(hall, found)
    assert refused.value.reason == "FINAL_CHECK_OPEN"

    excused, ended = end(hall, found, reasons=[(check, " The hall burnt down. ")])
    assert (excused.check, excused.open, excused.note) == (check, 2, "The hall burnt down.")
    assert check not in ended.checks
    assert len(ended.checks) == len(OPEN_SENTENCES) - 1


def test_a_refusal_names_every_check_without_a_reason() -> None:
    hall = play_and_publish()
    found = (OpenMatters(events.FINAL_CHECK_HALLS, 1, ("hort",)), OpenMatters(events.FINAL_CHECK_SEALS, 1, ("sealer",)))

    with pytest.raises(Refusal) as refused:
        end(hall, *found, reasons=[(events.FINAL_CHECK_CASES, "None was open.")])
    assert [refused.value.params["subjects"], *(each.params["subjects"] for each in refused.value.others)] == [
        "hort",
        "sealer",
    ]


def test_a_reason_needs_a_check_and_words_and_is_given_once() -> None:
    hall = play_and_publish()
    for reasons in ([(0, "No check.")], [(1, "  ")], [(1, "One."), (1, "Two.")]):
        with pytest.raises(Invalid) as problem:
            end(hall, reasons=reasons)
        assert problem.value.field == "reasons"


def test_standings_come_before_the_end_and_are_withdrawn_with_it() -> None:
    hall = Hall({f"p{number}": 2000 - number for number in range(1, 9)})
    with pytest.raises(Refusal) as refused:
        end(hall)
    assert refused.value.reason == "NOT_PUBLISHED"

    hall = play_and_publish()
    hall.do(end(hall))
    with pytest.raises(Refusal) as again:
        end(hall)
    assert again.value.reason == "FINALISED"

    hall.carry_out(pb.ReopenStandingsRequest())
    assert not hall.state.finalised
