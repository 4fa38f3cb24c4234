"""Calls of gRPC as bytes of HTTP/2, with contents that no client library sends."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterable, Iterator

DATA, HEADERS, RST_STREAM, FRAME_SETTINGS, GOAWAY = 0, 1, 3, 4, 7
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
MAX_FRAME_BYTES = 16_000
FRAME_HEADER_BYTES = 9
LARGEST_WINDOW_BYTES = 2**31 - 1
SHORT_LENGTH = 127
"""From this length on, HPACK writes a length in several bytes."""


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return a frame."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def _text(value: bytes) -> bytes:
    length = len(value)
    if length < SHORT_LENGTH:
        return bytes([length]) + value
    length -= SHORT_LENGTH
    rest = [SHORT_LENGTH]
    while length >= 128:
        rest.append(length % 128 + 128)
        length //= 128
    return bytes([*rest, length]) + value


def call_frames(
    path: bytes, headers: Iterable[tuple[bytes, bytes]] = (), message: bytes = b"", *, is_compressed: bool = False
) -> bytes:
    """Return the frames of a unary call on a new connection. The headers are written as they are given."""
    usual = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"localhost"))
    every = (*usual, (b"te", b"trailers"), (b"content-type", b"application/grpc"), *headers)
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in every)
    body = bytes([is_compressed]) + struct.pack(">I", len(message)) + message
    window = struct.pack(">HI", 4, LARGEST_WINDOW_BYTES)
    sent = [PREFACE, frame(FRAME_SETTINGS, 0, 0, window)]
    blocks = [*_parts(block)]
    for place, part in enumerate(blocks):
        flags = END_HEADERS if place == len(blocks) - 1 else 0
        sent.append(frame(HEADERS if place == 0 else 9, flags, 1, part))
    datas = [*_parts(body)]
    sent += [frame(DATA, END_STREAM if place == len(datas) - 1 else 0, 1, part) for place, part in enumerate(datas)]
    return b"".join(sent)


def _parts(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), MAX_FRAME_BYTES):
        yield content[start : start + MAX_FRAME_BYTES]


async def send_call(port: int, frames: bytes, seconds: float = 5.0) -> bytes:
    """Send a call, and return the bytes of its last headers, or of its end. Raises ``TimeoutError``.

    Empty if the server closed the connection without a word.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(frames)
        async with asyncio.timeout(seconds):
            while True:
                head = await reader.readexactly(FRAME_HEADER_BYTES)
                kind, flags = head[3], head[4]
                payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
                if kind == FRAME_SETTINGS and not flags & ACK:
                    writer.write(frame(FRAME_SETTINGS, ACK, 0, b""))
                if kind in (RST_STREAM, GOAWAY) or (kind == HEADERS and flags & END_STREAM):
                    return payload
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""
    finally:
        writer.close()
