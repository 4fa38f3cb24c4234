"""Effects of draws, and of the remedies for wrong ones, on a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import TurnKind, without
from faristol.table.game.state import Game, LastDraw, Phase, taken_out
from faristol.table.game.turns import with_rack


def _apply_tiles_drawn(game: Game, event: events.TilesDrawn) -> Game:
    phase, course, last = game.phase, game.course, game.drawn.get(event.player_id)
    drawn = LastDraw(game.turn, tuple(event.faces))
    if event.player_id == game.mover and phase is Phase.PLACED:
        phase, drawn = Phase.DRAWN, replace(drawn, for_play=True)
    elif event.player_id == game.mover and phase is Phase.CHALLENGED and course.resume is Phase.PLACED:
        course, drawn = replace(course, resume=Phase.DRAWN), replace(drawn, for_play=True)
    elif last is not None and last.turn == game.turn and (last.for_play or last.for_exchange):
        drawn = replace(last, faces=(*last.faces, *drawn.faces))
    elif event.player_id == game.mover and phase is Phase.DRAWN and game.taken is TurnKind.EXCHANGE:
        drawn = replace(drawn, for_exchange=True)
    return replace(
        game,
        phase=phase,
        course=course,
        next_draw=event.draw + 1,
        bag_left=event.bag_left,
        racks=with_rack(game.racks, event.player_id, (*game.racks[event.player_id], *event.faces)),
        drawn=MappingProxyType({**game.drawn, event.player_id: drawn}),
        undrawn=tuple(player for player in game.undrawn if player != event.player_id) if game.undrawn else (),
    )


def _apply_found_by_draw(game: Game, event: events.OverdrawFound | events.IllegalExchangeFound) -> Game:
    return replace(game, interruption=event, next_draw=event.draw + 1)


def _apply_overdraw_resolved(game: Game, event: events.OverdrawResolved) -> Game:
    rack = taken_out(game.racks[event.player_id], event.faces)
    return replace(
        game,
        interruption=None,
        bag_left=event.bag_left,
        racks=with_rack(game.racks, event.player_id, rack),
        drawn=_still_held(game, event.player_id, event.faces),
    )


def _apply_underdraw_resolved(game: Game, _: events.UnderdrawResolved) -> Game:
    return replace(game, interruption=None)


def _apply_illegal_exchange_end(game: Game, event: events.IllegalExchangeResolved) -> Game:
    found = game.interruption
    assert isinstance(found, events.IllegalExchangeFound), "an illegal exchange that was found is resolved"
    rack = (*without(game.racks[event.player_id], found.from_rack), *event.kept)
    return replace(
        game,
        interruption=None,
        racks=with_rack(game.racks, event.player_id, rack),
        drawn=_still_held(game, event.player_id, found.from_rack),
    )


def _apply_free_exchange_shown(game: Game, _: events.FreeExchangeShown) -> Game:
    return replace(game, open_play=None)


def _apply_free_exchanged(game: Game, event: events.FreeExchanged) -> Game:
    rack = taken_out(game.racks[event.player_id], event.faces)
    return replace(game, racks=with_rack(game.racks, event.player_id, rack))


def _apply_tiles_found(game: Game, event: events.TilesFound) -> Game:
    out = game.out if event.into_bag else (*game.out, *event.faces)
    return replace(game, out=out, bag_left=event.bag_left)


def _apply_rack(game: Game, event: events.RackStated | events.RackDeduced) -> Game:
    return replace(game, racks=with_rack(game.racks, event.player_id, tuple(event.faces)))


def _still_held(game: Game, player_id: str, gone: Iterable[str]) -> Mapping[str, LastDraw]:
    """Return the last draws, without tiles of a player that have left the rack."""
    left, last = list(gone), game.drawn[player_id]
    kept = []
    for face in last.faces:
        if face in left:
            left.remove(face)
        else:
            kept.append(face)
    return MappingProxyType({**game.drawn, player_id: replace(last, faces=tuple(kept))})
