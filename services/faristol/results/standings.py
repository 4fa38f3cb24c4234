"""Standings out of the rounds, by the rules that the tournament is played under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from faristol.host.ruleset_store import ruleset_of
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.arithmetic import shown, tie_break
from faristol.results.players import never_came
from faristol.rules import Ruleset
from faristol.rules.standings import Bye, Result, SpreadAdjustment, TableResult, standings

BYES: Mapping[pairing.ByeKind.ValueType, Bye] = {
    pairing.BYE_KIND_HALF_POINT: Bye.HALF_POINT,
    pairing.BYE_KIND_FULL_POINT: Bye.FULL_POINT,
    pairing.BYE_KIND_ZERO_POINT: Bye.ZERO_POINT,
}
"""Byes that are granted, as the standings take them in."""


def rank(
    tournament: results.Tournament,
    players: Sequence[results.Player],
    rounds: Iterable[results.GetPairingsResponse],
    *,
    arithmetic: bool = False,
    only: str = "",
) -> list[results.Standing]:
    """The standings after the results in ``rounds``, without names (FISC I.1); with ``arithmetic`` if so asked.

    With ``only`` the line of that player alone, ranked among all; no line when the player has none.

    Tables of which the result is not final are pending: they add nothing, and nobody at them counts as absent.
    A bye counts once its whole round is in, so that nobody leads because of being left out. Raises ``Refusal`` when
    the tournament's rules, with the options that were chosen, are not installed here.
    """
    ruleset = rules_of(tournament)
    paired = list(rounds)
    known = list(_results(paired))
    spread: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for result in known:
        if isinstance(result, TableResult):
            total.update(dict(result.scores) if result.played else {})
        elif result.second is not None:
            spread[result.first] += result.first_score - result.second_score
            spread[result.second] += result.second_score - result.first_score
            total[result.first] += result.first_score
            total[result.second] += result.second_score
    adjustments = [
        SpreadAdjustment(round_.round, one.player_id, one.points, one.sanction)
        for round_ in paired
        for table in round_.tables
        for one in table.spread_adjustments
    ]
    for adjustment in adjustments:
        spread[adjustment.player] += adjustment.points
        total[adjustment.player] += adjustment.points if adjustment.sanction else 0
    seated = {seat.player_id for round_ in paired for table in round_.tables for seat in table.seats}
    seated |= {result.first for round_ in paired for result in _alone(round_)}
    byes = {result.first for result in known if isinstance(result, Result) and result.sat_out is Bye.ALLOCATED}
    teams = {player.player_id: player.team_id for player in players}
    categories = {player.player_id: player.category for player in players}
    table = standings(
        known,
        sorted(player.player_id for player in players if not never_came(player) or player.player_id in seated),
        ruleset,
        tournament.rounds,
        pending=set(_pending(paired)),
        adjustments=adjustments,
    )
    return [
        results.Standing(
            rank=row.rank,
            player_id=row.player,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            bye=row.player in byes,
            half_points=round(row.points * 2),
            tie_breaks=[tie_break(name, one, with_terms=arithmetic) for name, one in row.arithmetic.items()],
            point_arithmetic=shown(row.point_arithmetic) if arithmetic else None,
            spread=spread[row.player],
            total=total[row.player],
            team_id=teams[row.player],
            category=categories[row.player],
        )
        for row in table
        if not only or row.player == only
    ]


def rules_of(tournament: results.Tournament) -> Ruleset:
    """The rules that a tournament pins, with the options chosen. Raises ``Refusal`` when they are not installed."""
    return ruleset_of(tournament.ruleset)


def last_counted(rounds: Iterable[results.GetPairingsResponse]) -> int:
    """The last round that has a result, 0 when none has."""
    return max((round_.round for round_ in rounds if any(table.final for table in round_.tables)), default=0)


def _results(rounds: Iterable[results.GetPairingsResponse]) -> Iterable[Result | TableResult]:
    for round_ in rounds:
        for table in round_.tables:
            if table.final and len(table.seats) > 2:
                yield _of_several(round_.round, table)
            elif table.final:
                yield result_of(round_.round, table)
        if complete(round_):
            yield from _alone(round_)


def result_of(number: int, table: results.Table) -> Result:
    """The final result of a table of two, in round ``number``."""
    first, second = table.seats
    return Result.of_table(
        number,
        first.player_id,
        second.player_id,
        first.score,
        second.score,
        winner=table.winner_id,
        lost_by_all=table.lost_by_all,
        played=not table.unplayed,
    )


def _of_several(number: int, table: results.Table) -> TableResult:
    scores = tuple((seat.player_id, seat.score) for seat in table.seats)
    losers = frozenset(player_id for player_id, _ in scores) if table.lost_by_all else frozenset(table.loser_ids)
    return TableResult(number, scores, table.winner_id, losers, played=not table.unplayed)


def _pending(rounds: Iterable[results.GetPairingsResponse]) -> Iterable[tuple[str, int]]:
    for round_ in rounds:
        for table in round_.tables:
            if not table.final:
                yield from ((seat.player_id, round_.round) for seat in table.seats)
        if not complete(round_):
            yield from ((result.first, round_.round) for result in _alone(round_))


def _alone(round_: results.GetPairingsResponse) -> Iterable[Result]:
    """What the round is to who has no opponent in it; the players of a team that was left over have its bye."""
    if round_.bye.player_id:
        yield Result.bye(round_.round, round_.bye.player_id)
    left_over = {one.team_id for one in round_.team_byes if not one.kind}
    for one in round_.requested_byes:
        if one.match:
            yield Result.without_opponent(round_.round, one.seat.player_id)
        elif one.seat.team_id in left_over:
            yield Result.bye(round_.round, one.seat.player_id)
        else:
            yield Result.bye(round_.round, one.seat.player_id, BYES[one.kind])


def complete(round_: results.GetPairingsResponse) -> bool:
    """Every result of the round is in."""
    return all(table.final for table in round_.tables)
