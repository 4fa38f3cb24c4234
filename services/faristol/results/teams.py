"""Matches between teams, and the standings of teams, out of the rounds (FISE 4.4). Pure.

A match counts once all its boards have their results. A board for which the other team has nobody is won without a
game, and counts with the match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.arithmetic import shown, tie_break
from faristol.results.ranking import BYES, complete, result_of, rules_of
from faristol.rules import Ruleset
from faristol.rules.standings import Board, Bye, Match, SpreadAdjustment, TeamBye, TeamRow, team_standings

Rounds = Sequence[results.GetPairingsResponse]
Ranks = Mapping[str, int]


def show_matches(round_: results.GetPairingsResponse, ruleset: Ruleset) -> None:
    """Say what the matches of a round have come to so far."""
    for one in round_.matches:
        match = _match(round_, one)
        started = round_.phase != results.ROUND_PHASE_PAIRED
        points = match.board_points(ruleset) if started else (0.0, 0.0)
        one.first_team.board_half_points, one.second_team.board_half_points = (round(each * 2) for each in points)
        one.final = _final(round_, one)
        if one.final and points[0] != points[1]:
            one.winner_team_id = one.first_team.team_id if points[0] > points[1] else one.second_team.team_id


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
    for round_ in rounds:
        show_matches(round_, ruleset)
    names = {team.team_id: team.name for team in taking_part(teams, rounds)}
    rows = team_standings(
        _held(rounds),
        sorted(names),
        ruleset,
        tournament.rounds,
        ruleset.championship.team_score,
        tournament.team_boards,
        pending=_pending(rounds),
        adjustments=_adjustments(rounds),
    )
    ranks = {row.team: row.rank for row in rows}
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
            rounds=_rounds(row, rounds, ranks),
            point_arithmetic=shown(row.point_arithmetic) if arithmetic else None,
        )
        for row in rows
        if not only or row.team == only
    ]


def taking_part(teams: Iterable[results.Team], rounds: Rounds) -> list[results.Team]:
    """Those that have a place in the standings: not who withdrew before any round and never came."""
    came = {side.team_id for round_ in rounds for one in round_.matches for side in (one.first_team, one.second_team)}
    came |= {one.team_id for round_ in rounds for one in round_.team_byes}
    return [one for one in teams if one.team_id in came or not 0 < one.withdrawn_round <= one.entered_round]


def score(tournament: results.Tournament) -> str:
    """What teams are ranked by first; empty where there are none. Raises as ``rank_teams`` does."""
    return rules_of(tournament).championship.team_score if tournament.team_boards else ""


def last_counted(rounds: Rounds) -> int:
    """The last round that has the result of a match, 0 when none has. ``rounds`` show what their matches came to."""
    return max((round_.round for round_ in rounds if any(one.final for one in round_.matches)), default=0)


def _held(rounds: Rounds) -> Iterator[Match | TeamBye]:
    for round_ in rounds:
        yield from (_match(round_, one) for one in round_.matches if one.final)
        if complete(round_):
            yield from (_bye(round_, one) for one in round_.team_byes)


def _match(round_: results.GetPairingsResponse, one: results.Match) -> Match:
    """A match with its boards of which the result is final, and those that are won without a game."""
    boards = [Board.of(result_of(round_.round, table)) for table in _tables(round_, one) if table.final]
    boards += [
        Board.without_opponent(first=bye.seat.team_id == one.first_team.team_id)
        for bye in round_.requested_byes
        if bye.match == one.match
    ]
    return Match(round_.round, one.first_team.team_id, one.second_team.team_id, tuple(boards))


def _bye(round_: results.GetPairingsResponse, one: results.TeamBye) -> TeamBye:
    boards = sum(bye.seat.team_id == one.team_id and not bye.match for bye in round_.requested_byes)
    return TeamBye(round_.round, one.team_id, boards, BYES.get(one.kind, Bye.ALLOCATED))


def _final(round_: results.GetPairingsResponse, one: results.Match) -> bool:
    """All its boards have their results; one without any game counts with its round, as a bye does."""
    tables = _tables(round_, one)
    return all(table.final for table in tables) if tables else complete(round_)


def _tables(round_: results.GetPairingsResponse, one: results.Match) -> list[results.Table]:
    return [table for table in round_.tables if table.match == one.match]


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


def _rounds(row: TeamRow, rounds: Rounds, ranks: Ranks) -> Iterator[results.TeamRound]:
    """What each round was to a team. One without a term waits for its result."""
    terms = {term.round: term for term in shown(row.point_arithmetic).terms}
    for round_ in rounds:
        found = results.TeamRound(round=round_.round, final=round_.round in terms)
        if term := terms.get(round_.round):
            found.basis = term.basis
            found.outcome = term.outcome if term.basis != results.TERM_BASIS_ABSENCE else results.OUTCOME_UNSPECIFIED
        for one in round_.matches:
            own, other = one.first_team, one.second_team
            if other.team_id == row.team:
                own, other = other, own
            if own.team_id == row.team:
                found.match, found.basis = one.match, found.basis or results.TERM_BASIS_GAME
                found.opponent_id, found.opponent_name = other.team_id, other.name
                found.opponent_rank = ranks[other.team_id]
                found.board_half_points, found.against_half_points = own.board_half_points, other.board_half_points
        yield found
