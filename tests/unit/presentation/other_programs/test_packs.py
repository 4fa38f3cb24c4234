"""A federation pack has the same bytes for the same content, and each change of it is found."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from faristol.event_store.transparency.signed_note import InvalidNote
from faristol.presentation.other_programs.packs import (
    MANIFEST_NAME,
    NOTE_NAME,
    InvalidPack,
    PackContent,
    is_signed_by,
    open_pack,
    write_pack,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
CONTENT = PackContent(
    "copa", "Copa d’Abril", 812, {"standings.csv": b"1\n", "tsh/a.t": b"2\n"}, {"games.gcg": "no game was recorded"}
)


def change(pack: bytes, name: str, content: bytes | None) -> bytes:
    """Return a pack with another content of a file; without it if that is None."""
    made = BytesIO()
    with zipfile.ZipFile(BytesIO(pack)) as old, zipfile.ZipFile(made, "w") as new:
        for each in old.namelist():
            if each != name:
                new.writestr(each, old.read(each))
        if content is not None:
            new.writestr(name, content)
    return made.getvalue()


def test_the_same_content_gives_the_same_bytes_with_and_without_a_key() -> None:
    reordered = PackContent(
        "copa", "Copa d’Abril", 812, dict(sorted(CONTENT.files.items(), reverse=True)), CONTENT.missing
    )

    assert write_pack(CONTENT, KEY) == write_pack(reordered, KEY)
    assert write_pack(CONTENT) == write_pack(reordered)


def test_a_pack_is_read_back_with_its_manifest_and_its_signature() -> None:
    opened = open_pack(write_pack(CONTENT, KEY))

    assert opened.problems == ()
    assert opened.files == CONTENT.files
    assert (opened.manifest["position"], opened.manifest["missing"]) == (812, CONTENT.missing)
    assert is_signed_by(opened, KEY.public_key())
    assert not is_signed_by(opened, Ed25519PrivateKey.generate().public_key())
    assert not is_signed_by(open_pack(write_pack(CONTENT)), KEY.public_key())


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("standings.csv", b"9\n", "standings.csv has been changed"),
        ("standings.csv", None, "standings.csv is missing"),
        ("added.csv", b"9\n", "added.csv is not in the manifest"),
    ],
)
def test_a_changed_missing_or_added_file_is_found(name: str, content: bytes | None, problem: str) -> None:
    assert problem in open_pack(change(write_pack(CONTENT, KEY), name, content)).problems


def test_a_changed_manifest_does_not_fit_its_signature() -> None:
    pack = write_pack(CONTENT, KEY)
    with zipfile.ZipFile(BytesIO(pack)) as archive:
        manifest = archive.read(MANIFEST_NAME)

    opened = open_pack(change(pack, MANIFEST_NAME, manifest.replace(b"812", b"813")))

    assert f"{NOTE_NAME} is of another manifest" in opened.problems


def test_a_signature_of_another_text_is_invalid() -> None:
    other = open_pack(write_pack(PackContent("copa", "Copa", 1, {}), KEY)).note
    mine = open_pack(write_pack(CONTENT, KEY)).note
    assert mine is not None
    assert other is not None
    forged = str(mine).partition("\n\n")[0] + "\n\n" + str(other).partition("\n\n")[2]

    with pytest.raises(InvalidNote):
        is_signed_by(open_pack(change(write_pack(CONTENT, KEY), NOTE_NAME, forged.encode())), KEY.public_key())


@pytest.mark.parametrize("content", [b"", b"no archive", write_pack(CONTENT)[:60]])
def test_a_file_that_is_no_pack_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidPack):
        open_pack(content)


def test_an_archive_without_a_manifest_or_of_another_format_is_refused() -> None:
    with pytest.raises(InvalidPack):
        open_pack(change(write_pack(CONTENT), MANIFEST_NAME, None))
    with pytest.raises(InvalidPack, match="expected 'faristol-pack 1'"):
        open_pack(change(write_pack(CONTENT), MANIFEST_NAME, b'{"format": "other"}'))
