"""Links with which a browser signs in."""

from __future__ import annotations

import io
from urllib.parse import urlencode

import segno


def sign_in_link(address: str, code: str, wanted: str = "") -> str:
    """Return the sign-in link of a code, on the pages at ``address``. It leads to the path ``wanted`` if it is set.

    The code is the fragment: browsers send it to no server, and no proxy logs it.
    """
    query = f"?{urlencode({'next': wanted})}" if wanted else ""
    return f"{address.rstrip('/')}/sign-in{query}#{code}"


def qr_code(link: str) -> str:
    """Return the QR code of a link for a terminal, in half blocks."""
    drawn = io.StringIO()
    segno.make_qr(link, error="l").terminal(drawn, compact=True, border=2)
    return drawn.getvalue().rstrip("\n")
