"""ASGI middleware that answers public requests from the cache."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.api.parameters import LAST_POSITION, of_query
from faristol.gateway.cache.recorded_reads import READS_KEY, ServiceReads
from faristol.gateway.cache.representation import Header, Representation
from faristol.gateway.cache.resources import CACHED_ROUTES, Address, Resource
from faristol.gateway.cache.store import Cache, CacheEntry, Question, Rendered
from faristol.gateway.http.language import COOKIE, cookie_of
from faristol.gateway.pages.embedding import is_embeddable
from faristol.text import LANGUAGES, negotiate

MAX_KEY_CHARACTERS = 1_000
"""Limit in characters of a cache key, of a remembered request line, and of ``Accept-Language``.

Unknown parameters of a page do not count for the key: they do not change the answer.
"""

MAX_REQUEST_LINES = 4_000
"""Limit of remembered request lines with their parsed question."""

BY_LANGUAGE = b"Accept-Language, Cookie, Accept-Encoding"
"""``Vary`` of an answer whose address does not name the language."""

BY_ADDRESS = b"Accept-Encoding"

SHARED = b"public, max-age=1, stale-while-revalidate=2"
"""``Cache-Control`` of an answer to a request with a position: no cache has an older one under that address."""


class ParsedRequest(NamedTuple):
    """Parsed request."""

    question: Question
    language: str
    query: Sequence[tuple[str, str]]
    """Parameters on which the answer depends, in a canonical order."""
    is_language_said: bool
    """True if the address names the language."""
    more: Sequence[Header]
    """Headers that store the chosen language."""


class Cached:
    """Middleware that renders public content once and passes every other request on.

    The rendering sees no cookie, header or parameter of the client except those of the cache key. A request with
    ``Cache-Control: no-cache`` is not answered from an older entry.
    """

    def __init__(self, app: ASGIApp, cache: Cache, routes: Iterable[BaseRoute]) -> None:
        """Wrap an application. ``routes`` are in the order of the application."""
        self._app = app
        self._cache = cache
        self._addresses = [_address(route) for route in routes if isinstance(route, APIRoute)]
        self._parse_line_once = lru_cache(MAX_REQUEST_LINES)(self._parse_line)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request from the cache or pass it on."""
        if scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])

        def header(name: bytes) -> str:
            return headers.get(name, b"").decode("latin-1")

        asking = self._parse_request(scope, header(b"accept-language"), header(b"cookie"))
        if asking is None:
            await self._app(scope, receive, send)
            return

        async def render(kept: CacheEntry | None, need: int) -> Rendered:
            return await self._render_answer(scope, asking, kept, need)

        question = asking.question
        if "no-cache" in header(b"cache-control"):
            question = question._replace(anew=True)
        found = await self._cache.answer(question, render)
        holds = 0 < question.min_position <= max(found.position, found.holds)
        await found.representation.send(
            send,
            accepted=header(b"accept-encoding"),
            known=header(b"if-none-match"),
            vary=BY_ADDRESS if asking.is_language_said and not asking.more else BY_LANGUAGE,
            cache_control=SHARED if holds and not asking.more else b"",
            more=asking.more,
        )

    def _parse_request(self, scope: Scope, languages: str, cookies: str) -> ParsedRequest | None:
        """Parse a request; None if its answer is not cached."""
        path, query = scope["path"], scope["query_string"].decode("latin-1")
        parse = self._parse_line if len(path) + len(query) > MAX_KEY_CHARACTERS else self._parse_line_once
        return parse(path, query, languages[:MAX_KEY_CHARACTERS], _find_language(cookies))

    def _parse_line(self, path: str, query: str, languages: str, chosen: str) -> ParsedRequest | None:
        """Parse a request line, ``Accept-Language`` and the language in the cookie; None if it is not cached.

        Answers of the past are not, nor those of requests that the application refuses.
        """
        found = self._find_resource(path)
        if found is None:
            return None
        address, resource = found
        given = parse_qsl(query, keep_blank_values=True)
        known = [(name, value) for name, value in given if name in address.known or name in ("lang", "min_position")]
        parameters = dict(known)
        if len(parameters) < len(known) or any(name in parameters for name in ("as_of", "as_of_position")):
            return None
        asked, position = parameters.pop("lang", None), _position(parameters.pop("min_position", "0"))
        is_valid = len(known) == len(given) and asked in (None, *LANGUAGES) and position is not None
        if not is_valid and not address.is_page:  # a page ignores unknown parameters, languages and positions
            return None
        values, named = tuple(sorted(parameters.items())), asked if asked in LANGUAGES else ""
        if len(path) + sum(len(name) + len(value) for name, value in values) > MAX_KEY_CHARACTERS:
            return None
        language = named or ("" if address.is_embeddable else chosen) or negotiate(languages)
        is_exact = not address.is_page
        question = Question((path, values, language), resource, position or 0, is_exact, anew=False)
        stores = address.is_page and not address.is_embeddable and named and ("part", "live") not in values
        more = [(b"set-cookie", cookie_of(named).encode("latin-1"))] if stores else []
        return ParsedRequest(question, language, values, bool(named), more)

    def _find_resource(self, path: str) -> tuple[Address, Resource] | None:
        for address in self._addresses:
            if matched := address.path.match(path):
                resource = address.resource(matched.groupdict())
                return (address, resource) if resource else None
        return None

    async def _render_answer(self, scope: Scope, asking: ParsedRequest, kept: CacheEntry | None, need: int) -> Rendered:
        """Call the application, and return its answer for the cache."""
        query = [*asking.query, *([("min_position", str(need))] if need else [])]
        asked = ServiceReads(kept.digest, kept.position) if kept else ServiceReads()
        inner = {
            **scope,
            READS_KEY: asked,
            "query_string": urlencode(query).encode(),
            "headers": [(b"accept-language", asking.language.encode())],
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(inner, receive, send)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        status, digest = sent[0]["status"], asked.digest()
        if kept and status in (200, 304) and asked.is_unchanged():
            return Rendered(None, asked.position, digest)
        made = await asyncio.to_thread(Representation.of, status, sent[0]["headers"], body)
        return Rendered(made, asked.position, digest)


def _address(route: APIRoute) -> Address:
    return Address(
        route.path_regex,
        CACHED_ROUTES.get(route.path) if "GET" in (route.methods or ()) else None,
        frozenset(of_query(route.dependant)),
        not route.path.startswith("/api/") and "." not in route.path,  # a file has an extension
        is_embeddable(route.path),
    )


def _position(given: str) -> int | None:
    """Parse a position; None if it is invalid."""
    if not (given.isascii() and given.isdigit() and len(given) < 20):
        return None
    return int(given) if int(given) <= LAST_POSITION else None


def _find_language(cookies: str) -> str:
    """Return the language in the cookie; empty without one."""
    if f"{COOKIE}=" not in cookies:
        return ""
    pairs = (each.partition("=") for each in cookies.split(";"))
    found = {name.strip(): value.strip(' "') for name, _, value in pairs}.get(COOKIE, "")
    return found if found in LANGUAGES else ""
