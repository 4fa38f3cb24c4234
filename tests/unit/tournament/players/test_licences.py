"""The licence that a tournament requires: registrations, exceptions, and players without it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf.message import Message
from tests.support.halls import FISC, Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.register.model import Licence, Register, RegisterEntry
from faristol.tournament.players.licences import has_licence, licence_day
from faristol.tournament.players.registration import register
from faristol.tournament.situation import Situation

DAY = "2024-05-10"
PERSONS = Register(
    {
        "valid": RegisterEntry("valid", licences=(Licence("competition", "7", "2024-01-01", "2024-12-31"),)),
        "club": RegisterEntry("club", licences=(Licence("club", "8", "", "2024-12-31"),)),
        "expired": RegisterEntry("expired", licences=(Licence("competition", "9", "", "2024-05-09"),)),
        "later": RegisterEntry("later", licences=(Licence("competition", "9", "2024-05-11", ""),)),
        "none": RegisterEntry("none"),
    }
)


@pytest.fixture
def hall() -> Hall:
    made = Hall({"p1": 1500, "p2": 1400})
    made.carry_out(pb.DescribeTournamentRequest(starts_on=DAY))
    made.carry_out(pb.RequireLicenceRequest(required=True, kind="competition"))
    return made


def enter(hall: Hall, player_id: str, reason: str = "") -> list[Message]:
    situation = Situation(hall.state, now=hall.now, rules=FISC, persons=PERSONS)
    return register(situation, pb.RegisterPlayerRequest(player_id=player_id, licence_exception=reason))


def test_a_player_with_a_licence_on_the_first_day_enters(hall: Hall) -> None:
    (entered,) = enter(hall, "valid")
    assert isinstance(entered, events.PlayerRegistered)


@pytest.mark.parametrize(
    ("player_id", "reason"),
    [
        ("club", "LICENCE_MISSING"),
        ("expired", "LICENCE_EXPIRED"),
        ("later", "LICENCE_MISSING"),
        ("none", "LICENCE_MISSING"),
        ("unknown", "LICENCE_MISSING"),
    ],
)
def test_a_player_without_it_enters_only_with_a_reason(hall: Hall, player_id: str, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        enter(hall, player_id)
    assert refused.value.reason == reason
    entered, excused = enter(hall, player_id, "paper shown")
    assert isinstance(entered, events.PlayerRegistered)
    assert excused == events.LicenceExceptionGranted(
        player_id=player_id, note="paper shown", occurred_at=entered.occurred_at
    )


def test_any_kind_is_a_licence_if_none_is_named(hall: Hall) -> None:
    hall.carry_out(pb.RequireLicenceRequest(required=True))
    assert len(enter(hall, "club")) == 1


def test_without_a_requirement_no_licence_is_needed(hall: Hall) -> None:
    hall.carry_out(pb.RequireLicenceRequest())
    (entered,) = enter(hall, "unknown", "needless")
    assert isinstance(entered, events.PlayerRegistered)


def test_without_a_date_the_licence_is_valid_on_the_day_of_the_registration() -> None:
    hall = Hall({"p1": 1500})
    assert licence_day(Situation(hall.state, now=hall.now)) == "2024-05-04"
    hall.carry_out(pb.RequireLicenceRequest(required=True, kind="competition"))
    assert len(enter(hall, "expired")) == 1


def test_registered_players_stay_and_get_exceptions(hall: Hall) -> None:
    assert [has_licence(hall.state, PERSONS, each, DAY) for each in ("p1", "valid")] == [False, True]
    hall.carry_out(pb.GrantLicenceExceptionRequest(player_id="p1", note="paper shown"))
    assert hall.state.licence.exceptions == {"p1"}
    with pytest.raises(Refusal, match="already"):
        hall.carry_out(pb.GrantLicenceExceptionRequest(player_id="p1", note="paper shown"))
    hall.carry_out(pb.RevokeLicenceExceptionRequest(player_id="p1"))
    assert not hall.state.licence.exceptions
    with pytest.raises(Invalid):
        hall.carry_out(pb.GrantLicenceExceptionRequest(player_id="p2"))
    with pytest.raises(Invalid):
        hall.carry_out(pb.RequireLicenceRequest(kind="competition"))


def test_an_undo_restores_the_requirement_before(hall: Hall) -> None:
    hall.carry_out(pb.RequireLicenceRequest(required=True))
    hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert replace(hall.state.licence) == replace(hall.state.licence, required=True, kind="competition")
