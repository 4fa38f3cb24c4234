"""The appends of a run: each has to follow the versions of the streams that its decision has read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from faristol.event_store import Appended, Decision, Metadata, Record, Recorded


class Appends:
    """The decisions that were written, with their positions."""

    def __init__(self) -> None:
        self._written: list[tuple[int, Decision]] = []

    @contextmanager
    def around(self) -> Iterator[None]:
        """Note every append that the record confirms."""
        append = Record.append

        async def append_and_note(record: Record, decision: Decision, metadata: Metadata, **given: Any) -> Appended:
            appended = await append(record, decision, metadata, **given)
            if not appended.repeated:
                self._written.append((appended.position, decision))
            return appended

        with patch.object(Record, "append", append_and_note):
            yield

    def check(self, events: Sequence[Recorded]) -> list[str]:
        """Return the decisions whose streams had other versions when they were written."""
        places: dict[str, list[int]] = {}
        for event in events:
            places.setdefault(event.stream, []).append(event.position)
        wrong = []
        for position, decision in self._written:
            before = position - sum(len(write.events) for write in decision.writes)
            read = {(write.stream, write.expected_version) for write in decision.writes}
            read |= {(guard.stream, guard.version) for guard in decision.guards}
            for stream, version in sorted(read):
                if (found := bisect_right(places.get(stream, ()), before)) != version:
                    wrong.append(f"{position}: decided at version {version} of {stream}, written at version {found}")
        return wrong
