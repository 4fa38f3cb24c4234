"""Leases of judges: a judge renews the lease by heartbeats while holding a case.

A judge has one lease, and so holds one case at a time. Heartbeats are not events; the claim and the return of a case
are.
"""

from __future__ import annotations

import hashlib

from faristol.adjudication.appointments import LEASE_BOUNDS
from faristol.adjudication.cases.model import Case
from faristol.event_store import Record


class Leases:
    """The leases of judges, stored in the record's database."""

    def __init__(self, record: Record) -> None:
        self._record = record

    async def keep(self, judge_id: str, case_id: str, seconds: int) -> bool:
        """Take or renew the lease of a judge on a case. Returns False while the judge has a lease on another case."""
        return await self._record.lease(_name(judge_id), _holder(case_id), seconds, longest=LEASE_BOUNDS[1])

    async def end(self, judge_id: str, case_id: str) -> None:
        """Release the lease of a judge on a case."""
        await self._record.release(_name(judge_id), _holder(case_id))

    async def silent(self, case: Case) -> frozenset[str]:
        """Return the judges who hold a case with an expired lease, or with a lease on another case."""
        mine, seconds = _holder(case.case_id), case.lease_seconds
        return frozenset(
            [judge_id for judge_id in case.held_by if await self._record.holder(_name(judge_id), seconds) != mine]
        )


def _name(judge_id: str) -> str:
    return f"judge:{judge_id}"


def _holder(case_id: str) -> str:
    return hashlib.sha256(case_id.encode()).hexdigest()
