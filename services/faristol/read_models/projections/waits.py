"""The matters that wait at a table, for officials: which event opens and which closes one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import folds_in
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections.changes import copies
from faristol.read_models.storage.rows import Sheet, Wait

WaitHandler = Callable[[Sheet, Any], None]

_PERSON_WAITS: Collection[int] = (results.WAIT_KIND_ABSENT, results.WAIT_KIND_AWAY)
"""Waits for a person, which withdrawn entries do not close."""

_LASTING_WAITS: Collection[int] = (results.WAIT_KIND_ARBITER, results.WAIT_KIND_COUNT)
"""Waits that remain after the last turn: the sheets are not signed yet."""


def _add_wait(kind: int, sheet: Sheet, event: Any, number: str = "") -> None:
    """Add a wait from the time of an event; ``number`` is the field with the count or index."""
    named = {field.name for field in event.DESCRIPTOR.fields}
    since = event.signal_at if kind == results.WAIT_KIND_ABSENT else event.occurred_at
    wait = Wait(
        kind,
        since.ToNanoseconds(),
        event.turn if "turn" in named else 0,
        event.player_id,
        getattr(event, number) if number else 0,
        event.arbiter if "arbiter" in named else False,
        event.article if "article" in named else "",
    )
    sheet.waits = (*(each for each in sheet.waits if not _is_same(each, wait)), wait)


def _is_same(before: Wait, now: Wait) -> bool:
    return before.kind == now.kind and (now.kind not in _PERSON_WAITS or before.player_id == now.player_id)


def _close_waits(kinds: Collection[int], sheet: Sheet, event: Message) -> None:
    """Close the waits of these kinds."""
    sheet.waits = tuple(each for each in sheet.waits if each.kind not in kinds)


def _close_other_waits(kinds: Collection[int], sheet: Sheet, event: Message) -> None:
    """Close the waits of all other kinds."""
    sheet.waits = tuple(each for each in sheet.waits if each.kind in kinds)


def _came(kind: int, sheet: Sheet, event: Any) -> None:
    sheet.waits = tuple(each for each in sheet.waits if (each.kind, each.player_id) != (kind, event.player_id))


def _apply_play_placed(sheet: Sheet, event: game.PlayPlaced) -> None:
    if event.off_centre:
        _add_wait(results.WAIT_KIND_OFF_CENTRE, sheet, event)


def _apply_arbiter_left(sheet: Sheet, event: game.ArbiterLeft) -> None:
    sheet.arbiter_id = ""
    _close_waits((results.WAIT_KIND_ARBITER,), sheet, event)


def _closes(*kinds: int) -> WaitHandler:
    return partial(_close_waits, kinds)


_OF_PLAY = _closes(results.WAIT_KIND_CHALLENGE, results.WAIT_KIND_OFF_CENTRE)

WAIT_HANDLERS: Mapping[type[Message], WaitHandler] = {
    **folds_in(__name__),
    game.ArbiterCalled: partial(_add_wait, results.WAIT_KIND_ARBITER),
    game.ArbiterAssigned: copies(arbiter_id="arbiter_id"),
    game.ChallengeRaised: partial(_add_wait, results.WAIT_KIND_CHALLENGE, number="challenge"),
    game.ChallengeRuled: _closes(results.WAIT_KIND_CHALLENGE),
    game.AppealRaised: partial(_add_wait, results.WAIT_KIND_APPEAL, number="challenge"),
    game.AppealRuled: _closes(results.WAIT_KIND_APPEAL),
    game.CountDisputed: partial(_add_wait, results.WAIT_KIND_COUNT),
    game.CountSettled: _closes(results.WAIT_KIND_COUNT),
    game.OverdrawFound: partial(_add_wait, results.WAIT_KIND_OVERDRAW, number="surplus"),
    game.OverdrawResolved: _closes(results.WAIT_KIND_OVERDRAW),
    game.UnderdrawFound: partial(_add_wait, results.WAIT_KIND_UNDERDRAW, number="missing"),
    game.UnderdrawResolved: _closes(results.WAIT_KIND_UNDERDRAW),
    game.IllegalExchangeFound: partial(_add_wait, results.WAIT_KIND_ILLEGAL_EXCHANGE, number="exchanged"),
    game.IllegalExchangeResolved: _closes(results.WAIT_KIND_ILLEGAL_EXCHANGE),
    game.OffCentreDecided: _OF_PLAY,
    game.PlayWithdrawn: _OF_PLAY,
    game.TilesTakenBack: _OF_PLAY,
    game.EntriesTakenBack: partial(_close_other_waits, _PERSON_WAITS),
    game.GameEnded: partial(_close_other_waits, _LASTING_WAITS),
    game.ResultFinal: partial(_close_other_waits, ()),
    game.TableClosed: partial(_close_other_waits, ()),
    clock.PlayerAbsent: partial(_add_wait, results.WAIT_KIND_ABSENT),
    clock.PlayerArrived: partial(_came, results.WAIT_KIND_ABSENT),
    clock.PlayerLeft: partial(_add_wait, results.WAIT_KIND_AWAY),
    clock.PlayerReturned: partial(_came, results.WAIT_KIND_AWAY),
}
"""The effect of an event on the waits at its table, and on the assigned arbiter."""
