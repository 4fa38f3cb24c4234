"""Positions of the texts on a page of a PDF, in points from its left edge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pypdf import PageObject
from pypdf.generic import ContentStream

KERNING_LIMIT = 120
"""Thousandths of the type size that letters of a word are moved by; more is the way to other text."""


class Run(NamedTuple):
    """Text without a gap: a word, or several."""

    left: float
    right: float
    baseline: float
    size: float


def runs(page: PageObject) -> Iterator[Run]:
    """Yield the runs of a page in the order in which they are drawn."""
    fonts: Any = page["/Resources"]["/Font"]  # type: ignore[index]
    font: Any = None
    scale, x, y, line_x = 1.0, 0.0, 0.0, 0.0
    for operands, operator in ContentStream(page.get_contents(), page.pdf if hasattr(page, "pdf") else None).operations:
        match operator:
            case b"Tf":
                font = fonts[operands[0]].get_object()
            case b"Tm":
                scale, line_x, y = float(operands[0]), float(operands[4]), float(operands[5])
                x = line_x
            case b"Td":
                line_x, y = line_x + scale * float(operands[0]), y - scale * float(operands[1])
                x = line_x
            case b"Tj" | b"TJ":
                left = x
                for part in operands[0] if operator == b"TJ" else operands:
                    if isinstance(part, str | bytes):
                        x += scale * _width(font, part) / 1000
                        continue
                    if abs(float(part)) > KERNING_LIMIT:
                        if x > left:
                            yield Run(left, x, y, scale)
                        left = x - scale * float(part) / 1000
                    x -= scale * float(part) / 1000
                if x > left:
                    yield Run(left, x, y, scale)


def _width(font: Any, text: Any) -> float:
    """Return the width of text in thousandths of the type size."""
    codes: bytes = getattr(text, "original_bytes", text)
    if "/DescendantFonts" not in font:
        first, widths = int(font["/FirstChar"]), font["/Widths"]
        return sum(float(widths[code - first]) for code in codes)
    of_code: dict[int, float] = {}
    listed = font["/DescendantFonts"][0].get_object()["/W"]
    for place in range(0, len(listed), 2):
        of_code.update({int(listed[place]) + at: float(width) for at, width in enumerate(listed[place + 1])})
    return sum(of_code[int.from_bytes(codes[at : at + 2])] for at in range(0, len(codes), 2))
