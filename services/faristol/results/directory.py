"""Everybody who ever entered a tournament, by name: what a search looks through.

Names stand beside the record and can be erased at any time, so that they are never kept in a table of the read models.
Here they are in memory, and no longer than a moment: whoever was erased is found no more after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from faristol.kernel.names import begins, words_of
from faristol.record import Record
from faristol.record.people import Person
from faristol.results import lookup
from faristol.results.store import Reader

MOST_SECONDS = 1.0
"""How long what was read is looked through before it is read again."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A person with the number of their tournaments."""

    person: Person
    tournaments: int
    words: tuple[str, ...]
    """Of name and club, as they are searched by."""
    sorted_by: tuple[tuple[str, ...], str]


class Directory:
    """The names of all players of a cell."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lock = asyncio.Lock()
        self._read_at = float("-inf")
        self._position = 0
        self._entrants: dict[str, Entrant] = {}
        self._ordered: Sequence[Entrant] = ()

    async def search(self, wanted: str, min_position: int = 0) -> tuple[list[Entrant], int]:
        """Who has a name or a club with these words, in the order of names, and the position that this holds up to.

        Everybody where there are no words. What is known is read again where it does not reach ``min_position``.
        """
        async with self._lock:
            if monotonic() - self._read_at >= MOST_SECONDS or self._position < min_position:
                await self._read()
            ordered, position = self._ordered, self._position
        words = words_of(wanted)
        if not words:
            return list(ordered) if not wanted.strip() else [], position
        return await asyncio.to_thread(lambda: [each for each in ordered if begins(words, each.words)]), position

    async def _read(self) -> None:
        at = monotonic()
        found, self._position = await lookup.read_now(self._record, Reader.entrants)
        self._entrants, self._ordered = await asyncio.to_thread(_ordered, found, self._entrants)
        self._read_at = at


def _ordered(
    found: Sequence[tuple[Person, int]], before: dict[str, Entrant]
) -> tuple[dict[str, Entrant], Sequence[Entrant]]:
    """The entrants by id and in the order of their names; who has not changed is taken from ``before``."""
    entrants = {}
    for person, tournaments in found:
        known = before.get(person.player_id)
        if known is None or known.person != person or known.tournaments != tournaments:
            name, club = words_of(person.name), words_of(person.club)
            known = Entrant(person, tournaments, name + club, (name, person.player_id))
        entrants[person.player_id] = known
    return entrants, sorted(entrants.values(), key=lambda each: each.sorted_by)
