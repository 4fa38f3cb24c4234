"""Rulesets: the parameters in which rule books differ, as data.

A ruleset is a TOML file in ``rulesets/``. Every value stands beside its article, code implements values and
knows no federation. A tournament pins a ruleset by its ``digest`` when it is created.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Literal

from faristol.rules.refusal import N_, Refusal
from faristol.rules.tiles import TileSet, load_tile_set

Neutraliser = Literal["challenge", "count-dispute", "arbiter-call", "force-majeure"]
TurnWord = Literal["play", "exchange", "pass", "withdrawn"]
TieBreak = Literal["median-buchholz", "buchholz", "berger", "spread", "total"]


@dataclass(frozen=True, slots=True)
class Game:
    """Who plays, and with what."""

    mode: Literal["classic"]
    players_min: int
    players_max: int
    tile_set: str
    """Name of a tile set, see ``load_tile_set``."""
    rack_size: int
    """Tiles that a player holds while the bag lasts; laying that many at once is a bingo."""


@dataclass(frozen=True, slots=True)
class Start:
    """Who begins."""

    method: Literal["draw", "pairing"]
    tie: Literal["return-and-redraw"]


@dataclass(frozen=True, slots=True)
class FirstMove:
    """What the first play on an empty board must do."""

    tiles_min: int
    centre: Literal["mandatory"]
    direction: Literal["any", "across"]


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points beyond those of tiles and premiums."""

    bingo: int
    """Points for laying a full rack in one play."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """How many tiles may be exchanged."""

    limit: Literal["bag", "full-rack-in-bag", "leave-full-rack"]
    """As many as the bag holds; any number while it holds a full rack; or as many as leave a full rack in it."""


@dataclass(frozen=True, slots=True)
class Passing:
    """When a turn may be passed."""

    allowed: Literal["always", "full-rack-in-bag"]


@dataclass(frozen=True, slots=True)
class Clock:
    """The chess clock of a table."""

    model: Literal["chess"]
    minutes: int
    """Thinking time of each player for the whole game."""
    runs_while_counting: bool
    runs_while_drawing: bool
    neutralised_by: tuple[Neutraliser, ...]
    """What stops both clocks."""
    overtime_points: int
    """Points lost for each minute over, or part of one."""
    overtime_cap_minutes: int | None
    """Going over this many minutes of overtime ends the game; None for no cap."""
    absence_minutes: int | None
    """Whoever comes later than this after the start of the round loses; None for no limit."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Who may question a play, until when, and what comes of it."""

    by: Literal["opponent"]
    closes_on: Literal["refill"]
    """The mover draws, or presses the clock when the bag is empty."""
    ruling: Literal["play", "word"]
    """Whether players are told about the play as a whole or about each word."""
    penalty: int
    """Points that a challenge of a valid play costs."""
    appeal_by: Literal["challenger", "mover", "none"]
    rulings_max: int
    """Rulings on one play; the last one is final."""


@dataclass(frozen=True, slots=True)
class End:
    """When a game ends, and what happens to the tiles left in the racks."""

    out_bonus: Literal["opponents-racks", "none"]
    lost_turns: int | None
    """Consecutive lost turns of each player that end the game."""
    lost_turn_kinds: tuple[TurnWord, ...]
    scoreless_turns: int | None
    """Consecutive turns, of all players together, without a play that stood, that end the game."""
    exempt_at_zero: Literal["both", "scoreless", "none"]
    """Which of the two ends waits while no player has a point."""
    time_up: Literal["hand-and-one-more", "scores-stand"]
    racks_count_after_cap: bool


@dataclass(frozen=True, slots=True)
class Abandon:
    """What a game is worth that a player leaves."""

    rule: Literal["stands-or-behind"]
    points_behind: int
    """A leader who leaves gets the other's score less this many points."""
    both: Literal["double-loss"]


@dataclass(frozen=True, slots=True)
class Championship:
    """Rounds, points of the championship and tie-breaks."""

    system: Literal["swiss"]
    rounds_min: int
    win: float
    draw: float
    loss: float
    bye: float
    bye_spread: int
    tie_breaks: tuple[TieBreak, ...]
    """In the order in which they decide."""
    buchholz_cut: int
    """Worst opponents left out of the median Buchholz."""
    buchholz_cut_long: int
    """The same in a championship of ``long_from_rounds`` rounds or more."""
    long_from_rounds: int
    unplayed: Literal["fide-dummy", "zero"]
    """What a round without a played game adds to a player's own Buchholz and Berger."""
    late_entry: Literal["first-half", "never"]
    late_entry_points: float
    """Fictitious points for each round missed, for pairing only."""


@dataclass(frozen=True, slots=True)
class Law:
    """The article of each rule that has no parameter, for refusals to cite."""

    on_board: str
    free_square: str
    face_of_set: str
    blank_face: str
    in_rack: str
    one_line: str
    no_gap: str
    contact: str
    turn: str
    refill: str
    return_from_exchange: str
    play_complete: str
    withdrawn: str
    challenge_words: str
    challenge_once: str
    game_over: str
    signatures: str
    result_final: str


@dataclass(frozen=True)
class Ruleset:
    """One rule book, read and checked. ``articles`` maps ``section.key`` onto the article of that value."""

    name: str
    title: str
    game: Game
    start: Start
    first_move: FirstMove
    scoring: Scoring
    exchange: Exchange
    passing: Passing
    clock: Clock
    challenge: Challenge
    end: End
    abandon: Abandon
    championship: Championship
    law: Law
    articles: Mapping[str, str]

    def article(self, key: str) -> str:
        """The article that the value ``section.key`` comes from, empty where the book is silent.

        Raises ``KeyError`` when there is no such value.
        """
        return self.articles[key]

    @property
    def tile_set(self) -> TileSet:
        """The tiles that this ruleset is played with."""
        return load_tile_set(self.game.tile_set)

    @cached_property
    def canonical(self) -> bytes:
        """The ruleset as JSON with sorted keys and no spaces, UTF-8: what ``digest`` is taken of."""
        content = {
            field.name: part if isinstance(part, str) else dataclasses.asdict(part)
            for field in dataclasses.fields(self)
            if (part := getattr(self, field.name)) is not self.articles
        }
        content["articles"] = dict(self.articles)
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ``canonical``, 64 hexadecimal characters. Comments and layout of the file do not change it."""
        return hashlib.sha256(self.canonical).hexdigest()


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


def pinned_ruleset(name: str, digest: str) -> Ruleset:
    """The ruleset that was pinned by ``name`` and ``digest``.

    Raises ``Refusal`` with reason ``RULESET_MISSING`` when there is none of that name, or one with other content.
    """
    found = load_ruleset(name) if name in ruleset_names() else None
    if found is None or found.digest != digest:
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


@cache
def ruleset_names() -> tuple[str, ...]:
    """The names that ``load_ruleset`` knows, in alphabetical order."""
    folder = resources.files("faristol.rules") / "rulesets"
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))
