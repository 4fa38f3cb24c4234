"""Answers what the public reads out of the cache, before the application is asked."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.asked import Asked, scope_with
from faristol.gateway.cache import Cache, Kept, Question, Rendered
from faristol.gateway.embedding import is_embeddable
from faristol.gateway.language import COOKIE, cookie_of
from faristol.gateway.parameters import LAST_POSITION, of_query
from faristol.gateway.representation import Header, Representation
from faristol.gateway.resources import KEPT, Address, Resource
from faristol.kernel.bounded import keep
from faristol.text import LANGUAGES, negotiate

LONGEST = 1_000
"""Characters at most of what an answer is kept by, of a line that is remembered, and of ``Accept-Language``.

What strangers hang on the address of a page counts not to the first: it makes no other answer.
"""

REMEMBERED = 4_000
"""Questions of which is remembered what they ask for."""

BY_LANGUAGE = b"Accept-Language, Cookie, Accept-Encoding"
"""What an answer depends on beside the address, where that does not say the language."""

BY_ADDRESS = b"Accept-Encoding"

SHARED = b"public, max-age=1, stale-while-revalidate=2"
"""Of an answer to whoever asks for a position: whoever keeps it never has an older one under that address."""

_PAST = ("as_of", "as_of_position")


class Asking(NamedTuple):
    """What a request asks for, as far as its line and its language say it."""

    question: Question
    language: str
    query: Sequence[tuple[str, str]]
    """What the answer depends on, in one order."""
    is_language_said: bool
    """The address says the language."""
    more: Sequence[Header]
    """Headers that keep the language that was chosen."""


@dataclass(frozen=True, slots=True)
class _Headers:
    """The headers of a request that an answer depends on."""

    languages: str = ""
    cookies: str = ""
    encodings: str = ""
    known: str = ""
    anew: bool = False

    @classmethod
    def of(cls, scope: Scope) -> _Headers:
        found: dict[bytes, bytes] = dict(scope["headers"])
        languages, cookies, encodings, known, control = (
            found.get(name, b"").decode("latin-1")
            for name in (b"accept-language", b"cookie", b"accept-encoding", b"if-none-match", b"cache-control")
        )
        return cls(languages, cookies, encodings, known, "no-cache" in control)


class Cached:
    """Lets the application render what the public reads once, and everything else each time that it is asked for.

    What is rendered to be kept knows nothing of who asks: no cookie, no header and no parameter but those that its
    address has. A request with ``Cache-Control: no-cache`` is not answered with what was found before it came.
    """

    def __init__(self, app: ASGIApp, cache: Cache, routes: Iterable[BaseRoute]) -> None:
        """``routes`` in the order in which the application has them."""
        self._app = app
        self._cache = cache
        self._addresses = [_address(route) for route in routes if isinstance(route, APIRoute)]
        self._asking: OrderedDict[tuple[str, bytes, str, str], Asking | None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        headers = _Headers.of(scope)
        asking = self._asked(scope, headers)
        if asking is None:
            await self._app(scope, receive, send)
            return

        async def render(kept: Kept | None, need: int) -> Rendered:
            return await self._rendered(scope, asking, kept, need)

        question = asking.question
        if headers.anew:
            question = question._replace(anew=True)
        found = await self._cache.answer(question, render)
        holds = 0 < question.min_position <= max(found.position, found.holds)
        await found.representation.send(
            send,
            accepted=headers.encodings,
            known=headers.known,
            vary=BY_ADDRESS if asking.is_language_said and not asking.more else BY_LANGUAGE,
            cache_control=SHARED if holds and not asking.more else b"",
            more=asking.more,
        )

    def _asked(self, scope: Scope, headers: _Headers) -> Asking | None:
        """What a request asks for; None where it is not to be kept."""
        path, query = scope["path"], scope["query_string"]
        languages, chosen = headers.languages[:LONGEST], _chosen(headers.cookies)
        if len(path) + len(query) > LONGEST:
            return self._read(path, query.decode("latin-1"), languages, chosen)
        line = (path, query, languages, chosen)
        if line in self._asking:
            self._asking.move_to_end(line)
            return self._asking[line]
        asking = self._read(path, query.decode("latin-1"), languages, chosen)
        keep(self._asking, line, asking, REMEMBERED)
        return asking

    def _read(self, path: str, query: str, languages: str, chosen: str) -> Asking | None:
        found = self._found(path)
        if found is None:
            return None
        address, resource = found
        given = parse_qsl(query, keep_blank_values=True)
        known = [(name, value) for name, value in given if name in address.known or name in _OWN]
        names = [name for name, _ in known]
        if len(names) > len(set(names)) or any(name in names for name in _PAST):
            return None
        if len(known) < len(given) and not address.is_page:
            return None  # to be refused
        values = dict(known)
        if address.is_embeddable:
            chosen = ""
        language, position = values.pop("lang", ""), values.pop("min_position", "0")
        if not address.is_page and ((language and language not in LANGUAGES) or _position(position) is None):
            return None  # to be refused, too
        said = language if language in LANGUAGES else ""
        language = said or chosen or negotiate(languages)
        asked = tuple(sorted(values.items()))
        if len(path) + sum(len(name) + len(value) for name, value in asked) > LONGEST:
            return None
        is_exact = not address.is_page
        question = Question((path, asked, language), resource, _position(position) or 0, is_exact, anew=False)
        keeps = address.is_page and not address.is_embeddable and said and values.get("part") != "live"
        more = [(b"set-cookie", cookie_of(said).encode("latin-1"))] if keeps else []
        return Asking(question, language, asked, bool(said), more)

    def _found(self, path: str) -> tuple[Address, Resource] | None:
        for address in self._addresses:
            if matched := address.path.match(path):
                resource = address.resource(matched.groupdict())
                return (address, resource) if resource else None
        return None

    async def _rendered(self, scope: Scope, asking: Asking, kept: Kept | None, need: int) -> Rendered:
        """Let the application answer for whoever asks for this."""
        query = [*asking.query, *([("min_position", str(need))] if need else [])]
        asked = Asked(kept.digest, kept.position) if kept else Asked()
        inner = {
            **scope_with(dict(scope), asked),
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
        if kept and status in _UNCHANGED and asked.is_unchanged():
            return Rendered(None, asked.position, digest)
        made = await asyncio.to_thread(Representation.of, status, sent[0]["headers"], body)
        return Rendered(made, asked.position, digest)


_UNCHANGED = (200, 304)
_OWN = ("lang", "min_position")


def _address(route: APIRoute) -> Address:
    return Address(
        route.path_regex,
        KEPT.get(route.path) if "GET" in (route.methods or ()) else None,
        frozenset(of_query(route.dependant)),
        not route.path.startswith("/api/") and "." not in route.path,  # what has an ending is a file beside the pages
        is_embeddable(route.path),
    )


def _position(given: str) -> int | None:
    """A position; None for what is none."""
    if not (given.isascii() and given.isdigit() and len(given) < 20):
        return None
    return int(given) if int(given) <= LAST_POSITION else None


def _chosen(cookies: str) -> str:
    """The language that was chosen before; empty for none."""
    if f"{COOKIE}=" not in cookies:
        return ""
    pairs = (each.partition("=") for each in cookies.split(";"))
    found = {name.strip(): value.strip(' "') for name, _, value in pairs}.get(COOKIE, "")
    return found if found in LANGUAGES else ""
