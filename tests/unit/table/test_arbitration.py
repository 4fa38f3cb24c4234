"""Commands of an arbiter on a clock: recorded, for exactly the reasons in the book."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.table.clocks import (
    FISC,
    FISE,
    FM,
    PES,
    TIMER,
    UF,
    after,
    build_clock,
    end_game,
    interrupt_table,
    names,
    place_play,
    settle,
    start_table,
)

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.rules import Ruleset, load_ruleset
from faristol.table import Table
from faristol.table.clock import fold
from faristol.table.decide import decide

MAJEURE = events.NEUTRALISATION_REASON_FORCE_MAJEURE


def test_force_majeure_stops_both_clocks_until_the_arbiter_resumes_them() -> None:
    game = start_table()
    clock = build_clock(game, FISC)
    (halted,) = decide(
        Table(FISC, game, clock), clock_pb2.NeutraliseRequest(arbiter_id="arbiter-1", reason=MAJEURE), after(30)
    )
    assert halted == events.ClockNeutralised(
        player_id="biel", reason=MAJEURE, used_ms=30_000, occurred_at=timestamp(after(30)), arbiter_id="arbiter-1"
    )
    clock = fold(clock, [halted])
    assert (clock.running, clock.used_at("biel", after(900))) == ("", 30_000)
    (resumed,) = decide(Table(FISC, game, clock), clock_pb2.ResumeRequest(arbiter_id="arbiter-1"), after(900))
    clock = fold(clock, [resumed])
    assert (clock.running, clock.used_at("biel", after(910))) == ("biel", 40_000)


@pytest.mark.parametrize(("ruleset", "article"), [(UF, "UF 20"), (FISE, "FISE 34"), (PES, "PES Δ.δ.i, Ε.α"), (FM, "")])
def test_no_clock_stands_for_what_its_book_does_not_name(ruleset: Ruleset, article: str) -> None:
    game = start_table()
    with pytest.raises(Refusal) as caught:
        decide(
            Table(ruleset, game, build_clock(game, ruleset)),
            clock_pb2.NeutraliseRequest(arbiter_id="arbiter-1", reason=MAJEURE),
            after(30),
        )
    assert (caught.value.reason, caught.value.article) == ("NOT_A_REASON", article)
    assert "challenge" in str(caught.value)


def test_a_ruling_does_not_resume_what_the_arbiter_stopped() -> None:
    game = place_play(start_table(), 20)
    clock = build_clock(game, FISC)
    clock = fold(
        clock,
        decide(
            Table(FISC, game, clock), clock_pb2.NeutraliseRequest(arbiter_id="arbiter-1", reason=MAJEURE), after(30)
        ),
    )
    during = interrupt_table(game, "challenge", 40)
    clock = build_clock(during, FISC, clock)
    assert clock.interruption == 1
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "STILL_INTERRUPTED"):
        decide(Table(FISC, during, clock), clock_pb2.ResumeRequest(arbiter_id="arbiter-1"), after(50))
    ruled = interrupt_table(game, "challenge", 40, until=60)
    clock = build_clock(ruled, FISC, clock)
    assert (clock.neutralised, clock.running) == (True, "")
    clock = fold(clock, decide(Table(FISC, ruled, clock), clock_pb2.ResumeRequest(arbiter_id="arbiter-1"), after(70)))
    assert (clock.running, clock.used_at("biel", after(80))) == ("biel", 40_000)
    assert settle(clock, ruled, FISC) == []


def test_the_arbiter_stops_the_clocks_once_and_resumes_only_what_the_arbiter_stopped() -> None:
    game = start_table()
    clock = build_clock(game, FISC)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NOT_NEUTRALISED"):
        decide(Table(FISC, game, clock), clock_pb2.ResumeRequest(arbiter_id="arbiter-1"), after(30))
    clock = fold(
        clock,
        decide(
            Table(FISC, game, clock), clock_pb2.NeutraliseRequest(arbiter_id="arbiter-1", reason=MAJEURE), after(30)
        ),
    )
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NEUTRALISED_ALREADY"):
        decide(Table(FISC, game, clock), clock_pb2.NeutraliseRequest(arbiter_id="arbiter-1", reason=MAJEURE), after(31))


@pytest.mark.parametrize(
    ("player_id", "used_ms"), [("biel", 600_000), ("anna", 5_000), ("biel", 0), ("anna", 24 * 60 * 60 * 1_000)]
)
def test_a_correction_sets_the_time_and_says_what_it_was(player_id: str, used_ms: int) -> None:
    game = start_table()
    clock = build_clock(game, FISC)
    entry = events.CORRECTION_REASON_ENTRY
    (corrected,) = decide(
        Table(FISC, game, clock),
        clock_pb2.CorrectClockRequest(arbiter_id="arbiter-1", player_id=player_id, used_ms=used_ms, reason=entry),
        after(60),
    )
    assert isinstance(corrected, events.ClockCorrected)
    assert (corrected.before_ms, corrected.arbiter_id) == (60_000 if player_id == "biel" else 0, "arbiter-1")
    clock = fold(clock, [corrected])
    assert clock.used_at(player_id, after(60)) == used_ms
    assert clock.running == "biel"
    assert clock.used_at("biel", after(70)) == (used_ms + 10_000 if player_id == "biel" else 70_000)


def test_where_turns_are_timed_the_time_of_the_turn_is_corrected() -> None:
    game = start_table()
    clock = build_clock(game, TIMER)
    device = events.CORRECTION_REASON_DEVICE
    clock = fold(
        clock,
        decide(
            Table(TIMER, game, clock),
            clock_pb2.CorrectClockRequest(arbiter_id="arbiter-1", player_id="biel", used_ms=30_000, reason=device),
            after(90),
        ),
    )
    assert clock.turn_used_at(after(90)) == 30_000
    assert names(settle(clock, place_play(game, 180), TIMER)) == ["ClockHeldByMover"]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NOT_ON_TURN"):
        decide(
            Table(TIMER, game, clock),
            clock_pb2.CorrectClockRequest(arbiter_id="arbiter-1", player_id="anna", used_ms=30_000, reason=device),
            after(95),
        )


@pytest.mark.parametrize(("ruleset", "article"), [(UF, "UF 21"), (FISC, "FISC I.11"), (FISE, "FISE 35")])
def test_a_forgotten_clock_is_nobodys_to_mend(ruleset: Ruleset, article: str) -> None:
    game = start_table()
    forgotten = events.CORRECTION_REASON_FORGOTTEN
    with pytest.raises(Refusal) as caught:
        decide(
            Table(ruleset, game, build_clock(game, ruleset)),
            clock_pb2.CorrectClockRequest(arbiter_id="arbiter-1", player_id="biel", used_ms=0, reason=forgotten),
            after(60),
        )
    assert (caught.value.reason, caught.value.article) == ("FORGOTTEN_NOT_HEARD", article)


def test_under_pes_the_arbiter_mends_a_forgotten_clock() -> None:
    game = start_table()
    clock = build_clock(game, PES)
    forgotten = events.CORRECTION_REASON_FORGOTTEN
    assert names(
        decide(
            Table(PES, game, clock),
            clock_pb2.CorrectClockRequest(arbiter_id="arbiter-1", player_id="biel", used_ms=0, reason=forgotten),
            after(60),
        )
    ) == ["ClockCorrected"]


def test_time_that_was_over_before_is_recorded_instead_of_what_the_arbiter_does() -> None:
    game, late = start_table(), after(36 * 60)
    clock = build_clock(game, FISC)
    assert names(
        decide(Table(FISC, game, clock), clock_pb2.NeutraliseRequest(arbiter_id="arbiter-1", reason=MAJEURE), late)
    ) == ["OvertimeCapExceeded"]
    entry = events.CORRECTION_REASON_ENTRY
    assert names(
        decide(
            Table(FISC, game, clock),
            clock_pb2.CorrectClockRequest(arbiter_id="arbiter-1", player_id="biel", used_ms=0, reason=entry),
            late,
        )
    ) == ["OvertimeCapExceeded"]


def test_what_cannot_be_is_refused_or_said_to_be_invalid() -> None:
    game, over = start_table(), end_game(start_table(), 20)
    clock = build_clock(game, FISC)
    entry = events.CORRECTION_REASON_ENTRY
    for field, (arbiter, used_ms, reason) in (
        ("arbiter_id", ("", 0, entry)),
        ("used_ms", ("arbiter-1", -1, entry)),
        ("used_ms", ("arbiter-1", 24 * 60 * 60 * 1_000 + 1, entry)),
        ("reason", ("arbiter-1", 0, events.CORRECTION_REASON_UNSPECIFIED)),
        ("reason", ("arbiter-1", 0, 99)),
    ):
        with pytest.raises(Invalid) as caught:
            decide(
                Table(FISC, game, clock),
                clock_pb2.CorrectClockRequest(arbiter_id=arbiter, player_id="biel", used_ms=used_ms, reason=reason),  # type: ignore[arg-type] # any number
                after(30),
            )
        assert caught.value.field == field
    for table_then, clock_then, ruleset, expected in (
        (over, build_clock(over, FISC), FISC, "GAME_OVER"),
        (game, build_clock(game, load_ruleset("box")), load_ruleset("box"), "NO_CLOCK"),
    ):
        with pytest.raises(Refusal) as refused:
            decide(
                Table(ruleset, table_then, clock_then),
                clock_pb2.CorrectClockRequest(arbiter_id="arbiter-1", player_id="biel", used_ms=0, reason=entry),
                after(30),
            )
        assert refused.value.reason == expected


def test_a_press_counts_from_the_correction() -> None:
    game = place_play(start_table(), 40)
    table_drawn = start_table()
    clock = build_clock(table_drawn, FISC)
    clock = fold(
        clock,
        decide(
            Table(FISC, table_drawn, clock),
            clock_pb2.CorrectClockRequest(
                arbiter_id="arbiter-1", player_id="biel", used_ms=0, reason=events.CORRECTION_REASON_DEVICE
            ),
            after(30),
        ),
    )
    with pytest.raises(Refusal):
        decide(Table(FISC, game, clock), clock_pb2.PressRequest(player_id="biel"), after(50))
    assert clock.used_at("biel", after(50)) == 20_000


@pytest.mark.parametrize("player_id", ["anna", "biel"])
def test_nobody_is_arbiter_of_the_own_clock(player_id: str) -> None:
    game = start_table()
    clock = build_clock(game, FISC)
    forgotten = events.CORRECTION_REASON_FORGOTTEN
    acts: tuple[Callable[[], object], ...] = (
        lambda: decide(
            Table(FISC, game, clock), clock_pb2.NeutraliseRequest(arbiter_id=player_id, reason=MAJEURE), after(30)
        ),
        lambda: decide(Table(FISC, game, clock), clock_pb2.ResumeRequest(arbiter_id=player_id), after(30)),
        lambda: decide(
            Table(FISC, game, clock),
            clock_pb2.CorrectClockRequest(arbiter_id=player_id, player_id="anna", used_ms=0, reason=forgotten),
            after(30),
        ),
        lambda: decide(Table(FISC, game, clock), clock_pb2.ExpireRoundTimeRequest(arbiter_id=player_id), after(30)),
        lambda: decide(
            Table(FISC, game, clock), clock_pb2.ReportAbsenceRequest(arbiter_id=player_id, player_id="anna"), after(30)
        ),
    )
    for act in acts:
        with pytest.raises(Refusal) as refused:
            act()
        assert (refused.value.reason, refused.value.params["officials"]) == ("OWN_GAME", player_id)
