"""The comparison of a federation's list with the register: the changes that its rows would make. Pure.

A row is matched with an entry by the id, then by the number at the federation. A list without either is matched by the
name, as such lists identify persons by it. A row that may be several persons, or another person of the same name,
is doubtful: it is taken only with a decision. An empty field of a row is unknown, and changes no value.

The cost is that of one pass over the rows and the entries: all look-ups are by dictionaries.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from faristol.kernel.details import DETAILS, Person
from faristol.kernel.names import name_key
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.register.model import ClubNames, Licence, Register, RegisterEntry

LISTED_DETAILS = ("name", "club", "country", "school", "birth_year", "federation_id")
"""The details that a list can have."""

CLUB_KINDS: Mapping[str, events.ClubKind.ValueType] = {
    "club": events.CLUB_KIND_CLUB,
    "school": events.CLUB_KIND_SCHOOL,
}
"""The kind of club of the details that name one."""

MAX_CANDIDATES_COUNT = 10
"""Limit of the persons proposed for a doubtful row."""


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that differs, with both values as texts."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A row compared with the register, or an entry that the list lacks."""

    status: pb.RowStatus.ValueType
    name: str
    row: pb.ListedPerson | None = None
    """None for an entry that the list lacks."""
    person_id: str = ""
    """Id of the entry; empty for a new or doubtful row."""
    changes: tuple[FieldDifference, ...] = ()
    doubt: pb.RowDoubt.ValueType = pb.ROW_DOUBT_UNSPECIFIED
    candidates: tuple[str, ...] = ()
    """Ids of the persons that a doubtful row may be."""
    expired_on: str = ""
    """Last day of the licences after the row is taken, if they have ended."""

    @property
    def line(self) -> int:
        """Number of the line; 0 for an entry that the list lacks."""
        return self.row.line if self.row is not None else 0

    @property
    def is_taken_by_default(self) -> bool:
        """Whether an import of all rows takes it."""
        return self.status in (pb.ROW_STATUS_NEW, pb.ROW_STATUS_CHANGED)


class RegisteredPersons:
    """The entries with the details of their persons, by id, by number and by name."""

    def __init__(self, register: Register, persons: Mapping[str, Person]) -> None:
        """``persons`` has those of the register by id."""
        self.register = register
        self.persons = {person_id: persons[person_id] for person_id in register.entries if person_id in persons}
        self.clubs = ClubNames(register)
        self.others: dict[str, Person] = {}
        self._by_number: dict[str, str] = {}
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        self._by_beginning: defaultdict[str, list[str]] = defaultdict(list)
        self._others_by_name: defaultdict[str, list[str]] = defaultdict(list)
        for person_id, person in self.persons.items():
            if number := str(person.known.get("federation_id", "")):
                self._by_number.setdefault(number, person_id)
            key = name_key(person.name)
            self._by_name[key].append(person_id)
            self._by_beginning[key[:CUT_NAME_CHARACTERS].rstrip()].append(person_id)

    def with_others(self, others: Iterable[Person]) -> RegisteredPersons:
        """Return them with players of tournaments outside of the register."""
        known = copy(self)
        known.others = {each.player_id: each for each in others if each.player_id not in self.register.entries}
        known._others_by_name = defaultdict(list)
        for person_id, person in known.others.items():
            known._others_by_name[name_key(person.name)].append(person_id)
        return known

    def person(self, person_id: str) -> Person:
        """Return a person of the register or of a tournament."""
        return self.persons.get(person_id) or self.others.get(person_id) or Person(person_id)

    def by_number(self, federation_id: str) -> str:
        """Return the id of the entry with a number at the federation; empty without one."""
        return self._by_number.get(federation_id, "")

    def by_name(self, name: str, *, is_cut: bool = False) -> list[str]:
        """Return the ids of the entries with a name, or with a name that begins so if the list cuts long ones."""
        key = name_key(name)
        found = list(self._by_name.get(key, ()))
        if is_cut and not found:
            found = list(self._by_beginning.get(key.rstrip(), ()))
        return found

    def known_players(self, name: str) -> list[str]:
        """Return the ids of players with a name that are not in the register."""
        return self._others_by_name.get(name_key(name), [])


CUT_NAME_CHARACTERS = 20
"""Characters of the longest name in lists that cut names."""


def compare(rows: Sequence[pb.ListedPerson], known: RegisteredPersons, today: str) -> list[Compared]:
    """Compare a list with the register: its rows in order, then the entries that it lacks, by name.

    ``today``, such as ``2026-09-01``, is the day on which licences are valid or expired.
    """
    has_numbers = _has_numbers(rows)
    matched = [_match(row, known, has_numbers=has_numbers) for row in rows]
    times = Counter(each.person_id for each in matched if each.person_id)
    twice = _find_twice(rows)
    compared = []
    for each in matched:
        if each.row is not None and (times[each.person_id] > 1 or each.row.line in twice):
            candidates = (each.person_id,) if each.person_id else each.candidates
            each = replace(  # the same row, now doubtful
                each,
                status=pb.ROW_STATUS_DOUBTFUL,
                doubt=pb.ROW_DOUBT_TWICE,
                person_id="",
                changes=(),
                candidates=candidates,
            )
        compared.append(_with_expiry(each, known, today))
    there = {each.person_id for each in compared if each.person_id}
    there.update(person_id for each in compared for person_id in each.candidates)
    missing = [
        Compared(pb.ROW_STATUS_MISSING, person.name, person_id=person_id)
        for person_id, person in known.persons.items()
        if person_id not in there
    ]
    missing.sort(key=lambda each: (name_key(each.name), each.person_id))
    return compared + [_with_expiry(each, known, today) for each in missing]


def _has_numbers(rows: Sequence[pb.ListedPerson]) -> bool:
    """Check whether a list identifies persons by ids or numbers, and not only by names."""
    return any(row.person_id or row.federation_id for row in rows)


def _find_twice(rows: Sequence[pb.ListedPerson]) -> frozenset[int]:
    """Return the lines whose id, number, or name without either is in another line too."""
    lines: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows:
        if row.person_id:
            lines["id", row.person_id].append(row.line)
        if row.federation_id:
            lines["number", row.federation_id].append(row.line)
        if not (row.person_id or row.federation_id):
            lines["name", name_key(row.name)].append(row.line)
    return frozenset(line for found in lines.values() if len(found) > 1 for line in found)


def _match(row: pb.ListedPerson, known: RegisteredPersons, *, has_numbers: bool) -> Compared:
    """Compare a row with the entry that it means."""
    by_id = row.person_id if row.person_id in known.persons or row.person_id in known.others else ""
    if found := by_id or known.by_number(row.federation_id):
        person = known.person(found)
        if _is_other_person(row, person):
            return _doubtful(row, pb.ROW_DOUBT_OTHER_PERSON, [found])
        return resolve(row, found, known)
    namesakes = known.by_name(row.name, is_cut=row.is_cut)
    if len(namesakes) > 1:
        return _doubtful(row, pb.ROW_DOUBT_SEVERAL, namesakes)
    if namesakes and has_numbers:
        return _doubtful(row, pb.ROW_DOUBT_SAME_NAME, namesakes)
    if namesakes:
        if _differs_in_year(row, known.person(namesakes[0])):
            return _doubtful(row, pb.ROW_DOUBT_OTHER_PERSON, namesakes)
        return resolve(row, namesakes[0], known)
    if players := known.known_players(row.name):
        return _doubtful(row, pb.ROW_DOUBT_KNOWN_PLAYER, players)
    return resolve(row, "", known)


def _is_other_person(row: pb.ListedPerson, person: Person) -> bool:
    """Check whether neither the name nor the year of birth is that of the person."""
    return name_key(row.name) != name_key(person.name) and _differs_in_year(row, person)


def _differs_in_year(row: pb.ListedPerson, person: Person) -> bool:
    born = person.known.get("birth_year", 0)
    return bool(row.birth_year and born and row.birth_year != born)


def _doubtful(row: pb.ListedPerson, doubt: pb.RowDoubt.ValueType, candidates: Iterable[str]) -> Compared:
    found = tuple(sorted(candidates)[:MAX_CANDIDATES_COUNT])
    return Compared(pb.ROW_STATUS_DOUBTFUL, row.name, row, doubt=doubt, candidates=found)


def resolve(row: pb.ListedPerson, person_id: str, known: RegisteredPersons) -> Compared:
    """Compare a row with the person that it is: one of the register or of a tournament, or a new one if empty."""
    person = known.person(person_id)
    entry = known.register.entries.get(person_id)
    changes = tuple(_list_changes(row, person, entry or RegisterEntry(person_id), known.clubs))
    if entry is None:
        return Compared(pb.ROW_STATUS_NEW, row.name, row, person_id, changes)
    status = pb.ROW_STATUS_CHANGED if changes else pb.ROW_STATUS_SAME
    return Compared(status, row.name, row, person_id, changes)


def _list_changes(
    row: pb.ListedPerson, person: Person, entry: RegisterEntry, clubs: ClubNames
) -> Iterator[FieldDifference]:
    details = person.known
    for name in LISTED_DETAILS:
        given, stored = getattr(row, name), details.get(name, DETAILS[name].empty)
        if not given or given == stored:
            continue
        if name == "name" and stored and _is_same_name(row, str(stored)):
            continue
        if name in CLUB_KINDS and stored and clubs.find(stored, CLUB_KINDS[name]):
            if clubs.find(given, CLUB_KINDS[name]) == clubs.find(stored, CLUB_KINDS[name]):
                continue
            stored = clubs.present_name(stored, CLUB_KINDS[name])
        yield FieldDifference(name, DETAILS[name].format(stored), DETAILS[name].format(given))
    if row.HasField("rating") and row.rating != entry.rating:
        yield FieldDifference("rating", "" if entry.rating is None else str(entry.rating), str(row.rating))
    if (licence := licence_of(row)) is not None and licence not in entry.licences:
        replaced = next((each for each in entry.licences if each.key == licence.key), None)
        yield FieldDifference("licence", format_licence(replaced) if replaced else "", format_licence(licence))


def _is_same_name(row: pb.ListedPerson, stored: str) -> bool:
    """Check whether a name is the stored one, in other letters of the same kind or cut."""
    given, known = name_key(row.name), name_key(stored)
    return given == known or (row.is_cut and known.startswith(given))


def licence_of(row: pb.ListedPerson) -> Licence | None:
    """Return the licence of a row; None if it has none."""
    if not row.has_licence:
        return None
    return Licence(row.licence_kind, row.licence_number, row.licence_from, row.licence_to)


def format_licence(licence: Licence) -> str:
    """Return a licence as a text: ``competition 17: 2026-09-01 – 2027-08-31``."""
    head = " ".join(filter(None, (licence.kind, licence.number)))
    days = f"{licence.valid_from} – {licence.valid_to}".strip()
    return f"{head}: {days}" if head else days


def _with_expiry(compared: Compared, known: RegisteredPersons, today: str) -> Compared:
    """Return a comparison with the last day of the licences if none is valid today, after the row is taken."""
    entry = known.register.entries.get(compared.person_id)
    licences = {each.key: each for each in entry.licences} if entry else {}
    if compared.row is not None and (listed := licence_of(compared.row)):
        licences[listed.key] = listed
    if any(each.is_valid_on(today) for each in licences.values()):
        return compared
    return replace(compared, expired_on=max((each.valid_to for each in licences.values()), default=""))


def digest_of(compared: Iterable[Compared]) -> str:
    """Return the digest of a comparison, by which an import is refused if the register has changed since."""
    digest = hashlib.sha256()
    for each in compared:
        parts = [str(each.line), str(each.status), each.person_id, str(each.doubt), *each.candidates]
        parts += [text for change in each.changes for text in (change.field, change.before, change.after)]
        digest.update("\x1f".join(parts).encode() + b"\x1e")
    return digest.hexdigest()


def select_rows(
    compared: Sequence[Compared],
    known: RegisteredPersons,
    lines: Collection[int],
    decisions: Mapping[int, str],
    *,
    only_selected: bool = False,
) -> list[Compared]:
    """Return the rows that an import takes, doubtful ones by their decisions: the id of a person, empty for a new one.

    All new and changed rows are taken if no lines are given, unless ``only_selected`` is set.
    """
    taken = []
    for each in compared:
        if each.row is None:
            continue
        if each.status == pb.ROW_STATUS_DOUBTFUL:
            if each.line in decisions:
                taken.append(resolve(each.row, decisions[each.line], known))
        elif each.is_taken_by_default and (each.line in lines or not (lines or only_selected)):
            taken.append(each)
    return taken
