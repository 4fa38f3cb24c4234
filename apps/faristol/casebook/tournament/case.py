"""A case of a tournament."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from faristol.casebook.case import Case, Word
from faristol.casebook.tournament.names import Names
from faristol.pb.game.v1 import events_pb2 as game_events

TOURNAMENT_ID = "case"


@dataclass(frozen=True, slots=True)
class EntryData:
    """The data of an entry: the last published rating, None without one, the club and the country."""

    rating: int | None
    club: str = ""
    country: str = ""


@dataclass(frozen=True, slots=True)
class TournamentCase(Case):
    """A tournament at the start of a case."""

    rounds: int
    """Rounds announced."""
    keeping: game_events.Keeping.ValueType
    entries: Mapping[str, EntryData]
    """All persons of the case, by name."""
    registered: tuple[str, ...]
    """The players registered before the first step, in this order."""
    teams: Mapping[str, tuple[str, ...]]
    """The line-ups of the teams registered before the first step, as names by the name of the team."""
    words: frozenset[Word]
    """The valid words at its tables; every other is a phony."""
    names: Names
    """The ids of all persons and teams."""

    def rating(self, player_id: str) -> int:
        """Return the rating of a player's entry; 0 for an unrated player."""
        return self.entries[self.names.name(player_id)].rating or 0
