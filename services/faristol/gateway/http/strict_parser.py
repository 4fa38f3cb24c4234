"""Strict HTTP/1.1 (RFC 9112): no request that intermediaries could interpret differently, none of excessive size."""

from __future__ import annotations

import re
from typing import Any

import h11
from h11._receivebuffer import ReceiveBuffer  # h11 has no public class with the raw lines

_ODD = re.compile(rb"(?<!\r)\n|\n[ \t]")
"""Line that ends without CR, or continues in the next one (obs-fold)."""

_END = b"\r\n\r\n"

LONG_TARGET = "the path with its query is too long"
MANY_HEADERS = "too many headers"

MAX_TARGET_BYTES = 8_192
"""Bytes of the path and query of a request. An error page repeats the path in its links."""

MAX_HEADER_COUNT = 200
"""Headers of a request; browsers and proxies together send some 40."""


class _StrictBuffer(ReceiveBuffer):
    """Buffer that refuses lines that h11 tolerates, in the header of a request and behind its chunks."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Return complete lines as in h11. Raises ``h11.RemoteProtocolError``."""
        if self._data[:2] != b"\r\n":
            end = self._data.find(_END)
            if _ODD.search(self._data, 0, len(self._data) if end < 0 else end + len(_END)):
                raise h11.RemoteProtocolError("a line ends without CR, or goes on in the next one")
        return super().maybe_extract_lines()


class StrictConnection(h11.Connection):
    """Connection that refuses ambiguous requests, to prevent request smuggling, and excessive ones."""

    def __init__(self, role: Any, max_incomplete_event_size: int) -> None:
        super().__init__(role, max_incomplete_event_size)
        self._receive_buffer = _StrictBuffer()

    def next_event(self) -> Any:
        """Return the next event as in h11. Raises ``h11.RemoteProtocolError``."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            if len(event.target) > MAX_TARGET_BYTES:
                raise h11.RemoteProtocolError(LONG_TARGET)
            if len(event.headers) > MAX_HEADER_COUNT:
                raise h11.RemoteProtocolError(MANY_HEADERS)
            names = {bytes(name) for name, _ in event.headers}
            if b"transfer-encoding" in names and b"content-length" in names:
                raise h11.RemoteProtocolError("Content-Length beside Transfer-Encoding")
            if b"transfer-encoding" in names and bytes(event.http_version) < b"1.1":
                raise h11.RemoteProtocolError("Transfer-Encoding in HTTP/1.0")
        return event
