"""Cosignatures of witnesses (C2SP tlog-cosignature, Ed25519): a statement on a checkpoint, with its time.

A cosignature says that at its time the checkpoint was the largest tree of the log that its witness had seen, and that
all earlier ones were beginnings of it.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature

from faristol.event_store.integrity.keys import SealKey
from faristol.event_store.transparency.log_checkpoint import MAX_LOG_SIZE
from faristol.event_store.transparency.signed_note import (
    COSIGNATURE_TYPE_ID,
    InvalidNote,
    NoteSignature,
    SignedNote,
    VerifierKey,
    check_key_name,
)

_TIME_BYTES = 8
_SIGNATURE_BYTES = 64


def _message(text: str, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def cosign(text: str, name: str, key: SealKey, seconds: int) -> NoteSignature:
    """Cosign the text of a checkpoint at a time in seconds since 1970. May block, and raise ``KeyUnavailable``."""
    named = VerifierKey(check_key_name(name), COSIGNATURE_TYPE_ID, key.public_key())
    signature = seconds.to_bytes(_TIME_BYTES, "big") + key.sign(_message(text, seconds))
    return NoteSignature(name, named.key_id, signature)


def find_cosignature_time(note: SignedNote, key: VerifierKey) -> int | None:
    """Return the latest time of a witness's cosignature of a note, in seconds since 1970; None without one.

    Raises ``InvalidNote`` for a line of this witness with an invalid signature.
    """
    times: list[int] = []
    for line in note.signatures:
        if not line.is_of(key):
            continue
        seconds = int.from_bytes(line.signature[:_TIME_BYTES], "big")
        if len(line.signature) != _TIME_BYTES + _SIGNATURE_BYTES or not 0 < seconds <= MAX_LOG_SIZE:
            raise InvalidNote(f"the cosignature of {key.name!r} is malformed")
        try:
            key.public.verify(line.signature[_TIME_BYTES:], _message(note.text, seconds))
        except InvalidSignature:
            raise InvalidNote(f"the cosignature of {key.name!r} is invalid") from None
        times.append(seconds)
    return max(times, default=None)
