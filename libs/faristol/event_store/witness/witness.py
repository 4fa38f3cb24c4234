"""The interface of a witness, its errors, and its blocking work in a separate thread with a timeout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from faristol.event_store.errors import CorruptData, RecordError
from faristol.event_store.integrity.seals import NO_SEAL, Seal, from_json

MAX_SEAL_BYTES = 16 * 1024
"""Bytes of one seal as JSON; a seal has about 700."""


class WitnessUnavailable(RecordError):
    """The witness is unreachable or fails; the message states the reason and has no secret."""


class Fork(Exception):
    """The witness has a different seal for the range of one of the record's."""

    def __init__(self, seal: Seal) -> None:
        super().__init__(f"it has another seal in the place of {seal}")


class Witness(Protocol):
    """A place that stores seals. Every method raises ``WitnessUnavailable``."""

    kind: str
    """The kind of witness, in one word."""
    shown: str
    """Its location for display."""

    async def newest(self) -> Seal | None:
        """Return the last seal; None if it has no seal. Raises ``CorruptData`` for a malformed one."""

    async def deliver(self, seals: Sequence[Seal]) -> None:
        """Store these seals in order, each after the previous one. A seal that it already has is left unchanged.

        Raises ``Fork`` if it has a different seal for the range of one of them, and stores none from there on.
        """

    async def seals(self) -> list[Seal]:
        """Return every seal, in order. Raises ``CorruptData`` if its own history shows that one was changed."""

    async def close(self) -> None:
        """Release its resources."""


def gap(seals: Sequence[Seal]) -> str:
    """Describe where the seals of a witness are not a chain from the first position; empty if they are."""
    position, previous = 0, None
    for seal in seals:
        if seal.from_position != position + 1:
            return f"position {position + 1}: the witness lacks a seal; its next one is {seal}"
        if previous is not None and seal.previous != previous.digest:
            return f"position {seal.from_position}: the seals of the witness are not one chain here"
        position, previous = seal.to_position, seal
    return ""


def parse_seal(members: object, where: str) -> Seal:
    """Parse a seal from JSON. Raises ``CorruptData`` if it is malformed."""
    try:
        return from_json(members)  # type: ignore[arg-type] # a value that is not a mapping raises
    except NO_SEAL:
        raise CorruptData(f"the witness has a file at {where} that is not a seal") from None


T = TypeVar("T")

WITNESS_TASK_TIMEOUT_SECONDS = 30.0
"""Timeout of one task in seconds. A network file system can block a thread indefinitely."""


class Worker:
    """Runs one task at a time. While one hangs, further ones are refused."""

    def __init__(self, name: str, patience: float = WITNESS_TASK_TIMEOUT_SECONDS) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._last: Future[Any] | None = None
        self._patience = patience

    async def do(self, work: Callable[[], T]) -> T:
        """Return the result of ``work``. Raises ``WitnessUnavailable`` on a timeout or an ``OSError``."""
        if self._last is not None and not self._last.done():
            raise WitnessUnavailable("it does not answer")
        future: Future[T] = self._executor.submit(work)
        self._last = future
        waited = asyncio.wrap_future(future)
        waited.add_done_callback(_retrieve_exception)
        done, _ = await asyncio.wait([waited], timeout=self._patience)
        if not done:
            raise WitnessUnavailable(f"it has not answered for {self._patience:g} seconds")
        try:
            return waited.result()
        except OSError as error:
            raise WitnessUnavailable(error.strerror or str(error)) from error

    def close(self) -> None:
        """Refuse further tasks and cancel pending ones."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _retrieve_exception(future: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an abandoned task, which asyncio would log otherwise."""
    if not future.cancelled():
        future.exception()
