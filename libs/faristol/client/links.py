"""Links that a browser signs in by."""

from __future__ import annotations

import io

import segno


def sign_in_link(address: str, code: str) -> str:
    """The link of a code, at the pages that people reach at ``address``.

    The code is the fragment: browsers send it to no server, and no proxy writes it into a log.
    """
    return f"{address.rstrip('/')}/sign-in#{code}"


def qr_code(link: str) -> str:
    """Its QR code for a terminal, in half blocks."""
    drawn = io.StringIO()
    segno.make_qr(link, error="l").terminal(drawn, compact=True, border=2)
    return drawn.getvalue().rstrip("\n")
