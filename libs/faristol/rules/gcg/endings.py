"""The tiles that players and bag have, and the lines after the last turn: points for the tiles left, and overtime.

Racks in a file are an annotator's notes: they may be missing or incomplete. The numbers of tiles are therefore counted
from the tiles laid. Of the tiles that are not on the board only the total is known.

The tiles left count in one of two ways. The player who went out gets the points of the opponent's rack, and the
opponent loses them: two lines. Or the player who went out gets them twice: one line, and the same spread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from faristol.kernel.quotation import quote_text
from faristol.rules.board import Board
from faristol.rules.conditions import EndCondition
from faristol.rules.endgame import rack_value
from faristol.rules.gcg.game import RackPenalty, RackPoints, TimePenalty, Wrong
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


class Closing:
    """The closing lines of a game, as far as they were read."""

    def __init__(self, nicks: tuple[str, ...], ruleset: Ruleset, *, twice: bool) -> None:
        self._nicks = nicks
        self._ruleset = ruleset
        self._twice = twice
        self._racks: dict[str, tuple[str, ...]] = {}
        self._taken: set[tuple[str, type]] = set()

    def reaches_cap(self, event: TimePenalty) -> bool:
        """Check whether the overtime reaches the cap that ends the game (FISC I.11)."""
        cap = self._ruleset.clock.overtime_cap_minutes
        return cap is not None and -event.score >= cap * self._ruleset.clock.overtime_points

    def take(
        self,
        event: RackPoints | RackPenalty | TimePenalty,
        end: EndCondition,
        out: str | None,
        supply: Supply,
        board: Board,
    ) -> int:
        """Return the points of a closing line after ``end``, with ``out`` the player who went out. Raises ``Wrong``."""
        key = (event.nick, type(event))
        if key in self._taken:
            raise Wrong("TWICE", f"{event.nick} has such a line already", f"one {_title(event)} of a player")
        match event:
            case TimePenalty():
                score = self._time(event)
            case RackPoints():
                score = self._points(event, end, out, supply.unseen(board))
            case RackPenalty():
                score = self._penalty(event, end, out, supply, board)
        self._taken.add(key)
        return score

    def missing(self, end: EndCondition, out: str | None, unseen: Mapping[str, int]) -> str:
        """Return the missing closing lines, for a message; empty if there are all."""
        if end is EndCondition.OVERTIME:
            return ""
        left = tuple(Counter(unseen).elements())
        if out is None:
            nicks = [nick for nick in self._nicks if (nick, RackPenalty) not in self._taken]
            return " and ".join(f">{nick}: RACK (RACK) -n total" for nick in nicks)
        if not rack_value(left, self._ruleset.tile_set):
            return ""
        tiles = write_rack(left)
        wanted: list[tuple[str, type, str]] = []
        if self._twice or self._ruleset.end.out_bonus != "none":
            wanted.append((out, RackPoints, f">{out}: ({tiles}) +n total"))
        if not self._twice:
            wanted += [
                (nick, RackPenalty, f">{nick}: {tiles} ({tiles}) -n total") for nick in self._nicks if nick != out
            ]
        return " and ".join(line for nick, kind, line in wanted if (nick, kind) not in self._taken)

    def _time(self, event: TimePenalty) -> int:
        step = self._ruleset.clock.overtime_points
        if event.score >= 0 or (step and event.score % step):
            expected = f"a multiple of {step} points deducted" if step else "points deducted"
            raise Wrong("TIME_POINTS", f"overtime gives {event.score:+}", expected)
        return event.score

    def _points(self, event: RackPoints, end: EndCondition, out: str | None, unseen: Counter[str]) -> int:
        if end is not EndCondition.OUT or event.nick != out:
            expected = (
                f"such a line of {out} only"
                if out
                else "each rack deducted from its player's score: no player went out"
            )
            raise Wrong("NOT_OUT", f"{event.nick} did not go out", expected)
        tiles = read_rack(event.tiles, self._ruleset.tile_set)
        self._check_left(tiles, unseen)
        value = rack_value(tiles, self._ruleset.tile_set)
        return 2 * value if self._twice else value

    def _penalty(self, event: RackPenalty, end: EndCondition, out: str | None, supply: Supply, board: Board) -> int:
        if event.nick == out:
            raise Wrong("IS_OUT", f"{event.nick} went out and has no rack to deduct", "such a line of the other player")
        if out is not None and self._twice:
            expected = f"twice the rack for {out}, and this line not"
            raise Wrong("COUNTED_TWICE", f"the rack of {event.nick} is deducted as well", expected)
        tiles = read_rack(event.tiles, self._ruleset.tile_set)
        if (
            event.rack is not None
            and UNKNOWN_GCG_TILE not in event.rack
            and sorted(read_rack(event.rack, self._ruleset.tile_set)) != sorted(tiles)
        ):
            raise Wrong(
                "RACK_CHANGED", f"the rack is {event.rack} and ({event.tiles}) is counted", "the same tiles twice"
            )
        if end is EndCondition.OUT:
            self._check_left(tiles, supply.unseen(board))
        else:
            self._check_rack(event.nick, tiles, supply, board)
        return -rack_value(tiles, self._ruleset.tile_set)

    def _check_left(self, tiles: tuple[str, ...], unseen: Counter[str]) -> None:
        if Counter(tiles) != unseen:
            left = write_rack(unseen.elements())
            raise Wrong(
                "RACK_LEFT", f"({write_rack(tiles)}) is not what is left", f"({left}), which is not on the board"
            )

    def _check_rack(self, nick: str, tiles: tuple[str, ...], supply: Supply, board: Board) -> None:
        if len(tiles) != supply.held[nick]:
            raise Wrong(
                "RACK_LEFT", f"({write_rack(tiles)}) has {len(tiles)} tiles", f"the {supply.held[nick]} of the rack"
            )
        self._racks[nick] = tiles
        racks = self._racks.values()
        name = f"the racks {' and '.join(map(write_rack, racks))}"
        supply.check_enough([tile for rack in racks for tile in rack], board, name)


def _title(event: RackPoints | RackPenalty | TimePenalty) -> str:
    match event:
        case TimePenalty():
            return "(time) line"
        case RackPoints():
            return "line of rack points"
        case RackPenalty():
            return "rack penalty"
