"""The table on which a file is replayed: it lays the tiles of each line, checks the line and computes its points."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from faristol.kernel.quotation import quote_text
from faristol.kernel.refusal import Refusal
from faristol.rules.board import ROW_NAMES, Board, Placement, Square, Tile
from faristol.rules.conditions import EndCondition, end_of_turns
from faristol.rules.gcg import game as gcg
from faristol.rules.gcg.endings import Closing, Supply
from faristol.rules.gcg.game import Challenge, Play, Wrong
from faristol.rules.gcg.tiles import UNKNOWN_GCG_TILE, BoardTile, read_rack, read_word, write_rack, write_tile
from faristol.rules.notation import Notation
from faristol.rules.placement import check_play
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.scoring import PlayScore, score_play
from faristol.rules.tiles import BLANK, TileSet
from faristol.rules.turns import TurnKind, check_exchange, check_pass

CHALLENGE_STEP_POINTS, MAX_POINTS_PER_WORD = 5, 10
"""If the file decides: a multiple of five points, up to ten for each word of the play in the harshest variant."""


def check_challenge(event: Challenge, mover: str, words: int, ruleset: Ruleset, *, stands: bool) -> None:
    """Raise ``Wrong`` if the line has wrong points for a failed challenge of a play with that number of ``words``.

    Either the ``mover`` gains points or the challenger loses them. The rules determine which, and how many. If they
    leave it open and no option is chosen, the file decides, as files do not name the variant. A challenge of a play
    that did not stand costs points only if each valid word among those challenged does (PES Δ.ε).
    """
    rules = ruleset.challenge
    gained = event.nick == mover
    points = event.score if gained else -event.score
    if not stands:
        words -= 1
        if not words or _open(ruleset) or rules.penalty_unit != "word":
            raise Wrong("NO_PLAY", f"{mover}'s play did not stand", "no points for a successful challenge")
    if _open(ruleset):
        if not 0 < points <= MAX_POINTS_PER_WORD * words or points % CHALLENGE_STEP_POINTS:
            raise _wrong(
                event,
                mover,
                f"{CHALLENGE_STEP_POINTS} to {MAX_POINTS_PER_WORD * words} points in steps of "
                f"{CHALLENGE_STEP_POINTS}, gained or lost",
            )
        return
    if not rules.penalty:
        raise _wrong(event, mover, f"no such line: it costs 0 points under {ruleset.name}")
    if gained is not (rules.penalty_goes == "to-mover"):
        who = f"{mover} to gain" if rules.penalty_goes == "to-mover" else "the challenger to lose"
        raise _wrong(event, mover, f"{who} the points")
    most = rules.penalty * (words if rules.penalty_unit == "word" else 1)
    if not 0 < points <= most or points % rules.penalty:
        raise _wrong(event, mover, f"{rules.penalty} points" + (f" for each of {words} words" if most > points else ""))


def _open(ruleset: Ruleset) -> bool:
    return any("challenge.penalty" in option.keys and option.name not in ruleset.chosen for option in ruleset.options)


def _wrong(event: Challenge, mover: str, expected: str) -> Wrong:
    return Wrong(
        "CHALLENGE_POINTS", f"a failed challenge of {mover}'s play gives {event.nick} {event.score:+}", expected
    )


def square_name(square: Square) -> str:
    """Return the GCG name of a square, column first: row 7, column 0 is ``A8``."""
    return f"{ROW_NAMES[square.col]}{square.row + 1}"


def placements(play: Play, board: Board, tile_set: TileSet) -> tuple[Placement, ...]:
    """Return the tiles that the play lays on ``board``.

    Raises ``Wrong`` if the word leaves the board, does not fit its tiles, or is only a part of the word on the board.
    """
    marks = read_word(play.word, tile_set)
    start, direction = play.start
    place = Notation.GCG.write(play.start)
    if not start.step(direction, len(marks) - 1).on_board:
        room = next(size for size in range(len(marks), 0, -1) if start.step(direction, size - 1).on_board)
        raise Wrong("OFF_BOARD", f"{place} {play.word} has {len(marks)} squares", f"{room} at most from {place}")
    laid = []
    for step, mark in enumerate(marks):
        square = start.step(direction, step)
        there = board.get(square)
        match mark:
            case BoardTile(face):
                _check_through(square, there, face)
            case Tile():
                if there is not None and there.face == mark.face:
                    continue  # some programs repeat the letters of tiles on the board
                if there is not None:
                    name, tile = square_name(square), write_tile(there)
                    message = f"{play.word} lays {write_tile(mark)} on {name}, where {tile} lies"
                    raise Wrong("SQUARE_TAKEN", message, "a dot for a tile that lies there already")
                laid.append(Placement(square, mark))
    for square in (start.step(direction, -1), start.step(direction, len(marks))):
        if len(marks) > 1 and square in board:
            message = (
                f"{place} {play.word} is a part of a word: {write_tile(board[square])} lies on {square_name(square)}"
            )
            raise Wrong("WORD_INCOMPLETE", message, "the whole word, with a dot for each tile that lies there already")
    return tuple(laid)


def _check_through(square: Square, there: Tile | None, face: str | None) -> None:
    if there is None:
        raise Wrong("GAP", f"{square_name(square)} is empty", "a tile there: the word goes through it")
    if face is not None and there.face != face:
        name = square_name(square)
        raise Wrong("OTHER_TILE", f"the word goes through {face} on {name}", f"{write_tile(there)}, which lies there")


@dataclass(frozen=True, slots=True)
class _Laid:
    """The last play, until the next turn begins."""

    nick: str
    rack: tuple[str, ...] | None
    placements: tuple[Placement, ...]
    score: PlayScore
    stands: bool = True


class GcgTable:
    """A game in progress. ``take`` plays one line and updates the board and the totals."""

    def __init__(self, nicks: tuple[str, str], ruleset: Ruleset, *, twice: bool) -> None:
        """Begin a game of ``nicks``; with ``twice``, the player who goes out gets the opponent's rack twice."""
        self.ruleset = ruleset
        self.board = Board()
        self.nicks = nicks
        self.totals = dict.fromkeys(self.nicks, 0)
        self.supply = Supply(self.nicks, ruleset)
        self.end: EndCondition | None = None
        self.turns: list[TurnKind] = []
        self._points: list[int] = []
        self._closing = Closing(nicks, ruleset, twice=twice)
        self._turn: str | None = None
        """The player on turn; None before the first turn, which either player may take."""
        self._last: _Laid | None = None
        self._challenged = False
        self._out: str | None = None

    def take(self, event: gcg.Event) -> int:
        """Play the line and return its points.

        Raises ``Wrong`` or ``Refusal`` if it is illegal here; the table then stays unchanged.
        """
        match event:
            case gcg.Play():
                score = self._play(event)
            case gcg.Exchange():
                score = self._exchange(event)
            case gcg.Pass():
                score = self._pass(event)
            case gcg.Withdrawal():
                score = self._withdraw(event)
            case gcg.Challenge():
                score = self._challenge(event)
            case gcg.RackPoints() | gcg.RackPenalty() | gcg.TimePenalty():
                score = self._close(event)
        self.totals[event.nick] += score
        if isinstance(event, gcg.Play):
            self._points[-1] = score
        if self.end is None and isinstance(event, gcg.Play | gcg.Exchange | gcg.Pass | gcg.Withdrawal):
            self._look_for_end(event.nick)
        return score

    def other(self, nick: str) -> str:
        """Return the opponent of ``nick``."""
        return self.nicks[1] if nick == self.nicks[0] else self.nicks[0]

    def missing(self) -> str:
        """Return the missing closing lines of an ended game, for a message; empty if there are all."""
        return self._closing.missing(self.end, self._out, self.supply.unseen(self.board)) if self.end else ""

    def check_racks(self, racks: Mapping[str, str]) -> None:
        """Raise ``Wrong`` if the players cannot hold all these racks now."""
        self.supply.refill()
        tiles = [tile for nick, text in racks.items() for tile in self.supply.rack(text, nick, self.board)]
        self.supply.check_enough(tiles, self.board, f"the racks {' and '.join(racks.values())}")

    def _begin(self, nick: str) -> None:
        """Begin a turn of ``nick``, which shows that the play before it stood."""
        if self.end is not None:
            raise Wrong(
                "AFTER_END", f"{nick} has a turn, and the game is over ({self.end})", "rack points and penalties"
            )
        if self._turn not in (None, nick):
            raise Wrong("OFF_TURN", f"it is not {nick}'s turn", f"a turn of {self._turn}")
        self.supply.refill()

    def _rack(self, text: str | None, nick: str, used: tuple[str, ...] = ()) -> tuple[str, ...] | None:
        """Return the rack, or None if it is not completely known.

        Raises ``Wrong`` if the tiles ``used`` exceed the unknown tiles of the rack.
        """
        if text is None:
            return None
        if UNKNOWN_GCG_TILE not in text:
            return self.supply.rack(text, nick, self.board)
        self.supply.check_partial_rack(text, used, nick, self.board)
        return None

    def _over(self, nick: str, kind: TurnKind) -> None:
        self.turns.append(kind)
        self._points.append(0)
        self._turn = self.other(nick)
        self._last, self._challenged = None, False

    def _play(self, event: gcg.Play) -> int:
        self._begin(event.nick)
        laid = placements(event, self.board, self.ruleset.tile_set)
        needed = tuple(tile.in_rack for _, tile in laid)
        rack = self._rack(event.rack, event.nick, needed)
        if rack is None:
            self.supply.rack(write_rack(needed), event.nick, self.board)
        check_play(self.board, laid, rack=needed if rack is None else rack, ruleset=self.ruleset)
        score = score_play(self.board, laid, self.ruleset)
        self.board = self.board.place(laid)
        self.supply.lay(event.nick, len(laid))
        self._over(event.nick, TurnKind.PLAY)
        self._last = _Laid(event.nick, rack, laid, score)
        return score.points

    def _exchange(self, event: gcg.Exchange) -> int:
        self._begin(event.nick)
        tiles = self.supply.rack(event.tiles, event.nick, self.board) if event.tiles else (BLANK,) * event.count
        rack = tiles if event.count else self._rack(event.rack, event.nick, tiles)
        check_exchange(tiles if rack is None else rack, tiles, self.supply.bag, self.ruleset)
        self._over(event.nick, TurnKind.EXCHANGE)
        return 0

    def _pass(self, event: gcg.Pass) -> int:
        if self.end is EndCondition.OUT and self._last is not None and event.nick != self._out:
            self._last = None  # the turn lost by a challenge of the last play
            return 0
        self._begin(event.nick)
        self._rack(event.rack, event.nick)
        kind = TurnKind.PASS
        try:
            check_pass(self.supply.bag, self.ruleset)
        except Refusal:
            if not self.ruleset.passing.cannot_play:
                raise
            kind = TurnKind.CANNOT_PLAY  # files do not distinguish the two
        self._over(event.nick, kind)
        return 0

    def _withdraw(self, event: gcg.Withdrawal) -> int:
        last = self._last
        if last is None or not last.stands or last.nick != event.nick or self._challenged:
            raise Wrong("NO_PLAY", f"{event.nick} takes back a play", "it right after the play that was challenged")
        partial = event.rack is None or UNKNOWN_GCG_TILE in event.rack
        rack = None if event.rack is None or partial else read_rack(event.rack, self.ruleset.tile_set)
        if rack is not None and last.rack is not None and sorted(rack) != sorted(last.rack):
            message = f"{event.nick} takes tiles back and holds {write_rack(rack)}"
            raise Wrong("RACK_CHANGED", message, f"the rack before the play, {write_rack(last.rack)}")
        self.board = self.board.remove(square for square, _ in last.placements)
        self.supply.take_back(event.nick, len(last.placements))
        self.turns[-1], self._points[-1] = TurnKind.WITHDRAWN, 0
        self.end, self._out = None, None
        self._last = dataclasses.replace(last, stands=False)
        return -last.score.points

    def _challenge(self, event: gcg.Challenge) -> int:
        last = self._last
        if last is None or self._challenged:
            raise Wrong("NO_PLAY", "there is no play to challenge", "one such line, right after the play")
        check_challenge(event, last.nick, len(last.score.words), self.ruleset, stands=last.stands)
        self._challenged = True
        return event.score

    def _close(self, event: gcg.RackPoints | gcg.RackPenalty | gcg.TimePenalty) -> int:
        if isinstance(event, gcg.TimePenalty) and self.end is None and self._closing.reaches_cap(event):
            self.end = EndCondition.OVERTIME
        if self.end is None:
            raise Wrong(
                "BEFORE_END", f"{quote_text(_format_event(event))} stands before the end of the game", self._what_ends()
            )
        score = self._closing.take(event, self.end, self._out, self.supply, self.board)
        self._last = None
        return score

    def _look_for_end(self, nick: str) -> None:
        if self.supply.is_out(nick):
            self.end, self._out = EndCondition.OUT, nick
        else:
            self.end = end_of_turns(self.turns, tuple(self.totals.values()), self.ruleset, self._points)

    def _what_ends(self) -> str:
        left = sum(self.supply.unseen(self.board).values())
        return f"turns until a player is out ({left} tiles are not on the board) or no player plays"


def _format_event(event: gcg.RackPoints | gcg.RackPenalty | gcg.TimePenalty) -> str:
    return "(time)" if isinstance(event, gcg.TimePenalty) else f"({event.tiles})"
