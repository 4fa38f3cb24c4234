"""A typed client of results over HTTP: page by page, and live without a gap.

``examples/results_app.py`` is an app of twenty lines. Only ``Results.act`` needs a credential.
"""

from __future__ import annotations

import asyncio
import uuid
import zipfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from io import BytesIO
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import ValidationError

from faristol.client.models import (
    FoundPlayer,
    Game,
    HeldRack,
    Model,
    News,
    Pairings,
    Player,
    PlayerTournament,
    Standing,
    Table,
    Tournament,
)

S = TypeVar("S", bound=Model)

REQUEST_PAGE_LINES = 500
"""Lines per request."""

STREAM_SILENCE_SECONDS = 30.0
"""Seconds without data after which a stream is broken: the gateway sends a line at least every 15 seconds."""

MAX_REQUEST_ATTEMPTS = 4
"""Attempts of a request."""

_RETRYABLE_STATUSES = frozenset((429, 503, 504))
"""Statuses after which a request is retried."""


class Problem(Exception):  # the name of RFC 9457
    """A refusal of the gateway, or that it cannot be reached (``status`` 0)."""

    def __init__(self, status: int, detail: str, body: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.body = dict(body or {})

    @property
    def reason(self) -> str:
        """Code for programs, such as ``NOT_FOUND`` or ``RESULT_KNOWN``; may be empty."""
        return str(self.body.get("reason", ""))


class NotFound(Problem):
    """The tournament, round, game or player does not exist."""


class Malformed(Problem):
    """The request is malformed: ``body["errors"]`` names the fields."""


class Refused(Problem):
    """The rules or earlier events do not allow the command."""


class NotAllowed(Problem):
    """The token is not valid, or not sufficient."""


class Unreachable(Problem):
    """No answer arrived in time, after all attempts."""


_PROBLEM_TYPES: Mapping[int, type[Problem]] = {
    0: Unreachable,
    400: Malformed,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Refused,
    429: Unreachable,
    503: Unreachable,
    504: Unreachable,
}


class Results:
    """A client of the gateway at ``address``, such as ``https://results.example``. Use it with ``async with``.

    ``language`` is the language of sentences in answers and problems, ``token`` the credential for ``act``. Every
    method raises ``Problem``: ``NotFound``, ``Malformed``, ``Refused``, ``NotAllowed`` or ``Unreachable``.
    """

    def __init__(self, address: str, *, token: str = "", language: str = "", patience: float = 1.0) -> None:
        """``patience`` is the pause in seconds before the first retry; it doubles with each further one."""
        headers = {"Accept-Language": language} if language else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._patience = patience
        self._http = httpx2.AsyncClient(base_url=f"{address.rstrip('/')}/api/v1/", headers=headers, timeout=20.0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def tournaments(self, search: str = "") -> AsyncIterator[Tournament]:
        """Yield the tournaments with these words in their names, the latest first; without words, all."""
        async for line in self._lines("tournaments", "tournaments", Tournament, search=search):
            yield line

    async def tournament(self, tournament_id: str) -> Tournament:
        """Return a tournament with the state of its rounds."""
        return _read(Tournament, (await self._ask(f"tournaments/{_part(tournament_id)}"))["tournament"])

    async def players(self, tournament_id: str) -> AsyncIterator[Player]:
        """Yield the players of a tournament, the highest rating first."""
        async for line in self._lines(f"tournaments/{_part(tournament_id)}/players", "players", Player):
            yield line

    async def standings(self, tournament_id: str, round_: int = 0, min_position: int = 0) -> AsyncIterator[Standing]:
        """Yield the standings after a round, or those with the results so far if ``round_`` is 0.

        They include the record up to ``min_position``, such as the position of the news of a result.
        """
        path = f"tournaments/{_part(tournament_id)}/standings"
        async for line in self._lines(path, "standings", Standing, round=round_, min_position=min_position):
            yield line

    async def people(self, search: str = "") -> AsyncIterator[FoundPlayer]:
        """Yield the players across tournaments with these words in their name or club; without words, all."""
        async for line in self._lines("players", "players", FoundPlayer, search=search):
            yield line

    async def player(self, player_id: str) -> AsyncIterator[PlayerTournament]:
        """Yield the tournaments of a player, the latest first, with games, opponents and tie-breaks."""
        async for line in self._lines(f"players/{_part(player_id)}", "tournaments", PlayerTournament):
            yield line

    async def pairings(self, tournament_id: str, round_: int) -> Pairings:
        """Return the tables of a round with their scores."""
        return _read(Pairings, await self._ask(f"tournaments/{_part(tournament_id)}/rounds/{round_}/pairings"))

    async def games(
        self, tournament_id: str, *, round_: int = 0, table: int = 0, player: str = "", state: str = ""
    ) -> AsyncIterator[Table]:
        """Yield the games of a tournament, filtered by round, table, player and state."""
        wanted: dict[str, str | int] = {"round": round_, "table": table, "player": player, "state": state}
        path = f"tournaments/{_part(tournament_id)}/games"
        async for line in self._lines(path, "games", Table, **wanted):
            yield line

    async def game(self, game_id: str, min_position: int = 0) -> Game:
        """Return a game with its scoresheet; it includes the record up to ``min_position``."""
        return _read(Game, await self._ask(f"games/{_part(game_id)}", min_position=min_position))

    async def racks(self, game_id: str) -> list[HeldRack] | None:
        """Return the racks of a game in the order of its turns; None while they are not public."""
        found = await self._ask(f"games/{_part(game_id)}/racks")
        return [_read(HeldRack, held) for held in found["racks"]] if found["public"] else None

    async def gcg(self, game_id: str, *, racks: bool = False) -> str:
        """Return a game of two players as a GCG file; with ``racks``, including them if they are public."""
        return (await self._get(f"games/{_part(game_id)}.gcg", _flags(racks=racks))).text

    async def gcgs(
        self, tournament_id: str, *, round_: int = 0, table: int = 0, player: str = "", racks: bool = False
    ) -> dict[str, str]:
        """Return the GCG files of all games with a final result by their ids, in one request.

        The filters are those of ``games``. A game without such a file is omitted.
        """
        wanted: dict[str, str | int] = {"round": round_, "table": table, "player": player, **_flags(racks=racks)}
        answer = await self._get(f"tournaments/{_part(tournament_id)}/games.zip", wanted)
        with zipfile.ZipFile(BytesIO(answer.content)) as archive:
            names = [name for name in archive.namelist() if name.endswith(".gcg")]
            return {name.removesuffix(".gcg"): archive.read(name).decode() for name in names}

    async def act(self, service: str, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Call a method of the contract, such as ``act("pairing", "StartRound", {...})``.

        A command without a ``command_id`` gets one. Retries use the same id, so the command takes effect once.
        """
        sent = {"command_id": str(uuid.uuid4()), **request} if not method.startswith(("Get", "List")) else request
        found: dict[str, Any] = (await self._request_with_retry("POST", f"{service}/{method}", json=sent)).json()
        return found

    async def follow(
        self,
        *tournament_ids: str,
        after: int = 0,
        games: Iterable[str] = (),
        rounds: Iterable[int] = (),
        tables: Iterable[int] = (),
        types: Iterable[str] = (),
    ) -> AsyncIterator[News]:
        """Yield the news of tournaments, or of all, after a position, then live; it does not end by itself.

        Each notification is delivered once and in order: a broken stream is resumed after the last one. A notification
        must match every filter. One of type ``Reset`` reports another record, as after the restore of a backup: discard
        everything before it; all news is sent again from the first.
        """
        filters = {"tournaments": tournament_ids, "games": games, "rounds": rounds, "tables": tables, "types": types}
        wanted = {name: ",".join(map(str, values)) for name, values in filters.items() if values}
        last, at, failed = str(after), after, 0
        while True:
            with suppress(httpx2.TransportError):  # the stream broke or timed out: resume it
                async for event_id, data in self._stream(last, wanted):
                    failed = 0
                    position = int(event_id.rpartition("-")[2])
                    news = _read(News, data) if data else None
                    is_reset = news is not None and news.type == "Reset"
                    if position > at or is_reset:
                        last, at = event_id, position
                        if news:
                            yield news
            failed += 1
            await asyncio.sleep(min(self._patience * 2 ** min(failed, 5), STREAM_SILENCE_SECONDS))

    async def _stream(self, last: str, wanted: Mapping[str, str]) -> AsyncIterator[tuple[str, str]]:
        """Yield the ids of a stream, each with its news, or with an empty string if only the position advances."""
        limit = httpx2.Timeout(20.0, read=STREAM_SILENCE_SECONDS)
        headers = {"Last-Event-ID": last, "Accept": "text/event-stream"}
        async with self._http.stream("GET", "stream", params=wanted, headers=headers, timeout=limit) as answer:
            if answer.status_code in _RETRYABLE_STATUSES:
                return
            if answer.status_code != 200:
                await answer.aread()
                raise _problem(answer)
            event_id, data = last, ""
            async for line in answer.aiter_lines():
                name, _, value = line.partition(":")
                if name == "id":
                    event_id = value.strip()
                elif name == "data":
                    data = value.strip()
                elif not line:
                    yield event_id, data
                    data = ""

    async def _lines(self, path: str, name: str, kind: type[S], **wanted: str | int) -> AsyncIterator[S]:
        """Yield all lines of a paged answer."""
        token = ""
        while True:
            found = await self._ask(path, **wanted, page_size=REQUEST_PAGE_LINES, page_token=token)
            for line in found[name]:
                yield _read(kind, line)
            if not (token := found["next_page_token"]):
                return

    async def _ask(self, path: str, **wanted: str | int) -> dict[str, Any]:
        found: dict[str, Any] = (await self._get(path, wanted)).json()
        return found

    async def _get(self, path: str, wanted: Mapping[str, str | int]) -> httpx2.Response:
        return await self._request_with_retry(
            "GET", path, params={name: value for name, value in wanted.items() if value}
        )

    async def _request_with_retry(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """Return the answer; retry with backoff while the gateway is unavailable. Raises ``Problem``."""
        problem = Problem(0, "never asked")
        for tried in range(MAX_REQUEST_ATTEMPTS):
            if tried:
                await asyncio.sleep(self._patience * 2 ** (tried - 1))
            try:
                answer = await self._http.request(method, path, **more)
            except httpx2.TransportError as error:
                problem = Unreachable(0, f"{self._http.base_url} cannot be reached: {error}")
                continue
            if answer.status_code == 200:
                return answer
            problem = _problem(answer)
            if answer.status_code not in _RETRYABLE_STATUSES:
                break
        raise problem


def _flags(**flags: bool) -> dict[str, str]:
    """Return the parameters that are true."""
    return {name: "true" for name, is_on in flags.items() if is_on}


def _part(name: str) -> str:
    """Quote an id as one segment of a path. Raises ``NotFound`` if it could lead to another path."""
    if not name or "/" in name or name in {".", ".."}:
        raise NotFound(404, f"expected an id, got {name!r}")
    return quote(name, safe="")


def _read(kind: type[S], data: Any) -> S:
    try:
        return kind.model_validate_json(data) if isinstance(data, str) else kind.model_validate(data)
    except ValidationError as error:
        raise Problem(200, f"the answer is no {kind.__name__}: {error}") from error


def _problem(answer: httpx2.Response) -> Problem:
    try:
        body = answer.json()
    except ValueError:  # a body that is not JSON comes from a proxy in front of the gateway
        body = {}
    body = body if isinstance(body, dict) else {}
    detail = str(body.get("detail") or f"{answer.status_code} {answer.reason_phrase}")
    return _PROBLEM_TYPES.get(answer.status_code, Problem)(answer.status_code, detail, body)
