"""Placement: the validity of a play on the board, and the words that it forms.

Whether the words are in the language is not checked: a challenge asks and the lexicon answers (FISC I.10).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.blanks import check_blank_face
from faristol.rules.board import BOARD_SIZE, CENTRE, Board, Direction, Placement, Square, Tile
from faristol.rules.notation import Notation, Start, write_word
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import BLANK


class Word(NamedTuple):
    """Two or more tiles in a line, as formed by a play: their start and their reading direction."""

    start: Start
    tiles: tuple[Tile, ...]

    @property
    def faces(self) -> tuple[str, ...]:
        """The word as in the lexicon: two L tiles are not ``L·L``."""
        return tuple([tile.face for tile in self.tiles])

    @property
    def squares(self) -> tuple[Square, ...]:
        """The square of each tile, in reading order."""
        return tuple(self.start.square.step(self.start.direction, place) for place in range(len(self.tiles)))

    def __str__(self) -> str:
        return f"{Notation.FISC.write(self.start)} {write_word(self.tiles)}"


def words_formed(board: Board, placements: Iterable[Placement]) -> tuple[Word, ...]:
    """Return the words that the play forms on ``board``: the main word, then the cross words in reading order.

    The main word of a single tile is the longer one of its two, or the one across if they are equal. The result is
    empty if the play forms no word of two tiles. Raises ``ValueError`` for a square that is taken, used twice, or off
    the board.
    """
    laid = sorted(placements)
    outside = next((square for square, _ in laid if not square.on_board), None)
    if outside is not None:
        raise ValueError(f"{outside} is not on the board: its squares are A1 to O15")
    return _words(board.with_tiles(laid), laid)


def check_play(
    board: Board, placements: Iterable[Placement], *, rack: Sequence[str], ruleset: Ruleset
) -> tuple[Word, ...]:
    """Return the words that the play forms, the main word first, if the play is valid (FISC I.6).

    ``rack`` has the mover's tiles, ``?`` for a blank, and an empty string for an unknown tile that is not in the play.
    Raises ``Refusal`` with the article of the first rule that the play breaks.
    """
    laid = sorted(placements)
    _check_squares(board, laid, ruleset)
    _check_tiles(laid, rack, ruleset)
    _check_line(board, laid, ruleset)
    if board:
        if not any(
            (row, col - 1) in board or (row, col + 1) in board or (row - 1, col) in board or (row + 1, col) in board
            for (row, col), _ in laid
        ):
            raise Refusal(
                "NO_CONTACT",
                N_("The play touches no tile on the board. It must cross, lengthen or lie beside a word."),
                article=ruleset.law.contact,
            )
    else:
        _check_first_move(laid, ruleset)
    return _words(board.with_tiles(laid), laid)


def off_centre(board: Board, placements: Iterable[Placement], ruleset: Ruleset) -> bool:
    """Check whether a valid play misses the centre, so that the opponent must accept or refuse it (FISE 20).

    If declared invalid, it is taken back and the turn is lost (20.1); the next play is a first play again. If accepted,
    it scores without the centre, which stays a premium for a later play (20.2).
    """
    if board or ruleset.first_move.centre != "opponent-decides":
        return False
    return all(square != CENTRE for square, _ in placements)


def _check_squares(board: Board, laid: Sequence[Placement], ruleset: Ruleset) -> None:
    if not laid:
        raise Refusal("NO_TILES", N_("A play lays at least one tile."), article=ruleset.law.contact)
    if len(laid) > ruleset.game.rack_size:
        raise Refusal(
            "MORE_THAN_A_RACK",
            N_("These are {count} tiles. A play lays {most} at most: a player with more tiles has drawn too many."),
            {"count": len(laid), "most": ruleset.game.rack_size},
            article=ruleset.article("game.rack_size"),
        )
    seen: set[Square] = set()
    for square, tile in laid:
        if not square.on_board:
            raise Refusal(
                "OFF_BOARD",
                N_("{square} is not on the board: its rows are A to O, its columns 1 to 15."),
                {"square": str(square)},
                article=ruleset.law.on_board,
            )
        if square in board:
            raise Refusal(
                "SQUARE_TAKEN",
                N_("{square} already has {there}. {tile} needs an empty square."),
                {"square": str(square), "there": str(board[square]), "tile": str(tile)},
                article=ruleset.law.free_square,
            )
        if square in seen:
            raise Refusal(
                "SQUARE_TWICE",
                N_("Two tiles were laid on {square}. A square holds one tile."),
                {"square": str(square)},
                article=ruleset.law.free_square,
            )
        seen.add(square)


def _check_tiles(laid: Sequence[Placement], rack: Sequence[str], ruleset: Ruleset) -> None:
    known = ruleset.tile_set.index
    for _, tile in laid:
        if tile.face in known:
            continue
        if tile.blank:
            check_blank_face(tile.face, ruleset)
        raise Refusal(
            "FACE_UNKNOWN",
            N_("There is no tile {face} in this set. The tiles are {faces}."),
            {"face": tile.face, "faces": " ".join(ruleset.tile_set.faces)},
            article=ruleset.law.face_of_set,
        )
    held = list(rack)
    try:
        for _, tile in laid:
            held.remove(tile.in_rack)
    except ValueError:
        missing = Counter(tile.in_rack for _, tile in laid) - Counter(rack)
        if "" in rack:
            raise Refusal(
                "NOT_IN_RACK",
                N_("The play has more {tiles} than are left: all others are on the board or known to be elsewhere."),
                {"tiles": " ".join(sorted(missing.elements()))},
                article=ruleset.law.in_rack,
            ) from None
        raise Refusal(
            "NOT_IN_RACK",
            N_("The rack does not hold {tiles}. A play uses only tiles of the player's own rack ({blank} is a blank)."),
            {"tiles": " ".join(sorted(missing.elements())), "blank": BLANK},
            article=ruleset.law.in_rack,
        ) from None


def _check_line(board: Board, laid: Sequence[Placement], ruleset: Ruleset) -> None:
    first, last = laid[0].square, laid[-1].square
    row, col = first
    direction = Direction.ACROSS if row == last.row else Direction.DOWN
    across = direction is Direction.ACROSS
    if any((square.row != row if across else square.col != col) for square, _ in laid):
        raise Refusal(
            "NOT_IN_LINE",
            N_("The tiles lie in more than one row and more than one column. A play lies in one line."),
            article=ruleset.law.one_line,
        )
    if (last.col - col if across else last.row - row) == len(laid) - 1:
        return
    covered = {square for square, _ in laid}
    for square in _between(first, last, direction):
        if square not in covered and square not in board:
            raise Refusal(
                "GAP",
                N_("{square} is empty, and the play has tiles on both sides of it. A word cannot have a gap."),
                {"square": str(square)},
                article=ruleset.law.no_gap,
            )


def _check_first_move(laid: Sequence[Placement], ruleset: Ruleset) -> None:
    wanted = ruleset.first_move
    if len(laid) < wanted.tiles_min:
        raise Refusal(
            "FIRST_PLAY_TOO_SHORT",
            N_("The first play of a game lays {tiles} tiles or more, not {laid}."),
            {"tiles": wanted.tiles_min, "laid": len(laid)},
            article=ruleset.article("first_move.tiles_min"),
        )
    if wanted.centre == "mandatory" and CENTRE not in {square for square, _ in laid}:
        raise Refusal(
            "FIRST_PLAY_OFF_CENTRE",
            N_("The first play of a game covers {centre}, the square in the centre."),
            {"centre": str(CENTRE)},
            article=ruleset.article("first_move.centre"),
        )
    if wanted.direction == "across" and laid[0].square.row != laid[-1].square.row:
        raise Refusal(
            "FIRST_PLAY_NOT_ACROSS",
            N_("The first play of a game is laid across, from left to right."),
            article=ruleset.article("first_move.direction"),
        )


def _between(first: Square, last: Square, direction: Direction) -> Iterator[Square]:
    square = first
    while square != last:
        yield square
        square = square.step(direction)


def _words(after: Mapping[Square, Tile], laid: Sequence[Placement]) -> tuple[Word, ...]:
    """Return the words that ``laid``, in reading order, forms in ``after``, the board with these tiles."""
    if not laid:
        return ()
    if len(laid) == 1:
        ((square, _),) = laid
        across, down = _across(after, *square), _down(after, *square)
        words = (across, down) if down is None or (across and len(across.tiles) >= len(down.tiles)) else (down, across)
        return tuple(word for word in words if word)
    main, crossing = (_down, _across) if laid[0].square.col == laid[-1].square.col else (_across, _down)
    found = [main(after, *laid[0].square)]
    found += [crossing(after, row, col) for (row, col), _ in laid]
    return tuple([word for word in found if word])


_STARTS: Mapping[Direction, Mapping[tuple[int, int], Start]] = {
    direction: {
        (row, col): Start(Square(row, col), direction) for row in range(BOARD_SIZE) for col in range(BOARD_SIZE)
    }
    for direction in Direction
}
"""Every start of a word, created once: every attempt to play forms words."""


def _across(after: Mapping[Square, Tile], row: int, col: int) -> Word | None:
    """Return the word across through a square, or None if it has no neighbour."""
    tiles: Mapping[tuple[int, int], Tile] = after  # type: ignore[assignment] # a square is a pair of numbers
    first = last = col
    while (row, first - 1) in tiles:
        first -= 1
    while (row, last + 1) in tiles:
        last += 1
    if first == last:
        return None
    word = tuple([tiles[row, place] for place in range(first, last + 1)])
    return Word(_STARTS[Direction.ACROSS][row, first], word)


def _down(after: Mapping[Square, Tile], row: int, col: int) -> Word | None:
    """Return the word down through a square, or None if it has no neighbour."""
    tiles: Mapping[tuple[int, int], Tile] = after  # type: ignore[assignment] # a square is a pair of numbers
    first = last = row
    while (first - 1, col) in tiles:
        first -= 1
    while (last + 1, col) in tiles:
        last += 1
    if first == last:
        return None
    word = tuple([tiles[place, col] for place in range(first, last + 1)])
    return Word(_STARTS[Direction.DOWN][first, col], word)
