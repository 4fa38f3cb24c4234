"""A round between teams: its matches and boards (FISE 4.4). Pure.

The k-th available player of a line-up plays at board k. A team without a player for a board loses it without a game. If
neither team has a player for it, the board is not played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Bye, Ruleset
from faristol.rules.standings import is_rest
from faristol.tournament.conditions import build_player_refusal
from faristol.tournament.rounds import systems
from faristol.tournament.rounds.ranking import initial_ranking
from faristol.tournament.rounds.systems import Proposal
from faristol.tournament.state import BoardBye, TeamMatch, TournamentState
from faristol.tournament.teams.tournament import between, of_teams, rules_between, standing_of_teams


@dataclass(frozen=True, slots=True)
class MatchBoard:
    """A board of a match with a game."""

    match: int
    """Number of the match in the round, from 1; 0 without teams."""
    board: int
    """Number of the board, from 1; 0 without teams."""
    players: tuple[str, ...]
    """The player of the first team first."""


@dataclass(frozen=True, slots=True)
class TeamRound:
    """The matches and boards of a round between teams."""

    matches: tuple[TeamMatch, ...]
    boards: tuple[tuple[MatchBoard, ...], ...]
    """The boards with a game, match by match."""
    byes: tuple[tuple[str, Bye, BoardBye], ...]
    """The players without an opponent at a board, and the kinds of their byes."""


def propose(state: TournamentState, ruleset: Ruleset, number: int, seed: bytes, of_round: str = "") -> Proposal:
    """Pair the teams for round ``number``, as ``systems.propose`` does players."""
    try:
        return systems.propose(
            between(state, ruleset),
            rules_between(ruleset),
            number,
            seed,
            of_round,
            standing=partial(standing_of_teams, state, ruleset),
        )
    except Refusal as refusal:
        raise of_teams(refusal) from None


def lay_out(state: TournamentState, ruleset: Ruleset, paired: Proposal, number: int) -> TeamRound:
    """Lay out the boards of the matches in ``paired`` for round ``number``, and the byes of teams."""
    most = ruleset.championship.team_boards
    matches, boards = [], []
    byes: list[tuple[str, Bye, BoardBye]] = []
    for place, (first, second) in enumerate(paired.tables, 1):
        matches.append(TeamMatch(place, (first, second)))
        games = []
        line_ups = there(state, first, number)[:most], there(state, second, number)[:most]
        for board, (own, other) in enumerate(zip_longest(*line_ups), 1):
            if own and other:
                games.append(MatchBoard(place, board, (own, other)))
            else:
                byes.append((own or other, Bye.FULL_POINT, BoardBye(first if own else second, place, board)))
        boards.append(tuple(games))
    rest = (
        Bye.ZERO_POINT
        if is_rest(Bye.ALLOCATED, ruleset, len(initial_ranking(between(state, ruleset))))
        else Bye.FULL_POINT
    )
    resting = [*paired.requested, *([(paired.bye, rest)] if paired.bye else [])]
    for team_id, kind in resting:
        players = there(state, team_id, number)[:most]
        byes += [(player, kind, BoardBye(team_id, 0, board)) for board, player in enumerate(players, 1)]
    return TeamRound(tuple(matches), tuple(boards), tuple(byes))


def there(state: TournamentState, team_id: str, number: int) -> tuple[str, ...]:
    """Return the available players of a team's line-up in a round, in its order."""
    team = state.team(team_id)
    playing = {player.player_id for player in state.to_pair(number)}
    return tuple(player for player in team.line_up if player in playing) if team else ()


def left_with_team(state: TournamentState, number: int) -> frozenset[str]:
    """Return the players whose team takes no part in a round, unless another team has them."""
    players: dict[bool, set[str]] = {True: set(), False: set()}
    for team in state.teams:
        players[team.entry.takes_part(number)].update(team.line_up)
    return frozenset(players[False] - players[True])


def against_line_ups(state: TournamentState, ruleset: Ruleset, number: int) -> Iterator[Refusal]:
    """Yield a refusal for each player without a team, and for each team without an available player."""
    article = ruleset.article("championship.team_boards")
    in_teams = {player for team in state.teams for player in team.line_up}
    for player in state.to_pair(number):
        if player.player_id not in in_teams:
            yield build_player_refusal(
                "NOT_IN_TEAM",
                article,
                N_("{player} is not in the line-up of any team: set a line-up that includes them, or withdraw them."),
                player.player_id,
            )
    for team in state.teams:
        if team.entry.takes_part(number) and not there(state, team.team_id, number):
            yield Refusal(
                "NOBODY_LEFT",
                N_("{team} has no player who can play in round {round}: set another line-up, or withdraw the team."),
                {"team": team.team_id, "round": number},
                article=article,
                subject=f"teams/{team.team_id}",
            )


def list_numbered_boards(
    tables: Sequence[Sequence[int]], boards: Sequence[Sequence[MatchBoard]]
) -> list[tuple[int, MatchBoard]]:
    """Return the tables of all boards, sorted by table."""
    return sorted(
        (table, board) for at, games in zip(tables, boards, strict=True) for table, board in zip(at, games, strict=True)
    )
