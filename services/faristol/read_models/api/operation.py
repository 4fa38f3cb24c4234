"""The status of a cell for its operator, in messages of the contract."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from faristol.consumers import Parked
from faristol.consumers.status import Status
from faristol.event_store.record import WriteProblem
from faristol.kernel.likeness import like
from faristol.pb.results.v1 import results_pb2 as results
from faristol.webhooks.registry import Numbers

RECORDS: Mapping[WriteProblem | None, results.RecordState.ValueType] = {
    None: results.RECORD_STATE_TAKES,
    WriteProblem.FULL: results.RECORD_STATE_FULL,
    WriteProblem.REFUSED: results.RECORD_STATE_REFUSES,
}

MAX_SHOWN_KEYS = 100
"""Parked keys of a consumer in an answer."""


def answer(
    found: Iterable[Status], last: int, trouble: WriteProblem | None, webhooks: Numbers
) -> results.GetStatusResponse:
    """Return the status; ``last`` is the record's last position, ``trouble`` the reason that it accepts no events."""
    return results.GetStatusResponse(
        consumers=map(_consumer, found),
        position=last,
        record=RECORDS[trouble],
        webhooks=like(results.WebhookNumbers, webhooks, webhooks=webhooks.all),
    )


def _consumer(found: Status) -> results.Consumer:
    return like(
        results.Consumer,
        found,
        kind=results.ConsumerKind.Value(f"CONSUMER_KIND_{found.kind.name}"),
        state=results.ConsumerState.Value(f"CONSUMER_STATE_{found.state.name}"),
        stopped=like(results.StoppedConsumer, found.stopped) if found.stopped else None,
        parked=map(_to_parked_key, found.parked[:MAX_SHOWN_KEYS]),
        parked_count=len(found.parked),
    )


def _to_parked_key(row: Parked) -> results.ParkedKey:
    return like(results.ParkedKey, row, tournament_id=row.tournament)
