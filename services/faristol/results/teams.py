"""Matches between teams, and the standings of teams, out of the rounds (FISE 4.4). Pure.

A match counts once all its boards have their results. A board for which the other team has nobody is won without a
game, and counts with the match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.arithmetic import shown, tie_break
from faristol.results.players import never_came
from faristol.results.standings import BYES, complete, result_of, rules_of
from faristol.rules import Ruleset
from faristol.rules.standings import Board, Bye, Match, SpreadAdjustment, TeamBye, TeamRow, team_standings

Rounds = Sequence[results.GetPairingsResponse]
Ranks = Mapping[str, int]
Sides = Mapping[tuple[int, str], tuple[results.Match, results.TeamSide, results.TeamSide]]
"""The match of a team, its own side and the other, by round and team."""


def show_matches(round_: results.GetPairingsResponse, ruleset: Ruleset) -> list[Match]:
    """Say what the matches of a round have come to so far. Gives those that are over."""
    boards = _Boards.of(round_)
    over = []
    for one in round_.matches:
        match = _match(round_.round, one, boards)
        started = round_.phase != results.ROUND_PHASE_PAIRED
        points = match.board_points(ruleset) if started else (0.0, 0.0)
        one.first_team.board_half_points, one.second_team.board_half_points = (round(each * 2) for each in points)
        one.final = _final(round_, one, boards)
        one.lost_by_all = one.final and match.lost_by_all
        if one.final and points[0] != points[1]:
            one.winner_team_id = one.first_team.team_id if points[0] > points[1] else one.second_team.team_id
        if one.final:
            over.append(match)
    return over


def show_matches_without_points(round_: results.GetPairingsResponse) -> None:
    """Say which matches of a round are over, where the rules that say what a board is worth are not installed."""
    boards = _Boards.of(round_)
    for one in round_.matches:
        one.final = _final(round_, one, boards)
        one.points_unknown = True


def rank_teams(
    tournament: results.Tournament,
    teams: Iterable[results.Team],
    rounds: Rounds,
    *,
    arithmetic: bool = False,
    only: str = "",
) -> list[results.TeamStanding]:
    """The standings of teams after the results in ``rounds``; with ``arithmetic``, without words, if so asked.

    With ``only`` the line of that team alone, ranked among all; no line when the team has none. Raises ``Refusal`` when
    the rules, with the options that were chosen, are not installed here.
    """
    if not tournament.team_boards:
        return []
    ruleset = rules_of(tournament)
    held: list[Match | TeamBye] = []
    for round_ in rounds:
        held += show_matches(round_, ruleset)
        if complete(round_):
            held += (_bye(round_.round, one, tournament.team_boards) for one in round_.team_byes)
    names = {team.team_id: team.name for team in taking_part(teams, rounds)}
    rows = team_standings(
        held,
        sorted(names),
        ruleset,
        tournament.rounds,
        ruleset.championship.team_score,
        tournament.team_boards,
        pending=_pending(rounds),
        adjustments=_adjustments(rounds),
    )
    ranks = {row.team: row.rank for row in rows}
    sides = _sides(rounds)
    return [
        results.TeamStanding(
            rank=row.rank,
            team_id=row.team,
            name=names[row.team],
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            match_half_points=round(row.match_points * 2),
            board_half_points=round(row.board_points * 2),
            tie_breaks=[tie_break(name, one, with_terms=arithmetic) for name, one in row.arithmetic.items()],
            spread=row.spread,
            total=row.total,
            rounds=_rounds(row, rounds, sides, ranks, ruleset),
            point_arithmetic=shown(row.point_arithmetic) if arithmetic else None,
        )
        for row in rows
        if not only or row.team == only
    ]


def taking_part(teams: Iterable[results.Team], rounds: Rounds) -> list[results.Team]:
    """Those that have a place in the standings: not who withdrew before any round and never came."""
    came = {side.team_id for round_ in rounds for one in round_.matches for side in (one.first_team, one.second_team)}
    came |= {one.team_id for round_ in rounds for one in round_.team_byes}
    return [one for one in teams if one.team_id in came or not never_came(one)]


def score(tournament: results.Tournament) -> str:
    """What teams are ranked by first; empty where there are none. Raises as ``rank_teams`` does."""
    return rules_of(tournament).championship.team_score if tournament.team_boards else ""


def last_counted(rounds: Rounds) -> int:
    """The last round that has the result of a match, 0 when none has. ``rounds`` show what their matches came to."""
    return max((round_.round for round_ in rounds if any(one.final for one in round_.matches)), default=0)


@dataclass(frozen=True)
class _Boards:
    """The boards of a round."""

    tables: Mapping[int, Sequence[results.Table]]
    """Those with two players, by match."""
    alone: Mapping[int, Sequence[results.RequestedBye]]
    """Those won without a game, by match."""

    @classmethod
    def of(cls, round_: results.GetPairingsResponse) -> _Boards:
        """Sorted out of the tables and byes of a round."""
        tables = defaultdict[int, list[results.Table]](list)
        alone = defaultdict[int, list[results.RequestedBye]](list)
        for table in round_.tables:
            tables[table.match].append(table)
        for bye in round_.requested_byes:
            alone[bye.match].append(bye)
        return cls(tables, alone)


def _match(number: int, one: results.Match, boards: _Boards) -> Match:
    """A match with its boards of which the result is final, and those that are won without a game."""
    known = [Board.of(result_of(number, table)) for table in boards.tables.get(one.match, ()) if table.final]
    known += [
        Board.without_opponent(first=bye.seat.team_id == one.first_team.team_id)
        for bye in boards.alone.get(one.match, ())
    ]
    return Match(number, one.first_team.team_id, one.second_team.team_id, tuple(known))


def _bye(number: int, one: results.TeamBye, boards: int) -> TeamBye:
    return TeamBye(number, one.team_id, boards, BYES.get(one.kind, Bye.ALLOCATED))


def _final(round_: results.GetPairingsResponse, one: results.Match, boards: _Boards) -> bool:
    """All its boards have their results; one without any game counts with its round, as a bye does."""
    tables = boards.tables.get(one.match, ())
    return all(table.final for table in tables) if tables else complete(round_)


def _pending(rounds: Rounds) -> Iterator[tuple[str, int]]:
    for round_ in rounds:
        for one in round_.matches:
            if not one.final:
                yield from ((side.team_id, round_.round) for side in (one.first_team, one.second_team))
        if not complete(round_):
            yield from ((one.team_id, round_.round) for one in round_.team_byes)


def _adjustments(rounds: Rounds) -> Iterator[SpreadAdjustment]:
    for round_ in rounds:
        for table in round_.tables:
            teams = {seat.player_id: seat.team_id for seat in table.seats}
            for one in table.spread_adjustments:
                yield SpreadAdjustment(round_.round, teams[one.player_id], one.points, one.sanction)


def _sides(rounds: Rounds) -> Sides:
    """The match of every team in every round, with its own side and the other."""
    found: dict[tuple[int, str], tuple[results.Match, results.TeamSide, results.TeamSide]] = {}
    for round_ in rounds:
        for one in round_.matches:
            found[round_.round, one.first_team.team_id] = one, one.first_team, one.second_team
            found[round_.round, one.second_team.team_id] = one, one.second_team, one.first_team
    return found


def _rounds(row: TeamRow, rounds: Rounds, sides: Sides, ranks: Ranks, ruleset: Ruleset) -> Iterator[results.TeamRound]:
    """What each round was to a team. One without a term waits for its result."""
    boards = ruleset.championship.team_boards or 0
    terms = {term.round: term for term in shown(row.point_arithmetic).terms}
    for round_ in rounds:
        found = results.TeamRound(round=round_.round, final=round_.round in terms)
        if term := terms.get(round_.round):
            found.basis = term.basis
            found.outcome = term.outcome if term.basis != results.TERM_BASIS_ABSENCE else results.OUTCOME_UNSPECIFIED
        if side := sides.get((round_.round, row.team)):
            one, own, other = side
            found.match, found.basis = one.match, found.basis or results.TERM_BASIS_GAME
            found.opponent_id, found.opponent_name = other.team_id, other.name
            found.opponent_rank = ranks[other.team_id]
            found.board_half_points, found.against_half_points = own.board_half_points, other.board_half_points
        for rest in round_.team_byes:
            if rest.team_id == row.team and found.final:
                found.board_half_points = round(2 * _bye(round_.round, rest, boards).board_points(ruleset))
        yield found
