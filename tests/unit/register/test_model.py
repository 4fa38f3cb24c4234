"""The register of a federation: decisions, the state that they leave, and their undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from google.protobuf.message import Message

from faristol.kernel.details import DETAILS, Person
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.rating.register import decide
from faristol.rating.register.decide import Decided
from faristol.register.comparison import Compared, RegisteredPersons, compare, select_rows
from faristol.register.model import AgeTable, ClubNames, Licence, Register, evolve, fold_register

TODAY = "2026-11-28"


class RegisterStore:
    """A register with the details of its persons beside it, as the service keeps them."""

    def __init__(self) -> None:
        self.state = Register()
        self.details: dict[str, dict[str, Any]] = {}
        self.notes: dict[int, str] = {}
        self.past_events: list[Message] = []

    @property
    def known(self) -> RegisteredPersons:
        """The entries with their details."""
        return RegisteredPersons(self.state, {each: Person(each, **self.details[each]) for each in self.details})

    def carry_out(self, decided: Decided) -> Decided:
        """Store what a decision has returned."""
        for version, event in enumerate(decided.events, self.state.version + 1):
            if note := getattr(event, "former_details", ""):
                self.notes[version] = note
        for person_id, details in decided.details.items():
            values = {**self.details.get(person_id, {}), **details}
            self.details[person_id] = {name: value for name, value in values.items() if value != DETAILS[name].empty}
        for person_id in decided.left_ids:
            self.details.pop(person_id, None)
        self.past_events += decided.events
        self.state = fold_register(self.state, decided.events)
        return decided

    def enter(self, person_id: str, **fields: Any) -> Decided:
        """Enter a person or change an entry."""
        request = pb.SetRegisteredPersonRequest(**fields)
        return self.carry_out(decide.set_person(self.state, request, person_id, self.known))

    def licence(self, person_id: str, **fields: Any) -> Decided:
        """Enter a licence."""
        return self.carry_out(decide.set_licence(self.state, pb.SetLicenceRequest(person_id=person_id, **fields)))

    def club(self, club_id: str, name: str, kind: events.ClubKind.ValueType = events.CLUB_KIND_CLUB) -> Decided:
        """Enter or rename a club."""
        return self.carry_out(decide.set_club(self.state, pb.SetClubRequest(club_id=club_id, name=name, kind=kind)))

    def merge(self, club_id: str, merged_id: str) -> Decided:
        """Merge two clubs."""
        request = pb.MergeClubsRequest(club_id=club_id, merged_id=merged_id)
        return self.carry_out(decide.merge_clubs(self.state, request))

    def categories(self, *categories: tuple[str, int, int], year: int = 2026) -> Decided:
        """Set the categories of a season."""
        listed = [events.AgeCategory(name=name, min_age=least, max_age=most) for name, least, most in categories]
        request = pb.SetCategoriesRequest(season_id="2026-27", year=year, categories=listed)
        return self.carry_out(decide.set_categories(self.state, request))

    def compare(self, rows: list[pb.ListedPerson]) -> list[Compared]:
        """Compare a list with the register."""
        return compare(decide.check_rows(rows), self.known, TODAY)

    def take(
        self, rows: list[pb.ListedPerson], decisions: Mapping[int, str] | None = None, removed_ids: tuple[str, ...] = ()
    ) -> Decided:
        """Take all new and changed rows of a list."""
        taken = select_rows(self.compare(rows), self.known, frozenset(), decisions or {})
        new_ids = {row.line: row.person_id or f"p-{self.state.version}-{row.line}" for row in rows}
        decided = decide.import_rows(self.state, "List", taken, removed_ids, self.known, new_ids)
        return self.carry_out(decided)

    def undo(self, version: int) -> Decided:
        """Undo an act."""
        act = decide.find_act(self.state, version)
        former = {}
        for number, event in enumerate(self.past_events, 1):
            is_part = number == version or getattr(event, "part_of", 0) == version
            if is_part and isinstance(event, events.PersonEntered | events.PersonLeft):
                former[event.person_id] = decide.parse_former_details(self.notes.get(number, ""))
        return self.carry_out(decide.undo(self.state, act, former, self.known))

    @property
    def facts(self) -> tuple[Any, ...]:
        """All that readers see of the register."""
        known = {person_id: values for person_id, values in self.details.items() if person_id in self.state.entries}
        return self.state.entries, self.state.clubs, self.state.age_tables, known


@pytest.fixture
def store() -> RegisterStore:
    made = RegisterStore()
    made.enter("anna", name="Anna Puig", club="CE Valls", birth_year=1987, federation_id="17", rating=1500)
    made.enter("biel", name="Biel Roca", club="CE Valls")
    return made


def row(line: int, name: str, **fields: Any) -> pb.ListedPerson:
    return pb.ListedPerson(line=line, name=name, **fields)


def test_an_entry_has_the_club_as_an_entry_of_its_own(store: RegisterStore) -> None:
    assert [club.name for club in store.state.clubs.values()] == ["CE Valls"]
    assert store.state.entries["anna"].rating == 1500


def test_details_are_in_no_event(store: RegisterStore) -> None:
    written = b"".join(event.SerializeToString() for event in store.past_events if "former" not in str(event))
    assert b"Puig" not in written
    assert b"17" not in written


def test_missing_fields_do_not_change(store: RegisterStore) -> None:
    store.enter("anna", rating=1600)
    assert store.details["anna"]["club"] == "CE Valls"
    store.enter("anna", club="", unrated=True)
    assert "club" not in store.details["anna"]
    assert store.state.entries["anna"].rating is None


@pytest.mark.parametrize(
    ("person_id", "fields", "reason"),
    [
        ("anna", {"rating": 1500}, "SAME_ENTRY"),
        ("anna-2", {"name": "ANNA PUIG"}, "SAME_NAME_IN_REGISTER"),
        ("carla", {"name": "Carla", "federation_id": "17"}, "SAME_NUMBER_IN_REGISTER"),
    ],
)
def test_an_entry_that_doubles_another_one_is_refused(
    store: RegisterStore, person_id: str, fields: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Refusal) as refused:
        store.enter(person_id, **fields)
    assert refused.value.reason == reason


def test_a_namesake_is_entered_if_it_is_another_person(store: RegisterStore) -> None:
    store.enter("anna-2", name="Anna Puig", another_person=True)
    assert len(store.state.entries) == 3


def test_a_person_without_a_name_is_refused(store: RegisterStore) -> None:
    with pytest.raises(Invalid):
        store.enter("carla", rating=1)


def test_a_licence_is_valid_from_its_first_to_its_last_day(store: RegisterStore) -> None:
    store.licence("anna", kind="competition", number="9", valid_from="2026-09-01", valid_to="2027-08-31")
    entry = store.state.entries["anna"]
    assert [day for day in ("2026-08-31", "2026-09-01", "2027-08-31", "2027-09-01") if entry.valid_licence(day)] == [
        "2026-09-01",
        "2027-08-31",
    ]
    assert entry.valid_licence("2026-09-01", "club") is None
    assert entry.last_day("competition") == "2027-08-31"


def test_a_licence_replaces_the_one_of_the_same_kind_and_first_day(store: RegisterStore) -> None:
    store.licence("anna", valid_from="2026-01-01", valid_to="2026-12-31")
    store.licence("anna", valid_from="2026-01-01", valid_to="2027-12-31")
    store.licence("anna", valid_from="2028-01-01")
    assert store.state.entries["anna"].licences == (
        Licence(valid_from="2026-01-01", valid_to="2027-12-31"),
        Licence(valid_from="2028-01-01"),
    )
    with pytest.raises(Refusal, match="licence already"):
        store.licence("anna", valid_from="2028-01-01")
    with pytest.raises(Refusal, match="no licence of this kind"):
        decide.remove_licence(store.state, pb.RemoveLicenceRequest(person_id="anna", kind="other"))


@pytest.mark.parametrize(
    "fields",
    [{}, {"valid_from": "2027-01-01", "valid_to": "2026-01-01"}, {"valid_to": "31.12.2026"}, {"number": "9" * 41}],
)
def test_an_impossible_licence_is_refused(store: RegisterStore, fields: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        store.licence("anna", **fields)


def test_persons_with_a_former_name_of_a_club_belong_to_it(store: RegisterStore) -> None:
    store.club("ce-valls", "Club d'Escrable Valls")
    clubs = ClubNames(store.state)
    assert clubs.present_name("CE VALLS") == "Club d'Escrable Valls"
    assert clubs.present_name("CE Vic") == "CE Vic"
    store.club("vic", "CE Vic")
    store.merge("ce-valls", "vic")
    assert ClubNames(store.state).present_name("CE Vic") == "Club d'Escrable Valls"
    store.club("ce-valls", "CE Valls")
    assert store.state.clubs["ce-valls"].former_names == ("Club d'Escrable Valls",)


def test_a_school_is_no_club(store: RegisterStore) -> None:
    store.club("school", "CE Valls", events.CLUB_KIND_SCHOOL)
    with pytest.raises(Refusal, match="cannot be merged"):
        store.merge("ce-valls", "school")


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda store: store.club("other", "ce valls"), "SAME_CLUB_NAME"),
        (lambda store: store.club("ce-valls", "CE Valls"), "SAME_CLUB"),
        (lambda store: store.merge("ce-valls", "ce-valls"), "ONE_CLUB"),
    ],
)
def test_impossible_acts_on_clubs_are_refused(store: RegisterStore, act: Any, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        act(store)
    assert refused.value.reason == reason


def test_a_merged_club_is_not_changed_nor_its_other_one_removed(store: RegisterStore) -> None:
    store.club("vic", "CE Vic")
    store.merge("ce-valls", "vic")
    with pytest.raises(Refusal, match="is merged into"):
        store.club("vic", "CE Vic i Osona")
    with pytest.raises(Refusal, match="undo the merge"):
        decide.remove_club(store.state, pb.RemoveClubRequest(club_id="ce-valls"))
    with pytest.raises(NotFound):
        store.merge("ce-valls", "vic")


def test_a_category_is_the_first_one_with_the_age(store: RegisterStore) -> None:
    store.categories(("U12", 0, 11), ("U18", 0, 17), ("Veteran", 60, 0))
    table = store.state.age_tables["2026-27"]
    born = (2015, 2014, 2009, 2008, 1967, 1966, 1900, 0, 2027)
    assert [table.category_of(year) for year in born] == ["U12", "U18", "U18", "", "", "Veteran", "Veteran", "", ""]
    store.categories()
    assert not store.state.age_tables


@pytest.mark.parametrize(
    ("categories", "year"),
    [
        ([("U18", 0, 17), ("u18", 0, 16)], 2026),
        ([("U18", 18, 17)], 2026),
        ([("", 0, 17)], 2026),
        ([("U18", 0, 170)], 2026),
        ([("U18", 0, 17)], 0),
    ],
)
def test_impossible_categories_are_refused(
    store: RegisterStore, categories: list[tuple[str, int, int]], year: int
) -> None:
    with pytest.raises(Invalid):
        store.categories(*categories, year=year)


def test_the_same_categories_are_refused(store: RegisterStore) -> None:
    with pytest.raises(Refusal):
        store.categories()
    store.categories(("U18", 0, 17))
    with pytest.raises(Refusal):
        store.categories(("U18", 0, 17))
    assert store.state.age_tables == {"2026-27": AgeTable("2026-27", 2026, (("U18", 0, 17),))}


ACTS: Mapping[str, Any] = {
    "entry": lambda store: store.enter("carla", name="Carla Gil", club="CE Vic"),
    "change": lambda store: store.enter("anna", name="Anna Puig Roca", club="CE Vic", rating=1700),
    "licence": lambda store: store.licence("anna", valid_to="2026-12-31"),
    "rename": lambda store: store.club("ce-valls", "Club Valls"),
    "categories": lambda store: store.categories(("U18", 0, 17)),
    "removal": lambda store: store.carry_out(
        decide.remove_person(store.state, pb.RemoveRegisteredPersonRequest(person_id="anna"), store.known)
    ),
    "import": lambda store: store.take(
        [
            row(
                2,
                "Anna Puig",
                federation_id="17",
                rating=1800,
                club="CE Reus",
                has_licence=True,
                licence_to="2027-01-01",
            ),
            row(3, "Dolors Mas", federation_id="20", school="IES Mar"),
        ],
        removed_ids=("biel",),
    ),
}


@pytest.mark.parametrize("act", ACTS)
def test_an_undo_restores_everything(store: RegisterStore, act: str) -> None:
    store.licence("biel", valid_to="2026-06-30")
    before = store.facts
    version = store.state.version + 1
    ACTS[act](store)
    assert store.facts != before
    heads = [each.version for each in store.state.acts.values() if each.version >= version]
    for head in reversed(heads):
        store.undo(head)
    assert store.facts == before
    assert all(store.state.acts[head].undone for head in heads)


def test_an_act_is_undone_only_if_no_later_one_changed_the_same(store: RegisterStore) -> None:
    store.enter("anna", rating=1600)
    first = store.state.version
    store.enter("anna", rating=1700)
    with pytest.raises(Refusal, match="changed later"):
        store.undo(first)
    store.undo(first + 1)
    store.undo(first)
    assert store.state.entries["anna"].rating == 1500
    with pytest.raises(Refusal, match="undone already"):
        store.undo(first)
    with pytest.raises(NotFound):
        store.undo(99)


def test_the_undo_of_a_merge_separates_the_clubs(store: RegisterStore) -> None:
    store.club("vic", "CE Vic")
    before = store.facts
    store.merge("ce-valls", "vic")
    decided = store.undo(store.state.version)
    assert store.facts == before
    assert isinstance(decided.events[-1], events.ClubsSeparated)


def test_a_state_does_not_change_by_later_events(store: RegisterStore) -> None:
    store.take([row(2, "Anna Puig", federation_id="17", rating=1800)])
    earlier = store.state
    kept = {version: dict(act.before) for version, act in earlier.acts.items()}
    whole = fold_register(Register(), store.past_events)
    store.undo(store.state.version - 1)
    assert {version: dict(act.before) for version, act in earlier.acts.items()} == kept
    assert whole == earlier
    one_by_one = Register()
    for event in store.past_events:
        one_by_one = evolve(one_by_one, event)
    assert one_by_one == store.state


def test_an_event_of_another_stream_is_refused() -> None:
    with pytest.raises(TypeError):
        evolve(Register(), pb.SetClubRequest())


@pytest.mark.parametrize("note", ["", "[]", "{", '{"name": 7, "unknown": "x"}'])
def test_a_note_that_was_erased_or_is_of_another_kind_restores_no_detail(note: str) -> None:
    assert decide.parse_former_details(note) == {}
