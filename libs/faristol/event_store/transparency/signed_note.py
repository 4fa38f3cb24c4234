"""Signed notes (C2SP signed-note): text, a blank line, and signature lines of named keys; checkpoints and cosignatures.

A line is an em dash, the name of the key, and base64 of the key's id (4 bytes) and the signature. The id is the begin
of SHA-256 over the name, a newline, the type of the signature and the public key. A verifier ignores lines of keys that
it does not know, and refuses a note with an invalid signature of a key that it knows.

The text of a checkpoint (C2SP tlog-checkpoint) is the origin of a log, the number of its entries and the root of its
tree. A cosignature (C2SP tlog-cosignature, Ed25519) says that at its time the checkpoint was the largest tree of the
log that its witness had seen, and that all earlier ones were beginnings of it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from faristol.event_store.errors import RecordError
from faristol.event_store.integrity.keys import SealKey

ED25519_TYPE_ID = 0x01
"""Type of a signature over the text of a note."""

COSIGNATURE_TYPE_ID = 0x04
"""Type of a cosignature of a witness, with its time (C2SP tlog-cosignature)."""

MAX_NOTE_BYTES = 64 * 1024
"""Bytes of a note that is read."""

MAX_NOTE_LINES = 64
"""Signature lines of a note that is read."""

KEY_ID_LENGTH = 4
"""Bytes of the id of a key."""

_ED25519_KEY_LENGTH = 32
_MARK = "— "


class InvalidNote(RecordError):
    """A note, a key or a checkpoint is malformed, or a signature is invalid; the message states where."""


def decode_base64(text: str, what: str) -> bytes:
    """Decode standard base64 strictly. Raises ``InvalidNote`` that names ``what``."""
    try:
        content = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise InvalidNote(f"{what} is not base64") from None
    if base64.b64encode(content).decode() != text:
        raise InvalidNote(f"{what} is not base64 in its only form")
    return content


def encode_base64(content: bytes) -> str:
    """Encode bytes as standard base64."""
    return base64.b64encode(content).decode()


def check_key_name(name: str) -> str:
    """Return the name of a key. Raises ``InvalidNote`` if it is empty, or has a space, a plus or a control."""
    if not name or "+" in name or any(letter.isspace() or not letter.isprintable() for letter in name):
        raise InvalidNote(f"{name!r} is not a name of a key: expected characters without a space and without +")
    return name


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with its name and the type of its signatures; its text is a *vkey*."""

    name: str
    type_id: int
    public: Ed25519PublicKey

    @property
    def key_id(self) -> bytes:
        """The 4 bytes that begin its signatures."""
        material = bytes([self.type_id]) + self.public.public_bytes_raw()
        return hashlib.sha256(self.name.encode() + b"\n" + material).digest()[:KEY_ID_LENGTH]

    def __str__(self) -> str:
        material = bytes([self.type_id]) + self.public.public_bytes_raw()
        return f"{self.name}+{self.key_id.hex()}+{encode_base64(material)}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """Parse a vkey, ``NAME+ID+KEY``. Raises ``InvalidNote``."""
        name, _, rest = text.partition("+")
        stated_id, _, material = rest.partition("+")
        content = decode_base64(material, f"the key of {name!r}")
        if not content or content[0] not in (ED25519_TYPE_ID, COSIGNATURE_TYPE_ID):
            raise InvalidNote(f"the key of {name!r} has a type that is not supported: expected Ed25519 (1 or 4)")
        if len(content) != 1 + _ED25519_KEY_LENGTH:
            raise InvalidNote(f"the key of {name!r} has {len(content) - 1} bytes: expected {_ED25519_KEY_LENGTH}")
        key = cls(check_key_name(name), content[0], Ed25519PublicKey.from_public_bytes(content[1:]))
        if key.key_id.hex() != stated_id:
            raise InvalidNote(f"the key of {name!r} has the id {key.key_id.hex()}, and {stated_id!r} is stated")
        return key


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A signature line."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"{_MARK}{self.name} {encode_base64(self.key_id + self.signature)}"

    @classmethod
    def parse(cls, line: str) -> NoteSignature:
        """Parse a line without its newline. Raises ``InvalidNote``."""
        name, space, encoded = line.removeprefix(_MARK).partition(" ")
        if not line.startswith(_MARK) or not space:
            raise InvalidNote("a signature line does not have the form “— NAME SIGNATURE”")
        content = decode_base64(encoded, f"the signature of {name!r}")
        if len(content) <= KEY_ID_LENGTH:
            raise InvalidNote(f"the signature of {name!r} is too short")
        return cls(check_key_name(name), content[:KEY_ID_LENGTH], content[KEY_ID_LENGTH:])

    def is_of(self, key: VerifierKey) -> bool:
        """Check whether the line names a key; the signature may still be invalid."""
        return self.name == key.name and self.key_id == key.key_id


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text that ends in a newline, and its signatures."""

    text: str
    signatures: Sequence[NoteSignature] = ()

    def __str__(self) -> str:
        return self.text + "\n" + "".join(f"{line}\n" for line in self.signatures)

    @classmethod
    def parse(cls, content: bytes) -> SignedNote:
        """Parse a note with one signature or more. Raises ``InvalidNote``."""
        if len(content) > MAX_NOTE_BYTES:
            raise InvalidNote(f"the note has more than {MAX_NOTE_BYTES} bytes")
        try:
            whole = content.decode()
        except UnicodeDecodeError:
            raise InvalidNote("the note is not UTF-8") from None
        if any(letter < " " and letter != "\n" for letter in whole):
            raise InvalidNote("the note has a control character")
        text, blank, lines = whole.rpartition("\n\n")
        if not blank or not lines.endswith("\n"):
            raise InvalidNote("the note has no text, blank line and signatures that end in a newline")
        return cls(text + "\n", parse_signature_lines(lines))

    def with_signatures(self, more: Iterable[NoteSignature]) -> SignedNote:
        """Return the note with further signatures; one of the same key replaces an earlier one."""
        new = list(more)
        named = {(each.name, each.key_id) for each in new}
        left = [each for each in self.signatures if (each.name, each.key_id) not in named]
        return replace(self, signatures=(*left, *new))

    def is_signed_by(self, key: VerifierKey) -> bool:
        """Check whether a key of the type Ed25519 signed the text.

        Raises ``InvalidNote`` for a line of this key with an invalid signature, which makes the whole note invalid.
        """
        found = [line for line in self.signatures if line.is_of(key)]
        for line in found:
            try:
                key.public.verify(line.signature, self.text.encode())
            except InvalidSignature:
                raise InvalidNote(f"the signature of {key.name!r} is invalid") from None
        return bool(found)


def parse_signature_lines(lines: str) -> tuple[NoteSignature, ...]:
    """Parse one signature line or more, each ending in a newline. Raises ``InvalidNote``."""
    found = lines.split("\n")
    if found.pop() or not found:
        raise InvalidNote("signature lines do not end in a newline")
    if len(found) > MAX_NOTE_LINES:
        raise InvalidNote(f"the note has more than {MAX_NOTE_LINES} signatures")
    return tuple(NoteSignature.parse(line) for line in found)


def sign_note(text: str, name: str, key: SealKey) -> SignedNote:
    """Sign a text that ends in a newline. May block, and raise ``KeyUnavailable``."""
    named = VerifierKey(check_key_name(name), ED25519_TYPE_ID, key.public_key())
    return SignedNote(text, (NoteSignature(name, named.key_id, key.sign(text.encode())),))


MAX_LOG_SIZE = 2**63 - 1
"""Entries of the largest log."""

HASH_LENGTH = 32
"""Bytes of a hash."""


def parse_size(text: str, what: str) -> int:
    """Parse a number without a sign and leading zeros. Raises ``InvalidNote`` that names ``what``."""
    if (
        not (text.isascii() and text.isdigit())
        or (text[0] == "0" and text != "0")
        or len(text) > len(str(MAX_LOG_SIZE))
    ):
        raise InvalidNote(f"{what} {text[:40]!r} is not a decimal number without leading zeros")
    if (number := int(text)) > MAX_LOG_SIZE:
        raise InvalidNote(f"{what} {number} is more than {MAX_LOG_SIZE}")
    return number


@dataclass(frozen=True, slots=True)
class LogCheckpoint:
    """The statement of a log on its tree at a size."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> LogCheckpoint:
        """Parse the text of a note; extension lines are ignored. Raises ``InvalidNote``."""
        lines = text.split("\n")
        if lines.pop() or len(lines) < 3 or not all(lines):
            raise InvalidNote("a checkpoint has three lines or more, none of them empty")
        origin, size, root = lines[:3]
        digest = decode_base64(root, "the root of the checkpoint")
        if len(digest) != HASH_LENGTH:
            raise InvalidNote(f"the root of the checkpoint has {len(digest)} bytes: expected {HASH_LENGTH}")
        return cls(origin, parse_size(size, "the size of the checkpoint"), digest)


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
