"""Sending: names are resolved here, and only an address that was checked is called.

Only status and ``Retry-After`` of the answer are used. Redirects are not followed, proxies are not used, and only the
start of the answer is read.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache

import httpx2

from faristol.webhooks.concurrency import DeliverySlots
from faristol.webhooks.retry_policy import DeliveryOutcome, Failure, outcome_of
from faristol.webhooks.target import Address, Network, Target, list_callable

MAX_RECEIVER_ANSWER_BYTES = 16_384
"""Bytes of an answer that are read; a connection with more is closed."""

ANSWER_READ_SECONDS = 1.0
"""Seconds for the rest of an answer after its status."""

MAX_ADDRESS_TRIES = 3
"""Addresses of a name to try if a connection fails."""

CONNECTION_IDLE_SECONDS = 30.0
"""Seconds for which a connection and the addresses of its name are reused."""


@cache
def build_ssl_context() -> ssl.SSLContext:
    """Return the trusted certificate authorities: those of the system, or of ``SSL_CERT_FILE``."""
    return httpx2.create_ssl_context()


class TargetConnection:
    """The HTTP connection to one target. It is not shared, so that it is never used for another name."""

    def __init__(
        self,
        target: Target,
        networks: Collection[Network],
        context: ssl.SSLContext,
        now: Callable[[], datetime],
        deadline: float,
    ) -> None:
        """Prepare the connection; ``deadline`` is in seconds."""
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
            limits=httpx2.Limits(
                max_connections=1, max_keepalive_connections=1, keepalive_expiry=CONNECTION_IDLE_SECONDS
            ),
        )

    async def send(
        self, body: bytes, headers: Mapping[str, str], delivery_slots: DeliverySlots, path: str = ""
    ) -> DeliveryOutcome:
        """Send a message and return its outcome; ``path`` replaces that of the target, on the same host."""
        try:
            async with asyncio.timeout(self._deadline):
                return await self._send(body, headers, delivery_slots, path or self._target.path)
        except TimeoutError:
            return DeliveryOutcome(failure=Failure.TIMEOUT)

    async def _send(
        self, body: bytes, headers: Mapping[str, str], delivery_slots: DeliverySlots, path: str
    ) -> DeliveryOutcome:
        now = asyncio.get_running_loop().time()
        try:
            found = self._known if now < self._known_until else await delivery_slots.addresses(self._target)
        except OSError:
            return DeliveryOutcome(failure=Failure.NO_ADDRESS)
        self._known_until = 0.0
        outcome = DeliveryOutcome(failure=Failure.ADDRESS_REFUSED if found else Failure.NO_ADDRESS)
        for address in list_callable(self._target, list(dict.fromkeys(found)), self._networks)[:MAX_ADDRESS_TRIES]:
            try:
                outcome = await self._post(address, body, headers, path)
                if not outcome.failure:
                    self._known, self._known_until = [address], now + CONNECTION_IDLE_SECONDS
                return outcome
            except httpx2.ConnectError as error:
                outcome = DeliveryOutcome(failure=Failure.CERTIFICATE if _is_of_tls(error) else Failure.NO_CONNECTION)
            except httpx2.HTTPError:
                return DeliveryOutcome(failure=Failure.NO_CONNECTION)
        return outcome

    async def _post(self, address: Address, body: bytes, headers: Mapping[str, str], path: str) -> DeliveryOutcome:
        target = self._target
        url = httpx2.URL(
            scheme="https" if target.is_tls else "http",
            host=str(address),
            port=target.port,
            raw_path=path.encode("ascii"),
        )
        request = self._client.build_request(
            "POST",
            url,
            content=body,
            headers={**headers, "host": target.authority},
            extensions={"sni_hostname": target.host},  # the certificate is verified for this name, too
        )
        answer = await self._client.send(request, stream=True)
        try:
            outcome = outcome_of(answer.status_code, answer.headers.get("retry-after", ""), self._now())
            with suppress(httpx2.HTTPError, TimeoutError):
                async with asyncio.timeout(ANSWER_READ_SECONDS):
                    await _read(answer)
        finally:
            await answer.aclose()
            self._client.cookies.clear()
        return outcome

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()


async def _read(answer: httpx2.Response) -> None:
    """Read an answer to its end if it is short, so that the connection can be reused."""
    size = 0
    async for part in answer.aiter_raw():
        size += len(part)
        if size > MAX_RECEIVER_ANSWER_BYTES:
            return


def _is_of_tls(problem: BaseException | None) -> bool:
    while problem is not None:
        if isinstance(problem, ssl.SSLError):
            return True
        problem = problem.__cause__ or problem.__context__
    return False
