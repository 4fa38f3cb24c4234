"""How a process comes in at NATS: where that is, by which credentials, and what it is told when it is not let in."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoServersError

from faristol.bus.credentials import Credentials
from faristol.bus.errors import BusAway, BusError, BusRefused
from faristol.bus.permissions import inbox
from faristol.record.tasks import end

_REFUSALS = ("authorization violation", "authentication", "account", "nats: 'user ")
"""What NATS says to whom it does not let in, or no longer."""
PATIENCE = 15.0
"""Seconds for which one try to connect may go on."""
_DENIED = "permissions violation"
_WITH_PASSWORD = re.compile(r"//[^@/,]*@")
_USER = re.compile(r"//([^@/,:]+):[^@/,]*@")


def told(problem: Exception) -> str:
    """What NATS, or the way to it, said."""
    return " ".join(str(problem).removeprefix("nats: ").split()) or type(problem).__name__


def is_refusal(problem: Exception) -> bool:
    """Whether NATS does not let this process in."""
    return isinstance(problem, NatsError) and any(said in str(problem).lower() for said in _REFUSALS)


def is_denial(problem: Exception) -> bool:
    """Whether NATS does not let this process do something."""
    return _DENIED in str(problem).lower()


class _NoTls(NatsError):
    """A server speaks no TLS, and its URL asks for it."""


class _ByTls(Client):
    """Tells a server that speaks no TLS nothing: nats-py goes by what the server says, whatever the URL asks for."""

    def _connect_command(self) -> bytes:
        """What is sent first, with user and password."""
        if not self._server_info.get("tls_required"):
            raise _NoTls
        return super()._connect_command()


class Entrance:
    """The servers of NATS, and what this process shows there."""

    def __init__(self, url: str, credentials: Path | None, tls: Callable[[], ssl.SSLContext] | None, name: str) -> None:
        """``url`` may be several, with commas between. Raises ``BusError`` for credentials that cannot be used."""
        self.shown = _WITH_PASSWORD.sub("//", url)
        """The servers, without a password."""
        self._servers = [each.strip() for each in url.split(",")] if "," in url else url
        given = Credentials(credentials) if credentials else None
        first = _USER.search(url)
        self.name = (given and given.user) or (first and first.group(1)) or name
        """What this process is called on NATS, and answered by (``inbox``)."""
        self._options: dict[str, Any] = {
            "name": self.name,
            "inbox_prefix": inbox(self.name).encode(),
            "connect_timeout": 3,
            **(given.options() if given else {}),
        }
        self._by = (
            f"the credentials of {credentials}" if credentials else "the credentials of its URL, or its certificate"
        )
        self._tls = tls

    def refused(self, problem: Exception) -> str:
        """The sentence about a server that lets nobody in by these credentials."""
        return f"NATS at {self.shown} does not let this process in by {self._by}: {told(problem)}"

    def bring_up_to_date(self) -> Mapping[str, Any]:
        """Read certificates again; gives the options for them."""
        return {"tls": self._tls()} if self._tls else {}

    async def try_once(self) -> None:
        """Connect and leave again, so that what is wrong is told at once.

        Raises ``BusAway`` when nothing answers, ``BusRefused`` for credentials or a certificate that is not taken,
        ``BusError`` for a URL that is none.
        """
        heard: list[Exception] = []
        hopeless = asyncio.Event()

        async def hear(problem: Exception) -> None:
            heard.append(problem)
            if isinstance(problem, ssl.SSLCertVerificationError):
                hopeless.set()  # nats-py would wait for ever for the end of such a connection

        connecting = asyncio.create_task(
            self._connect(max_reconnect_attempts=1, reconnect_time_wait=0.1, error_cb=hear)
        )
        waiting = asyncio.create_task(hopeless.wait())
        try:
            await asyncio.wait({connecting, waiting}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            if not connecting.done():
                raise next(reversed(heard), TimeoutError("it takes too long"))
            await (await connecting).close()
        except (TimeoutError, NatsError, OSError, ValueError) as problem:
            said = heard[-1] if heard and isinstance(problem, NoServersError) else problem
            raise self._told(next(filter(is_refusal, heard), said)) from problem
        finally:
            await end([connecting, waiting])

    def _told(self, problem: Exception) -> BusError:
        """What is wrong, by what was heard last, or by a refusal that was heard before."""
        at = f"NATS at {self.shown}"
        if is_refusal(problem):
            return BusRefused(self.refused(problem))
        if isinstance(problem, ssl.SSLCertVerificationError):
            why = f"the certificate of {at} is not taken: {problem.verify_message}"
            return BusRefused(f"{why}; FARISTOL_CA holds who is believed")
        if isinstance(problem, ssl.SSLError) and "ALERT" in (problem.reason or ""):
            return BusRefused(f"{at} does not take the certificate of this process: {problem.reason}")
        if isinstance(problem, _NoTls):
            return BusRefused(f"{at} speaks no TLS, and its URL asks for it")
        kind = BusError if isinstance(problem, ValueError) else BusAway
        return kind(f"{at} cannot be reached ({told(problem)}): start it or give another URL")

    async def connect(self, **callbacks: Callable[..., Awaitable[None]]) -> Client:
        """Connect, as often as it takes."""
        return await self._connect(max_reconnect_attempts=-1, reconnect_time_wait=0.2, **callbacks)

    async def _connect(self, **options: Any) -> Client:
        client = _ByTls() if "tls://" in self.shown else Client()
        await client.connect(self._servers, **self._options, **self.bring_up_to_date(), **options)
        return client
