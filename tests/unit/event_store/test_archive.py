from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples

from faristol.event_store.archive.archive import MAX_LINE_BYTES, ArchiveError, ArchiveLine, Writer, add_checksum, read
from faristol.event_store.errors import RecordError

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
LINES: list[dict[str, Any]] = [
    {"kind": "one", "text": 'Òscar \\ "L·L" \n ☃', "number": 3},
    {"kind": "two", "flag": True, "list": ["00ff"]},
    {"kind": "end", "content": "AAEC"},
]


def write_archive(path: Path, *lines: dict[str, Any]) -> Path:
    with Writer(path) as writer:
        for line in lines or LINES:
            writer.write(**line)
    return path


def change_archive(path: Path, change: Callable[[bytes], bytes]) -> Path:
    """Return the archive with its uncompressed bytes changed."""
    other = path.with_name("changed")
    other.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()))))
    return other


def lines_of(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def test_lines_are_read_as_they_were_written(tmp_path: Path) -> None:
    first, second, third = read(write_archive(tmp_path / "a"))
    assert (first.kind, first.text("text"), first.number_of("number")) == ("one", LINES[0]["text"], 3)
    assert (second.flag("flag"), second.digests("list")) == (True, [b"\0\xff"])
    assert third.content("content") == b"\0\1\2"
    assert [first.number, second.number, third.number] == [1, 2, 3]


def test_an_archive_is_the_same_bytes_when_it_says_the_same(tmp_path: Path) -> None:
    assert write_archive(tmp_path / "a").read_bytes() == write_archive(tmp_path / "b").read_bytes()


@settings(deadline=None)  # files take their time
@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.one_of(texts, st.integers(0, 2**63 - 1)))))
def test_any_members_come_back(tmp_path_factory: pytest.TempPathFactory, members: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("any") / "a"
    lines = [*({"kind": "x", **member} for member in members), {"kind": "end"}]
    write_archive(path, *lines)
    for line, expected in zip(read(path), lines, strict=True):
        for name, value in expected.items():
            assert (line.text(name) if isinstance(value, str) else line.number_of(name)) == value


def test_a_changed_byte_is_named_with_its_line_wherever_it_is(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a")
    content = b"".join(lines_of(path))
    for place in range(len(content)):
        number = content[:place].count(b"\n") + 1
        other = change_archive(path, lambda old, place=place: old[:place] + bytes([old[place] ^ 1]) + old[place + 1 :])  # type: ignore[misc]
        with pytest.raises(ArchiveError, match=f"^line {number}: "):
            list(read(other))


def test_a_line_that_is_missing_doubled_or_moved_is_named(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a")
    first, two, three = lines_of(path)
    for lines, number in (
        ([first, three], 2),
        ([first, first, two, three], 2),
        ([first, three, two], 2),
        ([two, three], 1),
        ([first, two], 3),
        ([first, two, three, three], 4),
        ([], 1),
    ):
        with pytest.raises(ArchiveError, match=f"^line {number}: "):
            list(read(change_archive(path, lambda _, lines=lines: b"".join(lines))))  # type: ignore[misc]


def test_a_file_that_was_cut_off_is_told_wherever_it_was_cut(tmp_path: Path) -> None:
    content = write_archive(tmp_path / "a").read_bytes()
    other = tmp_path / "cut"
    for length in range(len(content)):
        other.write_bytes(content[:length])
        with pytest.raises(ArchiveError, match=r"^line \d: "):
            list(read(other))


@settings(max_examples=scale_examples(300), deadline=None)
@given(st.data())
def test_a_changed_byte_of_the_compressed_file_changes_nothing_or_is_told(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = write_archive(tmp_path_factory.mktemp("flip") / "a")
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        read_again = list(read(path))
    except ArchiveError as told:
        assert str(told).startswith("line ")  # noqa: PT017 # both outcomes are right
    else:
        # A time in the header, a bit between blocks: the same can be compressed in more than one way.
        assert [line.kind for line in read_again] == ["one", "two", "end"]
        assert read_again[0].text("text") == LINES[0]["text"]
        assert read_again[2].content("content") == b"\0\1\2"


def test_what_follows_the_end_is_told(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a")
    for more in (b"more", gzip.compress(b"more")):
        other = tmp_path / "more"
        other.write_bytes(path.read_bytes() + more)
        with pytest.raises(ArchiveError, match=r"^line 4: "):
            list(read(other))


def test_a_line_that_follows_the_end_is_told_even_with_a_right_sum(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a", *LINES, {"kind": "one"})
    with pytest.raises(ArchiveError, match=r"^line 4: the file continues after its end"):
        list(read(path))


def test_a_file_that_is_no_archive_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for content in (b"hello", gzip.compress(b"hello\n"), b"", gzip.compress(b"")):
        path.write_bytes(content)
        with pytest.raises(ArchiveError, match=r"^line 1: "):
            list(read(path))
    with pytest.raises(RecordError, match=r"none cannot be read: No such file"):
        list(read(tmp_path / "none"))


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faristol.event_store.archive.archive.MAX_LINE_BYTES", 1_000)
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(b"x" * 5_000))
    with pytest.raises(ArchiveError, match=r"^line 1: "):
        list(read(path))
    with pytest.raises(ArchiveError, match=r"a line of .* bytes"):
        write_archive(tmp_path / "b", {"kind": "x" * 1_000})


@pytest.mark.parametrize(
    ("value", "read_as"),
    [
        (3, "text"),
        (None, "text"),
        ("a\0b", "text"),
        ("\ud800", "text"),
        ("3", "number_of"),
        (-1, "number_of"),
        (2**63, "number_of"),
        (1.5, "number_of"),
        (True, "number_of"),
        (1, "flag"),
        ("not base64!", "content"),
        ("xyz", "digest"),
        ("00", "digests"),
        ([3.5], "digests"),
    ],
)
def test_a_member_of_another_kind_is_told(value: object, read_as: str) -> None:
    line = ArchiveLine(7, {"kind": "x", "it": value})
    with pytest.raises(ArchiveError, match=r"^line 7: its it "):
        getattr(line, read_as)("it")
    with pytest.raises(ArchiveError, match=r"^line 7: its none "):
        getattr(line, read_as)("none")


@pytest.mark.parametrize("body", [b"[1,2]", b'{"kind":3}', b"{nothing}", b'{"kind":"x"'])
def test_a_line_with_a_right_sum_that_is_no_object_is_told(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(add_checksum(body, b"")[0]))
    with pytest.raises(ArchiveError, match=r"^line 1: "):
        list(read(path))


def test_a_file_is_there_when_it_is_whole_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with pytest.raises(TypeError, match=r"not JSON serializable"):
        write_archive(path, {"kind": "one"}, {"kind": "two", "it": object()})
    assert list(tmp_path.iterdir()) == []
    write_archive(path)
    with pytest.raises(ArchiveError, match=r"there is a file at .* already"):
        write_archive(path)
    with pytest.raises(ArchiveError, match=r"cannot be written: No such file"):
        write_archive(tmp_path / "none" / "a")
    assert list(tmp_path.iterdir()) == [path]


def test_an_archive_that_is_given_up_leaves_nothing_open(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a")
    with pytest.raises(ArchiveError), writer:
        writer.write("x" * MAX_LINE_BYTES)
    assert writer._out.closed, "Python 3.13 complains of a stream that writes to a closed file when it is collected"
    assert list(tmp_path.iterdir()) == []


def test_an_archive_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    assert write_archive(tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "open", lambda *_: open("/dev/full", "wb"))  # noqa: PTH123, SIM115 # which this replaces
    with pytest.raises(ArchiveError, match=r"cannot be written: No space left"):
        write_archive(tmp_path / "full", *({"kind": "x", "text": json.dumps(list(range(5_000)))} for _ in range(50)))
