"""The compiled searches for all plays and for the best plays, by the upper bound of the score from each start.

The bound is a variant of shadow playing (C. J. Hooper's wolges): tiles are laid regardless of words, the most valuable
on the squares of the highest premium. No play with the same start and end scores more. The lengths of words that the
rack forms without the board are computed before: from most starts a play touches other tiles only sideways.
"""

from __future__ import annotations

import numpy as np

from faristol.rules.board import BOARD_SIZE
from faristol.words.jit import Int64s, compile_function, make_table, make_vector
from faristol.words.nodes import FINAL_BIT
from faristol.words.walk import (
    ACROSS,
    ALLOWED,
    BINGO_POINTS,
    CONTACT,
    END_FIELDS,
    FREE,
    LETTER_PREMIUM,
    MOST,
    NO_CROSS,
    NO_END,
    NODE,
    POINTS,
    RACK_SIZE,
    SPARE,
    SQUARE_FIELDS,
    STEP_FIELDS,
    TILE,
    WORD_PREMIUM,
    GraphArrays,
    RackArrays,
    begin,
    describe,
    find_from,
    held_codes,
    look,
    step_on,
)


@compile_function
def find_ends(line: Int64s, start: int, worth: Int64s, playable: int, lengths: int, ends: Int64s) -> int:
    """Compute the possible ends of a word from ``start`` and upper bounds of the score; return the highest, or NO_END.

    ``worth`` are the points of the tiles in the rack, in descending order. ``playable`` is the mask of the codes in the
    rack, all of them for a blank. ``lengths`` is the mask of the lengths of words that the rack forms without the
    board.
    """
    for col in range(len(ends)):
        ends[col][MOST] = NO_END
    if start > 0 and line[start - 1][TILE] >= 0:
        return NO_END
    letters = make_vector(RACK_SIZE)  # letter premiums of the squares to lay on
    words = make_vector(RACK_SIZE)  # word factor of the cross word of each, 0 for none
    weights = make_vector(RACK_SIZE)
    laid, factor, there, across, contact, highest = 0, 1, 0, 0, False, NO_END
    for col in range(start, BOARD_SIZE):
        square = line[col]
        if square[TILE] >= 0:
            there += square[POINTS]
            contact = True
        else:
            if laid == len(worth) or not square[ALLOWED] & playable:
                break
            letters[laid] = square[LETTER_PREMIUM]
            factor *= square[WORD_PREMIUM]
            words[laid] = 0
            if square[ACROSS] != NO_CROSS:
                words[laid] = square[WORD_PREMIUM]
                across += square[ACROSS] * square[WORD_PREMIUM]
            contact = contact or square[CONTACT] > 0
            laid += 1
        length = col + 1 - start
        if laid == 0 or length == 1 or not contact or line[col + 1][TILE] >= 0:
            continue
        if laid == length and not lengths >> length & 1:
            continue
        for place in range(laid):
            weight = letters[place] * (factor + words[place])
            at = place
            while at > 0 and weights[at - 1] < weight:
                weights[at] = weights[at - 1]
                at -= 1
            weights[at] = weight
        most = there * factor + across + (BINGO_POINTS if laid == RACK_SIZE else 0)
        for place in range(laid):
            most += weights[place] * worth[place]
        ends[col + 1][MOST], ends[col + 1][SPARE] = most, len(worth) - laid
        highest = max(highest, most)
    return highest


@compile_function
def lengths_of_words(graph: GraphArrays, rack: RackArrays, tiles: int) -> int:
    """Return the mask of the lengths of words that a rack of ``tiles`` tiles forms without the board."""
    line = make_table(tiles + 1, SQUARE_FIELDS)
    ends = make_table(tiles + 1, END_FIELDS)
    for place in range(tiles + 1):
        line[place][TILE], line[place][ALLOWED], line[place][ACROSS] = FREE, (1 << len(rack.values)) - 1, NO_CROSS
        ends[place][SPARE] = tiles - place
    steps = make_table(tiles + 1, STEP_FIELDS)
    wanted, found, col = (1 << tiles + 1) - 1, 0, 0
    begin(steps, 0, rack.held)
    look(graph, line, steps, 0)
    while col >= 0:
        if col == tiles or not step_on(graph, line, rack, steps, col, ends, wanted):
            col -= 1
            continue
        col += 1
        if wanted >> col & 1 and graph.marks[steps[col][NODE]] >= FINAL_BIT:
            wanted ^= 1 << col
            found |= 1 << col
        look(graph, line, steps, col)
    return found


@compile_function
def find_plays(
    graph: GraphArrays,
    squares: Int64s,
    values: Int64s,
    hand: Int64s,
    worth: Int64s,
    plays: Int64s,
    top: Int64s | None,
) -> None:
    """Write every play into ``plays``, unsorted; with ``top``, the plays of the highest scores and some lower ones.

    ``squares[0]`` is the board, ``squares[1]`` the board transposed. ``squares[down][row][col]`` has the fields of
    ``walk``, for one column more than the board; those after ``WORD_PREMIUM`` are filled in here. ``values`` are points
    by tile code, ``hand`` counts the tiles of the rack by code, blanks last; see ``find_ends`` for ``worth``. ``top``
    is all zeros at first. It then has the highest scores in descending order, each once for every play with it.

    ``plays[0, 0]`` is 0 at first and counts the plays found. A count of ``len(plays)`` or more means that the last
    plays are missing. The first number of a play sorts by score, the highest first, then by the start of the word (row,
    column, across before down). The second is the tiles laid, ``TILE_BITS`` each, left aligned.
    """
    rack = RackArrays(values, hand, held_codes(hand))
    playable = (1 << len(values)) - 1 if hand[len(values)] else rack.held
    lengths = lengths_of_words(graph, rack, len(worth))
    starts = make_table(2 * BOARD_SIZE * BOARD_SIZE, 3)
    highest = make_vector(2 * BOARD_SIZE * BOARD_SIZE)
    ends = [make_table(BOARD_SIZE + 1, END_FIELDS)]
    count = 0
    for down in range(2):
        describe(graph, squares[down], len(values))
        for row in range(BOARD_SIZE):
            for start in range(BOARD_SIZE):
                highest[count] = find_ends(squares[down][row], start, worth, playable, lengths, ends[count])
                if highest[count] != NO_END:
                    starts[count][0], starts[count][1], starts[count][2] = down, row, start
                    count += 1
                    ends.append(make_table(BOARD_SIZE + 1, END_FIELDS))
    steps = make_table(BOARD_SIZE + 1, STEP_FIELDS)
    for at in np.argsort(-np.asarray(highest[:count])):
        if top is not None:  # noqa: SIM102
            if highest[at] < top[-1]:
                break
        down, row, start = starts[at][0], starts[at][1], starts[at][2]
        line = squares[down][row]
        find_from(graph, line, rack, steps, start, row, down, ends[at], plays, top)
