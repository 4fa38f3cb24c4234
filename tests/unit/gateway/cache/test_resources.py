from __future__ import annotations

import gzip

import brotli
import pytest
from fastapi.routing import APIRoute
from starlette.types import Message

from faristol.gateway.app import PUBLIC
from faristol.gateway.cache.representation import Representation, encoding_for
from faristol.gateway.cache.resources import (
    CACHED_ROUTES,
    OF_DUPLICATES,
    OF_GAME,
    OF_SCORES,
    OF_TOURNAMENT,
    PageContent,
    Resource,
    marks_of,
)
from faristol.gateway.live import page_updates as news
from faristol.gateway.pages import routes as pages
from faristol.pb.results.v1 import results_pb2 as pb

STREAMS = {"/api/v1/stream", "/api/v1/tournaments/{tournament_id}/stream"}
ARCHIVE = "/api/v1/tournaments/{tournament_id}/games.zip"
NOT_KEPT = {
    "/manifest.webmanifest",
    "/worker.js",
    "/favicon.ico",
    "/robots.txt",
    "/oembed",
    "/privacy",
    "/help",
    "/help/{help_name}",
    "/status",
    "/api/v1/status",
    "/api/v1/seals",
    "/tournaments/{tournament_id}/slots/{slot}/{content}",
    "/tournaments/{tournament_id}/stages",  # depends on several tournaments
    "/api/v1/tournaments/{tournament_id}/stages",
    "/seasons",  # depend on several tournaments
    "/seasons/{season_id}",
    "/seasons/{season_id}/bests",
    "/players/{player_id}/career",
    "/players/{player_id}/career/{opponent_id}",
    "/api/v1/players/{player_id}/career",
    "/api/v1/seasons/{season_id}/bests",
    "/seasons/{season_id}/circuits/{circuit_id}",
    "/seasons/{season_id}/circuits/{circuit_id}/{player_id}",
    "/api/v1/seasons",
    "/api/v1/ratings",
    "/api/v1/ratings/{number}",
    "/ratings",  # change with events of the whole cell
    "/ratings/{number}",
    "/api/v1/seasons/{season_id}",
    "/api/v1/seasons/{season_id}/circuits/{circuit_id}",
}
NOT_KEPT |= {
    "/log/checkpoint",
    "/log/tile/entries/{path:path}",
    "/log/tile/{level}/{path:path}",
    "/tournaments/{tournament_id}/proof",
    "/api/v1/games/{game_id}/proof",
    "/api/v1/games/{game_id}/result/proof",
    "/api/v1/tournaments/{tournament_id}/rounds/{number}/proof",
    "/api/v1/tournaments/{tournament_id}/proof",
}
NOT_KEPT |= {ARCHIVE, *STREAMS}
LEAGUE = Resource(PageContent.TOURNAMENT, "lliga")


def test_every_address_is_kept_or_said_not_to_be() -> None:
    routes = [route for public in PUBLIC for route in public.routes]
    assert {route.path for route in routes if isinstance(route, APIRoute)} == CACHED_ROUTES.keys() | NOT_KEPT


NOT_KEPT_TEMPLATES = {"screen_programme.html", "slot.html", "slot_standings.html", "stages.html"}
"""Of pages that are not kept: each screen has its own, a slot changes its game, and stages are several tournaments."""


def test_whatever_a_page_listens_to_makes_it_anew() -> None:
    followed = {
        PageContent.TOURNAMENT: OF_TOURNAMENT,
        PageContent.SCORES: OF_TOURNAMENT | OF_SCORES,
        PageContent.GAME: OF_GAME,
    }
    followed[PageContent.DUPLICATES] = OF_TOURNAMENT | OF_DUPLICATES
    templates = {
        f"{show.__name__}.html": CACHED_ROUTES[path] for path, show in pages.PAGES.items() if path in CACHED_ROUTES
    }
    for template in news.PAGE_CHANGES.keys() - NOT_KEPT_TEMPLATES:
        assert followed[templates[template]] >= set(news.of_page(template).split()), template


def test_news_touches_what_it_concerns_and_nothing_else() -> None:
    game, other = Resource(PageContent.GAME, game_id="lliga-r1-t1"), Resource(PageContent.GAME, game_id="lliga-r1-t2")
    first, second = (Resource(PageContent.SCORES, "lliga", round=number) for number in (1, 2))
    lists, elsewhere = Resource(PageContent.TOURNAMENTS), Resource(PageContent.TOURNAMENT, "copa")

    def list_touched(type_: str, game_id: str = "", round_: int = 0, tournament: str = "lliga") -> set[Resource]:
        news = pb.FollowResponse(type=type_, game_id=game_id, round=round_, tournament_id=tournament)
        every = (LEAGUE, game, other, first, second, lists, elsewhere)
        return {each for each in every if not set(marks_of(news)).isdisjoint(each.marks())}

    group = Resource(PageContent.GAME, game_id="copa-r1")
    corrected = pb.FollowResponse(type="SlipCorrected", game_id="altra-r1", round=1, tournament_id="altra")
    assert not set(marks_of(corrected)).isdisjoint(group.marks()), "groups can be one classification"
    assert set(marks_of(corrected)).isdisjoint(game.marks()), "a table has nothing of it"

    assert list_touched("PlayPlaced", "lliga-r1-t1", 1) == {game}
    assert list_touched("PlayCompleted", "lliga-r1-t1", 1) == {game, first}
    assert list_touched("ResultRecorded", "lliga-r1-t1", 1) == {LEAGUE, game, first, second, lists}
    assert list_touched("RoundClosed", round_=1) >= {LEAGUE, first, second, lists}
    assert list_touched("RoundClosed", round_=1, tournament="copa") >= {lists, elsewhere}
    assert LEAGUE not in list_touched("RoundClosed", round_=1, tournament="copa")
    assert elsewhere in list_touched("DivisionAdded")


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("", ""),
        ("gzip", "gzip"),
        ("x-gzip", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("GZIP;q=0.1, br", "br"),
        ("gzip, br;q=0.5", "gzip"),
        ("gzip;q=0", ""),
        ("gzip, br;q=0", "gzip"),
        ("*", "gzip"),
        ("*;q=0.5, gzip;q=0", ""),
        ("identity, gzip;q=0.5, br;q=0.9", ""),
        ("gzip;q=x", ""),
    ],
)
def test_an_encoding_is_sent_to_who_accepts_it_and_wants_nothing_rather(accepted: str, expected: str) -> None:
    assert encoding_for(accepted) == expected


@pytest.mark.asyncio
async def test_what_is_sent_encoded_is_the_body_under_a_tag_of_its_own_and_known_by_any_of_them() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    body = b"tiles and words " * 1_000
    answer = Representation.of(200, [], body)
    tags = []
    for accepted, decode in (("", bytes), ("gzip", gzip.decompress), ("gzip, br", brotli.decompress)):
        await answer.send(send, accepted=accepted)
        headers = dict(sent[-2]["headers"])
        assert decode(sent[-1]["body"]) == body
        assert headers[b"content-length"] == b"%d" % len(sent[-1]["body"])
        tags.append(headers[b"etag"].decode())
    assert len({*tags}) == 3
    for tag in tags:
        await answer.send(send, accepted="br", known=tag)
        assert sent[-2]["status"] == 304
    await answer.send(send, accepted="br", known='"another"')
    assert sent[-2]["status"] == 200


@pytest.mark.asyncio
async def test_a_header_that_nobody_needs_so_long_is_not_remembered() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    answer = Representation.of(200, [], b"tiles " * 1_000)
    before = encoding_for.cache_info().currsize
    for accepted in ("gzip, x-short", f"gzip, {'x' * 60_000}"):
        await answer.send(send, accepted=accepted)
    assert encoding_for.cache_info().currsize == before + 1
    assert [len(message["body"]) for message in sent[1::2]] == [len(answer.encoded["gzip"]), 6_000]
