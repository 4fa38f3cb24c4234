"""Annulment of the games of players who leave a round robin before playing half of them (FIDE C.05 6.6).

If the rules say so (``championship.left_early``), their games stay in the crosstable but count for no player, including
those that opponents won without play. The players have no rank.
"""

from __future__ import annotations

from collections.abc import Collection

from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.standings.history import Rounds

_CYCLES = {"round-robin": 1, "double-round-robin": 2}
"""Number of games of two players against each other."""


def find_annulled(rounds: Rounds, left: Collection[str], ruleset: Ruleset) -> frozenset[str]:
    """Return the players of ``left``, who have left the championship, whose games are annulled.

    Only played games count as completed: forfeits and byes do not.
    """
    law = ruleset.championship
    if law.left_early == "counts" or law.system not in _CYCLES or law.team_boards is not None:
        return frozenset()
    games = _CYCLES[law.system] * (len(rounds) - 1)
    return frozenset(
        player for player in left if player in rounds and 2 * sum(seen.played for seen in rounds[player]) < games
    )


def annul(rounds: Rounds, players: Collection[str]) -> Rounds:
    """Return the rounds, with those of ``players`` and those against them marked as annulled."""
    return {
        player: [seen._replace(annulled=True) if player in players or seen.opponent in players else seen for seen in of]
        for player, of in rounds.items()
    }
