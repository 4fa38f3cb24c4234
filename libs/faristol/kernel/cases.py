"""Ids of cases: the lexicon opens the case of a challenge under its id, and the table finds the ruling by it."""

from __future__ import annotations

import hashlib
import hmac

CASE_ID_DIGITS = 20
"""Hexadecimal digits of a case's id."""


def case_id_of(game_id: str, seed: bytes, challenge: int, *, appeal: bool = False) -> str:
    """Return the id of the case of a game's challenge (numbered from 1), or of the appeal against its ruling.

    The id is computed from the game, so opening a case twice opens one case. ``seed`` is the table's, which is secret
    during the game: a judge cannot derive the game from the id and look up its players.
    """
    text = f"{game_id}/{challenge}/{'appeal' if appeal else 'challenge'}"
    return hmac.new(seed, text.encode(), hashlib.sha256).hexdigest()[:CASE_ID_DIGITS]


def case_ids_of(game_id: str, seed: bytes, challenge: int, *, appeal: bool = False) -> tuple[str, str]:
    """Return the ids that a case may have: that of ``case_id_of``, and the one of the former scheme."""
    former = f"{game_id}-{challenge}" + ("-appeal" if appeal else "")
    return case_id_of(game_id, seed, challenge, appeal=appeal), former
