"""The teams of a list of players: those to be made, and those that get players."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.names import same_name
from faristol.kernel.refusal import N_, Refusal
from faristol.office.lists import LineError
from faristol.office.names import never_came
from faristol.office.player_list import Listed
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.text import say

Tournaments = Mapping[str, pairing.GetTournamentResponse]
"""The tournaments that players of a list enter, by their ids."""


@dataclass(slots=True)
class ListedTeam:
    """A team of a list."""

    line: int
    """Where it comes first, from 1."""
    tournament_id: str
    name: str
    team_id: str
    """Its id where it is registered already, else empty."""
    line_up: list[str]
    """The players that it has already, by their ids, in the order of the boards."""
    coming: list[str] = field(default_factory=list)
    """The players of the list who are not in its line-up yet, in the order of the lines."""
    refused: list[int] = field(default_factory=list)
    """The lines of its players who could not be registered."""

    def request(self) -> pairing.RegisterTeamRequest | pairing.SetLineUpRequest:
        """The command that makes it, or that puts those who come behind the others where it is there already."""
        line_up = [*self.line_up, *self.coming]
        command_id = str(uuid.uuid4())
        if self.team_id:
            return pairing.SetLineUpRequest(
                command_id=command_id, tournament_id=self.tournament_id, team_id=self.team_id, player_ids=line_up
            )
        return pairing.RegisterTeamRequest(
            command_id=command_id, tournament_id=self.tournament_id, name=self.name, player_ids=line_up
        )


def without_teams(rows: Sequence[Listed], tournaments: Tournaments, language: str) -> Iterator[LineError]:
    """The first line with a team for each tournament in which players play each for themselves.

    Of a tournament under rules whose content is not here nothing is said: its service says it.
    """
    first: dict[str, Listed] = {}
    for row in rows:
        if row.team:
            first.setdefault(row.request.tournament_id, row)
    for tournament_id, row in first.items():
        try:
            ruleset = ruleset_of(tournaments[tournament_id].ruleset)
        except Refusal:
            continue
        if ruleset.championship.team_boards is None:
            text = N_("the team is {given}; expected nothing: in {tournament} players play each for themselves")
            yield LineError(row.line, say(text, {"given": repr(row.team), "tournament": tournament_id}, language))


def teams_of(rows: Sequence[Listed], ids: Mapping[int, str], tournaments: Tournaments) -> list[ListedTeam]:
    """The teams of a list, in the order in which they come.

    ``ids`` are those of the players who are registered, by the lines that they stand in; of other lines, nobody is.
    """
    found: list[ListedTeam] = []
    for row in rows:
        if not row.team:
            continue
        of = row.request.tournament_id
        team = next((known for known in found if known.tournament_id == of and same_name(known.name, row.team)), None)
        if team is None:
            there = _there(tournaments[of].teams, row.team) or pairing.Team()
            team = ListedTeam(row.line, of, there.name or row.team, there.team_id, list(there.player_ids))
            found.append(team)
        player_id = ids.get(row.line)
        if player_id is None:
            team.refused.append(row.line)
        elif player_id not in team.line_up:
            team.coming.append(player_id)
    return found


def _there(teams: Iterable[pairing.Team], name: str) -> pairing.Team | None:
    """The team that has a name; one that left before any round gave it free, and a new team may have it."""
    return next((team for team in teams if same_name(team.name, name) and not never_came(team)), None)
