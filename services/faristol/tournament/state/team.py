"""A team, and a match between two teams (FISE 4.4). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.state.player import PlayerState


@dataclass(frozen=True, slots=True)
class TeamState:
    """A registered team."""

    entry: PlayerState
    """The rounds and byes of the team, as those of a player with its id and without a rating."""
    name: str
    line_up: tuple[str, ...]
    """Player ids in the order of the boards, then reserves, from the next pairing on."""
    seeding: tuple[str, ...] = ()
    """The line-up at its first pairing, without players who were never present. The rating of the team follows from it.
    """
    first_round: int | None = None
    """The first round in which the team was paired or had a bye; None before it is paired."""

    @property
    def team_id(self) -> str:
        """Id of the team, unique in the tournament."""
        return self.entry.player_id


@dataclass(frozen=True, slots=True)
class BoardBye:
    """The board of a team's player without an opponent in a round."""

    team_id: str = ""
    match: int = 0
    """Number in the round of the match in which this board is won; 0 if the team is not paired."""
    board: int = 0
    """Number of the board, from 1; 0 without teams."""

    def to_requested_bye(self, player_id: str, kind: events.ByeKind.ValueType) -> events.RequestedBye:
        """Convert the bye of a player to a message."""
        return events.RequestedBye(
            player_id=player_id, kind=kind, match=self.match, board=self.board, team_id=self.team_id
        )


@dataclass(frozen=True, slots=True)
class TeamMatch:
    """A match between two teams in a round."""

    number: int
    """Number in the round, from 1, in the order of the tables."""
    team_ids: tuple[str, str]
    """The higher-ranked team first, or the starting team if the pairing decides that."""

    @classmethod
    def of(cls, match: events.TeamMatch) -> TeamMatch:
        """Parse the match of an event."""
        return cls(match.match, (match.first_team_id, match.second_team_id))

    def message(self) -> events.TeamMatch:
        """Convert the match to a message."""
        first, second = self.team_ids
        return events.TeamMatch(match=self.number, first_team_id=first, second_team_id=second)
