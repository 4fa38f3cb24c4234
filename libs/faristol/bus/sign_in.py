"""The connection options of a process for NATS: servers, credentials in a file, and the reports of a refusal."""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import ssl
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoServersError

from faristol.bus.errors import BusError, BusRefused, BusUnavailable
from faristol.bus.permissions import inbox
from faristol.event_store.tasks import cancel_tasks

_JWT = re.compile(r"-----BEGIN NATS USER JWT-----\s+(\S+)\s")
_SEED = re.compile(r"-----BEGIN USER NKEY SEED-----\s+(SU[A-Z2-7]{56})\s")
_KEY = slice(2, 34)
"""Place of the 32 bytes of the key in a seed."""

_log = logging.getLogger(__name__)


class Credentials:
    """A file with ``USER:PASSWORD`` in its first line, or one with a signed user and its seed (``.creds``)."""

    def __init__(self, path: Path) -> None:
        """Raises ``BusError`` if the file is unreadable or malformed."""
        self._path = path
        self.user = self._password = self._jwt = ""
        """Name of the user; empty if it is in the signed token."""
        self._key: Ed25519PrivateKey | None = None
        self._read()

    def options(self) -> Mapping[str, Any]:
        """Return the options of ``nats.connect``, which calls the first of the two before each connection."""
        if self._key:
            return {"signature_cb": self._sign, "user_jwt_cb": lambda: bytearray(self._jwt.encode())}
        return {"user": self._read_again, "password": lambda: self._password}

    def _read(self) -> None:
        try:
            text = self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise BusError(f"the file {self._path} (FARISTOL_NATS_CREDENTIALS) cannot be read: {reason}") from error
        jwt, seed = _JWT.search(text), _SEED.search(text)
        user, _, password = (text.splitlines() or [""])[0].strip().partition(":")
        if jwt and seed:
            self._jwt = jwt.group(1)
            self._key = Ed25519PrivateKey.from_private_bytes(base64.b32decode(f"{seed.group(1)}======")[_KEY])
        elif user and password:
            self.user, self._password = user, password
        else:
            raise BusError(
                f"the file {self._path} (FARISTOL_NATS_CREDENTIALS) has no credentials: "
                "expected USER:PASSWORD in its first line, or a .creds file"
            )

    def _read_again(self) -> str:
        """Return the user after reading the file again. Keeps the previous credentials if the file is being changed."""
        try:
            self._read()
        except BusError as error:
            _log.warning("%s", error)
        return self.user

    def _sign(self, nonce: str) -> bytes:
        self._read_again()
        assert self._key, "options() passes this only for a key"
        return base64.b64encode(self._key.sign(nonce.encode()))


_REFUSALS = ("authorization violation", "authentication", "account", "nats: 'user ")
"""Parts of NATS's messages for a client that it refuses or disconnects."""
NATS_CONNECT_TIMEOUT_SECONDS = 15.0
"""Timeout in seconds of one attempt to connect."""
_DENIED = "permissions violation"
_WITH_PASSWORD = re.compile(r"//[^@/,]*@")
_USER = re.compile(r"//([^@/,:]+):[^@/,]*@")


def format_error(problem: Exception) -> str:
    """Return the message of NATS or of the connection to it."""
    return " ".join(str(problem).removeprefix("nats: ").split()) or type(problem).__name__


def is_refusal(problem: Exception) -> bool:
    """Check whether NATS refuses the connection of this process."""
    return isinstance(problem, NatsError) and any(text in str(problem).lower() for text in _REFUSALS)


def is_denial(problem: Exception) -> bool:
    """Check whether NATS denies this process a permission."""
    return _DENIED in str(problem).lower()


def is_denied(denial: str, consumer: str) -> bool:
    """Check whether a message of ``is_denial`` concerns a consumer, whose name it repeats in lower case."""
    return re.search(rf"\.{re.escape(consumer.lower())}(?![\w-])", denial.lower()) is not None


class _NoTls(NatsError):
    """The server does not support TLS, and its URL requires it."""


class _ByTls(Client):
    """A client that requires TLS: nats-py follows the server's choice, whatever the URL requires."""

    def _connect_command(self) -> bytes:
        """Return the first message, with user and password. Raises ``_NoTls`` if the server does not offer TLS."""
        if not self._server_info.get("tls_required"):
            raise _NoTls
        return super()._connect_command()


class NatsAccess:
    """The servers of NATS, and the credentials of this process."""

    def __init__(self, url: str, credentials: Path | None, tls: Callable[[], ssl.SSLContext] | None, name: str) -> None:
        """``url`` may be several, separated by commas. Raises ``BusError`` if the credentials are not usable."""
        self.shown = _WITH_PASSWORD.sub("//", url)
        """The servers, without passwords."""
        self._servers = [each.strip() for each in url.split(",")] if "," in url else url
        given = Credentials(credentials) if credentials else None
        first = _USER.search(url)
        self.name = (given and given.user) or (first and first.group(1)) or name
        """Name of this process on NATS, and prefix of its replies (``inbox``)."""
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

    def format_refusal(self, problem: Exception) -> str:
        """Return the error for a server that refuses these credentials."""
        return f"NATS at {self.shown} does not let this process in by {self._by}: {format_error(problem)}"

    def bring_up_to_date(self) -> Mapping[str, Any]:
        """Reload certificates and return the options for them."""
        return {"tls": self._tls()} if self._tls else {}

    async def try_once(self) -> None:
        """Connect and disconnect, so that a permanent error is reported at once.

        Raises ``BusUnavailable`` if no server answers, ``BusRefused`` if credentials or a certificate are refused,
        ``BusError`` if the URL is malformed.
        """
        heard: list[Exception] = []
        hopeless = asyncio.Event()

        async def hear(problem: Exception) -> None:
            heard.append(problem)
            if isinstance(problem, ssl.SSLCertVerificationError):
                hopeless.set()  # nats-py would wait forever for the end of such a connection

        connecting = asyncio.create_task(
            self._connect(max_reconnect_attempts=1, reconnect_time_wait=0.1, error_cb=hear)
        )
        waiting = asyncio.create_task(hopeless.wait())
        try:
            await asyncio.wait(
                {connecting, waiting}, timeout=NATS_CONNECT_TIMEOUT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if not connecting.done():
                raise next(reversed(heard), TimeoutError("it takes too long"))
            await (await connecting).close()
        except (TimeoutError, NatsError, OSError, ValueError) as problem:
            error = heard[-1] if heard and isinstance(problem, NoServersError) else problem
            raise self._to_bus_error(next(filter(is_refusal, heard), error)) from problem
        finally:
            await cancel_tasks([connecting, waiting])

    def _to_bus_error(self, problem: Exception) -> BusError:
        """Return the error for the last failure, or for an earlier refusal."""
        at = f"NATS at {self.shown}"
        if is_refusal(problem):
            return BusRefused(self.format_refusal(problem))
        if isinstance(problem, ssl.SSLCertVerificationError):
            why = f"the certificate of {at} is not taken: {problem.verify_message}"
            return BusRefused(f"{why}; FARISTOL_TLS_CA has the trusted authorities")
        if isinstance(problem, ssl.SSLError) and "ALERT" in (problem.reason or ""):
            return BusRefused(f"{at} rejects the certificate of this process: {problem.reason}")
        if isinstance(problem, _NoTls):
            return BusRefused(f"{at} does not speak TLS, which its URL requires")
        kind = BusError if isinstance(problem, ValueError) else BusUnavailable
        return kind(f"{at} cannot be reached ({format_error(problem)}): start it or give another URL")

    async def connect(self, **callbacks: Callable[..., Awaitable[None]]) -> Client:
        """Connect, with unlimited attempts."""
        return await self._connect(max_reconnect_attempts=-1, reconnect_time_wait=0.2, **callbacks)

    async def _connect(self, **options: Any) -> Client:
        client = _ByTls() if "tls://" in self.shown else Client()
        await client.connect(self._servers, **self._options, **self.bring_up_to_date(), **options)
        return client
