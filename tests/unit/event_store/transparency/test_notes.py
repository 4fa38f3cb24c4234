"""Signed notes, checkpoints, cosignatures, policies and proofs, with the examples of the standards."""

from __future__ import annotations

import base64
import contextlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from faristol.event_store.integrity import merkle
from faristol.event_store.stored import Stored
from faristol.event_store.transparency.entry import DisclosedEvent, compute_blind, disclose_event, entry_of
from faristol.event_store.transparency.policy import InvalidPolicy, parse_policy
from faristol.event_store.transparency.signed_note import (
    InvalidNote,
    LogCheckpoint,
    NoteSignature,
    SignedNote,
    VerifierKey,
    cosign,
    find_cosignature_time,
    sign_note,
)
from faristol.event_store.transparency.tlog_proof import LogProof

LOG = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
FIRST, SECOND, THIRD = (Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)) for number in (1, 2, 3))
ORIGIN = "cup.example.org/log"
EVENT = Stored(1, "game-cup-r1-t1", 3, "e-1", "faristol.game.v1.Passed", 1, "cup", b"\x08\x01", "{}", 7, bytes(32))


def vkey(name: str, key: Ed25519PrivateKey, type_id: int) -> VerifierKey:
    """Return the public half of a key with its name."""
    return VerifierKey(name, type_id, key.public_key())


LOG_KEY = vkey(ORIGIN, LOG, 1)
POLICY = f"""
# two of three
log {LOG_KEY} https://cup.example.org/log
witness a {vkey("a.example", FIRST, 4)} https://a.example/
witness\tb {vkey("b.example", SECOND, 4)}
witness c {vkey("c.example", THIRD, 4)}
group two 2 a b c
quorum two
"""


def test_the_example_of_the_standard_is_accepted() -> None:
    key = VerifierKey.parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
    note = SignedNote.parse(
        b"This is an example message.\n\n\xe2\x80\x94 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTg"
        b"K7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
    )
    assert note.is_signed_by(key)
    assert str(key) == "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"


def test_a_changed_text_makes_a_note_invalid_and_an_unknown_key_does_not() -> None:
    note = sign_note("text\n", ORIGIN, LOG)
    assert note.is_signed_by(LOG_KEY)
    assert SignedNote.parse(str(note).encode()) == note
    assert not note.is_signed_by(vkey(ORIGIN, FIRST, 1))
    assert not note.is_signed_by(vkey("other", LOG, 1))
    with pytest.raises(InvalidNote, match="invalid"):
        SignedNote("other\n", note.signatures).is_signed_by(LOG_KEY)


@pytest.mark.parametrize(
    "content",
    [b"", b"text\n", b"text\n\n", b"text\n\nline\n", b"t\r\n\n\xe2\x80\x94 a AAAAAAA=\n",
     b"t\n\n\xe2\x80\x94 a+b AAAAAAA=\n",
     b"t\n\n\xe2\x80\x94 a AAAAAAA\n", b"t\n\n\xe2\x80\x94 a AAAAAAB=\n", b"t\n\n\xe2\x80\x94 a AAAAAAA=",
     b"\xff\n\n\xe2\x80\x94 a AAAAAAA=\n"],
)  # fmt: skip
def test_a_malformed_note_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidNote):
        SignedNote.parse(content)


@given(st.binary(max_size=300))
def test_no_bytes_crash_the_parsers(content: bytes) -> None:
    for parse in (SignedNote.parse, LogProof.parse, parse_policy, DisclosedEvent.from_extra):
        with contextlib.suppress(InvalidNote, InvalidPolicy):
            parse(content)


@pytest.mark.parametrize(
    "text", ["o\n01\nAA==\n", "o\n-1\nAA==\n", "o\n1\nAA==\n", "\n1\n\n", "o\n1\n", "o\n9223372036854775808\nA\n"]
)
def test_a_malformed_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(InvalidNote):
        LogCheckpoint.parse(text)


def test_a_cosignature_covers_its_time() -> None:
    text = LogCheckpoint(ORIGIN, 1, bytes(32)).text
    line = cosign(text, "a.example", FIRST, 1_700_000_000)
    key = vkey("a.example", FIRST, 4)
    assert find_cosignature_time(SignedNote(text, (line,)), key) == 1_700_000_000
    later = (1_700_000_001).to_bytes(8, "big") + line.signature[8:]
    with pytest.raises(InvalidNote, match="invalid"):
        find_cosignature_time(SignedNote(text, (NoteSignature(line.name, line.key_id, later),)), key)


def test_a_quorum_of_two_needs_two_witnesses() -> None:
    policy = parse_policy(POLICY.encode())
    text = LogCheckpoint(ORIGIN, 1, bytes(32)).text
    note = sign_note(text, ORIGIN, LOG).with_signatures([cosign(text, "a.example", FIRST, 5)])
    with pytest.raises(InvalidNote, match="quorum"):
        policy.check(note)
    both = note.with_signatures([cosign(text, "c.example", THIRD, 9)])
    assert policy.check(both) == (LogCheckpoint(ORIGIN, 1, bytes(32)), {"a": 5, "c": 9})


@pytest.mark.parametrize(
    ("line", "message"),
    [("quorum a", "second quorum"), ("group g 4 a b c", "earlier|already|number"), ("witness a x", "defined already"),
     ("log x", "base64|type|bytes"), ("group new all nobody", "no earlier line"), ("policy", "not one of")],
)  # fmt: skip
def test_a_malformed_policy_names_its_line(line: str, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        parse_policy((POLICY + line + "\n").encode())


def test_a_policy_needs_a_quorum() -> None:
    with pytest.raises(InvalidPolicy, match="no quorum"):
        parse_policy(b"# empty\n")
    assert parse_policy(b"quorum none\n").is_met([])


def test_a_proof_binds_the_content_of_an_event() -> None:
    shown = disclose_event(EVENT)
    assert shown.entry == entry_of(EVENT)
    root = merkle.node(bytes(32), merkle.leaf(shown.entry))
    note = sign_note(LogCheckpoint(ORIGIN, 2, root).text, ORIGIN, LOG)
    proof = LogProof.parse(str(LogProof(1, [bytes(32)], note, shown.to_extra())).encode())
    policy = parse_policy(f"log {LOG_KEY}\nquorum none\n".encode())
    found = DisclosedEvent.from_extra(proof.extra)
    assert found == shown
    assert proof.check(found.entry, policy)[0].size == 2
    changed = DisclosedEvent.from_extra(
        proof.extra.replace(base64.b64encode(b"\x08\x01"), base64.b64encode(b"\x08\x02"))
    )
    with pytest.raises(InvalidNote, match="do not lead"):
        proof.check(changed.entry, policy)


def test_an_entry_reveals_neither_the_hash_of_the_event_nor_its_metadata() -> None:
    shown = disclose_event(EVENT)
    assert shown.blind == compute_blind(EVENT.hash) != EVENT.hash
    assert b"metadata" not in shown.to_extra()
