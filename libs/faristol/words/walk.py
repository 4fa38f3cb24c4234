"""The compiled walk over board and word graph that finds every play of one direction.

The board lies so that words run along its rows; for words down it is turned. A play is found by walking a
row from every square where a word may start, tile by tile along the graph, and stepping back to try the
next tile (Appel and Jacobson, 1988, without their left and right parts: it is known from each start where a word may
end). It turns back where no word ends there, or only with tiles that the hand has not got. What words across allow is
worked out once a square.

The walk steps back by hand because numba cannot keep recursive functions on disk. All masks are int64, one bit
for each tile code, and no field is unsigned: numba turns mixtures of signed and unsigned into floats.
"""

from __future__ import annotations

import numpy as np

from faristol.rules.board import CENTRE, SIZE
from faristol.words.jit import Int64s, Uint32s, compiled
from faristol.words.nodes import FINAL
from faristol.words.onward import CODES, LENGTHS

RACK_SIZE = 7
BINGO = 50
"""Points for laying all seven tiles; the same number in every rule book (FISC I.6)."""

TILE_BITS = 7
"""A laid tile in a play's number: six bits of tile code + 1, one bit for a blank. 0 is no tile."""
SCORE_LIMIT = 1 << 16

TILE, POINTS, LETTER_PREMIUM, WORD_PREMIUM, CONTACT, ALLOWED, ACROSS, ACROSS_LENGTH, SQUARE_FIELDS = range(9)
"""What is known of a square: the code of its tile, ``FREE`` if none; that tile's points; the premiums; whether a
tile laid there makes contact (0 or 1); the codes that the word across the row admits; the points of the tiles
already in that word, ``NO_CROSS`` if there is no such word; and how many tiles it will have."""
FREE = -1
NO_CROSS = -1

NODE, LAID, TILES, MAIN, FACTOR, CROSS, CROSSING, HELD, TO_TRY, TO_TRY_BLANK, TAKEN, STEP_FIELDS = range(12)
"""How far a walk has come on arriving at a column: the node; the tiles laid, how many and which; points of the
word along the row, and its factor; points of the words across, and the length of the last of them, 0 if none;
and the mask of the codes still in hand. Then what happens there: codes to try with a tile and with a
blank, and the place in the hand of what lies there, ``NOTHING`` if none."""
NOTHING = -1

MOST, SPARE, END_FIELDS = range(3)
"""Of a column before which a word may end: what no play that ends there scores above, ``NO_END`` if no play ends there;
and how many tiles of the hand it leaves."""
NO_END = -1


@compiled
def popcount(bits: int) -> int:
    """How many bits are set in a non-negative int64."""
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    bits = bits + (bits >> 8)
    bits = bits + (bits >> 16)
    return (bits + (bits >> 32)) & 0x7F


@compiled
def follow(marks: Int64s, first: Uint32s, edges: Uint32s, node: int, code: int) -> int:
    """The node that ``code`` leads to from ``node``, -1 when no word goes on like that."""
    mark = marks[node]
    if not (mark >> code) & 1:
        return -1
    earlier = np.int64(popcount(mark & ((1 << code) - 1)))
    return int(edges[np.int64(first[node]) + earlier])


@compiled
def describe(marks: Int64s, first: Uint32s, edges: Uint32s, squares: Int64s, faces: int) -> None:
    """Fill in ``CONTACT``, ``ALLOWED`` and ``ACROSS`` of every free square, from the tiles beside it."""
    empty = True
    for row in range(SIZE):
        for col in range(SIZE):
            here = squares[row, col]
            if here[TILE] >= 0:
                empty = False
                continue
            top = row
            while top > 0 and squares[top - 1, col, TILE] >= 0:
                top -= 1
            end = row + 1
            while end < SIZE and squares[end, col, TILE] >= 0:
                end += 1
            beside = (col > 0 and squares[row, col - 1, TILE] >= 0) or squares[row, col + 1, TILE] >= 0
            here[CONTACT] = 1 if beside or end - top > 1 else 0
            if end - top == 1:
                here[ALLOWED] = (1 << faces) - 1
                here[ACROSS] = NO_CROSS
            else:
                here[ALLOWED] = completing(marks, first, edges, squares[:, col, TILE], faces, top, row, end)
                here[ACROSS_LENGTH] = end - top
                here[ACROSS] = squares[top:row, col, POINTS].sum() + squares[row + 1 : end, col, POINTS].sum()
    if empty:
        squares[CENTRE.row, CENTRE.col, CONTACT] = 1


@compiled
def completing(
    marks: Int64s, first: Uint32s, edges: Uint32s, tiles: Int64s, faces: int, top: int, gap: int, end: int
) -> int:
    """The mask of the codes that make a word of ``tiles[top:end]`` when they fill its one ``gap``."""
    mask = 0
    before = 0
    for place in range(top, gap):
        before = follow(marks, first, edges, before, tiles[place])
        if before < 0:
            return 0
    for code in range(faces):
        node = follow(marks, first, edges, before, code)
        for place in range(gap + 1, end):
            if node < 0:
                break
            node = follow(marks, first, edges, node, tiles[place])
        if node >= 0 and marks[node] >= FINAL:
            mask |= 1 << code
    return mask


@compiled
def is_among(score: int, top: Int64s) -> bool:
    """Whether a score is one of the highest, which ``top`` keeps from the highest on; it is put among them."""
    if score < top[-1]:
        return False
    at = len(top) - 1
    while at > 0 and top[at - 1] < score:
        top[at] = top[at - 1]
        at -= 1
    top[at] = score
    return True


@compiled
def begin(steps: Int64s, start: int, held: int) -> None:
    """Stand before the first square of a word, with nothing laid."""
    steps[start, :] = 0
    steps[start, FACTOR] = 1
    steps[start, HELD] = held


@compiled
def look(marks: Int64s, line: Int64s, steps: Int64s, col: int) -> None:
    """Note what may be tried on a square, on arriving there."""
    here = steps[col]
    tile = line[col, TILE]
    ways = marks[here[NODE]] & (line[col, ALLOWED] if tile < 0 else 1 << tile)
    here[TAKEN] = NOTHING
    here[TO_TRY] = ways & here[HELD] if tile < 0 else ways
    here[TO_TRY_BLANK] = ways if tile < 0 else 0


@compiled
def note(step: Int64s, plays: Int64s, start: int, col: int, row: int, down: int, top: Int64s | None) -> bool:
    """Note the play whose word ends before ``col``; False where it is none, or not among those of ``top``."""
    laid = step[LAID]
    # One tile that makes a word both ways is one play: the longer word is its main word, or the one across.
    if laid == 1 and col - start < step[CROSSING] + down:
        return False
    score = step[MAIN] * step[FACTOR] + step[CROSS] + (BINGO if laid == RACK_SIZE else 0)
    # A condition of its own: so the code for every play is compiled without it.
    if top is not None:  # noqa: SIM102
        if not is_among(score, top):
            return False
    found = plays[0, 0] + 1
    if found < len(plays):
        where = (start << 4 | row) if down else (row << 4 | start)
        plays[found, 0] = (SCORE_LIMIT - score) << 9 | where << 1 | down
        plays[found, 1] = step[TILES] << TILE_BITS * (RACK_SIZE - laid)
    plays[0, 0] = found
    return True


@compiled
def leads_on(beyond: Int64s, ends: Int64s, wanted: int, held: int, col: int) -> bool:
    """Whether a word may go on before ``col``, from a node of ``beyond``, to one of the ends that are ``wanted``.

    Its tiles have to be in hand: those ``held`` that occur no more may not be more than the nearest end leaves.
    """
    ahead = beyond[LENGTHS] << col & wanted
    if not ahead:
        return False
    nearest = popcount((ahead & -ahead) - 1)
    return bool(popcount(held & ~beyond[CODES]) <= ends[nearest, SPARE])


@compiled
def step_on(
    marks: Int64s,
    first: Uint32s,
    edges: Uint32s,
    onward: Int64s,
    line: Int64s,
    values: Int64s,
    hand: Int64s,
    steps: Int64s,
    col: int,
    ends: Int64s,
    wanted: int,
) -> bool:
    """Take the next way over the square ``col`` that leads to an end that is ``wanted``; False when none is left.

    The last way's tile comes back.
    """
    here, there = steps[col], steps[col + 1]
    blank = len(values)
    free = line[col, TILE] < 0
    if here[TAKEN] != NOTHING:
        hand[here[TAKEN]] += 1
        here[TAKEN] = NOTHING
    while True:
        if here[TO_TRY]:
            lowest = here[TO_TRY] & -here[TO_TRY]
            here[TO_TRY] ^= lowest
            code = popcount(lowest - 1)
            taken = code if free else NOTHING
        elif here[TO_TRY_BLANK] and hand[blank]:
            lowest = here[TO_TRY_BLANK] & -here[TO_TRY_BLANK]
            here[TO_TRY_BLANK] ^= lowest
            code = popcount(lowest - 1)
            taken = blank
        else:
            return False
        node = follow(marks, first, edges, here[NODE], code)
        held = here[HELD]
        if taken == code and hand[code] == 1:
            held ^= lowest
        if leads_on(onward[node], ends, wanted, held, col + 1):
            break
    for field in range(TO_TRY):
        there[field] = here[field]
    there[NODE] = node
    if not free:
        there[MAIN] += line[col, POINTS]
        return True
    here[TAKEN] = taken
    hand[taken] -= 1
    there[HELD] = held
    worth = 0 if taken == blank else values[code] * line[col, LETTER_PREMIUM]
    there[LAID] += 1
    there[TILES] = here[TILES] << TILE_BITS | (code + 1) << 1 | (taken == blank)
    there[MAIN] += worth
    there[FACTOR] *= line[col, WORD_PREMIUM]
    if line[col, ACROSS] != NO_CROSS:
        there[CROSS] += (line[col, ACROSS] + worth) * line[col, WORD_PREMIUM]
        there[CROSSING] = line[col, ACROSS_LENGTH]
    return True


@compiled
def wanted_ends(ends: Int64s, least: int) -> int:
    """The mask of the columns before which a play may end that scores no less than ``least``."""
    wanted = 0
    for col in range(len(ends)):
        if ends[col, MOST] >= least:
            wanted |= 1 << col
    return wanted


@compiled
def find_from(
    marks: Int64s,
    first: Uint32s,
    edges: Uint32s,
    onward: Int64s,
    line: Int64s,
    values: Int64s,
    hand: Int64s,
    steps: Int64s,
    held: int,
    plays: Int64s,
    start: int,
    row: int,
    down: int,
    ends: Int64s,
    top: Int64s | None,
) -> None:
    """Put every play whose word starts at a square, and ends at one of ``ends``, into ``plays``.

    Where ``top`` is given, it holds the highest scores that were found so far, from the highest on: only plays are put
    that score no less than the last of them.
    """
    least = 0
    if top is not None:
        least = top[-1]
    wanted = wanted_ends(ends, least)
    begin(steps, start, held)
    look(marks, line, steps, start)
    col = start
    while col >= start:
        if col == SIZE or not step_on(marks, first, edges, onward, line, values, hand, steps, col, ends, wanted):
            col -= 1
            continue
        col += 1
        step = steps[col]
        if wanted >> col & 1 and marks[step[NODE]] >= FINAL:
            noted = note(step, plays, start, col, row, down, top)
            if top is not None:  # noqa: SIM102
                if noted and top[-1] > least:
                    least = top[-1]
                    wanted = wanted_ends(ends, least)
        look(marks, line, steps, col)


@compiled
def held_codes(hand: Int64s) -> int:
    """The mask of the codes that are in hand; blanks have none."""
    mask = 0
    for code in range(len(hand) - 1):
        if hand[code]:
            mask |= 1 << code
    return mask
