"""The timer of cases: claims of silent judges end, and cases that wait too long are escalated."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

from faristol.adjudication import policy
from faristol.adjudication.cases import decide
from faristol.adjudication.cases.model import stream
from faristol.adjudication.leases import Leases
from faristol.consumers.stopped import is_transient
from faristol.event_store import Conflict, Decision, Guard, Metadata, Record, Write
from faristol.host import Unreachable
from faristol.lexicon.adjudication.cases import queries
from faristol.lexicon.adjudication.streams import load_adjudication, load_case

CASE_POLL_SECONDS = 0.5
"""Seconds between two polls of the cases that wait."""

CASE_IDLE_POLL_SECONDS = 5.0
"""Seconds between two polls while no case waits and the database notifies of appends but reported none."""

ACTOR = "lexicon.timer"

_log = logging.getLogger(__name__)


class CaseTimer:
    """A writer of overdue events that may run in several processes: expected versions let one of them write each event.

    Overdue events are computed from the record and the time, so the end of a process loses none. A judge cannot send
    heartbeats while no process runs: a judge counts as silent only after this process has run for a lease.
    """

    def __init__(self, record: Record, leases: Leases, now: Callable[[], datetime]) -> None:
        self._record = record
        self._leases = leases
        self._now = now
        self._listening_since = now()

    async def run(self) -> None:
        """Poll until cancelled. Retries while the database is unavailable."""
        while True:
            began, notified, cases = asyncio.get_running_loop().time(), self._record.news.latest, []
            try:
                cases = await queries.waiting(self._record)
                for case in cases:
                    if case.claims or case.escalates(self._now()):
                        await self.settle(case.case_id)
            except Unreachable:
                _log.debug("%s waits for the build of the docket", ACTOR)
            except Exception as error:
                if not is_transient(error):
                    raise
                _log.warning("%s waits for the record: %s", ACTOR, error)
            await asyncio.sleep(CASE_POLL_SECONDS)
            if not cases and self._record.news.quiet_since(notified) <= began:
                await self._record.news.wait(CASE_IDLE_POLL_SECONDS, notified)

    async def settle(self, case_id: str) -> None:
        """Write the overdue events of a case; after a conflict the next poll retries."""
        case = await load_case(self._record, case_id)
        tournament_id = case.state.tournament_id
        settings = await load_adjudication(self._record, tournament_id)
        now = self._now()
        self._listening_since = min(self._listening_since, now)  # the clock may have been set back
        heard_for = (now - self._listening_since).total_seconds()
        silent = await self._leases.silent(case.state) if heard_for >= case.state.lease_seconds else frozenset()
        new_events = decide.list_due_events(case.state, settings.state, silent, now)
        if not new_events:
            return
        guards = [Guard(policy.stream(tournament_id), settings.version)]
        decision = Decision([Write(stream(case_id), case.version, new_events, tournament_id)], guards)
        try:
            await self._record.append(decision, Metadata(actor=ACTOR))
        except Conflict as conflict:
            _log.debug("%s looks again: %s", ACTOR, conflict)
