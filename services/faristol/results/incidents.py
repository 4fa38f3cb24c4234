"""What happens at a table beside its turns, as the public sees it: no tile is ever taken over from such an event."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Unknown

_SANCTIONS = {
    game.SANCTION_KIND_WARNING: results.INCIDENT_KIND_WARNING,
    game.SANCTION_KIND_TURN: results.INCIDENT_KIND_TURN_SANCTION,
    game.SANCTION_KIND_GAME: results.INCIDENT_KIND_GAME_SANCTION,
    game.SANCTION_KIND_EXPULSION: results.INCIDENT_KIND_EXPULSION,
}
"""Sanctions that are noted here; points have a line on the sheet."""


def note(
    state: results.GetGameResponse,
    kind: results.IncidentKind.ValueType,
    turn: int,
    player_id: str = "",
    count: int = 0,
) -> results.Incident:
    """Note an incident that is settled."""
    return state.incidents.add(kind=kind, turn=turn, player_id=player_id, count=count)


def note_incident(state: results.GetGameResponse, event: Message) -> None:
    """Note what ``event`` says. Raises ``Broken`` for an event that is no incident."""
    match event:
        case game.OverdrawFound():
            found = note(state, results.INCIDENT_KIND_OVERDRAW, event.turn, event.player_id, event.surplus)
            found.open, found.article = True, event.article
        case game.OverdrawResolved():
            _close(state, results.INCIDENT_KIND_OVERDRAW)
            state.bag_left = event.bag_left
        case game.UnderdrawFound():
            found = note(state, results.INCIDENT_KIND_UNDERDRAW, event.turn, event.player_id, event.missing)
            found.open, found.article = True, event.article
        case game.UnderdrawResolved():
            _close(state, results.INCIDENT_KIND_UNDERDRAW)
        case game.IllegalExchangeFound():
            note(
                state, results.INCIDENT_KIND_ILLEGAL_EXCHANGE, event.turn, event.player_id, event.exchanged
            ).open = True
        case game.IllegalExchangeResolved():
            _close(state, results.INCIDENT_KIND_ILLEGAL_EXCHANGE)
        case game.TilesFound():
            note(state, results.INCIDENT_KIND_TILES_FOUND, event.turn, event.player_id, len(event.faces))
            state.bag_left = event.bag_left
        case game.ArbiterCalled():
            note(state, results.INCIDENT_KIND_ARBITER_CALLED, event.turn, event.player_id).open = True
        case game.ArbiterLeft():
            _close(state, results.INCIDENT_KIND_ARBITER_CALLED)
        case game.CountDisputed():
            note(state, results.INCIDENT_KIND_COUNT_DISPUTED, event.turn, event.player_id).open = True
        case game.AppealRaised():
            note(state, results.INCIDENT_KIND_APPEAL, event.turn, event.player_id).open = True
        case game.AppealRuled():
            _close(state, results.INCIDENT_KIND_APPEAL)
        case game.SanctionImposed():
            if event.kind in _SANCTIONS:
                imposed = note(state, _SANCTIONS[event.kind], event.turn, event.player_id)
                imposed.article = event.article
        case game.WordAsked():
            note(state, results.INCIDENT_KIND_WORD_ASKED, event.turn, event.player_id)
            if event.answerer_id:
                note(state, results.INCIDENT_KIND_WORD_ANSWERED, event.turn, event.answerer_id)
        case _:
            raise Unknown("what is noted beside the sheet", event)


def settled(state: results.GetGameResponse) -> None:
    """The count that was disputed is settled."""
    _close(state, results.INCIDENT_KIND_COUNT_DISPUTED)


def _close(state: results.GetGameResponse, kind: results.IncidentKind.ValueType) -> None:
    for incident in state.incidents:
        if incident.kind == kind:
            incident.open = False
