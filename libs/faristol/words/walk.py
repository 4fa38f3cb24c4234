"""The compiled walk over board and word graph that finds every play of one direction.

Problem. A play lays tiles of the rack on free squares of one row or column. Each word formed must be in the lexicon. A
rack with two blanks can have a hundred thousand plays, among far more arrangements of its tiles.

Idea. It is the algorithm of Appel and Jacobson (1988) on the minimal graph of the words (``nodes``). Words run along
the rows of the board; for words down it is transposed. The codes that a cross word admits are computed once for each
square. The walk starts at every square where a word may start. It follows the graph tile by tile, and backtracks to the
next tile. It has no left and right parts, since the possible ends of a word are known for each start
(``search.find_ends``).

A branch is pruned if no word ends in time, or only with tiles that are not in the rack (``onward``). With ``top``, ends
are dropped whose upper bound of the score is below the plays found so far.

Backtracking is explicit: ``steps`` has the state on arrival at each column, and the choices left there.

Invariants:

- ``RackArrays.hand`` is the rack without the tiles laid up to the present column. It is complete again at the end.
- A play of one tile that forms a word both ways is written once (``note``).
- All masks are int64, one bit for each tile code. No field is unsigned: numba converts mixtures of signed and unsigned
  to floats.

Cost. In the worst case the walk visits every path of the graph that the rack can lay from a start. Each blank
multiplies the paths by the number of faces. ``steps`` has one row for each column, so memory does not grow with the
paths.

Rejected alternatives:

- Recursion: numba cannot cache recursive functions on disk.
- Left parts of any length, as in the paper: ends that are known for each start make them superfluous.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from faristol.rules.board import BOARD_SIZE, CENTRE
from faristol.words.graph import WordGraph
from faristol.words.jit import (
    IS_COMPILED,
    Int64s,
    compile_function,
    compile_without_allocation,
    make_table,
    make_vector,
    to_native,
)
from faristol.words.nodes import FINAL_BIT

LENGTHS, CODES, ONWARD_FIELDS = range(3)
"""Fields of a node: bit ``n`` if a word ends after ``n`` more tiles, and the mask of the codes that occur after it,
including words of inactive layers."""
_KEPT_LENGTHS_BITS = 0xFFFF
"""Lengths from 0 to the 15 tiles of a line."""

_known: WeakKeyDictionary[WordGraph, Int64s] = WeakKeyDictionary()


def onward(graph: WordGraph) -> Int64s:
    """Return ``LENGTHS`` and ``CODES`` of every node: 16 bytes each, cached by graph, in time linear in its edges."""
    found = _known.get(graph)
    if found is None:
        arrays = to_native(graph.marks), to_native(graph.first), to_native(graph.edges)
        found = _known[graph] = np.asarray(look_onward(*arrays), dtype=np.int64)
        found.flags.writeable = False
    return found


@compile_function
def look_onward(marks: Int64s, first: Int64s, edges: Int64s) -> Int64s:
    """Compute the fields of ``onward`` in depth-first post-order."""
    found = make_table(len(marks), ONWARD_FIELDS)
    done = make_vector(len(marks))
    path = make_vector(len(marks) + 1)  # the nodes from the root
    ways = make_vector(len(marks) + 1)  # the remaining bits of the mark of each
    edge = make_vector(len(marks) + 1)  # the edge of the lowest remaining bit
    depth = 0
    ways[0], edge[0] = marks[0] & (FINAL_BIT - 1), first[0]
    while depth >= 0:
        node = path[depth]
        if not ways[depth]:
            found[node][LENGTHS] |= 1 if marks[node] >= FINAL_BIT else 0
            done[node] = 1
            depth -= 1
            continue
        child = edges[edge[depth]]
        if done[child]:
            found[node][LENGTHS] |= found[child][LENGTHS] << 1 & _KEPT_LENGTHS_BITS
            found[node][CODES] |= found[child][CODES] | (ways[depth] & -ways[depth])
            ways[depth] &= ways[depth] - 1
            edge[depth] += 1
        else:
            depth += 1
            path[depth], ways[depth], edge[depth] = child, marks[child] & (FINAL_BIT - 1), first[child]
    return found


RACK_SIZE = 7
BINGO_POINTS = 50
"""Points for laying all seven tiles; the same number in every rule book (FISC I.6)."""

TILE_BITS = 7
"""Bits of a laid tile in a play's number: six for the tile code + 1, one for a blank. 0 is not a tile."""
SCORE_LIMIT = 1 << 16

TILE, POINTS, LETTER_PREMIUM, WORD_PREMIUM, CONTACT, ALLOWED, ACROSS, ACROSS_LENGTH, SQUARE_FIELDS = range(9)
"""Fields of a square: the code of its tile, or ``FREE``; that tile's points; the premiums; whether a tile laid there
makes contact (0 or 1); the mask of the codes that the cross word admits; the points of the tiles already in the cross
word, ``NO_CROSS`` without one; and the length of the cross word with the new tile."""
FREE = -1
NO_CROSS = -1

NODE, LAID, TILES, MAIN, FACTOR, CROSS, CROSSING, HELD, TO_TRY, TO_TRY_BLANK, TAKEN, STEP_FIELDS = range(12)
"""State of a walk on arrival at a column: the node; the number of tiles laid, and the tiles; points and factor of the
word along the row; points of the cross words, and the length of the last of them, or 0; and the mask of the codes in
the rack. Then the choices there: codes to try with a tile and with a blank, and the rack index of the tile laid there,
or ``NO_TILE_TAKEN``."""
NO_TILE_TAKEN = -1

MOST, SPARE, END_FIELDS = range(3)
"""Fields of a column before which a word may end: the upper bound of the score, or ``NO_END``; and the number of tiles
that stay in the rack."""
NO_END = -1


class GraphArrays(NamedTuple):
    """The arrays of a word graph, or lists without numba, as all tables here."""

    marks: Int64s
    """Codes of the edges of each node, with ``FINAL_BIT``."""
    first: Int64s
    """Index of the first edge of each node."""
    edges: Int64s
    """Target nodes of the edges."""
    onward: Int64s
    """Continuations of each node, as ``faristol.words.walk`` computes them."""


class RackArrays(NamedTuple):
    """A rack of tiles."""

    values: Int64s
    """Points by tile code."""
    hand: Int64s
    """Number of tiles that are not laid, by code, blanks last. The walk changes it and restores it."""
    held: int
    """Mask of the codes in the whole rack, without blanks."""


def _popcount(bits: int) -> int:
    """Return the number of bits set in a non-negative int64. Numba has no ``int.bit_count``."""
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    bits = bits + (bits >> 8)
    bits = bits + (bits >> 16)
    return (bits + (bits >> 32)) & 0x7F


popcount: Callable[[int], int] = compile_function(_popcount) if IS_COMPILED else int.bit_count
"""Return the number of bits set in a non-negative int64."""


@compile_without_allocation
def follow(graph: GraphArrays, node: int, code: int) -> int:
    """Return the node that ``code`` leads to from ``node``, -1 if no word continues with it."""
    mark = graph.marks[node]
    if not (mark >> code) & 1:
        return -1
    return int(graph.edges[graph.first[node] + popcount(mark & ((1 << code) - 1))])


@compile_without_allocation
def describe(graph: GraphArrays, squares: Int64s, faces: int) -> None:
    """Fill in ``CONTACT``, ``ALLOWED`` and ``ACROSS`` of every free square from the adjacent tiles."""
    empty = True
    for row in range(BOARD_SIZE):
        for col in range(BOARD_SIZE):
            here = squares[row][col]
            if here[TILE] >= 0:
                empty = False
                continue
            top = row
            while top > 0 and squares[top - 1][col][TILE] >= 0:
                top -= 1
            end = row + 1
            while end < BOARD_SIZE and squares[end][col][TILE] >= 0:
                end += 1
            beside = (col > 0 and squares[row][col - 1][TILE] >= 0) or squares[row][col + 1][TILE] >= 0
            here[CONTACT] = 1 if beside or end - top > 1 else 0
            if end - top == 1:
                here[ALLOWED] = (1 << faces) - 1
                here[ACROSS] = NO_CROSS
            else:
                here[ALLOWED] = completing(graph, squares, col, faces, top, row, end)
                here[ACROSS_LENGTH] = end - top
                here[ACROSS] = 0
                for place in range(top, end):
                    if place != row:
                        here[ACROSS] += squares[place][col][POINTS]
    if empty:
        squares[CENTRE.row][CENTRE.col][CONTACT] = 1


@compile_without_allocation
def completing(graph: GraphArrays, squares: Int64s, col: int, faces: int, top: int, gap: int, end: int) -> int:
    """Return the mask of the codes that form a word of the rows ``top:end`` of a column, in its one ``gap``."""
    mask = 0
    before = 0
    for place in range(top, gap):
        before = follow(graph, before, squares[place][col][TILE])
        if before < 0:
            return 0
    for code in range(faces):
        node = follow(graph, before, code)
        for place in range(gap + 1, end):
            if node < 0:
                break
            node = follow(graph, node, squares[place][col][TILE])
        if node >= 0 and graph.marks[node] >= FINAL_BIT:
            mask |= 1 << code
    return mask


@compile_without_allocation
def is_among(score: int, top: Int64s) -> bool:
    """Check whether ``score`` is among the highest, and if so insert it into ``top``, in descending order."""
    if score < top[-1]:
        return False
    at = len(top) - 1
    while at > 0 and top[at - 1] < score:
        top[at] = top[at - 1]
        at -= 1
    top[at] = score
    return True


@compile_without_allocation
def begin(steps: Int64s, start: int, held: int) -> None:
    """Initialize the step at the first square of a word, with no tile laid."""
    step = steps[start]
    for field in range(STEP_FIELDS):
        step[field] = 0
    step[FACTOR] = 1
    step[HELD] = held


@compile_without_allocation
def look(graph: GraphArrays, line: Int64s, steps: Int64s, col: int) -> None:
    """Set the choices at a square on arrival there."""
    here, square = steps[col], line[col]
    tile = square[TILE]
    ways = graph.marks[here[NODE]] & (square[ALLOWED] if tile < 0 else 1 << tile)
    here[TAKEN] = NO_TILE_TAKEN
    here[TO_TRY] = ways & here[HELD] if tile < 0 else ways
    here[TO_TRY_BLANK] = ways if tile < 0 else 0


@compile_without_allocation
def note(step: Int64s, plays: Int64s, start: int, col: int, row: int, down: int, top: Int64s | None) -> bool:
    """Write the play of the word that ends before ``col``; return False if it is not a play or not among ``top``."""
    laid = step[LAID]
    # One tile that forms a word both ways is one play: the longer word is its main word, or the one across.
    if laid == 1 and col - start < step[CROSSING] + down:
        return False
    score = step[MAIN] * step[FACTOR] + step[CROSS] + (BINGO_POINTS if laid == RACK_SIZE else 0)
    # A separate condition, so that numba leaves it out of the code for all plays.
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


@compile_without_allocation
def leads_on(beyond: Int64s, ends: Int64s, wanted: int, held: int, col: int) -> bool:
    """Check whether a word may continue before ``col``, from a node of ``beyond``, to one of the ``wanted`` ends.

    Codes in ``held`` that do not occur any further remain in the rack: no more than the nearest end leaves.
    """
    ahead = beyond[LENGTHS] << col & wanted
    if not ahead:
        return False
    nearest = popcount((ahead & -ahead) - 1)
    return bool(popcount(held & ~beyond[CODES]) <= ends[nearest][SPARE])


@compile_without_allocation
def step_on(
    graph: GraphArrays, line: Int64s, rack: RackArrays, steps: Int64s, col: int, ends: Int64s, wanted: int
) -> bool:
    """Take the next choice at column ``col`` that leads to a ``wanted`` end; return False if all were tried.

    The tile of the last choice returns to the rack.
    """
    here, there, square = steps[col], steps[col + 1], line[col]
    values, hand = rack.values, rack.hand
    blank = len(values)
    free = square[TILE] < 0
    if here[TAKEN] != NO_TILE_TAKEN:
        hand[here[TAKEN]] += 1
        here[TAKEN] = NO_TILE_TAKEN
    while True:
        if here[TO_TRY]:
            lowest = here[TO_TRY] & -here[TO_TRY]
            here[TO_TRY] ^= lowest
            code = popcount(lowest - 1)
            taken = code if free else NO_TILE_TAKEN
        elif here[TO_TRY_BLANK] and hand[blank]:
            lowest = here[TO_TRY_BLANK] & -here[TO_TRY_BLANK]
            here[TO_TRY_BLANK] ^= lowest
            code = popcount(lowest - 1)
            taken = blank
        else:
            return False
        node = follow(graph, here[NODE], code)
        held = here[HELD]
        if taken == code and hand[code] == 1:
            held ^= lowest
        if leads_on(graph.onward[node], ends, wanted, held, col + 1):
            break
    for field in range(TO_TRY):
        there[field] = here[field]
    there[NODE] = node
    if not free:
        there[MAIN] += square[POINTS]
        return True
    here[TAKEN] = taken
    hand[taken] -= 1
    there[HELD] = held
    worth = 0 if taken == blank else values[code] * square[LETTER_PREMIUM]
    there[LAID] += 1
    there[TILES] = here[TILES] << TILE_BITS | (code + 1) << 1 | (taken == blank)
    there[MAIN] += worth
    there[FACTOR] *= square[WORD_PREMIUM]
    if square[ACROSS] != NO_CROSS:
        there[CROSS] += (square[ACROSS] + worth) * square[WORD_PREMIUM]
        there[CROSSING] = square[ACROSS_LENGTH]
    return True


@compile_without_allocation
def wanted_ends(ends: Int64s, least: int) -> int:
    """Return the mask of the columns before which a play of ``least`` points or more may end."""
    wanted = 0
    for col in range(len(ends)):
        if ends[col][MOST] >= least:
            wanted |= 1 << col
    return wanted


@compile_without_allocation
def find_from(
    graph: GraphArrays,
    line: Int64s,
    rack: RackArrays,
    steps: Int64s,
    start: int,
    row: int,
    down: int,
    ends: Int64s,
    plays: Int64s,
    top: Int64s | None,
) -> None:
    """Write every play from a start to one of ``ends`` into ``plays``.

    ``top`` has the highest scores found so far, in descending order: plays below the last of them are skipped.
    """
    least = 0
    if top is not None:
        least = top[-1]
    wanted = wanted_ends(ends, least)
    begin(steps, start, rack.held)
    look(graph, line, steps, start)
    col = start
    while col >= start:
        if col == BOARD_SIZE or not step_on(graph, line, rack, steps, col, ends, wanted):
            col -= 1
            continue
        col += 1
        step = steps[col]
        if wanted >> col & 1 and graph.marks[step[NODE]] >= FINAL_BIT:
            noted = note(step, plays, start, col, row, down, top)
            if top is not None:  # noqa: SIM102
                if noted and top[-1] > least:
                    least = top[-1]
                    wanted = wanted_ends(ends, least)
        look(graph, line, steps, col)


@compile_without_allocation
def held_codes(hand: Int64s) -> int:
    """Return the mask of the codes in the rack, without blanks."""
    mask = 0
    for code in range(len(hand) - 1):
        if hand[code]:
            mask |= 1 << code
    return mask
