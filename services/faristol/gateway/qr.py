"""QR codes of links to sign in by."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr(address: str) -> Markup:
    """A QR code as SVG that needs no style of its own, dark on light whatever the page is."""
    code = segno.make_qr(address, error="m")
    return Markup(code.svg_inline(omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff"))  # noqa: S704 # of squares alone
