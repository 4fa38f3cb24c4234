"""Public incidents at a table other than its turns. No tile is ever copied from such an event.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import folds_in
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage.rows import Incident, Sheet

_SANCTIONS = {
    game.SANCTION_KIND_WARNING: results.INCIDENT_KIND_WARNING,
    game.SANCTION_KIND_TURN: results.INCIDENT_KIND_TURN_SANCTION,
    game.SANCTION_KIND_GAME: results.INCIDENT_KIND_GAME_SANCTION,
    game.SANCTION_KIND_EXPULSION: results.INCIDENT_KIND_EXPULSION,
}
"""Sanctions that are noted as incidents; a sanction of points has a line on the sheet."""


def note(sheet: Sheet, kind: int, turn: int, player_id: str = "", number: int = 0) -> None:
    """Add a settled incident."""
    sheet.incidents += (Incident(kind, turn, player_id, number),)


def close(sheet: Sheet, kind: int) -> None:
    """Settle every incident of a kind."""
    sheet.incidents = tuple(each._replace(open=False) if each.kind == kind else each for each in sheet.incidents)


def close_all(sheet: Sheet) -> None:
    """Settle every incident."""
    sheet.incidents = tuple(each._replace(open=False) for each in sheet.incidents)


def _apply_overdraw_resolved(sheet: Sheet, event: game.OverdrawResolved) -> None:
    close(sheet, results.INCIDENT_KIND_OVERDRAW)
    sheet.bag_left = event.bag_left


def _apply_tiles_found(sheet: Sheet, event: game.TilesFound) -> None:
    note(sheet, results.INCIDENT_KIND_TILES_FOUND, event.turn, event.player_id, len(event.faces))
    sheet.bag_left = event.bag_left


def _opens(kind: int, number: str = "", article: str = "") -> Callable[[Sheet, Any], None]:
    """Return a function that opens an incident. ``number`` and ``article`` are fields of the event."""

    def add_incident(sheet: Sheet, event: Any) -> None:
        count, rule = getattr(event, number) if number else 0, getattr(event, article) if article else ""
        sheet.incidents += (Incident(kind, event.turn, event.player_id, count, True, rule),)

    return add_incident


def _closes(kind: int) -> Callable[[Sheet, Any], None]:
    return lambda sheet, event: close(sheet, kind)


def _apply_sanction_imposed(sheet: Sheet, event: game.SanctionImposed) -> None:
    if event.kind in _SANCTIONS:
        kind = _SANCTIONS[event.kind]
        sheet.incidents += (Incident(kind, event.turn, event.player_id, article=event.article),)


def _apply_word_asked(sheet: Sheet, event: game.WordAsked) -> None:
    note(sheet, results.INCIDENT_KIND_WORD_ASKED, event.turn, event.player_id)
    if event.answerer_id:
        note(sheet, results.INCIDENT_KIND_WORD_ANSWERED, event.turn, event.answerer_id)


INCIDENT_HANDLERS: Mapping[type[Message], Callable[[Sheet, Any], None]] = {
    **folds_in(__name__),
    game.OverdrawFound: _opens(results.INCIDENT_KIND_OVERDRAW, "surplus", "article"),
    game.UnderdrawFound: _opens(results.INCIDENT_KIND_UNDERDRAW, "missing", "article"),
    game.UnderdrawResolved: _closes(results.INCIDENT_KIND_UNDERDRAW),
    game.IllegalExchangeFound: _opens(results.INCIDENT_KIND_ILLEGAL_EXCHANGE, "exchanged"),
    game.IllegalExchangeResolved: _closes(results.INCIDENT_KIND_ILLEGAL_EXCHANGE),
    game.ArbiterCalled: _opens(results.INCIDENT_KIND_ARBITER_CALLED),
    game.ArbiterLeft: _closes(results.INCIDENT_KIND_ARBITER_CALLED),
    game.CountDisputed: _opens(results.INCIDENT_KIND_COUNT_DISPUTED),
    game.AppealRaised: _opens(results.INCIDENT_KIND_APPEAL),
    game.AppealRuled: _closes(results.INCIDENT_KIND_APPEAL),
}
"""The incident that an event adds, outside the scoresheet."""
