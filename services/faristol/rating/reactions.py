"""What happens by itself: a rating list after the last round."""

from __future__ import annotations

from faristol.bus import Reaction
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rating import decide
from faristol.rating.earlier import with_earlier
from faristol.rating.model import RatingList, TournamentView, evolve, stream, tournament_stream, view
from faristol.record import Decision, Guard, Record, Recorded, Write, load


def lists(record: Record) -> Reaction:
    """The reaction that publishes the list of a tournament when its last round is closed, or is made the last."""

    async def publish(event: Recorded) -> Decision | None:
        ending = event.message
        assert isinstance(ending, pairing_events.RoundClosed | pairing_events.RoundsChanged)
        tournament = await load(record, tournament_stream(event.tournament), TournamentView(), view)
        last = ending.round if isinstance(ending, pairing_events.RoundClosed) else ending.rounds
        if last < tournament.state.rounds:
            # A late consumer may find the last round closed already: the list still follows its closing, not this one.
            return None
        published = await load(record, stream(event.tournament), RatingList(), evolve)
        facts = decide.publish(
            published.state,
            await with_earlier(record, event.tournament, tournament.state, event.position),
            tournament_id=event.tournament,
            occurred_at=ending.occurred_at,
        )
        if not facts:
            return None
        return Decision(
            writes=[Write(stream(event.tournament), published.version, facts, event.tournament)],
            guards=[Guard(tournament_stream(event.tournament), tournament.version)],
        )

    types = {kind.DESCRIPTOR.full_name for kind in (pairing_events.RoundClosed, pairing_events.RoundsChanged)}
    return Reaction("rating.lists", frozenset(types), publish)
