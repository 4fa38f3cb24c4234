"""Building of a lexicon file from words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from faristol.rules.tiles import TileSet
from faristol.words.header import LAYER_NAMES, About, Header, Label, Listing, seal
from faristol.words.nodes import MAX_FACES, Progress, minimise

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
