"""The search for people by name among all who ever entered a tournament.

Names are stored beside the record and can be erased at any time, so no table of the read models contains them. This
directory caches them in memory for ``DIRECTORY_CACHE_SECONDS``: an erased person is found no longer than that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from faristol.event_store import Record
from faristol.kernel.details import Person
from faristol.kernel.names import begins, words_of
from faristol.presentation.names import search_words
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage.store import Reader

DIRECTORY_CACHE_SECONDS = 1.0
"""The age at which the cached directory is read again."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A person with the number of their tournaments."""

    person: Person
    tournaments: int
    words: tuple[str, ...]
    """The normalized words of the details that a search reads."""
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
        """Return people with these words in their details, in the order of names, and the position of the data.

        Without any words in ``wanted``, all people are found if it is blank, else none. The directory is read again if
        it does not reach ``min_position``.
        """
        async with self._lock:
            if time.monotonic() - self._read_at >= DIRECTORY_CACHE_SECONDS or self._position < min_position:
                await self._read()
            ordered, position = self._ordered, self._position
        words = search_words(wanted)
        if not words:
            return list(ordered) if not wanted.strip() else [], position
        return await asyncio.to_thread(lambda: [each for each in ordered if begins(words, each.words)]), position

    async def _read(self) -> None:
        at = time.monotonic()
        found, self._position = await read_now(self._record, Reader.entrants)
        self._entrants, self._ordered = await asyncio.to_thread(_sort_entrants, found, self._entrants)
        self._read_at = at


def _sort_entrants(
    found: Sequence[tuple[Person, int]], before: dict[str, Entrant]
) -> tuple[dict[str, Entrant], Sequence[Entrant]]:
    """Return the entrants by id and in the order of their names. Unchanged ones are taken from ``before``."""
    entrants = {}
    for person, tournaments in found:
        known = before.get(person.player_id)
        if known is None or known.person != person or known.tournaments != tournaments:
            words = [word for text in person.searched for word in search_words(text)]
            known = Entrant(person, tournaments, tuple(words), (words_of(person.name), person.player_id))
        entrants[person.player_id] = known
    return entrants, sorted(entrants.values(), key=lambda each: each.sorted_by)
