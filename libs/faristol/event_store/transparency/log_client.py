"""Requests to a log and to its witnesses over HTTP.

A reader of a log fetches its checkpoint, and the proof from a tree that the reader saw before. A witness of any
implementation is asked for a cosignature (C2SP tlog-witness).
"""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException

from faristol.event_store.errors import RecordError
from faristol.event_store.http_requests import opener_without_redirects, reason_of
from faristol.event_store.transparency.merkle_proofs import is_consistent, list_consistency_ranges, prove
from faristol.event_store.transparency.policy import LogWitness
from faristol.event_store.transparency.signed_note import (
    HASH_LENGTH,
    MAX_NOTE_BYTES,
    InvalidNote,
    LogCheckpoint,
    NoteSignature,
    SignedNote,
    encode_base64,
    find_cosignature_time,
    parse_signature_lines,
    parse_size,
)
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


COSIGNATURE_TIMEOUT_SECONDS = 10.0
"""Timeout in seconds without data."""

SIZE_MEDIA_TYPE = "text/x.tlog.size"
"""Media type of the answer to a request with another old size."""

_MAX_ANSWER_BYTES = 64 * 1024


class CosignerUnavailable(RecordError):
    """A witness is unreachable or answers something else; the message states the reason."""


class OtherSize(Exception):
    """The witness has cosigned a checkpoint of another size than the stated one."""

    def __init__(self, size: int) -> None:
        super().__init__(f"it has a checkpoint of {size} entries")
        self.size = size


class LogFork(RecordError):
    """The witness has cosigned a tree that is not the beginning of the one that it was sent."""


def format_request(old: int, proof: Sequence[bytes], note: SignedNote) -> bytes:
    """Return the body of a request: the old size, the proof and the checkpoint."""
    lines = "".join(f"{encode_base64(digest)}\n" for digest in proof)
    return f"old {old}\n{lines}\n{note}".encode()


async def request_cosignature(
    witness: LogWitness, old: int, proof: Sequence[bytes], note: SignedNote
) -> tuple[NoteSignature, ...]:
    """Return the cosignatures of a witness of a checkpoint.

    Raises ``OtherSize`` if its last checkpoint does not have the size ``old``, ``LogFork`` if the proof does not lead
    from its last checkpoint to this one, and ``CosignerUnavailable`` otherwise.
    """
    return await asyncio.to_thread(_request, witness, format_request(old, proof, note), note)


def _request(witness: LogWitness, body: bytes, note: SignedNote) -> tuple[NoteSignature, ...]:
    url = f"{witness.url.rstrip('/')}/add-checkpoint"
    try:
        request = urllib.request.Request(url, body, {"Content-Type": "text/plain; charset=utf-8"})  # noqa: S310 # checked below
        if request.type not in ("http", "https"):
            raise CosignerUnavailable(f"its address {witness.url} is not one of http or https")
        with opener_without_redirects.open(request, timeout=COSIGNATURE_TIMEOUT_SECONDS) as answer:
            content = answer.read(_MAX_ANSWER_BYTES)
    except urllib.error.HTTPError as refused:
        raise _refusal(refused) from None
    except urllib.error.URLError as error:
        raise CosignerUnavailable(reason_of(error)) from None
    except (HTTPException, ValueError, OSError) as error:
        raise CosignerUnavailable(f"the request failed: {type(error).__name__}") from None
    try:
        own = tuple(line for line in parse_signature_lines(content.decode()) if line.is_of(witness.key))
        if find_cosignature_time(SignedNote(note.text, own), witness.key) is None:
            raise CosignerUnavailable("its answer has no cosignature of the key in the policy")
    except (InvalidNote, UnicodeDecodeError) as error:
        raise CosignerUnavailable(f"its answer is not a cosignature: {error}") from None
    return own


def _refusal(refused: urllib.error.HTTPError) -> Exception:
    content = refused.read(200).decode(errors="replace")
    if refused.code == 409 and refused.headers.get_content_type() == SIZE_MEDIA_TYPE:
        try:
            return OtherSize(parse_size(content.removesuffix("\n"), "the size at the witness"))
        except InvalidNote as error:
            return CosignerUnavailable(str(error))
    if refused.code == 422:
        return LogFork("it has cosigned a tree that is not the beginning of this one")
    reason = {403: "it does not accept the key of the log", 404: "it does not know the log"}.get(refused.code)
    return CosignerUnavailable(reason or f"it answered {refused.code} to a checkpoint")
