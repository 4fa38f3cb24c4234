"""The open matters of a tournament, as the record and its tables show them at its end.

Devices of scorers store entries until they are sent, and no process knows of those before: the check is of the laptops
of halls, which report the number of their unsent events with each heartbeat.
"""

from __future__ import annotations

from collections.abc import Iterable

from faristol.consumers.parked import all_parked
from faristol.consumers.status import list_sealing
from faristol.consumers.stopped import all_stopped
from faristol.event_store import Record
from faristol.event_store.positions import last_position_of
from faristol.host.halls.heartbeats import last_heartbeats
from faristol.kernel.event_types import types_of
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.results.confirmations import list_unconfirmed_tables
from faristol.tournament.situation import OpenMatters
from faristol.tournament.state import TournamentState

MAX_SUBJECTS_COUNT = 20
"""Most subjects that a check names."""

CASE_BATCH_EVENTS = 1_000
"""Events per read of the cases of a tournament."""

_CASE_TYPES = types_of((lexicon.CaseOpened, lexicon.CaseRuled, lexicon.CaseWithdrawn))


async def load_open_matters(record: Record, state: TournamentState) -> list[OpenMatters]:
    """Return what each check finds, in the order of the checks."""
    tournament_id = state.tournament_id
    behind, unsent, aside = await _load_halls(record, tournament_id)
    parked, unsealed = await _load_processing(record, tournament_id)
    unconfirmed = [table.game_id for played in state.played for table in list_unconfirmed_tables(state, played)]
    requests = [each.player_id for each in state.player_requests if each.waits]
    requests += [each.player_id for each in state.data_requests if each.waits]
    requests += [each.proposed.game_id or each.proposed.proposer_id for each in state.proposals if each.waits]
    return [
        _build(events.FINAL_CHECK_CASES, await _list_open_cases(record, tournament_id)),
        _build(events.FINAL_CHECK_RESULTS, unconfirmed),
        _build(events.FINAL_CHECK_REQUESTS, requests),
        _build(events.FINAL_CHECK_UNSENT, unsent, sum(unsent.values())),
        _build(events.FINAL_CHECK_HALLS, behind),
        _build(events.FINAL_CHECK_KEPT_ASIDE, aside, sum(aside.values())),
        _build(events.FINAL_CHECK_PARKED, parked),
        _build(events.FINAL_CHECK_SEALS, unsealed),
        find_shadow(state.shadow),
    ]


def find_shadow(shadow: events.ShadowCompared | None) -> OpenMatters:
    """Return the differences of the last comparison with another program, by their players."""
    if shadow is None:
        return _build(events.FINAL_CHECK_SHADOW, ())
    subjects = {each.player_id or each.kind for each in shadow.examples}
    return _build(events.FINAL_CHECK_SHADOW, subjects, shadow.differences)


def _build(check: events.FinalCheck.ValueType, subjects: Iterable[str], number: int | None = None) -> OpenMatters:
    """Return what a check finds: ``number`` matters, by default one for each subject."""
    listed = list(subjects)
    named = sorted(set(listed))
    count = len(listed) if number is None else number
    return OpenMatters(check, count, tuple(named[:MAX_SUBJECTS_COUNT]))


async def _list_open_cases(record: Record, tournament_id: str) -> list[str]:
    """Return the games of the cases that are open, once for each case."""
    waiting: dict[str, str] = {}
    position, more = 0, True
    while more:
        found = await record.read(position, tournament=tournament_id, types=_CASE_TYPES, limit=CASE_BATCH_EVENTS)
        for event in found:
            match event.message:
                case lexicon.CaseOpened() as opened:
                    waiting[event.stream] = opened.game_id
                case _:
                    waiting.pop(event.stream, None)
        more = len(found) == CASE_BATCH_EVENTS
        position = found[-1].position if found else position
    return list(waiting.values())


async def _load_halls(record: Record, tournament_id: str) -> tuple[list[str], dict[str, int], dict[str, int]]:
    """Return the halls behind, and the numbers of events by hall that are unsent, and kept aside without a verdict."""
    joined: set[str] = set()
    behind: set[str] = set()
    undecided: dict[int, hall_events.EventsKeptAside] = {}
    for message in await record.events(f"halls-{tournament_id}"):
        match message:
            case hall_events.HallJoined():
                joined.add(message.hall)
            case hall_events.HallReleased():
                joined.discard(message.hall)
            case hall_events.HallFellBehind():
                behind.add(message.hall)
            case hall_events.HallCaughtUp():
                behind.discard(message.hall)
            case hall_events.EventsKeptAside():
                undecided[message.number] = message
            case hall_events.KeptAsideDecided():
                undecided.pop(message.number, None)
    heard = await last_heartbeats(record, tournament_id, joined) if joined else {}
    unsent = {hall: last.unsent for hall, last in heard.items() if last.unsent}
    aside: dict[str, int] = {}
    for message in undecided.values():
        aside[message.hall] = aside.get(message.hall, 0) + message.events
    return sorted(behind), unsent, aside


async def _load_processing(record: Record, tournament_id: str) -> tuple[list[str], list[str]]:
    """Return the consumers with a failed event, once for each, and the sealer and witnesses that lack the last event.

    A failed event is of the tournament, or stops its consumer as a whole.
    """
    async with record.reading() as connection:
        stopped = [line.consumer for line in await all_stopped(connection)]
        parked = await all_parked(connection)
        last = await last_position_of(connection, tournament_id)
        unsealed = [line.name for line in await list_sealing(connection, last) if line.position < last]
    failed = [row.consumer for rows in parked.values() for row in rows if row.tournament == tournament_id]
    return stopped + failed, unsealed
