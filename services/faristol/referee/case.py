"""A case: a table or a tournament, what is done there, and what the law says comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from faristol.referee.document import Value
from faristol.rules import Ruleset

Word = tuple[str, ...]
"""A word as faces."""

ARBITER, JUDGE, DIRECTOR = "arbiter", "judge", "director"
"""Who acts besides the players of a table: calls and decides at it, rules on challenges, directs the tournament."""
OFFICIALS = (ARBITER, JUDGE, DIRECTOR)


@dataclass(frozen=True, slots=True)
class Position:
    """How a table stands when a case begins. What is not said is as in a game that has just started."""

    to_play: str
    board: tuple[Value, ...] = ()
    """Plays that lie on the board, in order."""
    racks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bag: tuple[str, ...] | int | None = None
    """What the bag holds, or how many tiles; None for all that is nowhere else."""
    bag_place: Value | None = None
    """Where that stands in the file."""
    scores: Mapping[str, int] = field(default_factory=dict)
    used_ms: Mapping[str, int] = field(default_factory=dict)
    """Time that players have used."""
    turns: str = ""
    """What the last turns came to, a letter for each."""
    turns_place: Value | None = None
    """Where they stand in the file."""
    start_tiles: Mapping[str, str] = field(default_factory=dict)
    """The tiles of the first starting draw."""
    recorded: bool = False
    """Played with tiles of wood, and entered by who watches; otherwise the services hold bag and racks."""
    drawn_ms: int | None = None
    """How long before the start of its round the round was paired; None where that is not said."""
    arbiter: bool = True
    """Whether an arbiter was assigned, where the rules ask for one."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done, or time going by, and what is expected afterwards."""

    place: Value
    actor: str
    """A player or one of the ``OFFICIALS``; empty when nobody does anything."""
    verb: str
    argument: Value | None
    """What stands behind the verb."""
    fields: Mapping[str, Value]
    """Fields of the command besides that."""
    at_ms: int | None
    """When, since the case began."""
    after_ms: int | None
    """When, since the step before."""
    expected: Mapping[str, Value]
    given: Mapping[str, Value] = field(default_factory=dict)
    """What happens in the step besides."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a file."""

    name: str
    place: Value
    ruleset: Ruleset
    scenarios: tuple[int, ...]
    articles: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def file(self) -> Path:
        """Where it stands."""
        return self.place.file

    @property
    def id(self) -> str:
        """Folder, file and name: ``fisc/plays: QU is one tile``."""
        return f"{self.file.parent.name}/{self.file.stem}: {self.name}"


@dataclass(frozen=True, slots=True)
class TableCase(Case):
    """A case of a table."""

    players: tuple[str, ...]
    words: frozenset[Word]
    """The words that are good; every other is a phony."""
    layers: tuple[str, ...]
    """Layers of the lexicon, of which the tournament can switch some on."""
    position: Position
