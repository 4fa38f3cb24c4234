"""Paper formats: size and layout, as stylesheets for browsers and the typesetter."""

from __future__ import annotations

from typing import Literal, get_args

Size = Literal["A4", "A5"]
Lie = Literal["upright", "wide", "cut"]
"""Layout: portrait; landscape for wide tables; or without margins, to be cut into parts."""

SIZES: tuple[Size, ...] = get_args(Size)
LIES: tuple[Lie, ...] = get_args(Lie)

_MARGINS = {"A4": "14mm 13mm 15mm", "A5": "10mm 9mm 12mm"}
_PAGE_NUMBERS = (
    '@bottom-right { content: counter(page) " / " counter(pages); font: 8pt "Paper", sans-serif; color: #444 }'
)


def style_name(size: Size, lie: Lie) -> str:
    """Return the file name of a format's stylesheet: ``a4-upright.css``."""
    return f"{size.lower()}-{lie}.css"


def page_style(size: Size, lie: Lie) -> str:
    """Return the ``@page`` rule of a format. Sheets to be cut have no margins: their parts have their own."""
    if lie == "cut":
        return f"@page {{ size: {size}; margin: 0 }}\n"
    orientation = " landscape" if lie == "wide" else ""
    return f"@page {{ size: {size}{orientation}; margin: {_MARGINS[size]}; {_PAGE_NUMBERS} }}\n"


STYLES = {style_name(size, lie): page_style(size, lie) for size in SIZES for lie in LIES}
"""Stylesheets by name."""
