"""Which list follows from a tournament. Pure."""

from __future__ import annotations

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.elo import ELO_1, Elo, rate
from faristol.rating.model import RatingList, TournamentView


def publish(
    state: RatingList,
    tournament: TournamentView,
    *,
    tournament_id: str,
    occurred_at: Timestamp,
    system: Elo = ELO_1,
) -> list[Message]:
    """The list after the last round, with a line for everybody registered.

    The highest rating comes first, among equals in the order of ids. Nothing while a round is left, and nothing
    when the list is published already. Byes are not rated.
    """
    if state.tournament_id or tournament.closed < tournament.rounds:
        return []
    changes = sorted(
        rate(system, tournament.players, tournament.games), key=lambda change: (-change.after, change.player_id)
    )
    return [
        events.RatingListPublished(tournament_id=tournament_id, system=system.name, occurred_at=occurred_at),
        *(
            events.RatingUpdated(
                player_id=change.player_id,
                before=change.before,
                after=change.after,
                games=change.games,
                half_points=change.half_points,
                expected_milli=change.expected_milli,
            )
            for change in changes
        ),
    ]
