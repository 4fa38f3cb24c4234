"""The reaction of the rating service: publish a list after the last round, and revise it after corrections."""

from __future__ import annotations

from faristol.consumers import Reaction
from faristol.event_store import Decision, Guard, Record, Recorded, Write, load, load_at_once
from faristol.kernel import event_types
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rating import decide
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.model import RatingList, TournamentView, evolve, stream, tournament_stream, view
from faristol.rating.rated import mode_of

CLOSES = (pairing_events.RoundClosed, pairing_events.RoundsChanged)
"""Events that may close the last round."""

CORRECTS = (pairing_events.ResultCorrected, pairing_events.ResultRecorded)
"""Events that may change the results of a published list. Games can be reopened (FISE 44)."""


def lists(record: Record, earlier: EarlierDeviations) -> Reaction:
    """Build the reaction that publishes the list of a tournament after its last round.

    It runs when the last round is closed, or when the number of rounds is reduced to the closed ones. It revises a
    published list when results are corrected or an added round is closed.
    """

    async def follow(event: Recorded) -> Decision | None:
        message = event.message
        assert isinstance(message, CLOSES + CORRECTS)
        if isinstance(message, pairing_events.ResultRecorded) and not message.revision:
            return None  # the first result of a game, before its round is closed
        published = await load(record, stream(event.tournament), RatingList(), evolve)
        if isinstance(message, CORRECTS) and not published.state.tournament_id:
            return None
        tournament = await load_at_once(record, tournament_stream(event.tournament), TournamentView(), view)
        if await mode_of(record, event.tournament) == "duplicate":
            return None
        if isinstance(message, CLOSES) and _last(message) < tournament.state.rounds:
            # A late consumer may find the last round closed already. Only the event of that round causes the list.
            return None
        seen = await earlier.before(event.tournament, tournament.state, published.state, event.position)
        if published.state.tournament_id:
            lines = decide.revise(published.state, seen, occurred_at=message.occurred_at)
        else:
            lines = decide.publish(
                published.state, seen, tournament_id=event.tournament, occurred_at=message.occurred_at
            )
        if not lines:
            return None
        return Decision(
            writes=[Write(stream(event.tournament), published.version, lines, event.tournament)],
            guards=[Guard(tournament_stream(event.tournament), tournament.version)],
        )

    return Reaction("rating.lists", event_types.types_of(CLOSES + CORRECTS), follow)


def _last(event: pairing_events.RoundClosed | pairing_events.RoundsChanged) -> int:
    """Return the round that the event closes, or the new number of rounds."""
    return event.round if isinstance(event, pairing_events.RoundClosed) else event.rounds
