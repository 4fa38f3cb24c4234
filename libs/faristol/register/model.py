"""The register of a federation, folded from its events. Pure.

The state has no personal details: they are stored beside the events. Each act has the state of its subjects before it,
so that it can be undone. An import or an undo is one act of many events, which name the version of its first event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from google.protobuf.message import Message

from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import find_fold, folds_in
from faristol.kernel.names import name_key
from faristol.pb.register.v1 import events_pb2 as events

REGISTER_STREAM = "register-cell"
"""The stream of the register: a cell holds the events of one federation."""


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence of a person."""

    kind: str = ""
    """Empty if the federation has one kind."""
    number: str = ""
    valid_from: str = ""
    """First day, such as ``2026-09-01``; empty if not limited."""
    valid_to: str = ""
    """Last day; empty if not limited."""

    @property
    def key(self) -> tuple[str, str]:
        """The kind and the first day: a person has one licence of each."""
        return self.kind, self.valid_from

    def is_valid_on(self, day: str) -> bool:
        """Check whether a day, such as ``2026-09-01``, is between the first and the last day."""
        return self.valid_from <= day and not self.has_expired_on(day)

    def has_expired_on(self, day: str) -> bool:
        """Check whether the last day is before a day."""
        return bool(self.valid_to) and self.valid_to < day


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """An entry of the register."""

    person_id: str
    rating: int | None = None
    """Rating in the list of the federation; None without one."""
    licences: tuple[Licence, ...] = ()
    """By kind and first day."""

    def valid_licence(self, day: str, kind: str = "") -> Licence | None:
        """Return a licence that is valid on a day, of a kind or of any; None without one."""
        return next((each for each in self.licences if kind in ("", each.kind) and each.is_valid_on(day)), None)

    def last_day(self, kind: str = "") -> str:
        """Return the latest last day of the licences of a kind, or of any; empty without one."""
        return max((each.valid_to for each in self.licences if kind in ("", each.kind)), default="")


@dataclass(frozen=True, slots=True)
class Club:
    """A club or a school."""

    club_id: str
    kind: events.ClubKind.ValueType
    name: str
    former_names: tuple[str, ...] = ()
    merged_into: str = ""
    """ID of the club into which it was merged; empty if it stands."""


@dataclass(frozen=True, slots=True)
class AgeTable:
    """The categories by age of a season."""

    season_id: str
    year: int
    categories: tuple[tuple[str, int, int], ...]
    """Name, lowest and highest age in years, 0 if not limited."""

    def category_of(self, birth_year: int) -> str:
        """Return the first category with the age of a year of birth; empty for 0, and if no category has it."""
        age = self.year - birth_year
        if not birth_year or age < 0:
            return ""
        return next(
            (name for name, least, most in self.categories if least <= age and (not most or age <= most)),
            "",
        )


SubjectKind = Literal["person", "club", "season"]
Subject = tuple[SubjectKind, str]
"""What an act changes: a person, a club, or the categories of a season, with the id."""

SubjectState = RegisterEntry | Club | AgeTable | None
"""The state of a subject; None if the register lacks it."""


@dataclass(frozen=True, slots=True)
class RecordedAct:
    """An act on the register."""

    version: int
    """Version of its first event in the stream, from 1."""
    event: Message
    """Its first event."""
    before: Mapping[Subject, SubjectState]
    """The state of each subject before it."""
    versions_before: Mapping[Subject, int]
    """The version of the act that had changed each subject before; 0 for none."""
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Register:
    """The register of a cell."""

    entries: Mapping[str, RegisterEntry] = field(default_factory=dict)
    """By person id. Readers must not change it, nor the other mappings."""
    clubs: Mapping[str, Club] = field(default_factory=dict)
    """By club id, with those that were merged."""
    age_tables: Mapping[str, AgeTable] = field(default_factory=dict)
    """By season id."""
    acts: Mapping[int, RecordedAct] = field(default_factory=dict)
    """By version, in the order of the record."""
    last_acts: Mapping[Subject, int] = field(default_factory=dict)
    """The version of the act that determines the state of each subject."""
    version: int = 0
    """Number of events."""

    def find(self, person_id: str) -> RegisterEntry:
        """Return an entry. Raises ``NotFound``."""
        if person_id not in self.entries:
            raise NotFound("player", person_id)
        return self.entries[person_id]

    def find_club(self, club_id: str) -> Club:
        """Return a club that was not merged. Raises ``NotFound``."""
        club = self.clubs.get(club_id)
        if club is None or club.merged_into:
            raise NotFound("club", club_id)
        return club

    def standing_club(self, club: Club) -> Club:
        """Return the club into which a club was merged in the end; itself if it stands."""
        while club.merged_into in self.clubs:
            club = self.clubs[club.merged_into]
        return club


class ClubNames:
    """Index of clubs by their present and former names."""

    def __init__(self, register: Register) -> None:
        self._found: dict[tuple[int, str], Club] = {}
        for club in register.clubs.values():
            standing = register.standing_club(club)
            for name in (club.name, *club.former_names):
                self._found.setdefault((club.kind, name_key(name)), standing)

    def find(self, name: str, kind: events.ClubKind.ValueType = events.CLUB_KIND_CLUB) -> Club | None:
        """Return the club or school of a name; None if the register lacks it."""
        return self._found.get((kind, name_key(name))) if name else None

    def present_name(self, name: str, kind: events.ClubKind.ValueType = events.CLUB_KIND_CLUB) -> str:
        """Return the present name of a club or school; the given one if the register lacks it."""
        club = self.find(name, kind)
        return club.name if club else name


def fold_register(state: Register, past_events: Iterable[Message]) -> Register:
    """Return the register after events, those of an import together: a list has thousands of rows.

    Raises ``TypeError`` if a message is not an event of the register.
    """
    draft = _Draft(state)
    for event in past_events:
        draft.add(event)
    return draft.build()


def evolve(state: Register, event: Message) -> Register:
    """Apply an event. Raises ``TypeError`` if the message is not an event of the register."""
    return fold_register(state, [event])


class _Draft:
    """A register in progress, whose mappings change in place."""

    def __init__(self, state: Register) -> None:
        self.values: dict[Subject, SubjectState] = {
            **{("person", person_id): entry for person_id, entry in state.entries.items()},
            **{("club", club_id): club for club_id, club in state.clubs.items()},
            **{("season", season_id): table for season_id, table in state.age_tables.items()},
        }
        self._acts = dict(state.acts)
        self._last_acts = dict(state.last_acts)
        self._version = state.version
        self._open: set[int] = set()
        """Acts whose mappings belong to this draft."""

    def add(self, event: Message) -> None:
        fold = find_fold(REGISTER_FOLDS, event, "the register")
        self._version += 1
        fold(self, event)

    def begin(self, event: Message) -> int:
        """Add an act that begins with an event, and return its version."""
        self._acts[self._version] = RecordedAct(self._version, event, {}, {})
        self._open.add(self._version)
        return self._version

    def change(self, event: Any, subject: Subject, value: SubjectState) -> None:
        """Change a subject by an event: by an act of its own, or by the import or undo that the event names."""
        version = event.part_of if event.part_of in self._acts else self.begin(event)
        act = self._acts[version]
        if version not in self._open:
            self._open.add(version)
            act = self._acts[version] = replace(act, before=dict(act.before), versions_before=dict(act.versions_before))
        before, versions_before = act.before, act.versions_before
        assert isinstance(before, dict)
        assert isinstance(versions_before, dict)
        if subject not in before:
            before[subject] = self.values.get(subject)
            versions_before[subject] = self._last_acts.get(subject, 0)
        undone = self._acts.get(act.event.version) if isinstance(act.event, events.RegisterActUndone) else None
        self._last_acts[subject] = version
        if undone is not None:
            # Exactly the state before, with the former names of a club, which no event has.
            value = undone.before.get(subject)
            self._last_acts[subject] = undone.versions_before.get(subject, 0)
        if value is None:
            self.values.pop(subject, None)
        else:
            self.values[subject] = value

    def undo(self, event: events.RegisterActUndone) -> None:
        self.begin(event)
        self._acts[event.version] = replace(self._acts[event.version], undone=True)

    def build(self) -> Register:
        return Register(
            {key[1]: value for key, value in self.values.items() if isinstance(value, RegisterEntry)},
            {key[1]: value for key, value in self.values.items() if isinstance(value, Club)},
            {key[1]: value for key, value in self.values.items() if isinstance(value, AgeTable)},
            self._acts,
            self._last_acts,
            self._version,
        )

    def entry(self, person_id: str) -> RegisterEntry:
        found = self.values.get(("person", person_id))
        return found if isinstance(found, RegisterEntry) else RegisterEntry(person_id)

    def club(self, club_id: str) -> Club:
        found = self.values[("club", club_id)]
        assert isinstance(found, Club)
        return found


def _apply_person_entered(draft: _Draft, event: events.PersonEntered) -> None:
    rating = event.rating if event.HasField("rating") else None
    draft.change(event, ("person", event.person_id), replace(draft.entry(event.person_id), rating=rating))


def _apply_person_left(draft: _Draft, event: events.PersonLeft) -> None:
    draft.change(event, ("person", event.person_id), None)


def _apply_licence_set(draft: _Draft, event: events.LicenceSet) -> None:
    licence = Licence(event.kind, event.number, event.valid_from, event.valid_to)
    entry = draft.entry(event.person_id)
    others = [each for each in entry.licences if each.key != licence.key]
    licences = tuple(sorted((*others, licence), key=lambda each: each.key))
    draft.change(event, ("person", event.person_id), replace(entry, licences=licences))


def _apply_licence_removed(draft: _Draft, event: events.LicenceRemoved) -> None:
    entry = draft.entry(event.person_id)
    licences = tuple(each for each in entry.licences if each.key != (event.kind, event.valid_from))
    draft.change(event, ("person", event.person_id), replace(entry, licences=licences))


def _apply_club_set(draft: _Draft, event: events.ClubSet) -> None:
    known = draft.values.get(("club", event.club_id))
    former: tuple[str, ...] = ()
    if isinstance(known, Club):
        former = tuple(dict.fromkeys((*known.former_names, known.name)))
        former = tuple(each for each in former if name_key(each) != name_key(event.name))
    draft.change(event, ("club", event.club_id), Club(event.club_id, event.kind, event.name, former))


def _apply_club_removed(draft: _Draft, event: events.ClubRemoved) -> None:
    draft.change(event, ("club", event.club_id), None)


def _apply_clubs_merged(draft: _Draft, event: events.ClubsMerged) -> None:
    draft.change(event, ("club", event.merged_id), replace(draft.club(event.merged_id), merged_into=event.club_id))


def _apply_clubs_separated(draft: _Draft, event: events.ClubsSeparated) -> None:
    draft.change(event, ("club", event.merged_id), replace(draft.club(event.merged_id), merged_into=""))


def _apply_categories_set(draft: _Draft, event: events.CategoriesSet) -> None:
    categories = tuple((each.name, each.min_age, each.max_age) for each in event.categories)
    table = AgeTable(event.season_id, event.year, categories) if categories else None
    draft.change(event, ("season", event.season_id), table)


def _apply_register_act_undone(draft: _Draft, event: events.RegisterActUndone) -> None:
    draft.undo(event)


def _apply_list_imported(draft: _Draft, event: events.ListImported) -> None:
    draft.begin(event)


REGISTER_FOLDS = folds_in(__name__)
"""The function that applies each type of event."""
