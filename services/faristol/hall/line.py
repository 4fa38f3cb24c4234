"""The line between the cell of a hall and its championship: its channel, its state, and the delays between attempts."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import grpc
from sqlalchemy.exc import SQLAlchemyError

from faristol.client.credentials import build_interceptors
from faristol.client.problems import is_unconnected, reason_of
from faristol.host import Settings, StartError
from faristol.host.halls.heard import HEARD, is_silent, load_heard
from faristol.host.rpc.channels import CHANNEL_OPTIONS
from faristol.kernel.addresses import is_loopback
from faristol.pb.access.v1.access_pb2_grpc import AccessServiceStub
from faristol.pb.hall.v1.hall_pb2_grpc import HallSyncServiceStub

FIRST_RETRY_SECONDS = 0.5
"""Seconds before the second attempt, about. Each further delay is twice as long."""
MAX_RETRY_DELAY_SECONDS = 5.0
"""Longest delay between two attempts: so late a hall notices that its line is back."""
REFUSED_RETRY_SECONDS = 60.0
"""Delay after repeated refusals of the championship, which an official has to resolve."""
FIRST_REFUSALS_COUNT = 5
"""Refusals from which that delay applies: the first ones may be due to bits that flipped on the way."""

HEARD_STORE_SECONDS = 10.0
"""Seconds after which that time is stored again."""

EVENTS_MISSING = "EVENTS_MISSING"
"""Reason of the refusal of events that follow on others which the championship does not have."""

REFUSED_CODES = frozenset(
    (
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNIMPLEMENTED,
    )
)
"""Statuses with which the championship answers: the line is not lost."""
_TRANSIENT_REASONS = frozenset({"RECORD_BUSY", EVENTS_MISSING})
"""Reasons of refusals that a further attempt resolves."""

M = TypeVar("M")

_log = logging.getLogger(__name__)


def open_line(settings: Settings, token: Callable[[], str]) -> grpc.aio.Channel:
    """Return the channel to the championship, whose calls carry the token.

    Raises ``StartError`` for an address without TLS that is not of this machine, since the token would travel in the
    clear, and for authorities that cannot be read.
    """
    scheme, _, rest = settings.hall_of.rpartition("://")
    address = rest.rstrip("/")
    interceptors = build_interceptors(lambda method: f"Bearer {token()}")
    if scheme == "https":
        try:
            roots = settings.hall_ca.read_bytes() if settings.hall_ca else None
        except OSError as error:
            raise StartError(f"the authorities in {settings.hall_ca} cannot be read: {error.strerror}") from error
        credentials = grpc.ssl_channel_credentials(roots)
        return grpc.aio.secure_channel(address, credentials, options=CHANNEL_OPTIONS, interceptors=interceptors)
    if not is_loopback(address.rpartition(":")[0].strip("[]")):
        raise StartError(
            f"--of {settings.hall_of}: the token of the hall needs TLS to another machine: give https://HOST:PORT"
        )
    return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS, interceptors=interceptors)


def read_answer(answer: M | None) -> M:
    """Return an answer. Raises ``ValueError`` for None, which gRPC returns if it cannot read the bytes."""
    if answer is None:
        raise ValueError("an answer of the championship cannot be read")
    return answer


class LineLost(Exception):
    """The championship no longer answers a call."""

    def __init__(self) -> None:
        super().__init__("the championship does not answer")


class Line:
    """The services of the championship, and when it was last heard."""

    def __init__(self, channel: grpc.aio.Channel, now: Callable[[], datetime], folder: Path) -> None:
        """``folder`` has the time of the last answer, which is known after a restart without a line."""
        self.sync = HallSyncServiceStub(channel)
        self.access = AccessServiceStub(channel)
        self.started_at = now()
        self._path = folder / HEARD
        self.heard_at: datetime | None = load_heard(folder)
        """Time at which the championship last answered; None if it never did."""
        self._stored_at = self.heard_at
        self._problems: dict[str, str] = {}
        """Problems that an official has to resolve, by the work that they stop."""
        self._channel = channel
        self._now = now
        self._lost = asyncio.Event()
        self._heard = asyncio.Event()
        """Set at the next answer, and then replaced."""

    @property
    def problem(self) -> str:
        """Why the championship refuses the hall, or why events cannot be copied; empty if neither is so."""
        return "; ".join(dict.fromkeys(self._problems.values()))

    def note_problem(self, work: str, text: str) -> None:
        """Note the problem that stops some work; it is resolved if the text is empty."""
        self._problems.pop(work, None)
        if text:
            self._problems[work] = text

    @property
    def behind_since(self) -> datetime | None:
        """Time since which the championship was not heard; None if it was heard a short time ago."""
        since = self.heard_at or self.started_at
        return since if is_silent(since, self._now()) else None

    def hear(self) -> None:
        """Note that the championship answered."""
        self.heard_at = self._now()
        self._lost.clear()
        self._heard.set()
        self._heard = asyncio.Event()
        if self._stored_at is None or abs((self.heard_at - self._stored_at).total_seconds()) >= HEARD_STORE_SECONDS:
            self._stored_at = self.heard_at
            try:
                self._path.write_text(self.heard_at.isoformat(), encoding="utf-8")
            except OSError as problem:
                _log.warning("the time of the last answer cannot be stored: %s", problem)

    def lose(self) -> None:
        """End calls that wait for the championship, since it does not answer others."""
        self._lost.set()

    async def wait_for_answer(self, seconds: float) -> None:
        """Wait until the championship answers any call, at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._heard.wait()

    async def wait_for_loss(self) -> None:
        """Wait until another call finds that the championship does not answer."""
        await self._lost.wait()

    async def wait_for_return(self) -> None:
        """Wait until the championship answers again, if another call has found that it does not."""
        while self._lost.is_set():
            await self._heard.wait()

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close(None)


class Attempts:
    """The delays between attempts of one kind of call."""

    def __init__(self, line: Line, work: str) -> None:
        """``work`` names the calls in the log."""
        self._line = line
        self._work = work
        self._failures = 0
        self._said = ""

    def reset(self) -> None:
        """Forget earlier failures: the next delay is the first one again."""
        self._failures = 0
        self._said = ""
        self._line.note_problem(self._work, "")

    async def wait(self, problem: Exception) -> None:
        """Log why a call failed, once for each reason, and wait until the next attempt."""
        self._failures += 1
        is_own = isinstance(problem, SQLAlchemyError)  # of the database of this cell, such as on a full disk
        is_lost = isinstance(problem, LineLost)
        refused = not (is_own or is_lost) and (
            not isinstance(problem, grpc.aio.AioRpcError)
            or (problem.code() in REFUSED_CODES and reason_of(problem) not in _TRANSIENT_REASONS)
        )
        text = describe(problem)
        if refused or is_own or self._line.heard_at is None:
            self._line.note_problem(self._work, _describe_connection(text))
        if text != self._said:
            _log.warning("%s: %s", self._work, text)
            self._said = text
        usual = min(MAX_RETRY_DELAY_SECONDS, FIRST_RETRY_SECONDS * 2 ** min(self._failures - 1, 16))
        delay = REFUSED_RETRY_SECONDS if refused and self._failures >= FIRST_REFUSALS_COUNT else usual
        delay *= 0.5 + random.random() / 2  # noqa: S311 # spreads attempts of many halls
        least = min(delay, FIRST_RETRY_SECONDS)
        await asyncio.sleep(least)
        if refused or is_own:
            await asyncio.sleep(delay - least)
        else:
            await self._line.wait_for_answer(delay - least)  # the first answer says that the line is back


def _describe_connection(text: str) -> str:
    """Return what an official can do about a connection that could not be made; another text is unchanged."""
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return "the certificate of the championship cannot be verified: copy its file ca.crt here and give it with --ca"
    if "WRONG_VERSION_NUMBER" in text or "Tls handshake failed" in text or "TSI_" in text:
        return "the address of --of has no TLS of a championship: give the address that `faristol hall grant` printed"
    if is_unconnected(text) or "DNS resolution failed" in text:
        return "the championship cannot be reached at the address of --of: check it, and the network of this computer"
    return text


def describe(problem: Exception) -> str:
    """Return a failure in one line."""
    text = problem.details() if isinstance(problem, grpc.aio.AioRpcError) else str(problem)
    return " ".join(str(text).split()) or type(problem).__name__
