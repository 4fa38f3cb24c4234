"""Calls of entrants: the form, its confirmation, and their own entry by the key of its link.

The answer to a form does not depend on earlier entries, so it does not reveal an address. A repeated confirmation
returns the entry. A key is the only credential of an entrant; it opens only one entry.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Write
from faristol.host.command_handler import canonical
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.host.security.visitor import visitor_of
from faristol.kernel.bounded import store_bounded
from faristol.kernel.details import DETAILS, Person, normalize_details, read_details
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.names import MAX_CATEGORY_CHARACTERS, check_name, generate_player_id
from faristol.kernel.refusal import N_, Refusal
from faristol.mail import outbox
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.personal_data import people
from faristol.text import LANGUAGES
from faristol.tournament.command_handling.identity import checked_note
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.fees.handler import FeeHandler
from faristol.tournament.fees.queries import get_own_fee
from faristol.tournament.players.withdrawal import withdraw as withdraw_player
from faristol.tournament.registration import links, messages
from faristol.tournament.registration.decide import (
    CATEGORY,
    FORM_FIELDS,
    RegistrationInput,
    Submission,
    answer,
    check_accepts,
    receive,
    withdraw,
)
from faristol.tournament.registration.handler import LoadedRegistration, RegistrationHandler, build_no_mail_refusal
from faristol.tournament.registration.links import EntryLink, PendingEntry
from faristol.tournament.registration.queries import build_entry
from faristol.tournament.registration.state import ENDED, EntryOfForm, EntryPhase
from faristol.tournament.situation import Situation

M = TypeVar("M", bound=Message)

MAX_FORMS_COUNT = 120
"""Forms that an address may send in ``FORMS_PERIOD``: a hall shares one."""

FORMS_PERIOD = timedelta(minutes=10)

MAX_COUNTED_ADDRESSES = 20_000
"""Limit of counted addresses. An evicted one starts again at 0."""

_CONFIRMING = uuid.UUID("0c6b8f0a-5f6e-4f29-8c55-3f6d6f1f2b77")


class FormLimit:
    """Counts the forms of each address, in memory: the record has no addresses of visitors."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, list[datetime]] = OrderedDict()

    def check(self, address: str, now: datetime) -> None:
        """Count a form. Raises ``Refusal`` if the address sends too many."""
        since = now - FORMS_PERIOD
        sent = [at for at in self._sent.pop(address, []) if at > since]
        is_over = len(sent) >= MAX_FORMS_COUNT
        store_bounded(self._sent, address, sent if is_over else [*sent, now], MAX_COUNTED_ADDRESSES)
        if is_over:
            raise build_flood_refusal()


def build_flood_refusal() -> Refusal:
    """Return the refusal of a form while too many forms arrive."""
    return Refusal("TOO_MANY_FORMS", N_("Too many forms arrive at the moment: retry in ten minutes."))


class Entrants:
    """The calls of entrants."""

    def __init__(self, handler: RegistrationHandler, fees: FeeHandler) -> None:
        self._handler = handler
        self._fees = fees
        self._limit = FormLimit()

    async def submit(self, request: pb.SubmitEntryRequest, context: Context) -> pb.SubmitEntryResponse:
        """Store the form and send the link for the confirmation; without a mail server, receive the entry at once."""
        handler = self._handler
        await handler.prepare()
        command_id = canonical(request.command_id)
        loaded = await handler.load(request.tournament_id)
        asked = _normalize_form(request, loaded, by_mail=handler.delivery.is_enabled)
        asked.language = asked.language or language_of(context)
        check_accepts(loaded.current)
        self._limit.check(visitor_of(context).address, handler.runtime.now())
        if handler.delivery.is_enabled:
            await self._store_pending(loaded, asked, command_id)
            handler.delivery.tell()
            return pb.SubmitEntryResponse(by_mail=True)
        received: pb.SubmitEntryResponse = await self._receive(
            asked, context, pb.SubmitEntryResponse, lambda entry, state: {"entry": entry}
        )
        # The stored answer of the command has no key: the record and its archives would keep it.
        received.key = links.new_key()
        link = EntryLink(asked.tournament_id, received.entry, generate_player_id(command_id))
        async with handler.record.writing() as connection:
            await links.store_link(connection, link, received.key, loaded.current.now)
        return received

    async def _store_pending(self, loaded: LoadedRegistration, asked: pb.SubmitEntryRequest, command_id: str) -> None:
        """Store a submission and its message. Raises ``Refusal`` if too many wait for their confirmation.

        Beyond the limit of links to an address, the submission is stored and no link is sent. The caller cannot tell.
        """
        now, key = loaded.current.now, links.new_key()
        hashed = links.hash_address(loaded.tournament_id, asked.email)
        entry = PendingEntry(command_id, loaded.tournament_id, MessageToDict(asked), now)
        person = Person("", asked.name)
        params = {"hours": int(links.CONFIRMATION_LIFETIME.total_seconds() // 3_600)}
        mail = self._handler.build_mail(
            messages.CONFIRM, loaded, person, asked.email, key, asked.language, command_id, params
        )
        async with self._handler.record.writing() as connection:
            await links.purge_pending(connection, now)
            every, of_address = await links.count_pending(connection, loaded.tournament_id, hashed)
            if every >= links.MAX_PENDING_COUNT:
                raise build_flood_refusal()
            is_new = await links.store_pending(connection, entry, key, hashed)
            if is_new and of_address < links.MAX_MAILS_PER_ADDRESS_COUNT:
                await outbox.enqueue(connection, [mail], now)

    async def _receive(
        self,
        asked: pb.SubmitEntryRequest,
        context: Context,
        response: type[Any],
        fields: Callable[[int, int], dict[str, Any]],
        *,
        waiting: PendingEntry | None = None,
        key: str = "",
    ) -> Any:
        """Receive an entry with its personal details; a confirmed one with the key of its link."""
        handler, command_id = self._handler, canonical(asked.command_id)
        person = Person(generate_player_id(command_id), **read_details(asked))
        given = Submission(person.player_id, asked.category, asked.listing, asked.language, bool(waiting))

        async def attempt() -> tuple[Decision, Any]:
            loaded = await handler.load(asked.tournament_id)
            new_events = receive(loaded.current, given)
            (received,) = new_events
            assert isinstance(received, events.EntryReceived)
            number, state = received.entry, pb.ENTRY_STATE_WAITING if received.waiting else pb.ENTRY_STATE_RECEIVED

            async def store(connection: AsyncConnection) -> Sequence[str]:
                bindings = await people.store_players(connection, [person])
                if waiting is not None:
                    link = EntryLink(loaded.tournament_id, number, person.player_id)
                    await links.store_link(connection, link, key, loaded.current.now)
                    await links.delete_pending(connection, waiting.command_id)
                return bindings

            decision = await handler.decision(loaded, command_id, new_events, first=store)
            return decision, response(**fields(number, state))

        return await handler.handle(asked, context, attempt, response)

    async def confirm(self, request: pb.ConfirmEntryRequest, context: Context) -> pb.ConfirmEntryResponse:
        """Receive the entry of a key; an entry that is received already is returned."""
        waiting = await self._find_pending(request.key)
        if waiting is None:
            _, entry = await self._find(request.key)
            return pb.ConfirmEntryResponse(entry=entry.number, state=entry.phase.value)
        asked = ParseDict(dict(waiting.submission), pb.SubmitEntryRequest())
        # A submission and its confirmation are two commands: the id of the second comes from that of the first.
        asked.command_id = str(uuid.uuid5(_CONFIRMING, waiting.command_id))
        answered: pb.ConfirmEntryResponse = await self._receive(
            asked,
            context,
            pb.ConfirmEntryResponse,
            lambda entry, state: {"entry": entry, "state": state},
            waiting=waiting,
            key=request.key,
        )
        return answered

    async def send_links(self, request: pb.SendEntryLinksRequest, context: Context) -> pb.SendEntryLinksResponse:
        """Send the links of the entries of an address to it; each at most once in an hour.

        An unknown address gets the same answer by the same steps. Raises ``Refusal`` without a mail server, and if a
        network sends too many forms.
        """
        handler = self._handler
        await handler.prepare()
        if not handler.delivery.is_enabled:
            raise build_no_mail_refusal()
        address = request.email.strip().casefold()
        if not address:
            raise Invalid("email", N_("is missing"))
        loaded = await handler.load(request.tournament_id)
        now = loaded.current.now
        self._limit.check(visitor_of(context).address, now)
        entries = loaded.current.state.entries
        known = await people.names(handler.record, [entry.player_id for entry in entries])
        async with handler.record.writing() as connection:
            await links.purge_pending(connection, now)
            for entry in entries:
                person = known.get(entry.player_id)
                stored = str(person.known.get("email", "")) if person else ""
                if person is None or stored.casefold() != address:
                    continue
                key, cause = links.new_key(), f"{entry.number}/{now:%Y-%m-%dT%H}"
                mail = handler.build_mail(messages.LINK_AGAIN, loaded, person, stored, key, entry.language, cause, {})
                if await outbox.enqueue(connection, [mail], now):
                    link = EntryLink(loaded.tournament_id, entry.number, entry.player_id)
                    await links.store_link(connection, link, key, now)
        handler.delivery.tell()
        return pb.SendEntryLinksResponse()

    async def get_own(self, request: pb.GetOwnEntryRequest, context: Context) -> pb.GetOwnEntryResponse:
        """Return the entry of a key, or the submission that waits for its confirmation."""
        handler, waiting = self._handler, await self._find_pending(request.key)
        if waiting is not None:
            asked = ParseDict(dict(waiting.submission), pb.SubmitEntryRequest())
            shown = pb.Entry(
                state=pb.ENTRY_STATE_UNCONFIRMED,
                details=Person("", **read_details(asked)).details,
                category=asked.category,
                listing=asked.listing,
            )
            return pb.GetOwnEntryResponse(tournament_id=waiting.tournament_id, entry=shown)
        loaded, entry = await self._find(request.key)
        known = await people.names(handler.record, [entry.player_id])
        notes = await handler.record.notes_of(loaded.write(()).stream)
        recorded = await handler.record.read_stream(loaded.write(()).stream)
        place = 0
        if entry.phase is EntryPhase.WAITING:
            place = [each.number for each in loaded.current.state.waiting].index(entry.number) + 1
        return pb.GetOwnEntryResponse(
            tournament_id=loaded.tournament_id,
            entry=build_entry(entry, known.get(entry.player_id), recorded, notes, is_full=True),
            waiting_place=place,
            may_withdraw=_may_withdraw(loaded, entry),
            may_erase=_may_erase(loaded, entry) and entry.player_id in known,
            fee=await get_own_fee(self._fees, loaded.tournament_id, entry.player_id),
            may_sign_in=_may_sign_in(loaded, entry),
        )

    async def answer(self, request: pb.AnswerEntryRequest, context: Context) -> pb.AnswerEntryResponse:
        """Answer the question of the director."""
        note = checked_note("note", request.note)

        async def decide(loaded: LoadedRegistration, entry: EntryOfForm) -> Decision:
            return Decision([loaded.write(answer(loaded.current, entry.number, note))])

        return await self._handle_own(request, context, decide, pb.AnswerEntryResponse)

    async def _handle_own(
        self,
        request: Any,
        context: Context,
        decide: Callable[[LoadedRegistration, EntryOfForm], Awaitable[Decision]],
        response: type[M],
    ) -> M:
        """Handle a command of an entrant on the entry of the key."""
        await self._handler.prepare()
        found, _ = await self._find(request.key)

        async def attempt() -> tuple[Decision, M]:
            return await decide(*await self._find(request.key)), response()

        return await self._handler.handle(request, context, attempt, response, found.tournament_id)

    async def withdraw(self, request: pb.WithdrawOwnEntryRequest, context: Context) -> pb.WithdrawOwnEntryResponse:
        """Withdraw the entry, and with it the player if it is accepted, before the first round starts."""

        async def decide(loaded: LoadedRegistration, entry: EntryOfForm) -> Decision:
            writes: list[Write] = []
            if entry.phase is EntryPhase.ACCEPTED:
                if not _may_withdraw(loaded, entry):
                    raise Refusal("TOURNAMENT_BEGUN", N_("The tournament has begun: tell the director that you leave."))
                situation = Situation(loaded.tournament.state, now=loaded.current.now)
                gone = withdraw_player(situation, pairing.WithdrawPlayerRequest(player_id=entry.player_id))
                writes = [write_of(loaded.tournament, gone)]
            current = _without_player(loaded, entry) if writes else loaded.current
            new_events = withdraw(current, entry.number, by_entrant=True, with_player=bool(writes))
            return await self._handler.decision(loaded, request.command_id, new_events, writes=writes)

        return await self._handle_own(request, context, decide, pb.WithdrawOwnEntryResponse)

    async def erase(self, request: pb.EraseOwnEntryRequest, context: Context) -> pb.EraseOwnEntryResponse:
        """Remove the personal details of an ended entry whose entrant never became a player."""

        async def decide(loaded: LoadedRegistration, entry: EntryOfForm) -> Decision:
            if not _may_erase(loaded, entry):
                raise Refusal(
                    "ENTRY_STANDS",
                    N_("Withdraw the entry first. The details of a player are erased by a data request."),
                )

            async def clear(connection: AsyncConnection) -> str:
                said = await people.clear(connection, entry.player_id)
                await outbox.forget_persons(connection, [entry.player_id])
                return said

            gone = events.EntrantCleared(entry=entry.number, player_id=entry.player_id)
            gone.occurred_at.FromDatetime(loaded.current.now)
            return Decision([loaded.write([gone])], also=clear)

        return await self._handle_own(request, context, decide, pb.EraseOwnEntryResponse)

    async def _find_pending(self, key: str) -> PendingEntry | None:
        """Return the submission of a key that waits for its confirmation; None for another key."""
        await self._handler.prepare()
        async with self._handler.record.reading() as connection:
            return await links.find_pending(connection, key, self._handler.runtime.now())

    async def _find(self, key: str) -> tuple[LoadedRegistration, EntryOfForm]:
        """Return the entry of a key. Raises ``NotFound`` for an unknown or expired key."""
        async with self._handler.record.reading() as connection:
            link = await links.find_link(connection, key) if key else None
        if link is None:
            raise NotFound("entry", "")
        loaded = await self._handler.load(link.tournament_id)
        entry = loaded.current.state.find(link.entry)
        assert entry is not None, "a link is stored with its entry"
        return loaded, entry


def _may_withdraw(loaded: LoadedRegistration, entry: EntryOfForm) -> bool:
    """Check whether the entrant may withdraw: before the first round, and never from a finished tournament."""
    tournament = loaded.current.tournament
    if entry.phase in ENDED or tournament.over or tournament.removed:
        return False
    return entry.is_undecided or tournament.next_to_start == 1


def _may_sign_in(loaded: LoadedRegistration, entry: EntryOfForm) -> bool:
    """Check whether the entrant may sign in as the player.

    A form without a confirmed address can be sent under the name of another person: the entry is then no proof for the
    data of the known person of a merged entry.
    """
    tournament = loaded.current.tournament
    is_player = entry.phase is EntryPhase.ACCEPTED and tournament.player(entry.player_id) is not None
    return is_player and not tournament.removed and (entry.confirmed or entry.player_id == entry.first_id)


def _may_erase(loaded: LoadedRegistration, entry: EntryOfForm) -> bool:
    return entry.phase in ENDED and loaded.current.tournament.player(entry.player_id) is None


def _without_player(loaded: LoadedRegistration, entry: EntryOfForm) -> RegistrationInput:
    """Return the input of a decision after the player of an entry has withdrawn."""
    players = tuple(
        replace(player, withdrawn=1) if player.player_id == entry.player_id else player
        for player in loaded.current.tournament.players
    )
    return replace(loaded.current, tournament=replace(loaded.current.tournament, players=players))


def _normalize_form(
    request: pb.SubmitEntryRequest, loaded: LoadedRegistration, *, by_mail: bool
) -> pb.SubmitEntryRequest:
    """Return a normalized form, without fields that it does not have. Raises ``Invalid`` for an invalid one."""
    asked = deepcopy(request)
    settings = loaded.current.state.settings or events.RegistrationSet()
    for name in FORM_FIELDS:
        if name not in settings.fields:
            asked.ClearField(name)  # type: ignore[arg-type] # a field of the form
    normalize_details(asked)
    asked.category = check_name(CATEGORY, asked.category, empty=True, longest=MAX_CATEGORY_CHARACTERS)
    if asked.category and settings.categories and asked.category not in settings.categories:
        raise Invalid(CATEGORY, N_("expected one of {expected}"), {"expected": ", ".join(settings.categories)})
    for name in settings.required_fields:
        if not getattr(asked, name):
            raise Invalid(name, N_("is missing"))
    if by_mail and not asked.email:
        raise Invalid("email", N_("is missing; expected the address to which the link for the confirmation is sent"))
    if asked.listing not in events.EntryListing.values():
        raise Invalid("listing", N_("expected what the list of entrants shows"))
    asked.listing = asked.listing or events.ENTRY_LISTING_HIDDEN
    if asked.language not in ("", *LANGUAGES):
        raise Invalid("language", N_("expected one of {expected}"), {"expected": ", ".join(LANGUAGES)})
    assert set(read_details(asked)) <= set(DETAILS)
    return asked
