"""Standings as rows: made anew after the results of a tournament have changed, for every round that this concerns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host.ruleset_store import kept_ruleset, ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.results.rows import Player, Round, Standing, Tournament
from faristol.results.rows import Ruleset as Content
from faristol.results.standings import pin_of, rank
from faristol.results.store import Reader, Tables, remove, write
from faristol.results.tables import LAYOUTS
from faristol.rules import Ruleset


async def project(connection: AsyncConnection, tables: Tables, tournament_id: str, first: int) -> None:
    """Make the standings after round ``first`` and after all that follow it what the other rows say.

    Where the content of the tournament's rules is not on the record, or this version cannot rank by it, there are no
    rows: who asks for the standings is told why then.
    """
    reader = Reader(connection, tables)
    rounds = await reader.of_tournament(Round, tournament_id, "round")
    if not any(round_.round >= first for round_ in rounds):
        return  # what there was of a round that was taken back went with it
    await reader.add_tables({round_.round: round_ for round_ in rounds}, tournament_id)
    of, known = tables[Standing].c, LAYOUTS[Standing]
    before = {
        known.key(row): known.values(row)
        for row in await reader.rows(Standing, (of.tournament_id == tournament_id) & (of.round >= first))
    }
    now = {known.key(row): row for row in await _ranked(reader, tournament_id, rounds, first)}
    await remove(connection, tables[Standing], before.keys() - now.keys())
    differing = [row for key, row in now.items() if before.get(key) != known.values(row)]
    await write(connection, tables[Standing], differing)


async def _ranked(reader: Reader, tournament_id: str, rounds: Sequence[Round], first: int) -> list[Standing]:
    (tournament,) = await reader.of_tournament(Tournament, tournament_id)
    ruleset = await _rules(reader, tournament)
    if ruleset is None:
        return []
    players = await reader.of_tournament(Player, tournament_id)
    return await asyncio.to_thread(_after_rounds, tournament, players, rounds, first, ruleset)


def _after_rounds(
    tournament: Tournament, players: Sequence[Player], rounds: Sequence[Round], first: int, ruleset: Ruleset
) -> list[Standing]:
    found: list[Standing] = []
    for place, round_ in enumerate(rounds, 1):
        if round_.round >= first:
            with suppress(ValueError):  # standings that cannot be are said to be so to who asks for them
                found += (line.standing for line in rank(tournament, players, rounds[:place], ruleset))
    return found


async def _rules(reader: Reader, tournament: Tournament) -> Ruleset | None:
    """The rules as the record keeps them; None when it does not, or this version cannot read them."""
    contents = await reader.those(Content, "digest", [tournament.ruleset_digest])
    pin = pin_of(tournament)
    for content in contents:
        try:
            return ruleset_of(pin)
        except Refusal:
            pass
        try:
            return kept_ruleset(content.content, pin)
        except Refusal:
            pass
    return None
