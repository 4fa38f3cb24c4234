"""The bye that a pairing allocates to the player without an opponent. Pure, without tournaments.

Some systems decide it with the pairs: Dutch by its criteria C2 and C5 (``faristol.tournament.engines.dutch``), Keizer,
the round robin, and the first round of a Swiss tournament, each in its module of ``faristol.tournament.engines``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from faristol.kernel.refusal import N_, Refusal


def list_bye_candidates(had_bye: Sequence[bool]) -> Iterator[int | None]:
    """Yield the places of the candidates for the bye, the lowest first; None for an even number of players.

    ``had_bye`` states for each player, best first, whether they have had a bye: only one is permitted (FIDE C.04.1).
    """
    if len(had_bye) % 2 == 0:
        yield None
        return
    yield from (place for place in reversed(range(len(had_bye))) if not had_bye[place])


def no_bye_left(players: int, article: str = "FIDE C.04.1") -> Refusal:
    """Return the refusal for an odd number of players who have all had the bye."""
    return Refusal(
        "NO_BYE_LEFT",
        N_("The number of players is odd ({players}), and each has already had a bye, so no player may have it."),
        {"players": players},
        article=article,
    )
