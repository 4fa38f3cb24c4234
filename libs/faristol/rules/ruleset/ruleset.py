"""Rulesets: the values in which rule books differ, as data.

A ruleset is a TOML file in ``rulebooks/``. Every value is followed by its article; the code implements values and knows
no federation. A choice that a book leaves to the organiser is an option (``ruleset.options``). A tournament pins a
ruleset by its name, the options chosen, and the ``digest`` of the result.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from faristol.rules.duplicate_game import sections as duplicate
from faristol.rules.ruleset import sections as parts
from faristol.rules.ruleset.modes import has_section
from faristol.rules.ruleset.options import Option, OptionValue, format_value
from faristol.rules.tiles import TileSet, load_tile_set


@dataclass(frozen=True, repr=False)
class Ruleset:
    """One rule book, parsed and validated. ``articles`` maps ``section.key`` to the article of that value.

    The mode determines its sections (``ruleset.modes``). The others are ``Absent``. ``dataclasses.replace``
    makes a new ruleset without validation; ``with_options.with_options`` validates.
    """

    name: str
    title: str
    game: parts.GameRules
    start: parts.Start
    first_move: parts.FirstMove
    touch: parts.Touch
    turn: parts.TurnRules
    scoring: parts.Scoring
    blank: parts.Blank
    exchange: parts.Exchange
    free_exchange: parts.FreeExchange
    passing: parts.Passing
    overdraw: parts.Overdraw
    underdraw: parts.Underdraw
    found_tiles: parts.FoundTiles
    clock: parts.ClockRules
    round_time: parts.RoundTime
    lateness: parts.Lateness
    absence: parts.Absence
    challenge: parts.Challenge
    arbiter: parts.Arbiter
    end: parts.End
    abandon: parts.Abandon
    forfeit: parts.Forfeit
    scoresheet: parts.Scoresheet
    lexicon: parts.Lexicon
    championship: parts.Championship
    racks: duplicate.Racks
    turns: duplicate.DuplicateTurns
    slips: duplicate.Slips
    warnings: duplicate.Warnings
    master_plays: duplicate.MasterPlays
    solo: duplicate.Solo
    finish: duplicate.DuplicateEnd
    ranking: duplicate.DuplicateRanking
    claims: duplicate.Claims
    law: parts.Law
    articles: Mapping[str, str]
    options: tuple[Option, ...] = ()
    """The choices of the organiser, in the order in which options take effect."""
    chosen: Mapping[str, OptionValue] = field(default_factory=lambda: MappingProxyType({}))
    """The options that the organiser set to other values than their defaults."""
    kept: bytes = b""
    """The content on the record that it was read from; empty for a ruleset of a file."""

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={format_value(value)}" for name, value in self.chosen.items())
        return f"Ruleset({self.name}{chosen})"

    def article(self, key: str) -> str:
        """Return the article of the value ``section.key``, empty if the book is silent.

        Raises ``KeyError`` for an unknown value. The book is silent about a section of other modes.
        """
        if not has_section(self.game.mode, key.partition(".")[0]) and key.partition(".")[0] in _SECTIONS:
            return ""
        return self.articles[key]

    @cached_property
    def tile_set(self) -> TileSet:
        """The tile set of this ruleset."""
        return load_tile_set(self.game.tile_set)

    @cached_property
    def sections(self) -> Mapping[str, Any]:
        """The sections of its mode by name, in the order of the files, including the law."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        there = {name: value for name, value in values.items() if dataclasses.is_dataclass(value)}
        return MappingProxyType({name: value for name, value in there.items() if has_section(self.game.mode, name)})

    def same_values(self, other: Ruleset) -> bool:
        """Check whether ``other`` has the same values, regardless of options and articles."""
        return self.sections == other.sections

    @cached_property
    def canonical(self) -> bytes:
        """The ruleset as JSON with sorted keys and no spaces, UTF-8: the input of ``digest``, and the recorded content.

        It has values and articles, and so every change by an option; it does not have the options themselves or the
        title. A ruleset read from a record keeps the recorded content, even if values were added to rulesets later.
        """
        if self.kept:
            return self.kept
        content: dict[str, object] = {"name": self.name, "articles": dict(self.articles)}
        for name, part in self.sections.items():
            content[name] = dataclasses.asdict(part)
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ``canonical``, 64 hexadecimal characters, independent of comments and layout of the file."""
        return hashlib.sha256(self.canonical).hexdigest()


_SECTIONS = frozenset(field.name for field in dataclasses.fields(Ruleset))
"""Sections of rulesets of any mode."""
