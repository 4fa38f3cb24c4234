"""What a director writes becomes a request of the contract, or is told what is wrong with it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.cli.director import SERVICE, _as_written, _request, _told, direct
from faristol.cli.referee.forms import kebab
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing


def test_an_enumeration_is_written_as_in_rulebook_cases() -> None:
    made = _request(pairing.CreateTournamentRequest, "copa", ["keeping=recorded", "rounds=3"])
    assert isinstance(made, pairing.CreateTournamentRequest)
    assert (made.tournament_id, made.keeping, made.rounds) == ("copa", game.KEEPING_RECORDED, 3)


def test_options_and_lists_are_written_with_commas() -> None:
    made = _request(pairing.CreateTournamentRequest, "copa", ["options=pairing=round-robin,exchange_min=7"])
    assert isinstance(made, pairing.CreateTournamentRequest)
    assert [(one.name, one.value) for one in made.options] == [("pairing", "round-robin"), ("exchange_min", "7")]
    postponed = _request(pairing.PostponeGameRequest, "copa", ["player-ids=anna,biel"])
    assert isinstance(postponed, pairing.PostponeGameRequest)
    assert postponed.player_ids == ["anna", "biel"]


def test_every_command_says_what_it_does_and_how_its_fields_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    direct()
    listed = capsys.readouterr().out
    assert "forbid-pair             Keep two players, or two teams, apart." in listed
    for line in listed.splitlines():
        assert line.split(maxsplit=1)[1].endswith(".")
        direct(line.split()[0])
    assert "  keeping=hosted|recorded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("keeping=paper", "keeping cannot be 'paper': expected hosted, recorded"),
        ("tables=3", "'tables=3' is no field of this command"),
        ("rounds=three", "rounds cannot be 'three': expected NUMBER"),
        ("occurred-at=noon", "occurred-at cannot be 'noon': expected 2026-03-07T10:00:00Z"),
        ("seed=a", "seed cannot be 'a': expected BASE64"),
    ],
)
def test_what_the_contract_does_not_know_is_told(field: str, said: str) -> None:
    with pytest.raises(typer.BadParameter, match=said):
        _request(pairing.CreateTournamentRequest, "copa", [field])


def test_a_list_of_nothing_is_written_as_nothing() -> None:
    made = _request(pairing.SetHallsRequest, "copa", ["halls="])
    assert isinstance(made, pairing.SetHallsRequest)
    assert list(made.halls) == []


def test_the_history_has_the_choice_of_a_rating_system_in_its_place_and_no_version_to_undo_it_by() -> None:
    at = Timestamp(seconds=1_700_000_000)
    answer = pairing.ListActsResponse(
        acts=[
            pairing.Act(version=1, position=1, type="TournamentCreated", recorded_at=at),
            pairing.Act(version=2, position=9, type="RoundPaired", round=1, recorded_at=at, undone_by="UnpairRound"),
        ],
        rating_choices=[
            pairing.Act(position=5, type="RatingSystemChosen", details=["system: naspa-1"], recorded_at=at)
        ],
    )
    assert list(_told(answer)) == [
        "   1  2023-11-14T22:13:20Z  TournamentCreated",
        "      2023-11-14T22:13:20Z  RatingSystemChosen; system: naspa-1",
        "   2  2023-11-14T22:13:20Z  RoundPaired; round 1; undone by unpair-round",
    ]


def test_every_field_of_a_score_is_written() -> None:
    made = _request(pairing.EnterResultRequest, "copa", ["scores=anna=310,biel=-5"])
    assert isinstance(made, pairing.EnterResultRequest)
    assert [(one.player_id, one.score) for one in made.scores] == [("anna", 310), ("biel", -5)]
    with pytest.raises(typer.BadParameter, match="scores cannot be 'anna': expected PLAYER_ID=SCORE"):
        _request(pairing.EnterResultRequest, "copa", ["scores=anna"])


def test_parts_of_a_field_are_named_as_people_write_them() -> None:
    made = _request(pairing.AppointTribunalRequest, "copa", ["appointments=ona=organisers=AND,p2=substitute="])
    assert isinstance(made, pairing.AppointTribunalRequest)
    assert [(one.person_id, one.role, one.country) for one in made.appointments] == [
        ("ona", events.TRIBUNAL_ROLE_ORGANISERS, "AND"),
        ("p2", events.TRIBUNAL_ROLE_SUBSTITUTE, ""),
    ]
    with pytest.raises(typer.BadParameter, match="organisers"):
        _request(pairing.AppointTribunalRequest, "copa", ["appointments=ona=judges=AND"])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"ona=Club Valls, secció Scrabble",pau=FISE', {"ona": "Club Valls, secció Scrabble", "pau": "FISE"}),
        ("ona=A=B,pau=", {"ona": "A=B", "pau": ""}),
        ('ona=Club "Els Cavalls",pau=FISE', {"ona": 'Club "Els Cavalls"', "pau": "FISE"}),
        ('"ona=""La Torre"", Reus"', {"ona": '"La Torre", Reus'}),
    ],
)
def test_a_text_in_a_list_may_have_commas_and_signs_of_equality(written: str, meant: dict[str, str]) -> None:
    made = _request(pairing.LodgeAppealRequest, "copa", [f"affiliations={written}"])
    assert isinstance(made, pairing.LodgeAppealRequest)
    assert {one.person_id: one.affiliation for one in made.affiliations} == meant


@pytest.mark.parametrize("written", ['"ona=Valls, Reus', '"ona=Valls"x', "ona=Valls, Reus"])
def test_a_list_that_cannot_be_told_apart_is_told(written: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"affiliations cannot be .*: expected PERSON_ID=AFFILIATION"):
        _request(pairing.LodgeAppealRequest, "copa", [f"affiliations={written}"])


@pytest.mark.parametrize("value", [True, False])
def test_what_is_true_or_false_is_written_so(value: bool) -> None:
    made = _request(pairing.DecideAppealRequest, "copa", ["appeal=1", f"upheld={str(value).lower()}"])
    assert isinstance(made, pairing.DecideAppealRequest)
    assert made.upheld is value
    with pytest.raises(typer.BadParameter, match="upheld cannot be 'yes': expected true, false"):
        _request(pairing.DecideAppealRequest, "copa", ["appeal=1", "upheld=yes"])


GUIDE = Path(__file__).parents[3] / "docs" / "tournaments.md"
"""The guide to directing a tournament."""


def test_every_line_of_the_guide_is_a_command_that_there_is_with_fields_of_it() -> None:
    methods = {kebab(one.name): one for one in SERVICE.methods}
    written = GUIDE.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"^faristol direct (\S+) ([a-z0-9-]+)(.*)$", written, flags=re.MULTILINE)
    assert len(lines) > 20
    for command, tournament, rest in lines:
        fields = shlex.split(re.split(r"\s{2,}(?![a-z-]+=)|…", rest)[0])
        made = _request(GetMessageClass(methods[command].input_type), tournament, fields)
        assert made.ListFields(), command


def test_a_refusal_names_fields_as_they_are_written() -> None:
    refused = (
        "p1 withdrew and gave copa-r1-t1 up: give abandoned_by with p1\narbiter_id: expected the id; no arbiter_ids"
    )
    told = "p1 withdrew and gave copa-r1-t1 up: give abandoned-by with p1\narbiter-id: expected the id; no arbiter_ids"
    assert _as_written(refused, pairing.EnterResultRequest()) == told
    running = _as_written("say with running_game whether", pairing.WithdrawPlayerRequest())
    assert running == "say with running-game=given-up|played-out whether"
