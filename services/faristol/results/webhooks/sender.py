"""Sending: names are resolved here, and what is called is an address that was checked, and no other.

Nothing of the answer counts but its status and ``Retry-After``. No redirect is followed, no proxy is asked, and no more
than a little of what comes is read.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache

import httpx2

from faristol.results.webhooks.course import Failure, Outcome, outcome_of
from faristol.results.webhooks.lane import Lane
from faristol.results.webhooks.target import Address, Network, Target, callable_of

LARGEST = 16_384
"""Bytes of an answer that are read; a connection on which more would come is given up."""

READING = 1.0
"""Seconds for the rest of an answer of which the status is known."""

TRIED = 3
"""Addresses of a name that are tried, where there is no connection."""

IDLE = 30.0
"""Seconds for which a connection is kept for the next message, and the addresses of a name that it came about with."""


@cache
def trusted() -> ssl.SSLContext:
    """The authorities whose certificates are taken: those of the system, or of ``SSL_CERT_FILE``."""
    return httpx2.create_ssl_context()


class Way:
    """The way to one target: its connection is nobody else's, so that no other name is taken for this one."""

    def __init__(
        self,
        target: Target,
        networks: Collection[Network],
        context: ssl.SSLContext,
        now: Callable[[], datetime],
        deadline: float,
    ) -> None:
        """``deadline`` is in seconds."""
        self._target = target
        self._networks = networks
        self._now = now
        self._deadline = deadline
        self._known: list[Address] = []
        self._known_until = 0.0
        self._client = httpx2.AsyncClient(
            verify=context,
            trust_env=False,
            follow_redirects=False,
            timeout=None,
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE),
        )

    async def send(self, body: bytes, headers: Mapping[str, str], lane: Lane) -> Outcome:
        """Send a message, and say what came of it."""
        try:
            async with asyncio.timeout(self._deadline):
                return await self._send(body, headers, lane)
        except TimeoutError:
            return Outcome(failure=Failure.TIMEOUT)

    async def _send(self, body: bytes, headers: Mapping[str, str], lane: Lane) -> Outcome:
        now = asyncio.get_running_loop().time()
        try:
            found = self._known if now < self._known_until else await lane.addresses(self._target)
        except OSError:
            return Outcome(failure=Failure.NO_ADDRESS)
        self._known_until = 0.0
        outcome = Outcome(failure=Failure.ADDRESS_REFUSED if found else Failure.NO_ADDRESS)
        for address in callable_of(self._target, list(dict.fromkeys(found)), self._networks)[:TRIED]:
            try:
                outcome = await self._post(address, body, headers)
                if not outcome.failure:
                    self._known, self._known_until = [address], now + IDLE
                return outcome
            except httpx2.ConnectError as problem:
                outcome = Outcome(failure=Failure.CERTIFICATE if _is_of_tls(problem) else Failure.NO_CONNECTION)
            except httpx2.HTTPError:
                return Outcome(failure=Failure.NO_CONNECTION)
        return outcome

    async def _post(self, address: Address, body: bytes, headers: Mapping[str, str]) -> Outcome:
        target = self._target
        url = httpx2.URL(
            scheme="https" if target.is_tls else "http",
            host=str(address),
            port=target.port,
            raw_path=target.path.encode("ascii"),
        )
        request = self._client.build_request(
            "POST",
            url,
            content=body,
            headers={**headers, "host": target.authority},
            extensions={"sni_hostname": target.host},  # by which the certificate is verified, too
        )
        answer = await self._client.send(request, stream=True)
        try:
            outcome = outcome_of(answer.status_code, answer.headers.get("retry-after", ""), self._now())
            with suppress(httpx2.HTTPError, TimeoutError):
                async with asyncio.timeout(READING):
                    await _read(answer)
        finally:
            await answer.aclose()
            self._client.cookies.clear()
        return outcome

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._client.aclose()


async def _read(answer: httpx2.Response) -> None:
    """Read an answer to its end, where that is near: then the connection can be used again."""
    size = 0
    async for part in answer.aiter_raw():
        size += len(part)
        if size > LARGEST:
            return


def _is_of_tls(problem: BaseException | None) -> bool:
    while problem is not None:
        if isinstance(problem, ssl.SSLError):
            return True
        problem = problem.__cause__ or problem.__context__
    return False
