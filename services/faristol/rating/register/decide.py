"""Decisions on the register of persons. Pure.

A decision returns the events, and the details of persons that are stored beside them. Each event of a person with new
details has their former values as its note, so that the act can be undone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, cast

from google.protobuf.message import Message

from faristol.kernel.details import DETAILS, Person, Value
from faristol.kernel.errors import Invalid, NotFound, check_count, check_range
from faristol.kernel.likeness import like
from faristol.kernel.names import (
    MAX_CATEGORY_CHARACTERS,
    MAX_OFFICIAL_NOTE_CHARACTERS,
    check_id,
    check_name,
    name_key,
    slug,
)
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import check_day, check_day_order
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.register.comparison import CLUB_KINDS, LISTED_DETAILS, Compared, RegisteredPersons, licence_of
from faristol.register.model import AgeTable, Club, ClubNames, Licence, RecordedAct, Register, RegisterEntry, Subject

MAX_LISTED_PERSONS_COUNT = 10_000
"""Rows of a list in one command."""

MAX_LICENCE_CHARACTERS = 40
"""Characters of the kind and of the number of a licence."""

MAX_LICENCES_COUNT = 50
"""Licences of a person."""

MAX_CATEGORIES_COUNT = 30
"""Categories of a season."""

MAX_AGE_LIMIT = 150
"""Age in years."""

MIN_CATEGORY_YEAR_NUMBER, MAX_CATEGORY_YEAR_NUMBER = 1900, 2200

MAX_REGISTER_RATING_POINTS = 9_999

Details = Mapping[str, Value]
"""Details of a person by name; an empty value removes a detail."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of a decision."""

    events: list[Message]
    """Without their times: the service sets that of the command."""
    details: Mapping[str, Details] = field(default_factory=dict)
    """New values of details by person id."""
    left_ids: Sequence[str] = ()
    """Persons whose details are removed if they entered no tournament."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the answer."""


def former_details(person: Person, amended: Details) -> str:
    """Return the present values of the details that are amended, as the text of a note; empty without any."""
    known = person.known
    former = {name: known.get(name, DETAILS[name].empty) for name in amended}
    return json.dumps(former, ensure_ascii=False, separators=(",", ":")) if former else ""


def parse_former_details(note: str) -> Details:
    """Return the details in a note of ``former_details``; empty if it was erased or has another form."""
    try:
        found = json.loads(note)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if name in DETAILS and DETAILS[name].is_stored_form(value)}


def set_person(
    state: Register,
    request: pb.SetRegisteredPersonRequest,
    person_id: str,
    known: RegisteredPersons,
) -> Decided:
    """Enter a person, or change an entry. ``request`` has normalized details.

    Raises ``Invalid`` for a missing name or an invalid rating. Raises ``Refusal`` for the name or number of another
    entry, and if no value changes.
    """
    if request.HasField("rating") and request.unrated:
        raise Invalid("unrated", N_("conflicts with the given rating; expected only one of the two"))
    if request.HasField("rating"):
        check_rating(request.rating)
    person, entry = known.person(person_id), state.entries.get(person_id)
    given: dict[str, Value] = {name: getattr(request, name) for name in DETAILS if request.HasField(cast("Any", name))}
    amended = {name: value for name, value in given.items() if value != person.known.get(name, DETAILS[name].empty)}
    name = str(given.get("name", person.name))
    if not name:
        raise Invalid("name", N_("is missing; none is stored for {player}"), {"player": person_id})
    _check_number_free(str(given.get("federation_id", "")), person_id, known)
    namesakes = [each for each in known.by_name(name) if each != person_id]
    if namesakes and not request.another_person and (entry is None or "name" in amended):
        raise Refusal(
            "SAME_NAME_IN_REGISTER",
            N_(
                "{name} is in the register already, as {player}: "
                "confirm that they are two persons, or change that entry."
            ),
            {"name": name, "player": namesakes[0]},
        )
    rating = entry.rating if entry else None
    rating = None if request.unrated else request.rating if request.HasField("rating") else rating
    if entry is not None and not amended and rating == entry.rating:
        raise Refusal("SAME_ENTRY", N_("No change for {name}: specify a new value."), {"name": name})
    entered = events.PersonEntered(person_id=person_id, rating=rating, former_details=former_details(person, amended))
    clubs = _new_clubs(amended, ClubNames(state), set(state.clubs))
    return Decided([*clubs, entered], {person_id: amended}, answer={"person_id": person_id})


def _check_number_free(
    federation_id: str, person_id: str, known: RegisteredPersons, taken: Mapping[str, str] | None = None
) -> None:
    """Raise ``Refusal`` if another entry has the number, also of ``taken``, persons by number."""
    other = (taken or {}).get(federation_id) or known.by_number(federation_id) if federation_id else ""
    if other and other != person_id:
        raise Refusal(
            "SAME_NUMBER_IN_REGISTER",
            N_("The federation number {number} belongs to {player} already: expected another one."),
            {"number": federation_id, "player": other},
        )


def check_rating(rating: int) -> None:
    """Raise ``Invalid`` for an invalid rating."""
    if not 0 <= rating <= MAX_REGISTER_RATING_POINTS:
        raise Invalid(
            "rating", N_("is {rating}; expected 0 to 9999, or no rating for an unrated player"), {"rating": rating}
        )


def _new_clubs(details: Details, clubs: ClubNames, taken: set[str]) -> list[Message]:
    """Return the events that enter the clubs and schools of details which the register lacks."""
    found: list[Message] = []
    for name, kind in CLUB_KINDS.items():
        club = str(details.get(name, ""))
        if club and clubs.find(club, kind) is None:
            found.append(events.ClubSet(club_id=_free_club_id(club, taken), kind=kind, name=club))
    return found


def _free_club_id(name: str, taken: set[str]) -> str:
    """Return an unused id for a club, such as ``club-valls``, and note it as used."""
    made = slug(name)[:30].strip("-") or "club"
    found, number = made, 2
    while found in taken:
        found, number = f"{made}-{number}", number + 1
    taken.add(found)
    return found


def remove_person(state: Register, request: pb.RemoveRegisteredPersonRequest, known: RegisteredPersons) -> Decided:
    """Remove a person from the register. Raises ``NotFound``."""
    entry = state.find(request.person_id)
    return Decided([_leave(known.person(entry.person_id))], left_ids=[entry.person_id])


def _leave(person: Person) -> events.PersonLeft:
    return events.PersonLeft(person_id=person.player_id, former_details=former_details(person, person.known))


def set_licence(state: Register, request: pb.SetLicenceRequest) -> Decided:
    """Enter a licence. Raises ``NotFound``, ``Invalid``, and ``Refusal`` if the person has the same one."""
    entry = state.find(request.person_id)
    licence = check_licence(Licence(request.kind, request.number, request.valid_from, request.valid_to))
    if licence in entry.licences:
        raise Refusal("SAME_LICENCE", N_("{player} has this licence already."), {"player": request.person_id})
    others = [each for each in entry.licences if each.key != licence.key]
    if len(others) >= MAX_LICENCES_COUNT:
        raise Refusal(
            "TOO_MANY_LICENCES",
            N_("{player} has {most} licences: remove old ones first."),
            {"player": request.person_id, "most": MAX_LICENCES_COUNT},
        )
    return Decided([like(events.LicenceSet, licence, person_id=entry.person_id)])


def check_licence(licence: Licence, prefix: str = "") -> Licence:
    """Return a licence as it is stored. ``prefix`` is that of its fields. Raises ``Invalid``."""
    first_field, last_field = f"{prefix}valid_from", f"{prefix}valid_to"
    first, last = check_day(first_field, licence.valid_from.strip()), check_day(last_field, licence.valid_to.strip())
    check_day_order(first, last, last_field)
    kind, number = (
        check_name(f"{prefix}{name}", value, empty=True, longest=MAX_LICENCE_CHARACTERS)
        for name, value in (("kind", licence.kind), ("number", licence.number))
    )
    if not (first or last or number):
        raise Invalid(last_field, N_("is missing; expected a number, a first or a last day of the licence"))
    return Licence(kind, number, first, last)


def remove_licence(state: Register, request: pb.RemoveLicenceRequest) -> Decided:
    """Remove a licence. Raises ``NotFound``, and ``Refusal`` if the person has no such licence."""
    entry = state.find(request.person_id)
    if all(each.key != (request.kind, request.valid_from) for each in entry.licences):
        raise Refusal(
            "NO_SUCH_LICENCE",
            N_("{player} has no licence of this kind with this first day."),
            {"player": request.person_id},
        )
    return Decided([like(events.LicenceRemoved, request)])


def set_club(state: Register, request: pb.SetClubRequest) -> Decided:
    """Enter a club or a school, or rename one.

    Raises ``Invalid``, and ``Refusal`` for a merged club, the name of another club, and if no value changes.
    """
    club_id, name = check_id("club_id", request.club_id), check_name("name", request.name)
    known = state.clubs.get(club_id)
    if known and known.merged_into:
        raise Refusal(
            "CLUB_MERGED",
            N_("{club} is merged into {other}: change that one, or undo the merge first."),
            {"club": known.name, "other": state.standing_club(known).name},
        )
    kind = request.kind or (known.kind if known else events.CLUB_KIND_CLUB)
    if kind not in events.ClubKind.values():
        raise Invalid("kind", N_("expected a club or a school"))
    named = ClubNames(state).find(name, kind)
    if named is not None and named.club_id != club_id:
        raise Refusal(
            "SAME_CLUB_NAME",
            N_("{name} is or was the name of {club}: merge the two, or choose another name."),
            {"name": name, "club": named.club_id},
        )
    if known and (known.name, known.kind) == (name, kind):
        raise Refusal("SAME_CLUB", N_("No change for {name}: specify a new value."), {"name": name})
    return Decided([events.ClubSet(club_id=club_id, kind=kind, name=name)])


def remove_club(state: Register, request: pb.RemoveClubRequest) -> Decided:
    """Remove a club. Raises ``NotFound``, and ``Refusal`` if others were merged into it."""
    club = state.find_club(request.club_id)
    merged = [each.name for each in state.clubs.values() if each.merged_into == club.club_id]
    if merged:
        raise Refusal(
            "CLUB_HAS_MERGED",
            N_("{other} is merged into {club}: undo the merge first."),
            {"other": merged[0], "club": club.name},
        )
    return Decided([events.ClubRemoved(club_id=club.club_id)])


def merge_clubs(state: Register, request: pb.MergeClubsRequest) -> Decided:
    """Merge a club into another one. Raises ``NotFound``, and ``Refusal`` for the same one or another kind."""
    club, merged = state.find_club(request.club_id), state.find_club(request.merged_id)
    if club.club_id == merged.club_id:
        raise Refusal("ONE_CLUB", N_("{club} is one club: expected two."), {"club": club.name})
    if club.kind != merged.kind:
        raise Refusal(
            "OTHER_CLUB_KIND",
            N_("{club} and {other} are a club and a school: they cannot be merged."),
            {"club": club.name, "other": merged.name},
        )
    return Decided([events.ClubsMerged(club_id=club.club_id, merged_id=merged.club_id)])


def set_categories(state: Register, request: pb.SetCategoriesRequest) -> Decided:
    """Set the categories of a season, which the caller has found. Raises ``Invalid``, and ``Refusal`` for the same."""
    if request.categories:
        check_count("categories", request.categories, MAX_CATEGORIES_COUNT)
        check_range("year", request.year, MIN_CATEGORY_YEAR_NUMBER, MAX_CATEGORY_YEAR_NUMBER)
    categories, names = [], set[str]()
    for place, each in enumerate(request.categories):
        where = f"categories[{place}]"
        name = check_name(f"{where}.name", each.name, longest=MAX_CATEGORY_CHARACTERS)
        if name_key(name) in names:
            raise Invalid(f"{where}.name", N_("{given} is named twice"), {"given": repr(name)})
        names.add(name_key(name))
        for part in ("min_age", "max_age"):
            check_range(f"{where}.{part}", getattr(each, part), 0, MAX_AGE_LIMIT)
        if each.max_age and each.max_age < each.min_age:
            raise Invalid(f"{where}.max_age", N_("the highest age is below the lowest one"))
        categories.append(events.AgeCategory(name=name, min_age=each.min_age, max_age=each.max_age))
    year = request.year if categories else 0
    table = AgeTable(request.season_id, year, tuple((each.name, each.min_age, each.max_age) for each in categories))
    known = state.age_tables.get(request.season_id)
    if table == known or not (categories or known):
        raise Refusal("SAME_CATEGORIES", N_("No change for {name}: specify a new value."), {"name": request.season_id})
    return Decided([events.CategoriesSet(season_id=request.season_id, year=year, categories=categories)])


def check_rows(rows: Sequence[pb.ListedPerson]) -> list[pb.ListedPerson]:
    """Return the rows of a list with normalized values. Raises ``Invalid`` that names the first invalid row."""
    check_count("rows", rows, MAX_LISTED_PERSONS_COUNT)
    found, lines = [], set[int]()
    for place, given in enumerate(rows):
        row, where = deepcopy(given), f"rows[{place}]"
        if row.line < 1 or row.line in lines:
            raise Invalid(
                f"{where}.line", N_("{given} is not a line: expected 1 or more, each once"), {"given": row.line}
            )
        lines.add(row.line)
        for name in LISTED_DETAILS:
            setattr(row, name, DETAILS[name].check(getattr(row, name), f"{where}.{name}"))
        if row.person_id:
            check_id(f"{where}.person_id", row.person_id)
        if row.HasField("rating"):
            check_rating(row.rating)
        if (listed := licence_of(row)) is not None:
            licence = check_licence(listed, f"{where}.licence_")
            row.licence_kind, row.licence_number = licence.kind, licence.number
            row.licence_from, row.licence_to = licence.valid_from, licence.valid_to
        found.append(row)
    return found


def import_rows(
    state: Register,
    name: str,
    taken: Sequence[Compared],
    removed_ids: Iterable[str],
    known: RegisteredPersons,
    new_ids: Mapping[int, str],
) -> Decided:
    """Take rows of a list into the register, as one act. ``new_ids`` has the id of a new person by line.

    Raises ``NotFound`` for an unknown person. Raises ``Refusal`` if no row is taken, two rows are one person, or the
    number of a person belongs to another one.
    """
    clubs, club_ids = ClubNames(state), set(state.clubs)
    changed: list[Message] = []
    details: dict[str, Details] = {}
    counts: dict[str, Any] = {"entered": 0, "changed": 0, "removed": 0}
    entered_clubs = set[tuple[str, str]]()
    numbers: dict[str, str] = {}
    for each in taken:
        row = each.row
        if row is None or (each.status == pb.ROW_STATUS_SAME and not each.changes):
            continue
        person_id = each.person_id or new_ids[row.line]
        _check_one_row(person_id, details)
        if row.federation_id:
            _check_number_free(row.federation_id, person_id, known, numbers)
            numbers[row.federation_id] = person_id
        fields = {change.field for change in each.changes}
        amended: dict[str, Value] = {field: getattr(row, field) for field in LISTED_DETAILS if field in fields}
        for field_name, kind in CLUB_KINDS.items():
            club = str(amended.get(field_name, ""))
            if not club:
                continue
            if (entered := clubs.find(club, kind)) is not None:
                amended[field_name] = entered.name
            elif (field_name, name_key(club)) not in entered_clubs:
                entered_clubs.add((field_name, name_key(club)))
                changed += _new_clubs({field_name: club}, clubs, club_ids)
        counts["changed" if person_id in state.entries else "entered"] += 1
        changed += _entry_events(state.entries.get(person_id), row, person_id, known, amended)
        details[person_id] = amended
    left = list(dict.fromkeys(removed_ids))
    for person_id in left:
        state.find(person_id)
        _check_one_row(person_id, details)
        counts["removed"] += 1
        changed.append(_leave(known.person(person_id)))
    if not changed:
        raise Refusal("NO_ROW_TAKEN", N_("No row of the list would change the register."))
    head = events.ListImported(name=check_name("name", name, empty=True), **counts)
    answer = {"version": state.version + 1, **counts}
    return Decided(_join_act(state, head, changed), details, left, answer)


def _check_one_row(person_id: str, details: Mapping[str, Details]) -> None:
    """Raise ``Refusal`` for a second row of one person. ``details`` are those of the rows before."""
    if person_id in details:
        raise Refusal(
            "ROWS_OF_ONE_PERSON", N_("Two rows of the list are {player}: take one of them."), {"player": person_id}
        )


def _join_act(state: Register, head: Message, others: Sequence[Any]) -> list[Message]:
    """Return the events of one act: all but the first name its version."""
    for event in others:
        event.part_of = state.version + 1
    return [head, *others]


def _entry_events(
    entry: RegisterEntry | None, row: pb.ListedPerson, person_id: str, known: RegisteredPersons, amended: Details
) -> list[Message]:
    """Return the events of a row for its person: the entry, and its licence if that changes."""
    rating = row.rating if row.HasField("rating") else entry.rating if entry else None
    found: list[Message] = []
    if entry is None or amended or rating != entry.rating:
        former = former_details(known.person(person_id), amended)
        found.append(events.PersonEntered(person_id=person_id, rating=rating, former_details=former))
    if (licence := licence_of(row)) is not None and (entry is None or licence not in entry.licences):
        found.append(like(events.LicenceSet, licence, person_id=person_id))
    return found


def find_act(state: Register, version: int) -> RecordedAct:
    """Return the act to undo.

    Raises ``NotFound`` for an unknown one. Raises ``Refusal`` for an undo, an act that is undone, and one whose entries
    were changed later.
    """
    act = state.acts.get(version)
    if act is None:
        raise NotFound("act", str(version))
    if act.undone or isinstance(act.event, events.RegisterActUndone):
        raise Refusal("REGISTER_ACT_UNDONE", N_("This act is undone already, or is itself an undo."))
    changed = sorted(subject for subject in act.before if state.last_acts.get(subject, 0) != version)
    if changed:
        raise Refusal(
            "REGISTER_CHANGED_SINCE", N_("{subject} was changed later: undo that first."), {"subject": changed[0][1]}
        )
    return act


def undo(
    state: Register, act: RecordedAct, former: Mapping[str, Details], known: RegisteredPersons, note: str = ""
) -> Decided:
    """Restore the state before an act. ``former`` has the former values of changed details, by person id.

    ``note`` is the reason. Raises ``Invalid`` if it is too long.
    """
    note = check_name("note", note, empty=True, longest=MAX_OFFICIAL_NOTE_CHARACTERS)
    restored: list[Message] = []
    details: dict[str, Details] = {}
    left: list[str] = []
    for subject, before in act.before.items():
        match before:
            case RegisterEntry():
                restored += _restore_entry(state.entries.get(subject[1]), before, known, former)
                details[subject[1]] = former.get(subject[1], {})
            case Club():
                restored.append(_restore_club(state, before))
            case AgeTable():
                restored.append(like(events.CategoriesSet, before, categories=list_categories(before)))
            case None:
                restored.append(_restore_absence(subject, known))
                if subject[0] == "person":
                    details[subject[1]] = former.get(subject[1], {})
                    left.append(subject[1])
    return Decided(_join_act(state, events.RegisterActUndone(version=act.version, note=note), restored), details, left)


def list_categories(table: AgeTable) -> list[events.AgeCategory]:
    """Return the categories of a season as messages."""
    return [events.AgeCategory(name=name, min_age=least, max_age=most) for name, least, most in table.categories]


def _restore_entry(
    now: RegisterEntry | None, before: RegisterEntry, known: RegisteredPersons, former: Mapping[str, Details]
) -> list[Message]:
    person_id = before.person_id
    details = former_details(known.person(person_id), former.get(person_id, {}))
    found: list[Message] = [events.PersonEntered(person_id=person_id, rating=before.rating, former_details=details)]
    present = now.licences if now else ()
    found += [
        like(events.LicenceRemoved, licence, person_id=person_id)
        for licence in present
        if all(each.key != licence.key for each in before.licences)
    ]
    found += [
        like(events.LicenceSet, licence, person_id=person_id) for licence in before.licences if licence not in present
    ]
    return found


def _restore_club(state: Register, before: Club) -> Message:
    now = state.clubs.get(before.club_id)
    if now is not None and now.merged_into and not before.merged_into:
        return events.ClubsSeparated(merged_id=before.club_id)
    return like(events.ClubSet, before)


def _restore_absence(subject: Subject, known: RegisteredPersons) -> Message:
    kind, subject_id = subject
    if kind == "person":
        return _leave(known.person(subject_id))
    return events.ClubRemoved(club_id=subject_id) if kind == "club" else events.CategoriesSet(season_id=subject_id)
