"""The text of a file is decoded for any writing program, or the encoding is refused."""

from __future__ import annotations

import pytest

from faristol.rules.gcg import MAX_GCG_BYTES, GcgError, decode_gcg

NAMED = "#player1 núria Núria L·lopis Ç\n"
GREEK = "#character-encoding ISO-8859-7\n#player1 a Αθηνά\n"


@pytest.mark.parametrize(
    "data",
    [
        NAMED.encode(),
        NAMED.encode("utf-8-sig"),
        NAMED.encode("iso8859-1"),
    ],
    ids=["UTF-8 without a word about it", "byte order mark", "ISO 8859-1"],
)
def test_a_file_that_names_no_encoding_is_read(data: bytes) -> None:
    assert decode_gcg(data) == NAMED


def test_a_file_of_windows_is_read_with_its_quotation_marks() -> None:
    assert decode_gcg("#note “nice” – Núria".encode("cp1252")) == "#note “nice” – Núria"


def test_bytes_that_windows_does_not_know_are_read_as_the_format_says() -> None:
    assert decode_gcg(b"#title caf\xe9 \x81") == "#title café \x81"


@pytest.mark.parametrize(("name", "codec"), [("UTF-8", "utf-8"), ("utf8", "utf-8"), ("ISO-8859-1", "iso8859-1")])
def test_the_encoding_that_the_first_line_names_is_used(name: str, codec: str) -> None:
    text = f"#character-encoding {name}\r\n{NAMED}"
    assert decode_gcg(text.encode(codec)) == text


def test_greek_files_of_old_are_read() -> None:
    assert decode_gcg(GREEK.encode("iso8859-7")) == GREEK


def test_decomposed_characters_are_composed() -> None:
    assert decode_gcg("#title C\u0327 n\u0303".encode()) == "#title Ç ñ"


@pytest.mark.parametrize(
    ("data", "line", "reason", "expected"),
    [
        (b"#character-encoding KOI8-R\n", 1, "ENCODING_UNKNOWN", "UTF-8, ISO-8859-1"),
        (b"#character-encoding zip\n", 1, "ENCODING_UNKNOWN", "UTF-8, ISO-8859-1"),
        ("#player1 a".encode("utf-16"), 1, "ENCODING_UNKNOWN", "UTF-8, ISO-8859-1"),
        (b"#character-encoding UTF-8\r\n#title\r\n#title \xe9\n", 3, "NOT_IN_ENCODING", "text in utf-8"),
        (b"\xef\xbb\xbf#title \xe9\n", 1, "NOT_IN_ENCODING", "text in utf-8"),
        (b" " * (MAX_GCG_BYTES + 1), 1, "TOO_LARGE", "at most 1048576 bytes"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, line: int, reason: str, expected: str) -> None:
    with pytest.raises(GcgError) as caught:
        decode_gcg(data)
    problem = caught.value.problem
    assert (problem.line, problem.reason) == (line, reason)
    assert expected in problem.expected


def test_a_file_of_the_largest_size_is_read() -> None:
    assert decode_gcg(b" " * MAX_GCG_BYTES) == " " * MAX_GCG_BYTES
