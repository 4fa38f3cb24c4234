"""Appends of two processes, sequential and concurrent, have the outcome of a simple model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples

from faristol.event_store import (
    AppendCommand,
    Appended,
    Checkpoint,
    Conflict,
    Decision,
    Guard,
    Metadata,
    Record,
    Stale,
    Write,
)
from faristol.event_store.integrity.verification import verify
from faristol.event_store.positions import start_checkpoint
from faristol.pb.game.v1 import events_pb2

STREAMS = ("a", "b", "c")
CONSUMERS = ("x", "y")


@dataclass(frozen=True)
class Asked:
    """One append, relative to the state of the model at its turn."""

    writes: tuple[tuple[str, int, int], ...]
    """Stream, how far the expected version is off, number of events."""
    guards: tuple[tuple[str, int], ...]
    command: int | None
    checkpoint: tuple[str, int] | None
    """Consumer, and how far the expected position is off."""
    breaks: bool
    """Its answer cannot be made, if it is a command."""


@dataclass
class Model:
    """The model of a record, without a database."""

    position: int
    versions: dict[str, int] = field(default_factory=dict)
    order: list[tuple[str, int]] = field(default_factory=list)
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    progress: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CONSUMERS, 0))


OFF = st.sampled_from((0, 0, 0, 0, 0, -1, 1, 2))
ASKED = st.builds(
    Asked,
    writes=st.lists(
        st.tuples(st.sampled_from(STREAMS), OFF, st.integers(0, 3)), max_size=3, unique_by=lambda w: w[0]
    ).map(tuple),
    guards=st.lists(st.tuples(st.sampled_from(STREAMS), OFF), max_size=2).map(tuple),
    command=st.none() | st.integers(0, 4),
    checkpoint=st.none() | st.tuples(st.sampled_from(CONSUMERS), OFF),
    breaks=st.sampled_from((False, False, False, False, True)),
)
STEPS = st.lists(st.tuples(st.integers(0, 1), st.lists(ASKED, min_size=1, max_size=5)), max_size=10)
"""The process that appends, and its concurrent requests."""


class Cannot(Exception):
    """An answer that cannot be made."""


def outcome_of(model: Model, name: str, decision: Decision, asked: Asked, checkpoint: Checkpoint | None) -> object:
    """Return the answer of the model to an append, which changes it if it is accepted."""
    command = None if asked.command is None else f"{name}-{asked.command}"
    if command in model.answers:
        position, answer = model.answers[command]
        return Appended(position, answer, repeated=True)
    rests_on = [(write.stream, write.expected_version) for write in decision.writes]
    rests_on += [(guard.stream, guard.version) for guard in decision.guards]
    if any(model.versions.get(name, 0) != version for name, version in rests_on):
        return Conflict
    if checkpoint and model.progress[checkpoint.consumer.removeprefix(name)] != checkpoint.before:
        return Stale
    if command and asked.breaks:
        return Cannot
    for written in decision.writes:
        for _ in written.events:
            model.position += 1
            model.versions[written.stream] = model.versions.get(written.stream, 0) + 1
            model.order.append((written.stream, model.versions[written.stream]))
    answer = b"%d" % model.position if command else b""
    if command:
        model.answers[command] = model.position, answer
    if checkpoint:
        model.progress[checkpoint.consumer.removeprefix(name)] = checkpoint.after
    return Appended(model.position, answer, repeated=False)


async def course(records: tuple[Record, Record], name: str, steps: list[tuple[int, list[Asked]]]) -> None:
    """Append step by step and compare every outcome, then all written events."""
    begin = await records[0].last_position()
    model = Model(begin)
    async with records[0].writing() as connection:
        for consumer in CONSUMERS:
            await start_checkpoint(connection, name + consumer)
    for writer, batch in steps:
        waiting, expected = [], []
        for asked in batch:
            versions = dict(model.versions)
            decision = Decision(
                [
                    Write(
                        stream(name, write), max(0, versions.get(stream(name, write), 0) + off), [PASSED] * count, "cup"
                    )
                    for write, off, count in asked.writes
                ],
                [
                    Guard(stream(name, guard), max(0, versions.get(stream(name, guard), 0) + off))
                    for guard, off in asked.guards
                ],
            )
            checkpoint = None
            if asked.checkpoint:
                consumer, off = asked.checkpoint
                before = max(0, model.progress[consumer] + off)
                checkpoint = Checkpoint(name + consumer, before, before + 1)
            command = (
                None if asked.command is None else AppendCommand(f"{name}-{asked.command}", answering(asked.breaks))
            )
            waiting.append(records[writer].append(decision, Metadata(), command=command, checkpoint=checkpoint))
            expected.append(outcome_of(model, name, decision, asked, checkpoint))
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [each if isinstance(each, Appended) else type(each) for each in found] == expected
    events = await records[1].read(begin, limit=10_000)
    assert [(event.stream, event.version) for event in events] == model.order
    assert [event.position for event in events] == list(range(begin + 1, model.position + 1))
    for consumer, progress in model.progress.items():
        assert await records[0].checkpoint(name + consumer) == progress
    for command_id, (position, answer) in model.answers.items():
        assert await records[1].find_answer(command_id) == Appended(position, answer, repeated=True)


PASSED = events_pb2.Passed(turn=1, player_id="anna")


def stream(name: str, kind: str) -> str:
    return f"game-{name}{kind}"


def answering(breaks: bool) -> Callable[[int], bytes]:
    def answer(position: int) -> bytes:
        if breaks:
            raise Cannot
        return b"%d" % position

    return answer


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def test_appends_of_two_processes_come_out_as_the_model_says(database_url: str, runner: asyncio.Runner) -> None:
    async def open_records() -> tuple[Record, Record]:
        return await Record.open(database_url), await Record.open(database_url)

    async def close_records() -> None:
        assert not (await verify(records[0])).wrong
        for record in records:
            await record.close()

    records = runner.run(open_records())
    examples = iter(range(1_000_000))

    @settings(max_examples=scale_examples(60), suppress_health_check=[HealthCheck.too_slow])
    @given(STEPS)
    def compare(steps: list[tuple[int, list[Asked]]]) -> None:
        runner.run(course(records, f"e{next(examples)}", steps))

    compare()
    runner.run(close_records())
