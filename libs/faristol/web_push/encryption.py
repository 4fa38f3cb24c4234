"""The encryption of a message for one browser (RFC 8291, with the coding ``aes128gcm`` of RFC 8188). Pure.

The browser has a key pair and a secret, and gives the public key and the secret with its subscription. Each message has
a key pair and a salt of its own. Both sides derive the same key from them; the push service knows neither private key.
"""

from __future__ import annotations

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

MAX_PLAINTEXT_BYTES = 2_900
"""Limit of a message in bytes. Every push service accepts 4,096 bytes with the header and the tag (RFC 8030, 7.2)."""

PADDED_BYTES = (400, 1_000, MAX_PLAINTEXT_BYTES)
"""Sizes to which messages are padded, so that their length tells little."""

RECORD_BYTES = 4_096
POINT_BYTES, AUTH_BYTES, SALT_BYTES = 65, 16, 16

_LAST_RECORD = b"\x02"
"""Delimiter between the content and the padding of the last record."""


def to_base64(data: bytes) -> str:
    """Encode bytes in base64url without padding, as browsers and push services do."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64(field: str, text: str, length: int) -> bytes:
    """Decode base64url with or without padding. Raises ``Invalid`` unless it has ``length`` bytes."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        data = b""
    if len(data) != length:
        raise Invalid(field, N_("expected {length} bytes in base64url"), {"length": length})
    return data


def check_public_key(field: str, text: str) -> bytes:
    """Return the public key of a browser. Raises ``Invalid`` unless it is a point of the curve P-256."""
    point = from_base64(field, text, POINT_BYTES)
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        raise Invalid(field, N_("is not a public key of the curve P-256")) from None
    return point


def encrypt(
    plaintext: bytes, receiver: bytes, auth: bytes, key: ec.EllipticCurvePrivateKey, salt: bytes, padded: int = 0
) -> bytes:
    """Encrypt a message for the public key and the secret of a browser; return the body of the request.

    ``key`` and ``salt`` are used for this message only. The message is padded to ``padded`` bytes, if it is shorter.
    """
    own = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), receiver)
    shared = key.exchange(ec.ECDH(), other)
    secret = _derive(auth, shared, b"WebPush: info\0" + receiver + own, 32)
    content_key = _derive(salt, secret, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, secret, b"Content-Encoding: nonce\0", 12)
    padding = bytes(max(0, padded - len(plaintext)))
    sealed = AESGCM(content_key).encrypt(nonce, plaintext + _LAST_RECORD + padding, None)
    return salt + RECORD_BYTES.to_bytes(4) + bytes([len(own)]) + own + sealed


def padded_size(length: int) -> int:
    """Return the size to which a message is padded. Raises ``ValueError`` for a message that is too long."""
    for size in PADDED_BYTES:
        if length <= size:
            return size
    raise ValueError(f"a message of {length} bytes; expected {MAX_PLAINTEXT_BYTES} at most")


def _derive(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)
