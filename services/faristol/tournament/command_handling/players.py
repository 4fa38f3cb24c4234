"""Commands on players of a division. Their names are stored outside events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from typing import Any

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Guard, Loaded
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.errors import reason_of
from faristol.kernel.details import Person, normalize_details, read_details
from faristol.kernel.errors import AlreadyExists, Invalid, check_count
from faristol.kernel.mentions import players_of
from faristol.kernel.names import (
    MAX_BATCH_PLAYERS,
    MAX_CATEGORY_CHARACTERS,
    check_id,
    check_name,
    checked_player_id,
    generate_player_id,
    same_name,
)
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.identity import checked_note, is_given
from faristol.tournament.command_handling.namesakes import NamesakeIndex, check_name_free
from faristol.tournament.command_handling.outcome import SHARED, answer_to, write_of
from faristol.tournament.command_handling.registry import normalize_note
from faristol.tournament.conditions import check_unchanged
from faristol.tournament.players.amendment import amend
from faristol.tournament.players.data_requests import answer
from faristol.tournament.players.move import move
from faristol.tournament.players.registration import register
from faristol.tournament.queries.tournament import notes_on_players
from faristol.tournament.situation import PairingCommand, Situation, Words
from faristol.tournament.state import TournamentState, evolve


def _entry(situation: Situation, request: pb.RegisterPlayerRequest, new_events: Sequence[Message]) -> Mapping[str, Any]:
    late = next((event for event in new_events if isinstance(event, events.LateEntryAdmitted)), None)
    first = {"round": late.round, "fictitious_half_points": late.fictitious_half_points} if late else {"round": 1}
    return {"player_id": request.player_id, **first}


PLAYERS_BETWEEN_CALLS_COUNT = 20
"""Players that are registered before other calls of the process have their turn. Beside 10,000 others each takes two
milliseconds."""

_REGISTER_COMMAND = PairingCommand(register, more=_entry)
_AMEND_COMMAND = PairingCommand(amend, tells=events.PlayerAmended)


def _amended_by(
    situation: Situation, request: pb.AnswerDataRequestRequest, new_events: Sequence[Message]
) -> Mapping[str, Any]:
    return {"parts": next((event.parts for event in new_events if isinstance(event, events.PlayerAmended)), ())}


_ANSWER_COMMAND = PairingCommand(answer, tells=events.DataRequestAnswered, more=_amended_by)


async def register_player(
    handler: PairingHandler, request: pb.RegisterPlayerRequest, context: Context
) -> pb.RegisterPlayerResponse:
    """Register a player. Personal details are stored outside events, in the same transaction."""
    at, record = handler.at(request), handler.record
    asked = _normalize_request(request)

    async def attempt() -> tuple[Decision, pb.RegisterPlayerResponse]:
        loaded = await handler.load(request.tournament_id)
        situation, guards = await handler.situation_of_entry(loaded.state, at)
        new_events = register(situation, asked)
        known = (await people.names(record, [asked.player_id])).get(asked.player_id)
        _check_same_name(known, asked.name)
        person = _person(asked, known)
        await check_namesakes(handler, person, loaded.state, situation.divisions)

        async def remember(connection: AsyncConnection) -> Sequence[str]:
            return align_bindings(new_events, await people.store_players(connection, [person]))

        decision = Decision([write_of(loaded, new_events)], guards, also=remember)
        return decision, answer_to(_REGISTER_COMMAND, pb.RegisterPlayerResponse, situation, asked, new_events)

    return await handler.handle(request, context, attempt, pb.RegisterPlayerResponse, among_divisions=True)


async def register_players(
    handler: PairingHandler, request: pb.RegisterPlayersRequest, context: Context
) -> pb.RegisterPlayersResponse:
    """Register many players, each decided after those before. A refused player does not affect the others."""
    at = handler.at(request)
    check_count("players", request.players, MAX_BATCH_PLAYERS)
    for number, asked in enumerate(request.players):
        if asked.tournament_id not in {"", request.tournament_id}:
            raise Invalid(
                f"players[{number}].tournament_id", N_("is a different tournament; expected none, or the same one")
            )

    async def attempt() -> tuple[Decision, pb.RegisterPlayersResponse]:
        loaded = await handler.load(request.tournament_id)
        situation, guards = await handler.situation_of_entry(loaded.state, at)
        entry = RegistrationBatch(situation)
        await entry.take_all(handler, request.players)
        again = SHARED["round_to_pair_again"](situation, entry.new_events)

        async def remember(connection: AsyncConnection) -> Sequence[str]:
            return align_bindings(entry.new_events, await people.store_players(connection, entry.persons))

        also = remember if entry.new_events else None
        decision = Decision([write_of(loaded, entry.new_events)], guards, also=also)
        return decision, pb.RegisterPlayersResponse(registrations=entry.registrations, round_to_pair_again=again)

    return await handler.handle(request, context, attempt, pb.RegisterPlayersResponse, among_divisions=True)


class RegistrationBatch:
    """Registrations decided one after the other in one command, on data that is read at once."""

    def __init__(self, situation: Situation) -> None:
        self.new_events: list[Message] = []
        self.persons: list[Person] = []
        """The persons registered, in the order of the registration events."""
        self.registrations: list[pb.Registration] = []
        self._situation = situation
        self._known: Mapping[str, Person] = {}
        self._erased: Collection[str] = ()
        self._namesakes = NamesakeIndex()

    async def take_all(self, handler: PairingHandler, players: Sequence[pb.RegisterPlayerRequest]) -> None:
        """Register players, or store the reason against each."""
        await self._read(handler, players)
        for place, asked in enumerate(players):
            if place % PLAYERS_BETWEEN_CALLS_COUNT == 0:
                await asyncio.sleep(0)
            self._take(asked)

    async def _read(self, handler: PairingHandler, players: Sequence[pb.RegisterPlayerRequest]) -> None:
        """Read the known names of the entering players, and the namesakes of those without a chosen id."""
        ids = {asked.player_id for asked in players if asked.player_id}
        self._known = await people.names(handler.record, ids)
        async with handler.record.reading() as connection:
            self._erased = await people.all_erased(connection, ids)
        unknown = {asked.name for asked in players if not is_given(asked.player_id)}
        divisions = self._situation.state, *self._situation.divisions
        for person in (await handler.namesakes.of(divisions, unknown)).values():
            self._namesakes.add(person)

    def _take(self, given: pb.RegisterPlayerRequest) -> None:
        """Register the next player, or store the reason against it."""
        situation = self._situation
        try:
            asked = _normalize_request(given)
            new_events = register(situation, asked)
            known = self._known.get(asked.player_id)
            _check_same_name(known, asked.name)
            person = _person(asked, known)
            check_name_free(person, situation.state, situation.divisions, self._namesakes)
            if asked.player_id in self._erased:
                raise people.refused_as_erased(asked.player_id)
        except (Refusal, AlreadyExists, Invalid) as problem:
            self.registrations.append(pb.Registration(reason=reason_of(problem)))
            return
        self._situation = replace(situation, state=reduce(evolve, new_events, situation.state))
        self.new_events += new_events
        self.persons.append(person)
        self._namesakes.add(person)
        self.registrations.append(pb.Registration(**_entry(situation, asked, new_events)))


def align_bindings(new_events: Sequence[Message], bindings: Sequence[str]) -> list[str]:
    """Return a binding for each event: those of the registrations in order, and none for the others."""
    left = iter(bindings)
    return [
        next(left) if isinstance(event, events.PlayerRegistered | events.LateEntryAdmitted) else ""
        for event in new_events
    ]


def _normalize_request(request: pb.RegisterPlayerRequest) -> pb.RegisterPlayerRequest:
    """Return a normalized request with an id. Raises ``Invalid`` for an invalid personal detail, category or id."""
    asked = deepcopy(request)
    normalize_details(asked)
    asked.category = check_name("category", request.category, empty=True, longest=MAX_CATEGORY_CHARACTERS)
    asked = normalize_note(asked)
    asked.licence_exception = checked_note("licence_exception", request.licence_exception)
    asked.player_id = checked_player_id("player_id", request.player_id) if request.player_id else ""
    asked.player_id = asked.player_id or generate_player_id(request.command_id)
    return asked


async def amend_player(
    handler: PairingHandler, request: pb.AmendPlayerRequest, context: Context
) -> pb.AmendPlayerResponse:
    """Amend a player. Personal details change outside events, in the same transaction."""
    asked = _amendment(request)

    async def attempt() -> tuple[Decision, pb.AmendPlayerResponse]:
        loaded = await handler.load(request.tournament_id)
        if request.expected_version:
            since = (await handler.past_events(loaded))[request.expected_version :]
            of_player = (event for event in since if request.player_id in players_of(event))
            check_unchanged(of_player, (events.PlayerAmended,), loaded.state.name)
        made = await _amend(handler, loaded, asked, handler.at(request))
        decision = Decision([write_of(loaded, made.new_events)], made.guards, also=made.keep)
        return decision, answer_to(_AMEND_COMMAND, pb.AmendPlayerResponse, made.situation, asked, made.new_events)

    return await handler.handle(request, context, attempt, pb.AmendPlayerResponse, among_divisions=True)


@dataclass(frozen=True, slots=True)
class _Amended:
    """A decided amendment: its events, their situation, and the write outside events."""

    situation: Situation
    new_events: list[Message]
    guards: tuple[Guard, ...]
    keep: Callable[[AsyncConnection], Awaitable[str]]


async def _amend(
    handler: PairingHandler, loaded: Loaded[TournamentState], asked: pb.AmendPlayerRequest, at: datetime | None
) -> _Amended:
    """Decide an amendment that ``_amendment`` normalized. Raises ``Invalid`` or ``Refusal``."""
    record = handler.record
    async with record.reading() as connection:
        if loaded.state.player(asked.player_id) and await people.when_erased(connection, asked.player_id):
            raise people.not_amended_as_erased(asked.player_id)
    others = await handler.other_divisions(loaded.state)
    person = (await people.names(record, [asked.player_id])).get(asked.player_id)
    known = person or Person(asked.player_id)
    note = (await notes_on_players(record, loaded.state.tournament_id)).get(asked.player_id, "")
    situation = Situation(loaded.state, now=handler.runtime.now(), at=at, words=Words(known, note))
    new_events = amend(situation, asked)
    beside = read_details(asked)
    if beside and not (known.name or asked.name):
        raise Invalid("name", N_("is missing; none is stored for {player}"), {"player": asked.player_id})
    called = known.replace(**beside)
    if (called.name, called.club) != (known.name, known.club):
        await check_namesakes(handler, called, loaded.state, others.tournaments)

    async def keep(connection: AsyncConnection) -> str:
        return await people.amend(connection, asked.player_id, beside if called != known else {})

    return _Amended(situation, new_events, others.guards, keep)


async def answer_data_request(
    handler: PairingHandler, request: pb.AnswerDataRequestRequest, context: Context
) -> pb.AnswerDataRequestResponse:
    """Grant or refuse a data request. A granted correction amends the player in the same decision."""
    asked, at = normalize_note(request), handler.at(request)
    corrects = bool(read_details(asked))

    async def attempt() -> tuple[Decision, pb.AnswerDataRequestResponse]:
        loaded = await handler.load(request.tournament_id)
        situation = Situation(loaded.state, now=handler.runtime.now(), at=at)
        answered = answer(situation, asked)
        if not corrects:
            decision = Decision([write_of(loaded, answered)])
            return decision, answer_to(_ANSWER_COMMAND, pb.AnswerDataRequestResponse, situation, asked, answered)
        player_id = loaded.state.data_requests[asked.request - 1].player_id
        amendment = pb.AmendPlayerRequest(player_id=player_id, **read_details(asked))
        made = await _amend(handler, loaded, _amendment(amendment), at)
        new_events = [*made.new_events, *answered]
        decision = Decision([write_of(loaded, new_events)], made.guards, also=made.keep)
        return decision, answer_to(_ANSWER_COMMAND, pb.AnswerDataRequestResponse, made.situation, asked, new_events)

    return await handler.handle(request, context, attempt, pb.AnswerDataRequestResponse, among_divisions=corrects)


def _amendment(request: pb.AmendPlayerRequest) -> pb.AmendPlayerRequest:
    """Return a normalized request. Raises ``Invalid`` for an invalid personal detail, category or id."""
    asked = normalize_note(request)
    check_id("player_id", request.player_id)
    normalize_details(asked)
    if request.HasField("category"):
        asked.category = check_name("category", request.category, empty=True, longest=MAX_CATEGORY_CHARACTERS)
    return asked


async def move_player(
    handler: PairingHandler, request: pb.MovePlayerRequest, context: Context
) -> pb.MovePlayerResponse:
    """Move a player to another division, in one decision on both."""
    at, asked = handler.at(request), normalize_note(request)

    async def attempt() -> tuple[Decision, pb.MovePlayerResponse]:
        leaving = await handler.load(request.tournament_id)
        entering = await handler.load(request.to_tournament_id, "to_tournament_id")
        others = (await handler.other_divisions(leaving.state)).without(request.to_tournament_id)
        now = handler.runtime.now()
        persons, guards = await handler.persons_register(entering.state)
        left, entered = move(
            Situation(leaving.state, now=now, at=at),
            Situation(entering.state, now=now, at=at, divisions=others.tournaments, persons=persons),
            asked,
        )
        known = (await people.names(handler.record, [request.player_id])).get(request.player_id)
        if known is not None and known.name:
            await check_namesakes(handler, known, entering.state, others.tournaments)
        writes = [write_of(leaving, left), write_of(entering, entered)]
        decision = Decision(writes, (*others.guards, *guards), also=lambda there: people.bind(there, request.player_id))
        return decision, pb.MovePlayerResponse()

    return await handler.handle(request, context, attempt, pb.MovePlayerResponse, among_divisions=True)


def _check_same_name(known: Person | None, name: str) -> None:
    """Raise ``Refusal`` if a known player would enter under another name."""
    if known and not same_name(known.name, name):
        raise Refusal(
            "NAME_DIFFERS",
            N_("The id {player} belongs to a player with another name: give that name, or another id."),
            {"player": known.player_id},
        )


def _person(asked: pb.RegisterPlayerRequest, known: Person | None) -> Person:
    """Return the entering person. A known person keeps the name, and missing details are those of before."""
    if known is None:
        return Person(asked.player_id).replace(**read_details(asked))
    return known.replace(**{**read_details(asked), "name": known.name})


async def check_namesakes(
    handler: PairingHandler, entering: Person, entered: TournamentState, divisions: Sequence[TournamentState]
) -> None:
    """Raise ``Refusal`` as ``check_name_free``, by the names in the record."""
    if not is_given(entering.player_id):
        known = await handler.namesakes.of((entered, *divisions), [entering.name])
        check_name_free(entering, entered, divisions, NamesakeIndex(known.values()))
