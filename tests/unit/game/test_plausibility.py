"""The championship takes an event of a hall only if the state of its table can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tests.unit.table.hall import Hall, rules

from faristol.game.halls.batches import KINDS
from faristol.game.halls.plausibility import MAX_SCORE_POINTS, Implausible, apply_pushed
from faristol.game.halls.rulings import Surroundings
from faristol.host.table_store import CLOCK, GAME
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import events_pb2 as events

STRANGER = "p-evil"
NOTHING = Surroundings()


def name_stranger(message: Message) -> bool:
    """Set the stranger in each field of a player, at any depth. Return whether there is one."""
    found = False
    for field in message.DESCRIPTOR.fields:
        if field.GetOptions().Extensions[options.names] == options.NAMED_PLAYER:
            found = True
            if field.is_repeated:
                getattr(message, field.name).append(STRANGER)
            else:
                setattr(message, field.name, STRANGER)
        elif field.message_type is not None and field.is_repeated:
            part = GetMessageClass(cast("Any", field.message_type))()
            if name_stranger(part):
                found = True
                getattr(message, field.name).append(part)
    return found


OF_STRANGERS = [
    event
    for kind in sorted({*KINDS[GAME], *KINDS[CLOCK]}, key=lambda kind: kind.DESCRIPTOR.full_name)
    if name_stranger(event := kind())
]


@pytest.fixture
def hall() -> Hall:
    return Hall(rules("fisc-2023"))


@pytest.mark.parametrize("event", OF_STRANGERS, ids=lambda event: event.DESCRIPTOR.name)
def test_an_event_of_a_player_of_no_seat_is_refused(hall: Hall, event: Message) -> None:
    with pytest.raises(Implausible, match=r"p-evil.* does not sit at the table"):
        apply_pushed(hall.table, [event], NOTHING)


ONE = "anna"
TIMES = [clock_events.SideTime(player_id="anna")]
SCORES = [events.FinalScore(player_id="anna", score=1), events.FinalScore(player_id="biel")]
IMPOSSIBLE: Sequence[tuple[str, Message, str]] = [
    ("no player", events.Passed(turn=1), "player_id is missing"),
    ("a later turn", events.Passed(turn=7, player_id=ONE), "of turn 7, and turn 1"),
    ("a score of a later turn", events.PlayCompleted(turn=7, player_id=ONE), "of turn 7, which was not taken"),
    ("a score without a play", events.PlayCompleted(turn=1, player_id=ONE), "of turn 1, which was not taken"),
    ("a ruling without a challenge", events.ChallengeRuled(turn=1), "challenge 0 does not wait for a ruling"),
    ("a play without tiles", events.PlayPlaced(turn=1, player_id=ONE), "tiles and words"),
    ("an exchange of tiles that are elsewhere", events.Exchanged(turn=1, player_id=ONE, faces=["Ω"]), "cannot take"),
    ("a return to no turn", events.EntriesTakenBack(turn=9, player_id=ONE), "cannot take"),
    ("a result of one player", events.ResultFinal(scores=SCORES[:1]), "one score for each"),
    ("a sheet of one player", events.TableClosed(scores=SCORES[:1]), "one score for each"),
    ("an unknown reason", events.ScoreAdjusted(player_id=ONE, points=1, reason=99), "reason 99"),  # type: ignore[arg-type]
    ("too many points", events.OutBonus(player_id=ONE, points=MAX_SCORE_POINTS + 1), "above"),
    ("a second clock", clock_events.ClockOpened(player_ids=[ONE]), "a clock opens once"),
    (
        "times of one player",
        clock_events.ClockStopped(times=[clock_events.SideTime(player_id=ONE)]),
        "one time for each",
    ),
]


@pytest.mark.parametrize(("event", "said"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE])
def test_an_event_that_the_table_cannot_take_is_refused(hall: Hall, event: Message, said: str) -> None:
    with pytest.raises(Implausible, match=said):
        apply_pushed(hall.table, [event], NOTHING)


def test_a_player_of_the_tournament_may_have_answered(hall: Hall) -> None:
    asked = events.WordAsked(turn=1, player_id=ONE, answerer_id="other")
    assert apply_pushed(hall.table, [asked], Surroundings({"other"})).game.asked
    with pytest.raises(Implausible, match="other"):
        apply_pushed(hall.table, [asked], NOTHING)


def test_the_refusal_names_the_event(hall: Hall) -> None:
    passed = events.Passed(turn=1, player_id=hall.game.mover)
    with pytest.raises(Implausible) as refused:
        apply_pushed(hall.table, [passed, events.Passed(turn=1, player_id=STRANGER)], NOTHING)
    assert refused.value.place == 1
