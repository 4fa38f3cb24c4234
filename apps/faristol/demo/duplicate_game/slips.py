"""The slips of the demonstration's players. Pure: the same turn and lots give the same slips.

Most players take one of the best plays. Each of the others shows one further case of the rules (FISC II.7), until all
cases are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from faristol.duplicate_game.hall import written_slip
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.board import Board, Direction, Square, Tile
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.duplicate_game.slips import Fault, TurnData, Verdict, judge_slip
from faristol.rules.notation import Notation, Start
from faristol.rules.placement import words_formed
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.words import WordGraph
from faristol.words.plays import Grid, as_play, best

Lot = Callable[..., int]

MAX_VISIBLE_PLAYS = 30
"""Number of best plays that a player sees."""
MAX_SQUARE_TRIES = 2_000
"""Limit of squares tried for a word that makes another one invalid."""


class SlipKind(StrEnum):
    """The kind of a slip."""

    GOOD = "good"
    NO_COORDINATES = "no-coordinates"
    OFF_BOARD = "off-board"
    COORDINATES_ILLEGIBLE = "coordinates-illegible"
    CANNOT_LIE = "cannot-lie"
    NO_WORD = "no-word"
    WORD_ILLEGIBLE = "word-illegible"
    NOT_WHOLE = "not-whole"
    NOT_IN_RACK = "not-in-rack"
    INVALID = "invalid"
    CROSS_WORD = "cross-word"
    UNCIRCLED = "uncircled"
    LATE = "late"
    NOT_HANDED_IN = "not-handed-in"
    HAND_NOT_RAISED = "hand-not-raised"
    TWO_SLIPS = "two-slips"
    """Two slips of paper: the judge rules which of them counts."""
    TYPED_OTHERWISE = "typed-otherwise"
    """Two collectors type the slip differently: the judge checks the paper."""
    AFTER_CLOSE = "after-close"
    """Found after the hall had closed the turn: the judge rejects it."""
    SCORE_WRONG = "score-wrong"
    """The score is recomputed."""
    EITHER_WORD = "either-word"
    """One tile forms two words, and the slip has the one that is not proposed first."""
    MISTYPED = "mistyped"
    """The collector mistypes the coordinates: the player raises a claim."""


ON_PAPER = frozenset(
    {
        SlipKind.COORDINATES_ILLEGIBLE,
        SlipKind.WORD_ILLEGIBLE,
        SlipKind.HAND_NOT_RAISED,
        SlipKind.TWO_SLIPS,
        SlipKind.TYPED_OTHERWISE,
        SlipKind.AFTER_CLOSE,
        SlipKind.MISTYPED,
    }
)
"""Kinds that occur only with paper slips."""


@dataclass(frozen=True, slots=True)
class PlayerSlip:
    """A slip of a player."""

    player_id: str
    kind: SlipKind
    slip: events.Slip
    """The slip on paper, or as last saved by the phone."""
    before: events.Slip | None = None
    """The slip as saved earlier by the phone, or as mistyped by a collector."""
    on_phone: bool = False


@dataclass(frozen=True)
class TurnView:
    """The view of all players in a turn."""

    turn: TurnData
    plays: Sequence[Play]
    """The best plays, best first."""
    short: Sequence[Play]
    """Words from the rack only, without a place on the board."""

    @classmethod
    def of(cls, graph: WordGraph, ruleset: Ruleset, board: Board, rack: Sequence[str]) -> TurnView:
        """Compute the sight of a turn."""
        grid = Grid.of(graph.tile_set, board)
        alone = Board()
        own = best(graph, Grid.of(graph.tile_set, alone), rack, MAX_VISIBLE_PLAYS)
        return cls(
            TurnData(board, tuple(rack), ruleset, lambda faces: faces in graph),
            [
                as_play(candidate, board)
                for candidate in islice(best(graph, grid, rack, MAX_VISIBLE_PLAYS), MAX_VISIBLE_PLAYS)
            ],
            [as_play(candidate, alone) for candidate in islice(own, MAX_VISIBLE_PLAYS)],
        )

    def verdict(self, slip: events.Slip) -> Verdict:
        """Judge a slip by the rules."""
        return judge_slip(written_slip(slip), self.turn)

    def first(self, slips: Iterator[events.Slip], fault: Fault | None) -> events.Slip | None:
        """Return the first slip with a fault, or the first that counts if ``fault`` is None.

        Returns None without one.
        """
        for slip in slips:
            null = self.verdict(slip).null
            if (null.fault if null else None) == fault:
                return slip
        return None


def write_slips(sight: TurnView, players: Sequence[str], wanted: Sequence[SlipKind], lot: Lot) -> list[PlayerSlip]:
    """Return the slips of ``players``. The first players by lot show the ``wanted`` kinds, as far as possible.

    ``lot(*what)`` returns a number that depends on the subject of the draw.
    """
    order = sorted(players, key=lambda player: lot("order", player))
    found: dict[str, PlayerSlip] = {}
    kinds = list(wanted)
    for player in order:
        own = good(sight, lot("play", player))
        kind, slip = SlipKind.GOOD, own
        while kinds and kind is SlipKind.GOOD:
            tried = kinds.pop(0)
            if (other := _SLIP_BUILDERS[tried](sight, own)) is not None:
                kind, slip = tried, other
        on_phone = kind not in ON_PAPER and lot("phone", player) % 2 == 0
        before = good(sight, lot("before", player)) if on_phone or kind is SlipKind.TYPED_OTHERWISE else None
        if kind is SlipKind.MISTYPED or (kind is SlipKind.TYPED_OTHERWISE and before == slip):
            before = _off_board(sight, slip)
        found[player] = PlayerSlip(player, kind, slip, before, on_phone)
    return [found[player] for player in players]


def good(sight: TurnView, lot: int) -> events.Slip:
    """Return a slip with one of the best plays."""
    play = sight.plays[lot % len(sight.plays)]
    return _slip(play.start, play.word)


def _slip(start: Start, word: Sequence[Tile]) -> events.Slip:
    return events.Slip(
        coordinates=Notation.FISC.write(start), word=" ".join(map(str, word)), handed=events.HANDED_IN_TIME
    )


def _with(own: events.Slip, **values: object) -> events.Slip:
    slip = events.Slip()
    slip.CopyFrom(own)
    for name, value in values.items():
        setattr(slip, name, value)
    return slip


def _off_board(sight: TurnView, own: events.Slip) -> events.Slip:
    return _with(own, coordinates="P16")


def _cannot_lie(sight: TurnView, own: events.Slip) -> events.Slip | None:
    corners = (Start(Square(row, 0), Direction.ACROSS) for row in (0, 14))
    return sight.first((_slip(corner, play.word) for corner in corners for play in sight.short), Fault.COORDINATES)


def _not_whole(sight: TurnView, own: events.Slip) -> events.Slip | None:
    """Return a slip that leaves out letters on the board."""

    def cut() -> Iterator[events.Slip]:
        for play in sight.plays:
            yield _slip(Start(play.start.square.step(play.start.direction, 1), play.start.direction), play.word[1:])
            yield _slip(play.start, play.word[:-1])

    return sight.first(cut(), Fault.NOT_WHOLE)


def _not_in_rack(sight: TurnView, own: events.Slip) -> events.Slip | None:
    def other() -> Iterator[events.Slip]:
        missing = [face for face in sight.turn.ruleset.tile_set.faces if face not in sight.turn.rack]
        for play in sight.plays:
            laid = {square for square, _ in play.placements}
            for face in missing:
                yield _slip(play.start, _relaid(play, {square: Tile(face) for square in laid}))

    return sight.first(other(), Fault.NOT_IN_RACK)


def _invalid(sight: TurnView, own: events.Slip) -> events.Slip | None:
    def rotate_tiles() -> Iterator[events.Slip]:
        for play in sight.plays:
            squares, tiles = [square for square, _ in play.placements], [tile for _, tile in play.placements]
            for by in range(1, len(tiles)):
                yield _slip(play.start, _relaid(play, dict(zip(squares, tiles[by:] + tiles[:by], strict=True))))

    return sight.first(rotate_tiles(), Fault.INVALID)


def _cross_word(sight: TurnView, own: events.Slip) -> events.Slip | None:
    beside = {
        square.step(direction, step) for square in sight.turn.board for direction in Direction for step in (-1, 1)
    }

    def beside_others() -> Iterator[events.Slip]:
        for square in sorted(beside):
            if square.on_board and square not in sight.turn.board:
                for direction in Direction:
                    for play in sight.short:
                        yield _slip(Start(square, direction), play.word)

    return sight.first(islice(beside_others(), MAX_SQUARE_TRIES), Fault.CROSS_WORD)


def _build_uncircled(sight: TurnView, own: events.Slip) -> events.Slip | None:
    bare = (_slip(play.start, [Tile(tile.face) for tile in play.word]) for play in sight.plays if play.blanks)
    return sight.first(bare, Fault.UNCIRCLED)


def _either_word(sight: TurnView, own: events.Slip) -> events.Slip | None:
    def others() -> Iterator[events.Slip]:
        for play in sight.plays:
            if len(play.placements) == 1:
                for word in words_formed(sight.turn.board, play.placements):
                    if word.start != play.start:
                        yield _slip(word.start, word.tiles)

    return sight.first(others(), None)


def _relaid(play: Play, tiles: Mapping[Square, Tile]) -> list[Tile]:
    """Return the word with other tiles on its newly covered squares."""
    (square, direction), word = play.start, play.word
    return [tiles.get(square.step(direction, place), tile) for place, tile in enumerate(word)]


def _set_handed(handed: events.Handed.ValueType) -> Callable[[TurnView, events.Slip], events.Slip]:
    return lambda _, own: _with(own, handed=handed)


def _same(sight: TurnView, own: events.Slip) -> events.Slip:
    return own


_SLIP_BUILDERS: Mapping[SlipKind, Callable[[TurnView, events.Slip], events.Slip | None]] = {
    SlipKind.MISTYPED: _same,
    SlipKind.NO_COORDINATES: lambda _, own: _with(own, coordinates=""),
    SlipKind.OFF_BOARD: _off_board,
    SlipKind.COORDINATES_ILLEGIBLE: lambda _, own: _with(own, coordinates="", coordinates_illegible=True),
    SlipKind.CANNOT_LIE: _cannot_lie,
    SlipKind.NO_WORD: lambda _, own: _with(own, word=""),
    SlipKind.WORD_ILLEGIBLE: lambda _, own: _with(own, word="", word_illegible=True),
    SlipKind.NOT_IN_RACK: _not_in_rack,
    SlipKind.INVALID: _invalid,
    SlipKind.LATE: _set_handed(events.HANDED_LATE),
    SlipKind.NOT_HANDED_IN: _set_handed(events.HANDED_NOT_AT_ALL),
    SlipKind.HAND_NOT_RAISED: _set_handed(events.HANDED_HAND_NOT_RAISED),
    SlipKind.TWO_SLIPS: _set_handed(events.HANDED_TWICE),
    SlipKind.TYPED_OTHERWISE: _same,
    SlipKind.AFTER_CLOSE: _same,
    SlipKind.SCORE_WRONG: lambda sight, own: _with(own, score=str(sight.verdict(own).points + 1)),
    SlipKind.NOT_WHOLE: _not_whole,
    SlipKind.CROSS_WORD: _cross_word,
    SlipKind.UNCIRCLED: _build_uncircled,
    SlipKind.EITHER_WORD: _either_word,
}
"""Derives a slip of each kind from a valid one, or None if the turn allows none."""
FLAWED_KINDS = tuple(_SLIP_BUILDERS)
"""All kinds except the valid one, in the order in which they are shown."""
