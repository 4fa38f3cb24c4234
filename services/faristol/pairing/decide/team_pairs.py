"""Pairs under the director's hand and byes, of players or of teams: with teams it is done as with players. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Protocol

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pairing.decide.teams import check_of_players, check_teams, found_team
from faristol.pairing.model import Tournament
from faristol.pairing.team_tournament import between
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset


class Pair(Protocol):
    """A command or a fact that names two players or two teams."""

    @property
    def player_ids(self) -> Sequence[str]:
        """The players; none for teams."""
        ...

    @property
    def team_ids(self) -> Sequence[str]:
        """The teams; none for players."""
        ...


class Bye(Protocol):
    """A command or a fact that names a player or a team."""

    @property
    def player_id(self) -> str:
        """The player; empty for a team."""
        ...

    @property
    def team_id(self) -> str:
        """The team; empty for a player."""
        ...


def of_pair(state: Tournament, ruleset: Ruleset, pair: Pair, decide: Callable[..., list[Message]]) -> list[Message]:
    """What ``decide``, one of ``pairs``, says of two players, or of two teams in the tournament between them.

    Raises ``Invalid`` for players and teams at once, and for other than two different teams; ``Refusal`` for players
    where teams meet, and for teams where players do.
    """
    if not _for_teams(pair.player_ids, pair.team_ids):
        check_of_players(ruleset)
        return decide(state, player_ids=pair.player_ids)
    check_teams(ruleset)
    teams = pair.team_ids
    if len(teams) != 2 or teams[0] == teams[1]:
        raise Invalid("team_ids", N_("are {teams}; expected two different teams"), {"teams": ", ".join(teams) or "–"})
    for team_id in teams:
        found_team(state, team_id)
    return [_of_team(fact) for fact in decide(between(state, ruleset), player_ids=teams)]


def of_bye(state: Tournament, ruleset: Ruleset, bye: Bye, decide: Callable[..., list[Message]]) -> list[Message]:
    """What ``decide``, one of ``players``, says of a player's bye, or of a team's in the tournament between the teams.

    Raises ``Invalid`` for a player and a team at once, ``Refusal`` for a player where teams meet, and for a team where
    players do.
    """
    if not _for_teams([bye.player_id], [bye.team_id]):
        check_of_players(ruleset)
        return decide(state, player_id=bye.player_id)
    check_teams(ruleset)
    found_team(state, bye.team_id)
    return [_of_team(fact) for fact in decide(between(state, ruleset), player_id=bye.team_id)]


def _for_teams(players: Sequence[str], teams: Sequence[str]) -> bool:
    """Whether a command names teams and no players. Raises ``Invalid`` when it names both."""
    if any(players) and any(teams):
        raise Invalid("team_ids", N_("expected either players or teams"))
    return any(teams)


def _of_team(fact: Message) -> Message:
    """A fact of the tournament between the teams, said of teams."""
    said = deepcopy(fact)
    match said:
        case events.ByeGranted() | events.ByeRevoked():
            said.team_id = said.player_id
            said.ClearField("player_id")
        case events.PairForbidden() | events.PairAllowed() | events.PairKept() | events.PairReleased():
            said.team_ids[:] = said.player_ids
            said.ClearField("player_ids")
        case _:
            raise AssertionError(f"{fact.DESCRIPTOR.name} is said of no team")
    return said
