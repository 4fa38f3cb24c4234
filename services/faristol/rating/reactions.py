"""What happens by itself: a rating list after the last round."""

from __future__ import annotations

from faristol.bus import Reaction
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rating import decide
from faristol.rating.model import RatingList, TournamentView, evolve, stream, tournament_stream, view
from faristol.record import Decision, Guard, Record, Recorded, Write, load


def lists(record: Record) -> Reaction:
    """The reaction that publishes the list of a tournament when its last round is closed."""

    async def publish(event: Recorded) -> Decision | None:
        closed = event.message
        assert isinstance(closed, pairing_events.RoundClosed)
        tournament = await load(record, tournament_stream(event.tournament), TournamentView(), view)
        if closed.round < tournament.state.rounds:
            # A late consumer may find the last round closed already: the list still follows its closing, not this one.
            return None
        published = await load(record, stream(event.tournament), RatingList(), evolve)
        facts = decide.publish(
            published.state,
            tournament.state,
            tournament_id=event.tournament,
            occurred_at=closed.occurred_at,
        )
        if not facts:
            return None
        return Decision(
            writes=[Write(stream(event.tournament), published.version, facts, event.tournament)],
            guards=[Guard(tournament_stream(event.tournament), tournament.version)],
        )

    return Reaction("rating.lists", frozenset({pairing_events.RoundClosed.DESCRIPTOR.full_name}), publish)
