"""Rulesets: the values in which rule books differ, as data.

A ruleset is a TOML file in ``rulesets/``. Every value stands beside its article, code implements values and
knows no federation. What a book leaves to the organiser is an option: see ``faristol.rules.options``. A tournament
pins a ruleset by its name, the options chosen, and the ``digest`` of what comes of them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from faristol.rules.options import Option, OptionValue, written
from faristol.rules.refusal import N_, Refusal
from faristol.rules.sections import (
    Abandon,
    Absence,
    Arbiter,
    Blank,
    Challenge,
    Championship,
    Clock,
    End,
    Exchange,
    FirstMove,
    Forfeit,
    FoundTiles,
    FreeExchange,
    Game,
    Lateness,
    Law,
    Lexicon,
    Neutraliser,
    Overdraw,
    Passing,
    RoundTime,
    Scoresheet,
    Scoring,
    Start,
    TieBreak,
    Touch,
    Turn,
    TurnWord,
    Underdraw,
)
from faristol.rules.tiles import TileSet, load_tile_set

__all__ = ["Neutraliser", "Ruleset", "TieBreak", "TurnWord", "load_ruleset", "pinned_ruleset", "ruleset_names"]


@dataclass(frozen=True, repr=False)
class Ruleset:
    """One rule book, read and checked. ``articles`` maps ``section.key`` onto the article of that value.

    ``dataclasses.replace`` makes another one unchecked; ``faristol.rules.options.with_options`` checks.
    """

    name: str
    title: str
    game: Game
    start: Start
    first_move: FirstMove
    touch: Touch
    turn: Turn
    scoring: Scoring
    blank: Blank
    exchange: Exchange
    free_exchange: FreeExchange
    passing: Passing
    overdraw: Overdraw
    underdraw: Underdraw
    found_tiles: FoundTiles
    clock: Clock
    round_time: RoundTime
    lateness: Lateness
    absence: Absence
    challenge: Challenge
    arbiter: Arbiter
    end: End
    abandon: Abandon
    forfeit: Forfeit
    scoresheet: Scoresheet
    lexicon: Lexicon
    championship: Championship
    law: Law
    articles: Mapping[str, str]
    options: tuple[Option, ...] = ()
    """What is left to the organiser, in the order in which options take effect."""
    chosen: Mapping[str, OptionValue] = field(default_factory=lambda: MappingProxyType({}))
    """The options that the organiser set to something else than their default."""

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={written(value)}" for name, value in self.chosen.items())
        return f"Ruleset({self.name}{chosen})"

    def article(self, key: str) -> str:
        """The article that the value ``section.key`` comes from, empty where the book is silent.

        Raises ``KeyError`` when there is no such value.
        """
        return self.articles[key]

    @cached_property
    def tile_set(self) -> TileSet:
        """The tiles that this ruleset is played with."""
        return load_tile_set(self.game.tile_set)

    @cached_property
    def sections(self) -> Mapping[str, Any]:
        """Every section by its name, in the order of the files, the law among them."""
        parts = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return MappingProxyType({name: part for name, part in parts.items() if dataclasses.is_dataclass(part)})

    def same_values(self, other: Ruleset) -> bool:
        """Whether ``other`` has the same values, whatever was chosen and whatever the articles are."""
        return self.sections == other.sections

    @cached_property
    def canonical(self) -> bytes:
        """The ruleset as JSON with sorted keys and no spaces, UTF-8: what ``digest`` is taken of.

        Values and articles are in it, so whatever an option changed is; the options themselves are not.
        """
        return self._canonical(frozenset())

    def _canonical(self, left_out: Set[str]) -> bytes:
        """``canonical`` without the values of these keys."""
        content: dict[str, object] = {
            "name": self.name,
            "title": self.title,
            "articles": {key: article for key, article in self.articles.items() if key not in left_out},
        }
        for name, part in self.sections.items():
            values = dataclasses.asdict(part).items()
            content[name] = {key: value for key, value in values if f"{name}.{key}" not in left_out}
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ``canonical``, 64 hexadecimal characters. Comments and layout of the file do not change it."""
        return hashlib.sha256(self.canonical).hexdigest()

    @cached_property
    def former_digests(self) -> frozenset[str]:
        """The digests that it had before rulesets had the keys of ``ADDED``."""
        left_out: set[str] = set()
        found = set()
        for keys in ADDED:
            left_out |= keys
            found.add(hashlib.sha256(self._canonical(left_out)).hexdigest())
        return frozenset(found)


ADDED: Sequence[Set[str]] = (
    frozenset({"championship.team_boards", "championship.team_score"}),
    frozenset({"arbiter.sanction_points_from", "law.warning", "law.appeal", "law.tribunal"}),
)
"""Keys that rulesets have got, the latest first: what was pinned before goes on, with what the book says of them."""


@cache
def load_ruleset(name: str) -> Ruleset:
    """The ruleset called ``name``, for example ``fisc-2023``.

    Raises ``LookupError`` when there is none of that name, ``RulesetError`` when its file is wrong.
    """
    from faristol.rules.ruleset_file import read_ruleset  # the reader needs the classes above

    if name not in ruleset_names():
        raise LookupError(f"there is no ruleset {name!r}; there are: {', '.join(ruleset_names())}")
    file = resources.files("faristol.rules") / "rulesets" / f"{name}.toml"
    return read_ruleset(file.read_text(encoding="utf-8"), file=f"{name}.toml")


FORMERLY: Mapping[str, str] = MappingProxyType(
    {
        "16286186294a7c080dba9cb65c48e7aa2f1af3ba4f6d0e4aaf17d788daeeb48f": "fisc-2023",
        "721effe60364461f88b91da5aca3cfe2e57d1cc56d39107ebece9fff837821f4": "fisc-2023",
        "084ec720fefff10385b31f1ced63bed0bd9a4eaccdf7b2a7c9b7a5a8f01da01a": "festa-major",
    }
)
"""Digests from before rulesets had the keys that other books need, and the rulesets that say the same as they did.

At the table that is: FM's gave points of the championship before its ranking was computed from CUSCA.
"""


def pinned_ruleset(name: str, digest: str, options: Mapping[str, OptionValue] | None = None) -> Ruleset:
    """The ruleset that was pinned by ``name`` and ``digest``, with the ``options`` that were chosen for it.

    Raises ``Refusal`` with reason ``RULESET_MISSING`` when there is none of that name, or one with other content.
    """
    found = _chosen(name, tuple(sorted((options or {}).items()))) if name in ruleset_names() else None
    known = found is not None and (found.digest == digest or digest in found.former_digests)
    if found is None or not (known or FORMERLY.get(digest) == name):
        raise Refusal(
            "RULESET_MISSING",
            "",
            N_(
                "The ruleset {name} is pinned with content {digest}, which is not installed here; "
                "what is installed under that name: {found}."
            ),
            {"name": name, "digest": digest, "found": found.digest if found else "–"},
        )
    return found


@lru_cache(maxsize=256)  # tables of a hall have few rulesets, and ask for them with every command
def _chosen(name: str, options: tuple[tuple[str, OptionValue], ...]) -> Ruleset:
    """The ruleset of that name with these options."""
    from faristol.rules.with_options import with_options  # it needs the classes above

    return with_options(load_ruleset(name), dict(options)) if options else load_ruleset(name)


@cache
def ruleset_names() -> tuple[str, ...]:
    """The names that ``load_ruleset`` knows, in alphabetical order."""
    folder = resources.files("faristol.rules") / "rulesets"
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))
