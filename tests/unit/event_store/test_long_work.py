"""Long work in slices: calls go on in between."""

from __future__ import annotations

import asyncio

from faristol.event_store.long_work import SLICE_SECONDS, LongWork, call_in_progress, long_call
from faristol.event_store.tasks import cancel_tasks

TASKS_COUNT = 8
STEPS_COUNT = 10


class Slices:
    """Tasks that work without end, and the number of their slices."""

    def __init__(self) -> None:
        self.count = 0

    async def work(self, *, is_urgent: bool = False) -> None:
        """Use up slice after slice."""
        work = LongWork(is_urgent=is_urgent)
        while True:
            use_up_slice()
            self.count += 1
            await work.let_others()


def use_up_slice() -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + SLICE_SECONDS
    while loop.time() < end:
        pass


async def start(slices: Slices) -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(slices.work()) for _ in range(TASKS_COUNT)]
    await asyncio.sleep(0)  # each begins its first slice at once
    return tasks


async def test_a_pass_of_the_loop_has_one_slice_of_many_tasks() -> None:
    slices = Slices()
    tasks = await start(slices)
    before = slices.count
    for _ in range(STEPS_COUNT):
        await asyncio.sleep(0)
    assert 1 <= slices.count - before <= STEPS_COUNT
    await cancel_tasks(tasks)


async def test_all_tasks_get_their_turn() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        work = LongWork()
        for _ in range(3):
            use_up_slice()
            await work.let_others()
            done.append(number)

    await asyncio.gather(*(work(number) for number in range(TASKS_COUNT)))
    assert done == [*range(TASKS_COUNT)] * 3


async def test_between_two_slices_a_call_in_progress_has_a_pause() -> None:
    slices = Slices()
    tasks = await start(slices)
    loop = asyncio.get_running_loop()
    with call_in_progress():
        before, began = slices.count, loop.time()
        await asyncio.sleep(20 * SLICE_SECONDS)
        most = (loop.time() - began) / (2 * SLICE_SECONDS) + 2  # the first one was scheduled before the call
        assert 0 < slices.count - before <= most
    await cancel_tasks(tasks)


async def test_a_call_that_is_long_work_causes_no_pause() -> None:
    slices = Slices()
    with call_in_progress(), long_call():
        tasks = await start(slices)
        before = slices.count
        for _ in range(3 * STEPS_COUNT):
            await asyncio.sleep(0)
        assert slices.count - before >= STEPS_COUNT
    await cancel_tasks(tasks)


async def test_urgent_work_does_not_wait_for_its_turn() -> None:
    slices, urgent = Slices(), Slices()
    tasks = await start(slices)
    before = slices.count
    with call_in_progress():
        tasks.append(asyncio.create_task(urgent.work(is_urgent=True)))
        for _ in range(STEPS_COUNT):
            await asyncio.sleep(0)
    assert urgent.count >= STEPS_COUNT - 1 > slices.count - before
    await cancel_tasks(tasks)


async def test_a_task_that_is_cancelled_while_it_waits_does_not_stop_the_others() -> None:
    slices = Slices()
    tasks = await start(slices)
    await cancel_tasks(tasks[:-1])
    before = slices.count
    await asyncio.sleep(10 * SLICE_SECONDS)
    assert slices.count > before
    await cancel_tasks(tasks)


async def test_a_wait_outside_of_a_call_does_not_hide_the_calls_of_others() -> None:
    loop = asyncio.get_running_loop()
    with call_in_progress():

        async def work_beside() -> float:
            with long_call():
                work = LongWork()
                await asyncio.sleep(SLICE_SECONDS)
                began = loop.time()
                await work.let_others()
                return loop.time() - began

        assert await asyncio.create_task(work_beside()) >= SLICE_SECONDS * 0.9
