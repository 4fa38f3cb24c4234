"""Read models in memory, and the path of an event to the rows that it changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from google.protobuf.message import Message

from faristol.bus import CannotTake
from faristol.kernel import facts
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Recorded
from faristol.results.model import View, change


class Kind(StrEnum):
    """What a row is of."""

    TOURNAMENT = "tournament"
    PLAYERS = "players"
    ROUND = "round"
    GAME = "game"


Key = tuple[Kind, str]
"""A row: what it is of, and its id among those."""

CLASSES: dict[Kind, type[Message]] = {
    Kind.TOURNAMENT: results.Tournament,
    Kind.PLAYERS: results.ListPlayersResponse,
    Kind.ROUND: results.GetPairingsResponse,
    Kind.GAME: results.GetGameResponse,
}


_GAME_ID = re.compile(r"(?P<tournament>.+)-r(?P<round>[0-9]{1,6})-t[0-9]{1,6}", re.ASCII)


def round_id(tournament_id: str, round_: int) -> str:
    """The id of a round's row."""
    return f"{tournament_id}/{round_}"


def round_of(game_id: str) -> tuple[str, int]:
    """The tournament and the round of a game by the id that its pairing gave it; an empty one and 0 for no such id."""
    found = _GAME_ID.fullmatch(game_id)
    return (found["tournament"], int(found["round"])) if found else ("", 0)


def game_of(event: Recorded) -> str:
    """The game whose table or clock an event is of; empty for the tournament's own."""
    return _keys(event.stream, event.tournament).game[1]


class Keys(NamedTuple):
    """Rows that the events of a stream may touch, but for the round."""

    tournament: Key
    players: Key
    game: Key
    """Its id is empty when the stream is of no game."""


@lru_cache(maxsize=4_096)
def _keys(stream: str, tournament_id: str) -> Keys:
    kind, _, game_id = stream.partition("-")
    return Keys(
        (Kind.TOURNAMENT, tournament_id),
        (Kind.PLAYERS, tournament_id),
        (Kind.GAME, game_id if kind in {"game", "clock"} else ""),
    )


@lru_cache(maxsize=4_096)
def _round_key(tournament_id: str, number: int) -> Key:
    return Kind.ROUND, round_id(tournament_id, number)


class Shelf:
    """Rows that events are applied to. A row that is not here is one that does not exist."""

    def __init__(self) -> None:
        self.rows: dict[Key, Any] = {}
        """Messages, each of the class of its kind."""
        self.changed: dict[Key, tuple[str, int]] = {}
        """Tournament, and position of the event that changed it last, of every row that events have changed."""

    def apply(self, events: Iterable[Recorded]) -> None:
        """Apply events in the order of their positions. Raises ``CannotTake`` for one that cannot be applied."""
        for event in events:
            try:
                self._apply(event)
            except Exception as problem:  # whatever it is, it is this event that cannot be applied
                raise CannotTake(event, problem) from problem

    def _apply(self, event: Recorded) -> None:
        message, rows = event.message, self.rows
        tournament_id, position = event.tournament, event.position
        keys = _keys(event.stream, tournament_id)
        game = rows.get(keys.game)
        round_key = _round_key(tournament_id, game.round if game else facts.round_of(message))
        view = View(rows.get(keys.tournament), rows.get(keys.players), rows.get(round_key), game)
        for part in change(view, message, event.version):
            if part == "game":
                key, rows[keys.game] = keys.game, view.game
            elif part == "round":
                key, rows[round_key] = round_key, view.round
            elif part == "players":
                key, rows[keys.players] = keys.players, view.players
            else:
                key, rows[keys.tournament] = keys.tournament, view.tournament
            self.changed[key] = (tournament_id, position)


def keys_beside(events: Sequence[Recorded]) -> set[Key]:
    """Rows that events may touch, but for rounds."""
    keys: set[Key] = set()
    for stream, tournament_id in {(event.stream, event.tournament) for event in events}:
        known = _keys(stream, tournament_id)
        keys |= {known.tournament, known.game if known.game[1] else known.players}
    return keys


def keys_of_rounds(events: Sequence[Recorded], shelf: Shelf) -> set[Key]:
    """Rounds that events may touch, once the games that they are of are on the shelf."""
    keys: set[Key] = set()
    for event in events:
        game = shelf.rows.get(_keys(event.stream, event.tournament).game)
        if number := game.round if game else _named_round(event):
            keys.add(_round_key(event.tournament, number))
    return keys


def _named_round(event: Recorded) -> int:
    try:
        return facts.round_of(event.message)
    except Exception:  # noqa: BLE001 # whoever applies it says what is wrong with it
        return 0
