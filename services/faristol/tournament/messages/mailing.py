"""Messages of officials by e-mail, to the players that they address."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import load
from faristol.host.rpc.dispatch import Context
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_
from faristol.mail import outbox
from faristol.mail.outbox import Mail
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data import people
from faristol.presentation.messages import describe_message
from faristol.text import say
from faristol.tournament.registration.handler import RegistrationHandler, build_no_mail_refusal
from faristol.tournament.registration.state import RegistrationState, evolve_registration, registration_stream
from faristol.tournament.situation import Situation
from faristol.tournament.state import TournamentState

MAIL_KIND = "official-message"

SUBJECT = N_("Message of the officials of {tournament}")
BODY = N_("{message}\n\nYour table, your opponent and the standings:\n{link}")

_MAIL_NAMESPACE = uuid.UUID("5f0c8a52-5b38-4b19-9d0a-3a1f5d2b6c11")


def list_recipients(state: TournamentState, event: events.MessageSent | events.PlayerMessageSent) -> list[str]:
    """Return the players that a message addresses: those of its tables or its hall, or all who take part."""
    active = [player.player_id for player in state.players if player.withdrawn is None]
    if isinstance(event, events.PlayerMessageSent):
        addressed = {*event.player_ids}
    elif event.tables or event.hall:
        seats = state.open_round.pairings if state.open_round is not None else ()
        here = [seat for seat in seats if (seat.table in event.tables if event.tables else seat.hall == event.hall)]
        addressed = {player for seat in here for player in seat.player_ids}
    else:
        addressed = {*active}
    return [player for player in active if player in addressed]


async def send_message(handler: RegistrationHandler, request: pb.SendMessageRequest, context: Context) -> Message:
    """Send a message; with ``by_mail`` by e-mail, too, to each addressed player with an address.

    The e-mails are stored with the event, so that each is sent once. Raises ``Refusal`` without a mail server, and as
    ``sending.send``.
    """
    if not request.by_mail:
        return await handler.pairing.carry_out(request, context, pb.SendMessageResponse)
    if not handler.delivery.is_enabled:
        raise build_no_mail_refusal()
    await handler.delivery.prepare()
    name = registration_stream(request.tournament_id)
    registration = (await load(handler.record, name, RegistrationState(), evolve_registration)).state

    def store(situation: Situation, new_events: Sequence[Message]) -> Callable[[AsyncConnection], Awaitable[None]]:
        async def enqueue(connection: AsyncConnection) -> None:
            mails = await _build_mails(handler, request.command_id, situation, registration, new_events, connection)
            await outbox.enqueue(connection, mails, situation.now)

        return enqueue

    answer = await handler.pairing.carry_out(request, context, pb.SendMessageResponse, store)
    handler.delivery.tell()
    return answer


async def _build_mails(
    handler: RegistrationHandler,
    command_id: str,
    situation: Situation,
    registration: RegistrationState,
    new_events: Sequence[Message],
    connection: AsyncConnection,
) -> list[Mail]:
    """Build the e-mail for each recipient, in the language of the entry or of the rules."""
    (sent,) = new_events
    assert isinstance(sent, events.MessageSent | events.PlayerMessageSent)
    state = situation.state
    recipients = list_recipients(state, sent)
    persons = await people.find_all(connection, recipients)
    languages = {entry.player_id: entry.language for entry in registration.entries}
    link = handler.address_of(state.tournament_id, "my-table")
    texts: dict[str, tuple[str, str]] = {}
    mails: list[Mail] = []
    for player_id in recipients:
        address = str(persons[player_id].known.get("email", "")) if player_id in persons else ""
        if not address:
            continue
        language = languages.get(player_id) or situation.ruleset.tile_set.language
        if language not in texts:
            texts[language] = _write_mail(situation, sent, link, language)
        mail_id = str(uuid.uuid5(_MAIL_NAMESPACE, f"{state.tournament_id}/{command_id}/{player_id}"))
        mails.append(Mail(mail_id, state.tournament_id, MAIL_KIND, address, *texts[language], language, player_id))
    return mails


def _write_mail(
    situation: Situation, sent: events.MessageSent | events.PlayerMessageSent, link: str, language: str
) -> tuple[str, str]:
    """Return the subject and the text of the e-mail in a language."""
    of_games = situation.ruleset.game.mode == "duplicate"
    text = describe_message(like(results.Message, sent), situation.state, language, of_games=of_games)
    params = {"tournament": situation.state.name, "message": text, "link": link}
    return say(SUBJECT, params, language), say(BODY, params, language)
