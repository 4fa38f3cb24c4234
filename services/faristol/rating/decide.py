"""Which list follows from a tournament. Pure."""

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
"""Points of a rating."""
HIGHEST_DEVIATION = HIGHEST * 100
"""In hundredths of a point: the whole range of ratings."""
HIGHEST_VOLATILITY = 57_559_000
"""In millionths of 173.7178 points: what moves a rating by the whole range in one period."""


def choose(state: RatingList, *, tournament_id: str, system: str, occurred_at: Timestamp) -> list[Message]:
    """The system that a tournament is rated by from now on.

    Raises ``Invalid`` for a system that there is not, ``Refusal`` once the list is published and for the system that
    was chosen already.
    """
    wanted = system_named(system).name
    if state.tournament_id:
        raise Refusal(
            "LIST_PUBLISHED",
            "",
            N_("The rating list of {tournament} is published, by {system}: it can be rated by no other system."),
            {"tournament": tournament_id, "system": state.system},
        )
    if wanted == state.system:
        raise Refusal(
            "SAME_SYSTEM",
            "",
            N_("{tournament} is rated by {system} already."),
            {"tournament": tournament_id, "system": wanted},
        )
    return [events.RatingSystemChosen(tournament_id=tournament_id, system=wanted, occurred_at=occurred_at)]


def changes(state: RatingList, tournament: TournamentView) -> list[Change]:
    """The list as the results so far make it: everybody who came, highest first, among equals in the order of ids.

    A rating ends within the bounds in which a player can be registered, and its deviation and volatility within that
    range, whatever the system makes of odd results.
    """
    rated = system_named(state.system).rate(tournament.rated, tournament.games)
    bounded = [
        replace(
            change,
            after=min(max(LOWEST, change.after), HIGHEST),
            deviation=min(change.deviation, HIGHEST_DEVIATION),
            volatility=min(change.volatility, HIGHEST_VOLATILITY),
        )
        for change in rated
    ]
    return sorted(bounded, key=lambda change: (-change.after, change.player_id))


def publish(
    state: RatingList, tournament: TournamentView, *, tournament_id: str, occurred_at: Timestamp
) -> list[Message]:
    """The list after the last round, with a line for everybody who came.

    Nothing while a round is left, and nothing when the list is published already. Byes are not rated.
    """
    if state.tournament_id or tournament.closed < tournament.rounds:
        return []
    system = system_named(state.system)
    return [
        events.RatingListPublished(tournament_id=tournament_id, system=system.name, occurred_at=occurred_at),
        *map(line, changes(state, tournament)),
    ]


def revise(state: RatingList, tournament: TournamentView, *, occurred_at: Timestamp) -> list[Message]:
    """The list anew, by the system that it was made by, when the results come to other numbers than it has.

    Nothing before the list is published, while a round is left that was added afterwards, and when every number stays.
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
    """A line of a list."""
    return events.RatingUpdated(**asdict(change))
