"""The lexicons that the tables of a hall pin, fetched once from the championship and stored by digest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from faristol.event_store.stored import Stored
from faristol.hall.joining import Cell
from faristol.hall.line import read_answer
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.words import LexiconError, Library, MissingLexiconError

MAX_LEXICON_BYTES = 256_000_000
"""Largest lexicon that a hall fetches."""

_OPENED: Mapping[str, type[game_events.GameOpened | duplicate_events.DuplicateOpened]] = {
    kind.DESCRIPTOR.full_name: kind for kind in (game_events.GameOpened, duplicate_events.DuplicateOpened)
}
"""Events that pin a lexicon, by type."""


class LexiconFetcher:
    """Fetches lexicons into the folder of the hall."""

    def __init__(self, cell: Cell, folder: Path) -> None:
        self._cell = cell
        self._library = Library(folder)
        self._there: set[str] = set()

    async def fetch_pinned(self, events: Sequence[Stored]) -> None:
        """Fetch the lexicons that these events pin and that are missing.

        Raises ``grpc.aio.AioRpcError`` if the championship does not send one, and ``ValueError`` if it cannot be used.
        """
        pinned = {
            _OPENED[event.type].FromString(event.payload).lexicon.digest for event in events if event.type in _OPENED
        }
        for digest in sorted(pinned - self._there - {""}):
            if not await asyncio.to_thread(self._is_there, digest):
                await self._fetch(digest)
            self._there.add(digest)

    def _is_there(self, digest: str) -> bool:
        try:
            self._library.open(digest)
        except MissingLexiconError:
            return False
        return True

    async def _fetch(self, digest: str) -> None:
        joined = await self._cell.wait_joined()
        request = pb.FetchLexiconRequest(tournament_id=joined.tournament_id, hall=joined.hall, digest=digest)
        content = bytearray()
        async for response in self._cell.line.sync.FetchLexicon(request):
            content += read_answer(response).part
            if len(content) > MAX_LEXICON_BYTES:
                raise ValueError(f"the lexicon {digest} has more than {MAX_LEXICON_BYTES} bytes")
        try:
            await asyncio.to_thread(self._library.store, digest, bytes(content))
        except LexiconError as error:
            raise ValueError(f"the lexicon {digest} cannot be stored: {error}") from error
