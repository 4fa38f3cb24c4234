"""Data from the other games of players in the tournament, for decisions that need it."""

from __future__ import annotations

from dataclasses import replace

from faristol.event_store import Guard, Record, load
from faristol.host.table_store import Settled, game_stream, load_other_games
from faristol.kernel.pairings import seats_of
from faristol.table.views import TableTournament, watch_tournament


async def add_other_games(record: Record, settled: Settled, *player_ids: str) -> Settled:
    """Return the table with data of these players from their other games in the tournament.

    It has warnings for too many tiles on the rack (FISE 28) and questions about words (UF 28.2, FISE 46.2). The other
    games are guarded.
    """
    game = settled.game
    tournament = (await load(record, f"tournament-{game.tournament_id}", TableTournament(), watch_tournament)).state
    pairings = [pairing for tables in tournament.pairings.values() for pairing in tables]
    others = [
        pairing.game_id
        for pairing in pairings
        if {*player_ids} & {*seats_of(pairing)} and pairing.game_id != game.game_id
    ]
    games = await load_other_games(record, others)
    states = [loaded.state for loaded in games.values()]
    table = replace(
        settled.table,
        overheld_elsewhere=sum(state.overholding.get(player, 0) for state in states for player in player_ids),
        asked_elsewhere=frozenset(player for state in states for player, _ in state.asked) & {*player_ids},
        strangers=frozenset(player_ids) - tournament.players if tournament.players else frozenset(),
    )
    guards = [Guard(game_stream(game_id), loaded.version) for game_id, loaded in games.items()]
    return replace(settled, table=table, guards=(*settled.guards, *guards))
