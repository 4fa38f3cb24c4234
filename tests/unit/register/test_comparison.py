"""The comparison of a list with the register: what a preview shows is what an import does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.register.test_model import RegisterStore, row

from faristol.gateway.federation.people_export import format_register
from faristol.kernel.details import Person
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.rating.register.decide import check_rows
from faristol.register.comparison import (
    LISTED_DETAILS,
    RegisteredPersons,
    compare,
    digest_of,
    licence_of,
    resolve,
    select_rows,
)
from faristol.register.model import ClubNames
from faristol.typed_input.people_list import read_people

TODAY = "2026-11-28"


@pytest.fixture
def store() -> RegisterStore:
    made = RegisterStore()
    made.enter("anna", name="Anna Puig", club="CE Valls", birth_year=1987, federation_id="17", rating=1500)
    made.enter("biel", name="Biel Roca", federation_id="18", rating=1400)
    made.enter("carla", name="Carla Gil")
    return made


def statuses(store: RegisterStore, *rows: pb.ListedPerson) -> list[tuple[str, int, str]]:
    return [(each.name, each.status, each.person_id) for each in store.compare(list(rows))]


def test_rows_are_new_changed_or_the_same_and_others_are_missing(store: RegisterStore) -> None:
    assert statuses(
        store,
        row(2, "Anna Puig", federation_id="17", rating=1550),
        row(3, "Biel Roca", federation_id="18", rating=1400),
        row(4, "Dolors Mas", federation_id="20"),
    ) == [
        ("Anna Puig", pb.ROW_STATUS_CHANGED, "anna"),
        ("Biel Roca", pb.ROW_STATUS_SAME, "biel"),
        ("Dolors Mas", pb.ROW_STATUS_NEW, ""),
        ("Carla Gil", pb.ROW_STATUS_MISSING, "carla"),
    ]


def test_a_change_has_both_values(store: RegisterStore) -> None:
    listed = row(2, "Anna Puig Roca", federation_id="17", rating=1550, club="CE Vic", has_licence=True)
    listed.licence_to = "2027-06-30"
    (first, *_) = store.compare([listed])
    assert [(each.field, each.before, each.after) for each in first.changes] == [
        ("name", "Anna Puig", "Anna Puig Roca"),
        ("club", "CE Valls", "CE Vic"),
        ("rating", "1500", "1550"),
        ("licence", "", "– 2027-06-30"),
    ]


def test_an_empty_field_changes_no_value(store: RegisterStore) -> None:
    (first, *_) = store.compare([row(2, "Anna Puig", federation_id="17")])
    assert first.status == pb.ROW_STATUS_SAME


def test_the_former_name_of_a_club_is_no_change(store: RegisterStore) -> None:
    store.club("ce-valls", "Club Valls")
    for club in ("CE Valls", "Club Valls"):
        (first, *_) = store.compare([row(2, "Anna Puig", federation_id="17", club=club)])
        assert first.status == pb.ROW_STATUS_SAME


@pytest.mark.parametrize(
    ("fields", "doubt"),
    [
        ({"name": "Anna Puig", "federation_id": "99"}, pb.ROW_DOUBT_SAME_NAME),
        ({"name": "carla gil", "federation_id": "99"}, pb.ROW_DOUBT_SAME_NAME),
        ({"name": "Eva Sol", "federation_id": "17", "birth_year": 2001}, pb.ROW_DOUBT_OTHER_PERSON),
    ],
)
def test_a_row_that_may_be_another_person_is_doubtful(store: RegisterStore, fields: dict[str, Any], doubt: int) -> None:
    (first, *_) = store.compare([pb.ListedPerson(line=2, **fields)])
    assert (first.status, first.doubt, first.person_id) == (pb.ROW_STATUS_DOUBTFUL, doubt, "")
    assert first.candidates


def test_a_list_without_numbers_is_matched_by_names(store: RegisterStore) -> None:
    assert statuses(store, row(1, "ANNA PUIG", rating=1600))[0] == ("ANNA PUIG", pb.ROW_STATUS_CHANGED, "anna")
    (first, *_) = store.compare([row(1, "ANNA PUIG", rating=1600)])
    assert [each.field for each in first.changes] == ["rating"]
    store.enter("anna-2", name="Anna Puig", another_person=True)
    (first, *_) = store.compare([row(1, "Anna Puig", rating=1600)])
    assert (first.doubt, first.candidates) == (pb.ROW_DOUBT_SEVERAL, ("anna", "anna-2"))


def test_a_cut_name_is_the_only_entry_that_begins_so(store: RegisterStore) -> None:
    store.enter("josep", name="Josep Maria Puigdellívol")
    (first, *_) = store.compare([row(1, "Josep Maria Puigdell", is_cut=True, rating=1000)])
    assert (first.person_id, [each.field for each in first.changes]) == ("josep", ["rating"])


def test_a_person_in_two_rows_is_doubtful_in_both(store: RegisterStore) -> None:
    found = store.compare([row(2, "Anna Puig", federation_id="17"), row(3, "Anna Puig", federation_id="17")])
    assert [each.doubt for each in found[:2]] == [pb.ROW_DOUBT_TWICE] * 2
    found = store.compare([row(2, "Eva Sol"), row(3, "eva sol")])
    assert [each.doubt for each in found[:2]] == [pb.ROW_DOUBT_TWICE] * 2


def test_a_player_of_an_earlier_tournament_is_proposed(store: RegisterStore) -> None:
    known = RegisteredPersons(store.state, store.known.persons).with_others([Person("eva", "Eva Sol")])
    (first, *_) = compare([row(2, "Eva Sol", rating=1000)], known, TODAY)
    assert (first.doubt, first.candidates) == (pb.ROW_DOUBT_KNOWN_PLAYER, ("eva",))
    assert resolve(row(2, "Eva Sol", rating=1000), "eva", known).status == pb.ROW_STATUS_NEW


def test_expired_licences_are_shown_with_the_row_taken(store: RegisterStore) -> None:
    store.licence("anna", valid_to="2026-06-30")
    store.licence("biel", valid_to="2026-06-30")
    renewed = row(2, "Anna Puig", federation_id="17", has_licence=True, licence_to="2027-06-30")
    found = {each.name: each.expired_on for each in store.compare([renewed])}
    assert found == {"Anna Puig": "", "Biel Roca": "2026-06-30", "Carla Gil": ""}


def test_a_doubtful_row_is_taken_only_with_a_decision(store: RegisterStore) -> None:
    listed = [row(2, "Anna Puig", federation_id="99", rating=1600)]
    with pytest.raises(Refusal):
        store.take(listed)
    store.take(listed, {2: ""})
    (entered,) = store.state.entries.keys() - {"anna", "biel", "carla"}
    assert store.details[entered]["federation_id"] == "99"
    store.undo(store.state.version - 1)
    store.take(listed, {2: "anna"})
    assert store.details["anna"]["federation_id"] == "99"


def test_a_number_belongs_to_one_person(store: RegisterStore) -> None:
    with pytest.raises(Refusal) as refused:
        store.take([row(2, "Eva Sol", federation_id="17", birth_year=2001)], {2: ""})
    assert refused.value.reason == "SAME_NUMBER_IN_REGISTER"


def test_two_rows_are_not_taken_as_one_person(store: RegisterStore) -> None:
    with pytest.raises(Refusal) as refused:
        store.take([row(2, "Eva Sol"), row(3, "eva sol")], {2: "anna", 3: "anna"})
    assert refused.value.reason == "ROWS_OF_ONE_PERSON"


def test_only_the_selected_rows_are_taken(store: RegisterStore) -> None:
    listed = [row(2, "Eva Sol"), row(3, "Fina Pla"), row(4, "Anna Puig", rating=1)]
    compared, known = store.compare(listed), store.known
    assert [each.line for each in select_rows(compared, known, {3}, {})] == [3]
    assert [each.line for each in select_rows(compared, known, (), {})] == [2, 3, 4]
    assert select_rows(compared, known, (), {}, only_selected=True) == []


def test_the_digest_changes_with_the_register(store: RegisterStore) -> None:
    listed = [row(2, "Anna Puig", federation_id="17", rating=1550)]
    before = digest_of(store.compare(listed))
    assert digest_of(store.compare(listed)) == before
    store.enter("anna", rating=1520)
    assert digest_of(store.compare(listed)) != before


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [row(0, "A")],
        [row(1, "A"), row(1, "B")],
        [row(1, "")],
        [row(1, "A", country="Spain")],
        [row(1, "A", rating=-1)],
    ],
)
def test_impossible_rows_are_refused(rows: list[pb.ListedPerson]) -> None:
    with pytest.raises(Invalid):
        check_rows(rows)


NAMES = st.sampled_from(["Anna Puig", "Biel Roca", "Carla Gil", "Dolors Mas", "Eva Sol", "Fina Pla", "Αννα Ρήγα"])
CLUBS = st.sampled_from(["", "CE Valls", "CE Vic", "Club d'Escrable", "ce vic"])
DAYS = st.sampled_from(["2025-08-31", "2026-08-31", "2027-08-31"])


@st.composite
def listed_persons(draw: st.DrawFn) -> list[pb.ListedPerson]:
    """Draw a list with numbers at the federation, each once."""
    numbers = draw(st.lists(st.integers(1, 12), min_size=1, max_size=8, unique=True))
    found = []
    for line, number in enumerate(numbers, 2):
        listed = row(line, draw(NAMES), federation_id=str(number), club=draw(CLUBS), school=draw(CLUBS))
        listed.birth_year = draw(st.sampled_from([0, 1990, 2010]))
        if draw(st.booleans()):
            listed.rating = draw(st.integers(0, 2000))
        if draw(st.booleans()):
            listed.has_licence, listed.licence_kind = True, draw(st.sampled_from(["", "club"]))
            listed.licence_to = draw(DAYS)
        found.append(listed)
    return found


def decide_all(store: RegisterStore, rows: list[pb.ListedPerson]) -> dict[int, str]:
    """Decide that each doubtful row is a new person, unless it has the number of an entry."""
    return {
        each.line: each.candidates[0] if each.doubt == pb.ROW_DOUBT_OTHER_PERSON else ""
        for each in store.compare(rows)
        if each.status == pb.ROW_STATUS_DOUBTFUL
    }


def take_all(store: RegisterStore, rows: list[pb.ListedPerson]) -> None:
    """Take all rows of a list; a list that changes no entry is refused."""
    try:
        store.take(rows, decide_all(store, rows))
    except Refusal as refused:
        assert refused.reason == "NO_ROW_TAKEN"  # noqa: PT017 # another refusal is a failure


@settings(max_examples=60, deadline=None)
@given(st.lists(listed_persons(), min_size=1, max_size=3))
def test_a_taken_list_is_the_register(lists: list[list[pb.ListedPerson]]) -> None:
    store = RegisterStore()
    for rows in lists:
        shown = {each.line: each for each in store.compare(rows)}
        take_all(store, rows)
        for listed in rows:
            person_id = shown[listed.line].person_id or store.known.by_number(listed.federation_id)
            person, entry = store.known.persons[person_id], store.state.entries[person_id]
            clubs = ClubNames(store.state)
            for name in LISTED_DETAILS:
                given_value, stored = getattr(listed, name), person.known.get(name, "")
                if name == "club" and given_value:
                    assert clubs.present_name(str(stored)) == clubs.present_name(given_value)
                elif name != "school" and given_value:
                    assert str(stored).casefold() == str(given_value).casefold()
            assert not listed.HasField("rating") or entry.rating == listed.rating
            assert licence_of(listed) is None or licence_of(listed) in entry.licences
        assert all(each.status in (pb.ROW_STATUS_SAME, pb.ROW_STATUS_MISSING) for each in store.compare(rows))


@settings(max_examples=50, deadline=None)
@given(listed_persons(), listed_persons())
def test_the_undo_of_an_import_restores_the_register(
    first: list[pb.ListedPerson], second: list[pb.ListedPerson]
) -> None:
    store = RegisterStore()
    take_all(store, first)
    before, version = store.facts, store.state.version + 1
    take_all(store, second)
    if version in store.state.acts:
        store.undo(version)
    assert store.facts == before


@settings(max_examples=50, deadline=None)
@given(st.lists(listed_persons(), min_size=1, max_size=3))
def test_an_import_of_an_export_changes_no_entry(lists: list[list[pb.ListedPerson]]) -> None:
    store = RegisterStore()
    for rows in lists:
        take_all(store, rows)
    exported = format_register(
        pb.RegisteredPerson(
            person_id=person_id,
            rating=store.state.entries[person_id].rating,
            licences=[
                pb.Licence(kind=each.kind, number=each.number, valid_from=each.valid_from, valid_to=each.valid_to)
                for each in store.state.entries[person_id].licences
            ],
            **person.known,
        )
        for person_id, person in store.known.persons.items()
    )
    listed = read_people(exported)
    assert (listed.format, listed.errors) == ("csv", [])
    assert {each.status for each in store.compare(listed.rows)} == {pb.ROW_STATUS_SAME}
