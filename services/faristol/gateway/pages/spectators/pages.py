"""Pages of spectators and their addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from faristol.gateway.api.parameters import DIGITS
from faristol.gateway.api.racks import RackReader
from faristol.gateway.duplicate_game.names import names_of
from faristol.gateway.duplicate_game.seats import place_in_game, places_in_game, played_in
from faristol.gateway.duplicate_game.service import DuplicateReader, Duplicates
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.divisions import pages_beside, together
from faristol.gateway.pages.embedding import Theme
from faristol.gateway.pages.render import VisitDep, rules_title
from faristol.gateway.pages.spectators.players import MAX_SEARCH_CHARACTERS, curve, rating_line
from faristol.gateway.pages.spectators.replay import steps
from faristol.gateway.pages.spectators.seats import PlayerPlace, find_places, latest, places
from faristol.gateway.print.contents import language_of_tournament
from faristol.gateway.rpc.results import Page, Reader, Results
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.game_view import build_page_values, squares, words
from faristol.presentation.messages import list_on_screen
from faristol.presentation.ruleset_lookup import is_of_duplicate_games, tile_values

After = Annotated[int, Query(ge=0, le=10_000_000), DIGITS]
Words = Annotated[str, Query(max_length=MAX_SEARCH_CHARACTERS)]

Hall = Annotated[str, Query(max_length=200)]

SCREEN_TOP_PLAYERS = 24
"""Limit of players in the standings on a screen."""

PLAYER_TOURNAMENT_COUNT = 20
"""Limit of tournaments on a page of a player."""

MAX_FOUND_PLAYERS = 50
"""Limit of players on a page of matches."""

CURVE = (300, 80)
"""Width and height of the chart of a player's ratings."""


async def player(
    visit: VisitDep, results: Reader, games: DuplicateReader, player_id: str, after: After = 0
) -> Response:
    """Show a player across tournaments."""
    answer = await results.player(player_id, Page(PLAYER_TOURNAMENT_COUNT, str(after) if after else ""))
    played = await played_in(games, answer)
    over = [game.outcome for each in answer.tournaments for game in each.games]
    ratings = rating_line(answer.tournaments)
    return await visit.show(
        "player.html",
        player=answer,
        titles={each.tournament.ruleset.name: rules_title(each.tournament.ruleset.name) for each in answer.tournaments},
        record=[over.count(outcome) for outcome in (pb.OUTCOME_WIN, pb.OUTCOME_DRAW, pb.OUTCOME_LOSS)],
        next_games=[
            (each.tournament, game)
            for each in answer.tournaments
            for game in each.games
            if not game.table.final and game.phase != pb.ROUND_PHASE_CLOSED
        ],
        played=played,
        ratings=ratings,
        curve=curve([rating for _, rating in ratings], *CURVE),
        size=CURVE,
        position=answer.position,
    )


async def search(visit: VisitDep, results: Reader, q: Words = "", after: After = 0) -> Response:
    """Show the tournaments and players whose names contain the searched words."""
    found, people = pb.ListTournamentsResponse(), pb.SearchPlayersResponse()
    if q.strip():
        found, people = await asyncio.gather(
            results.tournaments(page=Page(0 if after else MAX_FOUND_PLAYERS), search=q),
            results.search_players(q, Page(MAX_FOUND_PLAYERS, str(after) if after else "")),
        )
    return await visit.show(
        "search.html",
        q=q.strip(),
        after=after,
        tournaments=[] if after else together(found.tournaments),
        people=people,
    )


async def load_places(
    results: Results, games: Duplicates, tournament_id: str, hall: str = ""
) -> tuple[pb.GetTournamentResponse, pb.GetPairingsResponse, list[PlayerPlace]]:
    """Return a tournament, its latest round, and the places of all players; no places before the first round."""
    head, listed = await asyncio.gather(results.tournament(tournament_id), results.players(tournament_id))
    round_ = latest(head.tournament)
    if round_ and is_of_duplicate_games(head.tournament):
        answer = pb.GetPairingsResponse(
            round=round_.round, phase=round_.phase, position=min(head.position, listed.position)
        )
        if round_.phase == pb.ROUND_PHASE_PAIRED:
            return head, answer, []
        language = language_of_tournament(head)
        seats = await places_in_game(games, tournament_id, round_.round, listed.players, hall, language)
        return head, answer, seats or []
    if round_ is None:
        return head, pb.GetPairingsResponse(position=min(head.position, listed.position)), []
    answer = await results.pairings(tournament_id, round_.round, seats_alone=True)
    answer.position = min(answer.position, listed.position)
    return head, answer, await asyncio.to_thread(places, answer, listed.players, hall, language_of_tournament(head))


async def place_of(found: pb.GetPlayerDayResponse, games: Duplicates, player_id: str) -> PlayerPlace | None:
    """Return the place of a player in the latest round; None before the first, and for an unregistered player."""
    tournament = found.head.tournament
    round_ = latest(tournament)
    if round_ is None:
        return None
    if is_of_duplicate_games(tournament):
        if round_.phase == pb.ROUND_PHASE_PAIRED:
            return None
        return await place_in_game(games, tournament.tournament_id, round_.round, player_id)
    registered = [found.player] if found.HasField("player") else []
    return next((place for place in places(found.pairings, registered) if place.player_id == player_id), None)


async def find(
    visit: VisitDep, results: Reader, games: DuplicateReader, tournament_id: str, name: Words = ""
) -> Response:
    """Show the places of all players in the latest round by name, or those that match a typed name."""
    head, answer, everybody = await load_places(results, games, tournament_id)
    return await visit.show_tournament(
        "find.html",
        head,
        answer=answer,
        places=find_places(everybody, name),
        typed=name.strip(),
        round=latest(head.tournament),
        tab="find",
        beside=pages_beside(head.tournament, "find"),
    )


def _only_hall(answer: pb.GetPairingsResponse) -> str:
    """Return the single hall of a round's tables; empty if there are several."""
    found = {table.hall for table in answer.tables}
    return found.pop() if len(found) == 1 else ""


async def screen(
    visit: VisitDep, results: Reader, games: DuplicateReader, tournament_id: str, hall: Hall = ""
) -> Response:
    """Show a hall screen for projectors: seats, remaining time and top standings, in pages that turn automatically."""
    head, answer, everybody = await load_places(results, games, tournament_id, hall)
    standings, summed, names = pb.GetStandingsResponse(position=answer.position), [], {}
    if is_of_duplicate_games(head.tournament):
        found = await games.totals(tournament_id)
        if any(game.turns for game in found.games):
            summed = [line.line for line in found.lines[:SCREEN_TOP_PLAYERS]]
            names = names_of(await results.players(tournament_id))
    else:
        standings = await results.standings(tournament_id, page=Page(SCREEN_TOP_PLAYERS))
    answer.position = min(answer.position, standings.position)
    tables = [table for table in answer.tables if hall in {"", table.hall}]
    return await visit.show_tournament(
        "screen.html",
        head,
        answer=answer,
        places=[] if answer.phase == pb.ROUND_PHASE_CLOSED else everybody,
        standings=standings,
        summed=summed,
        names=names,
        hall=hall,
        messages=list_on_screen(head.messages, hall, {table.table for table in tables}),
        tables=len(tables),
        finished=sum(table.final for table in tables),
        known_hall=bool(everybody) or not (answer.tables or _is_begun(head)),
        only_hall=_only_hall(answer),
        round=latest(head.tournament),
        tab="screen",
    )


async def embedded_screen(
    visit: VisitDep, results: Reader, games: DuplicateReader, tournament_id: str, hall: Hall = "", theme: Theme = ""
) -> Response:
    """Show the hall screen in a frame of another site."""
    return await screen(visit, results, games, tournament_id, hall)


def _is_begun(head: pb.GetTournamentResponse) -> bool:
    """Check whether the latest round is a duplicate game that has begun, so that its halls are known."""
    round_ = latest(head.tournament)
    return round_ is not None and round_.phase != pb.ROUND_PHASE_PAIRED and is_of_duplicate_games(head.tournament)


async def replay(
    visit: VisitDep,
    results: Reader,
    found: RackReader,
    game_id: str,
    move: Annotated[int | None, Query(ge=0, le=10_000), DIGITS] = None,
) -> Response:
    """Show a game after some lines of its sheet, by default after the first."""
    game = await results.game(game_id)
    every = steps(game, await found.racks(game))
    number = min(1 if move is None else move, len(every) - 1)
    step, values = every[number], tile_values(game.ruleset)
    best: Sequence[game_pb2.PossiblePlay] = ()
    if step.rack and step.line:
        best = await found.best_plays(game, step.line.entry.turn, step.line.entry.player_id)
    return await visit.show(
        "replay.html",
        game=game,
        steps=every,
        step=step,
        board=squares(step.tiles, step.last, values),
        words=words(step.tiles),
        values=values,
        best=best,
        position=game.position,
    )


async def embed(visit: VisitDep, results: Reader, game_id: str, theme: Theme = "") -> Response:
    """Show a game in a frame of another site."""
    return await visit.show("embed.html", **await _game_values(visit, results, game_id))


async def overlay(visit: VisitDep, results: Reader, game_id: str) -> Response:
    """Show names, scores, clocks and the last play as a video overlay."""
    return await visit.show("overlay.html", **await _game_values(visit, results, game_id))


async def _game_values(visit: VisitDep, results: Results, game_id: str) -> dict[str, Any]:
    return build_page_values(await results.game(game_id), language_of(visit.request))


async def privacy(visit: VisitDep) -> Response:
    """Show the privacy notice."""
    return await visit.show("privacy.html")


PAGES: Mapping[str, Callable[..., Any]] = {
    "/players/{player_id}": player,
    "/search": search,
    "/privacy": privacy,
    "/games/{game_id}/replay": replay,
    "/games/{game_id}/embed": embed,
    "/games/{game_id}/overlay": overlay,
    "/tournaments/{tournament_id}/find": find,
    "/tournaments/{tournament_id}/screen": screen,
    "/tournaments/{tournament_id}/embed/screen": embedded_screen,
}
"""Routes by address."""
