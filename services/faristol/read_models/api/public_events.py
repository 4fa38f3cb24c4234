"""The events that the public and officials are notified of, and their notifications."""

from __future__ import annotations

from faristol.event_store import Recorded
from faristol.kernel import event_types
from faristol.kernel.times import to_timestamp
from faristol.kernel.topics import place_of, place_of_duplicate
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections.model import game_of

PUBLIC = event_types.PUBLIC_TYPES
"""Events for the public. Draws and events for officials are not among them."""

_OF_THE_CELL = event_types.on_streams("access") | event_types.on_streams("people")

OFFICIAL = event_types.types_of(event_types.types_for_audience(options.AUDIENCE_OFFICIALS) - _OF_THE_CELL)
"""Events for officials, each as far as role and scope allow."""

NAMES_OF_PUBLIC = frozenset(kind.rpartition(".")[2] for kind in PUBLIC)
"""The same without packages: event names are unique."""

_CASE = "case-"


def to_notification(event: Recorded) -> results.FollowResponse:
    """Return the notification of an event. It is shared by all subscribers and must not be changed.

    That of an event that tells a held one is the notification of the held one, at the later position.
    """
    if isinstance(event.message, pairing.HeldEventTold):
        return _to_told_notification(event, event.message)
    game_id = game_of(event) or _duplicate_of(event.stream) or event_types.game_of(event.message)
    _, round_, table = place_of(game_id)
    return results.FollowResponse(
        position=event.position,
        type=event.name,
        tournament_id=event.tournament,
        game_id=game_id,
        round=round_ or event_types.round_of(event.message) or place_of_duplicate(game_id)[1],
        table=table,
        recorded_at=to_timestamp(event.recorded_at),
        fingerprint=event.fingerprint,
        case_id=event.stream.removeprefix(_CASE) if event.stream.startswith(_CASE) else "",
    )


def _to_told_notification(event: Recorded, told: pairing.HeldEventTold) -> results.FollowResponse:
    _, round_, table = place_of(told.of_game)
    return results.FollowResponse(
        position=event.position,
        type=told.type.rpartition(".")[2],
        tournament_id=event.tournament,
        game_id=told.of_game,
        round=round_ or told.of_round,
        table=table,
        recorded_at=to_timestamp(event.recorded_at),
        fingerprint=event.fingerprint,
    )


def _duplicate_of(stream: str) -> str:
    """Return the duplicate game of its stream or of a stream of one of its halls; empty for any other stream."""
    kind, _, of = stream.partition("-")
    if kind == "slips":
        return of.rpartition("-h")[0]
    return of if kind == "duplicate" else ""
