"""The lexicon file: its header and its checksum.

The file, little-endian::

    8 bytes    b"FARISTOL"
    uint32     format version (1)
    uint32     length of the header in bytes, padding included
    header     JSON in UTF-8, padded with spaces so that the arrays start at a multiple of 64
    int64[n]   marks of the nodes   (see faristol.words.nodes.Nodes)
    uint32[n]  first edge of each node
    uint32[e]  edges
    uint16[n]  label of the words that end at each node, an index into the header's ``labels``
    32 bytes   SHA-256 of all bytes before: the digest, the permanent id of a lexicon

The file has no date or place of its build: the same words and the same ``About`` give the same bytes.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from faristol.words.error import LexiconError

GRAPH_FORMAT = 1
_MAGIC = b"FARISTOL"
_PREAMBLE = struct.Struct("<8sII")
_DIGEST_BYTES = hashlib.sha256().digest_size
_ALIGNMENT_BYTES = 64


LAYER_NAMES = "use letters a to z, digits and hyphens"
_LAYER = re.compile(r"[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class About:
    """Origin of the words of a lexicon, as stored in its file."""

    name: str
    """Name for installation: ``catalan``."""
    edition: str
    """The edition as its source names it: a package and its version."""
    licence: str
    """SPDX expression of the licence of the *words*."""
    source: str
    """Origin of the words."""
    date: datetime.date
    """The date of the words in their source; never the date of the build."""


class Listing(NamedTuple):
    """An entry of a word in a layer, by a source."""

    layer: str = ""
    """Empty for words that are valid in every layer."""
    source: str = ""
    """Short name of a dictionary or list; empty if the lexicon has one source, or names none."""

    @property
    def well_named(self) -> bool:
        """Whether the layer's name consists of letters a to z, digits and hyphens, or is empty."""
        return not self.layer or _LAYER.fullmatch(self.layer) is not None


@dataclass(frozen=True, slots=True)
class Label:
    """The listings of a word, sorted. Words with the same listings share a label."""

    listings: tuple[Listing, ...]
    words: int
    """Number of words with the label."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a lexicon file: ``about``, and the data for reading its arrays."""

    about: About
    tile_set: str
    faces: tuple[str, ...]
    """The faces by tile code, to detect a change of order in the tile set."""
    words: int
    """Number of words in all layers together."""
    nodes: int
    edges: int
    labels: tuple[Label, ...]

    @property
    def layers(self) -> tuple[str, ...]:
        """All layers, sorted."""
        return tuple(sorted({layer for label in self.labels for layer, _ in label.listings} - {""}))

    def to_json(self) -> bytes:
        """Return canonical JSON: sorted keys, no blanks, UTF-8."""
        data = asdict(self) | {"about": asdict(self.about) | {"date": self.about.date.isoformat()}}
        return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Parse the output of ``to_json``. Raises ``ValueError``, ``KeyError`` or ``TypeError`` for anything else."""
        data: dict[str, Any] = json.loads(text)
        about = data.pop("about")
        date = datetime.date.fromisoformat(about.pop("date"))
        labels = tuple(
            Label(tuple(Listing(*listing) for listing in label["listings"]), label["words"])
            for label in data.pop("labels")
        )
        faces = tuple(data.pop("faces"))
        return cls(about=About(**about, date=date), faces=faces, labels=labels, **data)


def seal(header: Header, arrays: bytes) -> bytes:
    """Return a complete lexicon file with this ``header`` and these ``arrays``, digest included."""
    text = header.to_json()
    text += b" " * (-(_PREAMBLE.size + len(text)) % _ALIGNMENT_BYTES)
    content = _PREAMBLE.pack(_MAGIC, GRAPH_FORMAT, len(text)) + text + arrays
    return content + hashlib.sha256(content).digest()


def unseal(content: memoryview, path: Path | None) -> tuple[Header, memoryview, str]:
    """Return the header, the arrays and the digest of a file. Raises ``LexiconError`` for a foreign or damaged file."""
    start = _PREAMBLE.size + _header_length(bytes(content[: _PREAMBLE.size]), path)
    digest = hashlib.sha256(content[:-_DIGEST_BYTES])
    if digest.digest() != bytes(content[-_DIGEST_BYTES:]):
        raise LexiconError("is damaged: its SHA-256 differs from the one in its header; install it again", path=path)
    header = _parse(bytes(content[_PREAMBLE.size : start]), path)
    return header, content[start:-_DIGEST_BYTES], digest.hexdigest()


def read_header(path: Path) -> Header:
    """Read the header of the lexicon file at ``path``, without verifying the digest.

    Raises ``LexiconError`` if the file is unreadable or does not start as a lexicon.
    """
    try:
        with path.open("rb") as file:
            return _parse(file.read(_header_length(file.read(_PREAMBLE.size), path)), path)
    except OSError as error:
        raise LexiconError(f"cannot be opened: {error.strerror}", path=path) from error


def read_digest(path: Path) -> str:
    """Return the digest at the end of the lexicon file at ``path``, without verifying it.

    Raises ``LexiconError`` if the file is unreadable or too short.
    """
    try:
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) < _PREAMBLE.size + _DIGEST_BYTES:
                raise LexiconError("is not a lexicon", path=path)
            file.seek(-_DIGEST_BYTES, os.SEEK_END)
            return file.read().hex()
    except OSError as error:
        raise LexiconError(f"cannot be opened: {error.strerror}", path=path) from error


def _header_length(preamble: bytes, path: Path | None) -> int:
    if len(preamble) < _PREAMBLE.size or not preamble.startswith(_MAGIC):
        raise LexiconError("is not a lexicon", path=path)
    length: int
    _, version, length = _PREAMBLE.unpack(preamble)
    if version != GRAPH_FORMAT:
        raise LexiconError(f"is a lexicon of format {version}, this program reads format {GRAPH_FORMAT}", path=path)
    return length


def _parse(text: bytes, path: Path | None) -> Header:
    try:
        return Header.from_json(text)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LexiconError(f"has a damaged header ({error})", path=path) from error
