"""The comparison of checkpoints with the events of a record or an archive."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity import merkle
from faristol.event_store.integrity.keys import Keys
from faristol.event_store.stored import Stored
from faristol.event_store.transparency.entry import entry_of
from faristol.event_store.transparency.signed_note import (
    ED25519_TYPE_ID,
    InvalidNote,
    LogCheckpoint,
    SignedNote,
    VerifierKey,
)


class LogChecker:
    """Builds the tree of the log from events in the order of positions, and compares the roots of checkpoints.

    With ``keys``, each checkpoint must have a signature of one of them. Signatures of witnesses are verified with a
    policy (``TrustPolicy``), which knows their keys.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self.checkpoints = 0
        """Number of checkpoints compared."""
        self.logged = 0
        """Number of events under the last one."""
        self._keys = keys
        self._tree = merkle.Tree()

    @property
    def size(self) -> int:
        """Number of events in the tree, which has all positions up to it."""
        return self._tree.size

    def event(self, event: Stored) -> bytes:
        """Add the next event, and return the hash of its entry.

        An event after a gap is ignored, with an empty result: no later checkpoint can be compared then.
        """
        if event.position != self.size + 1:
            return b""
        leaf = merkle.leaf(entry_of(event))
        self._tree.graft(0, leaf)
        return leaf

    def gap(self, from_position: int, to_position: int, hashes: Sequence[bytes]) -> None:
        """Add the hashes that replace the events from one position to another, both inclusive."""
        where = f"position {from_position}: the stand-in of the log for positions {from_position} to {to_position}"
        if from_position != self.size + 1 or to_position < from_position:
            raise CorruptData(f"{where} does not follow position {self.size}")
        parts = list(merkle.cover(from_position - 1, to_position))
        if len(parts) != len(hashes):
            raise CorruptData(f"{where} has {len(hashes)} hashes; expected {len(parts)}")
        for (_, level), digest in zip(parts, hashes, strict=True):
            self._tree.graft(level, digest)

    def checkpoint(self, stated: LogCheckpoint, text: str) -> None:
        """Compare a checkpoint of all events so far, with its signed note."""
        where = f"position {stated.size}: the checkpoint of the log"
        try:
            note = SignedNote.parse(text.encode())
            found = LogCheckpoint.parse(note.text)
            is_signed = self._keys is None or self._is_signed(note, stated.origin)
        except InvalidNote as error:
            raise CorruptData(f"{where} is invalid: {error}") from None
        if found != stated:
            raise CorruptData(f"{where} has another origin, size or root than its signed note")
        if self.size != stated.size:
            raise CorruptData(f"position {self.size + 1}: missing, and a checkpoint of the log is over it")
        if self._tree.root() != stated.root:
            raise CorruptData(f"{where} is over other events, or in another order: it has another root")
        if not is_signed:
            raise CorruptData(f"{where} does not bear the signature of a key that was given")
        self.checkpoints += 1
        self.logged = stated.size

    def _is_signed(self, note: SignedNote, origin: str) -> bool:
        keys = [VerifierKey(origin, ED25519_TYPE_ID, key) for key in (self._keys or {}).values()]
        return True in {note.is_signed_by(key) for key in keys}
