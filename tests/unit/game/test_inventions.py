"""A hall cannot invent what others decide: a ruling, a sanction, an end of the game, or a time of the clock."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

import pytest
from google.protobuf.message import Message
from tests.unit.game.test_honest_tables import LoggedHall
from tests.unit.table.hall import rules

from faristol.game.halls.plausibility import Implausible, apply_pushed
from faristol.game.halls.rulings import Surroundings, may_lexicon_rule
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events

ONE, TWO = "anna", "biel"
BY_LEXICON = "a hall rules by the lexicon only"


@pytest.fixture
def hall() -> LoggedHall:
    return LoggedHall(rules("fisc-2023"), racks=("C A S A L E S", "P O R T E S A"))


def around(hall: LoggedHall) -> Surroundings:
    """Return the surroundings of the table after its events."""
    found = Surroundings()
    for event in hall.log:
        found = found.after(event)
    return found


def find_problem(hall: LoggedHall, *new_events: Message, given: Surroundings | None = None) -> str:
    """Return why the championship does not take events of a table; empty if it does."""
    for event in new_events:
        if "occurred_at" in event.DESCRIPTOR.fields_by_name:
            event.occurred_at.CopyFrom(timestamp(hall.at))  # type: ignore[attr-defined] # it has the field
    try:
        apply_pushed(hall.table, new_events, given or around(hall))
    except Implausible as implausible:
        return implausible.problem
    return ""


RULED = events.ChallengeRuled(turn=1, challenge=1, valid=True)


def play_challenged() -> LoggedHall:
    """Return a table whose play is challenged and waits for its ruling."""
    hall = LoggedHall(rules("fisc-2023"), racks=("C A S A L E S", "P O R T E S A"))
    hall.play("H8 C A S A")
    hall.do(game_pb2.ChallengeRequest(player_id=TWO, words=[events.Word(faces="CASA")]))
    return hall


def test_a_ruling_needs_the_case_that_has_it() -> None:
    waiting, ruled = play_challenged(), play_challenged()
    assert "no case has this ruling" in find_problem(waiting, RULED)
    begun = len(ruled.log)
    ruled.rule([False])
    opened, made, ruling = ruled.log[begun], ruled.log[begun + 1], ruled.log[begun + 2]
    assert isinstance(opened, lexicon_events.CaseOpened)
    assert isinstance(made, lexicon_events.CaseRuled)
    known = around(waiting)
    assert find_problem(waiting, opened, made, ruling) == ""
    assert "differs" in find_problem(waiting, opened, made, RULED)
    by_judges = replace(known, may_lexicon_rule=False)
    assert BY_LEXICON in find_problem(waiting, opened, made, ruling, given=by_judges)
    opposite, judged = deepcopy(made), deepcopy(made)
    opposite.valid = True
    judged.judge_ids.append("ada")
    assert "a ruling on each word" in find_problem(waiting, opened, opposite)
    assert BY_LEXICON in find_problem(waiting, opened, judged)
    elsewhere, reworded = deepcopy(opened), deepcopy(opened)
    elsewhere.case_id = "x" * 20
    reworded.words[0].faces[:] = "SAC"
    assert "not the case of this challenge" in find_problem(waiting, elsewhere)
    assert "other words" in find_problem(waiting, reworded)
    of_judges = deepcopy(opened)
    of_judges.panel = 1
    assert BY_LEXICON in find_problem(waiting, of_judges)
    assert "a hall rules" in find_problem(waiting, made, given=known)


def test_a_play_is_not_withdrawn_without_a_ruling() -> None:
    withdrawn = events.PlayWithdrawn(turn=1, player_id=ONE, reason=events.WITHDRAWAL_REASON_CHALLENGED)
    assert "no ruling withdraws" in find_problem(play_challenged(), withdrawn)


def test_the_lexicon_may_rule_if_it_did_at_some_time_since_the_hand_over() -> None:
    def change(mode: lexicon_events.Mode.ValueType, at: int) -> Message:
        return lexicon_events.AdjudicationSet(mode=mode, occurred_at=timestamp(at))

    judge, automatic = lexicon_events.MODE_JUDGE, lexicon_events.MODE_AUTOMATIC
    assert may_lexicon_rule([], 5)
    assert not may_lexicon_rule([change(judge, 3)], 5)
    assert may_lexicon_rule([change(judge, 7)], 5)
    assert may_lexicon_rule([change(judge, 3), change(automatic, 7), change(judge, 9)], 5)
    assert not may_lexicon_rule([change(judge, 1), change(automatic, 2), change(judge, 3)], 5)


def sanction(kind: events.SanctionKind.ValueType, points: int = 0) -> events.SanctionImposed:
    return events.SanctionImposed(turn=1, player_id=ONE, kind=kind, points=points, arbiter_id="eva")


WARNING, POINTS, TURN, GAME = (
    events.SANCTION_KIND_WARNING,
    events.SANCTION_KIND_POINTS,
    events.SANCTION_KIND_TURN,
    events.SANCTION_KIND_GAME,
)
DEDUCTED = events.ScoreAdjusted(player_id=ONE, points=-30, reason=events.ADJUSTMENT_REASON_SANCTION)
LOST_TURN = events.NextTurnForfeited(player_id=ONE, reason=events.TURN_LOST_REASON_SANCTION)
FORFEIT = events.GameEnded(condition=events.END_CONDITION_FORFEIT, loser_ids=[ONE])
WITHOUT_CAUSE: Sequence[tuple[str, Sequence[Message], str]] = [
    ("a sanction without an arbiter", [events.SanctionImposed(turn=1, player_id=ONE, kind=WARNING)], "by an arbiter"),
    (
        "a sanction by a player",
        [events.SanctionImposed(turn=1, player_id=ONE, kind=WARNING, arbiter_id=TWO)],
        "by an arbiter",
    ),
    (
        "a sanction of a later turn",
        [events.SanctionImposed(turn=5, player_id=ONE, kind=WARNING, arbiter_id="eva")],
        "5",
    ),
    ("points of a warning", [sanction(WARNING, 30)], "other points"),
    ("a deduction", [DEDUCTED], "no sanction deducts"),
    ("a larger deduction", [sanction(POINTS, 25), DEDUCTED], "no sanction deducts"),
    ("the loss of a turn", [sanction(WARNING), LOST_TURN], "no decision"),
    ("the loss of the game", [FORFEIT], "no cause"),
    ("an end by overtime", [events.GameEnded(condition=events.END_CONDITION_OVERTIME)], "no cause"),
    ("an end by agreement", [events.GameEnded(condition=events.END_CONDITION_AGREEMENT)], "no cause"),
    ("an end with tiles left", [events.GameEnded(condition=events.END_CONDITION_OUT)], "no cause"),
    ("a penalty", [events.ChallengePenalty(turn=1, challenge=1, player_id=ONE, points=-5)], "no ruling costs"),
    ("the departure of no arbiter", [events.ArbiterLeft(turn=1, arbiter_id="eva")], "no arbiter was called"),
    (
        "a count on the racks",
        [events.ScoreAdjusted(player_id=ONE, points=9, reason=events.ADJUSTMENT_REASON_FORFEIT)],
        "the end",
    ),
]


@pytest.mark.parametrize(("new_events", "said"), [pytest.param(*case[1:], id=case[0]) for case in WITHOUT_CAUSE])
def test_a_penalty_or_an_end_without_a_cause_is_refused(
    hall: LoggedHall, new_events: Sequence[Message], said: str
) -> None:
    assert said in find_problem(hall, *new_events)


@pytest.mark.parametrize(
    "new_events", [[sanction(POINTS, 30), DEDUCTED], [sanction(TURN), LOST_TURN], [sanction(GAME), FORFEIT]]
)
def test_a_penalty_with_its_sanction_is_accepted(hall: LoggedHall, new_events: Sequence[Message]) -> None:
    assert find_problem(hall, *new_events) == ""


LATE, DEVICE = clock_events.FORFEIT_REASON_LATE, clock_events.CORRECTION_REASON_DEVICE
TIMES = [clock_events.SideTime(player_id=player_id) for player_id in (ONE, TWO)]
FORCE = clock_events.NEUTRALISATION_REASON_FORCE_MAJEURE
WRONG_TIMES: Sequence[tuple[str, Message, str]] = [
    ("a used time", clock_events.ClockPressed(player_id=ONE, turn=1, used_ms=900_000), "another used time"),
    ("a press of the other clock", clock_events.ClockPressed(player_id=TWO, turn=1), "of the player on turn"),
    ("a second start", clock_events.ClockStarted(player_id=ONE), "once"),
    ("a start of a running clock", clock_events.ClockResumed(player_id=ONE, turn=1), "runs already"),
    (
        "a stop for no reason",
        clock_events.ClockNeutralised(player_id=ONE, interruption=1, reason=FORCE),
        "no interruption",
    ),
    ("an unknown reason", clock_events.ClockNeutralised(player_id=ONE, arbiter_id="eva"), "unknown"),
    ("the end of the overtime", clock_events.OvertimeCapExceeded(player_id=ONE, overtime_ms=600_000), "overtime"),
    ("the end of a turn", clock_events.TurnTimedOut(player_id=ONE, turn=1), "no limited turn"),
    ("a switch", clock_events.ClockSwitched(player_id=ONE, turn=1, next_player_id=TWO), "is not over"),
    (
        "the end of the clock",
        clock_events.ClockStopped(times=[clock_events.SideTime(player_id=p) for p in (ONE, TWO)]),
        "not over",
    ),
    (
        "a correction without an arbiter",
        clock_events.ClockCorrected(player_id=ONE, reason=DEVICE, used_ms=5),
        "an arbiter corrects",
    ),
    ("a return", clock_events.PlayerReturned(player_id=ONE), "has not left"),
    ("an arrival", clock_events.PlayerArrived(player_id=ONE), "not noted as absent"),
    (
        "a loss by absence",
        clock_events.TimeForfeited(player_id=ONE, reason=clock_events.FORFEIT_REASON_LATE),
        "not absent",
    ),
]


@pytest.mark.parametrize(("event", "said"), [pytest.param(*case[1:], id=case[0]) for case in WRONG_TIMES])
def test_a_time_that_is_not_that_of_the_clock_is_refused(hall: LoggedHall, event: Message, said: str) -> None:
    hall.after(7)
    assert said in find_problem(hall, event)


def test_the_time_that_was_used_is_accepted(hall: LoggedHall) -> None:
    hall.play("H8 C A S A")
    hall.do(game_pb2.DrawTilesRequest(player_id=ONE))
    hall.after(7)
    used = hall.clock.used_at(ONE, hall.at)
    for used_ms, accepted in ((used, True), (used - 1_000, False), (used + 1_000, False)):
        assert (find_problem(hall, clock_events.ClockPressed(player_id=ONE, turn=1, used_ms=used_ms)) == "") is accepted
