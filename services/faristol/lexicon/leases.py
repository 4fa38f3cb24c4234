"""Whether a judge who holds a case is there: a lease on the judge himself, kept by heartbeats.

A judge has one lease, so he holds one case at a time. Heartbeats are no events; that a case was claimed and that it
went back are.
"""

from __future__ import annotations

import hashlib

from faristol.lexicon.appointments import LEASES
from faristol.lexicon.model import Case
from faristol.record import Record


class Leases:
    """The leases of judges, which outlive the process."""

    def __init__(self, record: Record) -> None:
        self._record = record

    async def keep(self, judge_id: str, case_id: str, seconds: int) -> bool:
        """The judge is there and works on a case. False while he holds another one."""
        return await self._record.lease(_name(judge_id), _holder(case_id), seconds, longest=LEASES[1])

    async def end(self, judge_id: str, case_id: str) -> None:
        """The judge is done with a case."""
        await self._record.release(_name(judge_id), _holder(case_id))

    async def silent(self, case: Case) -> frozenset[str]:
        """The judges who hold a case and were not heard of for as long as a claim lasts."""
        mine, seconds = _holder(case.case_id), case.lease_seconds
        return frozenset(
            [judge_id for judge_id in case.held_by if await self._record.holder(_name(judge_id), seconds) != mine]
        )


def _name(judge_id: str) -> str:
    return f"judge:{judge_id}"


def _holder(case_id: str) -> str:
    return hashlib.sha256(case_id.encode()).hexdigest()
