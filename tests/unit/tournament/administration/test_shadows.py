"""Comparisons with another program are on the record, and the last one counts at the end of the tournament."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.halls import Hall, hall_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.open_matters import find_shadow

DIGEST = "ab" * 32


def report(**changed: Any) -> pb.ReportShadowRequest:
    fields = {"program": "tsh", "digest": DIGEST, "rounds": 3, "differences": 2, **changed}
    return pb.ReportShadowRequest(**fields)


def example(player_id: str = "p1", kind: str = "result") -> events.ShadowDifference:
    return events.ShadowDifference(kind=kind, round=2, player_id=player_id)


@pytest.fixture
def hall() -> Hall:
    return hall_of()


def test_the_last_comparison_is_what_the_end_of_the_tournament_finds(hall: Hall) -> None:
    assert find_shadow(hall.state.shadow).open == 0

    hall.carry_out(report(examples=[example(), example("", "rank")]))

    found = find_shadow(hall.state.shadow)
    assert (found.check, found.open, found.subjects) == (events.FINAL_CHECK_SHADOW, 2, ("p1", "rank"))

    hall.carry_out(report(differences=0))

    assert find_shadow(hall.state.shadow).open == 0


def test_a_comparison_after_the_publication_is_reported_too(hall: Hall) -> None:
    for number in range(1, 6):
        hall.play(number)
    hall.carry_out(pb.PublishStandingsRequest())

    hall.carry_out(report())

    assert hall.state.shadow is not None


@pytest.mark.parametrize(
    "given",
    [
        report(program="Some Program"),
        report(digest="12"),
        report(differences=-1),
        report(differences=0, examples=[example()]),
        report(differences=30, examples=[example()] * 21),
        report(examples=[example(kind="Two words")]),
    ],
)
def test_a_malformed_report_is_refused(hall: Hall, given: pb.ReportShadowRequest) -> None:
    with pytest.raises(Invalid):
        hall.decide(given)


def test_a_player_who_is_not_registered_is_refused(hall: Hall) -> None:
    with pytest.raises(Refusal) as refused:
        hall.decide(report(examples=[example("nobody")]))
    assert refused.value.reason == "NOT_REGISTERED"
