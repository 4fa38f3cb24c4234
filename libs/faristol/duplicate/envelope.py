"""Envelopes: the content of a sealed game encrypted by a key of its own, and that key by another. Pure.

AES-256-GCM. What is authenticated besides is the id of the game, so that no envelope stands for another game.
"""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from faristol.pb.game.v1 import duplicate_events_pb2 as events

KEY_BYTES = 32
NONCE_BYTES = 12


class EnvelopeError(ValueError):
    """An envelope cannot be opened: another key, or other bytes than were sealed."""


def key_id(key: bytes) -> str:
    """What a key is called: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(key).hexdigest()[:16]


def seal(content: bytes, game_id: str, key: bytes, wrapping: bytes, nonces: tuple[bytes, bytes]) -> events.Envelope:
    """``content`` by ``key``, and that by ``wrapping``: 32 bytes each; each of the nonces has 12 and is used once."""
    for_content, for_key = nonces
    about = game_id.encode()
    return events.Envelope(
        digest=hashlib.sha256(content).digest(),
        content=for_content + AESGCM(key).encrypt(for_content, content, about),
        wrapped_key=for_key + AESGCM(wrapping).encrypt(for_key, key, about),
        key_id=key_id(wrapping),
    )


def unwrap(envelope: events.Envelope, game_id: str, wrapping: bytes) -> bytes:
    """The key of the content. Raises ``EnvelopeError``."""
    return _decrypted(envelope.wrapped_key, game_id, wrapping)


def content_of(envelope: events.Envelope, game_id: str, key: bytes) -> bytes:
    """The content in the clear. Raises ``EnvelopeError``, also where it is not what was committed to."""
    content = _decrypted(envelope.content, game_id, key)
    if hashlib.sha256(content).digest() != envelope.digest:
        raise EnvelopeError(f"what is sealed for {game_id} is not what {envelope.digest.hex()} commits to")
    return content


def _decrypted(sealed: bytes, game_id: str, key: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], game_id.encode())
    except (InvalidTag, ValueError) as problem:
        raise EnvelopeError(f"what is sealed for {game_id} cannot be opened by this key") from problem
