"""The request of a cosignature from a witness (C2SP tlog-witness), of any implementation."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException

from faristol.event_store.errors import RecordError
from faristol.event_store.http_requests import opener_without_redirects, reason_of
from faristol.event_store.transparency.cosignature import find_cosignature_time
from faristol.event_store.transparency.log_checkpoint import parse_size
from faristol.event_store.transparency.policy import LogWitness
from faristol.event_store.transparency.signed_note import (
    InvalidNote,
    NoteSignature,
    SignedNote,
    encode_base64,
    parse_signature_lines,
)

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
