"""Process that converts a page to PDF: HTML on standard input, PDF on standard output.

It reads only the stylesheets and fonts of this package: no network, and no file that a page names.
"""

from __future__ import annotations

import sys
from importlib import resources
from io import BytesIO
from urllib.parse import urlsplit

import plutoprint

from faristol.gateway.print.form import STYLES

BASE = "paper:///"
CREATED_AT = "1980-01-01T00:00:00Z"
"""Date in each PDF, so that equal pages give equal bytes."""
FONTS = {"noto-sans-regular.woff2": 400, "noto-sans-bold.woff2": 700}
"""Weights of the bundled font files."""
_FACES = "".join(
    f'@font-face {{ font-family: "Paper"; src: url("{BASE}{name}"); font-weight: {weight} }}'
    for name, weight in FONTS.items()
)


class _OwnFiles(plutoprint.ResourceFetcher):
    """Loader of the files that a page may reference."""

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        """Return a file of this package; an empty one for any other URL."""
        name = urlsplit(url).path.rpartition("/")[2] if url.startswith(BASE) else ""
        if name in STYLES:
            return plutoprint.ResourceData(STYLES[name].encode(), "text/css", "utf-8")
        package = resources.files("faristol.gateway")
        if name in FONTS:
            return plutoprint.ResourceData((package / "print" / "fonts" / name).read_bytes(), "font/woff2")
        if name == "paper.css":
            return plutoprint.ResourceData((package / "static" / name).read_bytes(), "text/css", "utf-8")
        return plutoprint.ResourceData(b"", "text/plain", "utf-8")


def typeset(html: str) -> bytes:
    """Convert a page to PDF."""
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4, plutoprint.PAGE_MARGINS_NONE, plutoprint.MEDIA_TYPE_PRINT)
    book.custom_resource_fetcher = _OwnFiles()
    book.load_html(html, user_style=_FACES, base_url=BASE)
    book.set_metadata(plutoprint.PDF_METADATA_CREATOR, "Faristol")
    book.set_metadata(plutoprint.PDF_METADATA_CREATION_DATE, CREATED_AT)
    made = BytesIO()
    book.write_to_pdf_stream(made)
    return made.getvalue()


if __name__ == "__main__":
    sys.stdout.buffer.write(typeset(sys.stdin.buffer.read().decode()))
