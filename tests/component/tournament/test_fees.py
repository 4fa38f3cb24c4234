"""Fees, payments and receipts over gRPC, and the signed calls of a payment provider."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.component.tournament.test_registration import ask, submit
from tests.component.tournament.test_service import create, read_refusal, register
from tests.support.pairing_service import PairingService, serving

from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.tournament.fees.provider import SIGNATURE_LIFETIME, reference_of, sign

CASH, TRANSFER, PROVIDER = (
    events.PAYMENT_METHOD_CASH,
    events.PAYMENT_METHOD_TRANSFER,
    events.PAYMENT_METHOD_PROVIDER,
)
SECRET = "whsec_of_the_test"  # shared with the double of the provider


@pytest.fixture
async def payments(record: Record, tmp_path: Path) -> AsyncIterator[PairingService]:
    """Yield a tournament with the fee of 25.00, U18 10.00, three less until tomorrow, and the players anna and biel."""
    secret = tmp_path / "secret"
    secret.write_text(f"{SECRET}\n", encoding="utf-8")
    async with serving(record, payment_secret_file=secret) as service:
        await create(service)
        await register(service, player_id="anna", name="Anna Puig")
        await register(service, player_id="biel", name="Biel Soler", category="U18")
        fees = pb.SetFeesRequest(currency="EUR", amount=2_500, early_discount=300, payment_page="https://pay.example/x")
        fees.early_until.FromDatetime(utc_now() + timedelta(days=1))
        fees.categories.add(category="U18", amount=1_000)
        await ask(service, fees)
        yield service


async def accounts(service: PairingService) -> dict[str, tuple[int, int]]:
    """Return what each person owes and paid, by name."""
    listed = await ask(service, pb.ListFeesRequest())
    return {each.name: (each.owed, each.paid) for each in listed.accounts}


async def pay(service: PairingService, player_id: str, amount: int = 0, method: Any = CASH) -> pb.RecordPaymentResponse:
    """Record a payment."""
    answer: pb.RecordPaymentResponse = await ask(
        service, pb.RecordPaymentRequest(player_id=player_id, amount=amount, method=method)
    )
    return answer


async def call_provider(
    service: PairingService, player_id: str, amount: int, *, payment: str = "pi_1", signature: str = "", **more: Any
) -> pb.TakeProviderEventResponse:
    """Call as the provider does, signed with its secret."""
    paid = {
        "id": "cs_1",
        "payment_intent": payment,
        "payment_status": "paid",
        "amount_total": amount,
        "currency": "eur",
        "client_reference_id": reference_of("open", player_id),
        **more,
    }
    body = json.dumps({"id": "evt_1", "type": "checkout.session.completed", "data": {"object": paid}}).encode()
    signed = signature or sign(body, SECRET, service.runtime.now())
    answer: pb.TakeProviderEventResponse = await ask(service, pb.TakeProviderEventRequest(body=body, signature=signed))
    return answer


async def test_each_owes_the_fee_of_the_category_less_the_early_discount_or_what_the_director_sets(
    payments: PairingService,
) -> None:
    assert await accounts(payments) == {"Anna Puig": (2_200, 0), "Biel Soler": (700, 0)}
    await ask(payments, pb.AdjustFeeRequest(player_id="biel", amount=0, note="helper"))
    assert (await accounts(payments))["Biel Soler"] == (0, 0)
    await ask(payments, pb.AdjustFeeRequest(player_id="biel", computed=True))
    assert (await accounts(payments))["Biel Soler"] == (700, 0)


async def test_the_form_says_what_an_entry_costs_before_it_is_sent(payments: PairingService) -> None:
    asked = registration.GetRegistrationRequest()
    assert not (await ask(payments, asked)).HasField("fees"), "there is no form"
    await ask(payments, registration.SetRegistrationRequest(open=True))
    told = (await ask(payments, asked)).fees
    assert (told.currency, told.amount, told.early_discount) == ("EUR", 2_500, 300)
    assert {each.category: each.amount for each in told.categories} == {"U18": 1_000}
    late = pb.SetFeesRequest(currency="EUR", amount=2_500, early_discount=300)
    late.early_until.FromDatetime(utc_now() - timedelta(days=1))
    await ask(payments, late)
    told = (await ask(payments, asked)).fees
    assert (told.amount, told.early_discount, told.HasField("early_until")) == (2_500, 0, False)


async def test_a_payment_is_corrected_after_its_receipt_by_a_credit_note_and_a_new_receipt(
    payments: PairingService,
) -> None:
    first = await pay(payments, "anna")
    assert (first.payment, first.document) == (1, 1)
    wrong = ask(payments, pb.CorrectPaymentRequest(payment=1, amount=2_000))
    with pytest.raises(grpc.aio.AioRpcError, match="note: is missing"):
        await wrong
    again = await ask(payments, pb.CorrectPaymentRequest(payment=1, amount=2_000, method=TRANSFER, note="typed wrong"))
    assert (again.payment, again.document) == (2, 3)
    assert (await accounts(payments))["Anna Puig"] == (2_200, 2_000)
    refunded = await ask(payments, pb.RefundPaymentRequest(payment=2, amount=500))
    assert refunded.document == 4
    too_much = ask(payments, pb.RefundPaymentRequest(payment=2, amount=1_600))
    assert (await read_refusal(too_much))[2].reason == "NOT_SO_MUCH_LEFT"
    listed = await ask(payments, pb.ListFeesRequest())
    documents = [(each.document, each.credit, each.amount, each.cancelled_by) for each in listed.documents]
    assert documents == [(1, False, 2_200, 2), (2, True, 2_200, 0), (3, False, 2_000, 0), (4, True, 500, 0)]
    assert [(each.method, each.paid, each.returned) for each in listed.totals] == [
        (CASH, 2_200, 2_200),
        (TRANSFER, 2_000, 500),
    ]
    other = pb.SetFeesRequest(currency="JPY", amount=3_000)
    assert (await read_refusal(ask(payments, other)))[2].reason == "CURRENCY_IN_USE"


async def test_a_payment_of_an_entrant_counts_for_the_known_player_after_the_merge(payments: PairingService) -> None:
    await create(payments, tournament_id="before")
    await register(payments, tournament_id="before", player_id="eleni", name="Eleni")
    await ask(payments, registration.SetRegistrationRequest(open=True))
    key = (await submit(payments, "Ελένη")).key
    own = await ask(payments, registration.GetOwnEntryRequest(key=key))
    assert (own.fee.owed, own.fee.currency) == (2_200, "EUR")
    assert own.fee.payment_address == f"https://pay.example/x?client_reference_id=open_{own.entry.player_id}"
    assert (await call_provider(payments, own.entry.player_id, 2_200)).recorded
    await ask(payments, registration.AcceptEntryRequest(entry=1, player_id="eleni"))
    assert (await accounts(payments))["Eleni"] == (2_200, 2_200)


async def test_a_call_of_the_provider_is_recorded_once_and_only_with_its_signature(payments: PairingService) -> None:
    for _ in range(3):
        assert (await call_provider(payments, "anna", 2_200)).recorded
    assert (await accounts(payments))["Anna Puig"] == (2_200, 2_200)
    old = sign(b"{}", SECRET, utc_now() - 2 * SIGNATURE_LIFETIME)
    for signature in ("t=1,v1=00", "no", old, sign(b"{}", "another", utc_now())):
        code = (await read_refusal(call_provider(payments, "biel", 700, payment="pi_2", signature=signature)))[0]
        assert code is grpc.StatusCode.UNAUTHENTICATED
    for strange in ({"currency": "usd"}, {"client_reference_id": "open_nobody"}, {"payment_status": "unpaid"}):
        assert not (await call_provider(payments, "biel", 700, payment="pi_3", **strange)).recorded
    card = {"card": {"number": "4242424242424242"}}
    await call_provider(payments, "biel", 700, payment="pi_4", payment_method_details=card)
    stored = b"".join(event.payload for event in await payments.record.read())
    assert b"4242424242424242" not in stored
    assert (await accounts(payments))["Biel Soler"] == (700, 700)


async def history(service: PairingService) -> dict[str, pairing.Act]:
    """Return the last act of each type on entries and fees."""
    answer = await ask(service, pairing.ListActsRequest(others_after=0))
    assert not any(act.version for act in answer.other_acts)
    return {act.type: act for act in answer.other_acts}


async def undo(service: PairingService, act: pairing.Act, note: str = "") -> str:
    """Undo an act, and return the command that undid it."""
    answer: pairing.UndoActResponse = await ask(service, pairing.UndoActRequest(position=act.position, note=note))
    assert answer.undone_by == act.undone_by
    return answer.undone_by


async def test_entries_are_in_the_history_and_undone_from_it(payments: PairingService) -> None:
    await ask(payments, registration.SetRegistrationRequest(open=True, places=7))
    await ask(payments, registration.SetRegistrationRequest(open=True, places=9))
    for name in ("Carla Roca", "Dani Mas"):
        await submit(payments, name)
    await ask(payments, registration.RejectEntryRequest(entry=1, note="too late"))
    await ask(payments, registration.AcceptEntryRequest(entry=2))
    acts = await history(payments)
    assert (acts["EntryRejected"].note, acts["EntryRejected"].players[0].name) == ("too late", "Carla Roca")
    assert not acts["EntryReceived"].undone_by
    assert await undo(payments, acts["EntryRejected"]) == "ReinstateEntry"
    late = await read_refusal(undo(payments, acts["EntryRejected"]))
    assert late[2].reason == "NOT_UNDONE"
    assert await undo(payments, (await history(payments))["EntryReinstated"], "again") == "RejectEntry"
    assert await undo(payments, acts["EntryAccepted"]) == "WithdrawPlayer"
    assert await undo(payments, acts["RegistrationSet"]) == "SetRegistration"
    found = await ask(payments, registration.ListEntriesRequest())
    assert found.entries[0].state == registration.ENTRY_STATE_REJECTED
    assert found.settings.places == 7
    players = (await ask(payments, pairing.GetTournamentRequest())).players
    assert [each.name for each in players if each.withdrawn_round] == ["Dani Mas"]
    both = pairing.UndoActRequest(position=1, version=1)
    with pytest.raises(grpc.aio.AioRpcError, match="only one of the two"):
        await ask(payments, both)
    with pytest.raises(grpc.aio.AioRpcError) as unknown:
        await ask(payments, pairing.UndoActRequest(position=1))
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND, "an act of the tournament has a version"


async def test_fees_are_in_the_history_and_undone_from_it(payments: PairingService) -> None:
    await ask(payments, pb.AdjustFeeRequest(player_id="anna", amount=500))
    await ask(payments, pb.AdjustFeeRequest(player_id="anna", amount=0, note="helper"))
    await pay(payments, "biel")
    acts = await history(payments)
    assert "currency: EUR" in acts["FeeAdjusted"].details
    assert not acts["FeesSet"].undone_by, "there are no earlier fees"
    with pytest.raises(grpc.aio.AioRpcError, match="expected the reason"):
        await undo(payments, acts["PaymentRecorded"])
    assert await undo(payments, acts["PaymentRecorded"], "a slip") == "CancelPayment"
    assert await undo(payments, acts["FeeAdjusted"]) == "AdjustFee"
    assert await accounts(payments) == {"Anna Puig": (500, 0), "Biel Soler": (700, 0)}
    assert not (await history(payments))["PaymentRecorded"].undone_by
