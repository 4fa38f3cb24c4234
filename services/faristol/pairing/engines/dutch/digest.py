"""The inputs of a pairing, so that it can be run again and shown to be the same years later."""

from __future__ import annotations

import hashlib
import hmac
import json

from faristol.pairing.engines.dutch.player import BLACK, WHITE, Round


def digest(a_round: Round) -> str:
    """SHA-256 of everything that the pairing of a round depends on, in lower-case hexadecimal."""
    told = {
        "number": a_round.number,
        "colours": a_round.colours,
        "initial_colour": a_round.initial_colour,
        "forbidden": sorted(sorted(pair) for pair in a_round.forbidden),
        "kept": sorted(a_round.kept),
        "not_come": sorted(a_round.not_come),
        "players": [
            {
                "number": player.number,
                "points": player.points,
                "opponents": sorted(player.opponents),
                "colours": player.colours,
                "floats": [received.value for received in player.floats],
                "had_bye": player.had_bye,
                "unplayed": player.unplayed,
                "topscorer": player.topscorer,
            }
            for player in a_round.ranking()
        ],
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def draw_initial_colour(seed: bytes) -> int:
    """The lot that decides the initial colour (FIDE C.04.3 5.1): the same seed, the same colour."""
    return WHITE if hmac.digest(seed, b"initial colour", "sha256")[0] % 2 else BLACK
