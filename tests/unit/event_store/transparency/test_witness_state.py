"""The decision of a witness, and what it has on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from faristol.event_store.errors import RecordError
from faristol.event_store.integrity import merkle
from faristol.event_store.transparency.log_client import format_request
from faristol.event_store.transparency.signed_note import (
    ED25519_TYPE_ID,
    LogCheckpoint,
    SignedNote,
    VerifierKey,
    find_cosignature_time,
    sign_note,
)
from faristol.event_store.transparency.witness_state import WitnessAnswer, WitnessState

ORIGIN = "cup.example.org/log"
LOG = Ed25519PrivateKey.from_private_bytes(b"l" * 32)
WITNESS = Ed25519PrivateKey.from_private_bytes(b"w" * 32)
LOG_KEY = VerifierKey(ORIGIN, ED25519_TYPE_ID, LOG.public_key())
FIRST, SECOND, OTHER = (merkle.leaf(content) for content in (b"1", b"2", b"3"))


class Clock:
    """A clock that a test sets."""

    seconds = 1_700_000_000.0

    def __call__(self) -> float:
        return self.seconds


def state_in(folder: Path, clock: Clock) -> WitnessState:
    return WitnessState(folder, "w.example", WITNESS, [LOG_KEY], clock)


def send(state: WitnessState, old: int, root: bytes, size: int, proof: Sequence[bytes] = ()) -> WitnessAnswer:
    note = sign_note(LogCheckpoint(ORIGIN, size, root).text, ORIGIN, LOG)
    return state.add_checkpoint(format_request(old, proof, note))


def test_a_checkpoint_is_on_disk_with_its_cosignature_before_the_answer(tmp_path: Path) -> None:
    clock = Clock()
    state = state_in(tmp_path, clock)
    answer = send(state, 0, FIRST, 1)
    (file,) = tmp_path.glob("*.checkpoint")
    assert file.stem == hashlib.sha256(ORIGIN.encode()).hexdigest()
    note = SignedNote.parse(file.read_bytes())
    assert answer == WitnessAnswer(200, f"{note.signatures[-1]}\n")
    assert find_cosignature_time(note, state.key) == 1_700_000_000
    assert note.is_signed_by(LOG_KEY)


def test_after_a_restart_no_other_history_is_cosigned(tmp_path: Path) -> None:
    assert send(state_in(tmp_path, Clock()), 0, FIRST, 1).status == 200
    again = state_in(tmp_path, Clock())
    assert send(again, 0, OTHER, 1) == WitnessAnswer(409, "1\n", "text/x.tlog.size")
    assert send(again, 1, OTHER, 1).status == 422
    assert send(again, 1, merkle.node(OTHER, SECOND), 2, [SECOND]).status == 422
    assert send(again, 1, merkle.node(FIRST, SECOND), 2, [SECOND]).status == 200
    forks = {SignedNote.parse(path.read_bytes()).text for path in tmp_path.glob("*.fork")}
    assert {LogCheckpoint.parse(text).root for text in forks} == {OTHER, merkle.node(OTHER, SECOND)}


def test_a_clock_that_is_set_back_stops_the_witness(tmp_path: Path) -> None:
    clock = Clock()
    state = state_in(tmp_path, clock)
    assert send(state, 0, FIRST, 1).status == 200
    clock.seconds -= 1
    assert send(state, 1, FIRST, 1).status == 503
    clock.seconds += 1
    assert send(state, 1, FIRST, 1).status == 200


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_state_is_told_and_nothing_is_cosigned(tmp_path: Path, damage: bytes | None) -> None:
    state = state_in(tmp_path, Clock())
    assert send(state, 0, FIRST, 1).status == 200
    (file,) = tmp_path.glob("*.checkpoint")
    foreign = str(sign_note(LogCheckpoint(ORIGIN, 1, OTHER).text, ORIGIN, LOG)).encode()
    file.write_bytes(foreign if damage is None else damage)
    with pytest.raises(RecordError, match="damaged"):
        send(state, 0, FIRST, 1)
    with pytest.raises(RecordError, match="damaged"):
        state.check()


@pytest.mark.parametrize(
    "body",
    [b"", b"old 0", b"old 0\n\n", b"old 00\n\nx", b"old -1\n\nx", b"new 0\n\nx", b"old 0\nAAAA\n\nx",
     "old ١\n\nx".encode(),
     b"old 0\n" + b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n" * 64 + b"\nx"],
)  # fmt: skip
def test_a_malformed_request_is_refused(tmp_path: Path, body: bytes) -> None:
    assert state_in(tmp_path, Clock()).add_checkpoint(body).status == 400
