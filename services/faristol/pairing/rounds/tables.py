"""Which table each pairing of a round plays at. Pure.

A tournament may have halls with numbered tables. A player with a table of their own always sits there. The pairings at
the top may sit at the first tables; the others sit where their players move least from where they sat last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.model import Hall, Tournament
from faristol.rules import Ruleset

MOST_TABLES = 1_000
"""Tables of all halls together."""


def most_tables(ruleset: Ruleset) -> int:
    """How many tables the halls of a tournament may have: of duplicate games as many seats as players may enter."""
    return ruleset.game.players_max if ruleset.game.mode == "duplicate" else MOST_TABLES


def check_halls(halls: Sequence[Hall], most: int = MOST_TABLES) -> None:
    """Raises ``Invalid`` unless halls have names of their own and tables, up to ``most``, that no other hall has."""
    if len({hall.name for hall in halls}) < len(halls) or not all(hall.name for hall in halls):
        raise Invalid("halls", N_("expected a name for every hall, and no name twice"))
    for hall in halls:
        if not 1 <= hall.first_table <= hall.last_table <= most:
            raise Invalid(
                "halls",
                N_("{hall} has tables {first} to {last}; expected numbers from 1 to {most}, the lower first"),
                {"hall": hall.name, "first": hall.first_table, "last": hall.last_table, "most": most},
            )
    for lower, other in pairwise(sorted(halls, key=lambda hall: hall.first_table)):
        if other.first_table <= lower.last_table:
            raise Invalid(
                "halls",
                N_("table {table} is in {one} and in {other}; expected every table in one hall"),
                {"table": other.first_table, "one": lower.name, "other": other.name},
            )


def tables_for(state: Tournament, pairings: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The table of each of ``pairings``, which come in the order of their rank, as players.

    Without halls they are numbered from 1. With halls as many tables are used as there are pairings, the lowest numbers
    and those of players who have one of their own. What counts first is the sum, over all players, of the tables
    between where they sat last and where they sit now, another hall counting as much as all tables; then the order
    of rank. Raises ``Refusal`` when there are fewer tables than pairings, and when players meet who each have a table.
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
    last, hall_of = _last_tables(state), _halls(state)
    weight = len(left) ** 2 + 1
    costs = [
        [
            weight * sum(_way(last.get(player), table, hall_of, len(every)) for player in pairings[place])
            + abs(rank - column)
            for column, table in enumerate(free)
        ]
        for rank, place in enumerate(left)
    ]
    given.update(
        {place: free[column] for place, column in zip(left, cheapest_assignment(costs), strict=True)} if left else {}
    )
    return tuple(given[place] for place in range(len(pairings)))


def tables_for_matches(state: Tournament, matches: Sequence[Sequence[Sequence[str]]]) -> tuple[tuple[int, ...], ...]:
    """The tables of the games of each match between teams, which come in the order of rank, as players game by game.

    They stand beside each other: without halls all are numbered from 1, and with halls a match takes the first tables
    in a row that are free in one hall, and the first ones free anywhere only where there is no such row. A match with a
    player who has a table of their own is seated first, in a row with that table where one is free, that player at it
    and the others in the order of the boards. Raises ``Refusal`` when there are fewer tables than games, and when
    players meet who each have a table.
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
    """Tables for the games of a match among those that are ``free`` in each hall; ``own`` are tables by the game."""
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
        # Of rows that part other matches no more than they must, that in which the boards are where they would be.
        _, _, chosen = min((less, sum(row[game] != table for game, table in own.items()), row) for less, row in rows)
    else:
        others = sorted(table for hall in free for table in hall if table not in wanted)
        others.sort(key=lambda table: min((abs(table - own_table) for own_table in wanted), default=0))
        chosen = [*wanted, *others[: size - len(wanted)]]
    left = iter(sorted(set(chosen) - wanted))
    return tuple(own[game] if game in own else next(left) for game in range(size))


def _matches_in_rows(free: Sequence[int], size: int) -> int:
    """How many matches of ``size`` games the free tables of a hall have in a row."""
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
            "",
            N_("The round has {pairings} pairings, and the halls have {tables} {tables:table|tables}."),
            {"pairings": pairings, "tables": tables},
        )


def hall_of_table(state: Tournament, table: int) -> str:
    """The name of the hall of a table; empty where a tournament has no halls."""
    return _halls(state).get(table, "")


def _own_tables(state: Tournament, pairings: Sequence[Sequence[str]]) -> dict[int, int]:
    """The places among ``pairings`` of those with a player who has a table of their own, and that table."""
    own = {player.player_id: player.table for player in state.players if player.table is not None}
    given: dict[int, int] = {}
    for place, players in enumerate(pairings):
        having = [player for player in players if player in own]
        if len(having) > 1:
            raise Refusal(
                "OWN_TABLES_CLASH",
                "",
                N_("{players} meet, and each of them has a table of their own: release one of them."),
                {"players": ", ".join(having)},
                subject=f"players/{having[0]}",
            )
        if having:
            given[place] = own[having[0]]
    return given


def _last_tables(state: Tournament) -> dict[str, int]:
    """Where each player sat last."""
    return {
        player: pairing.table for played in state.played for pairing in played.pairings for player in pairing.player_ids
    }


def _halls(state: Tournament) -> dict[int, str]:
    return {table: hall.name for hall in state.halls for table in hall.tables}


def _way(last: int | None, table: int, hall_of: dict[int, str], tables: int) -> int:
    """How far a player moves, counted in tables."""
    if last is None:
        return 0
    return abs(table - last) + (tables if hall_of.get(last) != hall_of[table] else 0)


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
