"""Envelopes: the content of a sealed game encrypted with its own key, and that key encrypted with another. Pure.

The cipher is AES-256-GCM. The id of the game is authenticated as associated data, so that no envelope opens as that of
another game.
"""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from faristol.pb.game.v1 import duplicate_events_pb2 as events

KEY_BYTES = 32
NONCE_BYTES = 12


class EnvelopeError(ValueError):
    """An envelope that cannot be opened: wrong key, or modified bytes."""


def key_id(key: bytes) -> str:
    """Return the id of a key: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(key).hexdigest()[:16]


def seal(content: bytes, game_id: str, key: bytes, wrapping: bytes, nonces: tuple[bytes, bytes]) -> events.Envelope:
    """Encrypt ``content`` with ``key``, and that with ``wrapping``.

    Keys have 32 bytes. Each of the nonces has 12 and is used once.
    """
    for_content, for_key = nonces
    about = game_id.encode()
    return events.Envelope(
        digest=hashlib.sha256(content).digest(),
        content=for_content + AESGCM(key).encrypt(for_content, content, about),
        wrapped_key=for_key + AESGCM(wrapping).encrypt(for_key, key, about),
        key_id=key_id(wrapping),
    )


def unwrap(envelope: events.Envelope, game_id: str, wrapping: bytes) -> bytes:
    """Decrypt the key of the content. Raises ``EnvelopeError``."""
    return _decrypt(envelope.wrapped_key, game_id, wrapping)


def content_of(envelope: events.Envelope, game_id: str, key: bytes) -> bytes:
    """Decrypt the content. Raises ``EnvelopeError``, also if it does not match its commitment."""
    content = _decrypt(envelope.content, game_id, key)
    if hashlib.sha256(content).digest() != envelope.digest:
        raise EnvelopeError(
            f"the sealed game of {game_id} does not match the commitment {envelope.digest.hex()} commits to"
        )
    return content


def _decrypt(sealed: bytes, game_id: str, key: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], game_id.encode())
    except (InvalidTag, ValueError) as error:
        raise EnvelopeError(f"the sealed game of {game_id} cannot be opened with this key") from error
