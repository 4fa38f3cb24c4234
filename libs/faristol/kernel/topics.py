"""Topics: which of the public news somebody wants to hear. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results

_GAME_ID = re.compile(r"(?P<tournament>.+)-r(?P<round>[0-9]{1,6})-t(?P<table>[0-9]{1,6})(-[0-9]{1,6})?", re.ASCII)
_DUPLICATE_ID = re.compile(r"(?P<tournament>.+)-r(?P<round>[0-9]{1,6})", re.ASCII)

OF_DIVISIONS = pairing.DivisionAdded.DESCRIPTOR.name
"""The event of the first division of a championship that concerns all its divisions."""


@lru_cache(maxsize=16_384)
def place_of(game_id: str) -> tuple[str, int, int]:
    """Tournament, round and table of a game by the id that its pairing gave it; ``("", 0, 0)`` for no such id.

    ``lliga-r2-t1-2`` is the second game that was paired there, after the pairing of the first was taken back.
    """
    found = _GAME_ID.fullmatch(game_id)
    return (found["tournament"], int(found["round"]), int(found["table"])) if found else ("", 0, 0)


@lru_cache(maxsize=1_024)
def place_of_duplicate(game_id: str) -> tuple[str, int]:
    """Tournament and round of a duplicate game by the id that it has of its round; ``("", 0)`` for no such id."""
    found = _DUPLICATE_ID.fullmatch(game_id)
    return (found["tournament"], int(found["round"])) if found else ("", 0)


def is_as_of_a_game(wanted: str) -> bool:
    """Whether an id reads as that of a game of another tournament: ``lliga-r2``, ``lliga-r2-t1``."""
    return bool(place_of(wanted)[0] or place_of_duplicate(wanted)[0])


@dataclass(frozen=True, slots=True)
class Topic:
    """Tournaments, and filters that all have to let a piece of news through; what is empty lets everything through."""

    tournaments: frozenset[str] = frozenset()
    firsts: frozenset[str] = frozenset()
    """The first divisions of these tournaments, where they are others: what these say of divisions is news, too."""
    games: frozenset[str] = frozenset()
    rounds: frozenset[int] = frozenset()
    tables: frozenset[int] = frozenset()
    types: frozenset[str] = frozenset()
    """Names of events, as ``PlayPlaced``."""
    with_content: bool = False
    """What the news has changed is told, too. News of no game then goes by every filter of rounds: it may change any
    round, and what is told of one would be incomplete without it."""
    is_named: bool = True
    """Frames have the name of the event, to which a browser listens by that name."""

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
        """A topic of tournaments, each with the first division of its championship; empty where it has none."""
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
        """Whether a piece of news is of this topic."""
        if (
            self.tournaments
            and news.tournament_id not in self.tournaments
            and (news.type != OF_DIVISIONS or news.tournament_id not in self.firsts)
        ):
            return False
        return not (
            (self.games and news.game_id not in self.games)
            or (self.rounds and news.round not in self.rounds and (news.game_id or not self.with_content))
            or (self.tables and news.table not in self.tables)
            or (self.types and news.type not in self.types)
        )
