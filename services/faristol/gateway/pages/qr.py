"""QR codes of links: for signing in and for the form of a table."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr(address: str, *, at_once: bool = False) -> Markup:
    """Return a QR code as SVG without external style, dark on light in any theme.

    ``at_once`` uses a fixed mask instead of trying all eight, which takes four times as long; for hundreds of codes.
    Scanners accept any mask (ISO/IEC 18004 7.8).
    """
    code = segno.make_qr(address, error="m", mask=3 if at_once else None)
    return Markup(code.svg_inline(omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff"))  # noqa: S704 # squares only
