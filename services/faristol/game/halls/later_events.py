"""The events of a hall that go on at a table after the one that the table cannot take was disregarded.

The slips of a hall in a duplicate game are like a table.

Problem. An event that a table cannot take ends its stream for the hall: the hash of each later event covers it, so no
later one can be copied. But the later ones are plays that took place.

Idea. The arbiter who disregards the event takes the table back with the same decision. The championship is then the
writer of its streams, and adds what the later events say, with their times, as far as the table can take them without
the disregarded one. What the table cannot take is left out. The events as the hall wrote them stay beside it.

Rejected: to mark the event as void in a copy of the stream. Every reader of the record would have to know the mark, and
the state of the hall would still contain it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce

from google.protobuf.message import Message

from faristol.duplicate_game.ownership import take_back_slips
from faristol.event_store import Decision, Record, Write
from faristol.event_store.beside_events.notes import Note, field_of
from faristol.event_store.stored import Stored
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.halls.asides import late_events
from faristol.game.halls.batches import CLOCK_TOLERANCE_NS, RETURNED_TYPES, find_problem, is_unknown, parse
from faristol.game.halls.model import AsideEvents, Halls
from faristol.game.halls.plausibility import Implausible, apply_pushed
from faristol.game.halls.rulings import CASE_KINDS, Surroundings
from faristol.game.halls.slips import PushedSlips, load_pushed
from faristol.game.halls.surroundings import load_surroundings
from faristol.host.halls import wire
from faristol.host.halls.identity import CASE
from faristol.host.table_store import load_table
from faristol.kernel.times import Instant
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.lexicon.v1.events_pb2 import CaseOpened
from faristol.table import Table, ownership

SKIPPED_REASONS = frozenset((events.ASIDE_REASON_COMMAND_KNOWN, events.ASIDE_REASON_INVALID))
"""Reasons of which one event is the cause: the others can go on without it."""


@dataclass(frozen=True, slots=True)
class LaterEvents:
    """The decision that adds later events of a hall to a table."""

    decision: Decision
    count: int
    """Number of the hall's events in it."""


async def build_later_events(
    record: Record,
    lexicons: Lexicons,
    halls: Halls,
    kept: AsideEvents,
    tournament_id: str,
    arbiter_id: str,
    now: Instant,
) -> LaterEvents | None:
    """Take a table back, and add the later events of its hall.

    Returns None if the hall no longer has the table, or if the events were not kept aside because of one of
    them. Raises ``Refusal`` if the lexicon of a duplicate game is unavailable, with which its scores are checked.
    """
    aside = kept.event
    if aside.reason not in SKIPPED_REASONS or not aside.game_id:
        return None
    groups = _read_groups(halls, kept, tournament_id, now)
    settled = await load_table(record, aside.game_id)
    if settled is None:
        slips = (await load_pushed(record, lexicons, [aside.game_id], now)).get(aside.game_id)
        return _build_later_slips(slips, aside, groups) if slips is not None else None
    if (settled.game.owner_key, settled.game.epoch) != (aside.key, aside.epoch):
        return None
    every = [message for group in groups for message in group]
    around = await load_surroundings(record, tournament_id, {aside.game_id: settled}, {aside.game_id: every})
    taken_back = ownership.take_back(settled.table, "", 0)
    table, added = _add(settled.table.after(taken_back), groups, around[aside.game_id])
    of_table = [*taken_back, *(event for event in added if not isinstance(event, CASE_KINDS))]
    of_table += ownership.stop_clock(table, arbiter_id)
    decision = settled.decision(settled.with_consequences(of_table))
    return LaterEvents(replace(decision, writes=[*decision.writes, *_write_cases(added, tournament_id)]), len(added))


def _build_later_slips(
    slips: PushedSlips, aside: events.EventsKeptAside, groups: Iterable[Sequence[Message]]
) -> LaterEvents | None:
    """Take the slips of a hall back, and add those of its later events that they can take."""
    if (slips.hall.owner_key, slips.hall.epoch) != (aside.key, aside.epoch):
        return None
    taken_back = take_back_slips(slips.hall, "", 0)
    after, added = slips.after(taken_back), list[Message]()
    for group in groups:
        with suppress(Implausible):
            after.check(group)
            after = after.after(group)
            added += group
    written = Write(slips.stream, slips.version, [*taken_back, *added], slips.situation.game.tournament_id)
    return LaterEvents(Decision([written]), len(added))


def _read_groups(halls: Halls, kept: AsideEvents, tournament_id: str, now: Instant) -> list[list[Message]]:
    """Return the later events that were kept aside for a table in its epoch: those of each command together.

    The command of the event that the table cannot take is left out, and so are events that no hall may send.
    """
    aside = kept.event
    sent = [
        event
        for each in halls.aside.values()
        if (each.event.key, each.event.game_id, each.event.epoch) == (aside.key, aside.game_id, aside.epoch)
        for event in late_events(halls, each, tournament_id)
    ]
    batch = wire.to_batch({event.event_id: event for event in sent}.values(), ())
    wrong = [event for event in batch.events if (event.stream, event.version) == (aside.stream, aside.version)]
    disregarded = {event.command_id for event in wrong if event.command_id}
    groups: list[list[Message]] = []
    command = ""
    for event in batch.events:
        if event in wrong or event.command_id in disregarded or event.type in RETURNED_TYPES:
            continue
        if find_problem(event, tournament_id, now + CLOCK_TOLERANCE_NS) or is_unknown(event):
            continue
        if not event.command_id or event.command_id != command:
            groups.append([])
        command = event.command_id
        groups[-1].append(_to_message(event, batch.notes.get(event.event_id)))
    return groups


def _to_message(event: Stored, note: Note | None) -> Message:
    """Return the message of an event with its free text."""
    message = parse(event)
    if note and (field := field_of(message.DESCRIPTOR)):
        setattr(message, field, note.text)
    return message


def _add(table: Table, groups: Iterable[Sequence[Message]], around: Surroundings) -> tuple[Table, list[Message]]:
    """Return a table after those groups of events that it can take, and these events."""
    added: list[Message] = []
    for group in groups:
        try:
            table = apply_pushed(table, group, around)
        except Implausible:
            continue
        around = reduce(Surroundings.after, group, around)
        added += group
    return table, added


def _write_cases(added: Iterable[Message], tournament_id: str) -> list[Write]:
    """Return the writes of the events of cases: a case is opened by the first of them, or it is there."""
    of_cases: dict[str, list[Message]] = {}
    for event in added:
        if isinstance(event, CASE_KINDS):
            of_cases.setdefault(f"{CASE}{event.case_id}", []).append(event)
    return [
        Write(stream, 0 if isinstance(written[0], CaseOpened) else 1, written, tournament_id)
        for stream, written in of_cases.items()
    ]
