"""Files that are written as a whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from faristol.files import OWNER_ONLY_BITS, create_file, replace_file, replace_link


def test_a_reader_of_a_replaced_file_has_the_old_or_the_new_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key"
    replace_file(path, b"old")
    seen: list[bytes] = []
    sync = os.fsync

    def look(descriptor: int) -> None:
        seen.append(path.read_bytes())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    replace_file(path, b"new")
    assert seen == [b"old", b"new"]  # the content is synced before the file has its name, the name afterwards
    assert [each.name for each in tmp_path.iterdir()] == ["key"]


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key"
    replace_file(path, b"old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("key", b"old")]


def test_a_secret_is_never_readable_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes: list[int] = []
    sync = os.fsync

    def look(descriptor: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    replace_file(tmp_path / "key", b"secret", OWNER_ONLY_BITS)
    assert modes[0] == OWNER_ONLY_BITS
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == OWNER_ONLY_BITS


@pytest.mark.parametrize("has_links", [True, False])
def test_a_created_file_replaces_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool) -> None:
    if not has_links:

        def refuse(*_: object) -> None:
            raise PermissionError("no hard links")

        monkeypatch.setattr(Path, "hardlink_to", refuse)
    path = tmp_path / "seal"
    create_file(path, b"first")
    with pytest.raises(FileExistsError):
        create_file(path, b"second")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("seal", b"first")]


@pytest.mark.parametrize("has_links", [True, False])
def test_a_link_leads_to_its_last_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool) -> None:
    if not has_links:

        def refuse(*_: object) -> None:
            raise OSError("no right to make symbolic links")

        monkeypatch.setattr(Path, "symlink_to", refuse)
    link = tmp_path / "current"
    for content in (b"first", b"second"):
        replace_file(tmp_path / content.decode(), content)
        replace_link(link, tmp_path / content.decode())
        assert link.read_bytes() == content
