"""The allocation of colours (FIDE C.04.3, article 5)."""

from __future__ import annotations

from faristol.tournament.engines.dutch.player import DutchPlayer, Strength


def allocate(higher: DutchPlayer, lower: DutchPlayer, initial_colour: int) -> tuple[int, str]:
    """Return the colour of ``higher``, the earlier of the two in the order of 1.2, and its article.

    ``initial_colour`` is the colour of ``higher`` if no played game decides.
    """
    if higher.preference and lower.preference and higher.preference != lower.preference:
        return higher.preference, "5.2.1"
    if not higher.preference and lower.preference:
        return -lower.preference, "5.2.1"
    if higher.preference and not lower.preference:
        return higher.preference, "5.2.1"
    if higher.preference:
        if higher.strength != lower.strength:
            return (higher.preference if higher.strength > lower.strength else -lower.preference), "5.2.2"
        own, other = abs(higher.colour_difference), abs(lower.colour_difference)
        if higher.strength is Strength.ABSOLUTE and own != other:
            return (higher.preference if own > other else -lower.preference), "5.2.2"
        for mine, theirs in zip(reversed(higher.colours), reversed(lower.colours), strict=False):
            if mine != theirs:
                return -mine, "5.2.3"
        return higher.preference, "5.2.4"
    return initial_colour, "5.2.5"
