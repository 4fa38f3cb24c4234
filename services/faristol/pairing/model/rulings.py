"""Rulings at a table, as far as they can be put right after the game. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as events


@dataclass(frozen=True, slots=True)
class Ruled:
    """A play that was challenged and ruled on."""

    player_id: str
    points: int
    valid: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Rulings:
    """What a table's stream tells of its plays, rulings and sanctions, without plays that were taken back."""

    plays: Mapping[int, tuple[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    """Who laid the play of a turn, and its points."""
    ruled: Mapping[int, Ruled] = field(default_factory=lambda: MappingProxyType({}))
    """The last ruling on the play of a turn."""
    turns: int = 0
    """Turns that are over."""
    sanctions: tuple[tuple[int, events.SanctionImposed], ...] = ()
    """Sanctions of arbiters, each with the version of the stream that it made, from 1."""
    version: int = 0
    """Facts of the stream so far."""


def game_stream(game_id: str) -> str:
    """The stream of a table."""
    return f"game-{game_id}"


def watch(state: Rulings, fact: Message) -> Rulings:
    """The rulings after one more fact of a table; those that no ruling depends on pass by."""
    return replace(_watched(state, fact), version=state.version + 1)


def _watched(state: Rulings, fact: Message) -> Rulings:
    match fact:
        case events.SanctionImposed():
            return replace(state, sanctions=(*state.sanctions, (state.version + 1, fact)))
        case events.PlayPlaced():
            return replace(state, plays=MappingProxyType({**state.plays, fact.turn: (fact.player_id, fact.score)}))
        case events.ChallengeRuled() if fact.turn in state.plays:
            player_id, points = state.plays[fact.turn]
            ruled = Ruled(player_id, points, fact.valid, fact.occurred_at.ToDatetime(tzinfo=UTC))
            return replace(state, ruled=MappingProxyType({**state.ruled, fact.turn: ruled}))
        case events.PlayCompleted() | events.TurnLost() | events.PlayWithdrawn():
            return replace(state, turns=max(state.turns, fact.turn))
        case events.EntriesTakenBack():
            plays = {turn: play for turn, play in state.plays.items() if turn < fact.turn}
            ruled_on = {turn: ruling for turn, ruling in state.ruled.items() if turn < fact.turn}
            return replace(
                state,
                plays=MappingProxyType(plays),
                ruled=MappingProxyType(ruled_on),
                turns=min(state.turns, fact.turn - 1),
            )
        case _:
            return state
