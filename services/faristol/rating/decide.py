"""Decisions about rating lists. Pure."""

from __future__ import annotations

from dataclasses import asdict, replace

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.games import Change
from faristol.rating.model import RatingList, TournamentView
from faristol.rating.systems import system_named

LOWEST, HIGHEST = 0, 9_999
"""Bounds of a rating, in points."""
MAX_DEVIATION = HIGHEST * 100
"""In hundredths of a point: the whole range of ratings."""
MAX_VOLATILITY = 57_559_000
"""In millionths of 173.7178 points: a volatility that moves a rating by the whole range in one period."""


def choose(state: RatingList, *, tournament_id: str, system: str, occurred_at: Timestamp) -> list[Message]:
    """Choose the system by which a tournament is rated.

    Raises ``Invalid`` if the system is unknown. Raises ``Refusal`` if the list is published or the system is already
    chosen.
    """
    wanted = system_named(system).name
    if state.tournament_id:
        raise Refusal(
            "LIST_PUBLISHED",
            N_("The rating list of {tournament} is published with {system}: the rating system cannot change."),
            {"tournament": tournament_id, "system": state.system},
        )
    if wanted == state.system:
        raise Refusal(
            "SAME_SYSTEM",
            N_("{tournament} is already rated by {system}."),
            {"tournament": tournament_id, "system": wanted},
        )
    return [events.RatingSystemChosen(tournament_id=tournament_id, system=wanted, occurred_at=occurred_at)]


def changes(state: RatingList, tournament: TournamentView) -> list[Change]:
    """Return the changes of ratings by the results so far, highest new rating first, then by player id.

    Players who were never present are left out. Ratings, deviations and volatilities are clamped to the bounds of
    registration.
    """
    rated = system_named(state.system).rate(tournament.rated, tournament.games)
    bounded = [
        replace(
            change,
            after=min(max(LOWEST, change.after), HIGHEST),
            deviation=min(change.deviation, MAX_DEVIATION),
            volatility=min(change.volatility, MAX_VOLATILITY),
        )
        for change in rated
    ]
    return sorted(bounded, key=lambda change: (-change.after, change.player_id))


def publish(
    state: RatingList, tournament: TournamentView, *, tournament_id: str, occurred_at: Timestamp
) -> list[Message]:
    """Return the events of the list after the last round, with a line for each player who was present.

    Returns an empty list if a round is not closed or the list is already published. Byes are not rated.
    """
    if state.tournament_id or tournament.closed < tournament.rounds:
        return []
    system = system_named(state.system)
    return [
        events.RatingListPublished(tournament_id=tournament_id, system=system.name, occurred_at=occurred_at),
        *map(line, changes(state, tournament)),
    ]


def revise(state: RatingList, tournament: TournamentView, *, occurred_at: Timestamp) -> list[Message]:
    """Return the events of a revised list, by the system of the published one.

    Returns an empty list if no list is published, if a round is not closed, or if no number changes.
    """
    if not state.tournament_id or tournament.closed < tournament.rounds:
        return []
    revised = tuple(map(line, changes(state, tournament)))
    if revised == state.lines:
        return []
    return [
        events.RatingListPublished(
            tournament_id=state.tournament_id,
            system=state.system,
            occurred_at=occurred_at,
            revision=state.revision + 1,
        ),
        *revised,
    ]


def line(change: Change) -> events.RatingUpdated:
    """Convert a change to the event of a line."""
    return events.RatingUpdated(**asdict(change))
