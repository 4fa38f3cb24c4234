"""The lag of a consumer is measured on request, independently of earlier measurements."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from faristol.consumers.progress import Lag


class Record:
    """A record that reports its end and counts the queries for it."""

    def __init__(self) -> None:
        self.end, self.asked = 0, 0

    async def last_position(self) -> int:
        self.asked += 1
        return self.end


def measure_lag(lag: Lag) -> dict[Any, int | float]:
    return {dict(each.attributes or {})["consumer"]: each.value for each in lag.measure()}


async def test_it_is_measured_at_the_moment_and_not_when_events_came() -> None:
    record: Any = Record()
    hangs, works, elsewhere = (SimpleNamespace(name=name, reached=at) for name, at in (("a", 3), ("b", 5), ("c", None)))
    lag = Lag(record, [hangs, works, elsewhere])
    record.end = 5
    assert await asyncio.to_thread(measure_lag, lag) == {"a": 2, "b": 0, "c": 0}
    record.end = 4_000  # and no consumer was notified
    assert await asyncio.to_thread(measure_lag, lag) == {"a": 3_997, "b": 3_995, "c": 0}
    works.reached = 4_000
    assert await asyncio.to_thread(measure_lag, lag) == {"a": 3_997, "b": 0, "c": 0}
    assert record.asked == 3
    assert measure_lag(lag) == {"a": 3_997, "b": 0, "c": 0}, "the loop that answers does not wait for itself"
