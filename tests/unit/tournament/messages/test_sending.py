"""Messages of officials: their readers, their texts, their end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.support.halls import NOON, Hall, decide_command

from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.messages.sending import MAX_SHOWN_COUNT, send
from faristol.tournament.situation import Situation

PLAYERS = {f"p{number}": 2000 - number for number in range(1, 9)}


def two_halls() -> Hall:
    """Return a tournament with a round that is played at two tables of hall A and two of hall B."""
    hall = Hall(PLAYERS)
    halls = [events.Hall(name="A", first_table=1, last_table=2), events.Hall(name="B", first_table=11, last_table=12)]
    hall.carry_out(pb.SetHallsRequest(halls=halls))
    hall.pair(1)
    hall.start(1)
    return hall


def send_message(of: Hall, /, **fields: Any) -> Any:
    """Return the event of a message that is sent now."""
    (event,) = of.carry_out(pb.SendMessageRequest(**fields))
    return event


def reason(of: Hall, /, **fields: Any) -> str:
    """Return the reason of the refusal of a message, or its malformed field."""
    with pytest.raises((Refusal, Invalid)) as problem:
        of.decide(pb.SendMessageRequest(**fields))
    against: Any = problem.value
    return against.reason if isinstance(against, Refusal) else against.field


def test_the_fields_of_a_message_choose_its_readers() -> None:
    hall = two_halls()
    assert send_message(hall, text="Hi").audience == events.MESSAGE_AUDIENCE_ALL
    assert send_message(hall, text="Hi", hall="A").audience == events.MESSAGE_AUDIENCE_HALL
    at_tables = send_message(hall, text="Hi", tables=[11, 2, 2])
    assert (at_tables.audience, [*at_tables.tables]) == (events.MESSAGE_AUDIENCE_TABLES, [2, 11])
    to_players = send_message(hall, text="Hi", player_ids=["p3"])
    assert isinstance(to_players, events.PlayerMessageSent)
    assert [event.number for event in hall.events if isinstance(event, events.MessageSent)] == [1, 2, 3]
    assert to_players.number == 4


def test_tables_that_wait_are_chosen_when_a_message_is_sent() -> None:
    hall = two_halls()
    hall.report("open-r1-t1", 400, 300)
    asked = {"kind": events.MESSAGE_KIND_ENTER_RESULT, "audience": events.MESSAGE_AUDIENCE_WITHOUT_RESULT}
    assert [*send_message(hall, **asked).tables] == [2, 11, 12]
    assert [*send_message(hall, **asked, hall="A").tables] == [2]
    assert reason(hall, text="Hi", audience=events.MESSAGE_AUDIENCE_UNCONFIRMED) == "NO_READERS"


def test_players_who_are_not_checked_in_are_named_to_officials_only() -> None:
    hall = Hall(PLAYERS)
    hall.carry_out(pb.CheckInPlayerRequest(player_id="p1"))
    event = send_message(hall, kind=events.MESSAGE_KIND_CHECK_IN, audience=events.MESSAGE_AUDIENCE_NOT_CHECKED_IN)
    assert isinstance(event, events.PlayerMessageSent)
    assert [*event.player_ids] == [f"p{number}" for number in range(2, 9)]


def test_a_public_text_names_no_player() -> None:
    situation = Situation(two_halls().state, now=NOON, names={"p1": "Anna Puig", "p2": "Torna"})

    def field(text: str, **fields: Any) -> str:
        try:
            send(situation, pb.SendMessageRequest(text=text, **fields))
        except Invalid as problem:
            return problem.field
        return ""

    assert field("PUIG, Anna: please come") == "text"
    assert field("Torna aviat") == ""  # a name of one word may be a word
    assert field("Anna, please come") == ""
    assert field("Anna Puig: please come", player_ids=["p1"]) == ""


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "text"),
        ({"text": "x" * 301}, "text"),
        ({"text": "Hi", "minutes": 1_441}, "minutes"),
        ({"kind": events.MESSAGE_KIND_BREAK}, "until"),
        ({"kind": events.MESSAGE_KIND_BREAK, "until": to_timestamp(NOON)}, "until"),
        ({"text": "Hi", "until": to_timestamp(NOON + timedelta(hours=1))}, "until"),
        ({"text": "Hi", "round": 1}, "round"),
        ({"kind": events.MESSAGE_KIND_ROUND_STARTS, "round": 9}, "round"),
        ({"text": "Hi", "audience": events.MESSAGE_AUDIENCE_HALL}, "hall"),
        ({"text": "Hi", "audience": events.MESSAGE_AUDIENCE_ALL, "hall": "A"}, "hall"),
        ({"text": "Hi", "audience": events.MESSAGE_AUDIENCE_ALL, "tables": [1]}, "tables"),
        ({"text": "Hi", "player_ids": ["p1"], "interrupts": True}, "interrupts"),
        ({"text": "Hi", "hall": "C"}, "NO_SUCH_HALL"),
        ({"text": "Hi", "tables": [3]}, "NO_SUCH_TABLE"),
        ({"text": "Hi", "tables": [11], "hall": "A"}, "NO_SUCH_TABLE"),
        ({"text": "Hi", "player_ids": ["nobody"]}, "NOT_REGISTERED"),
    ],
)
def test_a_message_that_cannot_be_sent_says_why(fields: dict[str, Any], field: str) -> None:
    assert reason(two_halls(), **fields) == field


def test_an_official_of_a_hall_writes_to_its_players_only() -> None:
    hall = two_halls()
    seats = {seat.hall: seat.player_ids for seat in hall.state.played[0].pairings}
    assert [*send_message(hall, text="Hi", hall="A", player_ids=[seats["A"][0]]).player_ids] == [seats["A"][0]]
    assert reason(hall, text="Hi", hall="A", player_ids=[seats["B"][0]]) == "NOT_IN_HALL"


def test_a_break_is_shown_until_its_end_and_a_text_for_half_an_hour() -> None:
    hall = two_halls()
    until = hall.now + timedelta(minutes=95)
    event = send_message(hall, kind=events.MESSAGE_KIND_BREAK, until=to_timestamp(until))
    assert event.expires_at == event.until == to_timestamp(until)
    now = hall.now
    assert send_message(hall, text="Hi").expires_at == to_timestamp(now + timedelta(minutes=30))
    now = hall.now
    assert send_message(hall, text="Hi", minutes=5).expires_at == to_timestamp(now + timedelta(minutes=5))


def test_a_message_is_withdrawn_once_and_by_its_undo() -> None:
    hall = two_halls()
    send_message(hall, text="Hi", hall="A")
    version = len(hall.events)
    with pytest.raises(NotFound):
        hall.decide(pb.WithdrawMessageRequest(number=1, hall="B"))
    with pytest.raises(NotFound):
        hall.decide(pb.WithdrawMessageRequest(number=2))
    (gone,) = hall.carry_out(pb.UndoActRequest(version=version))
    assert isinstance(gone, events.MessageWithdrawn)
    with pytest.raises(Refusal, match="no longer shown"):
        hall.decide(pb.WithdrawMessageRequest(number=1))
    send_message(hall, text="Hi", player_ids=["p1"])
    (gone,) = hall.decide(pb.WithdrawMessageRequest(number=2))
    assert isinstance(gone, events.PlayerMessageWithdrawn)


def test_an_expired_message_is_over() -> None:
    hall = two_halls()
    send_message(hall, text="Hi", minutes=1)
    with pytest.raises(Refusal, match="no longer shown"):
        decide_command(hall.state, pb.WithdrawMessageRequest(number=1), now=hall.now + timedelta(minutes=2))


def test_a_screenful_of_messages_is_the_most_at_a_time() -> None:
    hall = Hall(PLAYERS)
    for _ in range(MAX_SHOWN_COUNT):
        send_message(hall, text="Hi", minutes=1_000)
    assert reason(hall, text="Hi") == "TOO_MANY_MESSAGES"
