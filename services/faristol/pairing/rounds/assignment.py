"""Rows to columns of a matrix of costs, one each. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_FAR = np.iinfo(np.int64).max // 4


def cheapest_assignment(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """For each row its column, each column once, so that the costs add up to the least that is possible.

    ``costs`` is square, of whole numbers below 2⁴⁰. Every row in turn is given the column to which the shortest path of
    exchanges leads, over costs made relative by a potential of each row and column (Kuhn–Munkres). It takes a time that
    grows as the cube of the rows at worst.
    """
    count = len(costs)
    matrix = np.asarray(costs, np.int64).reshape(count, count)
    of_row, of_column = np.zeros(count, np.int64), np.zeros(count, np.int64)
    row_at = np.full(count, -1, np.int64)
    column_at = np.full(count, -1, np.int64)
    for row in range(count):
        distance = matrix[row] - of_row[row] - of_column
        reached_from = np.full(count, row, np.int64)
        passed = np.zeros(count, bool)
        while True:
            column = int(np.argmin(np.where(passed, _FAR, distance)))
            if row_at[column] < 0:
                break
            passed[column] = True
            through = row_at[column]
            farther = distance[column] + matrix[through] - of_row[through] - of_column
            shorter = ~passed & (farther < distance)
            distance[shorter] = farther[shorter]
            reached_from[shorter] = through
        end = distance[column]
        of_row[row] += end
        of_row[row_at[passed]] += end - distance[passed]
        of_column[passed] -= end - distance[passed]
        while True:
            source = int(reached_from[column])
            row_at[column] = source
            before, column_at[source] = int(column_at[source]), column
            if source == row:
                break
            column = before
    return tuple(int(column) for column in column_at)
