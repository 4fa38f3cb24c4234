"""A case: a table, a tournament or a duplicate game, the steps taken there, and their results by the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from faristol.casebook.document import Value
from faristol.casebook.names import Names
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules import Ruleset

Word = tuple[str, ...]
"""A word as faces."""

ARBITER, JUDGE, DIRECTOR = "arbiter", "judge", "director"
"""Actors other than players: the arbiter decides at a table, the judge on challenges, the director runs the tournament.
"""
OFFICIALS = (ARBITER, JUDGE, DIRECTOR)

TOURNAMENT_ID = "case"
"""The tournament of every case."""
TOURNAMENT_STREAM = f"tournament-{TOURNAMENT_ID}"


@dataclass(frozen=True, slots=True)
class Step:
    """An action, or the passing of time, with the expected results."""

    place: Value
    actor: str
    """A player or one of the ``OFFICIALS``; empty without an actor."""
    verb: str
    argument: Value | None
    """The text after the verb."""
    fields: Mapping[str, Value]
    """Other fields of the command."""
    at_ms: int | None
    """The time since the case began."""
    after_ms: int | None
    """The time since the previous step."""
    expected: Mapping[str, Value]
    given: Mapping[str, Value] = field(default_factory=dict)
    """Other events of the step."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a file."""

    name: str
    place: Value
    ruleset: Ruleset
    scenarios: tuple[int, ...]
    articles: tuple[str, ...]
    seed: str
    """Text from which lots and draws derive; the name, unless the case states it."""
    steps: tuple[Step, ...]
    names: Names
    """The ids of all persons and teams."""
    words: frozenset[Word]
    """The valid words; every other is a phony."""
    layers: tuple[str, ...]
    """Layers of the lexicon, of which the tournament can enable some."""

    @property
    def file(self) -> Path:
        """The file of the case."""
        return self.place.file

    @property
    def id(self) -> str:
        """Folder, file and name: ``fisc/plays: QU is one tile``."""
        return f"{self.file.parent.name}/{self.file.stem}: {self.name}"


@dataclass(frozen=True, slots=True)
class Position:
    """The state of a table at the start of a case. Defaults are those of a game that has just started."""

    to_play: str
    board: tuple[Value, ...] = ()
    """Plays on the board, in order."""
    racks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bag: tuple[str, ...] | int | None = None
    """The tiles of the bag, or their number; None for all that are nowhere else."""
    bag_place: Value | None = None
    """The place of that in the file."""
    scores: Mapping[str, int] = field(default_factory=dict)
    used_ms: Mapping[str, int] = field(default_factory=dict)
    """The time that players have used."""
    turns: str = ""
    """The results of the last turns, a letter for each."""
    turns_place: Value | None = None
    """The place of that in the file."""
    start_tiles: Mapping[str, str] = field(default_factory=dict)
    """The tiles of the first starting draw."""
    recorded: bool = False
    """Whether a scorer enters a game with real tiles; otherwise the services hold bag and racks."""
    drawn_ms: int | None = None
    """The time from the pairing of the round to its start; None if unspecified."""
    arbiter: bool = True
    """Whether an arbiter was assigned, if the rules require one."""


@dataclass(frozen=True, slots=True)
class TableCase(Case):
    """A case of a table. Its players are named by their ids."""

    players: tuple[str, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class TournamentCase(Case):
    """A tournament at the start of a case."""

    rounds: int
    """Rounds announced."""
    keeping: game_events.Keeping.ValueType
    entries: Mapping[str, pairing_pb2.RegisterPlayerRequest]
    """All persons of the case, by name, as registrations without ids."""
    registered: tuple[str, ...]
    """The players registered before the first step, in this order."""
    teams: Mapping[str, tuple[str, ...]]
    """The line-ups of the teams registered before the first step, as names by the name of the team."""

    def rating(self, player_id: str) -> int:
        """Return the rating of a player's entry; 0 for an unrated player."""
        return self.entries[self.names.name(player_id)].rating


@dataclass(frozen=True, slots=True)
class DuplicateCase(Case):
    """A duplicate game at the start of a case."""

    halls: Mapping[str, tuple[str, ...]]
    """The players of each hall, by name; one hall without a name by default."""
    board: tuple[Value, ...]
    """Plays on the board."""
    bag: tuple[str, ...] | None
    """The tiles of the bag; None for all that are nowhere else."""
    leftover: tuple[str, ...]
    """The tiles left from the previous turn."""
    turn: int
    """The first turn that is played."""
    rerun: tuple[Value, ...] = ()
    """Racks and master plays of an earlier game that is played again, sealed."""

    @property
    def players(self) -> tuple[str, ...]:
        """All players by name, hall by hall."""
        return tuple(player for players in self.halls.values() for player in players)

    def hall_of(self, player: str) -> str:
        """Return the hall of a player; the first one for a person who is not in the game."""
        return next((hall for hall, players in self.halls.items() if player in players), next(iter(self.halls)))
