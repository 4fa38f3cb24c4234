"""What the case of a challenge is called: the lexicon opens it under that name, its table finds the ruling by it."""

from __future__ import annotations

import hashlib
import hmac

DIGITS = 20
"""Hexadecimal digits of a case's id."""


def case_id_of(game_id: str, seed: bytes, challenge: int, *, appeal: bool = False) -> str:
    """The case that a game's challenge of this number (from 1) becomes, or the appeal against its ruling.

    It follows from the game, so that whoever opens the case twice opens it once. ``seed`` is the table's, which is
    secret while it plays: nobody who reads the id can tell the game, and look up who plays it.
    """
    said = f"{game_id}/{challenge}/{'appeal' if appeal else 'challenge'}"
    return hmac.new(seed, said.encode(), hashlib.sha256).hexdigest()[:DIGITS]


def case_ids_of(game_id: str, seed: bytes, challenge: int, *, appeal: bool = False) -> tuple[str, str]:
    """What the case may be called: as ``case_id_of`` says, or as cases were called that were opened before that."""
    former = f"{game_id}-{challenge}" + ("-appeal" if appeal else "")
    return case_id_of(game_id, seed, challenge, appeal=appeal), former
