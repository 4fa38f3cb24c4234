"""A hall finds the events that it wrote among those that it has copied."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.event_store.stored import Stored
from faristol.hall.own_events import OwnEvents
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as case_events

KEY = b"k" * 32


def build(stream: str, message: Message) -> Stored:
    """Return an event of a record. Its version and hash are not read."""
    name, content = message.DESCRIPTOR.full_name, message.SerializeToString()
    return Stored(1, stream, 1, "id", name, 1, "cup", content, "{}", 0, b"")


def own_events(*events: tuple[str, Message]) -> list[bool]:
    """Return for each event whether the hall wrote it."""
    fold = OwnEvents(KEY)
    return [fold.take(build(stream, message)) is not None for stream, message in events]


HANDED_OVER = ("game-a", game_events.TableHandedOver(hall="Nord", epoch=1, key=KEY))
PASSED = ("game-a", game_events.Passed(turn=1))


def test_a_hall_wrote_what_follows_the_hand_over_up_to_the_return_or_the_taking_back() -> None:
    for end, is_own in ((game_events.TableReturned(epoch=1), True), (game_events.TableTakenBack(epoch=2), False)):
        assert own_events(PASSED, HANDED_OVER, PASSED, ("game-a", end), PASSED) == [False, False, True, is_own, False]


def test_a_table_of_another_hall_is_not_its_own() -> None:
    other = ("game-a", game_events.TableHandedOver(hall="Sud", epoch=1, key=b"o" * 32))
    assert own_events(other, PASSED) == [False, False]


def test_rulings_of_the_lexicon_are_its_own_and_cases_for_judges_are_not() -> None:
    opened = ("case-x", case_events.CaseOpened(case_id="x", game_id="a"))
    for_judges = ("case-y", case_events.CaseOpened(case_id="y", game_id="a", panel=1))
    claimed = ("case-y", case_events.CaseClaimed(case_id="y"))
    ruled = ("case-x", case_events.CaseRuled(case_id="x"))
    assert own_events(HANDED_OVER, opened, ruled, for_judges, claimed) == [False, True, True, False, False]
