"""Proofs in a file (C2SP tlog-proof): a checkpoint, an entry's index and the hashes between them; verified offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faristol.event_store.integrity import merkle
from faristol.event_store.transparency.merkle_proofs import MAX_PROOF_LENGTH, compute_included_root
from faristol.event_store.transparency.policy import TrustPolicy
from faristol.event_store.transparency.signed_note import (
    HASH_LENGTH,
    MAX_NOTE_BYTES,
    InvalidNote,
    LogCheckpoint,
    SignedNote,
    decode_base64,
    encode_base64,
    parse_size,
)

PROOF_HEADING = "c2sp.org/tlog-proof@v1"
"""First line of a proof."""

MAX_PROOF_BYTES = 2 * 1024 * 1024
"""Bytes of a proof that is read."""

PROOF_MEDIA_TYPE = "text/plain; charset=utf-8"
PROOF_SUFFIX = ".tlog-proof"


@dataclass(frozen=True, slots=True)
class LogProof:
    """A proof that an entry is in a log."""

    index: int
    """Index of the entry, from 0."""
    hashes: Sequence[bytes]
    """Hashes from the entry's sibling up to the child of the root."""
    note: SignedNote
    """The checkpoint with its signatures."""
    extra: bytes = b""
    """Data from which the entry is computed. No signature covers them; only the entry that they give is proven."""

    def __str__(self) -> str:
        extra = f"extra {encode_base64(self.extra)}\n" if self.extra else ""
        lines = "".join(f"{encode_base64(digest)}\n" for digest in self.hashes)
        return f"{PROOF_HEADING}\n{extra}index {self.index}\n{lines}\n{self.note}"

    @classmethod
    def parse(cls, content: bytes) -> LogProof:
        """Parse a proof. Raises ``InvalidNote``."""
        if len(content) > MAX_PROOF_BYTES:
            raise InvalidNote(f"the proof has more than {MAX_PROOF_BYTES} bytes")
        head, blank, note = content.partition(b"\n\n")
        try:
            heading, *lines = head.decode().split("\n")
        except UnicodeDecodeError:
            raise InvalidNote("the proof is not UTF-8") from None
        if heading != PROOF_HEADING or not blank:
            raise InvalidNote(f"this is not a proof: expected {PROOF_HEADING!r} in the first line")
        extra = b""
        if lines and lines[0].startswith("extra "):
            extra = decode_base64(lines.pop(0).removeprefix("extra "), "the extra data of the proof")
        if not lines or not lines[0].startswith("index "):
            raise InvalidNote("the proof has no line “index NUMBER” before its hashes")
        index = parse_size(lines.pop(0).removeprefix("index "), "the index of the proof")
        hashes = parse_hashes(lines)
        if len(note) > MAX_NOTE_BYTES:
            raise InvalidNote(f"the checkpoint of the proof has more than {MAX_NOTE_BYTES} bytes")
        return cls(index, hashes, SignedNote.parse(note), extra)

    def check(self, entry: bytes, policy: TrustPolicy) -> tuple[LogCheckpoint, dict[str, int]]:
        """Return the checkpoint that has an entry, and the times of its witnesses. Raises ``InvalidNote``."""
        checkpoint, times = policy.check(self.note)
        if self.index >= checkpoint.size:
            raise InvalidNote(f"the checkpoint has {checkpoint.size} entries, so entry {self.index} is not under it")
        if compute_included_root(merkle.leaf(entry), self.index, checkpoint.size, self.hashes) != checkpoint.root:
            raise InvalidNote("the hashes of the proof do not lead from its entry to the root of the checkpoint")
        return checkpoint, times


def parse_hashes(lines: Sequence[str]) -> list[bytes]:
    """Return the hashes of a proof from its lines. Raises ``InvalidNote``."""
    if len(lines) > MAX_PROOF_LENGTH:
        raise InvalidNote(f"the proof has {len(lines)} hashes: expected {MAX_PROOF_LENGTH} at most")
    hashes = [decode_base64(line, f"hash {number} of the proof") for number, line in enumerate(lines, 1)]
    if any(len(digest) != HASH_LENGTH for digest in hashes):
        raise InvalidNote(f"a hash of the proof does not have {HASH_LENGTH} bytes")
    return hashes
