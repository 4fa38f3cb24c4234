"""A process that makes a PDF of a page: HTML comes in on standard input, the PDF goes out on standard output.

It reads the styles and the font of this package and nothing else: no network, no file that a page names.
"""

from __future__ import annotations

import sys
from importlib import resources
from io import BytesIO
from urllib.parse import urlsplit

import plutoprint

from faristol.gateway.papers.form import STYLES

BASE = "paper:///"
FONTS = {"noto-sans-regular.woff2": 400, "noto-sans-bold.woff2": 700}
"""The font, which no machine has to have, and the weight of each file."""
_FACES = "".join(
    f'@font-face {{ font-family: "Paper"; src: url("{BASE}{name}"); font-weight: {weight} }}'
    for name, weight in FONTS.items()
)


class _OwnFiles(plutoprint.ResourceFetcher):
    """What a page of this package may refer to."""

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        """See ``plutoprint.ResourceFetcher``. What is not of this package is empty."""
        name = urlsplit(url).path.rpartition("/")[2] if url.startswith(BASE) else ""
        if name in STYLES:
            return plutoprint.ResourceData(STYLES[name].encode(), "text/css", "utf-8")
        package = resources.files("faristol.gateway")
        if name in FONTS:
            return plutoprint.ResourceData((package / "papers" / "fonts" / name).read_bytes(), "font/woff2")
        if name == "paper.css":
            return plutoprint.ResourceData((package / "static" / name).read_bytes(), "text/css", "utf-8")
        return plutoprint.ResourceData(b"", "text/plain", "utf-8")


def typeset(html: str) -> bytes:
    """The PDF of a page."""
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4, plutoprint.PAGE_MARGINS_NONE, plutoprint.MEDIA_TYPE_PRINT)
    book.custom_resource_fetcher = _OwnFiles()
    book.load_html(html, user_style=_FACES, base_url=BASE)
    book.set_metadata(plutoprint.PDF_METADATA_CREATOR, "Faristol")
    made = BytesIO()
    book.write_to_pdf_stream(made)
    return made.getvalue()


if __name__ == "__main__":
    sys.stdout.buffer.write(typeset(sys.stdin.buffer.read().decode()))
