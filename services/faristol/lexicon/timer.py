"""What time does to cases: claims of judges who fell silent end, and cases that wait for too long are escalated."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

from faristol.bus.stopped import away
from faristol.host import Unreachable
from faristol.lexicon import adjudication, decide, queries
from faristol.lexicon.leases import Leases
from faristol.lexicon.model import stream
from faristol.lexicon.streams import load_adjudication, load_case
from faristol.record import Conflict, Decision, Guard, Metadata, Record, Write

LOOK = 0.5
"""Seconds between two looks at the cases that wait."""

QUIET = 5.0
"""The same while none waits, where the database tells of appends and has told of none."""

ACTOR = "lexicon.timer"

_log = logging.getLogger(__name__)


class Timer:
    """Writes what is overdue, in any number of processes: the versions of a case let one of them do it, once.

    What is overdue is found from the record and the time, so nothing is lost when a process ends. While no process
    ran no judge could be heard: silence counts from the start of this one.
    """

    def __init__(self, record: Record, leases: Leases, now: Callable[[], datetime]) -> None:
        self._record = record
        self._leases = leases
        self._now = now
        self._listening_since = now()

    async def run(self) -> None:
        """Look until cancelled; a database that is away is waited for."""
        while True:
            began, told, cases = asyncio.get_running_loop().time(), self._record.news.latest, []
            try:
                cases = await queries.waiting(self._record)
                for case in cases:
                    if case.claims or case.escalates(self._now()):
                        await self.settle(case.case_id)
            except Unreachable:
                _log.debug("%s waits for the docket to be built", ACTOR)
            except Exception as problem:
                if not away(problem):
                    raise
                _log.warning("%s waits for the record: %s", ACTOR, problem)
            await asyncio.sleep(LOOK)
            if not cases and self._record.news.quiet_since(told) <= began:
                await self._record.news.wait(QUIET, told)

    async def settle(self, case_id: str) -> None:
        """Write what is overdue in a case; when others write at this moment, the next look does."""
        case = await load_case(self._record, case_id)
        tournament_id = case.state.tournament_id
        settings = await load_adjudication(self._record, tournament_id)
        now = self._now()
        self._listening_since = min(self._listening_since, now)  # a clock that was set back
        heard_for = (now - self._listening_since).total_seconds()
        silent = await self._leases.silent(case.state) if heard_for >= case.state.lease_seconds else frozenset()
        facts = decide.overdue(case.state, settings.state, silent, now)
        if not facts:
            return
        guards = [Guard(adjudication.stream(tournament_id), settings.version)]
        decision = Decision([Write(stream(case_id), case.version, facts, tournament_id)], guards)
        try:
            await self._record.append(decision, Metadata(actor=ACTOR))
        except Conflict as conflict:
            _log.debug("%s looks again: %s", ACTOR, conflict)
