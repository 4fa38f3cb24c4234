"""A browser without a screen: cookies, forms and redirects, with the duration of each request."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlencode, urljoin

import httpx
from tests.campaigns.day.forms import Form, FormError, Page, read_page
from tests.support.plain_http import PLAIN

T = TypeVar("T")

REQUEST_TIMEOUT_SECONDS = 120.0
RETRY_ATTEMPTS = 5
RETRY_SECONDS = 5.0
"""Seconds after which a person loads a page again that failed."""

KEEP_ALIVE_SECONDS = 3.0
"""Seconds in which an idle connection is used again: less than those after which the gateway closes it."""

DONE_STATUSES = frozenset({200, 303})


@dataclass
class Timings:
    """Durations of requests in milliseconds, by kind."""

    by_kind: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: list[str] = field(default_factory=list)
    """Requests without an answer, and answers of a server error."""

    @property
    def every(self) -> list[float]:
        """All durations."""
        return [duration for durations in self.by_kind.values() for duration in durations]


def percentile(values: Iterable[float], percent: float) -> float:
    """Return a percentile by the nearest rank; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else 0.0


class Network:
    """Connections to a gateway from an address of this machine, such as that of a hall, which its phones share."""

    def __init__(self, base: str, own_address: str) -> None:
        self.base = base
        self._transport = httpx.AsyncHTTPTransport(
            verify=PLAIN,
            local_address=own_address,
            limits=httpx.Limits(max_connections=None, keepalive_expiry=KEEP_ALIVE_SECONDS),
        )

    def client(self) -> httpx.AsyncClient:
        """Return a client with its own cookies, over the connections of this network."""
        return httpx.AsyncClient(
            transport=self._transport,
            base_url=self.base,
            timeout=REQUEST_TIMEOUT_SECONDS,
            trust_env=False,
            headers={"origin": self.base, "accept-language": "en"},
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.aclose()


class Browser:
    """A browser of one person."""

    def __init__(self, network: Network, timings: Timings) -> None:
        self._client = network.client()
        self._timings = timings
        self.posts = 0
        """Forms that were sent."""

    async def request(self, kind: str, method: str, address: str, body: str | None = None) -> httpx.Response:
        """Send a request, and note its duration under ``kind``. Raises ``FormError`` without an answer in time."""
        headers = {"content-type": "application/x-www-form-urlencoded"} if body is not None else {}
        began = time.perf_counter()
        try:
            answer = await self._client.request(method, address, content=body, headers=headers)
        except httpx.HTTPError as problem:
            self._timings.failed.append(f"{method} {address}: {problem!r}")
            raise FormError(f"{method} {address}: {problem!r}") from problem
        self._timings.by_kind[kind].append((time.perf_counter() - began) * 1_000)
        if answer.status_code >= 500:
            self._timings.failed.append(f"{method} {address}: {answer.status_code}")
        return answer

    async def get(self, kind: str, address: str) -> httpx.Response:
        """Return a page, after its redirects. Raises ``FormError`` if it is refused."""
        answer = await self.request(kind, "GET", address)
        for _ in range(RETRY_ATTEMPTS):
            if answer.status_code < 500:
                break
            await asyncio.sleep(RETRY_SECONDS)  # the person loads the page again; the failure is counted
            answer = await self.request(kind, "GET", address)
        while answer.status_code in (303, 307, 308):
            address = urljoin(address, answer.headers["location"])
            answer = await self.request(kind, "GET", address)
        if answer.status_code != 200:
            raise FormError(f"GET {address}: {answer.status_code} {describe_refusal(answer)}")
        return answer

    async def open(self, kind: str, address: str) -> Page:
        """Return the forms and links of a page."""
        answer = await self.get(kind, address)
        return read_page(str(answer.request.url), answer.text)

    async def send(self, kind: str, page: Page, form: Form, **values: object) -> httpx.Response:
        """Send a form of a page, and return the page after it. Raises ``FormError`` if it is refused."""
        address = urljoin(page.address, form.action)
        answer = await self.post(kind, address, form.fill(**values))
        if answer.status_code == 303:
            return await self.get(kind, urljoin(address, answer.headers["location"]))
        if answer.status_code not in DONE_STATUSES:
            said = describe_refusal(answer)
            raise FormError(f"POST {address} {form.fields.get('act', '')}: {answer.status_code} {said}")
        return answer

    async def post(self, kind: str, address: str, fields: Mapping[str, str]) -> httpx.Response:
        """Send fields, and return the answer, whatever it is."""
        self.posts += 1
        return await self.request(kind, "POST", address, urlencode(fields))


def describe_refusal(answer: httpx.Response) -> str:
    """Return the alerts of a page, or its first text."""
    return "; ".join(filter(None, read_page("", answer.text).alerts)) or answer.text[:300]


async def spread(people: Iterable[T], act: Callable[[T], Awaitable[None]], per_second: float) -> None:
    """Let each person act once, at a rate a second on average, and wait until all have."""
    began = time.monotonic()

    async def act_later(place: int, person: T) -> None:
        await asyncio.sleep(max(0.0, began + place / per_second - time.monotonic()))
        await act(person)

    async with asyncio.TaskGroup() as group:
        for place, person in enumerate(people):
            group.create_task(act_later(place, person))
