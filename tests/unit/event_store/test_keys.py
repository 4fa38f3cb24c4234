from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

import pytest
from tests.support.chains import KEY, OTHER_KEY, chain, seal_events

from faristol.event_store.integrity.keys import (
    KeyFileError,
    by_id,
    key_id,
    make,
    public_path,
    read_private,
    read_public,
)


def test_a_key_that_was_made_is_read_back_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "seal.key"
    made = make(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_private(path).private_bytes_raw() == made.private_bytes_raw()
    assert list(read_public([public_path(path)])) == [key_id(made.public_key())]


@pytest.mark.parametrize("there", ["seal.key", "seal.key.pub"])
def test_a_key_is_never_written_over_a_file(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine")
    with pytest.raises(KeyFileError, match=r"never replaces an existing file"):
        make(tmp_path / "seal.key")
    assert (tmp_path / there).read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [there], "and no half of a pair is left"


def test_a_file_that_is_no_key_is_told(tmp_path: Path) -> None:
    path = tmp_path / "seal.key"
    make(path)
    with pytest.raises(KeyFileError, match=r"has no private Ed25519 key"):
        read_private(public_path(path))
    with pytest.raises(KeyFileError, match=r"has no public Ed25519 key"):
        read_public([path])
    with pytest.raises(KeyFileError, match=r"cannot be read: No such file"):
        read_private(tmp_path / "none")
    with pytest.raises(KeyFileError, match=r"cannot be written to"):
        make(tmp_path / "none" / "key")


def test_a_signature_is_of_one_statement_and_one_key() -> None:
    seal = seal_events(chain(["game-a"]), 1)[0]
    assert seal.problem(by_id([KEY.public_key()])) == ""
    assert "was not given" in seal.problem(by_id([OTHER_KEY.public_key()]))


@pytest.mark.skipif(which("openssl") is None, reason="openssl is not installed")
def test_a_seal_can_be_checked_with_openssl(tmp_path: Path) -> None:
    key = make(tmp_path / "key")
    seal = seal_events(chain(["game-a", "game-b"]), 2, key)[0]
    (tmp_path / "statement").write_bytes(seal.statement)
    (tmp_path / "signature").write_bytes(seal.signature)
    arguments = ["-verify", "-pubin", "-inkey", "key.pub", "-rawin", "-in", "statement", "-sigfile", "signature"]
    done = subprocess.run(["openssl", "pkeyutl", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Verified Successfully" in done.stdout, done.stderr
