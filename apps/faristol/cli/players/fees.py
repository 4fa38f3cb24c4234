"""The fees of a tournament as text."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as pb
from faristol.text import say, translations

NO_FEES = N_("No fees are set for this tournament.")
OWED = N_("owed {owed}, paid {paid}")
METHODS = labels_of(events.PaymentMethod.DESCRIPTOR)


def fees(_request: object, answer: pb.ListFeesResponse, _known: object, language: str) -> Iterator[str]:
    """Yield the lines of `fee list`: persons, documents, totals."""
    if not answer.HasField("settings"):
        yield say(NO_FEES, {}, language)
        return
    read, currency = translations(language).gettext, answer.settings.currency

    def money(amount: int) -> str:
        return f"{Decimal(amount).scaleb(-answer.decimals):f} {currency}"

    for each in answer.accounts:
        if each.stands or each.paid:
            named = " · ".join(filter(None, (each.name or each.player_id, each.category)))
            sums = say(OWED, {"owed": money(each.owed), "paid": money(each.paid)}, language)
            yield f"{named} ({each.player_id})  {sums}"
    for document in answer.documents:
        sign, day = "-" if document.credit else "", to_datetime(document.occurred_at).date()
        words = (document.name, read(METHODS[document.method]), document.reference, document.note)
        yield f"{document.document:>4}  {day}  {sign}{money(document.amount)}  {' · '.join(filter(None, words))}"
    for total in answer.totals:
        yield f"{total.day}  {read(METHODS[total.method])}  {money(total.paid)} - {money(total.returned)}"
