"""JSON for results apps, under ``/api/v1``."""

from __future__ import annotations

import asyncio
import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, Field, WithJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway import operation, rulings, sheets, stream
from faristol.gateway.answers import Answer
from faristol.gateway.crosstable import Crosstable
from faristol.gateway.head import head_alone
from faristol.gateway.openapi import ref
from faristol.gateway.pairings import Pairings
from faristol.gateway.parameters import DIGITS, KNOWN
from faristol.gateway.prizes import Prizes
from faristol.gateway.problems import TIME_EXPECTED
from faristol.gateway.ratings import RatingReader, Ratings
from faristol.gateway.results import AsOf, Reader, RulingsReader
from faristol.gateway.seals import Seals
from faristol.gateway.standings import Standings
from faristol.gateway.stream import News
from faristol.gateway.tournaments import Players, TournamentAnswer, Tournaments
from faristol.kernel.refusal import N_

TournamentId = Annotated[str, Path(description="The tournament.", examples=["demo"])]
RoundNumber = Annotated[int, Path(ge=1, le=10_000, description="The round, from 1."), DIGITS]
UpToRound = Annotated[
    int, Query(ge=0, le=10_000, description="After this round; with the results so far when 0."), DIGITS
]
LAST_POSITION = 2**63 - 1
MinPosition = Annotated[
    int,
    Query(
        ge=0,
        le=LAST_POSITION,
        description="Wait until the answer holds up to this position of the record, 10 seconds at most: 504 when it "
        "does not come by then. Not together with `as_of` or `as_of_position`.",
    ),
    DIGITS,
]
AsOfPosition = Annotated[
    int,
    Query(
        ge=0,
        le=LAST_POSITION,
        description="As it was at this position of the record, which has to have come to it; as it is when 0. Not "
        "together with `as_of`.",
    ),
    DIGITS,
]


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(N_("expected a time between the years 1 and 9999, UTC, got {given}")) from None


RFC_3339 = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
"""A time as RFC 3339 writes it: with seconds and with its offset. A number or a day alone is no moment."""


def _written(given: str) -> str:
    if not re.fullmatch(RFC_3339, given):
        raise ValueError(TIME_EXPECTED)
    return given


AsOfTime = Annotated[
    Annotated[
        AwareDatetime,
        BeforeValidator(_written),
        AfterValidator(_in_utc),
        WithJsonSchema({"type": "string", "format": "date-time", "pattern": RFC_3339}),
    ]
    | None,
    Query(
        description="As it was when nothing later than this had been recorded: a time between the years 1 and 9999 "
        "with its offset, as RFC 3339 writes it; a `+` in it as `%2B`.",
        examples=["2026-03-07T11:30:00Z"],
    ),
]


@dataclass(frozen=True, slots=True)
class Moment:
    """What state an answer is to show: one that has come to a position, and one of the past where that is asked."""

    min_position: int
    as_of: AsOf


async def _moment(min_position: MinPosition = 0, as_of_position: AsOfPosition = 0, as_of: AsOfTime = None) -> Moment:
    return Moment(min_position, AsOf(as_of_position, as_of))


PAGES_END = r"^([0-9]{1,5}\.[0-9]{1,18}\.[a-z0-9-]{1,128})?$"
"""What a page's `next_page_token` looks like, for who reads the document: the service that made it checks it."""

When = Annotated[Moment, Depends(_moment)]
IfNoneMatch = Annotated[str | None, Header(description="An `ETag` given before: 304 when nothing has changed.")]


class FieldProblem(BaseModel):
    """What is wrong with one field of a request."""

    field: str = Field(description="The parameter or header.", examples=["as_of"])
    problem: str = Field(description="What it was and what was expected.")


class ProblemBody(BaseModel):
    """What went wrong (RFC 9457), as `application/problem+json`. A problem may have more members than these."""

    type: str
    title: str
    status: int
    detail: str = Field(description="In the language of `lang` or `Accept-Language`.")
    instance: str
    reason: str = Field("", description="A word for programs: `NOT_FOUND`.")
    kind: str = Field("", description="Of what there is none, for `NOT_FOUND`.", examples=["tournament"])
    id: str = Field("", description="Its id.")
    field: str = Field("", description="The field that a service refused; it is in `errors` too.")
    errors: list[FieldProblem] = Field([], description="The fields of a request that is malformed.")


class Health(BaseModel):
    """The gateway lives."""

    status: str


_PROBLEM = {"application/problem+json": {"schema": ref(ProblemBody)}}
ERRORS: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing has changed since `If-None-Match`."},
    400: {
        "description": "Malformed, or with a parameter that there is not, or one twice: `errors` names the fields.",
        "content": _PROBLEM,
    },
    404: {"description": "There is no such thing; `detail` names its id.", "content": _PROBLEM},
    503: {"description": "The results cannot be reached; try again after `Retry-After`.", "content": _PROBLEM},
    504: {"description": "`min_position` was not reached in time, or no answer came.", "content": _PROBLEM},
}


def tagged(model: Answer, if_none_match: str | None) -> Response:
    """The model as JSON with its ``ETag``, or 304 when the caller has it already."""
    return tagged_body(model.model_dump_json(), model.position, if_none_match, "application/json")


def tagged_body(text: str, position: int, if_none_match: str | None, media_type: str) -> Response:
    """An answer that holds up to ``position`` with its ``ETag``, or 304 when the caller has it already.

    The tag begins with the position. A digest follows, because a name can be erased without an event.
    """
    body = text.encode()
    tag = f'"{position}-{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    known = {one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")}
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


def router(closing: asyncio.Event) -> APIRouter:
    """The routes. Streams end when ``closing`` is set."""
    routes = APIRouter(prefix="/api/v1", tags=["results"], dependencies=[KNOWN])

    @routes.get("/tournaments", response_model=Tournaments, responses=ERRORS)
    async def list_tournaments(
        results: Reader,
        when: When,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """All tournaments, the latest first."""
        answer = await results.tournaments(when.min_position, when.as_of)
        return tagged(Tournaments.of(answer), if_none_match)

    @routes.get("/tournaments/{tournament_id}", response_model=TournamentAnswer, responses=ERRORS)
    async def get_tournament(
        results: Reader,
        tournament_id: TournamentId,
        when: When,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """One tournament with where its rounds stand."""
        answer = await results.tournament(tournament_id, when.min_position, when.as_of)
        return tagged(TournamentAnswer.of(answer), if_none_match)

    @routes.get("/tournaments/{tournament_id}/standings", response_model=Standings, responses=ERRORS)
    async def get_standings(
        results: Reader,
        tournament_id: TournamentId,
        when: When,
        round: UpToRound = 0,  # noqa: A002 # the name of the query parameter
        player: Annotated[str, Query(max_length=64, description="The line of this player alone.")] = "",
        arithmetic: Annotated[bool, Query(description="With how every value comes about.")] = False,
        category: Annotated[str, Query(max_length=20, description="Lines of this category alone, as `U18`.")] = "",
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Standings with their tie-breaks."""
        answer = await results.standings(
            tournament_id,
            round,
            when.min_position,
            when.as_of,
            player_id=player,
            arithmetic=arithmetic,
            category=category,
        )
        return await asyncio.to_thread(lambda: tagged(Standings.of(answer), if_none_match))

    @routes.get("/tournaments/{tournament_id}/crosstable", response_model=Crosstable, responses=ERRORS)
    async def get_crosstable(
        results: Reader,
        tournament_id: TournamentId,
        when: When,
        round: UpToRound = 0,  # noqa: A002 # the name of the query parameter
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Everybody's rounds: opponents, results, scores, who started."""
        answer = await results.crosstable(tournament_id, round, when.min_position, when.as_of)
        return await asyncio.to_thread(lambda: tagged(Crosstable.of(answer), if_none_match))

    @routes.get("/tournaments/{tournament_id}/rounds/{number}/pairings", response_model=Pairings, responses=ERRORS)
    async def get_pairings(
        results: Reader,
        tournament_id: TournamentId,
        number: RoundNumber,
        when: When,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Pairings of a round, with scores as they are."""
        answer = await results.pairings(tournament_id, number, when.min_position, when.as_of)
        return tagged(Pairings.of(answer), if_none_match)

    @routes.get("/tournaments/{tournament_id}/prizes", response_model=Prizes, responses=ERRORS)
    async def get_prizes(
        results: Reader,
        tournament_id: TournamentId,
        min_position: MinPosition = 0,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Who is ahead for the special prizes, with the results and plays so far."""
        return tagged(Prizes.of(await results.prizes(tournament_id, min_position)), if_none_match)

    @routes.get("/tournaments/{tournament_id}/players", response_model=Players, responses=ERRORS)
    async def list_players(
        results: Reader,
        tournament_id: TournamentId,
        when: When,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Players with their ratings."""
        answer = await results.players(tournament_id, when.min_position, when.as_of)
        return tagged(Players.of(answer), if_none_match)

    @routes.get("/tournaments/{tournament_id}/rulings", response_model=rulings.Rulings, responses=ERRORS)
    async def list_rulings(
        found: RulingsReader,
        tournament_id: TournamentId,
        round: Annotated[  # noqa: A002 # the name of the query parameter
            int, Query(ge=0, le=10_000, description="Of this round; of every closed round when 0."), DIGITS
        ] = 0,
        page_size: Annotated[int, Query(ge=1, le=1_000, description="Rulings in the answer at most."), DIGITS] = 200,
        page_token: Annotated[
            str,
            Query(
                max_length=200,
                description="Go on where an answer ended: its `next_page_token`, as it was.",
                json_schema_extra={"pattern": PAGES_END},
            ),
        ] = "",
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """What was challenged in closed rounds, and how it was ruled on, page by page."""
        answer = await found.of(tournament_id, round, page_size, page_token)
        return tagged(rulings.Rulings.of(answer), if_none_match)

    @routes.get("/tournaments/{tournament_id}/ratings", response_model=Ratings, responses=ERRORS)
    async def get_ratings(
        results: Reader,
        ratings: RatingReader,
        tournament_id: TournamentId,
        min_position: MinPosition = 0,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """The rating list after the tournament; while a round is left, an estimate from the results so far."""
        players = await results.players(tournament_id, min_position)
        return tagged(Ratings.of(await ratings.of(tournament_id), players), if_none_match)

    @routes.get("/games/{game_id}", response_model=sheets.Game, responses=ERRORS)
    async def get_game(
        results: Reader,
        when: When,
        game_id: Annotated[str, Path(description="The game.", examples=["demo-r1-t1"])],
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """A game: board, scoresheet and clocks. Racks are not shown while it runs."""
        answer = await results.game(game_id, when.min_position, when.as_of)
        return tagged(sheets.Game.of(answer), if_none_match)

    @routes.get(
        "/status",
        response_model=operation.Status,
        responses={key: ERRORS[key] for key in (304, 400, 503, 504)},
        tags=["operation"],
    )
    async def get_status(results: Reader, if_none_match: IfNoneMatch = None) -> Response:
        """Where everything stands that follows the record: positions, lag, and what stands still."""
        return tagged(operation.Status.of(await results.status()), if_none_match)

    @routes.get("/seals", response_model=Seals, responses={key: ERRORS[key] for key in (304, 400, 503, 504)})
    async def list_seals(
        results: Reader,
        after: Annotated[
            int, Query(ge=0, le=LAST_POSITION, description="Seals that reach beyond this position; all when 0."), DIGITS
        ] = 0,
        limit: Annotated[int, Query(ge=1, le=1_000, description="At most as many."), DIGITS] = 100,
        newest: Annotated[bool, Query(description="The newest one alone, whatever else is asked.")] = False,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Seals of the record. Whoever keeps the newest can show later whether anything before it was changed.

        For the next page, ask `after` the last one's `to_position`. `faristol record verify --seals FILE` compares
        a record with an answer that was kept.
        """
        return tagged(Seals.of(await results.seals(after, limit, newest=newest)), if_none_match)

    @routes.get(
        "/tournaments/{tournament_id}/stream",
        response_class=StreamingResponse,
        responses={
            **{status: ERRORS[status] for status in (400, 404, 503, 504)},
            200: {
                "description": (
                    "Server-sent events: `id` is the position, `event` the name of the event, `data` is `News`. "
                    "A comment every 15 seconds shows that the stream lives."
                ),
                "content": {"text/event-stream": {"schema": ref(News)}},
            },
        },
    )
    async def follow_tournament(
        results: Reader,
        request: Request,
        tournament_id: TournamentId,
        after: Annotated[
            int,
            Query(ge=0, le=LAST_POSITION, description="News after this position; from the first one when 0."),
            DIGITS,
        ] = 0,
        last_event_id: Annotated[
            int | None,
            Header(ge=0, le=LAST_POSITION, description="Resume after this event; goes before `after`."),
            DIGITS,
        ] = None,
    ) -> StreamingResponse:
        """News of a tournament from a position on, then live, without gaps. Send `Last-Event-ID` to resume."""
        await results.tournament(tournament_id)  # a stream that has begun cannot say 404 any more
        if head_alone(request):
            frames = stream.nothing()
        else:
            call = results.follow(tournament_id, after if last_event_id is None else last_event_id)
            frames = stream.events(call, closing, gone=request.is_disconnected)
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        return StreamingResponse(frames, media_type="text/event-stream", headers=headers)

    return routes
