"""Standings as rows, recomputed for every round that a change of results affects."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host.ruleset_store import kept_ruleset, ruleset_of
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.read_models.computed.standings import Ranking, Tally, pin_of
from faristol.read_models.computed.teams import rank_as_rows
from faristol.read_models.projections.model import WHOLE_ROUND, Stale
from faristol.read_models.storage.rows import Round, Standing, Team, TeamStanding, Tournament
from faristol.read_models.storage.rows import Ruleset as Content
from faristol.read_models.storage.store import Reader, S, Tables, remove, write
from faristol.read_models.storage.tables import LAYOUTS
from faristol.rules import Ruleset
from faristol.rules.standings import Carried

RANKING_CACHE_SIZE = 4
"""Tournaments of a database whose last ranking is cached: some 10 MB for 1,000 players and 12 rounds."""


@dataclass
class CachedRanking:
    """The inputs of the standings of a tournament, cached for the next time."""

    ranked_at: int | None = None
    """``ranked_at`` of the standings; None if unknown."""
    pin: tuple[int, Pin] | None = None
    """Planned rounds, and the pinned rules."""
    came: Mapping[str, bool] | None = None
    """Whether each player was present; None if unknown."""
    left: Mapping[str, int] = field(default_factory=dict)
    """The first round of absence of each player who left."""
    carried: Mapping[str, Carried] = field(default_factory=dict)
    """The points and spreads that players carry over from an earlier stage."""
    round: Round | None = None
    """The round of the latest results, with its tables."""
    tallies: dict[int, Tally] = field(default_factory=dict)
    """By round."""
    ranking: Ranking | None = None
    last: list[Standing] = field(default_factory=list)
    """The standings after the last round, as their table has them."""


_known: WeakKeyDictionary[Engine, dict[tuple[str, str], CachedRanking]] = WeakKeyDictionary()
"""By tables and tournament, the last used at the end. A transaction removes a ``CachedRanking`` while it uses it."""


async def project(
    connection: AsyncConnection, tables: Tables, tournament_id: str, changed: Stale, ranked_at: int | None
) -> None:
    """Recompute the standings after the ``changed`` rounds and all that follow them.

    ``ranked_at`` is that of the standings in the tables, None if unknown. The cached inputs are used only if they have
    the same ``ranked_at``. For the round of the latest results, only changed games are read.

    No rows are written if the record lacks the content of the tournament's rules or this version cannot rank by it: a
    query for the standings then gives the reason.
    """
    reader, first = Reader(connection, tables), min(changed)
    rounds = await reader.of_tournament(Round, tournament_id, "round")
    if not any(round_.round >= first for round_ in rounds):
        return  # all rows of an unpaired round are deleted already
    cache, key = _known.setdefault(connection.sync_engine, {}), (tables[Standing].name, tournament_id)
    known = cache.pop(key, CachedRanking())
    if ranked_at is None or known.ranked_at != ranked_at:
        known = CachedRanking()
    (tournament,) = await reader.of_tournament(Tournament, tournament_id)
    before = known.last
    if not before or before[0].round != first:
        before = await reader.standings_from(Standing, tournament_id, first)
    now: list[Standing] = []
    pin = tournament.rounds, pin_of(tournament)
    if known.ranking is None or known.pin != pin or tournament.team_boards:
        ruleset = await _rules(reader, tournament)
        known.pin, known.ranking = pin, None if ruleset is None else Ranking(tournament, ruleset)
    if known.ranking is not None:
        await _count(reader, known, rounds, changed)
        if known.came is None or any(WHOLE_ROUND in games for games in changed.values()):
            known.came, known.left, known.carried = await reader.attendance(tournament_id)
        now = await asyncio.to_thread(_after_rounds, known, known.ranking, known.came, first)
    await _write(connection, tables, Standing, before, now)
    if tournament.team_boards:
        of_teams = await reader.standings_from(TeamStanding, tournament_id, first)
        await _write(connection, tables, TeamStanding, of_teams, await _teams(reader, tournament, first, ruleset))
    if now:
        known.ranked_at = tournament.ranked_at
        known.last = [row for row in now if row.round == rounds[-1].round]
        cache[key] = known
        for oldest in list(cache)[:-RANKING_CACHE_SIZE]:
            del cache[oldest]


async def _count(reader: Reader, known: CachedRanking, rounds: Sequence[Round], changed: Stale) -> None:
    """Update the tallies from the tables."""
    missing = {
        round_.round: round_ for round_ in rounds if round_.round in changed or round_.round not in known.tallies
    }
    numbers = {round_.round for round_ in rounds}
    known.tallies = {number: tally for number, tally in known.tallies.items() if number in numbers - missing.keys()}
    for number, round_ in missing.items():
        last, games = known.round, changed.get(number, {WHOLE_ROUND})
        if last is not None and last.round == number and WHOLE_ROUND not in games:
            anew = await reader.those_games(games)
            last.games = [anew.get(game.game_id, game) for game in last.games]
        else:
            await reader.add_tables({number: round_}, round_.tournament_id, only=number, teams=False)
            last = known.round = round_
        known.tallies[number] = Tally.of(last)


def _after_rounds(known: CachedRanking, ranking: Ranking, came: Mapping[str, bool], first: int) -> list[Standing]:
    found: list[Standing] = []
    tallies = [tally for _, tally in sorted(known.tallies.items())]
    for place, tally in enumerate(tallies, 1):
        if tally.round >= first:
            with suppress(ValueError):  # a query for impossible standings reports the reason
                lines = ranking.after(came, tallies[:place], left=known.left, carried=known.carried)
                found += (line.standing for line in lines)
    return found


async def _teams(reader: Reader, tournament: Tournament, first: int, ruleset: Ruleset | None) -> list[TeamStanding]:
    """Return the standings of teams."""
    if ruleset is None:
        return []
    rounds = [round_ for _, round_ in sorted((await reader.rounds(tournament.tournament_id)).items())]
    registered = await reader.of_tournament(Team, tournament.tournament_id)
    found: list[TeamStanding] = []
    for place, round_ in enumerate(rounds, 1):
        if round_.round >= first:
            with suppress(ValueError):  # as for those of players
                lines = await asyncio.to_thread(rank_as_rows, tournament, registered, rounds[:place], ruleset)
                found += (standing for standing, _ in lines)
    return found


async def _write(
    connection: AsyncConnection, tables: Tables, cls: type[S], before: Iterable[S], now: Iterable[S]
) -> None:
    """Write the rows that differ and delete those that no longer exist."""
    table, key = tables[cls], LAYOUTS[cls].key

    def compare() -> tuple[set[tuple[Any, ...]], list[S]]:
        there, rows = {key(row): row for row in before}, {key(row): row for row in now}
        changed = [row for at, row in rows.items() if (old := there.get(at)) is not row and old != row]
        return there.keys() - rows.keys(), changed

    gone, changed = await asyncio.to_thread(compare)
    await remove(connection, table, gone)
    await write(connection, table, changed)


async def _rules(reader: Reader, tournament: Tournament) -> Ruleset | None:
    """Return the rules stored on the record; None if they are missing or this version cannot read them."""
    contents = await reader.those(Content, "digest", [tournament.ruleset_digest])
    pin = pin_of(tournament)
    for content in contents:
        with suppress(Refusal):
            return ruleset_of(pin)
        with suppress(Refusal):
            return kept_ruleset(content.content, pin)
    return None
