"""A long garbage collection does not repeat over surviving objects; cycles are collected in a quiet hour."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from time import perf_counter

import pytest

from faristol.event_store.tasks import cancel_tasks
from faristol.gateway.http.gc_tuning import MAX_PAUSABLE_VIEWERS, Collector


class Node:
    """An object that can be in a reference cycle."""

    def __init__(self) -> None:
        self.other: Node | None = None


@pytest.fixture
def as_before() -> Iterator[None]:
    """Disable collections except those that a test requests, and unfreeze objects of other tests."""
    gc.disable()
    gc.unfreeze()
    yield
    gc.unfreeze()
    gc.enable()


def full_collection() -> float:
    begun = perf_counter()
    gc.collect()
    return perf_counter() - begun


@pytest.mark.usefixtures("as_before")
async def test_what_a_long_collection_found_alive_is_not_looked_at_again() -> None:
    collector = Collector(lambda: MAX_PAUSABLE_VIEWERS + 1, long=0.001, hour=0.01)
    alive = [Node() for _ in range(100_000)]
    task = asyncio.create_task(collector.run())
    await asyncio.sleep(0)
    try:
        frozen = gc.get_freeze_count()
        first = full_collection()
        assert collector.freezes >= 1
        assert gc.get_freeze_count() - frozen >= len(alive)
        await asyncio.sleep(0.05)
        assert collector.looks == 0  # too many watch
        assert min(full_collection() for _ in range(5)) < first / 3
    finally:
        await cancel_tasks([task])
    assert not any(getattr(each, "__self__", None) is collector for each in gc.callbacks)


@pytest.mark.usefixtures("as_before")
async def test_frozen_objects_that_refer_to_each_other_are_freed_in_a_quiet_hour() -> None:
    first, second = Node(), Node()
    first.other, second.other = second, first
    reference = weakref.ref(first)
    gc.freeze()
    del first, second
    gc.collect()
    assert reference() is not None
    collector = Collector(lambda: MAX_PAUSABLE_VIEWERS, hour=0.01)
    task = asyncio.create_task(collector.run())
    try:
        async with asyncio.timeout(60):
            while reference() is not None:  # noqa: ASYNC110 # the collector is waited for, which tells nobody
                await asyncio.sleep(0.01)
    finally:
        await cancel_tasks([task])
    assert collector.looks >= 1
