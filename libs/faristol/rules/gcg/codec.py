"""Decoding of GCG files.

The format is older than UTF-8: by default a file is ISO 8859-1; ``#character-encoding`` in the first line declares
another encoding. Many programs forget that line, so bytes that are valid UTF-8 are read as UTF-8: words in ISO 8859-1
with a character beyond ASCII are practically never valid UTF-8. Other programs write windows-1252, which is ISO 8859-1
with more quotation marks.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from faristol.kernel.quotation import quote_text
from faristol.rules.gcg.problem import GcgError, GcgProblem

MAX_GCG_BYTES = 1 << 20
"""Bytes of the largest file that is accepted. A game with notes has some thousand."""

ENCODINGS = ("utf-8", "iso8859-1", "iso8859-15", "iso8859-7", "cp1252", "cp1253", "ascii")
"""Encodings that a file may declare, by their Python names."""

_ENCODING_NAMES = "UTF-8, ISO-8859-1, ISO-8859-15, ISO-8859-7, windows-1252, windows-1253 or US-ASCII"
_PRAGMA = re.compile(rb"[ \t]*#character-encoding[ \t]+([!-~]+)", re.IGNORECASE)
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode_gcg(data: bytes) -> str:
    """Decode a file to composed characters (NFC). Raises ``GcgError`` if it is too large or not in a known encoding."""
    if len(data) > MAX_GCG_BYTES:
        raise GcgError(
            GcgProblem(1, "TOO_LARGE", "the file is too large to be a game", f"at most {MAX_GCG_BYTES} bytes")
        )
    if data.startswith(_WIDE):
        raise GcgError(GcgProblem(1, "ENCODING_UNKNOWN", "the file is in UTF-16", _ENCODING_NAMES))
    marked = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    declared = _PRAGMA.match(data)
    encoding = "utf-8" if marked or not declared else _find_encoding(declared[1].decode("ascii"))
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if marked or declared:
            line = len(re.split(rb"\r\n|\r|\n", data[: error.start]))
            byte = data[error.start]
            raise GcgError(
                GcgProblem(line, "NOT_IN_ENCODING", f"byte 0x{byte:02X} is not {encoding}", f"text in {encoding}")
            ) from None
        text = _western(data)
    return unicodedata.normalize("NFC", text)


def _western(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("iso8859-1")


def _find_encoding(name: str) -> str:
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding not in ENCODINGS:
        raise GcgError(
            GcgProblem(1, "ENCODING_UNKNOWN", f"the encoding {quote_text(name)} is not known", _ENCODING_NAMES)
        )
    return encoding
