"""The service of the register over gRPC. The contract documents its methods."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Guard, Loaded, Write, load, load_at_once
from faristol.host import Runtime
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.kernel import event_types
from faristol.kernel.details import DETAILS, Person, Value, normalize_details
from faristol.kernel.errors import Invalid, NotFound, check_range
from faristol.kernel.event_types import OF_THE_CELL, methods_of
from faristol.kernel.likeness import like
from faristol.kernel.mentions import players_of
from faristol.kernel.names import OFFICIAL, check_id, checked_player_id, generate_player_id, name_key
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import occurred_at, set_times
from faristol.pb.pairing.v1 import registration_events_pb2 as registration_events
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.personal_data import people
from faristol.rating.cell_scope import check_covers_cell
from faristol.rating.model import tournament_stream
from faristol.rating.register import decide
from faristol.rating.register.decide import Decided, Details
from faristol.rating.register.persons import PersonCache
from faristol.rating.register.terms import TournamentTerms, note_terms
from faristol.rating.seasons.service import ENTRY_BATCH_EVENTS, ENTRY_TYPES
from faristol.register.comparison import Compared, RegisteredPersons, compare, digest_of, select_rows
from faristol.register.model import (
    REGISTER_STREAM,
    AgeTable,
    Club,
    ClubNames,
    RecordedAct,
    Register,
    fold_register,
)
from faristol.seasons.model import SEASONS_STREAM, Seasons
from faristol.seasons.model import evolve as evolve_seasons

DEFAULT_PERSONS_LIMIT, MAX_PERSONS_LIMIT = 100, 10_000
DEFAULT_ACTS_LIMIT, MAX_ACTS_LIMIT = 100, 1_000

MAX_FOUND_PERSONS_COUNT = 100
"""Persons that a search for players returns."""

Decide = Callable[[Register, Any], Decided]

PLAIN_COMMANDS: Mapping[type[Message], Decide] = {
    pb.SetLicenceRequest: decide.set_licence,
    pb.RemoveLicenceRequest: decide.remove_licence,
    pb.SetClubRequest: decide.set_club,
    pb.RemoveClubRequest: decide.remove_club,
    pb.MergeClubsRequest: decide.merge_clubs,
    pb.SetCategoriesRequest: decide.set_categories,
}
"""The decisions that need no personal details."""

COMMANDS = (
    *PLAIN_COMMANDS,
    pb.SetRegisteredPersonRequest,
    pb.RemoveRegisteredPersonRequest,
    pb.ImportPersonsRequest,
    pb.UndoRegisterActRequest,
)


def register_service(runtime: Runtime) -> Dispatcher:
    """Build the dispatcher of the service of the register."""
    handler = RegisterHandler(runtime)
    descriptor = pb.DESCRIPTOR.services_by_name["RegisterService"]
    return Dispatcher(descriptor, COMMANDS, handler.carry_out, methods_of(handler))


class RegisterHandler:
    """The methods of the service of the register."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._record = runtime.record
        self._persons = PersonCache(runtime.record)

    async def carry_out(self, request: Any, context: Context, response: type[Any]) -> Message:
        """Decide on a command and write. Raises ``Denied`` for a credential of some tournaments only."""
        check_covers_cell()
        at = occurred_at(request, self._runtime.now)

        async def attempt() -> tuple[Decision, Callable[[int], Message]]:
            loaded = await self._load()
            guards: list[Guard] = []
            if isinstance(request, pb.SetCategoriesRequest):
                seasons = await self._load_seasons()
                seasons.state.find(request.season_id)
                guards = [Guard(SEASONS_STREAM, seasons.version)]
            decided = await self._decide(loaded.state, request)
            set_times(decided.events, at)
            first, *others = decided.events
            concerned = _list_persons(loaded.state, first)
            writes = [Write(REGISTER_STREAM, loaded.version, [first], OF_THE_CELL, concerned)]
            writes += [Write(REGISTER_STREAM, loaded.version, others, OF_THE_CELL)] if others else []
            also = await self._build_store(decided)
            return Decision(writes, guards, also), lambda position: response(position=position, **decided.answer)

        handled: Message = await self._runtime.command_handler.handle(
            context, request, attempt, response=response, queue=REGISTER_STREAM
        )
        return handled

    async def _decide(self, state: Register, request: Any) -> Decided:
        if (plain := PLAIN_COMMANDS.get(type(request))) is not None:
            return plain(state, request)
        match request:
            case pb.SetRegisteredPersonRequest():
                return await self._set_person(state, request)
            case pb.RemoveRegisteredPersonRequest():
                return decide.remove_person(state, request, await self._persons.load_persons(state))
            case pb.ImportPersonsRequest():
                return await self._import(state, request)
        act = decide.find_act(state, request.version)
        persons = await self._persons.load_persons(state)
        return decide.undo(state, act, await self._former_details(act), persons, request.note)

    async def _set_person(self, state: Register, request: pb.SetRegisteredPersonRequest) -> Decided:
        asked = deepcopy(request)
        normalize_details(asked)
        person_id = checked_player_id("person_id", request.person_id) if request.person_id else ""
        person_id = person_id or generate_player_id(request.command_id)
        others = list((await people.names(self._record, [person_id])).values())
        return decide.set_person(state, asked, person_id, await self._persons.load_persons(state, others))

    async def _import(self, state: Register, request: pb.ImportPersonsRequest) -> Decided:
        rows = decide.check_rows(request.rows)
        decisions = {each.line: each.person_id for each in request.decisions}
        known, compared = await self._compare(state, rows, decisions.values())
        if request.digest != digest_of(compared):
            raise Refusal(
                "PREVIEW_OUTDATED", N_("The register or the list has changed since the preview: look at it again.")
            )
        lines = {row.line for row in rows}
        for line in (*request.lines, *decisions):
            if line not in lines:
                raise Invalid("lines", N_("the list has no line {line}"), {"line": line})
        for person_id in filter(None, decisions.values()):
            if person_id not in known.persons and person_id not in known.others:
                raise NotFound("player", person_id)
        taken = select_rows(compared, known, frozenset(request.lines), decisions, only_selected=request.only_selected)
        command = uuid.UUID(request.command_id)
        new_ids = {row.line: generate_player_id(str(uuid.uuid5(command, str(row.line)))) for row in rows}
        new_ids |= {row.line: row.person_id for row in rows if row.person_id and _is_free(row.person_id, known)}
        return await asyncio.to_thread(
            decide.import_rows, state, request.name, taken, request.removed_ids, known, new_ids
        )

    async def preview(self, request: pb.PreviewImportRequest, context: Context) -> pb.PreviewImportResponse:
        """Return the comparison of a list with the register."""
        rows = decide.check_rows(request.rows)
        known, compared = await self._compare((await self._load()).state, rows)
        return await asyncio.to_thread(_build_preview, compared, known)

    async def _compare(
        self, state: Register, rows: Sequence[pb.ListedPerson], chosen_ids: Iterable[str] = ()
    ) -> tuple[RegisteredPersons, list[Compared]]:
        """Compare rows with the register, and with players of tournaments that have the same names."""
        async with self._record.reading() as connection:
            others = await people.find_namesakes(connection, [Person("", row.name) for row in rows])
        wanted = {*(row.person_id for row in rows), *chosen_ids} - {""}
        others += (await people.names(self._record, wanted)).values()
        known = await self._persons.load_persons(
            state, [each for each in others if not each.player_id.startswith(OFFICIAL)]
        )
        return known, await asyncio.to_thread(compare, rows, known, self._today())

    async def list_persons(
        self, request: pb.ListRegisteredPersonsRequest, context: Context
    ) -> pb.ListRegisteredPersonsResponse:
        """Return entries by name, those of a search or of a club."""
        position = await self._record.last_position()
        state, seasons = (await self._load()).state, (await self._load_seasons()).state
        index = await self._persons.load_index(state)
        known = index.known
        limit = check_range("limit", request.limit, 0, MAX_PERSONS_LIMIT) or DEFAULT_PERSONS_LIMIT
        offset, today = request.offset, self._today()
        if offset < 0:
            raise Invalid("offset", N_("{given} is not a possible number: expected 0 or more"), {"given": offset})
        found = await asyncio.to_thread(index.find, request.search)
        if request.club_id:
            club = state.standing_club(state.clubs[request.club_id]) if request.club_id in state.clubs else None
            if club is None:
                raise NotFound("club", request.club_id)
            found = [each for each in found if club.club_id in _clubs_of(each, known.clubs)]
        if request.without_licence:
            found = [each for each in found if state.entries[each.player_id].valid_licence(today) is None]
        table = find_age_table(state, seasons, request.season_id, today)
        return pb.ListRegisteredPersonsResponse(
            persons=[_build_person(each, known, table, today, seasons) for each in found[offset : offset + limit]],
            total=len(found),
            position=position,
        )

    async def search(self, request: pb.SearchRegisterRequest, context: Context) -> pb.SearchRegisterResponse:
        """Return the persons that a director can register: public details, rating, category and licence.

        Entries that were merged into another one are left out.
        """
        check_id("tournament_id", request.tournament_id)
        terms = await load(self._record, tournament_stream(request.tournament_id), TournamentTerms(), note_terms)
        if not terms.version:
            raise NotFound("tournament", request.tournament_id)
        state, seasons = (await self._load()).state, (await self._load_seasons()).state
        index = await self._persons.load_index(state)
        known = index.known
        day = terms.state.starts_on or self._today()
        table = find_age_table(state, seasons, "", day)
        chosen_ids = dict.fromkeys(known.by_number(each) or each for each in request.person_ids)
        matches = await asyncio.to_thread(index.find, request.search) if request.search.strip() else []
        found = [each for each in matches if each.player_id not in seasons.merged and each.player_id not in chosen_ids]
        chosen = [known.persons[each] for each in chosen_ids if each in known.persons]
        return pb.SearchRegisterResponse(
            persons=[
                _build_found(each, known, table, day, terms.state.licence_kind)
                for each in (*chosen, *found[:MAX_FOUND_PERSONS_COUNT])
            ],
            total=len(chosen) + len(found),
        )

    async def get_person(
        self, request: pb.GetRegisteredPersonRequest, context: Context
    ) -> pb.GetRegisteredPersonResponse:
        """Return the entry of a person; an answer without one if the register lacks the person."""
        state, person_id = (await self._load()).state, check_id("person_id", request.person_id)
        if person_id not in state.entries:
            return pb.GetRegisteredPersonResponse()
        seasons, today = (await self._load_seasons()).state, self._today()
        known = RegisteredPersons(state, await people.names(self._record, [person_id]))
        table = find_age_table(state, seasons, "", today)
        return pb.GetRegisteredPersonResponse(
            person=_build_person(known.person(person_id), known, table, today, seasons)
        )

    async def list_clubs(self, request: pb.ListClubsRequest, context: Context) -> pb.ListClubsResponse:
        """Return the clubs by name, with the numbers of their persons."""
        state = (await self._load()).state
        known = await self._persons.load_persons(state)
        members = Counter(club for person in known.persons.values() for club in _clubs_of(person, known.clubs))
        former: dict[str, list[str]] = {}
        for club in state.clubs.values():
            own = club.former_names if not club.merged_into else (club.name, *club.former_names)
            former.setdefault(state.standing_club(club).club_id, []).extend(own)
        standing = [club for club in state.clubs.values() if not club.merged_into]
        return pb.ListClubsResponse(
            clubs=[
                like(pb.Club, club, former_names=former[club.club_id], persons=members[club.club_id])
                for club in sorted(standing, key=lambda each: (name_key(each.name), each.club_id))
            ]
        )

    async def get_categories(self, request: pb.GetCategoriesRequest, context: Context) -> pb.GetCategoriesResponse:
        """Return the categories of a season with the numbers of persons. Raises ``NotFound`` for an unknown season."""
        state, seasons = (await self._load()).state, (await self._load_seasons()).state
        if request.season_id:
            seasons.find(request.season_id)
        table = find_age_table(state, seasons, request.season_id, self._today())
        if table is None:
            return pb.GetCategoriesResponse(season_id=request.season_id)
        known = await self._persons.load_persons(state)
        members = Counter(table.category_of(_birth_year(person)) for person in known.persons.values())
        return like(
            pb.GetCategoriesResponse,
            table,
            categories=decide.list_categories(table),
            persons=[members[name] for name, _, _ in table.categories],
            others=members[""],
        )

    async def list_acts(self, request: pb.ListRegisterActsRequest, context: Context) -> pb.ListRegisterActsResponse:
        """Return the acts on the register, the latest first, with their actors."""
        limit = check_range("limit", request.limit, 0, MAX_ACTS_LIMIT) or DEFAULT_ACTS_LIMIT
        state = (await self._load()).state
        acts = sorted(state.acts.values(), key=lambda act: -act.version)[:limit]
        recorded = await self._record.read_stream(REGISTER_STREAM, acts[-1].version - 1) if acts else []
        actors = {each.version: each.metadata.actor for each in recorded}
        notes = await self._record.notes_of(REGISTER_STREAM)
        subjects = {_subject_of(act.event) for act in acts} - {""}
        persons = await people.names(self._record, subjects)
        return pb.ListRegisterActsResponse(
            acts=[
                _build_act(act, state, persons, actors.get(act.version, ""), notes.get(act.version, "")) for act in acts
            ]
        )

    async def _load(self) -> Loaded[Register]:
        return await load_at_once(self._record, REGISTER_STREAM, Register(), fold_register)

    async def _load_seasons(self) -> Loaded[Seasons]:
        return await load(self._record, SEASONS_STREAM, Seasons(), evolve_seasons)

    def _today(self) -> str:
        return self._runtime.now().date().isoformat()

    async def _former_details(self, act: RecordedAct) -> dict[str, Details]:
        """Return the former values of the details that an act changed, from the notes beside its events."""
        recorded = await self._record.read_stream(REGISTER_STREAM, act.version - 1)
        notes = await self._record.notes_of(REGISTER_STREAM)
        found: dict[str, Details] = {}
        for each in recorded:
            message: Any = each.message
            if each.version != act.version and getattr(message, "part_of", 0) != act.version:
                continue
            if isinstance(message, events.PersonEntered | events.PersonLeft):
                found[message.person_id] = decide.parse_former_details(notes.get(each.version, ""))
        return found

    async def _build_store(self, decided: Decided) -> Callable[[AsyncConnection], Any] | None:
        """Return the function that stores the details of a decision beside its events; None if it has none."""
        played = await self._find_played(decided.left_ids) if decided.left_ids else frozenset[str]()
        cleared = {each for each in decided.left_ids if each not in played}
        amended = {
            person_id: details for person_id, details in decided.details.items() if details and person_id not in cleared
        }
        if not (amended or cleared):
            return None

        async def store(connection: AsyncConnection) -> Sequence[str]:
            known = await people.find_all(connection, amended)
            persons = [_replace(known.get(each) or Person(each), amended[each]) for each in amended]
            stored = await people.store_players(connection, persons)
            bindings = dict(zip(amended, stored, strict=True))
            for person_id in sorted(cleared):
                bindings[person_id] = await people.clear(connection, person_id)
            return [_take_binding(event, bindings) for event in decided.events]

        return store

    async def _find_played(self, person_ids: Collection[str]) -> frozenset[str]:
        """Return those persons that entered a tournament or its form, read from the whole record."""
        wanted, found, after = set(person_ids), set[str](), 0
        types = [*ENTRY_TYPES, *event_types.types_of([registration_events.EntryReceived])]
        while entries := await self._record.read(after, types=types, limit=ENTRY_BATCH_EVENTS):
            for entry in entries:
                found |= wanted.intersection(players_of(entry.message))
            after = entries[-1].position
        return frozenset(found)


def find_age_table(state: Register, seasons: Seasons, season_id: str, day: str) -> AgeTable | None:
    """Return the categories of a season; if it is not given, of the season of a day, or of the latest before it."""
    if season_id:
        return state.age_tables.get(season_id)
    begun = [
        season for season in seasons.by_id.values() if season.season_id in state.age_tables and season.starts_on <= day
    ]
    of_day = [season for season in begun if not season.ends_on or day <= season.ends_on]
    found = max(of_day or begun, key=lambda season: (season.starts_on, season.season_id), default=None)
    return state.age_tables[found.season_id] if found else None


def _is_free(person_id: str, known: RegisteredPersons) -> bool:
    """Check whether the id of a row can be that of a new person."""
    is_known = person_id in known.persons or person_id in known.others
    return not is_known and not person_id.startswith(OFFICIAL) and person_id not in known.register.entries


def _clubs_of(person: Person, clubs: ClubNames) -> list[str]:
    """Return the ids of the club and the school of a person."""
    school = str(person.known.get("school", ""))
    found = (clubs.find(person.club), clubs.find(school, events.CLUB_KIND_SCHOOL))
    return [club.club_id for club in found if club]


def _birth_year(person: Person) -> int:
    return int(person.known.get("birth_year", 0))


def _present_details(person: Person, clubs: ClubNames) -> dict[str, Any]:
    """Return the details of a person with the present names of the club and the school."""
    details = person.known
    for name, kind in (("club", events.CLUB_KIND_CLUB), ("school", events.CLUB_KIND_SCHOOL)):
        if name in details:
            details[name] = clubs.present_name(str(details[name]), kind)
    return details


def _build_person(
    person: Person, known: RegisteredPersons, table: AgeTable | None, today: str, seasons: Seasons
) -> pb.RegisteredPerson:
    entry = known.register.entries[person.player_id]
    merged_into = seasons.person_of(person.player_id)
    return pb.RegisteredPerson(
        person_id=person.player_id,
        rating=entry.rating,
        category=table.category_of(_birth_year(person)) if table else "",
        licences=[
            like(pb.Licence, each, is_valid=each.is_valid_on(today), has_expired=each.has_expired_on(today))
            for each in entry.licences
        ],
        merged_into="" if merged_into == person.player_id else merged_into,
        **_present_details(person, known.clubs),
    )


def _build_found(
    person: Person, known: RegisteredPersons, table: AgeTable | None, day: str, licence_kind: str
) -> pb.FoundPerson:
    entry = known.register.entries[person.player_id]
    return pb.FoundPerson(
        person_id=person.player_id,
        name=person.name,
        club=known.clubs.present_name(person.club),
        country=person.country,
        rating=entry.rating,
        category=table.category_of(_birth_year(person)) if table else "",
        has_licence=entry.valid_licence(day, licence_kind) is not None,
        licence_to=entry.last_day(licence_kind),
        federation_id=str(person.known.get("federation_id", "")),
    )


def _build_preview(compared: Sequence[Compared], known: RegisteredPersons) -> pb.PreviewImportResponse:
    return pb.PreviewImportResponse(
        rows=[
            like(
                pb.ComparedRow,
                each,
                line=each.line,
                changes=[like(pb.FieldChange, change) for change in each.changes],
                candidates=[_build_candidate(known.person(person_id)) for person_id in each.candidates],
            )
            for each in compared
        ],
        digest=digest_of(compared),
    )


def _build_candidate(person: Person) -> pb.RowCandidate:
    return pb.RowCandidate(
        person_id=person.player_id,
        name=person.name,
        federation_id=str(person.known.get("federation_id", "")),
        club=person.club,
    )


def _list_persons(state: Register, event: Message) -> list[str]:
    """Return the persons of the act that an event undoes: its reason concerns them. Empty for another event."""
    act = state.acts.get(event.version) if isinstance(event, events.RegisterActUndone) else None
    return [subject for kind, subject in act.before if kind == "person"] if act else []


def _subject_of(event: Any) -> str:
    """Return the id of the subject of an act; empty for an import and an undo."""
    for name in ("person_id", "merged_id", "club_id", "season_id"):
        if name in event.DESCRIPTOR.fields_by_name:
            return str(getattr(event, name))
    return ""


def _build_act(
    act: RecordedAct, state: Register, persons: Mapping[str, Person], actor_id: str, note: str
) -> pb.RegisterAct:
    event: Any = act.event
    subject, fields = _subject_of(event), event.DESCRIPTOR.fields_by_name
    name = getattr(event, "name", "")
    if "person_id" in fields:
        name = persons[subject].name if subject in persons else ""
    elif "club_id" in fields and not name:
        known = state.clubs.get(subject) or act.before.get(("club", subject))
        name = known.name if isinstance(known, Club) else ""
    built = pb.RegisterAct(
        version=act.version,
        event=event.DESCRIPTOR.name,
        subject_id=subject,
        name=name,
        occurred_at=event.occurred_at,
        actor_id=actor_id,
        undone=act.undone,
    )
    if isinstance(event, events.ListImported):
        built.entered, built.changed, built.removed = event.entered, event.changed, event.removed
    if isinstance(event, events.RegisterActUndone):
        built.undone_version, built.note = event.version, note
    return built


def _replace(person: Person, details: Mapping[str, Value]) -> Person:
    """Return a person with other details; an empty value removes one."""
    values = {**person.known, **details}
    return Person(person.player_id, **{name: value for name, value in values.items() if value != DETAILS[name].empty})


def _take_binding(event: Message, bindings: dict[str, str]) -> str:
    """Return the binding of the details that are stored with an event, once for each person."""
    if not isinstance(event, events.PersonEntered | events.PersonLeft):
        return ""
    return bindings.pop(event.person_id, "")
