"""The assignment of pairings to tables. Pure.

A tournament may have halls with numbered tables. A player with a fixed table always sits there. The pairings at the top
may sit at the first tables. The others get the tables that move their players least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Ruleset
from faristol.tournament.state import HallRange, TournamentState

IntegerMatrix: TypeAlias = npt.NDArray[np.int64]

MAX_TABLES = 1_000
"""Limit of tables of all halls together."""


def most_tables(ruleset: Ruleset) -> int:
    """Return the limit of tables; for duplicate games it is the limit of players."""
    return ruleset.game.players_max if ruleset.game.mode == "duplicate" else MAX_TABLES


def check_halls(halls: Sequence[HallRange], most: int = MAX_TABLES) -> None:
    """Raise ``Invalid`` unless halls have unique names, disjoint tables up to ``most``, and possible plans."""
    if len({hall.name for hall in halls}) < len(halls) or not all(hall.name for hall in halls):
        raise Invalid("halls", N_("expected a name for each hall, without duplicates"))
    for hall in halls:
        if not 1 <= hall.first_table <= hall.last_table <= most:
            raise Invalid(
                "halls",
                N_("{hall} has tables {first} to {last}; expected numbers from 1 to {most}, in ascending order"),
                {"hall": hall.name, "first": hall.first_table, "last": hall.last_table, "most": most},
            )
        _check_plan(hall)
    for lower, other in pairwise(sorted(halls, key=lambda hall: hall.first_table)):
        if other.first_table <= lower.last_table:
            raise Invalid(
                "halls",
                N_("table {table} is in {one} and in {other}; expected each table in one hall"),
                {"table": other.first_table, "one": lower.name, "other": other.name},
            )


def _check_plan(hall: HallRange) -> None:
    """Raise ``Invalid`` if a plan has a row without tables, or a side without rows."""
    rows, tables = hall.row_tables, len(hall.tables)
    if any(not 1 <= row <= tables for row in rows) or sum(rows[:-1]) >= tables:
        raise Invalid(
            "halls",
            N_(
                "{hall} has {tables} tables and rows of {rows}; expected 1 or more tables in each row, and no more rows"
            ),
            {"hall": hall.name, "tables": tables, "rows": "+".join(map(str, rows[:20]))},
        )
    if not rows and (hall.entrance or hall.stage or hall.rows_turn):
        raise Invalid(
            "halls",
            N_("{hall} has an entrance, a stage or turning rows, and no rows; expected the number of tables of a row"),
            {"hall": hall.name},
        )


def check_tables(state: TournamentState, pairings: Sequence[Sequence[str]]) -> None:
    """Raise the ``Refusal`` of ``tables_for``, without the assignment: that of 500 tables takes a second."""
    if state.halls:
        _check_enough(len(pairings), sum(len(hall.tables) for hall in state.halls))
        _own_tables(state, pairings)


def tables_for(state: TournamentState, pairings: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the table of each of ``pairings``, which are given as players in the order of rank.

    Without halls, tables are numbered from 1. With halls, the lowest tables and the fixed ones are used, as many as
    there are pairings. The assignment minimizes the distances in tables between last and new table, summed over
    players; another hall counts as all tables. Ties go by rank. Raises ``Refusal`` if there are fewer tables than
    pairings, or if opponents both have a fixed table.
    """
    if not state.halls:
        return tuple(range(1, len(pairings) + 1))
    every = sorted(table for hall in state.halls for table in hall.tables)
    _check_enough(len(pairings), len(every))
    given = _own_tables(state, pairings)
    free = [table for table in every if table not in given.values()]
    top = [place for place in range(len(pairings)) if place not in given][: state.top_tables]
    given.update(zip(top, free, strict=False))
    left = [place for place in range(len(pairings)) if place not in given]
    free = free[len(top) : len(top) + len(left)]
    costs = _costs(state, [pairings[place] for place in left], free, len(every))
    given.update({place: free[column] for place, column in zip(left, cheapest_assignment(costs), strict=True)})
    return tuple(given[place] for place in range(len(pairings)))


def tables_for_matches(
    state: TournamentState, matches: Sequence[Sequence[Sequence[str]]]
) -> tuple[tuple[int, ...], ...]:
    """Return the tables of the games of each match between teams, in the order of rank.

    The games of a match get adjacent tables: without halls, all are numbered from 1. With halls, a match gets the first
    free row in one hall, or else the first free tables anywhere. Matches with a fixed table come first, in a row with
    that table if one is free; the other games follow in the order of boards. Raises ``Refusal`` if there are fewer
    tables than games, or if opponents both have a fixed table.
    """
    games = sum(map(len, matches))
    halls = sorted(state.halls, key=lambda hall: hall.first_table)
    free = [list(hall.tables) for hall in halls] or [list(range(1, games + 1))]
    _check_enough(games, sum(map(len, free)))
    own = [_own_tables(state, match) if halls else {} for match in matches]
    taken = {table for having in own for table in having.values()}
    given: dict[int, tuple[int, ...]] = {}
    for place in sorted(range(len(matches)), key=lambda place: not own[place]):
        of_others = taken - set(own[place].values())
        left = [[table for table in hall if table not in of_others] for hall in free]
        given[place] = _beside_each_other(left, len(matches[place]), own[place])
        free = [[table for table in hall if table not in given[place]] for hall in free]
        taken -= set(own[place].values())
    return tuple(given[place] for place in range(len(matches)))


def _beside_each_other(free: Sequence[Sequence[int]], size: int, own: Mapping[int, int]) -> tuple[int, ...]:
    """Return the tables of a match among those ``free`` in each hall; ``own`` has fixed tables by game."""
    if not size:
        return ()
    wanted = set(own.values())
    rows = [
        (_matches_in_rows(hall, size) - _matches_in_rows([table for table in hall if table not in row], size), row)
        for hall in free
        for row in (hall[start : start + size] for start in range(len(hall) - size + 1))
        if row[-1] - row[0] == size - 1 and wanted.issubset(row)
    ]
    if rows:
        # Of the rows that break up the fewest other rows, choose the one with the most boards in place.
        _, _, chosen = min((less, sum(row[game] != table for game, table in own.items()), row) for less, row in rows)
    else:
        others = sorted(table for hall in free for table in hall if table not in wanted)
        others.sort(key=lambda table: min((abs(table - own_table) for own_table in wanted), default=0))
        chosen = [*wanted, *others[: size - len(wanted)]]
    left = iter(sorted(set(chosen) - wanted))
    return tuple(own[game] if game in own else next(left) for game in range(size))


def _matches_in_rows(free: Sequence[int], size: int) -> int:
    """Return the number of matches of ``size`` games that fit into rows of free tables of a hall."""
    found = beside = 0
    for before, table in pairwise([-1, *free]):
        beside = beside + 1 if table == before + 1 else 1
        if beside == size:
            found, beside = found + 1, 0
    return found


def _check_enough(pairings: int, tables: int) -> None:
    if pairings > tables:
        raise Refusal(
            "TOO_FEW_TABLES",
            N_("The round has {pairings} pairings, and the halls have {tables} {tables:table|tables}."),
            {"pairings": pairings, "tables": tables},
        )


def hall_of_table(state: TournamentState, table: int) -> str:
    """Return the name of the hall of a table; empty without halls."""
    return _halls(state).get(table, "")


def _own_tables(state: TournamentState, pairings: Sequence[Sequence[str]]) -> dict[int, int]:
    """Return the fixed tables by the index of their pairing. Raises ``Refusal`` if opponents both have one."""
    own = {player.player_id: player.table for player in state.players if player.table is not None}
    given: dict[int, int] = {}
    for place, players in enumerate(pairings):
        having = [player for player in players if player in own]
        if len(having) > 1:
            raise Refusal(
                "OWN_TABLES_CLASH",
                N_("{players} meet, and each of them has a fixed table: release one of them."),
                {"players": ", ".join(having)},
                subject=f"players/{having[0]}",
            )
        if having:
            given[place] = own[having[0]]
    return given


def _last_tables(state: TournamentState) -> dict[str, int]:
    """Return the last table of each player."""
    return {
        player: pairing.table for played in state.played for pairing in played.pairings for player in pairing.player_ids
    }


def _halls(state: TournamentState) -> dict[int, str]:
    return {table: hall.name for hall in state.halls for table in hall.tables}


def _costs(
    state: TournamentState, pairings: Sequence[Sequence[str]], free: Sequence[int], tables: int
) -> IntegerMatrix:
    """Return the costs of each free table for each pairing, in the order of rank: distances first, then ranks.

    The distance of a player is in tables, and ``tables`` more in another hall; 0 without a last table.
    """
    last, hall_of = _last_tables(state), _halls(state)
    halls = np.array([hall_of[table] for table in free])
    count, columns = len(pairings), np.array(free, np.int64)
    ranks = np.arange(count, dtype=np.int64)
    costs: IntegerMatrix = np.abs(ranks[:, None] - ranks[None, :])
    for row, players in enumerate(pairings):
        for table in filter(None, map(last.get, players)):
            costs[row] += (count**2 + 1) * (np.abs(columns - table) + tables * (halls != hall_of.get(table, "")))
    return costs


_FAR = np.iinfo(np.int64).max // 4


def cheapest_assignment(costs: Sequence[Sequence[int]] | IntegerMatrix) -> tuple[int, ...]:
    """Return the column of each row, each column once, with the least sum of costs.

    ``costs`` is a square of integers below 2⁴⁰. This is the Kuhn–Munkres algorithm: each row in turn augments along the
    shortest path, over costs reduced by potentials of rows and columns. It takes O(n³) time.
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
