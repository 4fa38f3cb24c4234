"""The pairing service as a part of a process."""

from __future__ import annotations

from faristol.consumers import holder_of
from faristol.host import Part, Runtime, StartError
from faristol.mail.delivery import MailDelivery
from faristol.mail.smtp import MailServer, server_of
from faristol.tournament import reactions
from faristol.tournament.broadcast_timer import BroadcastTimer
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.fees.handler import FeeHandler
from faristol.tournament.fees.service import fee_service
from faristol.tournament.kept.execution import execute_kept
from faristol.tournament.publication_timer import PublicationTimer
from faristol.tournament.registration.handler import RegistrationHandler
from faristol.tournament.registration.reactions import erasures, withdrawals
from faristol.tournament.registration.service import registration_service
from faristol.tournament.service import service

MAIL_SETTING = "FARISTOL_MAIL_SERVER"


def part(runtime: Runtime) -> Part:
    """Build the pairing service, the registration, fees, reactions, the timer of drafts, the delivery of e-mail.

    Raises ``StartError`` for a malformed setting of e-mail.
    """
    delivery = MailDelivery(runtime.record, _server(runtime), runtime.now, lambda: holder_of(runtime.place))
    pairing = PairingHandler(runtime)
    registration = RegistrationHandler(pairing, delivery)
    fees = FeeHandler(pairing)
    return Part(
        name="pairing",
        servicers=(service(pairing, registration, fees), registration_service(registration, fees), fee_service(fees)),
        reactions=(
            reactions.results(runtime.record),
            reactions.sanctions(runtime.record),
            execute_kept(pairing),
            withdrawals(registration),
            erasures(registration),
        ),
        tasks=(
            delivery.run,
            PublicationTimer(runtime.record, runtime.now).run,
            BroadcastTimer(runtime.record, runtime.now).run,
        ),
    )


def _server(runtime: Runtime) -> MailServer | None:
    """Return the mail server of the settings, or None."""
    settings = runtime.settings
    try:
        server = server_of(
            settings.mail_server,
            settings.mail_sender,
            settings.mail_user,
            settings.mail_password_file,
            plain=settings.mail_plain,
        )
    except ValueError as problem:
        raise StartError(f"{MAIL_SETTING}: {problem}") from problem
    if server is not None and not settings.http_address:
        raise StartError(f"{MAIL_SETTING} requires FARISTOL_HTTP_ADDRESS, the address of links in messages")
    return server
