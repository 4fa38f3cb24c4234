"""The lexicon file: what it says of itself, and the proof that it is whole.

The file, little-endian::

    8 bytes    b"FARISTOL"
    uint32     format version (1)
    uint32     length of the header in bytes, padding included
    header     JSON in UTF-8, padded with spaces so that the arrays start at a multiple of 64
    int64[n]   marks of the nodes   (see faristol.words.nodes.Nodes)
    uint32[n]  first edge of each node
    uint32[e]  edges
    uint16[n]  label of the words that end at each node, an index into the header's ``labels``
    32 bytes   SHA-256 of all bytes before: the digest, by which a lexicon is known for ever

Nothing in it says when or where it was built: the same words and the same ``About`` give the same bytes.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from faristol.words.error import LexiconError

FORMAT = 1
_MAGIC = b"FARISTOL"
_PREAMBLE = struct.Struct("<8sII")
_DIGEST_BYTES = hashlib.sha256().digest_size
_ALIGNMENT = 64


LAYER_NAMES = "use letters a to z, digits and hyphens"
_LAYER = re.compile(r"[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class About:
    """Where a lexicon comes from, as its file says it."""

    name: str
    """What it is asked for by: ``catalan``."""
    edition: str
    """The edition in its source's own words: a package and its version."""
    licence: str
    """SPDX expression of the licence of the *words*."""
    source: str
    """Where the words were taken from."""
    date: datetime.date
    """The date that the source gives its words; never the date of the build."""


class Listing(NamedTuple):
    """That a word is listed: in which layer, by which source."""

    layer: str = ""
    """Empty for the words that are always in."""
    source: str = ""
    """A dictionary or list by its short name; empty where the lexicon has one source, or does not say."""

    @property
    def well_named(self) -> bool:
        """The layer has a name that everyone can type, see ``LAYER_NAMES``."""
        return not self.layer or _LAYER.fullmatch(self.layer) is not None


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of a word: every listing of it, in order. Words of which the same is said share a label."""

    listings: tuple[Listing, ...]
    words: int
    """How many words have it."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a lexicon file: ``about``, and what its arrays need to be read."""

    about: About
    tile_set: str
    faces: tuple[str, ...]
    """The faces by tile code, so that a tile set whose order changed is noticed."""
    words: int
    """In all layers together."""
    nodes: int
    edges: int
    labels: tuple[Label, ...]

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that can be switched on, in alphabetical order."""
        return tuple(sorted({layer for label in self.labels for layer, _ in label.listings} - {""}))

    def to_json(self) -> bytes:
        """Canonical JSON: sorted keys, no blanks, UTF-8."""
        data = asdict(self) | {"about": asdict(self.about) | {"date": self.about.date.isoformat()}}
        return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Read ``to_json`` back; ``ValueError``, ``KeyError`` or ``TypeError`` when it is not that."""
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
    """The whole file of a lexicon with this ``header`` and these ``arrays``, digest and all."""
    text = header.to_json()
    text += b" " * (-(_PREAMBLE.size + len(text)) % _ALIGNMENT)
    content = _PREAMBLE.pack(_MAGIC, FORMAT, len(text)) + text + arrays
    return content + hashlib.sha256(content).digest()


def unseal(content: memoryview, path: Path | None) -> tuple[Header, memoryview, str]:
    """The header, the arrays and the digest of a whole file. ``LexiconError`` when it is foreign or damaged."""
    start = _PREAMBLE.size + _header_length(bytes(content[: _PREAMBLE.size]), path)
    digest = hashlib.sha256(content[:-_DIGEST_BYTES])
    if digest.digest() != bytes(content[-_DIGEST_BYTES:]):
        raise LexiconError("is damaged: its SHA-256 is not the one that it states; install it again", path=path)
    header = _parse(bytes(content[_PREAMBLE.size : start]), path)
    return header, content[start:-_DIGEST_BYTES], digest.hexdigest()


def read_header(path: Path) -> Header:
    """What the lexicon file at ``path`` says of itself, without checking its content.

    Raises ``LexiconError`` when the file cannot be read or does not start as a lexicon.
    """
    try:
        with path.open("rb") as file:
            return _parse(file.read(_header_length(file.read(_PREAMBLE.size), path)), path)
    except OSError as error:
        raise LexiconError(f"cannot be opened: {error.strerror}", path=path) from error


def _header_length(preamble: bytes, path: Path | None) -> int:
    if len(preamble) < _PREAMBLE.size or not preamble.startswith(_MAGIC):
        raise LexiconError("is not a lexicon", path=path)
    length: int
    _, version, length = _PREAMBLE.unpack(preamble)
    if version != FORMAT:
        raise LexiconError(f"is a lexicon of format {version}, this program reads format {FORMAT}", path=path)
    return length


def _parse(text: bytes, path: Path | None) -> Header:
    try:
        return Header.from_json(text)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LexiconError(f"has a damaged header ({error})", path=path) from error
