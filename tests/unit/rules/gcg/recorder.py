"""Making the lines of a file out of a game that is known otherwise: plays as placements, racks as faces."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from faristol.rules.board import Board, Placement
from faristol.rules.conditions import EndCondition
from faristol.rules.gcg.game import (
    Challenge,
    Event,
    Exchange,
    GcgError,
    GcgGame,
    GcgPlayer,
    Line,
    Note,
    Pass,
    Play,
    Pragma,
    RackPenalty,
    RackPoints,
    TimePenalty,
    Withdrawal,
    Wrong,
)
from faristol.rules.gcg.table import GcgTable
from faristol.rules.gcg.tiles import write_play, write_rack
from faristol.rules.ruleset.ruleset import Ruleset


class Recorder:
    """The lines of a game, one call for each; ``game()`` returns them. Scores and totals are computed here.

    Players are named by nickname. A rack holds faces, ``?`` for a blank, and is None if it is unknown. Every
    method raises ``Refusal`` for what the rules do not allow and ``GcgError`` for a line that is invalid there.
    """

    def __init__(self, first: GcgPlayer, second: GcgPlayer, ruleset: Ruleset, pragmas: Iterable[Pragma] = ()) -> None:
        self._twice = ruleset.end.out_bonus == "twice-opponents-racks"
        self._table = GcgTable((first.nick, second.nick), ruleset, twice=self._twice)
        tiles = Pragma(keyword="tile-set", text=ruleset.tile_set.name)
        self._lines: list[Line] = [tiles, *pragmas, first, second]
        self._rack: tuple[str, ...] | None = None

    def game(self) -> GcgGame:
        """Return the lines so far."""
        return GcgGame(tuple(self._lines))

    @property
    def board(self) -> Board:
        """The board after the last line."""
        return self._table.board

    @property
    def totals(self) -> dict[str, int]:
        """Points by nickname after the last line."""
        return dict(self._table.totals)

    @property
    def end(self) -> EndCondition | None:
        """The cause of the end of the game; None while it continues."""
        return self._table.end

    def play(self, nick: str, rack: Sequence[str] | None, placements: Sequence[Placement]) -> None:
        """Record tiles that are laid on the board."""
        start, word = write_play(self.board, placements)
        self._take(Play(nick=nick, rack=_format_rack(rack), start=start, word=word, score=0, total=0))
        self._rack = None if rack is None else tuple(rack)

    def exchange(self, nick: str, rack: Sequence[str] | None, tiles: Sequence[str] | int) -> None:
        """Record exchanged tiles, or their number if the tiles are unknown."""
        known = "" if isinstance(tiles, int) else write_rack(tiles)
        count = tiles if isinstance(tiles, int) else 0
        self._take(Exchange(nick=nick, rack=_format_rack(rack), tiles=known, count=count, score=0, total=0))

    def pass_turn(self, nick: str, rack: Sequence[str] | None) -> None:
        """Record a turn that was passed or lost."""
        self._take(Pass(nick=nick, rack=_format_rack(rack), score=0, total=0))

    def withdraw(self, nick: str) -> None:
        """Record that the previous play is removed from the board."""
        self._take(Withdrawal(nick=nick, rack=_format_rack(self._rack), score=0, total=0))

    def challenge(self, nick: str, rack: Sequence[str] | None, points: int) -> None:
        """Record points that a failed challenge gives the mover or, below 0, takes from the challenger."""
        self._take(Challenge(nick=nick, rack=_format_rack(rack), score=points, total=0))

    def count_racks(self, left: dict[str, Sequence[str]]) -> None:
        """Record the lines for the tiles left at the end, as the rules require; ``left`` has those of every player."""
        out = next((nick for nick, rack in left.items() if not rack), None) if self.end is EndCondition.OUT else None
        others = {nick: write_rack(rack) for nick, rack in left.items() if rack and nick != out}
        for nick, tiles in others.items():
            if out is not None and (self._twice or self._table.ruleset.end.out_bonus != "none"):
                self._take(RackPoints(nick=out, tiles=tiles, score=0, total=0))
            if out is None or not self._twice:
                self._take(RackPenalty(nick=nick, rack=tiles, tiles=tiles, score=0, total=0))

    def time_penalty(self, nick: str, points: int) -> None:
        """Record points for overtime, above 0."""
        self._take(TimePenalty(nick=nick, rack=None, score=-points, total=0))

    def note(self, text: str) -> None:
        """Record a note about the previous event."""
        self._lines.append(Note(text=text))

    def pragma(self, keyword: str, text: str = "") -> None:
        """Record any other pragma, ``incomplete`` for example."""
        self._lines.append(Pragma(keyword=keyword, text=text))

    def _take(self, event: Event) -> None:
        try:
            score = self._table.take(event)
        except Wrong as wrong:
            raise GcgError(wrong.at(len(self._lines) + 1)) from None
        self._lines.append(dataclasses.replace(event, score=score, total=self._table.totals[event.nick]))


def _format_rack(rack: Sequence[str] | None) -> str | None:
    return write_rack(rack) if rack else None
