"""The tournament between teams (FISE 4.4): its players are the teams, and its games the matches. Pure.

The pairing of players pairs teams through it: points, opponents, byes, forbidden pairs and pairs made by hand. The team
with more points at its boards wins a match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from faristol.kernel.refusal import Refusal
from faristol.rules import Bye, Ruleset
from faristol.rules.standings import Match, SpreadAdjustment, TeamBoard, TeamBye, team_standings
from faristol.tournament.rounds.past import result_of
from faristol.tournament.rounds.ranking import initial_ranking
from faristol.tournament.state import (
    GameDecision,
    Pairing,
    Phase,
    PlayerState,
    RoundState,
    TeamMatch,
    TeamState,
    TournamentState,
)
from faristol.tournament.teams.sentences import SAID_OF_TEAMS


def between(state: TournamentState, ruleset: Ruleset) -> TournamentState:
    """Return the tournament between the teams of ``state``. It has no halls: boards sit at tables, teams do not."""
    known = {player.player_id: player for player in state.players}
    return replace(
        state,
        players=tuple(_as_player(team, known, ruleset) for team in state.teams),
        teams=(),
        played=tuple(round_between(played, ruleset) for played in state.played),
        halls=(),
        top_tables=0,
    )


def rules_between(ruleset: Ruleset) -> Ruleset:
    """Return the rules of that tournament. If teams are ranked by board points, a match is worth all its boards."""
    law = ruleset.championship
    if law.team_boards is None or law.team_score == "match-points":
        return ruleset
    boards = law.team_boards
    law = replace(law, win=boards * law.win, draw=boards * law.draw, loss=boards * law.loss, bye=boards * law.bye)
    return replace(ruleset, championship=law, kept=b"")


def of_teams(refusal: Refusal) -> Refusal:
    """Return a refusal about players as one about teams."""
    return refusal.replace(message=SAID_OF_TEAMS.get(refusal.message, refusal.message))


@dataclass(frozen=True, slots=True)
class TeamSeat:
    """A board of a team that a player had in a round, with or without an opponent."""

    round: int
    team_id: str
    player_id: str


def seats_of_teams(state: TournamentState) -> Iterator[TeamSeat]:
    """Yield the players' boards in the rounds that were started."""
    for played in state.played:
        if played.phase is Phase.PAIRED:
            continue
        for pairing in played.pairings if played.matches else ():
            for team_id, player_id in zip(played.matches[pairing.match - 1].team_ids, pairing.player_ids, strict=True):
                yield TeamSeat(played.number, team_id, player_id)
        for player_id, bye in played.board_byes.items():
            yield TeamSeat(played.number, bye.team_id, player_id)


def match_of(played: RoundState, match: TeamMatch) -> Match | None:
    """Return a match with its boards, for the standings, or None if a result is missing."""
    boards = []
    for pairing in played.pairings:
        if pairing.match == match.number:
            result = result_of(played, pairing)
            if result is None:
                return None
            boards.append(TeamBoard.of(result))
    alone = (bye for bye in played.board_byes.values() if bye.match == match.number)
    boards += [TeamBoard.without_opponent(first=bye.team_id == match.team_ids[0]) for bye in alone]
    return Match(played.number, *match.team_ids, tuple(boards))


def byes_of(played: RoundState, ruleset: Ruleset) -> tuple[TeamBye, ...]:
    """Return the byes of teams in a round. A bye counts for all boards of a match."""
    kinds = {**played.team_byes, **({played.team_bye: Bye.ALLOCATED} if played.team_bye else {})}
    boards = ruleset.championship.team_boards or 0
    return tuple(TeamBye(played.number, team_id, boards, kind) for team_id, kind in kinds.items())


def standing_of_teams(state: TournamentState, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the teams by their standings and the tie-breaks of the rules; equal teams by initial ranking.

    All paired rounds are closed, and the rules have a number of boards per match.
    """
    law = ruleset.championship
    assert law.team_boards is not None, "teams are ranked where there are teams"
    held: list[Match | TeamBye] = []
    for played in state.played:
        held += filter(None, (match_of(played, match) for match in played.matches))
        held += byes_of(played, ruleset)
    rows = team_standings(
        held,
        initial_ranking(between(state, ruleset)),
        ruleset,
        state.rounds,
        law.team_score,
        law.team_boards,
        adjustments=[_of_team(played, each) for played in state.played for each in played.adjustments],
    )
    return tuple(row.team for row in rows)


def round_between(played: RoundState, ruleset: Ruleset) -> RoundState:
    """Return a round of matches as a round of games. The scores are the half points of the boards."""
    found = [match_of(played, match) for match in played.matches]
    known = {str(number): match for number, match in enumerate(found, 1) if match is not None}
    scores = {number: _half_points(*match.board_points(ruleset)) for number, match in known.items()}
    of_boards: dict[str, int] = {}
    if ruleset.championship.team_score == "board-points":
        for number, match in known.items():
            of_boards.update(zip((match.first, match.second), scores[number], strict=True))
        of_boards.update({bye.team: round(2 * bye.board_points(ruleset)) for bye in byes_of(played, ruleset)})
    return RoundState(
        played.number,
        played.phase,
        tuple(Pairing(match.number, str(match.number), match.team_ids) for match in played.matches),
        bye=played.team_bye,
        requested=played.team_byes,
        results=MappingProxyType(scores),
        decided=MappingProxyType(
            {
                number: GameDecision(lost_by_all=match.lost_by_all, unplayed=not match.result(ruleset).played)
                for number, match in known.items()
            }
        ),
        half_points=MappingProxyType(of_boards),
        algorithm=played.algorithm,
    )


def _half_points(first: float, second: float) -> tuple[int, int]:
    return round(2 * first), round(2 * second)


def _of_team(played: RoundState, adjustment: SpreadAdjustment) -> SpreadAdjustment:
    """Return the spread adjustment of a player as one of the player's team."""
    pairing = next(pairing for pairing in played.pairings if adjustment.player in pairing.player_ids)
    match = played.matches[pairing.match - 1]
    return replace(adjustment, player=match.team_ids[pairing.player_ids.index(adjustment.player)])


def _as_player(team: TeamState, players: Mapping[str, PlayerState], ruleset: Ruleset) -> PlayerState:
    """Return a team as a player, rated by the mean of its board players at its first pairing.

    Before that pairing it is the mean of the current first players of the line-up.
    """
    if team.first_round is None:
        seeded = [players[player_id] for player_id in team.line_up if not players[player_id].never_came]
    else:
        seeded = [players[player_id] for player_id in team.seeding]
    boards = seeded[: ruleset.championship.team_boards]
    return replace(
        team.entry, rating=_mean([player.rating for player in boards]), unrated=all(player.unrated for player in boards)
    )


def _mean(ratings: Sequence[int]) -> int:
    """Return the mean, a half rounded up; 0 of an empty list."""
    return (2 * sum(ratings) + len(ratings)) // (2 * len(ratings)) if ratings else 0
