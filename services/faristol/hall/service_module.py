"""The hall service as a part of a process."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import grpc
from sqlalchemy.exc import SQLAlchemyError

from faristol.event_store import RecordError
from faristol.event_store.event import moment
from faristol.hall.credentials import CredentialFollower
from faristol.hall.follower import Follower
from faristol.hall.joining import CALL_TIMEOUT_SECONDS, PROGRAM_VERSION, Cell
from faristol.hall.lexicons import LexiconFetcher
from faristol.hall.line import REFUSED_CODES, Attempts, read_answer
from faristol.hall.returning import return_tables
from faristol.hall.sender import Sender
from faristol.hall.service import service
from faristol.host import Part, Runtime, StartError
from faristol.host.halls.clock import HallClock
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.hall.v1 import hall_pb2 as pb

RELEASED_PROBLEM = "the director released this hall: its tables are decided elsewhere"

HEARTBEAT_SECONDS = 5.0
"""Seconds between two reports to the championship."""
MAX_CLOCK_DIFFERENCE_SECONDS = 60.0
"""Difference of the clocks of hall and championship above which the operator is warned."""

_log = logging.getLogger(__name__)


def part(runtime: Runtime) -> Part:
    """Build the hall service: it joins, follows the championship, sends the events of its tables, and reports.

    It returns its tables after their round. Raises ``StartError`` without a token, or for a folder of another hall.
    """
    try:
        cell = Cell(runtime.settings, runtime.now)
    except RecordError as error:
        raise StartError(str(error)) from error
    runtime.record.loss_of = cell.loss_of
    lexicons = LexiconFetcher(cell, runtime.settings.lexicons)
    follower = Follower(runtime.record, cell, lexicons.fetch_pinned)
    sender = Sender(runtime.record, cell)
    credentials = CredentialFollower(runtime.record, cell, runtime.now)
    heart = _Heart(runtime, cell, follower, sender)

    async def close() -> None:
        """Close the line when the process ends."""
        try:
            await asyncio.Event().wait()
        finally:
            await cell.line.close()

    return Part(
        name="hall",
        servicers=(service(cell, follower, sender, credentials, runtime.now),),
        reactions=(return_tables(runtime.record),),
        tasks=(cell.join, follower.run, sender.run, credentials.run, heart.run, close),
    )


class _Heart:
    """Reports the state of the hall to the championship periodically."""

    def __init__(self, runtime: Runtime, cell: Cell, follower: Follower, sender: Sender) -> None:
        self._now = runtime.now
        self._cell = cell
        self._follower = follower
        self._sender = sender
        self._warned = False

    async def run(self) -> None:
        """Report until cancelled. A report without an answer ends the other calls, so that they are tried again."""
        joined = await self._cell.wait_joined()
        attempts = Attempts(self._cell.line, "reports to the championship")
        while True:
            try:
                unsent, first = await self._sender.unsent()
                request = pb.HeartbeatRequest(
                    tournament_id=joined.tournament_id,
                    hall=joined.hall,
                    key=self._cell.public_key,
                    position=self._follower.position,
                    unsent=unsent,
                    unsent_since=to_timestamp(moment(first)) if unsent else None,
                    version=PROGRAM_VERSION,
                )
                began = self._now()
                answer = read_answer(await self._cell.line.sync.Heartbeat(request, timeout=CALL_TIMEOUT_SECONDS))
                local = began + (self._now() - began) / 2
                difference = to_datetime(answer.now) - local
            except grpc.aio.AioRpcError as problem:
                if problem.code() not in REFUSED_CODES:
                    self._cell.line.lose()
                await attempts.wait(problem)
                continue
            except (SQLAlchemyError, ValueError) as problem:
                await attempts.wait(problem)
                continue
            attempts.reset()
            self._cell.line.hear()
            self._compare(difference, in_play=bool(answer.tables))
            self._cell.championship_version = answer.version
            self._note_release(is_released=not answer.joined)
            await asyncio.sleep(HEARTBEAT_SECONDS)

    def _note_release(self, *, is_released: bool) -> None:
        self._cell.line.note_problem("release", RELEASED_PROBLEM if is_released else "")
        try:
            self._cell.note_release(is_released=is_released)
        except OSError as problem:
            _log.warning("the release of the hall cannot be stored: %s", problem)

    def _compare(self, difference: timedelta, *, in_play: bool) -> None:
        """Correct the clock of the cell, or warn once while a table is in play."""
        if not in_play and isinstance(self._now, HallClock):
            try:
                if self._now.correct(difference):
                    _log.warning("the clock of the hall is corrected by %.1f s", difference.total_seconds())
            except OSError as problem:
                _log.warning("the correction of the clock cannot be stored: %s", problem)
            return
        differs = abs(difference.total_seconds()) > MAX_CLOCK_DIFFERENCE_SECONDS
        if differs and not self._warned:
            seconds = difference.total_seconds()
            _log.warning("the clock of this machine differs from that of the championship by %.0f s", seconds)
        self._warned = differs
