from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from tests.unit.adjudication.cases import START, after, at, build_adjudication, open_case

from faristol.adjudication.cases.decide import claim
from faristol.adjudication.leases import Leases
from faristol.event_store import Record

SOL = ("S", "O", "L")


class Time:
    """Advances only when a test requests it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


async def test_a_claim_lasts_as_long_as_signs_come_in_time(tmp_path: Path) -> None:
    time = Time()
    record = await Record.open(f"sqlite:///{tmp_path}/record.db", time)
    leases = Leases(record)
    case = open_case(build_adjudication(3), SOL)
    for judge in ("ada", "berta"):
        case = after(case, claim(case, build_adjudication(3), judge, frozenset(), at(0)))
        assert await leases.keep(judge, case.case_id, 30)
    time.pass_by(29)
    assert await leases.silent(case) == frozenset()
    await leases.keep("ada", case.case_id, 30)
    time.pass_by(2)
    assert await leases.silent(case) == {"berta"}
    time.pass_by(29)
    assert await leases.silent(case) == {"ada", "berta"}
    await record.close()


async def test_a_judge_works_on_one_case_until_it_is_done(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    leases = Leases(record)
    assert await leases.keep("ada", "cup-r1-t1-1", 30)
    assert not await leases.keep("ada", "cup-r1-t2-1", 30)
    await leases.end("ada", "cup-r1-t2-1")
    assert not await leases.keep("ada", "cup-r1-t2-1", 30)
    await leases.end("ada", "cup-r1-t1-1")
    assert await leases.keep("ada", "cup-r1-t2-1", 30)
    await record.close()
