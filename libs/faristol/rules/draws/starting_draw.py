"""The starting draw, which determines the first player.

Each player draws a tile. The one nearest to the start of the alphabet begins, and a blank comes before A. Players with
the same best tile draw again, from the whole bag (FISC I.5, PES Γ.α), unless the rules keep equal tiles out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from faristol.rules.draws.bag import draw, full_bag, without
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import BLANK


class StartingTile(NamedTuple):
    """One tile drawn: its player, its face, and the number of the draw in its game."""

    player: str
    face: str
    counter: int


class StartingDraw(NamedTuple):
    """Every tile drawn, in order, and the first player."""

    tiles: tuple[StartingTile, ...]
    first: str

    @property
    def next_counter(self) -> int:
        """The number of the next draw in this game."""
        return self.tiles[-1].counter + 1


def starting_draw(ruleset: Ruleset, players: Sequence[str], seed: bytes, counter: int = 0) -> StartingDraw:
    """Draw until exactly one player has the best tile.

    ``seed`` and ``counter`` are those of ``bag.draw``; each tile takes one counter. Within a round of draws players
    draw different tiles. Between rounds all tiles go back into the bag, or none does, by ``start.tie``. Raises
    ``ValueError`` for fewer than two players, or for a repeated one.
    """
    if len(players) < 2 or len(set(players)) < len(players):
        raise ValueError(f"a starting draw is between two or more different players, not {', '.join(players)!r}")
    rank = dict(ruleset.tile_set.index)
    rank[BLANK] = -1 if ruleset.start.blank == "first" else len(rank)
    drawn: list[StartingTile] = []
    drawing = tuple(players)
    bag = whole = full_bag(ruleset.tile_set)
    while len(drawing) > 1:
        if ruleset.start.tie == "return-and-redraw":
            bag = whole
        this_round: list[StartingTile] = []
        for player in drawing:
            (face,) = draw(bag, 1, seed, counter)
            bag = without(bag, (face,))
            this_round.append(StartingTile(player, face, counter))
            counter += 1
        best = min(rank[tile.face] for tile in this_round)
        drawing = tuple(tile.player for tile in this_round if rank[tile.face] == best)
        drawn.extend(this_round)
    return StartingDraw(tuple(drawn), drawing[0])
