"""A match: the same two players in every round (FISE 4.3). Pure."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

ALGORITHM = "match-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""

MATCH_PLAYERS = 2


def pair_match(players: Sequence[str], number: int, seed: bytes) -> tuple[str, str]:
    """Return the starting player of game ``number``, from 1, and the other.

    The first start is drawn, then alternates.
    """
    first, second = sorted(players, key=lambda player_id: hmac.digest(seed, player_id.encode(), "sha256"))
    return (first, second) if number % 2 else (second, first)
