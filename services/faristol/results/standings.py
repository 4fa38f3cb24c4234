"""Standings out of the rounds, by the rules that the tournament is played under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.pins import Pin
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.results.arithmetic import quarters
from faristol.results.rows import ByeKind, Game, Player, Round, Standing, Tournament, packed
from faristol.rules import Ruleset
from faristol.rules.standings import Bye, Result, Row, SpreadAdjustment, TableResult, standings

BYES: Mapping[int, Bye] = {
    pairing.BYE_KIND_HALF_POINT: Bye.HALF_POINT,
    pairing.BYE_KIND_FULL_POINT: Bye.FULL_POINT,
    pairing.BYE_KIND_ZERO_POINT: Bye.ZERO_POINT,
}
"""Byes that are granted, as the standings take them in."""

PAIR = 2
"""Players of a table of which the result is between two."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of the standings, and how its values come about."""

    standing: Standing
    row: Row


def rank(
    tournament: Tournament, players: Iterable[Player], rounds: Sequence[Round], ruleset: Ruleset | None = None
) -> list[Ranked]:
    """The standings after the results in ``rounds``, in rank order (FISC I.1).

    Tables of which the result is not final are pending: they add nothing, and nobody at them counts as absent.
    A bye counts once its whole round is in, so that nobody leads because of being left out. Without a ``ruleset`` the
    rules are those that the tournament pins: raises ``Refusal`` when those, with the options that were chosen, are not
    at hand.
    """
    ruleset = ruleset or rules_of(tournament)
    known = list(_results(rounds))
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
        SpreadAdjustment(round_.round, each.player_id, each.points, each.sanction)
        for round_ in rounds
        for game in round_.games
        for each in game.spread_adjustments
    ]
    for adjustment in adjustments:
        spread[adjustment.player] += adjustment.points
        total[adjustment.player] += adjustment.points if adjustment.sanction else 0
    seated = {seat.player_id for round_ in rounds for game in round_.games for seat in game.seats}
    seated |= {result.first for round_ in rounds for result in _alone(round_)}
    byes = {result.first for result in known if isinstance(result, Result) and result.sat_out is Bye.ALLOCATED}
    table = standings(
        known,
        sorted(player.player_id for player in players if not player.never_came or player.player_id in seated),
        ruleset,
        tournament.rounds,
        pending=set(_pending(rounds)),
        adjustments=adjustments,
    )
    last = max((round_.round for round_ in rounds), default=0)
    return [
        Ranked(
            Standing(
                tournament.tournament_id,
                last,
                row.player,
                rank=row.rank,
                wins=row.wins,
                draws=row.draws,
                losses=row.losses,
                bye=row.player in byes,
                half_points=round(row.points * 2),
                spread=spread[row.player],
                total=total[row.player],
                tie_breaks=packed(
                    [(name, quarters(value.total), value.divisor) for name, value in row.arithmetic.items()]
                ),
            ),
            row,
        )
        for row in table
    ]


def pin_of(tournament: Tournament) -> Pin:
    """The rules that a tournament pins."""
    return Pin(tournament.ruleset, tournament.ruleset_digest, tuple(tournament.ruleset_options))


def rules_of(tournament: Tournament) -> Ruleset:
    """The rules that a tournament pins, with the options chosen. Raises ``Refusal`` when they are not at hand."""
    return ruleset_of(pin_of(tournament))


def last_counted(rounds: Iterable[Round]) -> int:
    """The last round that has a result, 0 when none has."""
    return max((round_.round for round_ in rounds if round_.finished), default=0)


def _results(rounds: Iterable[Round]) -> Iterable[Result | TableResult]:
    for round_ in rounds:
        for game in round_.games:
            if game.final and len(game.seats) > PAIR:
                yield _of_several(round_.round, game)
            elif game.final:
                yield result_of(round_.round, game)
        if round_.complete:
            yield from _alone(round_)


def result_of(number: int, game: Game) -> Result:
    """The final result of a table of two, in round ``number``."""
    first, second = game.seats
    return Result.of_table(
        number,
        first.player_id,
        second.player_id,
        first.score,
        second.score,
        winner=game.winner_id,
        lost_by_all=game.lost_by_all,
        played=not game.unplayed,
    )


def _of_several(number: int, game: Game) -> TableResult:
    scores = tuple((seat.player_id, seat.score) for seat in game.seats)
    losers = frozenset(player_id for player_id, _ in scores) if game.lost_by_all else frozenset(game.loser_ids)
    return TableResult(number, scores, game.winner_id, losers, played=not game.unplayed)


def _pending(rounds: Iterable[Round]) -> Iterable[tuple[str, int]]:
    for round_ in rounds:
        for game in round_.games:
            if not game.final:
                yield from ((seat.player_id, round_.round) for seat in game.seats)
        if not round_.complete:
            yield from ((result.first, round_.round) for result in _alone(round_))


def _alone(round_: Round) -> Iterable[Result]:
    """What the round is to who has no opponent in it; the players of a team that was left over have its bye."""
    for bye in round_.byes_of(ByeKind.ALLOCATED):
        yield Result.bye(round_.round, bye.player_id)
    left_over = {bye.team_id for bye in round_.byes_of(ByeKind.TEAM) if not bye.worth}
    for bye in round_.byes_of(ByeKind.REQUESTED):
        if bye.match:
            yield Result.without_opponent(round_.round, bye.player_id)
        elif bye.team_id in left_over:
            yield Result.bye(round_.round, bye.player_id)
        else:
            yield Result.bye(round_.round, bye.player_id, BYES[bye.worth])
