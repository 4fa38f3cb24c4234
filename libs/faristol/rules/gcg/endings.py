"""The lines after the last turn: points for the tiles left, and overtime.

The tiles left count in one of two ways. The player who went out gets the points of the opponent's rack, and the
opponent loses them: two lines. Or the player who went out gets them twice: one line, and the same spread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from faristol.rules.board import Board
from faristol.rules.conditions import EndCondition
from faristol.rules.endgame import rack_value
from faristol.rules.gcg.game import RackPenalty, RackPoints, TimePenalty
from faristol.rules.gcg.problem import Wrong
from faristol.rules.gcg.supply import Supply
from faristol.rules.gcg.tiles import UNKNOWN_GCG_TILE, read_rack, write_rack
from faristol.rules.ruleset.ruleset import Ruleset


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
