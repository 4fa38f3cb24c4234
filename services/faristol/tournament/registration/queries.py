"""The answers to queries on a registration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import func, select

from faristol.event_store import Recorded, load
from faristol.host.rpc.dispatch import Context
from faristol.kernel.details import Person
from faristol.kernel.names import name_key
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.mail import outbox
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.personal_data import people
from faristol.personal_data.minors import public_category
from faristol.tournament.fees.state import FeeState, evolve_fees, fees_stream
from faristol.tournament.queries.tournament import may_see_restricted
from faristol.tournament.registration import links
from faristol.tournament.registration.decide import RegistrationInput, accepts, is_form_open, is_too_late
from faristol.tournament.registration.handler import RegistrationHandler
from faristol.tournament.registration.state import ENDED, EntryOfForm, EntryPhase
from faristol.typed_input.resembling import Resemblances


def build_entry(
    entry: EntryOfForm,
    person: Person | None,
    recorded: Sequence[Recorded],
    notes: Mapping[int, str],
    *,
    is_full: bool,
) -> pb.Entry:
    """Return an entry as an official or its entrant sees it. ``is_full``: with all personal details and notes."""
    known = person if is_full or person is None else Person(person.player_id, person.name)
    shown = pb.Entry(
        entry=entry.number,
        player_id=entry.player_id,
        state=entry.phase.value,
        details=known.details if known else None,
        category=entry.category,
        listing=entry.listing,
        confirmed=entry.confirmed,
        asked=entry.asked,
        received_at=to_timestamp(entry.received_at),
    )
    if not is_full:
        return shown
    for event in recorded:
        if getattr(event.message, "entry", 0) != entry.number:
            continue
        match event.message:
            case events.EntryAsked():
                shown.question, shown.answer = notes.get(event.version, ""), ""
            case events.EntryAnswered():
                shown.answer = notes.get(event.version, "")
            case events.EntryRejected():
                shown.reason = notes.get(event.version, "")
            case events.EntryReinstated():
                shown.reason = ""
            case _:
                pass
    return shown


async def list_entries(
    handler: RegistrationHandler, request: pb.ListEntriesRequest, context: Context
) -> pb.ListEntriesResponse:
    """Return all entries."""
    await handler.prepare()
    loaded = await handler.load(request.tournament_id)
    state, is_full = loaded.current.state, may_see_restricted()
    known = await people.names(handler.record, {entry.player_id for entry in state.entries})
    name = loaded.write(()).stream
    notes = await handler.record.notes_of(name) if is_full else {}
    recorded = [event for event in await handler.record.read_stream(name) if event.version in notes] if notes else []
    by_entry: dict[int, list[Recorded]] = {}
    for event in recorded:
        by_entry.setdefault(getattr(event.message, "entry", 0), []).append(event)
    shown = [
        build_entry(entry, known.get(entry.player_id), by_entry.get(entry.number, ()), notes, is_full=is_full)
        for entry in state.entries
    ]
    _note_similar(state.entries, shown)
    async with handler.record.reading() as connection:
        pending = select(func.count()).where(links.pending.c.tournament == request.tournament_id)
        unconfirmed = (await connection.execute(pending)).scalar_one()
        mails = await outbox.count(connection, request.tournament_id)
    return pb.ListEntriesResponse(
        entries=shown,
        settings=state.settings,
        free_places=_free(loaded.current),
        unconfirmed=unconfirmed,
        waiting_mails=mails.waiting,
    )


def _note_similar(entries: Sequence[EntryOfForm], shown: Sequence[pb.Entry]) -> None:
    """Note for each undecided entry the others that stand with an equal or a similar name."""
    standing = [each for entry, each in zip(entries, shown, strict=True) if entry.phase not in ENDED]
    by_key: dict[str, list[pb.Entry]] = {}
    for each in standing:
        if each.details.name:
            by_key.setdefault(name_key(each.details.name), []).append(each)
    names = Resemblances(each.details.name for each in standing)
    undecided = (each for entry, each in zip(entries, shown, strict=True) if entry.is_undecided)
    for each in undecided:
        if not each.details.name:
            continue
        key = name_key(each.details.name)
        same = [other.entry for other in by_key[key] if other.entry != each.entry]
        similar = names.of(each.details.name)
        same += [other.entry for other in by_key.get(name_key(similar), ())] if similar else []
        each.similar_entries.extend(sorted(set(same)))


async def get_registration(
    handler: RegistrationHandler, request: pb.GetRegistrationRequest, context: Context
) -> pb.GetRegistrationResponse:
    """Return the settings of the form, what an entry costs, and the entrants as far as each consents."""
    loaded = await handler.load(request.tournament_id)
    current = loaded.current
    listed = [entry for entry in current.state.entries if entry.phase not in ENDED]
    known = await people.names(handler.record, {entry.player_id for entry in listed})
    settings = current.state.settings
    return pb.GetRegistrationResponse(
        name=current.tournament.name,
        accepts=accepts(current),
        too_late=is_form_open(current) and is_too_late(current),
        settings=settings,
        free_places=_free(current),
        waiting=sum(entry.phase is EntryPhase.WAITING for entry in listed),
        by_mail=handler.delivery.is_enabled,
        entrants=[
            _entrant(entry, known.get(entry.player_id), tells_minors=handler.runtime.settings.pages_public_minors)
            for entry in listed
        ],
        fees=await _load_fees(handler, request.tournament_id, current.now) if settings else None,
    )


async def _load_fees(handler: RegistrationHandler, tournament_id: str, now: datetime) -> pb.EntryFees | None:
    """Return what an entry costs that is sent ``now``; None without fees."""
    fees = (await load(handler.record, fees_stream(tournament_id), FeeState(), evolve_fees)).state.settings
    if fees is None:
        return None
    shown = pb.EntryFees(currency=fees.currency, amount=fees.amount, categories=fees.categories)
    if fees.HasField("early_until") and now <= to_datetime(fees.early_until):
        shown.early_discount = fees.early_discount
        shown.early_until.CopyFrom(fees.early_until)
    return shown


def _free(current: RegistrationInput) -> int:
    return current.free_places or 0


def _entrant(entry: EntryOfForm, person: Person | None, *, tells_minors: bool) -> pb.Entrant:
    """Return an entrant as far as the person consented; the category of a minor only if the setting allows it."""
    shown = pb.Entrant(state=entry.phase.value)
    if person is None or entry.listing == events.ENTRY_LISTING_HIDDEN:
        return shown
    shown.name = person.name
    if entry.listing == events.ENTRY_LISTING_FULL:
        shown.club, shown.country = person.club, person.country
        shown.category = entry.category if tells_minors else public_category(entry.category)
    return shown


async def get_mail_status(
    handler: RegistrationHandler, request: pb.GetMailStatusRequest, context: Context
) -> pb.GetMailStatusResponse:
    """Return the counts of the outbox."""
    async with handler.record.reading() as connection:
        found = await outbox.count(connection)
    return pb.GetMailStatusResponse(
        enabled=handler.delivery.is_enabled,
        waiting=found.waiting,
        refused=found.refused,
        waiting_since=to_timestamp(found.waiting_since) if found.waiting_since else None,
    )
