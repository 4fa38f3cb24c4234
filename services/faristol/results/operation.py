"""What who operates a cell wants to know, in the words of the contract."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from faristol.bus import Parked, Stopped
from faristol.bus.status import Kind, State, Status
from faristol.kernel.times import to_timestamp
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record.record import Trouble
from faristol.results.likeness import like
from faristol.results.webhooks.registry import Numbers

KINDS: Mapping[Kind, results.ConsumerKind.ValueType] = {
    Kind.RELAY: results.CONSUMER_KIND_RELAY,
    Kind.REACTION: results.CONSUMER_KIND_REACTION,
    Kind.PROJECTION: results.CONSUMER_KIND_PROJECTION,
    Kind.SEALER: results.CONSUMER_KIND_SEALER,
    Kind.WITNESS: results.CONSUMER_KIND_WITNESS,
}
STATES: Mapping[State, results.ConsumerState.ValueType] = {
    State.LIVE: results.CONSUMER_STATE_LIVE,
    State.WAITING: results.CONSUMER_STATE_WAITING,
    State.STOPPED: results.CONSUMER_STATE_STOPPED,
    State.OLDER: results.CONSUMER_STATE_OLDER,
    State.BUILDING: results.CONSUMER_STATE_BUILDING,
    State.LEFT_OVER: results.CONSUMER_STATE_LEFT_OVER,
}

RECORDS: Mapping[Trouble | None, results.RecordState.ValueType] = {
    None: results.RECORD_STATE_TAKES,
    Trouble.FULL: results.RECORD_STATE_FULL,
    Trouble.REFUSED: results.RECORD_STATE_REFUSES,
}

SHOWN = 100
"""Parked keys of a consumer in an answer."""


def answer(found: Iterable[Status], last: int, trouble: Trouble | None, webhooks: Numbers) -> results.GetStatusResponse:
    """The answer; ``last`` is the record's last position, ``trouble`` why it takes nothing."""
    return results.GetStatusResponse(
        consumers=map(_consumer, found),
        position=last,
        record=RECORDS[trouble],
        webhooks=results.WebhookNumbers(
            webhooks=webhooks.all,
            failing=webhooks.failing,
            stopped=webhooks.stopped,
            dead_letters=webhooks.dead_letters,
        ),
    )


def _consumer(found: Status) -> results.Consumer:
    return results.Consumer(
        name=found.name,
        kind=KINDS[found.kind],
        state=STATES[found.state],
        position=found.position,
        lag=found.lag,
        generation=found.generation,
        stopped=_stopped(found.stopped) if found.stopped else None,
        parked=map(_parked, found.parked[:SHOWN]),
        parked_count=len(found.parked),
    )


def _parked(row: Parked) -> results.ParkedKey:
    return like(results.ParkedKey, row, tournament_id=row.tournament, since=to_timestamp(row.since))


def _stopped(at: Stopped) -> results.StoppedConsumer:
    return like(results.StoppedConsumer, at, since=to_timestamp(at.since))
