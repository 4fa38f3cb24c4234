"""A folder of installed lexicons, and the building of their files from words.

``<name>.lexicon`` links to ``<digest>.graph``, the file itself. Files are immutable: a new edition is a new file with a
new digest, and a game that pinned the old one still finds it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from faristol.files import replace_file, replace_link
from faristol.rules.tiles import TileSet, load_tile_set
from faristol.words.error import LexiconError
from faristol.words.graph import WordGraph
from faristol.words.header import LAYER_NAMES, About, Header, Label, Listing, read_digest, read_header, seal
from faristol.words.lists import playable
from faristol.words.nodes import MAX_FACES, Progress, minimise
from faristol.words.sources import SOURCES

MAX_LABELS = 1 << 16


def build(
    words: Iterable[tuple[str, ...]],
    *,
    tile_set: TileSet,
    about: About,
    listed: Mapping[Listing, Iterable[tuple[str, ...]]] = MappingProxyType({}),
    progress: Progress | None = None,
) -> bytes:
    """Return the lexicon file of ``words``, each a sequence of faces of ``tile_set``, in any order, repeats allowed.

    ``words`` are valid in every layer and name no source; those of ``listed`` have the layer and source of their
    listing. ``progress`` is called with the number of words in the graph and the total. Raises ``ValueError`` for an
    empty word, an unknown face, more than 62 faces, or a layer that is not lower-case letters, digits and hyphens.
    """
    if len(tile_set.faces) > MAX_FACES:
        raise ValueError(
            f"tile set {tile_set.name} has {len(tile_set.faces)} faces, at most {MAX_FACES} fit a word graph"
        )
    listings = sorted({Listing(), *listed})
    for listing in listings:
        if not listing.well_named:
            raise ValueError(f"{listing.layer!r} is not a valid name of a layer: {LAYER_NAMES}")
    known: dict[bytes, int] = {}
    """Maps a word in tile codes to one bit for each of ``listings`` that has it."""
    for listing, some in ((Listing(), words), *listed.items()):
        bit = 1 << listings.index(listing)
        for word in _encode_words(some, tile_set):
            known[word] = known.get(word, 0) | bit
    coded = sorted(known)
    numbers = {bits: number for number, bits in enumerate(sorted(set(known.values())))}
    if len(numbers) > MAX_LABELS:
        raise ValueError(f"words are listed in {len(numbers)} different ways, at most {MAX_LABELS} fit a word graph")
    nodes = minimise(coded, [numbers[known[word]] for word in coded], progress=progress)
    count = Counter(known.values())
    labels = tuple(
        Label(tuple(listing for bit, listing in enumerate(listings) if bits >> bit & 1), count[bits])
        for bits in numbers
    )
    header = Header(about, tile_set.name, tile_set.faces, len(coded), len(nodes.marks), len(nodes.edges), labels)
    arrays = ((nodes.marks, "<i8"), (nodes.first, "<u4"), (nodes.edges, "<u4"), (nodes.labels, "<u2"))
    return seal(header, b"".join(np.array(numbers, kind).tobytes() for numbers, kind in arrays))


def _encode_words(words: Iterable[tuple[str, ...]], tile_set: TileSet) -> Iterator[bytes]:
    codes = tile_set.index
    for word in words:
        try:
            coded = bytes([codes[face] for face in word])
        except KeyError as error:
            raise ValueError(f"{' '.join(word)}: tile set {tile_set.name} has no tile {error.args[0]!r}") from None
        if not coded:
            raise ValueError("a word has no tiles")
        yield coded


DEFAULT_NAME = "catalan"

_LEXICON_NAME_PATTERN = re.compile(r"[a-z][a-z0-9-]{0,63}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class MissingLexiconError(LexiconError):
    """A lexicon that is not installed. The message names the command that installs it."""


@dataclass(frozen=True, slots=True)
class InstalledLexicon:
    """An installed lexicon, by its header."""

    name: str
    digest: str
    header: Header

    @property
    def about(self) -> About:
        """Edition, licence, source and date of the words."""
        return self.header.about


def check_name(name: str) -> None:
    """Raise ``LexiconError`` for an invalid name of a lexicon."""
    if not _LEXICON_NAME_PATTERN.fullmatch(name):
        raise LexiconError(f"{name!r} is not a valid name of a lexicon: use letters a to z, digits and hyphens")


class Library:
    """The lexicons in one folder. Several processes may read and install lexicons at once."""

    def __init__(self, path: Path) -> None:
        """Use the folder ``path``, which the first installation creates."""
        self.path = path

    def install(
        self,
        name: str,
        words: Iterable[tuple[str, ...]],
        *,
        tile_set: TileSet,
        about: About,
        listed: Mapping[Listing, Iterable[tuple[str, ...]]] = MappingProxyType({}),
        progress: Progress | None = None,
    ) -> InstalledLexicon:
        """Build a lexicon of ``words`` and of those ``listed``, and link ``name`` to it.

        Repeating it with the same words changes no file.

        Raises ``LexiconError`` for an invalid name or a folder that is not writable, and ``ValueError`` as ``build``
        does.
        """
        link = self._link(name)
        data = build(words, tile_set=tile_set, about=about, listed=listed, progress=progress)
        digest = WordGraph(data).digest
        file = self._file(digest)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                replace_file(file, data)
            replace_link(link, file)
        except OSError as error:
            raise LexiconError(f"cannot be written: {error.strerror}", path=self.path) from error
        return InstalledLexicon(name, digest, read_header(file))

    def find_file(self, digest: str) -> Path:
        """Return the file of the lexicon with this digest. Raises ``MissingLexiconError`` if it is not installed."""
        file = self._file(digest)
        if not _DIGEST.fullmatch(digest) or not file.exists():
            raise MissingLexiconError(f"no lexicon with digest {digest[:64]!r} is installed in {self.path}")
        return file

    def store(self, digest: str, data: bytes) -> None:
        """Store the bytes of a lexicon with this digest, without a name. No effect if it is installed.

        Raises ``LexiconError`` for bytes with another digest, and for a folder that is not writable.
        """
        if not _DIGEST.fullmatch(digest) or WordGraph(data).digest != digest:
            raise LexiconError(f"these bytes are not the lexicon with digest {digest[:64]!r}")
        file = self._file(digest)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                replace_file(file, data)
        except OSError as error:
            raise LexiconError(f"cannot be written: {error.strerror}", path=self.path) from error

    def digest(self, name: str) -> str:
        """Return the current digest of ``name``. Raises ``MissingLexiconError`` if it is not installed."""
        link = self._link(name)
        if not link.exists():
            run = f"install {name}" if name in SOURCES else f"add {name} …"
            raise MissingLexiconError(f"lexicon {name!r} is not installed in {self.path}: run `faristol lexicon {run}`")
        return _digest_of(link)

    def open(self, name_or_digest: str) -> WordGraph:
        """Open the lexicon with this name or digest.

        Raises ``MissingLexiconError`` if it is not installed, ``LexiconError`` if its file is damaged.
        """
        digest = name_or_digest if _DIGEST.fullmatch(name_or_digest) else self.digest(name_or_digest)
        path = self._file(digest)
        if not path.exists():
            raise MissingLexiconError(f"no lexicon with digest {digest} is installed in {self.path}")
        graph = WordGraph.open(path)
        if graph.digest != digest:
            raise LexiconError(f"has the lexicon {graph.digest}, not the one of its name", path=path)
        return graph

    def list(self) -> tuple[InstalledLexicon, ...]:
        """Return the named lexicons, sorted by name; empty if the folder is missing.

        Reads headers only. Raises ``LexiconError`` if a file is unreadable or does not start as a lexicon.
        """
        links = sorted(self.path.glob("*.lexicon"))
        return tuple(InstalledLexicon(link.stem, _digest_of(link), read_header(link)) for link in links)

    def _link(self, name: str) -> Path:
        check_name(name)
        return self.path / f"{name}.lexicon"

    def _file(self, digest: str) -> Path:
        return self.path / f"{digest}.graph"


def _digest_of(link: Path) -> str:
    """Return the digest of a named lexicon; from its content if the name is not a symbolic link."""
    return link.resolve().stem if link.is_symlink() else read_digest(link)


def install(name: str, library: Library, progress: Progress | None = None) -> InstalledLexicon:
    """Fetch the word list ``name``, build its lexicon and install it in ``library``.

    ``progress`` is called with the number of words done and the total. The build takes a few seconds after the
    download. Raises ``LexiconError`` for an unknown list, a failed download, or a folder that is not writable.
    """
    source = SOURCES.get(name)
    if source is None:
        raise LexiconError(f"there is no word list {name!r}: there is {', '.join(sorted(SOURCES))}")
    tile_set = load_tile_set(source.tile_set)
    words = source.fetch()
    return library.install(
        name, playable(words.lines, tile_set), tile_set=tile_set, about=words.about, progress=progress
    )
