"""Pages of duplicate games: the game, the sheet of a player, the screen of a hall."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from faristol.gateway.api.contract_json import to_json
from faristol.gateway.api.parameters import DIGITS
from faristol.gateway.duplicate_game.answers import build_totals
from faristol.gateway.duplicate_game.api import head_of, listed_of
from faristol.gateway.duplicate_game.call_table import start_called, tiles_called
from faristol.gateway.duplicate_game.names import names_in, names_of
from faristol.gateway.duplicate_game.plays import coordinates_of, main_word
from faristol.gateway.duplicate_game.service import DuplicateReader, Duplicates
from faristol.gateway.pages.alternatives import check_has_duplicate_games
from faristol.gateway.pages.render import VisitDep
from faristol.gateway.rpc.results import Reader, Results
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation import duplicate_labels
from faristol.presentation.game_view import squares, words
from faristol.presentation.ruleset_lookup import tile_values

After = Annotated[int, Query(ge=0, le=1_000_000), DIGITS]

STANDINGS_PAGE_LINES = 50
"""Lines of standings on a page."""

SCREEN_STANDINGS_LINES = 10
"""Lines of standings on a screen."""


async def game(visit: VisitDep, results: Reader, games: DuplicateReader, game_id: str, after: After = 0) -> Response:
    """Show a game: rack, remaining time, board, scored turns and standings."""
    values = await _load_game_values(results, games, game_id)
    return await visit.show("duplicate/game.html", **values, after=after, most=STANDINGS_PAGE_LINES)


async def screen(visit: VisitDep, results: Reader, games: DuplicateReader, game_id: str) -> Response:
    """Show a game on a projector."""
    values = await _load_game_values(results, games, game_id)
    return await visit.show("duplicate/screen.html", **values, after=0, most=SCREEN_STANDINGS_LINES)


async def sheet(visit: VisitDep, results: Reader, games: DuplicateReader, game_id: str, player_id: str) -> Response:
    """Show the sheet of a player for the scored turns (FISC II.9)."""
    head, listed = await asyncio.gather(head_of(results, games, game_id), listed_of(results, games, game_id))
    shown, found = await asyncio.gather(games.game(game_id), games.sheet(game_id, player_id=player_id))
    (player,) = found.players
    by_turn = {turn.turn: turn for turn in shown.turns}
    return await visit.show(
        "duplicate/sheet.html",
        game=shown,
        tournament=head.tournament,
        player=player,
        hall=found.hall,
        player_name=names_of(listed).get(player_id, ""),
        lines=[
            (by_turn[turn], slip, score)
            for turn, slip, score in zip(player.turns, player.slips, player.scores, strict=True)
        ],
        faults=duplicate_labels.FAULTS,
        coordinates=coordinates_of,
        word=main_word,
        position=min(head.position, listed.position),
    )


async def totals(
    visit: VisitDep,
    results: Reader,
    games: DuplicateReader,
    tournament_id: Annotated[str, Path(max_length=64)],
    category: Annotated[str, Query(max_length=200)] = "",
    after: After = 0,
) -> Response:
    """Show the summed standings of all games of a tournament."""
    head = await results.tournament(tournament_id)
    check_has_duplicate_games(head)
    return await show_totals(visit, results, games, head, category, after)


async def show_totals(
    visit: VisitDep,
    results: Results,
    games: Duplicates,
    head: results_pb.GetTournamentResponse,
    category: str,
    after: int,
) -> Response:
    """Render the summed standings of the tournament ``head``; before its first scored turn the players."""
    tournament_id = head.tournament.tournament_id
    listed = await results.players(tournament_id)
    found = await games.totals(tournament_id)
    answer = await asyncio.to_thread(build_totals, tournament_id, found, listed, category)
    return await visit.show_tournament(
        "duplicate/totals.html",
        head,
        tab="standings",
        answer=answer,
        content=await asyncio.to_thread(to_json, answer),
        listed=None if any(each.turns or each.end for each in found.games) else listed,
        team_names={},
        categories=sorted({player.category for player in listed.players if player.category}),
        category=category,
        after=after,
        most=STANDINGS_PAGE_LINES,
    )


async def _load_game_values(results: Results, games: Duplicates, game_id: str) -> dict[str, Any]:
    """Return the template values of a game."""
    head, listed = await asyncio.gather(head_of(results, games, game_id), listed_of(results, games, game_id))
    shown, standings = await asyncio.gather(games.game(game_id), games.standings(game_id))
    scored = [turn for turn in shown.turns if turn.scored and turn.HasField("master")]
    laid = scored[-1].master.placements if scored else ()
    values = tile_values(shown.ruleset)
    return {
        "game": shown,
        "tournament": head.tournament,
        "turn": shown.turns[-1] if shown.turns else None,
        "scored": scored,
        "board": squares(shown.board, laid, values),
        "words": words(shown.board),
        "values": values,
        "standings": standings,
        "names": await names_in(results, game_id, standings, names_of(listed)),
        "ends": duplicate_labels.ENDS,
        "unofficial": duplicate_labels.UNOFFICIAL,
        "coordinates": coordinates_of,
        "word": main_word,
        "tiles_called": tiles_called,
        "start_called": start_called,
        "position": min(head.position, listed.position),
    }


PAGES: Mapping[str, Callable[..., Any]] = {
    "/duplicate/{game_id}": game,
    "/duplicate/{game_id}/screen": screen,
    "/duplicate/{game_id}/players/{player_id}": sheet,
    "/tournaments/{tournament_id}/duplicate": totals,
}
"""Routes by address."""

routes = APIRouter(include_in_schema=False)
for address, show in PAGES.items():
    routes.add_api_route(address, show)
