"""The acceptance of an entry: the entrant becomes a player, in one decision on both streams.

An entry can be merged with a person whom the record knows, for example under a name in another script. The known name
stays, the other details of the entry replace those that are stored, and the details of the entrant are removed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision
from faristol.host.rpc.dispatch import Context
from faristol.kernel.details import Person, normalize_details
from faristol.kernel.errors import Invalid, NotFound, check_count
from faristol.kernel.names import MAX_BATCH_PLAYERS, MAX_CATEGORY_CHARACTERS, check_name, checked_player_id
from faristol.kernel.refusal import N_, Refusal
from faristol.mail import outbox
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.personal_data import people
from faristol.tournament.command_handling.identity import checked_note
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.command_handling.players import RegistrationBatch, check_namesakes
from faristol.tournament.players.registration import register
from faristol.tournament.registration.decide import accept, found_entry, undecided_entry
from faristol.tournament.registration.handler import RegistrationHandler
from faristol.tournament.registration.state import EntryOfForm


async def accept_entry(
    handler: RegistrationHandler, request: pb.AcceptEntryRequest, context: Context
) -> pb.AcceptEntryResponse:
    """Accept an entry.

    Raises ``Refusal`` if it is decided, if the person was erased or is registered, or if a player has the same name and
    ``another_person`` is not set. Raises ``NotFound`` for an unknown person.
    """
    await handler.prepare()
    at = handler.pairing.at(request)
    if request.player_id:
        checked_player_id("player_id", request.player_id)
    if request.player_id and request.another_person:
        raise Invalid("another_person", N_("conflicts with the given player; expected only one of the two"))

    async def attempt() -> tuple[Decision, pb.AcceptEntryResponse]:
        loaded = await handler.load(request.tournament_id, at)
        entry = undecided_entry(loaded.current, request.entry)
        person = await _person(handler, entry, request.player_id)
        situation, guards = await handler.pairing.situation_of_entry(loaded.tournament.state, at)
        registered = register(situation, _registration(entry, person, request))
        if not request.another_person:
            await check_namesakes(handler.pairing, person, situation.state, situation.divisions)

        async def store(connection: AsyncConnection) -> Sequence[str]:
            said = await people.store_players(connection, [person])
            if person.player_id != entry.player_id:
                said.append(await people.clear(connection, entry.player_id))
                await outbox.forget_persons(connection, [entry.player_id])
            return [" ".join(filter(None, said))]

        decision = await handler.decision(
            loaded,
            request.command_id,
            accept(loaded.current, entry, person.player_id),
            first=store,
            writes=[write_of(loaded.tournament, registered)],
            guards=guards,
        )
        late = next((each for each in registered if isinstance(each, pairing_events.LateEntryAdmitted)), None)
        return decision, pb.AcceptEntryResponse(player_id=person.player_id, round=late.round if late else 1)

    return await handler.handle(request, context, attempt, pb.AcceptEntryResponse)


async def accept_entries(
    handler: RegistrationHandler, request: pb.AcceptEntriesRequest, context: Context
) -> pb.AcceptEntriesResponse:
    """Accept entries one after the other in one decision, and leave out those that ``accept_entry`` would refuse.

    Raises ``Invalid`` for a number of entries outside the limits, or an entry without a number. Raises ``NotFound`` for
    an unknown entry.
    """
    await handler.prepare()
    check_count("entries", request.entries, MAX_BATCH_PLAYERS)
    at = handler.pairing.at(request)

    async def attempt() -> tuple[Decision, pb.AcceptEntriesResponse]:
        loaded = await handler.load(request.tournament_id, at)
        entries = [found_entry(loaded.current, number) for number in dict.fromkeys(request.entries)]
        situation, guards = await handler.pairing.situation_of_entry(loaded.tournament.state, at)
        batch = RegistrationBatch(situation)
        known = await people.names(handler.record, {entry.player_id for entry in entries})
        refused = {entry.number: _reason_against(entry, known.get(entry.player_id)) for entry in entries}
        undecided = [entry for entry in entries if not refused[entry.number]]
        asked = [_registration(entry, known[entry.player_id], pb.AcceptEntryRequest()) for entry in undecided]
        await batch.take_all(handler.pairing, asked)
        refused |= {entry.number: each.reason for entry, each in zip(undecided, batch.registrations, strict=True)}
        accepted = [entry for entry in undecided if not refused[entry.number]]
        left_out = {number: reason for number, reason in refused.items() if reason}
        numbers = [entry.number for entry in accepted]
        answer = pb.AcceptEntriesResponse(accepted=numbers, left_out=left_out, reasons=left_out.values())
        if not accepted:
            return Decision(), answer

        async def store(connection: AsyncConnection) -> Sequence[str]:
            return await people.store_players(connection, batch.persons)

        decision = await handler.decision(
            loaded,
            request.command_id,
            [event for entry in accepted for event in accept(loaded.current, entry, entry.player_id)],
            first=store,
            writes=[write_of(loaded.tournament, batch.new_events)],
            guards=guards,
        )
        return decision, answer

    return await handler.handle(request, context, attempt, pb.AcceptEntriesResponse)


def _reason_against(entry: EntryOfForm, person: Person | None) -> str:
    """Return the reason if an entry is decided, or if its person was erased; else an empty text."""
    if not entry.is_undecided:
        return "ENTRY_DECIDED"
    return "" if person and person.name else "PERSON_ERASED"


async def _person(handler: RegistrationHandler, entry: EntryOfForm, known_id: str) -> Person:
    """Return the person to register: the entrant, or the known person with the details of the entry."""
    found = await people.names(handler.record, {entry.player_id, known_id} - {""})
    own = found.get(entry.player_id)
    if own is None or not own.name:
        raise Refusal(
            "PERSON_ERASED", N_("The personal details of entry {entry} were erased."), {"entry": entry.number}
        )
    if not known_id or known_id == entry.player_id:
        return own
    known = found.get(known_id)
    if known is None:
        raise NotFound("player", known_id)
    return known.replace(**{**own.known, "name": known.name or own.name})


def _registration(entry: EntryOfForm, person: Person, request: pb.AcceptEntryRequest) -> pairing.RegisterPlayerRequest:
    """Return the registration of the player."""
    category = request.category if request.HasField("category") else entry.category
    asked = pairing.RegisterPlayerRequest(
        player_id=person.player_id,
        name=person.name,
        category=check_name("category", category, empty=True, longest=MAX_CATEGORY_CHARACTERS),
        licence_exception=checked_note("licence_exception", request.licence_exception),
    )
    if request.HasField("rating"):
        asked.rating = request.rating
    normalize_details(asked)
    return asked
