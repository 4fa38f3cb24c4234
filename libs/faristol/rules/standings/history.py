"""The rounds held, from the view of each player."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from faristol.kernel.byes import Bye
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.standings.results import OfRound, Result, RoundOutcome, TableResult


class PlayerRound(NamedTuple):
    """A round from one player's view. ``opponent`` is None for a bye, an absence and a table of more than two."""

    round: int
    opponent: str | None
    outcome: RoundOutcome
    points: float
    score: int = 0
    against: int = 0
    played: bool = False
    awarded: bool = True
    """Whether it has a result or will have one; False if the player was absent."""
    pending: bool = False
    """Whether its result is still missing: it counts as a loss until then."""
    sat_out: Bye | None = None
    """The kind of a bye."""
    seats: int = 2
    """Players of the table."""
    annulled: bool = False
    """Whether it counts for no player (``faristol.rules.standings.ranking``)."""

    @property
    def voluntary(self) -> bool:
        """Whether the player missed it voluntarily: absent, a requested bye, or lost by forfeit."""
        return not (self.played or self.pending) and self.outcome is not RoundOutcome.WIN


Rounds = Mapping[str, Sequence[PlayerRound]]
"""The rounds held, in order, by player."""


def tabulate(
    sides: Iterable[tuple[str, PlayerRound]], players: Sequence[str], rounds: int, pending: Iterable[tuple[str, int]]
) -> Rounds:
    """Return the rounds with results, by player.

    Raises ``ValueError`` for inconsistent results, as ``standings`` does.
    """
    known = frozenset(players)
    held: dict[int, dict[str, PlayerRound]] = defaultdict(dict)
    _hold(held, sides, known, rounds)
    _wait(held, pending, known, rounds)
    return _spread_out(held, players)


def _hold(
    held: dict[int, dict[str, PlayerRound]],
    sides: Iterable[tuple[str, PlayerRound]],
    known: frozenset[str],
    rounds: int,
) -> None:
    for player, seen in sides:
        if not 1 <= seen.round <= rounds:
            raise ValueError(f"round {seen.round} is not one of the {rounds} rounds of the championship")
        if player not in known:
            raise ValueError(f"round {seen.round} has a result of {player}, not one of the players")
        if player in held[seen.round]:
            raise ValueError(f"{player} has two results in round {seen.round}")
        held[seen.round][player] = seen


def _wait(
    held: dict[int, dict[str, PlayerRound]], pending: Iterable[tuple[str, int]], known: frozenset[str], rounds: int
) -> None:
    for player, number in sorted(set(pending)):
        if not 1 <= number <= rounds:
            raise ValueError(f"round {number}, pending for {player}, is not one of the {rounds} rounds")
        if player not in known:
            raise ValueError(f"round {number} is pending for {player}, not one of the players")
        if number in held:
            if player in held[number]:
                raise ValueError(f"round {number} is pending for {player}, but has a result")
            held[number][player] = _waiting(number)


# Cached objects make comparisons of rounds fast.
@cache
def _waiting(number: int) -> PlayerRound:
    """Return the round of a player whose result is pending."""
    return PlayerRound(number, None, RoundOutcome.LOSS, 0.0, pending=True)


@cache
def _absent(number: int) -> PlayerRound:
    """Return the round of a player without a result, pending or not."""
    return PlayerRound(number, None, RoundOutcome.LOSS, 0.0, awarded=False)


def _spread_out(
    held: Mapping[int, Mapping[str, PlayerRound]], players: Iterable[str]
) -> dict[str, Sequence[PlayerRound]]:
    absent = {number: _absent(number) for number in sorted(held)}
    return {player: [held[number].get(player, missed) for number, missed in absent.items()] for player in players}


class History:
    """The rounds with results, as in ``tabulate``, updated incrementally."""

    def __init__(self, players: Sequence[str], ruleset: Ruleset, planned: int) -> None:
        self.rounds: Rounds = {player: [] for player in players}
        self._known = frozenset(players)
        self._ruleset = ruleset
        self._planned = planned
        self._taken: dict[int, OfRound] = {}
        """The last data of each round."""
        self._held: dict[int, Mapping[str, PlayerRound]] = {}
        """The rounds with results, by number and player."""
        self._sides: dict[int, Mapping[Result | TableResult, Sequence[tuple[str, PlayerRound]]]] = {}

    def take(self, of_rounds: Iterable[OfRound]) -> set[str]:
        """Update ``rounds`` to ``of_rounds``, the data of all rounds, and return the players whose rounds have changed.

        A round with the same object as before is not read again. Raises ``ValueError`` for inconsistent results; the
        state then stays unchanged.
        """
        taken = {each.round: each for each in of_rounds}
        anew = [number for number, each in taken.items() if self._taken.get(number) is not each]
        held = {number: seen for number, seen in self._held.items() if number in taken}
        found = dict(self._sides)
        for number in anew:
            of_round, found[number] = self._of_round(taken[number], self._sides.get(number, {}))
            held.pop(number, None)
            held.update(of_round)
        before, same = self.rounds, held.keys() == self._held.keys()
        if same:
            rounds = self._rebuild_rounds(held, [number for number in anew if number in held])
            changed = {player for player, seen in rounds.items() if seen is not before[player]}
        else:
            rounds = _spread_out(held, before)
            changed = {player for player, seen in rounds.items() if seen != before[player]}
        self.rounds, self._taken, self._held, self._sides = rounds, taken, held, found
        return changed

    def _of_round(
        self, of: OfRound, known: Mapping[Result | TableResult, Sequence[tuple[str, PlayerRound]]]
    ) -> tuple[dict[int, dict[str, PlayerRound]], Mapping[Result | TableResult, Sequence[tuple[str, PlayerRound]]]]:
        # In matches of teams only teams have a bye; each player's result has its own value.
        players = 0 if self._ruleset.championship.team_boards else len(self._known)
        found = {result: known.get(result) or tuple(sides(result, self._ruleset, players)) for result in of.results}
        held: dict[int, dict[str, PlayerRound]] = defaultdict(dict)
        _hold(held, (side for result in of.results for side in found[result]), self._known, self._planned)
        _wait(held, of.pending, self._known, self._planned)
        return held, found

    def _rebuild_rounds(
        self, held: Mapping[int, Mapping[str, PlayerRound]], anew: Iterable[int]
    ) -> dict[str, Sequence[PlayerRound]]:
        """Return the rounds of every player after the rounds with these numbers; unchanged players keep their list."""
        rounds, places = dict(self.rounds), {number: place for place, number in enumerate(sorted(held))}
        for number in anew:
            then, now, missed = self._held[number], held[number], _absent(number)
            for player in then.keys() | now.keys():
                seen = now.get(player, missed)
                if then.get(player, missed) != seen:
                    others = list(rounds[player])
                    others[places[number]] = seen
                    rounds[player] = others
        return rounds


def sides(result: Result | TableResult, ruleset: Ruleset, players: int) -> Iterator[tuple[str, PlayerRound]]:
    """Yield the round of each player in a result, for a championship of ``players``."""
    law = ruleset.championship
    if isinstance(result, TableResult):
        yield from _of_several(result)
        return
    worth = worths(ruleset)
    first, second = result.outcomes
    if result.second is None and is_rest(result.sat_out, ruleset, players):
        yield result.first, PlayerRound(result.round, None, RoundOutcome.LOSS, 0.0, sat_out=result.sat_out)
        return
    if result.second is None:
        allocated = result.sat_out is Bye.ALLOCATED
        yield (
            result.first,
            PlayerRound(
                result.round,
                None,
                first,
                law.bye if allocated else worth[first],
                law.bye_spread if allocated else 0,
                # A requested bye is an absence, which matters after the last round played (FIDE C.07 16).
                awarded=first is RoundOutcome.WIN,
                sat_out=result.sat_out,
            ),
        )
        return
    mine, theirs = result.first_score, result.second_score
    yield result.first, PlayerRound(result.round, result.second, first, worth[first], mine, theirs, result.played)
    yield result.second, PlayerRound(result.round, result.first, second, worth[second], theirs, mine, result.played)


def is_rest(sat_out: Bye | None, ruleset: Ruleset, players: int) -> bool:
    """Check whether a bye is that of the odd player of ``players`` in a round robin, which is worth 0 points.

    The table of rounds leaves out no player of an even number: the opponent of a player with a bye has left.
    """
    law = ruleset.championship
    robin = law.system in {"round-robin", "double-round-robin"}
    return robin and law.rest == "nothing" and players % 2 == 1 and sat_out is Bye.ALLOCATED


def worths(ruleset: Ruleset) -> Mapping[RoundOutcome, float]:
    """Return the points of the championship for a win, a draw and a loss."""
    law = ruleset.championship
    return {RoundOutcome.WIN: law.win, RoundOutcome.DRAW: law.draw, RoundOutcome.LOSS: law.loss}


def _of_several(result: TableResult) -> Iterator[tuple[str, PlayerRound]]:
    stayed = {player: score for player, score in result.scores if player not in result.losers}
    leaders = [player for player, score in stayed.items() if score == max(stayed.values())]
    best = [result.winner] if result.winner else leaders
    for player, score in result.scores:
        outcome = RoundOutcome.LOSS if player not in best else RoundOutcome.WIN if len(best) == 1 else RoundOutcome.DRAW
        yield (
            player,
            PlayerRound(result.round, None, outcome, 0.0, score, played=result.played, seats=len(result.scores)),
        )
