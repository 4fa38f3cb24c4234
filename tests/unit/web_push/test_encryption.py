"""The encryption of RFC 8291, by its example, and the identity of RFC 8292."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.support.push_services import AUTH, PushBrowser, decode_base64, encode_base64

from faristol.event_store.integrity.keys import KeyFileError
from faristol.kernel.errors import Invalid
from faristol.web_push.encryption import (
    MAX_PLAINTEXT_BYTES,
    PADDED_BYTES,
    check_public_key,
    encrypt,
    from_base64,
    padded_size,
    to_base64,
)
from faristol.web_push.vapid import add_key, load_keys, public_of

NOON = datetime(2026, 3, 7, 12, tzinfo=UTC)
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
    "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)
"""The message of RFC 8291, appendix A."""


def key_of(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(decode_base64(text)), ec.SECP256R1())


def test_the_example_of_the_standard_is_encrypted_as_there() -> None:
    text, auth, salt = b"When I grow up, I want to be a watermelon", "BTBZMqHH6r4Tts7J_aSIgg", "DGv6ra1nlYgDCS1FRnbzlw"
    body = encrypt(text, decode_base64(RECEIVER), decode_base64(auth), key_of(SENDER), decode_base64(salt))
    assert to_base64(body) == BODY


@pytest.mark.parametrize("length", [2, 400, 401, 1_000, 2_000, MAX_PLAINTEXT_BYTES])
def test_a_message_is_padded_and_read_by_its_browser(length: int) -> None:
    phone = PushBrowser()
    text = b'"' + b"x" * (length - 2) + b'"'
    body = encrypt(text, phone.point, AUTH, ec.generate_private_key(ec.SECP256R1()), bytes(16), padded_size(length))
    assert len(body) in {16 + 4 + 1 + 65 + size + 1 + 16 for size in PADDED_BYTES}
    assert len(body) <= 4_096
    assert phone.decrypt(body) == "x" * (length - 2)


def test_a_message_that_no_push_service_must_accept_is_refused() -> None:
    with pytest.raises(ValueError, match="2900 at most"):
        padded_size(MAX_PLAINTEXT_BYTES + 1)


@pytest.mark.parametrize("text", ["", "x", "é", RECEIVER[:-2], "A" * 87, RECEIVER + "AAAA", "=" * 87])
def test_a_key_that_is_no_point_of_the_curve_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        check_public_key("public_key", text)


def test_padded_and_unpadded_texts_are_the_same_bytes() -> None:
    assert from_base64("auth", encode_base64(AUTH) + "==", 16) == from_base64("auth", encode_base64(AUTH), 16) == AUTH


def test_the_first_key_is_made_once_and_a_further_one_signs_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "push"
    first = load_keys(folder, NOON)
    assert load_keys(folder, NOON + timedelta(days=1)).newest == first.newest
    (path,) = folder.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    add_key(folder, NOON + timedelta(days=2))
    rotated = load_keys(folder, NOON)
    assert rotated.newest != first.newest
    assert first.newest in rotated
    path.unlink()
    assert first.newest not in load_keys(folder, NOON)


def test_another_kind_of_key_is_named(tmp_path: Path) -> None:
    file = tmp_path / "20260307T120000.000000Z.pem"
    file.write_bytes(
        ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    with pytest.raises(KeyFileError, match="P-256"):
        load_keys(tmp_path, NOON)
    file.write_text("no key")
    with pytest.raises(KeyFileError, match="not a private key"):
        load_keys(tmp_path, NOON)


def test_a_public_key_is_an_uncompressed_point() -> None:
    assert decode_base64(public_of(key_of(SENDER)))[0] == 4
