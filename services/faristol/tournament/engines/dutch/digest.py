"""The digest of a pairing's inputs, with which it can be reproduced and verified later."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import asdict

from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchRound, Float


def digest(a_round: DutchRound) -> str:
    """Return the SHA-256 of all inputs of a round's pairing, in lower-case hexadecimal."""
    content = asdict(a_round) | {
        "forbidden": sorted(sorted(pair) for pair in a_round.forbidden),
        "kept": sorted(a_round.kept),
        "players": [asdict(player) for player in a_round.ranking()],
    }
    return hashlib.sha256(
        json.dumps(content, sort_keys=True, separators=(",", ":"), default=_plain).encode()
    ).hexdigest()


def _plain(value: frozenset[int] | Float) -> object:
    return value.value if isinstance(value, Float) else sorted(value)


def draw_initial_colour(seed: bytes) -> int:
    """Draw the initial colour by lot (FIDE C.04.3 5.1). The same seed gives the same colour."""
    return WHITE if hmac.digest(seed, b"initial colour", "sha256")[0] % 2 else BLACK
