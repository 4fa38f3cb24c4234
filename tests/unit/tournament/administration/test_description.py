from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.administration.tournaments import change_options
from faristol.tournament.situation import Situation

HERE: dict[str, Any] = {
    "name": "Trofeu  Vila de Valls",
    "place": "Valls, el Casal",
    "country": "ESP",
    "starts_on": "2026-11-28",
    "ends_on": "2026-11-29",
    "time_zone": "Europe/Andorra",
    "organiser": "Club d’Escrabel Valls",
    "link": "https://example.org/valls",
}


def hall() -> Hall:
    return Hall({f"p{number}": 1500 - number for number in range(1, 7)})


def describe(**fields: Any) -> pb.DescribeTournamentRequest:
    return pb.DescribeTournamentRequest(**fields)


def test_all_that_is_said_holds_and_what_is_not_said_stays() -> None:
    room = hall()
    (event,) = room.carry_out(describe(**HERE))
    assert isinstance(event, events.TournamentDescribed)
    assert list(event.parts) == [number for number in events.TournamentPart.values() if number]
    room.carry_out(describe(place="Tarragona"))
    state = room.state
    assert (state.name, state.place, state.ends_on) == ("Trofeu Vila de Valls", "Tarragona", "2026-11-29")
    (event,) = room.carry_out(describe(ends_on=""))
    assert list(event.parts) == [events.TOURNAMENT_PART_ENDS_ON]  # type: ignore[attr-defined] # one of these
    assert (room.state.starts_on, room.state.ends_on) == ("2026-11-28", "")


def test_names_of_people_are_in_events_of_their_own_so_that_they_can_be_erased() -> None:
    said = describe(contact="anna@example.org", arbiters=" Eva  Soler ;; Jordi Prat; Eva Soler")
    contact, arbiters = hall().decide(said)
    assert isinstance(contact, events.ContactSet)
    assert isinstance(arbiters, events.ArbitersNamed)
    assert (contact.contact, arbiters.arbiters) == ("anna@example.org", "Eva Soler; Jordi Prat")


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("name", " ", "expected 1 to 200"),
        ("country", "Andorra", "three capital letters"),
        ("starts_on", "28/11/2026", "is not a date"),
        ("starts_on", "2026-02-30", "is not a date"),
        ("ends_on", "20261128", "is not a date"),
        ("time_zone", "Europe/Valls", "no time zone"),
        ("time_zone", "", "no time zone"),
        ("time_zone", "andorra", "did you mean Europe/Andorra?"),
        ("link", "example.org", "not a web address"),
        ("link", "javascript:alert(1)", "not a web address"),
        ("link", "https://", "not a web address"),
        ("link", "https://exa mple.org", "not a web address"),
        ("link", "https://[::1", "not a web address"),
        ("arbiters", "Eva\x00Soler", "cannot be displayed"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(field: str, value: str, why: str) -> None:
    with pytest.raises(Invalid, match=why) as problem:
        hall().decide(describe(**{field: value}))
    assert problem.value.field == field


@pytest.mark.parametrize("field", ["starts_on", "ends_on"])
def test_a_tournament_does_not_end_before_it_begins(field: str) -> None:
    room = hall()
    room.carry_out(describe(starts_on="2026-11-28", ends_on="2026-11-29"))
    with pytest.raises(Invalid, match="is before the first") as problem:
        room.decide(describe(**{field: {"starts_on": "2026-12-01", "ends_on": "2026-11-01"}[field]}))
    assert problem.value.field == field


def reason(room: Hall, request: Message) -> str:
    with pytest.raises(Refusal) as refusal:
        room.decide(request)
    return refusal.value.reason


def test_nothing_new_is_refused() -> None:
    room = hall()
    assert reason(room, describe()) == "SAME_DESCRIPTION"
    assert reason(room, describe(name=room.state.name)) == "SAME_DESCRIPTION"


def test_words_change_after_the_end_and_the_time_zone_does_not() -> None:
    room = hall()
    for number in range(1, 6):
        room.play(number)
    room.carry_out(pb.PublishStandingsRequest())
    room.carry_out(describe(place="Valls"))
    assert reason(room, describe(time_zone="Europe/Athens")) == "TOURNAMENT_OVER"


def test_a_description_is_undone_part_by_part() -> None:
    room = hall()
    before = room.state.name
    room.carry_out(describe(name="Trofeu", place="Valls"))
    version = room.state.version
    room.carry_out(pb.UndoActRequest(version=version))
    assert (room.state.name, room.state.place) == (before, "")


def test_a_tournament_is_archived_and_put_back() -> None:
    room = hall()
    room.play(1)
    room.carry_out(pb.ArchiveTournamentRequest())
    assert room.state.archived
    assert reason(room, pb.ArchiveTournamentRequest()) == "ARCHIVED"
    room.carry_out(pb.RestoreTournamentRequest())
    assert not room.state.archived
    assert reason(room, pb.RestoreTournamentRequest()) == "NOT_ARCHIVED"


def test_one_in_which_nothing_was_played_is_removed_and_takes_no_other_act() -> None:
    room = hall()
    room.pair(1)
    room.carry_out(pb.RemoveTournamentRequest())
    assert room.state.removed
    for request in (pb.RemoveTournamentRequest(), pb.StartRoundRequest(round=1), describe(name="Trofeu")):
        assert reason(room, request) == "TOURNAMENT_REMOVED"
    room.carry_out(pb.RestoreTournamentRequest())
    room.start(1)


def test_one_of_which_a_round_was_started_is_not_removed() -> None:
    room = hall()
    room.pair(1)
    room.start(1)
    assert reason(room, pb.RemoveTournamentRequest()) == "ROUND_PLAYED"


def test_options_change_until_the_first_round_is_paired() -> None:
    room = hall()
    other = with_options(load_ruleset("fisc-2023"), {"round_minutes": 75})
    (event,) = change_options(Situation(room.state, now=room.state.latest), other)
    assert isinstance(event, events.RulesetPinned)
    room.do([event])
    assert room.state.ruleset.digest == other.digest
    with pytest.raises(Refusal) as refusal:
        change_options(Situation(room.state, now=room.state.latest), other)
    assert refusal.value.reason == "SAME_OPTIONS"
    room.pair(1)
    with pytest.raises(Refusal) as refusal:
        change_options(Situation(room.state, now=room.state.latest), load_ruleset("fisc-2023"))
    assert refusal.value.reason == "ROUND_PAIRED"
