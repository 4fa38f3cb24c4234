"""Web application: JSON, streams and pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from operator import attrgetter
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from faristol.gateway.api import downloads, games, log
from faristol.gateway.api import routes as api
from faristol.gateway.api.openapi import documentation
from faristol.gateway.api.openapi.commands import commands_document
from faristol.gateway.api.openapi.document import describe
from faristol.gateway.auth import credentials, openid, sign_in
from faristol.gateway.cache.middleware import Cached
from faristol.gateway.cache.store import Cache
from faristol.gateway.consoles import (
    arbiter,
    attendance,
    awards,
    director,
    duplicate_game,
    fair_play,
    judge,
    lexicons,
    officials_stream,
    own_data,
    own_table,
    queue_stream,
    results_entry,
    takeover,
)
from faristol.gateway.consoles.messages import hall as hall_messages
from faristol.gateway.consoles.messages import screens as screen_console
from faristol.gateway.consoles.messages import slots as slot_console
from faristol.gateway.consoles.messages import tournament as tournament_messages
from faristol.gateway.consoles.scorer import page as scorer_page
from faristol.gateway.consoles.treasurer import page as treasurer_page
from faristol.gateway.duplicate_game import api as duplicate_api
from faristol.gateway.duplicate_game import pages as duplicate_pages
from faristol.gateway.duplicate_game import training as duplicate_training
from faristol.gateway.federation import (
    careers,
    packs,
    rating_lists,
    register_console,
    register_import,
    season_api,
    season_console,
    season_pages,
)
from faristol.gateway.http import access_log, error_types, errors
from faristol.gateway.http.encoding import Encoded
from faristol.gateway.http.head import Head
from faristol.gateway.http.headers import PublicCors, SafeHeaders
from faristol.gateway.http.own_hosts import OwnHosts
from faristol.gateway.http.rate_limit import Rates, Waits
from faristol.gateway.http.responses import Health, ProblemBody, Ready
from faristol.gateway.http.static_files import assets
from faristol.gateway.live.content import Change
from faristol.gateway.live.feed import Feed, NewsSubscription
from faristol.gateway.live.streams import KnownStreams, Streams
from faristol.gateway.pages import hall_state, registration
from faristol.gateway.pages import routes as pages
from faristol.gateway.pages.operator import Operator
from faristol.gateway.pages.render import problem_page
from faristol.gateway.pages.spectators import proofs, push, screens, slots
from faristol.gateway.print import addresses as papers
from faristol.gateway.print.pdf import Pdfs
from faristol.gateway.rpc import json_proxy
from faristol.gateway.rpc.calls import NotSignedIn
from faristol.host import Runtime
from faristol.pb.game.v1 import duplicate_pb2_grpc, game_pb2_grpc
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc
from faristol.pb.rating.v1 import federation_pb2_grpc, rating_pb2_grpc
from faristol.pb.results.v1 import careers_pb2_grpc, results_pb2_grpc, seasons_pb2_grpc

RESULTS_DESCRIPTION = """Results of crossword-tile championships, live: tournaments, standings, pairings, scoresheets.

Every answer is valid up to a `position` of the record and has an `ETag`. A stream resumes, without a gap, at
`Last-Event-ID`. Every GET also accepts HEAD. Unknown and repeated parameters are refused. Errors are
`application/problem+json` (RFC 9457). A value that is absent is null. Fields may be added, and are never changed or
removed.
"""


PUBLIC = (
    log.routes,
    downloads.routes,
    games.routes,
    api.routes,
    api.streams,
    duplicate_api.routes,
    duplicate_api.sums,
    pages.routes,
    duplicate_pages.routes,
    proofs.routes,
    slots.routes,
    rating_lists.json_routes,
    rating_lists.page_routes,
    careers.json_routes,
    careers.page_routes,
    season_api.routes,
    season_pages.routes,
)
"""Routes of public content. ``faristol.gateway.cache.resources`` says which of them are cached."""

ROUTES = (
    own_table.routes,  # the phones of all players ask for these two, and a route is found by trying all before it
    results_entry.routes,
    *PUBLIC,
    pages.short_addresses,
    slots.short_slots,
    registration.routes,
    hall_state.routes,
    sign_in.routes,
    openid.routes,
    credentials.routes,
    papers.routes,
    packs.routes,
    duplicate_training.routes,
    documentation.routes,
    error_types.routes,
    json_proxy.routes,
    queue_stream.routes,
    judge.routes,
    hall_messages.routes,  # before those of a table, whose id could be read as the name of a page
    tournament_messages.routes,
    screen_console.routes,
    slot_console.routes,
    arbiter.routes,
    scorer_page.routes,
    *director.ROUTES,
    takeover.routes,
    *awards.AWARD_ROUTES,
    *attendance.ATTENDANCE_ROUTES,
    lexicons.routes,
    fair_play.routes,
    own_data.routes,
    screens.routes,
    push.routes,
    season_console.routes,
    register_console.routes,
    register_import.routes,
    rating_lists.console_routes,
    treasurer_page.routes,
    treasurer_page.provider_calls,
    *duplicate_game.ROUTES,
    officials_stream.routes,
)
"""All routes."""


@cache
def _build_routes() -> Sequence[BaseRoute]:
    """Build the routes once for all applications of this process.

    FastAPI analyses the parameters of each route when an application gets its first request, which takes some tenths of
    a second of processor time. An application that gets these routes finds them analysed.
    """
    router = APIRouter(generate_unique_id_function=attrgetter("name"))  # names for generated clients: ``get_standings``
    for routes in ROUTES:
        router.include_router(routes)
    return router.routes


def app(runtime: Runtime) -> FastAPI:
    """Build the application for the services of ``runtime``.

    The caller must run ``app.state.tail``, which receives notifications, ``app.state.content``, which reads their
    content, and ``app.state.fanout``, which sends them to viewers. ``app.state.results``, ``seasons``, ``careers``,
    ``rulings``, ``ratings``, ``rating_lists`` and ``game`` are stubs of services. ``app.state.channel`` returns the
    channel of any service. ``app.state.address`` is the public address of the pages, and ``app.state.now`` returns the
    time. ``app.state.is_open`` is true if the services require no credentials. ``app.state.hall`` is the name of the
    hall of this cell, and ``app.state.hall_key`` its public key in hexadecimal; both are empty in a championship.
    ``app.state.first_restore`` restores a backup at a first start; it is None if this process does not keep the record.
    """
    web = FastAPI(
        routes=[*_build_routes()],
        title="Faristol",
        version="1",
        description=RESULTS_DESCRIPTION,
        openapi_url=None,  # served below from a cache
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=attrgetter("name"),
        redirect_slashes=False,  # its redirects would use the Host header of the client
    )
    web.state.results = results_pb2_grpc.ResultsServiceStub(runtime.channel("results"))
    web.state.seasons = seasons_pb2_grpc.SeasonResultsServiceStub(runtime.channel("results"))
    web.state.careers = careers_pb2_grpc.CareerServiceStub(runtime.channel("results"))
    web.state.tail = NewsSubscription(web.state.results)
    feed = Feed(web.state.tail, web.state.results)
    web.state.fanout, web.state.content = feed.fanout, feed.content
    web.state.streams = KnownStreams()
    web.state.tail.on_gap(web.state.streams.clear)
    web.state.ratings = rating_pb2_grpc.RatingServiceStub(runtime.channel("rating"))
    web.state.rating_lists = federation_pb2_grpc.FederationRatingServiceStub(runtime.channel("rating"))
    web.state.rulings = adjudication_pb2_grpc.AdjudicationServiceStub(runtime.channel("lexicon"))
    web.state.game = game_pb2_grpc.GameServiceStub(runtime.channel("game"))
    web.state.duplicate = duplicate_pb2_grpc.DuplicateServiceStub(runtime.channel("game"))
    web.state.channel = runtime.channel
    web.state.address = runtime.settings.http_address
    web.state.now = runtime.now
    web.state.is_open = runtime.settings.open
    web.state.sign_in_minutes = runtime.settings.access_sign_in_minutes
    web.state.hall = runtime.settings.hall
    web.state.hall_key = runtime.record.owner_key.hex() if runtime.settings.hall else ""
    web.state.pdfs = Pdfs()
    web.state.pack_key = None
    web.state.operator = Operator.of(runtime.settings)
    web.state.first_restore = runtime.first_restore
    settings = runtime.settings
    web.state.cache = Cache(settings.http_cache_bytes, web.state.tail)
    web.state.tail.on_news(web.state.cache.invalidate)
    web.state.tail.on_gap(web.state.cache.clear)
    public = [route for routes in PUBLIC for route in routes.routes]
    web.add_middleware(Waits, tail=web.state.tail)
    web.add_middleware(Cached, cache=web.state.cache, routes=public)
    web.add_middleware(Streams, fanout=web.state.fanout, known=web.state.streams, tail=web.state.tail)
    web.add_middleware(PublicCors, public=[route.path_regex for route in public if isinstance(route, APIRoute)])
    web.add_middleware(Rates, per_second=settings.http_requests_per_second, streams=settings.http_streams_per_address)
    web.add_middleware(errors.Interrupted, page=problem_page)
    if settings.open:
        web.add_middleware(OwnHosts, address=settings.http_address)
    web.add_middleware(SafeHeaders, is_indexed=settings.pages_indexed)
    web.add_middleware(Head)
    if settings.http_log:
        access_log.begin()
        web.add_middleware(access_log.AccessLog, now=runtime.now)
    web.mount("/static", assets, name="static")
    errors.install(web, problem_page)
    web.add_exception_handler(NotSignedIn, sign_in.not_signed_in)

    _answer_health(web, runtime)
    describe(web, ProblemBody, Change)

    _serve_documents(web)
    return web


def _answer_health(web: FastAPI, runtime: Runtime) -> None:
    @web.get("/healthz", tags=["health"])
    async def get_health() -> Health:
        """Confirm that the gateway runs."""
        return Health(status="serving")

    @web.get("/readyz", tags=["health"], responses={503: {"model": Ready, "description": "The gateway is not ready."}})
    async def get_readiness(response: Response) -> Ready:
        """Report whether the gateway is ready, and which consumers are stalled."""
        own = runtime.readiness
        found = Ready.of(own) if own else await Ready.from_health(runtime.channel("results"))
        response.status_code = HTTPStatus.OK if found.status == "ready" else HTTPStatus.SERVICE_UNAVAILABLE
        return found


def _serve_documents(web: FastAPI) -> None:
    @cache
    def render_document(what: Callable[[], Mapping[str, Any]]) -> Response:
        """Cache a rendered document: rendering 130 kB takes 4 ms of the event loop."""
        body = json.dumps(what(), ensure_ascii=False, separators=(",", ":")).encode()
        return Encoded(Response(body, media_type="application/json", headers={"Cache-Control": "no-cache"}))

    @web.get("/openapi.json", include_in_schema=False)
    async def get_openapi() -> Response:
        return render_document(web.openapi)

    @web.get("/openapi-commands.json", include_in_schema=False)
    async def get_openapi_commands() -> Response:
        return render_document(commands_document)
