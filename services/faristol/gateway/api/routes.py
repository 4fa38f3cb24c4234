"""JSON for results apps, under ``/api/v1``. ``app.state.fanout`` serves the streams."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import WithJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from faristol.fanout import parse_id
from faristol.gateway.api.parameters import (
    DEFAULT_PAGE_COUNT,
    DIGITS,
    KNOWN,
    LAST_POSITION,
    PAGES_END,
    TAGGED,
    LimitedPageSize,
    MinPosition,
    PageSize,
    RoundNumber,
    TournamentId,
    TournamentState,
    UpToRound,
    WantedPage,
    When,
)
from faristol.gateway.api.racks import RackReader, build_racks
from faristol.gateway.api.ratings import RatingReader, join_ratings
from faristol.gateway.duplicate_game.service import DuplicateReader, Duplicates, is_duplicate
from faristol.gateway.http.errors import DAY
from faristol.gateway.http.language import language_of
from faristol.gateway.http.responses import ERRORS, answers, to_tagged_response
from faristol.gateway.live import subscriptions
from faristol.gateway.live.notifications import NEWS, NEWS_WITH_CONTENT
from faristol.gateway.live.streams import StreamAnswer
from faristol.gateway.live.subscriptions import Filtered, LastEventId, LastEventIdQuery
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.pages.spectators import players
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.concurrency import ask_each
from faristol.gateway.rpc.results import Moment, Page, Reader, Results, RulingsReader
from faristol.kernel.topics import place_of
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.lexicon.v1.adjudication_pb2 import ListRulingsResponse
from faristol.pb.results.v1 import results_pb2 as pb

Day = Annotated[str, WithJsonSchema({"type": "string", "format": "date"})]

routes = APIRouter(prefix="/api/v1", tags=["results"], dependencies=[KNOWN, TAGGED])
streams = APIRouter(prefix="/api/v1", tags=["results"], dependencies=[KNOWN])


@routes.get("/tournaments", responses=answers(pb.ListTournamentsResponse))
async def list_tournaments(
    results: Reader,
    when: When,
    search: players.Search = "",
    page_size: PageSize = DEFAULT_PAGE_COUNT,
    page_token: players.PageToken = "",
    archived: Annotated[bool, Query(description="Include archived tournaments.")] = False,
    state: Annotated[
        TournamentState | None,
        Query(description="`announced` before the first pairing, `playing`, or `over` with the final standings."),
    ] = None,
    first: Annotated[
        Day | None,
        Query(
            alias="from",
            pattern=DAY,
            description="Tournaments played on or after this day, such as `2026-11-28`. Without days of its own a "
            "tournament is played on those of its rounds, or else on the day of its creation.",
        ),
    ] = None,
    until: Annotated[
        Day | None,
        Query(pattern=DAY, description="Tournaments played on or before this day, which is not before `from`."),
    ] = None,
) -> Response:
    """List the tournaments, the latest first, page by page. Words of the name, days and state filter them."""
    among = {"state": f"TOURNAMENT_STATE_{state.upper()}" if state else None, "from": first, "until": until}
    return to_tagged_response(
        await results.tournaments(when, Page(page_size, page_token), search=search, archived=archived, **among)
    )


@routes.get("/tournaments/{tournament_id}", responses=answers(pb.GetTournamentResponse))
async def get_tournament(results: Reader, tournament_id: TournamentId, when: When) -> Response:
    """Return a tournament with the state of its rounds."""
    return to_tagged_response(await results.tournament(tournament_id, when))


@routes.get("/tournaments/{tournament_id}/messages", responses=answers(pb.ListMessagesResponse))
async def list_messages(results: Reader, tournament_id: TournamentId, min_position: MinPosition = 0) -> Response:
    """List the public messages of officials that are shown now, the latest first.

    A message is not shown from its `expires_at` on. Messages to players are not in this list.
    """
    head = await results.tournament(tournament_id, Moment(min_position))
    return to_tagged_response(pb.ListMessagesResponse(messages=head.messages, position=head.position))


@routes.get("/tournaments/{tournament_id}/standings", responses=answers(pb.GetStandingsResponse))
async def get_standings(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    page: WantedPage,
    round: UpToRound = 0,
    player: Annotated[str, Query(max_length=64, description="Return only the line of this player.")] = "",
    arithmetic: Annotated[bool, Query(description="Include the derivation of every value.")] = False,
    category: Annotated[
        str, Query(max_length=20, description="Return only lines of this category, such as `U18`.")
    ] = "",
) -> Response:
    """Return the standings with their tie-breaks."""
    answer = await results.standings(
        tournament_id, round, when, page, player_id=player, arithmetic=arithmetic, category=category
    )
    return await asyncio.to_thread(to_tagged_response, answer)


@routes.get("/tournaments/{tournament_id}/teams", responses=answers(pb.ListTeamsResponse))
async def list_teams(results: Reader, tournament_id: TournamentId, when: When, page: WantedPage) -> Response:
    """List the teams with their line-ups; an empty list in an individual tournament."""
    return to_tagged_response(await results.teams(tournament_id, when, page))


@routes.get("/tournaments/{tournament_id}/team-standings", responses=answers(pb.GetTeamStandingsResponse))
async def get_team_standings(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    page: WantedPage,
    round: UpToRound = 0,
    team: Annotated[str, Query(max_length=64, description="Return only the line of this team.")] = "",
    arithmetic: Annotated[bool, Query(description="Include the derivation of every value.")] = False,
) -> Response:
    """Return the standings of teams with tie-breaks and matches; empty in an individual tournament."""
    answer = await results.team_standings(tournament_id, round, when, page, team_id=team, arithmetic=arithmetic)
    return to_tagged_response(answer)


@routes.get("/tournaments/{tournament_id}/crosstable", responses=answers(pb.GetCrosstableResponse))
async def get_crosstable(
    results: Reader, tournament_id: TournamentId, when: When, page: WantedPage, round: UpToRound = 0
) -> Response:
    """Return the rounds of every player: opponents, results, scores and starts."""
    answer = await results.crosstable(tournament_id, round, when, page)
    return await asyncio.to_thread(to_tagged_response, answer)


@routes.get("/tournaments/{tournament_id}/prospects", responses=answers(pb.GetProspectsResponse))
async def get_prospects(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    place: Annotated[
        int, Query(ge=0, le=100_000, description="Chances for the first places up to this one."), DIGITS
    ] = 1,
    player: Annotated[str, Query(max_length=64, description="Return only this player, with the others above.")] = "",
) -> Response:
    """Return the best and the worst place that each player can still reach, and the chance for the first places."""
    answer = await results.prospects(tournament_id, place, when, player_id=player)
    return await asyncio.to_thread(to_tagged_response, answer)


@routes.get("/tournaments/{tournament_id}/stages", responses=answers(pb.GetStagesResponse))
async def get_stages(results: Reader, tournament_id: TournamentId, when: When) -> Response:
    """Return the stages of the championship, the brackets of knock-outs, and the final table."""
    return await asyncio.to_thread(to_tagged_response, await results.stages(tournament_id, when))


@routes.get("/tournaments/{tournament_id}/rounds/{number}/pairings", responses=answers(pb.GetPairingsResponse))
async def get_pairings(
    results: Reader, tournament_id: TournamentId, number: RoundNumber, when: When, page: WantedPage
) -> Response:
    """Return the pairings of a round with current scores; byes and matches come with every page of tables."""
    return to_tagged_response(await results.pairings(tournament_id, number, when, page))


@routes.get("/tournaments/{tournament_id}/prizes", responses=answers(pb.GetPrizesResponse))
async def get_prizes(results: Reader, tournament_id: TournamentId, min_position: MinPosition = 0) -> Response:
    """Return the leaders for the special prizes, with the results and plays so far."""
    return to_tagged_response(await results.prizes(tournament_id, min_position))


@routes.get("/tournaments/{tournament_id}/awards", responses=answers(pb.GetAwardsResponse))
async def get_awards(results: Reader, tournament_id: TournamentId, min_position: MinPosition = 0) -> Response:
    """Return the prize lists and, after the final standings, the awards with their reasons."""
    return to_tagged_response(await results.awards(tournament_id, min_position))


@routes.get("/tournaments/{tournament_id}/players", responses=answers(pb.ListPlayersResponse))
async def list_players(results: Reader, tournament_id: TournamentId, when: When, page: WantedPage) -> Response:
    """List the players with their ratings."""
    return to_tagged_response(await results.players(tournament_id, when, page))


@routes.get("/tournaments/{tournament_id}/rulings", responses=answers(ListRulingsResponse))
async def list_rulings(
    results: Reader,
    found: RulingsReader,
    tournament_id: TournamentId,
    round: Annotated[int, Query(ge=0, le=10_000, description="The round; 0 for all closed rounds."), DIGITS] = 0,
    page_size: LimitedPageSize = DEFAULT_PAGE_COUNT,
    page_token: Annotated[
        str,
        Query(
            max_length=200,
            description="Continue after the previous page: the value of its `next_page_token`.",
            json_schema_extra={"pattern": PAGES_END},
        ),
    ] = "",
) -> Response:
    """List the challenges of closed rounds and their rulings, page by page."""
    check_has_tables(await results.tournament(tournament_id))
    answer = await found.of(tournament_id, round, Page(page_size, page_token))
    return to_tagged_response(answer)


@routes.get("/tournaments/{tournament_id}/ratings", responses=answers(api.Ratings))
async def get_ratings(
    results: Reader, ratings: RatingReader, tournament_id: TournamentId, min_position: MinPosition = 0
) -> Response:
    """Return the rating list after the tournament, or an estimate while rounds remain."""
    players = await results.players(tournament_id, Moment(min_position))
    return to_tagged_response(join_ratings(await ratings.of(tournament_id), players))


@routes.get("/games/{game_id}", responses=answers(pb.GetGameResponse))
async def get_game(
    results: Reader, when: When, game_id: Annotated[str, Path(description="The game.", examples=["demo-r1-t1"])]
) -> Response:
    """Return a game: board, scoresheet and clocks. Racks are hidden during play."""
    return to_tagged_response(await results.game(game_id, when))


@routes.get("/games/{game_id}/racks", responses=answers(api.Racks))
async def get_racks(
    results: Reader,
    racks: RackReader,
    game_id: Annotated[str, Path(description="The game.", examples=["demo-r1-t1"])],
    min_position: MinPosition = 0,
) -> Response:
    """Return the racks of a game, turn by turn, if its result is final and the system drew its tiles."""
    game = await results.game(game_id, Moment(min_position))
    return to_tagged_response(build_racks(game, await racks.racks(game)))


@routes.get(
    "/status",
    responses=answers(pb.GetStatusResponse, 304, 400, 503, 504),
    tags=["operation"],
)
async def get_status(results: Reader) -> Response:
    """Return the status of every consumer of the record.

    That is its position, its lag, whether it stopped, and how many games or tournaments it does not update after a
    failed event.
    """
    return to_tagged_response(await results.ask(pb.GetStatusRequest()))


@routes.get("/seals", responses=answers(pb.ListSealsResponse, 304, 400, 503, 504))
async def list_seals(
    results: Reader,
    after: Annotated[
        int,
        Query(ge=0, le=LAST_POSITION, description="Return seals that end after this position; 0 for all seals."),
        DIGITS,
    ] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000, description="Maximum number of seals."), DIGITS] = 100,
    newest: Annotated[bool, Query(description="Return only the newest seal; other parameters are ignored.")] = False,
) -> Response:
    """List the seals of the record. A copy of the newest seal proves later whether older events were changed.

    For the next page, set `after` to the last `to_position`. `faristol record verify --seals FILE` compares a record
    with a stored answer.
    """
    request = pb.ListSealsRequest(after_position=after, limit=limit, newest=newest)
    return to_tagged_response(await results.ask(request))


routes.add_api_route("/players", players.search_players, responses=answers(pb.SearchPlayersResponse))
routes.add_api_route("/players/{player_id}", players.get_player, responses=answers(pb.GetPlayerResponse))

STREAM_OPTIONS: dict[str, Any] = {
    "response_class": StreamingResponse,
    "responses": {
        **{status: ERRORS[status] for status in (400, 404, 503, 504)},
        200: {
            "description": (
                "Server-sent events: `id` is the fingerprint of the event and its position, with a hyphen between "
                "them, `event` the name of the event, `data` is `News`, or `NewsWithContent` with `include=content`. "
                "`Reset` is sent if the record does not have the event of the `Last-Event-ID`, for example after the "
                "restore of a backup: the data of the client are invalid, and all events follow from the first. "
                "A comment at least every 15 seconds shows that the stream is alive. It comes with an `id` without "
                "data, because the position from which to resume advances without events."
            ),
            "content": {"text/event-stream": {"schema": {"anyOf": [NEWS, NEWS_WITH_CONTENT]}}},
        },
    },
}

After = Annotated[
    int,
    Query(ge=0, le=LAST_POSITION, description="Return the events after this position; 0 for all events."),
    DIGITS,
]


@streams.get("/tournaments/{tournament_id}/stream", **STREAM_OPTIONS)
async def follow_tournament(
    results: Reader,
    duplicates: DuplicateReader,
    request: Request,
    tournament_id: TournamentId,
    filters: Filtered,
    after: After = 0,
    last_event_id: LastEventId = None,
    last_event_id_query: LastEventIdQuery = None,
) -> Response:
    """Stream the notifications of a tournament from a position on, then live, without gaps.

    Send `Last-Event-ID` to resume. If there are several filters, a notification must pass all of them.
    """
    last_id = last_event_id or last_event_id_query
    return await _open_stream(results, duplicates, request, [tournament_id], filters, after, last_id)


@streams.get("/stream", **STREAM_OPTIONS)
async def follow_tournaments(
    results: Reader,
    duplicates: DuplicateReader,
    request: Request,
    filters: Filtered,
    tournaments: subscriptions.Tournaments = "",
    after: After = 0,
    last_event_id: LastEventId = None,
    last_event_id_query: LastEventIdQuery = None,
) -> Response:
    """Stream the notifications of several tournaments, or of all, on one connection."""
    named, last_id = [*filter(None, tournaments.split(","))], last_event_id or last_event_id_query
    return await _open_stream(results, duplicates, request, named, filters, after, last_id)


async def _open_stream(
    results: Results,
    duplicates: Duplicates,
    request: Request,
    tournament_ids: Sequence[str],
    filters: subscriptions.Filters,
    after: int,
    last_id: str | None,
) -> Response:
    state = request.app.state
    topic = filters.topic(await _load_divisions(results, request, tournament_ids))
    if filters.games or filters.rounds:

        async def ask(tournament_id: str) -> pb.Tournament:
            return (await results.tournament(tournament_id)).tournament

        heads = await ask_each(ask, tournament_ids)
        await subscriptions.check_filters(filters, heads, partial(find_games, results, duplicates))
    state.streams.add_topic(subscriptions.split_request(request.scope)[0], topic)
    if last_id:
        return StreamAnswer(state.fanout, topic, *parse_id(last_id))
    subscriptions.check_after(after, state.tail.last_position)
    return StreamAnswer(state.fanout, topic, after)


async def find_games(results: Results, duplicates: Duplicates, game_ids: Collection[str]) -> frozenset[str]:
    """Return the ids that are games, by one call for each round and for each duplicate game.

    Raises ``grpc.aio.AioRpcError`` for any error except an unknown round or game.
    """

    async def ask_round(place: tuple[str, int]) -> frozenset[str]:
        codes = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION)
        answer = await answer_or(results.pairings(*place, seats_alone=True), pb.GetPairingsResponse(), *codes)
        return frozenset(table.game_id for table in answer.tables)

    async def ask_duplicate(game_id: str) -> bool:
        return await is_duplicate(duplicates, game_id)

    places = {game_id: place_of(game_id)[:2] for game_id in game_ids}
    paired = await ask_each(ask_round, {(of, number) for of, number in places.values() if of and number})
    others = await ask_each(ask_duplicate, [game_id for game_id, (of, _) in places.items() if not of])
    return frozenset(each for each, place in places.items() if each in paired.get(place, ()) or others.get(each))


async def _load_divisions(results: Results, request: Request, tournament_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the tournaments with their first divisions. An unknown one must be refused before the stream begins."""

    async def ask(tournament_id: str) -> str:
        return (await results.tournament(tournament_id)).tournament.division_of

    find, language = request.app.state.streams.find_division, language_of(request)
    return await ask_each(lambda tournament_id: find(tournament_id, language, ask), tournament_ids)
