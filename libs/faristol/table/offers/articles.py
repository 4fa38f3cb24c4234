"""The article that allows each command."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset

_LAW: Mapping[type[Message], str] = {
    game_pb2.PlacePlayRequest: "announce",
    game_pb2.LayTilesRequest: "rearranged",
    game_pb2.TakeBackTilesRequest: "rearranged",
    game_pb2.WriteScoreRequest: "write",
    game_pb2.DrawTilesRequest: "refill",
    game_pb2.AcceptRulingRequest: "withdrawn",
    game_pb2.CancelPlayRequest: "leaked",
    game_pb2.ClaimOverdrawRequest: "overdraw_claim",
    game_pb2.ChooseSurplusRequest: "overdraw_claim",
    game_pb2.ResolveOverdrawRequest: "overdraw_claim",
    game_pb2.DisputeCountRequest: "correction",
    game_pb2.SettleCountRequest: "correction",
    game_pb2.ImposeSanctionRequest: "sanctions",
    game_pb2.SignSheetRequest: "signatures",
    game_pb2.TakeBackEntriesRequest: "correction",
    game_pb2.ChallengeRequest: "challenge_words",
    game_pb2.RecordOverholdingRequest: "sanctions",
    clock_pb2.PressRequest: "play_complete",
    clock_pb2.LeaveTableRequest: "absence",
    clock_pb2.ReturnToTableRequest: "absence",
}
"""Rules without a value in the rule set, or silent about it: a field of ``Law``."""

_VALUES: Mapping[type[Message], str] = {
    game_pb2.DecideOffCentreRequest: "first_move.centre",
    game_pb2.AcceptPlayRequest: "challenge.closes_on",
    game_pb2.ChallengeRequest: "challenge.by",
    game_pb2.AppealRequest: "challenge.appeal_by",
    game_pb2.RuleAppealRequest: "challenge.appeal_by",
    game_pb2.ClaimFakeBlankRequest: "blank.fake",
    game_pb2.SettleBlankRequest: "blank.claims",
    game_pb2.ExchangeRequest: "exchange.limit",
    game_pb2.AnnounceExchangeRequest: "exchange.number_fixed",
    game_pb2.KeepAfterExchangeRequest: "exchange.illegal",
    game_pb2.FreeExchangeRequest: "free_exchange.allowed",
    game_pb2.PassRequest: "passing.allowed",
    game_pb2.DeclareCannotPlayRequest: "passing.cannot_play",
    game_pb2.ClaimUnderdrawRequest: "underdraw.racked",
    game_pb2.ResolveUnderdrawRequest: "underdraw.racked",
    game_pb2.ReportTilesFoundRequest: "found_tiles.rule",
    game_pb2.CorrectPlayRequest: "scoresheet.plays_until",
    game_pb2.CorrectTotalRequest: "scoresheet.totals_until",
    game_pb2.AssignArbiterRequest: "arbiter.required",
    game_pb2.CallArbiterRequest: "clock.neutralised_by",
    game_pb2.DismissArbiterRequest: "clock.neutralised_by",
    game_pb2.RecordOverholdingRequest: "overdraw.expulsion_after_in_game",
    game_pb2.RecordWordAskedRequest: "arbiter.asked_word",
    game_pb2.AgreeEndRequest: "end.agreement",
    game_pb2.AbandonRequest: "abandon.rule",
    game_pb2.ReopenGameRequest: "scoresheet.reopen_by",
    game_pb2.StartGameRequest: "start.method",
    clock_pb2.StopRequest: "clock.stopped_by_mover",
    clock_pb2.ClaimTimeRequest: "clock.model",
    clock_pb2.NeutraliseRequest: "clock.neutralised_by",
    clock_pb2.ResumeRequest: "clock.neutralised_by",
    clock_pb2.CorrectClockRequest: "clock.forgotten_heard",
    clock_pb2.ExpireRoundTimeRequest: "round_time.rule",
    clock_pb2.ReportAbsenceRequest: "lateness.loses_after_minutes",
    clock_pb2.RecordArrivalRequest: "lateness.loses_after_minutes",
}
"""Values of a rule set, as ``Ruleset.article`` names them."""


def article_of(kind: type[Message], ruleset: Ruleset) -> str:
    """Return the article that allows a command; empty if the book is silent."""
    value, law = _VALUES.get(kind), _LAW.get(kind)
    article = ruleset.article(value) if value else ""
    return article or (str(getattr(ruleset.law, law)) if law else "")
