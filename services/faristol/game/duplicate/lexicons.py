"""The lexicons that duplicate games are scored by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from faristol.duplicate.words import Words
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Board, Ruleset
from faristol.rules.duplicate.plays import Play
from faristol.words import Library, WordGraph
from faristol.words.error import LexiconError


class Lexicons(Protocol):
    """Gives the words of a game."""

    def words(self, pin: Pin, ruleset: Ruleset) -> Words:
        """Those of the lexicon that a game pins. Raises ``Refusal`` where it cannot be had."""

    def pin(self, name: str, tile_set: str) -> Pin:
        """The lexicon of a name, for tiles of that set; any of them where the name is empty. Raises ``Refusal``."""


@dataclass(frozen=True)
class GraphWords:
    """The words of a graph."""

    graph: WordGraph

    def is_word(self, faces: tuple[str, ...]) -> bool:
        """See ``Words``."""
        return faces in self.graph

    def tops(self, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
        """See ``Words``."""
        from faristol.words.tops import tops  # brings the compiler along

        return tops(self.graph, board, rack)

    def best(self, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
        """See ``Words``."""
        from faristol.words.tops import best_plays

        return best_plays(self.graph, board, rack, count)


class Installed:
    """The lexicons of a library, opened once."""

    def __init__(self, library: Library) -> None:
        self._open = lru_cache(maxsize=16)(self._opened)
        self._library = library

    def words(self, pin: Pin, ruleset: Ruleset) -> Words:
        """See ``Lexicons``."""
        return self._open(pin.name, pin.digest, ruleset.lexicon.layers)

    def pin(self, name: str, tile_set: str) -> Pin:
        """See ``Lexicons``."""
        installed = [each for each in self._library.list() if each.header.tile_set == tile_set]
        found = next((each for each in installed if name in ("", each.name)), None)
        if found is None:
            raise Refusal(
                "LEXICON_MISSING",
                "",
                N_("No lexicon {name} for the tiles {tiles} is installed here; installed: {installed}."),
                {"name": name, "tiles": tile_set, "installed": ", ".join(each.name for each in installed) or "–"},
            )
        return Pin(found.name, found.digest)

    def _opened(self, name: str, digest: str, layers: tuple[str, ...]) -> Words:
        try:
            graph = self._library.open(digest)
        except LexiconError as problem:
            raise Refusal(
                "LEXICON_UNUSABLE", "", N_("A lexicon cannot be used: {problem}."), {"problem": str(problem)}
            ) from problem
        chosen = frozenset(layers) & set(graph.known_layers)
        return GraphWords(graph.with_layers(chosen) if chosen else graph)
