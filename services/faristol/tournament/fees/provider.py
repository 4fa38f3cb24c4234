"""The adapter for a provider of payments: calls of Stripe that report a paid checkout.

The provider signs each call with a shared secret (header ``Stripe-Signature``: HMAC-SHA256 over the time and the body).
Of the body only the id of the payment, the amount, the currency and our own reference are read, and no data of cards.
For a further provider, write a module with the function ``read_event``. https://docs.stripe.com/webhooks#verify-manually
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

SIGNATURE_LIFETIME = timedelta(minutes=5)
"""Age after which a signed call is refused, against replays."""

MAX_EVENT_BODY_BYTES = 65_536
"""Limit of a call in bytes."""

COMPLETED = frozenset({"checkout.session.completed", "checkout.session.async_payment_succeeded"})
"""Types of calls that report a payment. Others are accepted and have no effect."""

_REFERENCE_SEPARATOR = "_"


class SignatureInvalid(Exception):
    """The call is not signed by the provider, or too old."""


@dataclass(frozen=True, slots=True)
class ProviderPayment:
    """A payment that the provider reports."""

    reference: str
    """Id of the payment at the provider."""
    tournament_id: str
    player_id: str
    amount: int
    currency: str


def reference_of(tournament_id: str, player_id: str) -> str:
    """Return the reference of a payer, which the payment page passes to the provider. Ids have no underscore."""
    return f"{tournament_id}{_REFERENCE_SEPARATOR}{player_id}"


def sign(body: bytes, secret: str, at: datetime) -> str:
    """Return the header of a call, as the provider signs it."""
    seconds = int(at.timestamp())
    return f"t={seconds},v1={_compute_digest(body, secret, str(seconds))}"


def _compute_digest(body: bytes, secret: str, seconds: str) -> str:
    return hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()


def read_event(body: bytes, signature: str, secret: str, now: datetime) -> ProviderPayment | None:
    """Return the payment that a call reports; None if it reports none for a tournament.

    Raises ``SignatureInvalid``, before the body is read.
    """
    parts = [part.partition("=")[::2] for part in signature.split(",")[:20]]
    seconds = next((value for name, value in parts if name == "t"), "")
    digest = _compute_digest(body, secret, seconds)
    is_signed = any(name == "v1" and hmac.compare_digest(value.encode(), digest.encode()) for name, value in parts)
    if not secret or not is_signed or not seconds.isascii() or not seconds.isdigit() or len(seconds) > 12:
        raise SignatureInvalid
    if abs(now.timestamp() - int(seconds)) > SIGNATURE_LIFETIME.total_seconds():
        raise SignatureInvalid
    try:
        event = json.loads(body)
        paid = event["data"]["object"]
        if event["type"] not in COMPLETED or paid["payment_status"] != "paid":
            return None
        tournament_id, between, player_id = str(paid["client_reference_id"] or "").partition(_REFERENCE_SEPARATOR)
        amount, currency = paid["amount_total"], str(paid["currency"]).upper()
        reference = str(paid["payment_intent"] or paid["id"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not between or type(amount) is not int or not 0 < len(reference) <= 200:
        return None
    return ProviderPayment(reference, tournament_id, player_id, amount, currency)
