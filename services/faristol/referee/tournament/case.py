"""A case of a tournament."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.referee.case import Case, Word
from faristol.referee.tournament.names import Names

TOURNAMENT_ID = "case"


@dataclass(frozen=True, slots=True)
class Entry:
    """What somebody who enters says: the last published rating, None without one, the club and the country."""

    rating: int | None
    club: str = ""
    country: str = ""


@dataclass(frozen=True, slots=True)
class TournamentCase(Case):
    """A tournament as a case begins."""

    rounds: int
    """Rounds announced."""
    keeping: game_events.Keeping.ValueType
    entries: Mapping[str, Entry]
    """Everybody whom the case knows, by name."""
    registered: tuple[str, ...]
    """Who is registered before the first step, in this order."""
    teams: Mapping[str, tuple[str, ...]]
    """The line-ups of the teams that are registered before the first step, as names by the name of the team."""
    words: frozenset[Word]
    """The words that are good at its tables; every other is a phony."""
    names: Names
    """The ids of everybody, and of the teams."""

    def rating(self, player_id: str) -> int:
        """The rating that somebody entered with; 0 for an unrated player."""
        return self.entries[self.names.name(player_id)].rating or 0
