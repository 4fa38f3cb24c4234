"""The compiled search for the best plays alone: what a start scores at most says where to look first, and when to end.

The idea is that of shadow playing (C. J. Hooper's wolges): tiles are laid without regard to words, the most valuable on
the squares that count most, which no play from the same start beats.
"""

from __future__ import annotations

import numpy as np

from faristol.rules.board import SIZE
from faristol.words.jit import compiled
from faristol.words.walk import (
    ACROSS,
    ALLOWED,
    BINGO,
    CONTACT,
    LETTER_PREMIUM,
    NO_CROSS,
    POINTS,
    RACK_SIZE,
    STEP_FIELDS,
    TILE,
    WORD_PREMIUM,
    Int64s,
    Uint32s,
    describe,
    find_from,
    held_codes,
    may_start,
)


@compiled
def bound(line: Int64s, start: int, worth: Int64s, playable: int, bounds: Int64s) -> None:
    """What a play whose word starts at a square scores at most: ``bounds[n]`` with ``n`` tiles of the hand or more.

    ``worth`` are the points of the tiles in hand, the highest first; ``playable`` is the mask of the codes in hand, all
    of them where there is a blank. Where no play with so many tiles can be, the bound is -1.
    """
    bounds[:] = -1
    letters = np.zeros(RACK_SIZE, dtype=np.int64)  # premiums of the squares laid on

    words = np.zeros(RACK_SIZE, dtype=np.int64)  # factor of the word across each, 0 for none

    weights = np.zeros(RACK_SIZE, dtype=np.int64)
    laid, factor, there, across, contact = 0, 1, 0, 0, False
    for col in range(start, SIZE):
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
        if laid == 0 or not contact or line[col + 1, TILE] >= 0:
            continue
        for place in range(laid):
            weight = letters[place] * (factor + words[place])
            at = place
            while at > 0 and weights[at - 1] < weight:
                weights[at] = weights[at - 1]
                at -= 1
            weights[at] = weight
        most = there * factor + across + (BINGO if laid == RACK_SIZE else 0)
        for place in range(laid):
            most += weights[place] * worth[place]
        bounds[laid] = max(bounds[laid], most)
    for count in range(RACK_SIZE - 1, -1, -1):
        bounds[count] = max(bounds[count], bounds[count + 1])


@compiled
def find_best(
    marks: Int64s,
    first: Uint32s,
    edges: Uint32s,
    squares: Int64s,
    values: Int64s,
    hand: Int64s,
    worth: Int64s,
    top: Int64s,
    plays: Int64s,
) -> None:
    """Put the plays of the highest scores into ``plays``, unsorted, among some that are lower.

    ``top`` is zeros before, and holds those scores after, from the highest on: each as often as there are plays of it.
    ``squares[0]`` is the board as it lies, ``squares[1]`` turned; see ``bound`` for ``worth``, and
    ``find_plays`` for the rest.
    """
    held = held_codes(hand)
    playable = (1 << len(values)) - 1 if hand[len(values)] else held
    starts = np.zeros((2 * SIZE * SIZE, 3), dtype=np.int64)
    bounds = np.zeros((2 * SIZE * SIZE, RACK_SIZE + 2), dtype=np.int64)
    count = 0
    for down in range(2):
        describe(marks, first, edges, squares[down], len(values))
        for row in range(SIZE):
            for start in range(SIZE):
                if may_start(squares[down, row], start, len(worth)):
                    bound(squares[down, row], start, worth, playable, bounds[count])
                    if bounds[count, 0] >= 0:
                        starts[count, 0], starts[count, 1], starts[count, 2] = down, row, start
                        count += 1
    steps = np.zeros((SIZE + 1, STEP_FIELDS), dtype=np.int64)
    for at in np.argsort(-bounds[:count, 0]):
        if bounds[at, 0] < top[-1]:
            break
        down, row, start = starts[at, 0], starts[at, 1], starts[at, 2]
        find_from(
            marks, first, edges, squares[down, row], values, hand, steps, held, plays, start, row, down, bounds[at], top
        )
