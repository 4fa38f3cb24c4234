"""Explanations of why two teams meet in a round, and of the boards of their players. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from faristol.kernel.refusal import N_, Param
from faristol.rules import Ruleset
from faristol.tournament.pairing_explanations import player_pairs as of_players
from faristol.tournament.pairing_explanations.player_pairs import Explanation, not_in_round
from faristol.tournament.state import RoundState, TeamState, TournamentState
from faristol.tournament.teams.sentences import SAID_OF_TEAMS
from faristol.tournament.teams.tournament import between, round_between, rules_between, standing_of_teams

AT_BOARD = N_("By the line-ups {one} plays at board {board}, against {other}.")
ALONE = N_("By the line-up {one} is at board {board}, and wins there without a game: {team} has no player left for it.")
RESERVE = N_("{one} is a reserve of {team} in this round: other players come first in the line-up.")
OTHER_BOARDS = N_("By the line-ups {one} plays at board {board}, and {other} at board {its}.")
ONE_TEAM = N_("{one} and {other} are in the same team, {team}.")


def explain(
    before: TournamentState, ruleset: Ruleset, paired: RoundState, player_id: str, other: str
) -> tuple[Explanation, ...]:
    """Explain, as ``of_players.explain`` does, the match of two players' teams, and then their boards.

    Raises ``Refusal`` if a player is in no team of the round.
    """
    mine = _team_of(before, paired, player_id)
    theirs = _team_of(before, paired, other) if other else None
    if theirs is mine:
        return (Explanation("one-team", "", ONE_TEAM, {"one": player_id, "other": other, "team": mine.team_id}),)
    teams = of_players.explain(
        between(before, ruleset),
        rules_between(ruleset),
        round_between(paired, ruleset),
        mine.team_id,
        theirs.team_id if theirs else "",
        partial(standing_of_teams, before, ruleset),
    )
    teams = replace(teams, message=SAID_OF_TEAMS.get(teams.message, teams.message))
    match = next((match for match in paired.matches if mine.team_id in match.team_ids), None)
    if match is None or (theirs and theirs.team_id not in match.team_ids):
        return (teams,)
    (opponents,) = (team for team in match.team_ids if team != mine.team_id)
    return (teams, _board(ruleset, paired, player_id, mine.team_id, opponents, other))


def _board(ruleset: Ruleset, paired: RoundState, player: str, team: str, opponents: str, other: str) -> Explanation:
    """Explain the board of ``player`` of ``team``, and that of ``other`` of ``opponents`` unless it is empty."""
    article = ruleset.article("championship.team_boards")
    for player_id, of in ((player, team), (other, opponents)):
        if player_id and player_id not in paired.player_ids:
            return Explanation("reserve", article, RESERVE, {"one": player_id, "team": of})
    place: dict[str, Param] = {"one": player, "board": _board_of(paired, player)}
    if other and _board_of(paired, player) != _board_of(paired, other):
        return Explanation("board", article, OTHER_BOARDS, {**place, "other": other, "its": _board_of(paired, other)})
    if player in paired.board_byes:
        return Explanation("board", article, ALONE, {**place, "team": opponents})
    table = next(table for table in paired.pairings if player in table.player_ids)
    (met,) = (opponent for opponent in table.pair if opponent != player)
    return Explanation("board", article, AT_BOARD, {**place, "other": met})


def _board_of(paired: RoundState, player_id: str) -> int:
    """Return the board of a player of the round."""
    if player_id in paired.board_byes:
        return paired.board_byes[player_id].board
    return next(pairing.board for pairing in paired.pairings if player_id in pairing.player_ids)


def _team_of(before: TournamentState, paired: RoundState, player_id: str) -> TeamState:
    team, player = before.team_of(player_id), before.player(player_id)
    if team is None or player is None or not player.takes_part(paired.number):
        raise not_in_round(player_id, paired.number)
    return team
