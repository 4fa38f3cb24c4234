"""Lines about the register of persons for the terminal."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from faristol.cli.client import Client
from faristol.cli.season.register import (
    _format_preview,
    _parse_category,
    _parse_decision,
    format_acts,
    format_categories,
    format_clubs,
    format_found,
    format_missing_licences,
    format_persons,
    import_list,
)
from faristol.host import StartError
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.presentation.register_sentences import ACTS, describe_act, describe_licence
from faristol.typed_input.people_list import PeopleList

NAMES: Any = SimpleNamespace(name=lambda player_id: player_id.title())


def test_a_preview_says_each_change_and_each_doubt() -> None:
    rows = [
        pb.ComparedRow(
            line=2,
            name="Anna Puig",
            person_id="anna",
            status=pb.ROW_STATUS_CHANGED,
            changes=[pb.FieldChange(field="club", before="CE Valls", after="CE Vic")],
        ),
        pb.ComparedRow(line=3, name="Biel Roca", status=pb.ROW_STATUS_SAME),
        pb.ComparedRow(
            line=4,
            name="Carla Gil",
            status=pb.ROW_STATUS_DOUBTFUL,
            doubt=pb.ROW_DOUBT_SAME_NAME,
            candidates=[pb.RowCandidate(person_id="carla", name="Carla Gil", federation_id="9")],
        ),
        pb.ComparedRow(name="Eva Sol", person_id="eva", status=pb.ROW_STATUS_MISSING, expired_on="2026-06-30"),
    ]
    lines = list(_format_preview(pb.PreviewImportResponse(rows=rows, digest="d"), PeopleList("csv")))
    assert lines == [
        "2: Anna Puig (anna): changed",
        "    Club: CE Valls → CE Vic",
        "4: Carla Gil: doubtful (same name, other number)",
        "    perhaps Carla Gil (carla, 9)",
        "–: Eva Sol (eva): missing in the list",
        "    the licence expired on 2026-06-30",
        "0 new, 1 changed, 1 the same, 1 doubtful, 1 missing in the list",
        "--digest d",
    ]


def test_a_category_and_a_decision_are_read_as_they_are_typed() -> None:
    assert _parse_category("U18=0-17") == events.AgeCategory(name="U18", max_age=17)
    assert _parse_category("Veteran=60-") == events.AgeCategory(name="Veteran", min_age=60)
    assert _parse_decision("17=anna") == pb.RowDecision(line=17, person_id="anna")
    assert _parse_decision("17=") == pb.RowDecision(line=17)


@pytest.mark.parametrize("text", ["U18", "U18=17", "=0-17", "U18=a-b", "U18=0-99999999999"])
def test_a_wrong_category_is_refused(text: str) -> None:
    with pytest.raises(StartError, match="is not a category"):
        _parse_category(text)


@pytest.mark.parametrize("lines", ["a", "2,-5", "99999999999"])
def test_a_wrong_line_is_refused_before_any_call(tmp_path: Path, lines: str) -> None:
    (tmp_path / "list.csv").write_text("name\nAnna Puig\n")
    with pytest.raises(StartError, match="is not the number of a line"):
        import_list(Client(), str(tmp_path / "list.csv"), lines=lines, digest="0")


@pytest.mark.parametrize("text", ["anna", "x=anna", "=anna", "99999999999=anna"])
def test_a_wrong_decision_is_refused(text: str) -> None:
    with pytest.raises(StartError, match="is not a decision"):
        _parse_decision(text)


def test_entries_clubs_and_categories_are_lines() -> None:
    person = pb.RegisteredPerson(
        person_id="anna",
        name="Anna Puig",
        rating=1500,
        licences=[pb.Licence(kind="club", number="9", valid_to="2026-06-30", has_expired=True)],
    )
    first, more = format_persons(pb.ListRegisteredPersonsResponse(persons=[person], total=2))
    assert "Anna Puig" in first
    assert "club 9, expired on 2026-06-30" in first
    assert more == "1 of 2 persons are shown."
    found = pb.FoundPerson(person_id="anna", name="Anna Puig", category="U18")
    assert "U18" in next(format_found(pb.SearchRegisterResponse(persons=[found])))
    club = pb.Club(club_id="vic", name="Club Vic", kind=events.CLUB_KIND_SCHOOL, former_names=["CE Vic"], persons=3)
    assert "school" in next(format_clubs(pb.ListClubsResponse(clubs=[club])))
    table = pb.GetCategoriesResponse(
        season_id="2026", year=2026, categories=[events.AgeCategory(name="U18", max_age=17)], persons=[4], others=5
    )
    assert next(format_categories(table)) == "Categories of 2026, by the age in 2026:"


def test_empty_answers_say_so() -> None:
    assert list(format_persons(pb.ListRegisteredPersonsResponse()))
    assert list(format_found(pb.SearchRegisterResponse()))
    assert list(format_clubs(pb.ListClubsResponse()))
    assert list(format_categories(pb.GetCategoriesResponse()))
    assert list(format_acts(pb.ListRegisterActsResponse()))
    nothing = pairing.ListMissingLicencesResponse()
    assert list(format_missing_licences(nothing, NAMES)) == ["No licence is required."]


def test_players_without_a_licence_are_lines_with_the_reason() -> None:
    answer = pairing.ListMissingLicencesResponse(
        required=True,
        day="2026-11-28",
        players=[
            pairing.MissingLicence(player_id="anna", is_registered=True, valid_to="2026-06-30"),
            pairing.MissingLicence(player_id="biel", has_exception=True),
        ],
    )
    first, second = format_missing_licences(answer, NAMES)
    assert "expired on 2026-06-30" in first
    assert "not in the register" in second
    assert "exception granted" in second
    (nobody,) = format_missing_licences(pairing.ListMissingLicencesResponse(required=True, day="x"), NAMES)
    assert nobody == "All players have a licence that is valid on x."


@pytest.mark.parametrize("language", ["ca", "es", "el", "en"])
def test_every_act_has_a_sentence(language: str) -> None:
    said = {describe_act(pb.RegisterAct(event=event, name="Anna", undone=True), language) for event in ACTS}
    assert len(said) == len(ACTS)
    acts = {each.name for each in events.DESCRIPTOR.message_types_by_name.values()}
    assert acts - ACTS.keys() == {"AgeCategory", "ClubsSeparated"}


def test_a_licence_names_its_kind_number_and_last_day() -> None:
    assert describe_licence(pb.Licence(kind="club", valid_to="2099-12-31", is_valid=True), "en") == (
        "club until 2099-12-31"
    )
    assert describe_licence(pb.Licence(number="9", is_valid=True), "en") == "9"
    expired = pb.Licence(valid_to="2020-12-31", has_expired=True)
    assert describe_licence(expired, "en") == "licence, expired on 2020-12-31"
    later = pb.Licence(number="9", valid_from="2099-01-01", valid_to="2099-12-31")
    assert describe_licence(later, "en") == "9 from 2099-01-01 until 2099-12-31"
    assert describe_licence(pb.Licence(number="9", valid_from="2099-01-01"), "en") == "9 from 2099-01-01"
