"""Checkpoints of a log (C2SP tlog-checkpoint): its origin, the number of its entries and the root of its tree."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.event_store.transparency.signed_note import InvalidNote, decode_base64, encode_base64

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
