"""A team, and a match between two of them (FISE 4.4). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.pairing.model.player import Player
from faristol.pb.pairing.v1 import events_pb2 as events


@dataclass(frozen=True, slots=True)
class Team:
    """A team that is registered."""

    entry: Player
    """The rounds that it takes part in and those that it sits out, as those of a player of its id; without a rating."""
    name: str
    line_up: tuple[str, ...]
    """Its players in the order of the boards, reserves after them, from the next pairing on."""
    seeding: tuple[str, ...] = ()
    """The line-up, without who never came, when its first round was paired; it has its rating of those."""
    first_round: int | None = None
    """The first round that it was paired in or sat out; None before that is paired."""

    @property
    def team_id(self) -> str:
        """Its id, unique in the tournament."""
        return self.entry.player_id


@dataclass(frozen=True, slots=True)
class BoardBye:
    """Where somebody of a team would sit who has no opponent in a round."""

    team_id: str = ""
    match: int = 0
    """The match that is won at this board, by its number in the round; 0 where the team is not paired."""
    board: int = 0
    """From 1; 0 where there are no teams."""

    def requested(self, player_id: str, kind: events.ByeKind.ValueType) -> events.RequestedBye:
        """The bye of a player, as the contract has it."""
        return events.RequestedBye(
            player_id=player_id, kind=kind, match=self.match, board=self.board, team_id=self.team_id
        )


@dataclass(frozen=True, slots=True)
class TeamMatch:
    """Two teams who meet in a round."""

    number: int
    """In the round, from 1, in the order of the tables."""
    team_ids: tuple[str, str]
    """The higher-ranked team first, or the one that begins where that is paired."""

    @classmethod
    def of(cls, match: events.TeamMatch) -> TeamMatch:
        """The match that a fact holds."""
        return cls(match.match, (match.first_team_id, match.second_team_id))

    def message(self) -> events.TeamMatch:
        """As the contract has it."""
        first, second = self.team_ids
        return events.TeamMatch(match=self.number, first_team_id=first, second_team_id=second)
