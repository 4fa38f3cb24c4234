"""Rulings and sanctions at a table, as far as they can be corrected after the game. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as events


@dataclass(frozen=True, slots=True)
class Ruled:
    """A challenged play with its ruling."""

    player_id: str
    points: int
    valid: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class TableRulings:
    """The plays, rulings and sanctions in the stream of a table, without plays that were taken back."""

    plays: Mapping[int, tuple[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    """The player and the points of the play, by turn."""
    ruled: Mapping[int, Ruled] = field(default_factory=lambda: MappingProxyType({}))
    """The last ruling on the play, by turn."""
    turns: int = 0
    """Number of finished turns."""
    sanctions: tuple[tuple[int, events.SanctionImposed], ...] = ()
    """Sanctions of arbiters, each with the stream version of its event, from 1."""
    version: int = 0
    """Number of events in the stream so far."""


def game_stream(game_id: str) -> str:
    """Return the name of the stream of a table."""
    return f"game-{game_id}"


def watch(state: TableRulings, event: Message) -> TableRulings:
    """Apply an event of a table. Events that rulings do not depend on only count as a version."""
    return replace(_apply_event(state, event), version=state.version + 1)


def _apply_event(state: TableRulings, event: Message) -> TableRulings:
    match event:
        case events.SanctionImposed():
            return replace(state, sanctions=(*state.sanctions, (state.version + 1, event)))
        case events.PlayPlaced():
            return replace(state, plays=MappingProxyType({**state.plays, event.turn: (event.player_id, event.score)}))
        case events.ChallengeRuled() if event.turn in state.plays:
            player_id, points = state.plays[event.turn]
            ruled = Ruled(player_id, points, event.valid, event.occurred_at.ToDatetime(tzinfo=UTC))
            return replace(state, ruled=MappingProxyType({**state.ruled, event.turn: ruled}))
        case events.PlayCompleted() | events.TurnLost() | events.PlayWithdrawn():
            return replace(state, turns=max(state.turns, event.turn))
        case events.EntriesTakenBack():
            plays = {turn: play for turn, play in state.plays.items() if turn < event.turn}
            ruled_on = {turn: ruling for turn, ruling in state.ruled.items() if turn < event.turn}
            return replace(
                state,
                plays=MappingProxyType(plays),
                ruled=MappingProxyType(ruled_on),
                turns=min(state.turns, event.turn - 1),
            )
        case _:
            return state
