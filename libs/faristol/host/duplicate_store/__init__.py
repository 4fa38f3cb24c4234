"""Duplicate games in the record: load a game with its halls, settle it, and write it in one append.

The game service and the clock service share this package, as they share ``table_store``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from faristol.duplicate_game import game as games
from faristol.duplicate_game import hall as halls
from faristol.duplicate_game import preparation
from faristol.duplicate_game.decide.timers import settle
from faristol.duplicate_game.draws import Words
from faristol.duplicate_game.game import Duplicate
from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent
from faristol.event_store import Decision, Guard, Loaded, Record, Write, load
from faristol.host.ruleset_store import rules_of
from faristol.kernel.errors import NotFound
from faristol.kernel.times import Instant

GAME, SLIPS = "duplicate-", "slips-"
"""Prefixes of the names of the streams of a game and of its halls."""


def game_stream(game_id: str) -> str:
    """Return the name of the stream that all halls share."""
    return f"{GAME}{game_id}"


def prepared_stream(game_id: str) -> str:
    """Return the name of the stream of preparations for a game."""
    return f"prepared-{game_id}"


def hall_stream(game_id: str, number: int) -> str:
    """Return the name of the stream of a hall."""
    return f"{SLIPS}{game_id}-h{number}"


def slips_name(game_id: str, number: int) -> str:
    """Return the name of the stream of a hall without its kind, by which a hall cell sends and loses it."""
    return hall_stream(game_id, number).removeprefix(SLIPS)


def hall_of_stream(stream: str) -> tuple[str, int]:
    """Return the id of the game and the number of the hall of a stream of slips; an empty id for any other stream."""
    game_id, _, number = stream.removeprefix(SLIPS).rpartition("-h")
    if not stream.startswith(SLIPS) or not number.isdecimal():
        return "", 0
    return game_id, int(number)


def stream_of(game_id: str, number: int) -> str:
    """Return the name of the stream of a hall, or of the game if ``number`` is ``GAME_STREAM_NUMBER``."""
    return game_stream(game_id) if number == GAME_STREAM_NUMBER else hall_stream(game_id, number)


@dataclass(frozen=True, slots=True)
class Loading:
    """A game and its halls, with the versions of their streams."""

    situation: Situation
    versions: Mapping[int, int]
    """Versions by the number of the hall; ``GAME_STREAM_NUMBER`` for the game."""

    def decision(self, new_events: Sequence[StreamEvent]) -> Decision:
        """Return a decision that writes the missing events of the game and ``new_events``, each to its stream.

        A hall cell does not write those of the game, which its championship writes.
        Guards protect the streams that were read and are not written.
        """
        situation = self.situation
        missing = () if situation.cell_key else situation.missing
        everything = [*((GAME_STREAM_NUMBER, event) for event in missing), *new_events]
        by_stream: dict[int, list[Message]] = {}
        for number, event in everything:
            by_stream.setdefault(number, []).append(event)
        game = situation.game
        writes = [
            Write(stream_of(game.game_id, number), self.versions[number], part, game.tournament_id)
            for number, part in by_stream.items()
        ]
        guards = [
            Guard(stream_of(game.game_id, number), version)
            for number, version in self.versions.items()
            if number not in by_stream
        ]
        return Decision(writes, guards) if everything else Decision()


async def load_game(record: Record, game_id: str) -> Loaded[Duplicate]:
    """Load a game. Raises ``NotFound`` if it does not exist."""
    loaded = await find_game(record, game_id)
    if not loaded.version:
        raise NotFound("game", game_id)
    return loaded


async def find_game(record: Record, game_id: str) -> Loaded[Duplicate]:
    """Load a game; return one with an empty state and version 0 if it does not exist."""
    return await load(record, game_stream(game_id), Duplicate(), games.evolve)


async def load_prepared(record: Record, game_id: str) -> Loaded[preparation.Prepared]:
    """Load the preparations for a game; the state is empty for a game without any."""
    return await load(record, prepared_stream(game_id), preparation.Prepared(), preparation.evolve)


async def load_halls(record: Record, game: Duplicate, names: Collection[str] | None = None) -> dict[int, Loaded[Hall]]:
    """Load the halls of a game: all, or those with these names.

    A hall of which a hall cell has no events has no players there.
    """
    return {
        hall.number: await load(
            record, hall_stream(game.game_id, hall.number), Hall(hall.number, hall.name), halls.evolve
        )
        for hall in game.halls
        if names is None or hall.name in names
    }


async def load_situation(
    record: Record, loaded: Loaded[Duplicate], words: Words, at: Instant, names: Collection[str] | None = None
) -> Loading:
    """Load the input of a decision: the game, settled up to ``at``, and its halls (all, or those with these names)."""
    game = loaded.state
    ruleset = await rules_of(record, game.ruleset)
    missing = settle(game, ruleset, at)
    for event in missing:
        game = games.evolve(game, event)
    found = await load_halls(record, game, names)
    situation = Situation(
        game,
        {number: hall.state for number, hall in found.items()},
        ruleset,
        words,
        at,
        tuple(missing),
        cell_key=record.owner_key,
        lost=frozenset(number for number in found if record.loss_of(slips_name(game.game_id, number))),
    )
    return Loading(
        situation, {GAME_STREAM_NUMBER: loaded.version, **{number: hall.version for number, hall in found.items()}}
    )


def build_game_opening(tournament_id: str, game_id: str, new_events: Iterable[StreamEvent]) -> list[Write]:
    """Return the writes that open a game with ``new_events``."""
    by_stream: dict[int, list[Any]] = {}
    for number, event in new_events:
        by_stream.setdefault(number, []).append(event)
    return [Write(stream_of(game_id, number), 0, part, tournament_id) for number, part in by_stream.items()]
