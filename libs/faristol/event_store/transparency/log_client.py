"""A reader of a log over HTTP: its checkpoint, and the proof from a tree that the reader saw before."""

from __future__ import annotations

import urllib.error
import urllib.request
from http.client import HTTPException

from faristol.event_store.errors import RecordError
from faristol.event_store.http_requests import reason_of
from faristol.event_store.transparency.log_checkpoint import HASH_LENGTH, LogCheckpoint
from faristol.event_store.transparency.merkle_proofs import is_consistent, list_consistency_ranges, prove
from faristol.event_store.transparency.signed_note import MAX_NOTE_BYTES, SignedNote
from faristol.event_store.transparency.tiles import TILE_SIZE, CorruptTile, TileName, TileSource, format_tile_number

LOG_TIMEOUT_SECONDS = 20.0
"""Timeout in seconds without data."""


class LogUnavailable(RecordError):
    """The log is unreachable, or does not serve what its checkpoint requires; the message states the reason."""


class LogClient:
    """Fetches the checkpoint and the tiles of a log (C2SP tlog-tiles). Every method blocks."""

    def __init__(self, address: str) -> None:
        """``address`` is that of the log, without ``/checkpoint``. Raises ``LogUnavailable`` if it is not of HTTP."""
        if not address.startswith(("http://", "https://")):
            raise LogUnavailable(f"{address} is not an address of a log: expected http://… or https://…")
        self._address = address.rstrip("/")

    def fetch_checkpoint(self) -> SignedNote:
        """Return the checkpoint, whose signatures are not verified. Raises ``LogUnavailable`` and ``InvalidNote``."""
        return SignedNote.parse(self._fetch("checkpoint", MAX_NOTE_BYTES))

    def is_beginning(self, old: LogCheckpoint, new: LogCheckpoint) -> bool:
        """Check by the tiles whether the tree of ``old`` is the beginning of that of ``new``.

        The tiles need not be trusted: the hashes must give both roots. Raises ``LogUnavailable``.
        """
        if old.size > new.size:
            return False

        def read(tile: TileName) -> bytes:
            width = tile.width_at(new.size)
            partial = f".p/{width}" if width < TILE_SIZE else ""
            path = f"tile/{tile.level}/{format_tile_number(tile.number)}{partial}"
            return self._fetch(path, TILE_SIZE * HASH_LENGTH)

        try:
            proof = prove(list_consistency_ranges(old.size, new.size), TileSource(read))
        except CorruptTile as error:
            raise LogUnavailable(str(error)) from None
        return is_consistent(old.size, old.root, new.size, new.root, proof)

    def _fetch(self, path: str, most: int) -> bytes:
        url = f"{self._address}/{path}"
        try:
            with urllib.request.urlopen(url, timeout=LOG_TIMEOUT_SECONDS) as answer:  # noqa: S310 # http or https, see above
                content: bytes = answer.read(most + 1)
        except urllib.error.HTTPError as refused:
            raise LogUnavailable(f"{url}: answered {refused.code}") from None
        except urllib.error.URLError as error:
            raise LogUnavailable(f"{url}: {reason_of(error)}") from None
        except (HTTPException, OSError) as error:
            raise LogUnavailable(f"{url}: the request failed: {type(error).__name__}") from None
        if len(content) > most:
            raise LogUnavailable(f"{url}: the answer has more than {most} bytes")
        return content
