"""The rules again, as slowly and plainly as possible, without any code of ``faristol.rules``.

A board is a grid of 15 lists of 15 cells, a cell is None or (face, blank). Premiums are spelled out square by square
as the events of the game list them. The result is trusted if both implementations of the rules agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Cell = tuple[str, bool] | None
Grid = list[list[Cell]]
Laid = Sequence[tuple[int, int, str, bool]]
"""Row, column, face, whether it is a blank."""

_TRIPLE_WORD = "A1 A8 A15 H1 H15 O1 O8 O15"
_DOUBLE_WORD = "B2 B14 C3 C13 D4 D12 E5 E11 H8 K5 K11 L4 L12 M3 M13 N2 N14"
_TRIPLE_LETTER = "B6 B10 F2 F6 F10 F14 J2 J6 J10 J14 N6 N10"
_DOUBLE_LETTER = "A4 A12 C7 C9 D1 D8 D15 G3 G7 G9 G13 H4 H12 I3 I7 I9 I13 L1 L8 L15 M7 M9 O4 O12"


def _at(names: str) -> set[tuple[int, int]]:
    return {("ABCDEFGHIJKLMNO".index(name[0]), int(name[1:]) - 1) for name in names.split()}


TW, DW, TL, DL = map(_at, (_TRIPLE_WORD, _DOUBLE_WORD, _TRIPLE_LETTER, _DOUBLE_LETTER))


def runs(grid: Grid) -> list[list[tuple[int, int]]]:
    """Return every run of two or more tiles in a row or a column."""
    lines = [[(row, col) for col in range(15)] for row in range(15)]
    lines += [[(row, col) for row in range(15)] for col in range(15)]
    found: list[list[tuple[int, int]]] = []
    for line in lines:
        run: list[tuple[int, int]] = []
        for row, col in [*line, (-1, -1)]:
            if row >= 0 and grid[row][col] is not None:
                run.append((row, col))
                continue
            if len(run) > 1:
                found.append(run)
            run = []
    return found


def score(grid: Grid, laid: Laid, values: Mapping[str, int]) -> tuple[int, list[list[str]]]:
    """Return the score of a play on ``grid``, and the words with a new tile in them, in no order."""
    after = [list(row) for row in grid]
    for row, col, face, blank in laid:
        after[row][col] = (face, blank)
    new = {(row, col) for row, col, _, _ in laid}
    total, words = 0, []
    for run in runs(after):
        if not new.intersection(run):
            continue
        points, times, faces = 0, 1, []
        for square in run:
            cell = after[square[0]][square[1]]
            assert cell is not None
            face, blank = cell
            faces.append(face)
            worth = 0 if blank else values[face]
            if square in new and square in DL:
                worth += worth
            if square in new and square in TL:
                worth += worth + worth
            if square in new and square in DW:
                times *= 2
            if square in new and square in TW:
                times *= 3
            points += worth
        total += points * times
        words.append(faces)
    return total + (50 if len(laid) == 7 else 0), words


def ends(kinds: Sequence[str], points: Sequence[int], scores: Sequence[int], book: str, bag: int) -> bool:
    """Return whether a game of two (Festa Major: of as many as scores) ends by its last turns, book by book."""
    zero = all(score == 0 for score in scores)
    row = list(reversed(list(zip(kinds, points, strict=True))))

    def last(number: int, kinds_that_count: set[str]) -> bool:
        return len(row) >= number and all(kind in kinds_that_count for kind, _ in row[:number])

    no_tile = {"pass", "exchange", "withdrawn", "lost", "cannot-play", "timed-out", "forfeited"}
    listed = no_tile - {"timed-out", "forfeited"}
    if book == "uf-2007":
        return last(4, {"pass", "lost"}) or last(6, no_tile)
    if book == "fisc-2023":
        return not zero and (last(6, {"pass", "withdrawn", "lost"}) or last(12, listed))
    if book == "festa-major":
        stuck = bag == 0 and last(len(scores), {"cannot-play"})
        return stuck or last(2 * len(scores), {"pass", "cannot-play"})
    if book == "fise":
        return last(4, {"pass", "withdrawn"}) or (not zero and last(12, listed))
    return len(row) >= 6 and all(scored == 0 for _, scored in row[:6])
