"""The registration of a tournament as text: its form, its entries, the messages that wait, and its fees."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial

from faristol.kernel.details import DETAILS, PUBLIC_DETAILS, format_details
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as fees_pb
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.table_terminal.shared.common import localize
from faristol.text.money import format_money
from faristol.text.terminal import language_of_terminal

STATES = labels_of(pb.EntryState.DESCRIPTOR)

NO_ENTRIES = N_("There are no entries.")
FORM_OPEN = N_("The form accepts entries.")
TOO_LATE = N_("The tournament has advanced too far for another entry.")
FORM_CLOSED = N_("The form accepts no entries.")
ENTRANTS = N_("Entrants: {entrants}, on the waiting list: {waiting}.")
FREE_PLACES = N_("Free places: {free_places} of {places}.")
UNCONFIRMED = N_("Not confirmed yet: {unconfirmed}. Messages that wait to be sent: {waiting_mails}.")
FEE = N_("Entry fee: {fee}.")
EARLY = N_("Discount until {until}: {discount}.")
NO_MAIL = N_("This server sends no e-mail.")
MAIL_STATUS = N_("Messages that wait to be sent: {waiting}. Refused for good in the last 30 days: {refused}.")


def format_entries(answer: pb.ListEntriesResponse) -> Iterator[str]:
    """Yield the lines of `registration list`."""
    if not answer.entries:
        yield localize(NO_ENTRIES)
    for each in answer.entries:
        day, others = to_datetime(each.received_at).date(), DETAILS.keys() - PUBLIC_DETAILS.keys()
        named = [each.details.name or each.player_id, *format_details(each.details, *others), each.category]
        yield f"{each.entry:>4}  {day}  {' · '.join(filter(None, named))}  {localize(STATES[each.state])}"
        more = (*format_details(each.details, *PUBLIC_DETAILS), each.question, each.answer, each.reason)
        yield from (f"      {words}" for words in more if words)
    yield localize(UNCONFIRMED, unconfirmed=answer.unconfirmed, waiting_mails=answer.waiting_mails)


def format_form(answer: pb.GetRegistrationResponse) -> Iterator[str]:
    """Yield the lines of `registration show`."""
    closed = TOO_LATE if answer.too_late else FORM_CLOSED
    yield localize(FORM_OPEN if answer.accepts else closed)
    yield localize(ENTRANTS, entrants=len(answer.entrants), waiting=answer.waiting)
    if answer.settings.places:
        yield localize(FREE_PLACES, free_places=answer.free_places, places=answer.settings.places)
    if answer.HasField("fees"):
        fees = answer.fees
        money = partial(format_money, currency=fees.currency, language=language_of_terminal())
        prices = [money(fees.amount), *(f"{each.category} {money(each.amount)}" for each in fees.categories)]
        yield localize(FEE, fee=", ".join(prices))
        if fees.early_discount:
            until = to_datetime(fees.early_until).isoformat(" ", "minutes")
            yield localize(EARLY, until=until, discount=money(fees.early_discount))
    for each in answer.entrants:
        if each.name:
            yield f"  {' · '.join(filter(None, (each.name, *format_details(each), each.category)))}"


def format_mail_status(answer: pb.GetMailStatusResponse) -> Iterator[str]:
    """Yield the lines of `registration mail`."""
    if not answer.enabled:
        yield localize(NO_MAIL)
    yield localize(MAIL_STATUS, waiting=answer.waiting, refused=answer.refused)


NO_FEES = N_("No fees are set for this tournament.")
OWED = N_("owed {owed}, paid {paid}")
METHODS = labels_of(events.PaymentMethod.DESCRIPTOR)


def format_fees(answer: fees_pb.ListFeesResponse) -> Iterator[str]:
    """Yield the lines of `fee list`: persons, documents, totals."""
    if not answer.HasField("settings"):
        yield localize(NO_FEES)
        return
    currency = answer.settings.currency

    def money(amount: int) -> str:
        return f"{Decimal(amount).scaleb(-answer.decimals):f} {currency}"

    for each in answer.accounts:
        if each.stands or each.paid:
            named = " · ".join(filter(None, (each.name or each.player_id, each.category)))
            sums = localize(OWED, owed=money(each.owed), paid=money(each.paid))
            yield f"{named} ({each.player_id})  {sums}"
    for document in answer.documents:
        sign, day = "-" if document.credit else "", to_datetime(document.occurred_at).date()
        words = (document.name, localize(METHODS[document.method]), document.reference, document.note)
        yield f"{document.document:>4}  {day}  {sign}{money(document.amount)}  {' · '.join(filter(None, words))}"
    for total in answer.totals:
        yield f"{total.day}  {localize(METHODS[total.method])}  {money(total.paid)} - {money(total.returned)}"
