"""From events to state."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from google.protobuf.message import Message

from faristol.kernel.bounded import keep

S = TypeVar("S")

REMEMBERED = 1_024
"""How many folded streams a record keeps in memory."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """The state of a stream, and the version that it is the state at (0: there is no such stream)."""

    state: S
    version: int


class Folds:
    """The streams folded last.

    States are immutable and events never change, so a fold stays true for ever: what was appended since is
    read and folded on top of it.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, str], Loaded[Any]] = OrderedDict()

    def last(self, fold: object, stream: str) -> Loaded[Any] | None:
        """The state of ``stream`` that ``fold`` came to last, if it is still here."""
        found = self._kept.get((fold, stream))
        if found:
            self._kept.move_to_end((fold, stream))
        return found

    def keep(self, fold: object, stream: str, loaded: Loaded[Any]) -> None:
        """Remember a state, and forget the one that was asked for longest ago when there are too many."""
        known = self._kept.get((fold, stream))
        if known is None or known.version < loaded.version:
            keep(self._kept, (fold, stream), loaded, REMEMBERED)


class Folded(Protocol):
    """What streams are read from, and where their states are kept: a ``Record``."""

    folds: Folds

    async def facts(self, stream: str, after_version: int = 0) -> Sequence[Message]:
        """The events of a stream after a version."""


async def load(record: Folded, stream: str, initial: S, evolve: Callable[[S, Message], S]) -> Loaded[S]:
    """Fold a whole stream.

    ``evolve`` must be pure, return immutable states, and stand for one meaning of the stream: what it came to
    before is remembered under it, and only the events since are read.
    """

    def each_in_turn(state: S, facts: Sequence[Message]) -> S:
        for fact in facts:
            state = evolve(state, fact)
        return state

    return await _load(record, stream, initial, evolve, each_in_turn)


async def load_at_once(record: Folded, stream: str, initial: S, fold: Callable[[S, Sequence[Message]], S]) -> Loaded[S]:
    """The same with a fold that takes many facts at once, for a state that would be copied for each."""
    return await _load(record, stream, initial, fold, fold)


async def _load(
    record: Folded, stream: str, initial: S, meaning: object, fold: Callable[[S, Sequence[Message]], S]
) -> Loaded[S]:
    """Fold what was appended since ``meaning`` last came to a state of the stream."""
    known = record.folds.last(meaning, stream)
    state, version = (known.state, known.version) if known else (initial, 0)
    facts = await record.facts(stream, version)
    if not facts:
        return Loaded(state, version)
    loaded = Loaded(fold(state, facts), version + len(facts))
    record.folds.keep(meaning, stream, loaded)
    return loaded
