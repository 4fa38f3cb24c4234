"""The answers to queries on fees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from faristol.event_store import Recorded
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.kernel.likeness import like
from faristol.kernel.names import name_order
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as pb
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.personal_data import people
from faristol.tournament.fees.currencies import decimals_of
from faristol.tournament.fees.decide import compute_owed
from faristol.tournament.fees.handler import FeeHandler
from faristol.tournament.fees.provider import reference_of


async def list_fees(handler: FeeHandler, request: pb.ListFeesRequest, context: Context) -> pb.ListFeesResponse:
    """Return the accounts, the documents and the totals."""
    loaded, language = await handler.load(request.tournament_id), language_of(context)
    current, state = loaded.current, loaded.current.state
    payers = {payer.player_id: payer for payer in current.payers.values()}
    paid_for = {payment.player_id for payment in state.payments}
    known = await people.names(handler.record, {*current.payers, *paid_for})
    names = {player_id: person.name for player_id, person in known.items()}
    accounts = [
        like(
            pb.FeeAccount,
            payer,
            name=names.get(payer.player_id, ""),
            owed=compute_owed(state, payer),
            paid=state.paid_by(payer.ids),
            adjusted=any(each in state.adjusted for each in payer.ids),
        )
        for payer in payers.values()
    ]
    stream = loaded.write(()).stream
    recorded = await handler.record.read_stream(stream)
    documents = _documents(recorded, await handler.record.notes_of(stream))
    for each in documents:
        payer = current.payers.get(each.player_id)
        each.name = names.get(payer.player_id if payer else each.player_id, "")
    currency = state.settings.currency if state.settings else ""
    return pb.ListFeesResponse(
        settings=state.settings,
        accounts=sorted(accounts, key=lambda each: (name_order(each.name, language), each.player_id)),
        documents=documents,
        totals=_totals(documents, loaded.tournament.time_zone),
        decimals=decimals_of(currency),
        name=loaded.tournament.name,
        organiser=loaded.tournament.organiser,
        time_zone=loaded.tournament.time_zone,
    )


def _documents(recorded: Sequence[Recorded], notes: Mapping[int, str]) -> list[pb.FeeDocument]:
    """Return all receipts and credit notes."""
    found: list[pb.FeeDocument] = []
    receipts: dict[int, pb.FeeDocument] = {}
    for event in recorded:
        message = event.message
        if not isinstance(message, events.PaymentRecorded | events.PaymentCancelled | events.PaymentRefunded):
            continue
        made = pb.FeeDocument(
            document=message.document,
            payment=message.payment,
            player_id=message.player_id,
            note=notes.get(event.version, ""),
            occurred_at=message.occurred_at,
        )
        if isinstance(message, events.PaymentRecorded):
            made.amount, made.method, made.reference = message.amount, message.method, message.reference
            receipts[message.payment] = made
        elif isinstance(message, events.PaymentRefunded):
            made.credit, made.amount, made.method = True, message.amount, message.method
        else:
            receipt = receipts[message.payment]
            made.credit, made.amount, made.method = True, receipt.amount, receipt.method
            receipt.cancelled_by = message.document
        found.append(made)
    return found


def _totals(documents: Sequence[pb.FeeDocument], time_zone: str) -> list[pb.FeeTotal]:
    """Return the sums by day and method. A cancellation counts on its own day."""
    zone = ZoneInfo(time_zone or "UTC")
    sums: dict[tuple[str, int], list[int]] = {}
    for each in documents:
        day = to_datetime(each.occurred_at).astimezone(zone).date().isoformat()
        sums.setdefault((day, each.method), [0, 0])[each.credit] += each.amount
    return [
        pb.FeeTotal(day=day, method=events.PaymentMethod.ValueType(method), paid=paid, returned=returned)
        for (day, method), (paid, returned) in sorted(sums.items())
    ]


async def get_own_fee(handler: FeeHandler, tournament_id: str, player_id: str) -> registration.OwnFee | None:
    """Return what a person owes and paid; None without fees."""
    current = (await handler.load(tournament_id)).current
    payer, settings = current.payers.get(player_id), current.state.settings
    if payer is None or settings is None:
        return None
    owed, paid = compute_owed(current.state, payer), current.state.paid_by(payer.ids)
    address = ""
    if settings.payment_page and owed > paid:
        between = "&" if "?" in settings.payment_page else "?"
        reference = reference_of(tournament_id, player_id)
        address = f"{settings.payment_page}{between}{urlencode({'client_reference_id': reference})}"
    return registration.OwnFee(
        owed=owed,
        paid=paid,
        currency=settings.currency,
        decimals=decimals_of(settings.currency),
        payment_address=address,
    )
