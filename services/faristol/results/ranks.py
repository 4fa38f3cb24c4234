"""Standings as rows: made anew after the results of a tournament have changed, for every round that this concerns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host.ruleset_store import kept_ruleset, ruleset_of
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.results.model import WHOLE, Stale
from faristol.results.rows import Round, Standing, Team, TeamStanding, Tournament
from faristol.results.rows import Ruleset as Content
from faristol.results.standings import Ranking, Tally, pin_of
from faristol.results.store import Reader, S, Tables, remove, write
from faristol.results.tables import LAYOUTS
from faristol.results.teams import ranked
from faristol.rules import Ruleset

CACHED = 4
"""Tournaments of a database of which the last ranking stays in memory: some 10 MB for 1,000 players and 12 rounds."""


@dataclass
class Known:
    """What the standings of a tournament came from, for the next time."""

    ranked_at: int | None = None
    """What they are of; None when that is not known."""
    pin: tuple[int, Pin] | None = None
    """Planned rounds, and the rules that are pinned."""
    came: Mapping[str, bool] | None = None
    """Of every player whether they came; None when that is not known."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Of the players who left, the first round for which they are not there."""
    round: Round | None = None
    """The round of which results came last, with its tables."""
    tallies: dict[int, Tally] = field(default_factory=dict)
    """Of every round."""
    ranking: Ranking | None = None
    last: list[Standing] = field(default_factory=list)
    """The standings after the last round, as their table has them."""


_known: WeakKeyDictionary[Engine, dict[tuple[str, str], Known]] = WeakKeyDictionary()
"""By tables and tournament, whatever was used last at the end. A ``Known`` is in use by a transaction, or is here."""


async def project(
    connection: AsyncConnection, tables: Tables, tournament_id: str, changed: Stale, ranked_at: int | None
) -> None:
    """Make the standings what the other rows say, after the ``changed`` rounds and after all that follow them.

    Of a round that results came of just before, only those that came now are read.

    ``ranked_at`` is what the standings in the tables are of, None when that is not known: only what came of the same
    events is taken for what they are. Where the content of the tournament's rules is not on the record, or this version
    cannot rank by it, there are no rows: who asks for the standings is told why then.
    """
    reader, first = Reader(connection, tables), min(changed)
    rounds = await reader.of_tournament(Round, tournament_id, "round")
    if not any(round_.round >= first for round_ in rounds):
        return  # what there was of a round that was taken back went with it
    cache, key = _known.setdefault(connection.sync_engine, {}), (tables[Standing].name, tournament_id)
    known = cache.pop(key, Known())
    if ranked_at is None or known.ranked_at != ranked_at:
        known = Known()
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
        if known.came is None or any(WHOLE in games for games in changed.values()):
            known.came, known.left = await reader.attendance(tournament_id)
        now = await asyncio.to_thread(_after_rounds, known, known.ranking, known.came, first)
    await _write(connection, tables, Standing, before, now)
    if tournament.team_boards:
        of_teams = await reader.standings_from(TeamStanding, tournament_id, first)
        await _write(connection, tables, TeamStanding, of_teams, await _teams(reader, tournament, first, ruleset))
    if now:
        known.ranked_at = tournament.ranked_at
        known.last = [row for row in now if row.round == rounds[-1].round]
        cache[key] = known
        for oldest in list(cache)[:-CACHED]:
            del cache[oldest]


async def _count(reader: Reader, known: Known, rounds: Sequence[Round], changed: Stale) -> None:
    """Bring the tallies to what the tables say."""
    missing = {
        round_.round: round_ for round_ in rounds if round_.round in changed or round_.round not in known.tallies
    }
    numbers = {round_.round for round_ in rounds}
    known.tallies = {number: tally for number, tally in known.tallies.items() if number in numbers - missing.keys()}
    for number, round_ in missing.items():
        last, games = known.round, changed.get(number, {WHOLE})
        if last is not None and last.round == number and WHOLE not in games:
            anew = await reader.those_games(games)
            last.games = [anew.get(game.game_id, game) for game in last.games]
        else:
            await reader.add_tables({number: round_}, round_.tournament_id, only=number, teams=False)
            last = known.round = round_
        known.tallies[number] = Tally.of(last)


def _after_rounds(known: Known, ranking: Ranking, came: Mapping[str, bool], first: int) -> list[Standing]:
    found: list[Standing] = []
    tallies = [tally for _, tally in sorted(known.tallies.items())]
    for place, tally in enumerate(tallies, 1):
        if tally.round >= first:
            with suppress(ValueError):  # standings that cannot be are said to be so to who asks for them
                found += (line.standing for line in ranking.after(came, tallies[:place], left=known.left))
    return found


async def _teams(reader: Reader, tournament: Tournament, first: int, ruleset: Ruleset | None) -> list[TeamStanding]:
    """The standings of teams."""
    if ruleset is None:
        return []
    rounds = [round_ for _, round_ in sorted((await reader.rounds(tournament.tournament_id)).items())]
    registered = await reader.of_tournament(Team, tournament.tournament_id)
    found: list[TeamStanding] = []
    for place, round_ in enumerate(rounds, 1):
        if round_.round >= first:
            with suppress(ValueError):  # as with those of players
                lines = await asyncio.to_thread(ranked, tournament, registered, rounds[:place], ruleset)
                found += (standing for standing, _ in lines)
    return found


async def _write(
    connection: AsyncConnection, tables: Tables, cls: type[S], before: Iterable[S], now: Iterable[S]
) -> None:
    """Write what differs."""
    table, key = tables[cls], LAYOUTS[cls].key
    there, rows = {key(row): row for row in before}, {key(row): row for row in now}
    await remove(connection, table, there.keys() - rows.keys())
    await write(
        connection, table, [row for at, row in rows.items() if (old := there.get(at)) is not row and old != row]
    )


async def _rules(reader: Reader, tournament: Tournament) -> Ruleset | None:
    """The rules as the record keeps them; None when it does not, or this version cannot read them."""
    contents = await reader.those(Content, "digest", [tournament.ruleset_digest])
    pin = pin_of(tournament)
    for content in contents:
        with suppress(Refusal):
            return ruleset_of(pin)
        with suppress(Refusal):
            return kept_ruleset(content.content, pin)
    return None
