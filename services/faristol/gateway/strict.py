"""HTTP/1.1 as it is written, and nothing that another reader on the way may take for something else (RFC 9112)."""

from __future__ import annotations

import re
from typing import Any

import h11
from h11._receivebuffer import ReceiveBuffer  # no public name of h11 tells lines as they came

_ODD = re.compile(rb"(?<!\r)\n|\n[ \t]")
"""A line that ends without CR, and one that goes on in the next (obs-fold)."""

_END = b"\r\n\r\n"

BARE_LF = "a line ends without CR, or goes on in the next one"
BOTH_LENGTHS = "Content-Length beside Transfer-Encoding"
OLD_CHUNKS = "Transfer-Encoding in HTTP/1.0"


class _StrictBuffer(ReceiveBuffer):
    """Refuses lines that h11 is lenient with: in the head of a request, and behind its chunks."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """See h11. Raises ``h11.RemoteProtocolError``."""
        if self._data[:2] != b"\r\n":
            end = self._data.find(_END)
            if _ODD.search(self._data, 0, len(self._data) if end < 0 else end + len(_END)):
                raise h11.RemoteProtocolError(BARE_LF)
        return super().maybe_extract_lines()


class StrictConnection(h11.Connection):
    """A connection that refuses what readers take in different ways, so that no request hides in another."""

    def __init__(self, role: Any, max_incomplete_event_size: int) -> None:
        super().__init__(role, max_incomplete_event_size)
        self._receive_buffer = _StrictBuffer()

    def next_event(self) -> Any:
        """See h11. Raises ``h11.RemoteProtocolError``."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {bytes(name) for name, _ in event.headers}
            if b"transfer-encoding" in names and b"content-length" in names:
                raise h11.RemoteProtocolError(BOTH_LENGTHS)
            if b"transfer-encoding" in names and bytes(event.http_version) < b"1.1":
                raise h11.RemoteProtocolError(OLD_CHUNKS)
        return event
