"""The command handler of registrations: load, decide, write, and store messages to entrants in the same transaction.

Entries are on a stream of their own, so that a form never conflicts with the director's commands on the tournament.
Commands of one registration are decided one after the other (``queue``).
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import tables as beside
from faristol.event_store import Decision, Loaded, Record, Write, load
from faristol.host import Runtime
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.details import Person
from faristol.kernel.refusal import N_, Refusal
from faristol.mail import outbox
from faristol.mail.delivery import MailDelivery
from faristol.mail.outbox import Mail
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.personal_data import people
from faristol.presentation.page_addresses import OWN_DAY_PATH, tournament_path
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.outcome import at_position
from faristol.tournament.command_handling.registry import normalize_note
from faristol.tournament.registration import links, messages
from faristol.tournament.registration.decide import RegistrationInput
from faristol.tournament.registration.links import EntryLink
from faristol.tournament.registration.state import (
    RegistrationState,
    evolve_registration,
    registration_stream,
)
from faristol.tournament.state import TournamentState

M = TypeVar("M", bound=Message)

Beside = Callable[[AsyncConnection], Awaitable[Sequence[str]]]
"""Writes rows in the transaction of a decision; returns the bindings of names for its first events, in their order."""

_MAIL_NAMESPACE = uuid.UUID("6b3f6a0e-3d1c-4c7e-9a55-0f3c7d1f5a21")

MAIL_KINDS: Mapping[type[Message], str] = {
    events.EntryMovedUp: messages.MOVED_UP,
    events.EntryAccepted: messages.ACCEPTED,
    events.EntryRejected: messages.REJECTED,
    events.EntryWithdrawn: messages.WITHDRAWN,
    events.EntryAsked: messages.ASKED,
}
"""The messages that events cause, besides those of a reception."""


@dataclass(frozen=True, slots=True)
class LoadedRegistration:
    """The loaded input of a decision."""

    current: RegistrationInput
    registration: Loaded[RegistrationState]
    tournament: Loaded[TournamentState]

    @property
    def tournament_id(self) -> str:
        """Id of the tournament."""
        return self.current.tournament.tournament_id

    def write(self, new_events: Sequence[Message]) -> Write:
        """Build the write that appends events to the registration."""
        name = registration_stream(self.tournament_id)
        return Write(name, self.registration.version, list(new_events), self.tournament_id)


def build_no_mail_refusal() -> Refusal:
    """Return the refusal of e-mail in a cell without a mail server."""
    return Refusal("NO_MAIL_SERVER", N_("This cell sends no e-mail: its operator has set no mail server."))


class RegistrationHandler:
    """The handler of commands on registrations."""

    def __init__(self, pairing: PairingHandler, delivery: MailDelivery) -> None:
        self.pairing = pairing
        self.runtime: Runtime = pairing.runtime
        self.record: Record = pairing.record
        self.delivery = delivery
        self._prepared = False

    async def prepare(self) -> None:
        """Create the tables beside the record if they are missing."""
        if not self._prepared:
            await self.delivery.prepare()
            async with self.record.writing() as connection:
                await beside.make(connection, links.metadata)
            self._prepared = True

    async def load(self, tournament_id: str, at: datetime | None = None) -> LoadedRegistration:
        """Load a registration and its tournament. Raises ``Invalid`` and ``NotFound`` as ``PairingHandler.load``."""
        tournament = await self.pairing.load(tournament_id)
        name = registration_stream(tournament_id)
        registration = await load(self.record, name, RegistrationState(), evolve_registration)
        rules = ruleset_of(tournament.state.ruleset)
        current = RegistrationInput(registration.state, tournament.state, self.runtime.now(), at, rules)
        return LoadedRegistration(current, registration, tournament)

    async def carry_out(
        self,
        request: Any,
        context: Context,
        decide: Callable[[RegistrationInput, Any], list[Message]],
        response: type[M],
        answer: Callable[[Sequence[Message]], M],
    ) -> M:
        """Handle a command of the director that writes to the registration only.

        ``answer`` builds the answer from the new events.
        """
        await self.prepare()
        asked: Any = normalize_note(request)
        at = self.pairing.at(request)

        async def attempt() -> tuple[Decision, M]:
            loaded = await self.load(request.tournament_id, at)
            new_events = decide(loaded.current, asked)
            return await self.decision(loaded, request.command_id, new_events), answer(new_events)

        return await self.handle(request, context, attempt, response)

    async def handle(
        self,
        request: Any,
        context: Context,
        attempt: Callable[[], Awaitable[tuple[Decision, M]]],
        response: type[M],
        tournament_id: str = "",
    ) -> M:
        """Handle a command after the others on the registration, and send its messages."""

        async def decide() -> tuple[Decision, Callable[[int], M]]:
            decision, answer = await attempt()
            return decision, at_position(answer)

        queue = registration_stream(tournament_id or request.tournament_id)
        answered = await self.runtime.command_handler.handle(context, request, decide, response=response, queue=queue)
        self.delivery.tell()
        return answered

    async def decision(
        self,
        loaded: LoadedRegistration,
        command_id: str,
        new_events: Sequence[Message],
        *,
        first: Beside | None = None,
        writes: Sequence[Write] = (),
        guards: Sequence[Any] = (),
    ) -> Decision:
        """Build the decision of events of the registration, with the messages that they cause.

        ``first`` writes further rows in the transaction, before the messages are stored. ``writes`` and ``guards`` are
        those of other streams.
        """
        state = loaded.current.state
        for event in new_events:
            state = evolve_registration(state, event)

        count = len(new_events) + sum(len(write.events) for write in writes)

        async def also(connection: AsyncConnection) -> Sequence[str]:
            bindings = await first(connection) if first else ()
            for number, event in enumerate(new_events):
                await self._store_mail(connection, loaded, state, event, f"{command_id}/{number}")
            return [*bindings, *[""] * (count - len(bindings))]  # names change with the first events

        return Decision([loaded.write(new_events), *writes], tuple(guards), also=also)

    async def _store_mail(
        self, connection: AsyncConnection, loaded: LoadedRegistration, state: RegistrationState, event: Any, cause: str
    ) -> None:
        """Store the message that an event causes, if there is a mail server and the entrant has an address."""
        kind = MAIL_KINDS.get(type(event), "")
        if isinstance(event, events.EntryReceived):
            kind = messages.WAITING if event.waiting else messages.RECEIVED
        if not kind or not self.delivery.is_enabled:
            return
        entry = state.entries[event.entry - 1]
        person = await people.find(connection, entry.player_id)
        address = str(person.known.get("email", "")) if person else ""
        if person is None or not address:
            return
        key = links.new_key()
        link = EntryLink(loaded.tournament_id, entry.number, entry.player_id)
        await links.store_link(connection, link, key, loaded.current.now)
        params = {"note": getattr(event, "note", "")}
        mail = self.build_mail(kind, loaded, person, address, key, entry.language, cause, params)
        await outbox.enqueue(connection, [mail], loaded.current.now)

    def build_mail(
        self,
        kind: str,
        loaded: LoadedRegistration,
        person: Person,
        address: str,
        key: str,
        language: str,
        cause: str,
        params: Mapping[str, Any],
    ) -> Mail:
        """Build a message about an entry. The same cause yields the same id."""
        values = {
            "tournament": loaded.current.tournament.name,
            "name": person.name,
            "link": self.link_of(loaded.tournament_id, key),
            "me": self.runtime.settings.http_address.rstrip("/") + OWN_DAY_PATH,
            **params,
        }
        subject, body = messages.write_mail(kind, values, language)
        mail_id = str(uuid.uuid5(_MAIL_NAMESPACE, f"{loaded.tournament_id}/{kind}/{cause}"))
        return Mail(mail_id, loaded.tournament_id, kind, address, subject, body, language, person.player_id)

    def link_of(self, tournament_id: str, key: str) -> str:
        """Return the address of the page of an entry."""
        return f"{self.address_of(tournament_id, 'entry')}?key={key}"

    def address_of(self, tournament_id: str, page: str) -> str:
        """Return the public address of a page of a tournament."""
        return self.runtime.settings.http_address.rstrip("/") + tournament_path(tournament_id, page)
