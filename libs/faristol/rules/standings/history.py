"""What the rounds held so far were to each player."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from faristol.rules.ruleset import Ruleset
from faristol.rules.standings.results import Bye, Outcome, Result, TableResult


class Seen(NamedTuple):
    """A round as one player saw it. ``opponent`` is None for a bye, an absence and a table of more than two."""

    round: int
    opponent: str | None
    outcome: Outcome
    points: float
    score: int = 0
    against: int = 0
    played: bool = False
    awarded: bool = True
    """It has a result, or will have; False when the player stayed away."""
    pending: bool = False
    """It will have a result and has none yet: worth as much as a loss until then."""
    sat_out: Bye | None = None
    """The kind of a bye."""
    seats: int = 2
    """Players of the table."""

    @property
    def voluntary(self) -> bool:
        """Missed by the player's own will: stayed away, asked to sit it out, or lost by forfeit."""
        return not (self.played or self.pending) and self.outcome is not Outcome.WIN


Rounds = Mapping[str, Sequence[Seen]]
"""By player, what each round held was to them, in order."""


def tabulate(
    sides: Iterable[tuple[str, Seen]], players: Sequence[str], rounds: int, pending: Iterable[tuple[str, int]]
) -> Rounds:
    """The rounds that have results, as each player saw them.

    Raises ``ValueError`` for what cannot be: see ``standings``.
    """
    known = frozenset(players)
    held: dict[int, dict[str, Seen]] = defaultdict(dict)
    for player, seen in sides:
        if not 1 <= seen.round <= rounds:
            raise ValueError(f"round {seen.round} is not one of the {rounds} rounds of the championship")
        if player not in known:
            raise ValueError(f"round {seen.round} has a result of {player}, who is not among the players")
        if player in held[seen.round]:
            raise ValueError(f"{player} has two results in round {seen.round}")
        held[seen.round][player] = seen
    for player, number in sorted(set(pending)):
        if not 1 <= number <= rounds:
            raise ValueError(f"round {number}, pending for {player}, is not one of the {rounds} rounds")
        if player not in known:
            raise ValueError(f"round {number} is pending for {player}, who is not among the players")
        if number in held:
            if player in held[number]:
                raise ValueError(f"round {number} is pending for {player}, who has a result in it")
            held[number][player] = Seen(number, None, Outcome.LOSS, 0.0, pending=True)
    absent = {number: Seen(number, None, Outcome.LOSS, 0.0, awarded=False) for number in sorted(held)}
    return {player: [held[number].get(player, missed) for number, missed in absent.items()] for player in players}


def sides(result: Result | TableResult, ruleset: Ruleset) -> Iterator[tuple[str, Seen]]:
    """What a result is to each player whom it concerns."""
    law = ruleset.championship
    if isinstance(result, TableResult):
        yield from _of_several(result)
        return
    worth = worths(ruleset)
    first, second = result.outcomes
    if result.second is None:
        allocated = result.sat_out is Bye.ALLOCATED
        yield (
            result.first,
            Seen(
                result.round,
                None,
                first,
                law.bye if allocated else worth[first],
                law.bye_spread if allocated else 0,
                # Who asked to sit a round out was not there for it: it matters after the last one (FIDE C.07 16).
                awarded=first is Outcome.WIN,
                sat_out=result.sat_out,
            ),
        )
        return
    mine, theirs = result.first_score, result.second_score
    yield result.first, Seen(result.round, result.second, first, worth[first], mine, theirs, result.played)
    yield result.second, Seen(result.round, result.first, second, worth[second], theirs, mine, result.played)


def worths(ruleset: Ruleset) -> Mapping[Outcome, float]:
    """Points of the championship for a win, a draw and a loss."""
    law = ruleset.championship
    return {Outcome.WIN: law.win, Outcome.DRAW: law.draw, Outcome.LOSS: law.loss}


def _of_several(result: TableResult) -> Iterator[tuple[str, Seen]]:
    stayed = {player: score for player, score in result.scores if player not in result.losers}
    leaders = [player for player, score in stayed.items() if score == max(stayed.values())]
    best = [result.winner] if result.winner else leaders
    for player, score in result.scores:
        outcome = Outcome.LOSS if player not in best else Outcome.WIN if len(best) == 1 else Outcome.DRAW
        yield player, Seen(result.round, None, outcome, 0.0, score, played=result.played, seats=len(result.scores))
