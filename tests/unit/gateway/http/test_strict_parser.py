"""No request can be smuggled inside another: constructs that parsers of HTTP/1.1 read differently are refused."""

from __future__ import annotations

import h11
import pytest

from faristol.gateway.http.strict_parser import (
    LONG_TARGET,
    MANY_HEADERS,
    MAX_HEADER_COUNT,
    MAX_TARGET_BYTES,
    StrictConnection,
)

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def read(said: bytes, pieces: int = 1) -> list[str]:
    """Return the kinds of events of a connection that receives this input."""
    connection = StrictConnection(h11.SERVER, 65_536)
    size = -(-len(said) // pieces)
    found = []
    for start in range(0, len(said), size):
        connection.receive_data(said[start : start + size])
        while (event := connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            found.append(type(event).__name__)
    return found


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\n\n",
        b"\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
        HEAD + b"A: b\r\n c\r\n\r\n",
        HEAD + b"A: b\r\n\tc: d\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"transfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        CHUNKED + b"0\r\nA: b\n\r\n",
        CHUNKED + b"0\r\n\n",
        CHUNKED + b"0\r\nA: b\r\n c\r\n\r\n",
    ],
)
@pytest.mark.parametrize("pieces", [1, 7, 1_000])
def test_what_another_reader_may_take_for_something_else_is_refused(said: bytes, pieces: int) -> None:
    with pytest.raises(h11.RemoteProtocolError):
        read(said, pieces)


@pytest.mark.parametrize("pieces", [1, 7, 1_000])
def test_what_is_written_as_it_should_be_is_read_whatever_is_in_its_body(pieces: int) -> None:
    body = b"a\n b\r\n\r\n\n"
    assert read(HEAD + b"Content-Length: 9\r\n\r\n" + body, pieces)[-1] == "EndOfMessage"
    assert read(CHUNKED + b"9\r\n" + body + b"\r\n0\r\nA: b\r\n\r\n", pieces)[-1] == "EndOfMessage"
    assert read(HEAD + b"\r\n", pieces) == ["Request", "EndOfMessage"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"GET /" + b"a" * MAX_TARGET_BYTES + b" HTTP/1.1\r\nHost: x\r\n\r\n", LONG_TARGET),
        (b"GET /?" + b"a=b&" * 2_048 + b" HTTP/1.1\r\nHost: x\r\n\r\n", LONG_TARGET),
        (HEAD + b"A: b\r\n" * MAX_HEADER_COUNT + b"\r\n", MANY_HEADERS),
    ],
)
def test_a_request_of_excessive_size_is_refused(said: bytes, reason: str) -> None:
    with pytest.raises(h11.RemoteProtocolError, match=reason):
        read(said)


def test_a_request_of_the_greatest_size_is_read() -> None:
    target = b"/" + b"a" * (MAX_TARGET_BYTES - 1)
    said = b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * (MAX_HEADER_COUNT - 1) + b"\r\n"
    assert read(said) == ["Request", "EndOfMessage"]
