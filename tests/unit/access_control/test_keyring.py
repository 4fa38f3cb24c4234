"""Keys are in a folder for their owner only, change without ending sessions, and are reloaded automatically."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from faristol.access_control.keyring import (
    MIN_SIGNING_KEY_AGE,
    SECRET,
    Keyring,
    KeyringError,
    list_keys,
    prepare,
    retire,
    rotate,
)
from faristol.event_store.integrity.keys import KeyFileError, key_id

_MOMENTS: Iterator[int] = count()


def now() -> datetime:
    return datetime(2026, 11, 22, 10, 0, next(_MOMENTS), tzinfo=UTC)


def test_what_is_secret_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "access"
    assert prepare(folder, now)
    modes = {path.name.rpartition(".")[2]: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"pem": 0o600, "pub": 0o644, SECRET: 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not prepare(folder, now), "what is there stays"


def test_a_new_key_signs_and_the_old_one_verifies_until_it_is_retired(tmp_path: Path) -> None:
    made_at, passed = now(), timedelta()
    prepare(tmp_path, lambda: made_at)
    ring = Keyring(tmp_path, lambda: made_at + passed)
    old = ring.signer().public_key()
    rotate(tmp_path, now)
    assert ring.signer().public_key() == old, "nobody could read the new key yet"
    ring.read_again()
    passed = MIN_SIGNING_KEY_AGE + timedelta(minutes=1)
    new = ring.signer().public_key()
    assert key_id(old) != key_id(new)
    assert ring.public(key_id(old)) == old
    assert ring.public(key_id(new)) == new
    shown = [(key, signs) for key, _, signs in list_keys(tmp_path, lambda: made_at + passed)]
    assert shown == [(key_id(old), False), (key_id(new), True)]
    retire(tmp_path, key_id(old))
    ring.read_again()
    assert ring.public(key_id(old)) is None
    assert ring.signer().public_key() == new


def test_a_new_key_signs_at_once_where_the_old_one_is_retired(tmp_path: Path) -> None:
    prepare(tmp_path)
    ring = Keyring(tmp_path)
    old = key_id(ring.signer().public_key())
    rotate(tmp_path)
    retire(tmp_path, old)
    assert key_id(ring.signer().public_key()) != old


def test_the_key_that_signs_and_one_that_there_is_not_are_not_retired(tmp_path: Path) -> None:
    prepare(tmp_path, now)
    (key,) = [key for key, _, _ in list_keys(tmp_path)]
    with pytest.raises(KeyringError, match="is the signing key"):
        retire(tmp_path, key)
    with pytest.raises(KeyringError, match="there is no key abc"):
        retire(tmp_path, "abc")


def test_who_only_verifies_has_the_public_files_alone(tmp_path: Path) -> None:
    prepare(tmp_path, now)
    for path in [*tmp_path.glob("*.pem"), tmp_path / SECRET]:
        path.unlink()
    ring = Keyring(tmp_path)
    ((key, _, signs),) = list_keys(tmp_path)
    assert ring.public(key) is not None
    assert not signs
    with pytest.raises(KeyringError, match="no private key"):
        ring.signer()
    with pytest.raises(KeyringError, match="secret"):
        ring.digest("link", "x")


def test_a_folder_that_cannot_be_read_is_no_folder_without_keys(tmp_path: Path) -> None:
    (tmp_path / "access").write_text("a file")
    for ask in (list_keys, Keyring):
        with pytest.raises(KeyringError, match="cannot be read: Not a directory"):
            ask(tmp_path / "access")


def test_a_folder_without_keys_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KeyringError, match="access keys rotate"):
        Keyring(tmp_path)


def test_a_key_file_that_is_none_is_an_error_at_the_start_and_no_end_of_what_runs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    prepare(tmp_path, now)
    ring = Keyring(tmp_path)
    ((key, _, _),) = list_keys(tmp_path)
    (tmp_path / "z.pem.pub").write_text("no key")
    ring.read_again()
    assert ring.public(key) is not None
    assert "z.pem.pub" in caplog.text
    with pytest.raises(KeyFileError):
        Keyring(tmp_path)


def test_what_is_made_with_the_secret_is_made_again_and_not_without_it(tmp_path: Path) -> None:
    prepare(tmp_path / "a", now)
    prepare(tmp_path / "b", now)
    one_cell, other_cell = Keyring(tmp_path / "a"), Keyring(tmp_path / "b")
    assert one_cell.digest("pin", "x") == one_cell.digest("pin", "x")
    others = [one_cell.digest("pin", "y"), one_cell.digest("link", "x"), other_cell.digest("pin", "x")]
    assert one_cell.digest("pin", "x") not in others
