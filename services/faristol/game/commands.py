"""What every command of the contract decides at a table. Pure: the table is settled, the moment is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.rules import Placement, Square, Tile
from faristol.table import Table, decide
from faristol.table.game import Instant

Act = Callable[[Table, Any, Instant], list[Message]]


def act(table: Table, request: Message, at: Instant) -> list[Message]:
    """The facts that ``request`` leads to at ``at``; what follows from them is not among them.

    Raises ``Refusal`` or ``Invalid`` when it cannot be done, and ``KeyError`` for a message that is no command.
    """
    if isinstance(request, TURNS):
        decide.check_present(table.game, table.clock, table.ruleset, request.player_id)
        decide.check_in_time(table.game, table.clock, table.ruleset, at)
    return ACTS[type(request)](table, request, at)


def _laid(placements: Iterable[events.Placement]) -> list[Placement]:
    return [Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in placements]


def _lay_tiles(table: Table, request: pb.LayTilesRequest, at: Instant) -> list[Message]:
    return decide.lay_tiles(table.game, table.ruleset, request.player_id, _laid(request.placements), at)


def _take_back_tiles(table: Table, request: pb.TakeBackTilesRequest, at: Instant) -> list[Message]:
    return decide.take_back_tiles(table.game, table.clock, table.ruleset, request.player_id, at)


def _place_play(table: Table, request: pb.PlacePlayRequest, at: Instant) -> list[Message]:
    return decide.place_play(table.game, table.ruleset, request.player_id, _laid(request.placements), at)


def _decide_off_centre(table: Table, request: pb.DecideOffCentreRequest, at: Instant) -> list[Message]:
    return decide.decide_off_centre(table.game, table.ruleset, request.player_id, request.accept, at)


def _write_score(table: Table, request: pb.WriteScoreRequest, at: Instant) -> list[Message]:
    return decide.write_score(
        table.game,
        table.clock,
        table.ruleset,
        request.player_id,
        at,
        score=request.score if request.HasField("score") else None,
        total=request.total if request.HasField("total") else None,
        blanks=request.blanks,
    )


def _accept_play(table: Table, request: pb.AcceptPlayRequest, at: Instant) -> list[Message]:
    return decide.accept_play(table.game, table.clock, table.ruleset, request.player_id, at)


def _draw_tiles(table: Table, request: pb.DrawTilesRequest, at: Instant) -> list[Message]:
    count = request.count if request.HasField("count") else None
    faces = list(request.faces)
    return decide.draw_tiles(table.game, table.clock, table.ruleset, request.player_id, at, count, faces)


def _exchange(table: Table, request: pb.ExchangeRequest, at: Instant) -> list[Message]:
    return decide.exchange(table.game, table.ruleset, request.player_id, list(request.faces), at, done=request.done)


def _announce_exchange(table: Table, request: pb.AnnounceExchangeRequest, at: Instant) -> list[Message]:
    return decide.announce_exchange(table.game, table.ruleset, request.player_id, request.count, at)


def _keep_after_exchange(table: Table, request: pb.KeepAfterExchangeRequest, at: Instant) -> list[Message]:
    return decide.keep_after_exchange(table.game, table.ruleset, request.player_id, list(request.faces), at)


def _free_exchange(table: Table, request: pb.FreeExchangeRequest, at: Instant) -> list[Message]:
    return decide.free_exchange(table.game, table.ruleset, request.player_id, list(request.faces), at)


def _pass(table: Table, request: pb.PassRequest, at: Instant) -> list[Message]:
    return decide.pass_turn(table.game, table.ruleset, request.player_id, at)


def _declare_cannot_play(table: Table, request: pb.DeclareCannotPlayRequest, at: Instant) -> list[Message]:
    return decide.declare_cannot_play(table.game, table.ruleset, request.player_id, at)


def _challenge(table: Table, request: pb.ChallengeRequest, at: Instant) -> list[Message]:
    words = [tuple(word.faces) for word in request.words]
    return decide.challenge(table.game, table.clock, table.ruleset, request.player_id, words, at)


def _accept_ruling(table: Table, request: pb.AcceptRulingRequest, at: Instant) -> list[Message]:
    return decide.accept_ruling(table.game, table.ruleset, request.player_id, at)


def _appeal(table: Table, request: pb.AppealRequest, at: Instant) -> list[Message]:
    return decide.appeal(
        table.game,
        table.clock,
        table.ruleset,
        request.player_id,
        at,
        arguments=request.arguments,
        arguments_hidden=request.arguments_hidden,
    )


def _rule_appeal(table: Table, request: pb.RuleAppealRequest, at: Instant) -> list[Message]:
    return decide.rule_appeal(table.game, table.ruleset, request.arbiter_id, request.valid, at)


def _cancel_play(table: Table, request: pb.CancelPlayRequest, at: Instant) -> list[Message]:
    return decide.cancel_play(table.game, table.ruleset, request.arbiter_id, request.player_id, at)


def _claim_fake_blank(table: Table, request: pb.ClaimFakeBlankRequest, at: Instant) -> list[Message]:
    square = Square(request.row, request.column)
    return decide.claim_fake_blank(table.game, table.ruleset, request.player_id, square, request.face, at)


def _claim_overdraw(table: Table, request: pb.ClaimOverdrawRequest, at: Instant) -> list[Message]:
    return decide.claim_overdraw(
        table.game,
        table.ruleset,
        request.player_id,
        request.drawer_id,
        at,
        racked=request.racked,
        seen=request.seen,
    )


def _choose_surplus(table: Table, request: pb.ChooseSurplusRequest, at: Instant) -> list[Message]:
    return decide.choose_surplus(table.game, table.ruleset, request.player_id, list(request.faces), at)


def _resolve_overdraw(table: Table, request: pb.ResolveOverdrawRequest, at: Instant) -> list[Message]:
    return decide.resolve_overdraw(table.game, table.ruleset, request.arbiter_id, list(request.faces), at)


def _claim_underdraw(table: Table, request: pb.ClaimUnderdrawRequest, at: Instant) -> list[Message]:
    return decide.claim_underdraw(
        table.game,
        table.ruleset,
        request.player_id,
        request.drawer_id,
        at,
        racked=request.racked,
        seen=request.seen,
    )


def _resolve_underdraw(table: Table, request: pb.ResolveUnderdrawRequest, at: Instant) -> list[Message]:
    return decide.resolve_underdraw(table.game, table.ruleset, request.arbiter_id, at, show=request.show)


def _report_tiles_found(table: Table, request: pb.ReportTilesFoundRequest, at: Instant) -> list[Message]:
    return decide.report_tiles_found(table.game, table.ruleset, request.player_id, list(request.faces), at)


def _settle_blank(table: Table, request: pb.SettleBlankRequest, at: Instant) -> list[Message]:
    square = Square(request.row, request.column)
    return decide.settle_blank(
        table.game, table.ruleset, square, request.stated or None, request.arbiter_id, request.face or None, at
    )


def _dispute_count(table: Table, request: pb.DisputeCountRequest, at: Instant) -> list[Message]:
    return decide.dispute_count(table.game, table.ruleset, request.player_id, at)


def _settle_count(table: Table, request: pb.SettleCountRequest, at: Instant) -> list[Message]:
    score = request.score if request.HasField("score") else None
    return decide.settle_count(table.game, table.ruleset, request.player_ids, request.arbiter_id, at, score)


def _correct_play(table: Table, request: pb.CorrectPlayRequest, at: Instant) -> list[Message]:
    return decide.correct_play(
        table.game, table.ruleset, request.player_ids, request.arbiter_id, request.turn, request.score, at
    )


def _correct_total(table: Table, request: pb.CorrectTotalRequest, at: Instant) -> list[Message]:
    return decide.correct_total(
        table.game, table.ruleset, request.player_ids, request.arbiter_id, request.player_id, request.total, at
    )


def _assign_arbiter(table: Table, request: pb.AssignArbiterRequest, at: Instant) -> list[Message]:
    return decide.assign_arbiter(table.game, table.ruleset, request.arbiter_id, at)


def _call_arbiter(table: Table, request: pb.CallArbiterRequest, at: Instant) -> list[Message]:
    return decide.call_arbiter(table.game, table.ruleset, request.player_id, at)


def _dismiss_arbiter(table: Table, request: pb.DismissArbiterRequest, at: Instant) -> list[Message]:
    return decide.dismiss_arbiter(table.game, table.ruleset, request.arbiter_id, at)


def _impose_sanction(table: Table, request: pb.ImposeSanctionRequest, at: Instant) -> list[Message]:
    return decide.impose_sanction(
        table.game,
        table.ruleset,
        request.arbiter_id,
        request.player_id,
        request.kind,
        at,
        points=request.points,
        note=request.note,
    )


def _record_overholding(table: Table, request: pb.RecordOverholdingRequest, at: Instant) -> list[Message]:
    return decide.record_overholding(
        table.game, table.ruleset, request.arbiter_id, request.player_id, at, elsewhere=table.overheld_elsewhere
    )


def _record_word_asked(table: Table, request: pb.RecordWordAskedRequest, at: Instant) -> list[Message]:
    word = tuple(request.word.faces)
    if request.answerer_id in table.strangers:
        raise Invalid("answerer_id", N_("{player} is not a player of the tournament"), {"player": request.answerer_id})
    return decide.record_word_asked(
        table.game,
        table.ruleset,
        request.arbiter_id,
        request.player_id,
        word,
        at,
        answerer_id=request.answerer_id,
        elsewhere=table.asked_elsewhere,
    )


def _agree_end(table: Table, request: pb.AgreeEndRequest, at: Instant) -> list[Message]:
    return decide.agree_end(table.game, table.ruleset, request.player_id, at)


def _abandon(table: Table, request: pb.AbandonRequest, at: Instant) -> list[Message]:
    return decide.abandon(table.game, table.ruleset, request.player_ids, at)


def _sign_sheet(table: Table, request: pb.SignSheetRequest, at: Instant) -> list[Message]:
    return decide.sign_sheet(table.game, table.clock, table.ruleset, request.player_id, at, request.totals)


def _reopen_game(table: Table, request: pb.ReopenGameRequest, at: Instant) -> list[Message]:
    return decide.reopen_game(table.game, table.ruleset, request.player_ids, request.arbiter_id, at)


def _start_game(table: Table, request: pb.StartGameRequest, at: Instant) -> list[Message]:
    return decide.start_game(table.game, table.ruleset, request.player_id, at)


def _state_rack(table: Table, request: pb.StateRackRequest, at: Instant) -> list[Message]:
    return decide.state_rack(table.game, table.ruleset, request.player_id, list(request.faces), at)


def _take_back_entries(table: Table, request: pb.TakeBackEntriesRequest, at: Instant) -> list[Message]:
    return decide.take_back_entries(
        table.game, table.clock, table.ruleset, request.arbiter_id, request.turn, request.note, at
    )


ACTS: Mapping[type[Message], Act] = {
    pb.TakeBackEntriesRequest: _take_back_entries,
    pb.StartGameRequest: _start_game,
    pb.StateRackRequest: _state_rack,
    pb.LayTilesRequest: _lay_tiles,
    pb.TakeBackTilesRequest: _take_back_tiles,
    pb.PlacePlayRequest: _place_play,
    pb.DecideOffCentreRequest: _decide_off_centre,
    pb.WriteScoreRequest: _write_score,
    pb.AcceptPlayRequest: _accept_play,
    pb.DrawTilesRequest: _draw_tiles,
    pb.ExchangeRequest: _exchange,
    pb.AnnounceExchangeRequest: _announce_exchange,
    pb.KeepAfterExchangeRequest: _keep_after_exchange,
    pb.FreeExchangeRequest: _free_exchange,
    pb.PassRequest: _pass,
    pb.DeclareCannotPlayRequest: _declare_cannot_play,
    pb.ChallengeRequest: _challenge,
    pb.AcceptRulingRequest: _accept_ruling,
    pb.AppealRequest: _appeal,
    pb.RuleAppealRequest: _rule_appeal,
    pb.CancelPlayRequest: _cancel_play,
    pb.ClaimFakeBlankRequest: _claim_fake_blank,
    pb.ClaimOverdrawRequest: _claim_overdraw,
    pb.ChooseSurplusRequest: _choose_surplus,
    pb.ResolveOverdrawRequest: _resolve_overdraw,
    pb.ClaimUnderdrawRequest: _claim_underdraw,
    pb.ResolveUnderdrawRequest: _resolve_underdraw,
    pb.ReportTilesFoundRequest: _report_tiles_found,
    pb.SettleBlankRequest: _settle_blank,
    pb.DisputeCountRequest: _dispute_count,
    pb.SettleCountRequest: _settle_count,
    pb.CorrectPlayRequest: _correct_play,
    pb.CorrectTotalRequest: _correct_total,
    pb.AssignArbiterRequest: _assign_arbiter,
    pb.CallArbiterRequest: _call_arbiter,
    pb.DismissArbiterRequest: _dismiss_arbiter,
    pb.ImposeSanctionRequest: _impose_sanction,
    pb.RecordOverholdingRequest: _record_overholding,
    pb.RecordWordAskedRequest: _record_word_asked,
    pb.AgreeEndRequest: _agree_end,
    pb.AbandonRequest: _abandon,
    pb.SignSheetRequest: _sign_sheet,
    pb.ReopenGameRequest: _reopen_game,
}
"""How each command is decided."""

TURNS = (
    pb.LayTilesRequest,
    pb.TakeBackTilesRequest,
    pb.PlacePlayRequest,
    pb.ExchangeRequest,
    pb.AnnounceExchangeRequest,
    pb.FreeExchangeRequest,
    pb.PassRequest,
    pb.DeclareCannotPlayRequest,
)
"""Commands that nobody gives while a player of the table is awaited."""
