"""The number of tiles of each player and of the bag, and the tiles that a rack can still have.

Racks in a file are an annotator's notes: they may be missing or incomplete. The numbers are therefore counted from the
tiles laid. Of the tiles that are not on the board only the total is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from faristol.kernel.quotation import quote_text
from faristol.rules.board import Board
from faristol.rules.gcg.problem import Wrong
from faristol.rules.gcg.tiles import UNKNOWN_GCG_TILE, read_rack, write_rack
from faristol.rules.ruleset.ruleset import Ruleset


class Supply:
    """The tiles of a game that are not on the board. Players draw when the next line shows that the play stood."""

    def __init__(self, nicks: Iterable[str], ruleset: Ruleset) -> None:
        self._set = ruleset.tile_set
        self._full = ruleset.game.rack_size
        self.held = dict.fromkeys(nicks, self._full)
        self.bag = self._set.size - sum(self.held.values())
        self._drawing: str | None = None

    def lay(self, nick: str, tiles: int) -> None:
        """Move ``tiles`` from the rack to the board; the player draws later."""
        self.held[nick] -= tiles
        self._drawing = nick

    def take_back(self, nick: str, tiles: int) -> None:
        """Move ``tiles`` back from the board before the player has drawn."""
        self.held[nick] += tiles
        self._drawing = None

    def refill(self) -> None:
        """Draw for the player who laid tiles."""
        if self._drawing is not None:
            drawn = min(self._full - self.held[self._drawing], self.bag)
            self.held[self._drawing] += drawn
            self.bag -= drawn
            self._drawing = None

    def is_out(self, nick: str) -> bool:
        """Check whether the player has no tile and can draw none."""
        return self.held[nick] == 0 and self.bag == 0

    def unseen(self, board: Board) -> Counter[str]:
        """Return the tiles that are not on ``board``: racks and bag together."""
        unseen = Counter(self._set.counts)
        unseen.subtract(tile.in_rack for tile in board.values())
        return +unseen

    def rack(self, text: str, nick: str, board: Board) -> tuple[str, ...]:
        """Parse a player's rack. Raises ``Wrong`` if the player cannot hold it."""
        rack = read_rack(text, self._set)
        if len(rack) > (most := self.held[nick]):
            less = "" if most == self._full else f": the bag is empty and {nick} has no more left"
            raise Wrong("RACK_TOO_LONG", f"rack {quote_text(text)} has {len(rack)} tiles", f"{most} at most{less}")
        self.check_enough(rack, board, f"the rack {write_rack(rack)}")
        return rack

    def check_partial_rack(self, text: str, used: Sequence[str], nick: str, board: Board) -> None:
        """Raise ``Wrong`` if the player cannot hold this rack, or cannot have ``used`` these tiles of it.

        Each dot in ``text`` is an unknown tile.
        """
        known = self.rack(text.replace(UNKNOWN_GCG_TILE, ""), nick, board)
        unknown = text.count(UNKNOWN_GCG_TILE)
        if len(known) + unknown > (most := self.held[nick]):
            raise Wrong("RACK_TOO_LONG", f"rack {quote_text(text)} has {len(known) + unknown} tiles", f"{most} at most")
        missing = Counter(used) - Counter(known)
        if missing.total() > unknown:
            message = f"{write_rack(missing.elements())} are used beside the known tiles of {quote_text(text)}"
            raise Wrong("NOT_IN_RACK", message, f"{unknown} of them at most")

    def check_enough(self, tiles: Sequence[str], board: Board, name: str) -> None:
        """Raise ``Wrong`` if ``tiles`` and the board need more tiles of a kind than the set has.

        ``name`` describes the tiles in the message.
        """
        unseen = self.unseen(board)
        if over := Counter(tiles) - unseen:
            face = next(iter(over))
            wanted, there = tiles.count(face), unseen[face]
            on_board = self._set.counts[face] - there
            message = f"{wanted} {write_rack([face])} are needed for {name}"
            expected = f"{there} at most: the set has {self._set.counts[face]}, and {on_board} of them on the board"
            raise Wrong("NOT_IN_BAG", message, expected)
