"""A tournament with those of its rows that are in memory, and an event that cannot follow. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from google.protobuf.message import Message

from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage.rows import Player, Round, Standing, Team, TeamStanding, Tournament


@dataclass(slots=True)
class Championship:
    """The rows of a tournament: all of them, or those that an event touches."""

    tournament: Tournament
    players: dict[str, Player] = field(default_factory=dict)
    """By id, unordered."""
    teams: dict[str, Team] = field(default_factory=dict)
    """By id, unordered."""
    rounds: dict[int, Round] = field(default_factory=dict)
    """By number, without unpaired rounds."""
    standings: list[Standing] = field(default_factory=list)
    """After one round, in rank order; empty if they were not computed."""
    team_standings: list[TeamStanding] = field(default_factory=list)
    """The same for teams."""

    @property
    def id(self) -> str:
        """The id of the tournament."""
        return self.tournament.tournament_id

    @property
    def is_over(self) -> bool:
        """Whether its standings are published or its last round is closed."""
        closed = [round_.phase == results.ROUND_PHASE_CLOSED for round_ in self.rounds.values()]
        return self.tournament.over or (len(closed) >= self.tournament.rounds > 0 and all(closed))

    def teams_in_order(self) -> list[Team]:
        """Return the teams in the order of registration."""
        return sorted(self.teams.values(), key=lambda team: team.number)


class Broken(Exception):
    """An event that cannot follow those before it, or that is unknown.

    Its tournament is parked and the status reports it: skipping the event would make results wrong.
    """


class Unknown(Broken):
    """An event that the contract says changes read models, and for which the fold has no function."""

    def __init__(self, fold: str, event: Message) -> None:
        super().__init__(f"{fold} does not know the event {event.DESCRIPTOR.full_name}")
