"""The state of a witness, and its decision on a checkpoint (C2SP tlog-witness, ``add-checkpoint``).

A witness stores, for each log, the last checkpoint that it cosigned. It cosigns another one only with a proof that the
stored tree is its beginning, and stores it durably before it answers. So two checkpoints that it cosigned are never of
two histories. Comparing the old size, verifying and storing are one step under a lock.

The folder has a file for each log, named by the SHA-256 of its origin: the checkpoint as a signed note. A signed
checkpoint that is not consistent with it is stored beside it, once for each size and root: it proves that the log has
two histories.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.event_store.errors import RecordError
from faristol.event_store.integrity import merkle
from faristol.event_store.integrity.keys import KeyUnavailable, SealKey
from faristol.event_store.transparency.log_client import SIZE_MEDIA_TYPE
from faristol.event_store.transparency.merkle_proofs import MAX_PROOF_LENGTH, is_consistent
from faristol.event_store.transparency.signed_note import (
    COSIGNATURE_TYPE_ID,
    MAX_NOTE_BYTES,
    InvalidNote,
    LogCheckpoint,
    SignedNote,
    VerifierKey,
    cosign,
    find_cosignature_time,
    parse_size,
)
from faristol.event_store.transparency.tlog_proof import parse_hashes
from faristol.files import replace_file

MAX_REQUEST_BYTES = MAX_NOTE_BYTES + 64 * (MAX_PROOF_LENGTH + 1)
"""Bytes of a request."""

TEXT_MEDIA_TYPE = "text/plain; charset=utf-8"

MAX_STORED_FORKS_COUNT = 100
"""Inconsistent checkpoints that are stored for each log."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WitnessAnswer:
    """The answer to a request."""

    status: int
    """Status code of HTTP."""
    content: str
    media_type: str = TEXT_MEDIA_TYPE


@dataclass(frozen=True, slots=True)
class AddCheckpointRequest:
    """A request to cosign a checkpoint."""

    old: int
    proof: Sequence[bytes]
    note: SignedNote
    checkpoint: LogCheckpoint

    @classmethod
    def parse(cls, body: bytes) -> AddCheckpointRequest:
        """Parse the body of a request. Raises ``InvalidNote``."""
        head, blank, content = body.partition(b"\n\n")
        try:
            first, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError:
            raise InvalidNote("the lines before the checkpoint are not ASCII") from None
        if not blank or not first.startswith("old "):
            raise InvalidNote("expected a line “old SIZE”, the lines of a proof, an empty line, and a checkpoint")
        proof = parse_hashes(lines)
        note = SignedNote.parse(content)
        return cls(parse_size(first.removeprefix("old "), "the old size"), proof, note, LogCheckpoint.parse(note.text))


class WitnessState:
    """The checkpoints that a witness has cosigned, in a folder that only this process uses."""

    def __init__(
        self, folder: Path, name: str, key: SealKey, logs: Sequence[VerifierKey], now: Callable[[], float]
    ) -> None:
        """``logs`` are the keys of the accepted logs, and ``now`` returns the time in seconds since 1970."""
        self.key = VerifierKey(name, COSIGNATURE_TYPE_ID, key.public_key())
        """The public key of the witness with its name."""
        self._folder = folder
        self._signer = key
        self._logs = logs
        self._now = now
        self._turn = threading.Lock()

    def add_checkpoint(self, body: bytes) -> WitnessAnswer:
        """Return the cosignature of a checkpoint, or the refusal. Blocks until the checkpoint is on disk.

        Raises ``OSError`` if it cannot be stored; then it is not cosigned.
        """
        try:
            request = AddCheckpointRequest.parse(body)
        except InvalidNote as error:
            return WitnessAnswer(400, f"{error}\n")
        keys = [key for key in self._logs if key.name == request.checkpoint.origin]
        if not keys:
            return WitnessAnswer(404, "the origin of this log is not one that this witness accepts\n")
        try:
            if True not in {request.note.is_signed_by(key) for key in keys}:
                return WitnessAnswer(403, "the checkpoint has no signature of a key that this witness accepts\n")
        except InvalidNote as error:
            return WitnessAnswer(403, f"{error}\n")
        if request.old > request.checkpoint.size:
            return WitnessAnswer(400, "the old size is larger than that of the checkpoint\n")
        with self._turn:
            return self._decide(request)

    def _decide(self, request: AddCheckpointRequest) -> WitnessAnswer:
        new = request.checkpoint
        stored = self._last_note(new.origin)
        last = LogCheckpoint.parse(stored.text) if stored else None
        size, root = (last.size, last.root) if last else (0, merkle.EMPTY)
        if request.old != size:
            if last is not None and new.size == size and new.root != root:
                self._store_fork(request)  # two roots of one size: no proof can lead from one to the other
            return WitnessAnswer(409, f"{size}\n", SIZE_MEDIA_TYPE)
        if not new.size and new.root != merkle.EMPTY:
            return WitnessAnswer(422, "the root of an empty tree is the hash of no bytes\n")
        if not is_consistent(size, root, new.size, new.root, request.proof):
            if last is not None:
                self._store_fork(request)
            return WitnessAnswer(422, f"the tree of {size} entries is not shown to be the beginning of this one\n")
        seconds = int(self._now())
        if stored is not None and seconds < (find_cosignature_time(stored, self.key) or 0):
            # A cosignature says which tree was the largest at its time, so a later one must not be dated before it.
            _log.error("no checkpoint is cosigned: the clock is behind the last cosignature of %s", new.origin)
            return WitnessAnswer(503, "the clock of this witness is behind its last cosignature\n")
        try:
            line = cosign(request.note.text, self.key.name, self._signer, seconds)
        except KeyUnavailable as error:
            _log.error("no checkpoint is cosigned: %s", error)
            return WitnessAnswer(503, "the key of this witness is unavailable\n")
        own = [line for line in request.note.signatures if any(line.is_of(key) for key in self._logs)]
        replace_file(self._path(new.origin), str(SignedNote(request.note.text, own).with_signatures([line])).encode())
        return WitnessAnswer(200, f"{line}\n")

    def _last_note(self, origin: str) -> SignedNote | None:
        """Return the last cosigned checkpoint of a log as it is stored; None without one.

        Raises ``RecordError`` for a damaged file: without it, the witness could cosign another history.
        """
        content = self.read_note(hashlib.sha256(origin.encode()).hexdigest())
        if content is None:
            return None
        try:
            note = SignedNote.parse(content)
            if LogCheckpoint.parse(note.text).origin != origin or find_cosignature_time(note, self.key) is None:
                raise InvalidNote("it is not a checkpoint of this log with the cosignature of this witness")
        except InvalidNote as error:
            raise RecordError(f"the stored checkpoint {self._path(origin)} is damaged: {error}") from None
        return note

    def read_note(self, origin_hash: str) -> bytes | None:
        """Return the last cosigned checkpoint of the log with this SHA-256 of its origin, in hexadecimal digits."""
        if not any(hashlib.sha256(key.name.encode()).hexdigest() == origin_hash for key in self._logs):
            return None
        try:
            return (self._folder / f"{origin_hash}.checkpoint").read_bytes()
        except FileNotFoundError:
            return None

    def check(self) -> None:
        """Raise ``RecordError`` if the folder or a stored checkpoint cannot be used."""
        if not self._folder.is_dir():
            raise RecordError(f"there is no folder {self._folder}: create it for the state of the witness")
        for key in self._logs:
            self._last_note(key.name)

    def _path(self, origin: str) -> Path:
        return self._folder / f"{hashlib.sha256(origin.encode()).hexdigest()}.checkpoint"

    def _store_fork(self, request: AddCheckpointRequest) -> None:
        """Store a signed checkpoint that is not consistent with the last one, with the request that sent it.

        A wrong proof of a consistent checkpoint is stored, too: only a comparison of both trees tells the difference.
        """
        new = request.checkpoint
        where = self._path(new.origin)
        _log.critical(
            "the log %s sent a checkpoint of %d entries that is not shown to extend the last one: compare both trees",
            new.origin,
            new.size,
        )
        name = f"{where.stem}.{new.size}-{new.root.hex()[:16]}.fork"
        if len(list(self._folder.glob(f"{where.stem}.*.fork"))) < MAX_STORED_FORKS_COUNT:
            replace_file(self._folder / name, str(request.note).encode())
