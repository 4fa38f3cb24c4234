"""The tie-breaks, each with its arithmetic.

Points of the championship and values derived from them are multiples of a quarter, which ``float`` represents exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal

from faristol.rules.championship import ranking_score
from faristol.rules.ruleset.sections import TieBreak
from faristol.rules.standings.arithmetic import Arithmetic, Basis, LeftOut, Term
from faristol.rules.standings.encounters import Encounters, Group
from faristol.rules.standings.history import PlayerRound
from faristol.rules.standings.keizer import compute_scores
from faristol.rules.standings.opponents import PlayerRounds, make_term
from faristol.rules.standings.results import RoundOutcome, SpreadAdjustment


def split_groups(groups: Iterable[Sequence[str]], value: Mapping[str, float]) -> list[list[str]]:
    """Split each group by ``value``, the highest first; equals keep their order."""
    return [
        list(equals)
        for group in groups
        for _, equals in groupby(sorted(group, key=value.__getitem__, reverse=True), key=value.__getitem__)
    ]


_SHARE = {RoundOutcome.WIN: 1.0, RoundOutcome.DRAW: 0.5, RoundOutcome.LOSS: 0.0}


class TieBreaks:
    """The tie-breaks of a field. Every method returns the arithmetic of a player's value."""

    def __init__(
        self,
        field: PlayerRounds,
        adjustments: Iterable[SpreadAdjustment],
        before: TieBreaks | None = None,
        changed: Iterable[str] = (),
    ) -> None:
        """Reuse the unaffected values of ``before``, of a field with the same rules and planned rounds.

        ``changed`` are the players whose rounds have changed since.
        """
        self._field = field
        self._adjustments: dict[str, list[SpreadAdjustment]] = {}
        for adjustment in adjustments:
            self._adjustments.setdefault(adjustment.player, []).append(adjustment)
        self._all_met: dict[Group, bool] = {}
        self._keizer: Mapping[str, Arithmetic] | None = None
        self.unchanged = self._unchanged_since(before, changed) if before else frozenset[str]()
        """Players with unchanged values, except for those that depend on equals."""
        self._found: dict[tuple[TieBreak | Literal["points"], str], Arithmetic] = (
            {key: found for key, found in before._found.items() if key[1] in self.unchanged} if before else {}
        )

    def of(self, name: TieBreak, player: str, equals: Group) -> Arithmetic:
        """Return the tie-break ``name`` of ``player`` among ``equals``."""
        if (name, player) not in self._found:
            self._found[name, player] = _TIE_BREAK_METHODS[name](self, player, equals)
        return self._found[name, player]

    def part(self, equals: Sequence[str]) -> tuple[list[list[str]], Mapping[str, Arithmetic]]:
        """Rank equals by the games between them: once (2024), or repeatedly (C.07 6).

        Returns the groups, best first, and the arithmetic of each player.
        """
        if self._field.ruleset.championship.fide_edition == "2026":
            encounters = Encounters(self._field)
            return encounters.part(equals), encounters.values
        group = frozenset(equals)
        values = {player: self.head_to_head(player, group) for player in equals}
        return split_groups([equals], {player: value.value for player, value in values.items()}), values

    def points(self, player: str) -> Arithmetic:
        """Return the points of the championship: the sum of the points awarded by round."""
        if ("points", player) not in self._found:
            terms = (make_term(seen, seen.points, outcome=seen.outcome) for seen in self._list_known(player))
            carried = self._field.carried.get(player)
            brought = [] if carried is None else [Term(0, Basis.CARRIED, carried.points)]
            self._found["points", player] = Arithmetic((*brought, *terms))
        return self._found["points", player]

    def _unchanged_since(self, before: TieBreaks, changed: Iterable[str]) -> frozenset[str]:
        """Return the players with unchanged rounds and unchanged opponents."""
        rounds, others, own = self._field.rounds, before._field.rounds, self._adjustments
        adjusted = own.keys() | before._adjustments.keys()
        concerned = set(changed).union(
            player for player in adjusted if own.get(player) != before._adjustments.get(player)
        )
        met = {seen.opponent for player in concerned for seen in (*rounds[player], *others[player])}
        return frozenset(rounds.keys() - concerned - met)

    def buchholz(self, player: str, equals: Group, cut: int = 0) -> Arithmetic:
        """Return the points of all opponents (FIDE C.07 8.1), without the ``cut`` worst (14.1, 14.2)."""
        terms = [self._opponent(player, seen) for seen in self._list_known(player)]
        dummy = self._field.ruleset.championship.unplayed == "fide-dummy" and not self._field.predetermined
        by_will = [dummy and seen.voluntary for seen in self._list_known(player)]
        counted = [place for place, term in enumerate(terms) if term.left_out is None]
        worst = sorted(counted, key=lambda place: (not by_will[place], terms[place].value))
        for place in worst[:cut]:
            reason = LeftOut.MISSED_BY_WILL if by_will[place] else LeftOut.LOWEST
            terms[place] = terms[place]._replace(left_out=reason)
        return Arithmetic(tuple(terms))

    def median_buchholz(self, player: str, equals: Group) -> Arithmetic:
        """Return Buchholz without the worst opponent, or the two worst in a long championship (FISC I.1).

        FIDE calls it Cut-1 and Cut-2. The ruleset has the numbers of opponents.
        """
        law = self._field.ruleset.championship
        long = self._field.planned >= law.long_from_rounds
        return self.buchholz(player, equals, law.buchholz_cut_long if long else law.buchholz_cut)

    def berger(self, player: str, equals: Group) -> Arithmetic:
        """Return the points of opponents beaten, and half of those drawn with (FISC I.1; FIDE C.07 9.1)."""
        return Arithmetic(
            tuple(self._opponent(player, seen, _SHARE[seen.outcome], seen.outcome) for seen in self._list_known(player))
        )

    def spread(self, player: str, equals: Group) -> Arithmetic:
        """Return own points of the games less the opponents', with later adjustments (PES Δ.ε, Ζ).

        The spread that the player carries over from an earlier stage comes first.
        """
        terms = [make_term(seen, float(seen.score - seen.against), scores=True) for seen in self._list_scored(player)]
        if (carried := self._field.carried.get(player)) is not None:
            terms.insert(0, Term(0, Basis.CARRIED, float(carried.spread)))
        return Arithmetic(
            (*terms, *(self._make_adjustment(player, each) for each in self._adjustments.get(player, ())))
        )

    def total(self, player: str, equals: Group) -> Arithmetic:
        """Return own points of all games, less deductions by sanctions (PES Ζ)."""
        terms = [make_term(seen, float(seen.score), scores=True) for seen in self._list_scored(player)]
        sanctions = [adjustment for adjustment in self._adjustments.get(player, ()) if adjustment.sanction]
        return Arithmetic((*terms, *(self._make_adjustment(player, each) for each in sanctions)))

    def head_to_head(self, player: str, equals: Group) -> Arithmetic:
        """Return the points in the games among equals (PES ΣΤ i), if all of them have met each other."""
        if equals not in self._all_met:
            self._all_met[equals] = all(
                len({seen.opponent for seen in self._list_met(player, equals)}) == len(equals) - 1 for player in equals
            )
        reason = None if self._all_met[equals] else LeftOut.NOT_ALL_MET
        met = self._list_met(player, equals)
        return Arithmetic(tuple(make_term(seen, seen.points)._replace(left_out=reason) for seen in met))

    def cusca(self, player: str, equals: Group) -> Arithmetic:
        """Return the mean over the player's games of the score times the players of the table (FM 17)."""
        rules = self._field.ruleset
        games = [seen for seen in self._field.rounds[player] if seen.played and not seen.annulled]
        terms = [make_term(seen, float(ranking_score(seen.score, seen.seats, rules)), scores=True) for seen in games]
        return Arithmetic(tuple(terms), max(1, len(games)))

    def keizer(self, player: str, equals: Group) -> Arithmetic:
        """Return the score of Keizer's system, by the present value of each opponent."""
        if self._keizer is None:
            self._keizer = compute_scores(self._field)
        return self._keizer[player]

    def _make_adjustment(self, player: str, adjustment: SpreadAdjustment) -> Term:
        """Return the term of an adjustment; it is annulled with its game, unless it is a sanction."""
        term = Term(
            adjustment.round, Basis.SANCTION if adjustment.sanction else Basis.ADJUSTMENT, float(adjustment.points)
        )
        of_game = (seen for seen in self._field.rounds[player] if seen.round == adjustment.round and seen.annulled)
        return term if adjustment.sanction or not any(of_game) else term._replace(left_out=LeftOut.ANNULLED)

    def _list_known(self, player: str) -> list[PlayerRound]:
        return [seen for seen in self._field.rounds[player] if not seen.pending]

    def _list_scored(self, player: str) -> list[PlayerRound]:
        return [seen for seen in self._list_known(player) if seen.played or seen.score or seen.against]

    def _list_met(self, player: str, equals: Group) -> list[PlayerRound]:
        return [seen for seen in self._list_known(player) if seen.opponent in equals and not seen.annulled]

    def _opponent(
        self, player: str, seen: PlayerRound, share: float = 1.0, outcome: RoundOutcome | None = None
    ) -> Term:
        """Return the term of a ``share`` of the opponent's points; ``outcome`` is given if the share depends on it."""
        worth = self._field.worth(player, seen)
        granted = self._field.granted[seen.opponent] if seen.played and seen.opponent is not None else 0.0
        return make_term(seen, share * worth, outcome=outcome, worth=worth, granted=granted)


_TIE_BREAK_METHODS: Mapping[TieBreak, Callable[[TieBreaks, str, Group], Arithmetic]] = {
    "median-buchholz": TieBreaks.median_buchholz,
    "buchholz": TieBreaks.buchholz,
    "berger": TieBreaks.berger,
    "spread": TieBreaks.spread,
    "total": TieBreaks.total,
    "cusca": TieBreaks.cusca,
    "keizer": TieBreaks.keizer,
}
"""Tie-breaks that do not depend on the equal players."""
