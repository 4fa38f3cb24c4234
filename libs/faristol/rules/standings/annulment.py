"""Players who leave where each meets each before they have played half of their games (FIDE C.05 6.6).

Where the rules say so (``championship.left_early``), their games stay in the crosstable and count for nobody, those
that their opponents won without play included; and they have no place among the others.
"""

from __future__ import annotations

from collections.abc import Collection

from faristol.rules.ruleset import Ruleset
from faristol.rules.standings.history import Rounds

_CYCLES = {"round-robin": 1, "double-round-robin": 2}
"""How many games two players have against each other."""


def find_annulled(rounds: Rounds, left: Collection[str], ruleset: Ruleset) -> frozenset[str]:
    """Those of ``left``, who are there no more, of whom the games are annulled.

    A game counts as completed if it was played: neither a forfeit nor a bye does.
    """
    law = ruleset.championship
    if law.left_early == "counts" or law.system not in _CYCLES or law.team_boards is not None:
        return frozenset()
    games = _CYCLES[law.system] * (len(rounds) - 1)
    return frozenset(
        player for player in left if player in rounds and 2 * sum(seen.played for seen in rounds[player]) < games
    )


def annul(rounds: Rounds, players: Collection[str]) -> Rounds:
    """The rounds with those of ``players``, and those against them, marked as annulled."""
    return {
        player: [seen._replace(annulled=True) if player in players or seen.opponent in players else seen for seen in of]
        for player, of in rounds.items()
    }
