"""Matches between teams, and the standings of teams, computed from the rounds (FISE 4.4). Pure.

A match counts once all its boards have their results. A board for which the other team has no player is won without a
game, and counts with the match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from faristol.kernel.likeness import like
from faristol.kernel.pairings import REQUESTED_BYES
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.standings import explain, result_of, rules_of, tie_breaks_of, to_arithmetic_message
from faristol.read_models.storage import rows
from faristol.read_models.storage.rows import (
    ByeKind,
    Game,
    Round,
    Tournament,
    decode_tuples,
    encode_tuples,
)
from faristol.rules import Ruleset
from faristol.rules.standings import Bye, Match, SpreadAdjustment, TeamBoard, TeamBye, TeamRow, team_standings


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match between two teams with its current result."""

    of: rows.Match
    match: Match
    final: bool
    half_points: tuple[int, int]
    """Of the boards; 0 until the round is started."""

    @property
    def team_ids(self) -> tuple[str, str]:
        """The ids of the teams."""
        return self.of.first_team_id, self.of.second_team_id

    @property
    def winner_id(self) -> str:
        """The team with more points of the boards; empty for a draw and before the end."""
        first, second = self.half_points
        if not self.final or first == second:
            return ""
        return self.team_ids[0] if first > second else self.team_ids[1]


def meetings(round_: Round, ruleset: Ruleset) -> list[Meeting]:
    """Return the matches of a round."""
    boards = _Boards.of(round_)
    found = []
    for of in round_.matches:
        match = _match(of, boards)
        started = round_.phase != results.ROUND_PHASE_PAIRED
        points = match.board_points(ruleset) if started else (0.0, 0.0)
        first, second = (round(each * 2) for each in points)
        found.append(Meeting(of, match, _is_final(round_, of, boards), (first, second)))
    return found


def show_matches(answer: results.GetPairingsResponse, round_: Round, ruleset: Ruleset | None) -> None:
    """Fill the current results of the matches of a round in ``answer``.

    Without the rules, which define the value of a board, only the finished matches are marked.
    """
    if ruleset is None:
        boards = _Boards.of(round_)
        for shown_match, of in zip(answer.matches, round_.matches, strict=True):
            shown_match.final, shown_match.points_unknown = _is_final(round_, of, boards), True
        return
    for shown_match, meeting in zip(answer.matches, meetings(round_, ruleset), strict=True):
        first, second = meeting.half_points
        shown_match.first_team.board_half_points, shown_match.second_team.board_half_points = first, second
        shown_match.final, shown_match.winner_team_id = meeting.final, meeting.winner_id
        shown_match.lost_by_all = meeting.final and meeting.match.lost_by_all


def rank_teams(
    tournament: Tournament,
    teams: Iterable[rows.Team],
    rounds: Sequence[Round],
    *,
    arithmetic: bool = False,
) -> list[results.TeamStanding]:
    """Return the standings of teams after the results in ``rounds``; with ``arithmetic`` without texts, if requested.

    Raises ``Refusal`` if the rules that the tournament pins are unavailable.
    """
    if not tournament.team_boards:
        return []
    known = {team.team_id: team for team in teams}
    found = rank_as_rows(tournament, known.values(), rounds, rules_of(tournament))
    lines = to_standing_messages([standing for standing, _ in found], known)
    if arithmetic:
        for line, (_, row) in zip(lines, found, strict=True):
            explain(line, row)
    return lines


def rank_as_rows(
    tournament: Tournament, teams: Iterable[rows.Team], rounds: Sequence[Round], ruleset: Ruleset
) -> list[tuple[rows.TeamStanding, TeamRow]]:
    """Return the same as rows, each with the arithmetic of its values."""
    met = {round_.round: meetings(round_, ruleset) for round_ in rounds}
    held: list[Match | TeamBye] = []
    for round_ in rounds:
        held += (meeting.match for meeting in met[round_.round] if meeting.final)
        if round_.complete:
            held += (_bye(bye, tournament.team_boards) for bye in round_.byes_of(ByeKind.TEAM))
    lines = team_standings(
        held,
        sorted(team.team_id for team in taking_part(teams, rounds)),
        ruleset,
        tournament.rounds,
        ruleset.championship.team_score,
        tournament.team_boards,
        pending=_pending(rounds, met),
        adjustments=_adjustments(rounds),
    )
    last = rounds[-1].round if rounds else 0
    return [(_standing(tournament, last, line, _rounds(line, rounds, met, ruleset)), line) for line in lines]


def _standing(tournament: Tournament, last: int, line: TeamRow, rounds: Iterable[rows.TeamRound]) -> rows.TeamStanding:
    return rows.TeamStanding(
        tournament.tournament_id,
        last,
        line.team,
        rank=line.rank,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        match_half_points=round(line.match_points * 2),
        board_half_points=round(line.board_points * 2),
        spread=line.spread,
        total=line.total,
        tie_breaks=encode_tuples(tie_breaks_of(line)),
        rounds=encode_tuples(list(rounds)),
    )


def to_standing_messages(
    lines: Sequence[rows.TeamStanding], teams: Mapping[str, rows.Team]
) -> list[results.TeamStanding]:
    """Convert lines of the standings from rows to messages."""
    ranks = {line.team_id: line.rank for line in lines}
    return [
        like(
            results.TeamStanding,
            line,
            name=teams[line.team_id].name,
            tie_breaks=[like(results.TieBreak, each) for each in decode_tuples(rows.TieBreak, line.tie_breaks)],
            rounds=[
                like(
                    results.TeamRound,
                    each,
                    opponent_name=teams[each.opponent_id].name if each.opponent_id else "",
                    opponent_rank=ranks[each.opponent_id] if each.opponent_id else 0,
                )
                for each in decode_tuples(rows.TeamRound, line.rounds)
            ],
        )
        for line in lines
    ]


def taking_part(teams: Iterable[rows.Team], rounds: Iterable[Round]) -> list[rows.Team]:
    """Return the teams with a place in the standings, without those that withdrew before any round."""
    came: set[str] = set()
    for round_ in rounds:
        came.update(team_id for match in round_.matches for team_id in (match.first_team_id, match.second_team_id))
        came.update(bye.team_id for bye in round_.byes_of(ByeKind.TEAM))
    return [team for team in teams if team.team_id in came or not team.never_came]


def score(tournament: Tournament) -> str:
    """Return the first criterion of team standings; empty without teams. Raises as ``rank_teams`` does."""
    return rules_of(tournament).championship.team_score if tournament.team_boards else ""


def last_counted(lines: Iterable[results.TeamStanding]) -> int:
    """Return the last round that has the result of a match, or 0."""
    return max((each.round for line in lines for each in line.rounds if each.match and each.final), default=0)


@dataclass(frozen=True)
class _Boards:
    """The boards of a round."""

    games: Mapping[int, Sequence[Game]]
    """Boards with two players, by match."""
    alone: Mapping[int, Sequence[rows.Bye]]
    """Boards won without a game, by match."""

    @classmethod
    def of(cls, round_: Round) -> _Boards:
        """Sort the tables and byes of a round by match."""
        games = defaultdict[int, list[Game]](list)
        alone = defaultdict[int, list[rows.Bye]](list)
        for game in round_.games:
            games[game.match].append(game)
        for bye in round_.byes_of(ByeKind.REQUESTED):
            alone[bye.match].append(bye)
        return cls(games, alone)


def _match(of: rows.Match, boards: _Boards) -> Match:
    """Return a match with its boards of final result, and those won without a game."""
    known = [TeamBoard.of(result_of(of.round, game)) for game in boards.games.get(of.match, ()) if game.final]
    known += [
        TeamBoard.without_opponent(first=bye.team_id == of.first_team_id) for bye in boards.alone.get(of.match, ())
    ]
    return Match(of.round, of.first_team_id, of.second_team_id, tuple(known))


def _bye(bye: rows.Bye, boards: int) -> TeamBye:
    return TeamBye(bye.round, bye.team_id, boards, REQUESTED_BYES.get(bye.worth, Bye.ALLOCATED))


def _is_final(round_: Round, of: rows.Match, boards: _Boards) -> bool:
    """Check whether all boards have their results; a match without any game counts with its round, like a bye."""
    games = boards.games.get(of.match, ())
    return all(game.final for game in games) if games else round_.complete


def _pending(rounds: Iterable[Round], met: Mapping[int, Sequence[Meeting]]) -> Iterator[tuple[str, int]]:
    for round_ in rounds:
        for meeting in met[round_.round]:
            if not meeting.final:
                yield from ((team_id, round_.round) for team_id in meeting.team_ids)
        if not round_.complete:
            yield from ((bye.team_id, round_.round) for bye in round_.byes_of(ByeKind.TEAM))


def _adjustments(rounds: Iterable[Round]) -> Iterator[SpreadAdjustment]:
    for round_ in rounds:
        for game in round_.games:
            teams = {seat.player_id: seat.team_id for seat in game.seats}
            for each in game.spread_adjustments:
                yield SpreadAdjustment(round_.round, teams[each.player_id], each.points, each.sanction)


def _rounds(
    line: TeamRow, rounds: Iterable[Round], met: Mapping[int, Sequence[Meeting]], ruleset: Ruleset
) -> Iterator[rows.TeamRound]:
    """Yield the rounds of a team. A round without a term waits for its result."""
    boards = ruleset.championship.team_boards or 0
    terms = {term.round: term for term in to_arithmetic_message(line.point_arithmetic).terms}
    for round_ in rounds:
        found = rows.TeamRound(round_.round, final=round_.round in terms)
        if term := terms.get(round_.round):
            outcome = term.outcome if term.basis != results.TERM_BASIS_ABSENCE else results.OUTCOME_UNSPECIFIED
            found = found._replace(basis=term.basis, outcome=outcome)
        for meeting in met[round_.round]:
            if line.team in meeting.team_ids:
                own = meeting.team_ids.index(line.team)
                found = found._replace(
                    basis=found.basis or results.TERM_BASIS_GAME,
                    match=meeting.of.match,
                    opponent_id=meeting.team_ids[1 - own],
                    board_half_points=meeting.half_points[own],
                    against_half_points=meeting.half_points[1 - own],
                )
        for bye in round_.byes_of(ByeKind.TEAM):
            if bye.team_id == line.team and found.final:
                found = found._replace(board_half_points=round(2 * _bye(bye, boards).board_points(ruleset)))
        yield found
