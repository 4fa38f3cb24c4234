"""QR codes of links: to sign in by, and to the form of a table."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr(address: str, *, at_once: bool = False) -> Markup:
    """A QR code as SVG that needs no style of its own, dark on light whatever the page is.

    ``at_once`` takes the same mask for all rather than to try each of the eight, which takes four times as long: for
    hundreds of codes. Readers read the one as the other (ISO/IEC 18004 7.8).
    """
    code = segno.make_qr(address, error="m", mask=3 if at_once else None)
    return Markup(code.svg_inline(omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff"))  # noqa: S704 # of squares alone
