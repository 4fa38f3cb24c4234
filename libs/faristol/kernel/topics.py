"""Topics: filters of public events for a subscriber. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results

_GAME_ID_PATTERN = re.compile(
    r"(?P<tournament>.+)-r(?P<round>[0-9]{1,6})-t(?P<table>[0-9]{1,6})(-[0-9]{1,6})?", re.ASCII
)
_DUPLICATE_ID = re.compile(r"(?P<tournament>.+)-r(?P<round>[0-9]{1,6})", re.ASCII)

OF_DIVISIONS = frozenset(kind.DESCRIPTOR.name for kind in (pairing.DivisionAdded, pairing.DivisionRenamed))
"""The events on the first division of a championship that concern all its divisions."""


@lru_cache(maxsize=16_384)
def place_of(game_id: str) -> tuple[str, int, int]:
    """Parse the id of a game into tournament, round and table; ``("", 0, 0)`` for any other id.

    ``lliga-r2-t1-2`` is the second game paired at that table, after its first pairing was undone.
    """
    found = _GAME_ID_PATTERN.fullmatch(game_id)
    return (found["tournament"], int(found["round"]), int(found["table"])) if found else ("", 0, 0)


@lru_cache(maxsize=1_024)
def place_of_duplicate(game_id: str) -> tuple[str, int]:
    """Parse the id of a duplicate game into tournament and round; ``("", 0)`` for any other id."""
    found = _DUPLICATE_ID.fullmatch(game_id)
    return (found["tournament"], int(found["round"])) if found else ("", 0)


def is_as_of_a_game(wanted: str) -> bool:
    """Check whether a wanted id has the form of a game's id: ``lliga-r2``, ``lliga-r2-t1``."""
    return bool(place_of(wanted)[0] or place_of_duplicate(wanted)[0])


@dataclass(frozen=True, slots=True)
class Topic:
    """Tournaments and filters. An event passes if it matches every filter; an empty filter matches every event."""

    tournaments: frozenset[str] = frozenset()
    firsts: frozenset[str] = frozenset()
    """First divisions that are not among these tournaments: their ``OF_DIVISIONS`` events match too."""
    games: frozenset[str] = frozenset()
    rounds: frozenset[int] = frozenset()
    tables: frozenset[int] = frozenset()
    types: frozenset[str] = frozenset()
    """Names of event types, such as ``PlayPlaced``."""
    with_content: bool = False
    """The subscriber also gets the changed content. An event of no game then passes every filter of rounds: it may
    change any round, and the content of a round would be incomplete without it."""
    is_named: bool = True
    """Frames carry the event's name, so that a browser can listen by name."""

    @classmethod
    def of(
        cls,
        division_of: Mapping[str, str],
        games: Iterable[str] = (),
        rounds: Iterable[int] = (),
        tables: Iterable[int] = (),
        types: Iterable[str] = (),
        *,
        with_content: bool = False,
        is_named: bool = True,
    ) -> Topic:
        """Create a topic from tournaments, each with the first division of its championship, or an empty string."""
        return cls(
            frozenset(division_of),
            frozenset(filter(None, division_of.values())) - frozenset(division_of),
            frozenset(games),
            frozenset(rounds),
            frozenset(tables),
            frozenset(types),
            with_content,
            is_named,
        )

    def has(self, news: results.FollowResponse) -> bool:
        """Check whether an event matches the topic."""
        if (
            self.tournaments
            and news.tournament_id not in self.tournaments
            and (news.type not in OF_DIVISIONS or news.tournament_id not in self.firsts)
        ):
            return False
        return not (
            (self.games and news.game_id not in self.games)
            or (self.rounds and news.round not in self.rounds and (news.game_id or not self.with_content))
            or (self.tables and news.table not in self.tables)
            or (self.types and news.type not in self.types)
        )
