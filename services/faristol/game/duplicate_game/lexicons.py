"""The lexicons for scoring duplicate games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from faristol.duplicate_game.draws import Words
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Board, Ruleset
from faristol.rules.duplicate_game.plays import Play
from faristol.words import Library, WordGraph
from faristol.words.error import LexiconError


class Lexicons(Protocol):
    """A source of lexicons."""

    def words(self, pin: Pin, ruleset: Ruleset) -> Words:
        """Return the words of a game's pinned lexicon. Raises ``Refusal`` if it is not available."""

    def pin(self, name: str, tile_set: str) -> Pin:
        """Return the pin of a lexicon for a tile set, of any one if the name is empty. Raises ``Refusal``."""


@dataclass(frozen=True)
class GraphWords:
    """The words of a word graph."""

    graph: WordGraph

    def is_word(self, faces: tuple[str, ...]) -> bool:
        """Check whether the graph has a word."""
        return faces in self.graph

    def tops(self, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
        """Return the plays of the highest score, the proposed master play first."""
        from faristol.words.plays import tops

        return tops(self.graph, board, rack)

    def best(self, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
        """Return the best ``count`` plays and all ties of the last one, in the order of proposal."""
        from faristol.words.plays import best_plays

        return best_plays(self.graph, board, rack, count)


class Installed:
    """The installed lexicons of a library, cached after they are opened."""

    def __init__(self, library: Library) -> None:
        self._open = lru_cache(maxsize=16)(self._open_words)
        self._library = library

    def words(self, pin: Pin, ruleset: Ruleset) -> Words:
        """Return the words of a pinned lexicon, with the layers of the rules. Raises ``Refusal``."""
        return self._open(pin.name, pin.digest, ruleset.lexicon.layers)

    def pin(self, name: str, tile_set: str) -> Pin:
        """Return the pin of an installed lexicon, of the first one if the name is empty. Raises ``Refusal``."""
        installed = [each for each in self._library.list() if each.header.tile_set == tile_set]
        found = next((each for each in installed if name in ("", each.name)), None)
        if found is None:
            raise Refusal(
                "LEXICON_MISSING",
                N_("No lexicon {name} for the tiles {tiles} is installed here; installed: {installed}."),
                {"name": name, "tiles": tile_set, "installed": ", ".join(each.name for each in installed) or "–"},
            )
        return Pin(found.name, found.digest)

    def _open_words(self, name: str, digest: str, layers: tuple[str, ...]) -> Words:
        try:
            graph = self._library.open(digest)
        except LexiconError as error:
            raise Refusal(
                "LEXICON_UNUSABLE", N_("A lexicon cannot be used: {problem}."), {"problem": str(error)}
            ) from error
        chosen = frozenset(layers) & set(graph.known_layers)
        return GraphWords(graph.with_layers(chosen) if chosen else graph)
