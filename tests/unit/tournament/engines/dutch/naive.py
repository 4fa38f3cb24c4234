"""One bracket paired as the rules describe: candidate after candidate in their order, the first best one is taken.

For a bracket of one score without a lower one, small enough to try everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from faristol.tournament.engines.dutch.colours import allocate
from faristol.tournament.engines.dutch.player import WHITE, DutchPlayer, Float, Strength

Candidate = tuple[tuple[DutchPlayer, DutchPlayer], ...]


def first_of_the_best(players: Sequence[DutchPlayer]) -> tuple[frozenset[frozenset[int]], int | None] | None:
    """Return the pairs and the bye of players in order; None where no candidate keeps C1 to C3."""
    best: tuple[tuple[int, ...], Candidate, DutchPlayer | None] | None = None
    for pairs, rest in candidates(players):
        if not all(legal(first, other) for first, other in pairs) or (rest is not None and rest.had_bye):
            continue
        value = quality(pairs, rest)
        if best is None or value < best[0]:
            best = value, pairs, rest
    if best is None:
        return None
    _, pairs, rest = best
    return frozenset(frozenset((first.number, other.number)) for first, other in pairs), rest.number if rest else None


def candidates(players: Sequence[DutchPlayer]) -> Iterator[tuple[Candidate, DutchPlayer | None]]:
    """Yield every candidate in the order of FIDE C.04.3 article 4: exchanges, and transpositions of each."""
    half = len(players) // 2
    for upper, lower in exchanges(half, len(players)):
        seen = set()
        for order in permutations(lower):
            if order[:half] in seen:
                continue
            seen.add(order[:half])
            pairs = tuple((players[first], players[other]) for first, other in zip(upper, order[:half], strict=True))
            yield pairs, players[order[half]] if len(order) > half else None


def exchanges(half: int, count: int) -> list[tuple[list[int], list[int]]]:
    """Return S1 and S2 after each exchange, in order (4.3)."""
    found = []
    for size in range(half + 1):
        for out in combinations(range(half), size):
            for into in combinations(range(half, count), size):
                # Fewest; least difference; the highest leaving S1; the lowest entering it.
                key = size, sum(into) - sum(out), [-number for number in reversed(out)], into
                upper = sorted({*range(half)} - {*out} | {*into})
                found.append((key, upper, sorted({*range(count)} - {*upper})))
    return [(upper, lower) for _, upper, lower in sorted(found, key=lambda exchange: exchange[0])]


def legal(player: DutchPlayer, other: DutchPlayer) -> bool:
    if other.number in player.opponents:
        return False
    absolute = player.strength is other.strength is Strength.ABSOLUTE and player.preference == other.preference
    return not absolute or player.topscorer or other.topscorer


def quality(pairs: Candidate, rest: DutchPlayer | None) -> tuple[int, ...]:
    """Return the failures of a candidate by C9 to C17, the most important first."""
    short = dict.fromkeys(("difference", "thrice", "preference", "strong"), 0)
    for pair in pairs:
        higher, lower = sorted(pair, key=lambda player: (-player.points, player.number))
        colour, _ = allocate(higher, lower, WHITE)
        for player, given in ((higher, colour), (lower, -colour)):
            if player.preference and player.preference != given:
                short["difference"] += abs(player.colour_difference + given) > 2
                short["thrice"] += player.repeated == given
                short["preference"] += 1
                short["strong"] += player.strength is Strength.STRONG
    floats = (0, 0) if rest is None else tuple(int(received is Float.DOWN) for received in rest.floats)
    return (0 if rest is None else rest.unplayed, *short.values(), *floats)
