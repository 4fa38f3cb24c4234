"""Teams in a player list: new ones, and existing ones that receive players."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.names import same_name
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.names import withdrew_before_start
from faristol.text import say
from faristol.typed_input.lists import LineError
from faristol.typed_input.player_list import ListedPlayer

Tournaments = Mapping[str, pairing.GetTournamentResponse]
"""Tournaments that the players of a list enter, by id."""


@dataclass(slots=True)
class ListedTeam:
    """Team in a list."""

    line: int
    """First line that names it, from 1."""
    tournament_id: str
    name: str
    team_id: str
    """Id if it is registered, else empty."""
    line_up: list[str]
    """Ids of its present players, in the order of the boards."""
    coming: list[str] = field(default_factory=list)
    """New players of the list, in the order of the lines."""
    refused: list[int] = field(default_factory=list)
    """Lines of its players who could not be registered."""

    def request(self) -> pairing.RegisterTeamRequest | pairing.SetLineUpRequest:
        """Return the command that registers the team, or that appends the new players to its line-up."""
        line_up = [*self.line_up, *self.coming]
        command_id = str(uuid.uuid4())
        if self.team_id:
            return pairing.SetLineUpRequest(
                command_id=command_id, tournament_id=self.tournament_id, team_id=self.team_id, player_ids=line_up
            )
        return pairing.RegisterTeamRequest(
            command_id=command_id, tournament_id=self.tournament_id, name=self.name, player_ids=line_up
        )


def without_teams(rows: Sequence[ListedPlayer], tournaments: Tournaments, language: str) -> Iterator[LineError]:
    """Yield the first line with a team for each tournament in which players compete individually.

    If the rules of a tournament are not available here, no error is reported: the service validates them.
    """
    first: dict[str, ListedPlayer] = {}
    for row in rows:
        if row.team:
            first.setdefault(row.request.tournament_id, row)
    for tournament_id, row in first.items():
        try:
            ruleset = ruleset_of(tournaments[tournament_id].ruleset)
        except Refusal:
            continue
        if ruleset.championship.team_boards is None:
            text = N_("the team is {given}; expected an empty field: players play individually in {tournament}")
            yield LineError(row.line, say(text, {"given": repr(row.team), "tournament": tournament_id}, language))


def teams_of(rows: Sequence[ListedPlayer], ids: Mapping[int, str], tournaments: Tournaments) -> list[ListedTeam]:
    """Return the teams of a list, in the order of their first lines.

    ``ids`` are the ids of registered players by line; other lines were refused.
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
    """Return the team with a name. A team that left before any round releases its name."""
    return next((team for team in teams if same_name(team.name, name) and not withdrew_before_start(team)), None)
