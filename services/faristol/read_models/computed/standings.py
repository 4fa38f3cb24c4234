"""Standings computed from the rounds by the rules of the tournament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.pairings import REQUESTED_BYES
from faristol.kernel.pins import Pin
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage.rows import (
    ByeKind,
    Game,
    Player,
    Round,
    Standing,
    TieBreak,
    Tournament,
    encode_tuples,
)
from faristol.read_models.storage.tables import LAYOUTS
from faristol.rules import Ruleset
from faristol.rules.standings import (
    NOTHING_CARRIED,
    Arithmetic,
    Basis,
    Bye,
    Carried,
    LeftOut,
    Result,
    RoundOutcome,
    SpreadAdjustment,
    Standings,
    StandingsRow,
    TableResult,
    TeamRow,
    Term,
    build_carried,
    is_rest,
)

PAIR_TABLE_PLAYERS = 2
"""Players of a table whose result is between two."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of the standings with the arithmetic of its values."""

    standing: Standing
    row: StandingsRow


Scores = tuple[Mapping[str, int], Mapping[str, int]]
"""Spread and points of games of each player."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The contribution of a round to the standings.

    Tables without a final result are pending: they add no points, and their players do not count as absent. A bye
    counts once its whole round is complete, so that no player leads because of a bye.
    """

    round: int
    results: Sequence[Result | TableResult]
    pending: frozenset[tuple[str, int]]
    adjustments: Sequence[SpreadAdjustment]
    seated: frozenset[str]
    """Players at a table or with a bye."""
    byes: frozenset[str]
    """The player with the allocated bye, once it counts."""
    spread: Mapping[str, int]
    total: Mapping[str, int]
    seeds: Sequence[str] = ()
    """In the first round of a knock-out: its players in the order in which they are placed in the bracket."""

    @classmethod
    def of(cls, round_: Round) -> Tally:
        """Return the tally of a round, from its tables and byes."""
        known, alone = tuple(_results(round_)), tuple(list_byes(round_))
        adjustments = tuple(
            SpreadAdjustment(round_.round, each.player_id, each.points, each.sanction)
            for game in round_.games
            for each in game.spread_adjustments
        )
        spread, total = _scores(known, adjustments)
        return cls(
            round_.round,
            known,
            frozenset(_pending(round_)),
            adjustments,
            frozenset(seat.player_id for game in round_.games for seat in game.seats)
            | {result.first for result in alone},
            frozenset(result.first for result in alone if round_.complete and result.sat_out is Bye.ALLOCATED),
            spread,
            total,
            round_.seeds,
        )

    def count_without(self, annulled: frozenset[str]) -> Scores:
        """Return spread and points of games without those of ``annulled`` players."""
        if not annulled:
            return self.spread, self.total
        known = [result for result in self.results if annulled.isdisjoint(_players(result))]
        concerned = frozenset(player for result in self.results for player in _players(result))
        counted = frozenset(player for result in known for player in _players(result))
        adjustments = [each for each in self.adjustments if each.sanction or each.player not in concerned - counted]
        return _scores(known, adjustments)


class Ranking:
    """The standings of a tournament after a round, recomputed as results arrive (FISC I.1).

    Lines that a result does not affect are not recomputed: they are returned as the same ``Ranked``.
    """

    def __init__(self, tournament: Tournament, ruleset: Ruleset) -> None:
        self._tournament = tournament
        self._ruleset = ruleset
        self._players: Sequence[str] | None = None
        self._seeds: Sequence[str] = ()
        self._carried: Mapping[str, Carried] = {}
        self._last = 0
        self._lines: dict[str, Ranked] = {}
        self._counted: Sequence[Scores] = ()
        """The spread and total that each round adds."""

    def after(
        self,
        came: Mapping[str, bool],
        tallies: Sequence[Tally],
        only: str = "",
        left: Mapping[str, int] = MappingProxyType({}),
        carried: Mapping[str, Carried] = MappingProxyType({}),
    ) -> list[Ranked]:
        """Return the standings after rounds, in rank order, or only the line of the player ``only``.

        ``came`` has all registered players; one who was never present has a place only if a round has a seat for them.
        ``left`` has the first round of absence of players who left; they still take part in earlier rounds. ``carried``
        has the points and spreads of earlier stages. Raises ``ValueError`` for impossible results.
        """
        seated = frozenset[str]().union(*(tally.seated for tally in tallies))
        players = sorted(player for player, there in came.items() if there or player in seated)
        seeds = next((tally.seeds for tally in tallies if tally.round == 1), ())
        if players != self._players or seeds != self._seeds or carried != self._carried:
            self._players, self._seeds, self._carried, self._lines = players, seeds, carried, {}
            self._standings = Standings(players, self._ruleset, self._tournament.rounds, seeds, carried)
        last = max((tally.round for tally in tallies), default=0)
        if last != self._last:
            self._last, self._lines = last, {}
        gone = [player for player, number in left.items() if number <= last + 1]
        rows = self._standings.after_rounds(tallies, gone)
        self._counted = [tally.count_without(self._standings.annulled) for tally in tallies]
        known = self._lines
        self._lines = {
            row.player: self._reuse_or_build_line(row, known.get(row.player), tallies)
            for row in rows
            if only in {"", row.player}
        }
        return list(self._lines.values())

    def _reuse_or_build_line(self, row: StandingsRow, known: Ranked | None, tallies: Sequence[Tally]) -> Ranked:
        """Return the line of a row: the known one if it is unchanged."""
        if known is None or known.row.arithmetic is not row.arithmetic:
            return Ranked(self._line(row, tallies), row)
        return known if known.row is row else Ranked(_with_rank(known.standing, row.rank), row)

    def _line(self, row: StandingsRow, tallies: Sequence[Tally]) -> Standing:
        byes = sum(row.player in tally.byes for tally in tallies)
        is_of_table = is_rest(Bye.ALLOCATED, self._ruleset, len(self._players or ()))
        of_byes = 0 if is_of_table else byes * self._ruleset.championship.bye_spread
        return Standing(
            self._tournament.tournament_id,
            self._last,
            row.player,
            rank=row.rank,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            bye=bool(byes),
            half_points=round(row.points * 2),
            spread=of_byes
            + self._carried.get(row.player, NOTHING_CARRIED).spread
            + sum(spread.get(row.player, 0) for spread, _ in self._counted),
            total=of_byes + sum(total.get(row.player, 0) for _, total in self._counted),
            tie_breaks=encode_tuples(tie_breaks_of(row)),
            annulled=row.annulled,
        )


def _with_rank(standing: Standing, rank: int) -> Standing:
    """Return a copy of the line with another rank."""
    moved = Standing(*LAYOUTS[Standing].values(standing))
    moved.rank = rank
    return moved


def tie_breaks_of(row: StandingsRow | TeamRow) -> list[TieBreak]:
    """Return the tie-breaks of a line, in the order in which they decide."""
    return [TieBreak(name, quarters(value.total), value.divisor) for name, value in row.arithmetic.items()]


def rank(tournament: Tournament, players: Iterable[Player], rounds: Iterable[Round], only: str = "") -> list[Ranked]:
    """Return the standings after the results in ``rounds``, as ``Ranking.after`` does.

    Raises ``Refusal`` if the rules that the tournament pins, with their options, are unavailable.
    """
    listed = list(players)
    came = {player.player_id: not player.never_came for player in listed}
    left = {player.player_id: player.withdrawn_round for player in listed if player.withdrawn_round}
    carried = build_carried((player.player_id, player.carried_half_points, player.carried_spread) for player in listed)
    tallies = [Tally.of(round_) for round_ in rounds]
    return Ranking(tournament, rules_of(tournament)).after(came, tallies, only, left, carried)


def pin_of(tournament: Tournament) -> Pin:
    """Return the rules that a tournament pins."""
    return Pin(tournament.ruleset, tournament.ruleset_digest, tournament.ruleset_options)


def rules_of(tournament: Tournament) -> Ruleset:
    """Load the rules that a tournament pins, with their options. Raises ``Refusal`` if they are unavailable."""
    return ruleset_of(pin_of(tournament))


def last_counted(rounds: Iterable[Round]) -> int:
    """Return the last round that has a result, or 0."""
    return max((round_.round for round_ in rounds if round_.finished), default=0)


def _results(round_: Round) -> Iterable[Result | TableResult]:
    for game in round_.games:
        if game.final and len(game.seats) > PAIR_TABLE_PLAYERS:
            yield _of_several(round_.round, game)
        elif game.final:
            yield result_of(round_.round, game)
    if round_.complete:
        yield from list_byes(round_)


def _scores(known: Iterable[Result | TableResult], adjustments: Iterable[SpreadAdjustment]) -> Scores:
    """Compute spread and points of games of each player."""
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
    for adjustment in adjustments:
        spread[adjustment.player] += adjustment.points
        total[adjustment.player] += adjustment.points if adjustment.sanction else 0
    return spread, total


def _players(result: Result | TableResult) -> Iterable[str]:
    """Return the players of a result."""
    if isinstance(result, TableResult):
        return [player for player, _ in result.scores]
    return [result.first] if result.second is None else [result.first, result.second]


def result_of(number: int, game: Game) -> Result:
    """Return the final result of a table of two, in round ``number``."""
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


def _pending(round_: Round) -> Iterable[tuple[str, int]]:
    for game in round_.games:
        if not game.final:
            yield from ((seat.player_id, round_.round) for seat in game.seats)
    if not round_.complete:
        yield from ((result.first, round_.round) for result in list_byes(round_))


def list_byes(round_: Round) -> Iterable[Result]:
    """Yield the results of players without an opponent; players of a team that was left over have its bye."""
    for bye in round_.byes_of(ByeKind.ALLOCATED):
        yield Result.bye(round_.round, bye.player_id)
    left_over = {bye.team_id for bye in round_.byes_of(ByeKind.TEAM) if not bye.worth}
    for bye in round_.byes_of(ByeKind.REQUESTED):
        if bye.match:
            yield Result.without_opponent(round_.round, bye.player_id)
        elif bye.team_id in left_over and REQUESTED_BYES[bye.worth] is Bye.FULL_POINT:
            yield Result.bye(round_.round, bye.player_id)
        else:
            yield Result.bye(round_.round, bye.player_id, REQUESTED_BYES[bye.worth])


_BASES = {each: results.TermBasis.Value(f"TERM_BASIS_{each.name}") for each in Basis}
_OUTCOMES = {each: results.Outcome.Value(f"OUTCOME_{each.name}") for each in RoundOutcome}
_LEFT_OUT = {each: results.LeftOut.Value(f"LEFT_OUT_{each.name}") for each in LeftOut}


def explain(line: results.Standing | results.TeamStanding, row: StandingsRow | TeamRow) -> None:
    """Fill the arithmetic of the values of a line."""
    line.point_arithmetic.CopyFrom(to_arithmetic_message(row.point_arithmetic))
    for tie_break, value in zip(line.tie_breaks, row.arithmetic.values(), strict=True):
        tie_break.arithmetic.CopyFrom(to_arithmetic_message(value, max(1, tie_break.divisor)))


def to_arithmetic_message(value: Arithmetic, divisor: int = 1) -> results.Arithmetic:
    """Return the terms of a value, without names and texts."""
    return results.Arithmetic(terms=map(_term, value.terms), divisor=divisor)


def _term(term: Term) -> results.Term:
    return results.Term(
        round=term.round,
        basis=_BASES[term.basis],
        quarters=quarters(term.value),
        opponent_id=term.opponent or "",
        outcome=_OUTCOMES[term.outcome] if term.outcome else results.OUTCOME_UNSPECIFIED,
        worth_quarters=quarters(term.worth),
        granted_quarters=quarters(term.granted),
        score=term.score,
        against=term.against,
        seats=term.seats,
        left_out=_LEFT_OUT[term.left_out] if term.left_out else results.LEFT_OUT_UNSPECIFIED,
    )


def quarters(value: float) -> int:
    """Convert a value to quarters, the unit of the contract and the tables."""
    return round(value * 4)
