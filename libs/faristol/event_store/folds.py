"""Folds of streams into states, and whole streams that are read again and again, with their caches."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from google.protobuf.message import Message

from faristol.event_store.event import Recorded
from faristol.event_store.long_work import LongWork
from faristol.kernel.bounded import store_bounded

S = TypeVar("S")

FOLD_CACHE_SIZE = 1_024
"""Number of folded streams cached for a record."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """The state of a stream at a version (0: the stream does not exist)."""

    state: S
    version: int


class Folds:
    """A cache of folds, the least recently used evicted first.

    States are immutable and events never change, so a cached fold never becomes invalid: later events are read and
    folded on top of it.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, str], Loaded[Any]] = OrderedDict()

    def last(self, fold: object, stream: str) -> Loaded[Any] | None:
        """Return the last state of ``stream`` by ``fold``; None if it is not cached."""
        found = self._kept.get((fold, stream))
        if found:
            self._kept.move_to_end((fold, stream))
        return found

    def keep(self, fold: object, stream: str, loaded: Loaded[Any]) -> None:
        """Cache a state unless one of a later version is cached; evict the least recently used if the cache is full."""
        known = self._kept.get((fold, stream))
        if known is None or known.version <= loaded.version:
            store_bounded(self._kept, (fold, stream), loaded, FOLD_CACHE_SIZE)


class Folded(Protocol):
    """A source of events with a cache of folds: a ``Record``."""

    folds: Folds

    async def events(self, stream: str, after_version: int = 0) -> Sequence[Message]:
        """Return the events of a stream after a version."""


async def load(record: Folded, stream: str, initial: S, evolve: Callable[[S, Message], S]) -> Loaded[S]:
    """Fold a whole stream.

    ``evolve`` must be pure, return immutable states, and have one meaning for the stream: its last state is cached
    under it, and only later events are read.
    """

    async def each_in_turn(state: S, events: Sequence[Message]) -> S:
        work = LongWork(is_urgent=True)
        for event in events:
            state = evolve(state, event)
            await work.let_others()
        return state

    return await _load(record, stream, initial, evolve, each_in_turn)


async def load_at_once(record: Folded, stream: str, initial: S, fold: Callable[[S, Sequence[Message]], S]) -> Loaded[S]:
    """Fold a whole stream with a function of many events, if a copy of the state for each is expensive."""

    async def all_together(state: S, events: Sequence[Message]) -> S:
        return fold(state, events)

    return await _load(record, stream, initial, fold, all_together)


async def _load(
    record: Folded, stream: str, initial: S, meaning: object, fold: Callable[[S, Sequence[Message]], Awaitable[S]]
) -> Loaded[S]:
    """Fold the events since the state that is cached under ``meaning``."""
    known = record.folds.last(meaning, stream)
    state, version = (known.state, known.version) if known else (initial, 0)
    events = await record.events(stream, version)
    if not events:
        return Loaded(state, version)
    loaded = Loaded(await fold(state, events), version + len(events))
    record.folds.keep(meaning, stream, loaded)
    return loaded


CACHED_EVENTS_COUNT = 20_000
"""Limit of events of all cached streams together: about 50 MB. A longer stream evicts all others."""


class StreamCache:
    """A cache of whole streams, the least recently read evicted first.

    Events never change, so a cached event never becomes invalid: only later ones are read. Readers share the events,
    and must not change their messages.
    """

    def __init__(self, read: Callable[[str, int], Awaitable[Sequence[Recorded]]]) -> None:
        """``read`` returns the events of a stream after a version, in order."""
        self._read = read
        self._cached: OrderedDict[str, list[Recorded]] = OrderedDict()
        self._count = 0

    async def read(self, stream: str) -> list[Recorded]:
        """Return all events of a stream, in order."""
        known = self._cached.get(stream, [])
        later = await self._read(stream, len(known))
        events = [*known, *later]
        self._keep(stream, events)
        return list(events)

    def _keep(self, stream: str, events: list[Recorded]) -> None:
        """Cache the events of a stream, unless another reader has cached more."""
        current = self._cached.pop(stream, [])
        self._cached[stream] = max(current, events, key=len)
        self._count += len(self._cached[stream]) - len(current)
        while self._count > CACHED_EVENTS_COUNT and len(self._cached) > 1:
            _, evicted = self._cached.popitem(last=False)
            self._count -= len(evicted)
