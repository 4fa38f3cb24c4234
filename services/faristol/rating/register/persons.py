"""The persons of the register with their details, cached between calls.

Problem. Details are stored beside the events. Reading, indexing and normalizing those of 20,000 entries takes about two
seconds, and a director who looks for players asks for them with each search.

Idea. The details of a person change only in a transaction that appends events, and the metadata of these bind the new
details to the person (``event_store.beside_events.bindings``). Of the events since the last call only such ones are
read, with the details of their persons. The index is built again, in a thread, if such details or the version of the
register have changed; its words and its order when a search first needs them. All other events leave it as it is.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from faristol.event_store import Record
from faristol.event_store.beside_events.bindings import list_named_since
from faristol.event_store.positions import last_position
from faristol.kernel.details import Person
from faristol.kernel.names import begins, name_key
from faristol.personal_data import people
from faristol.presentation.names import search_words
from faristol.register.comparison import RegisteredPersons
from faristol.register.model import Register


class PersonIndex:
    """The entries of one version of the register, to find persons by a search."""

    def __init__(self, known: RegisteredPersons) -> None:
        self.known = known

    @cached_property
    def _in_order(self) -> list[tuple[Person, tuple[str, ...], str]]:
        """The persons by name, each with the words in which a search looks, separate and joined."""
        ordered = sorted(self.known.persons.values(), key=lambda each: (name_key(each.name), each.player_id))
        words = [search_words(" ".join(each.searched)) for each in ordered]
        return [(each, own, "".join(own)) for each, own in zip(ordered, words, strict=True)]

    @cached_property
    def _by_number(self) -> Mapping[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for person_id, person in self.known.persons.items():
            found[str(person.known.get("federation_id", ""))].add(person_id)
        return found

    def find(self, search: str) -> list[Person]:
        """Return the persons of a search by name, all if it is empty.

        The search is an id, a number at the federation, or beginnings of words of the name or the club.
        """
        text = search.strip()
        if not text:
            return [person for person, _, _ in self._in_order]
        wanted, ids = search_words(text), {text, *self._by_number.get(text, ())}
        longest = max(wanted, key=len, default="")
        return [
            person
            for person, words, joined in self._in_order
            # Most persons lack the longest word in any division of theirs, which is faster to check.
            if person.player_id in ids or (wanted and longest in joined and begins(wanted, words))
        ]


class PersonCache:
    """The index of the latest details."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lock = asyncio.Lock()
        self._position = 0
        """Position up to which changes of details are known."""
        self._version = 0
        """Version of the register of the index."""
        self._persons: dict[str, Person] = {}
        """Details by id, of the entries and of former ones."""
        self._index = PersonIndex(RegisteredPersons(Register(), {}))

    async def load_index(self, state: Register) -> PersonIndex:
        """Return the index of the register; erased persons are left out."""
        async with self._lock:
            async with self._record.reading() as connection:
                # Read before the details: an event that comes after it makes the next call read its persons again.
                end = await last_position(connection)
                is_known = 0 < self._position <= end  # a restored record may be shorter
                changed = await list_named_since(connection, self._position, end) if is_known else {*self._persons}
                asked = (changed | (state.entries.keys() - self._persons.keys())) & state.entries.keys()
                found = await people.find_all(connection, asked)
            is_same = all(found.get(each) == self._persons.get(each) for each in asked)
            persons = {each: person for each, person in self._persons.items() if each not in changed} | found
            if not is_same or state.version != self._version:
                self._index = PersonIndex(await asyncio.to_thread(RegisteredPersons, state, persons))
                self._version = state.version
            # Stored last: if the caller is cancelled during the build, the next call finds the same changes.
            self._persons, self._position = persons, end
            return self._index

    async def load_persons(self, state: Register, others: Iterable[Person] = ()) -> RegisteredPersons:
        """Return the entries with the details of their persons, and players of tournaments outside of the register."""
        return (await self.load_index(state)).known.with_others(others)
