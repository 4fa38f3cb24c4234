"""For every command of a table requests of those that can be made of it, to be tried. Pure.

Where a command can be done at all, one of its examples is accepted: a test plays tables of every book at random and
holds that whatever is accepted there was offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import TurnKind
from faristol.rules.turns import exchange_limit
from faristol.table import Table
from faristol.table.decide.checks import check_on_turn, in_doubt
from faristol.table.decide.draws import unseen
from faristol.table.decide.officials import KINDS
from faristol.table.offers.tiles import plays_of, rack_of, racks_of_a_kind

Examples = Callable[[Table, Instant, str], Iterator[Message]]
"""Requests for a table at a moment; the last argument is the id of an arbiter, empty where none is there."""

CHOSEN: Mapping[type[Message], str] = {
    game_pb2.AnnounceExchangeRequest: "count",
    game_pb2.DecideOffCentreRequest: "accept",
    game_pb2.ClaimFakeBlankRequest: "square",
    game_pb2.SettleBlankRequest: "square",
    game_pb2.CorrectPlayRequest: "turn",
    game_pb2.ImposeSanctionRequest: "kind",
    game_pb2.TakeBackEntriesRequest: "turn",
    game_pb2.RuleAppealRequest: "valid",
    clock_pb2.NeutraliseRequest: "reason",
    clock_pb2.CorrectClockRequest: "reason",
    clock_pb2.LeaveTableRequest: "told",
}
"""The field of a command whose values are tried one by one. ``square`` is row and column in one: 15 × row + column."""


def _players(kind: Any) -> Examples:
    """A command that every player may be the one to give."""

    def examples(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
        yield from (kind(player_id=player) for player in table.game.player_ids)

    return examples


def _arbiter(kind: Any, **fields: Any) -> Examples:
    """A command that an arbiter gives about the table."""

    def examples(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
        if arbiter_id:
            yield kind(arbiter_id=arbiter_id, **fields)

    return examples


def _about(kind: Any, **fields: Any) -> Examples:
    """A command that an arbiter gives about a player."""

    def examples(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
        if arbiter_id:
            for player in table.game.player_ids:
                yield kind(arbiter_id=arbiter_id, player_id=player, **fields)

    return examples


def _claims(kind: Any) -> Examples:
    """What a player says about the number of tiles on a rack."""

    def examples(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
        for player in table.game.player_ids:
            for drawer in table.game.player_ids:
                yield kind(player_id=player, drawer_id=drawer)

    return examples


def _chosen(kind: Any, values: Callable[[Table], Iterator[dict[str, Any]]]) -> Examples:
    """A command of each player with each of some values."""

    def examples(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
        for player in table.game.player_ids:
            yield from (kind(player_id=player, **fields) for fields in values(table))

    return examples


def _agreed(kind: Any, values: Callable[[Table], Iterator[dict[str, Any]]]) -> Examples:
    """What all players agree to, or an arbiter decides."""

    def examples(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
        for fields in values(table):
            yield kind(player_ids=table.game.player_ids, **fields)
            if arbiter_id:
                yield kind(arbiter_id=arbiter_id, **fields)

    return examples


def _laid(kind: Any) -> Examples:
    def examples(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
        player = table.game.mover
        try:
            check_on_turn(table, player, at)
        except (Refusal, Invalid):
            return
        for play in plays_of(table, player):
            yield kind(
                player_id=player,
                placements=[
                    events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
                    for square, tile in play
                ],
            )

    return examples


def _exchanges(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    player = table.game.mover
    rack = rack_of(table, player)
    for count in range(1, len(rack) + 1):
        for done in (False, True):
            yield game_pb2.ExchangeRequest(player_id=player, faces=rack[:count], done=done)


def _free_exchanges(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for player in table.game.player_ids:
        for rack in racks_of_a_kind(table, player):
            yield game_pb2.FreeExchangeRequest(player_id=player, faces=rack)


def _counts(table: Table) -> Iterator[dict[str, Any]]:
    limit = exchange_limit(table.game.bag_left, table.ruleset)
    yield from ({"count": count} for count in range(1, limit + 1))


def _challenges(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    play = in_doubt(table.game, table.clock, table.ruleset)
    for player in table.game.player_ids if play else ():
        words = [scored.word for scored in play.words] if play else []
        yield game_pb2.ChallengeRequest(player_id=player, words=words)
        yield from (game_pb2.ChallengeRequest(player_id=player, words=[word]) for word in words)


def _fake_blanks(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    play = in_doubt(table.game, table.clock, table.ruleset)
    face = next((face for face in unseen(table.game, table.ruleset) if face != "?"), "")
    for player in table.game.player_ids if play else ():
        for tile in play.placements if play else ():
            yield game_pb2.ClaimFakeBlankRequest(player_id=player, row=tile.row, column=tile.column, face=face)


def _blanks(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for square, tile in table.game.board.items():
        if tile.blank:
            yield game_pb2.SettleBlankRequest(row=square.row, column=square.col)
            if arbiter_id:
                yield game_pb2.SettleBlankRequest(
                    row=square.row, column=square.col, arbiter_id=arbiter_id, stated=tile.face, face=tile.face
                )


def _kept(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    found = table.game.interruption
    if isinstance(found, events.IllegalExchangeFound):
        faces = [*found.from_rack, *found.bag][: found.keep]
        for player in table.game.player_ids:
            yield game_pb2.KeepAfterExchangeRequest(player_id=player, faces=faces)


def _surplus(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    found = table.game.interruption
    if isinstance(found, events.OverdrawFound):
        shown = found.shown if table.game.hosted else rack_of(table, found.player_id)
        for player in table.game.player_ids:
            yield game_pb2.ChooseSurplusRequest(player_id=player, faces=shown[: found.choose])


def _resolved(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    found = table.game.interruption
    if isinstance(found, events.OverdrawFound) and arbiter_id:
        faces = table.game.racks[found.player_id][: found.surplus]
        yield game_pb2.ResolveOverdrawRequest(arbiter_id=arbiter_id, faces=faces)


def _found(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for face in unseen(table.game, table.ruleset)[:1]:
        yield from _players_with(game_pb2.ReportTilesFoundRequest, table, faces=[face])


def _players_with(kind: Any, table: Table, **fields: Any) -> Iterator[Message]:
    yield from (kind(player_id=player, **fields) for player in table.game.player_ids)


def _racks(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for player in table.game.player_ids:
        yield game_pb2.StateRackRequest(player_id=player, faces=rack_of(table, player))


def _plays_taken(table: Table) -> Iterator[dict[str, Any]]:
    for turn, taken in enumerate(table.game.turns_taken, start=1):
        if taken.kind is TurnKind.PLAY:
            yield {"turn": turn, "score": taken.points}


def _totals(table: Table) -> Iterator[dict[str, Any]]:
    yield from ({"player_id": player, "total": table.game.scores[player]} for player in table.game.player_ids)


def _sanctions(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    least = max(1, table.ruleset.arbiter.sanction_points_min or 1)
    for player in table.game.player_ids if arbiter_id else ():
        for kind in sorted(KINDS):
            points = least if kind == events.SANCTION_KIND_POINTS else 0
            yield game_pb2.ImposeSanctionRequest(arbiter_id=arbiter_id, player_id=player, kind=kind, points=points)


def _words_asked(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    word = events.Word(faces=table.ruleset.tile_set.faces[:1])
    yield from _about(game_pb2.RecordWordAskedRequest, word=word)(table, at, arbiter_id)


def _abandons(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    yield from (game_pb2.AbandonRequest(player_ids=[player]) for player in table.game.player_ids)


def _reopenings(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    yield from _arbiter(game_pb2.ReopenGameRequest, player_ids=table.game.player_ids)(table, at, arbiter_id)


def _turns(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for turn in range(1, table.game.turn + 1) if arbiter_id else ():
        yield game_pb2.TakeBackEntriesRequest(arbiter_id=arbiter_id, turn=turn)


def _appeals(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for valid in (True, False) if arbiter_id else ():
        yield game_pb2.RuleAppealRequest(arbiter_id=arbiter_id, valid=valid)


def _neutralisations(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for reason in clock_events.NeutralisationReason.values() if arbiter_id else ():
        yield clock_pb2.NeutraliseRequest(arbiter_id=arbiter_id, reason=reason)


def _corrections(table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for player in table.game.player_ids if arbiter_id else ():
        for reason in clock_events.CorrectionReason.values():
            yield clock_pb2.CorrectClockRequest(arbiter_id=arbiter_id, player_id=player, reason=reason)


def _yes_or_no(field: str) -> Callable[[Table], Iterator[dict[str, Any]]]:
    def values(table: Table) -> Iterator[dict[str, Any]]:
        yield from ({field: value} for value in (True, False))

    return values


def _nothing(table: Table) -> Iterator[dict[str, Any]]:
    yield {}


EXAMPLES: Mapping[type[Message], Examples] = {
    game_pb2.StartGameRequest: _players(game_pb2.StartGameRequest),
    game_pb2.StateRackRequest: _racks,
    game_pb2.TakeBackEntriesRequest: _turns,
    game_pb2.LayTilesRequest: _laid(game_pb2.LayTilesRequest),
    game_pb2.TakeBackTilesRequest: _players(game_pb2.TakeBackTilesRequest),
    game_pb2.PlacePlayRequest: _laid(game_pb2.PlacePlayRequest),
    game_pb2.DecideOffCentreRequest: _chosen(game_pb2.DecideOffCentreRequest, _yes_or_no("accept")),
    game_pb2.AcceptPlayRequest: _players(game_pb2.AcceptPlayRequest),
    game_pb2.WriteScoreRequest: _players(game_pb2.WriteScoreRequest),
    game_pb2.DisputeCountRequest: _players(game_pb2.DisputeCountRequest),
    game_pb2.SettleCountRequest: _agreed(game_pb2.SettleCountRequest, _nothing),
    game_pb2.CorrectPlayRequest: _agreed(game_pb2.CorrectPlayRequest, _plays_taken),
    game_pb2.CorrectTotalRequest: _agreed(game_pb2.CorrectTotalRequest, _totals),
    game_pb2.SettleBlankRequest: _blanks,
    game_pb2.DrawTilesRequest: _players(game_pb2.DrawTilesRequest),
    game_pb2.AnnounceExchangeRequest: _chosen(game_pb2.AnnounceExchangeRequest, _counts),
    game_pb2.ExchangeRequest: _exchanges,
    game_pb2.KeepAfterExchangeRequest: _kept,
    game_pb2.FreeExchangeRequest: _free_exchanges,
    game_pb2.PassRequest: _players(game_pb2.PassRequest),
    game_pb2.DeclareCannotPlayRequest: _players(game_pb2.DeclareCannotPlayRequest),
    game_pb2.ChallengeRequest: _challenges,
    game_pb2.AppealRequest: _players(game_pb2.AppealRequest),
    game_pb2.RuleAppealRequest: _appeals,
    game_pb2.AcceptRulingRequest: _players(game_pb2.AcceptRulingRequest),
    game_pb2.CancelPlayRequest: _about(game_pb2.CancelPlayRequest),
    game_pb2.ClaimFakeBlankRequest: _fake_blanks,
    game_pb2.ClaimOverdrawRequest: _claims(game_pb2.ClaimOverdrawRequest),
    game_pb2.ChooseSurplusRequest: _surplus,
    game_pb2.ResolveOverdrawRequest: _resolved,
    game_pb2.ClaimUnderdrawRequest: _claims(game_pb2.ClaimUnderdrawRequest),
    game_pb2.ResolveUnderdrawRequest: _arbiter(game_pb2.ResolveUnderdrawRequest),
    game_pb2.ReportTilesFoundRequest: _found,
    game_pb2.AssignArbiterRequest: _arbiter(game_pb2.AssignArbiterRequest),
    game_pb2.CallArbiterRequest: _players(game_pb2.CallArbiterRequest),
    game_pb2.DismissArbiterRequest: _arbiter(game_pb2.DismissArbiterRequest),
    game_pb2.ImposeSanctionRequest: _sanctions,
    game_pb2.RecordOverholdingRequest: _about(game_pb2.RecordOverholdingRequest),
    game_pb2.RecordWordAskedRequest: _words_asked,
    game_pb2.AgreeEndRequest: _players(game_pb2.AgreeEndRequest),
    game_pb2.AbandonRequest: _abandons,
    game_pb2.SignSheetRequest: _players(game_pb2.SignSheetRequest),
    game_pb2.ReopenGameRequest: _reopenings,
    clock_pb2.PressRequest: _players(clock_pb2.PressRequest),
    clock_pb2.ClaimTimeRequest: _players(clock_pb2.ClaimTimeRequest),
    clock_pb2.StopRequest: _players(clock_pb2.StopRequest),
    clock_pb2.NeutraliseRequest: _neutralisations,
    clock_pb2.ResumeRequest: _arbiter(clock_pb2.ResumeRequest),
    clock_pb2.CorrectClockRequest: _corrections,
    clock_pb2.ExpireRoundTimeRequest: _arbiter(clock_pb2.ExpireRoundTimeRequest),
    clock_pb2.ReportAbsenceRequest: _about(clock_pb2.ReportAbsenceRequest),
    clock_pb2.RecordArrivalRequest: _players(clock_pb2.RecordArrivalRequest),
    clock_pb2.LeaveTableRequest: _chosen(clock_pb2.LeaveTableRequest, _yes_or_no("told")),
    clock_pb2.ReturnToTableRequest: _players(clock_pb2.ReturnToTableRequest),
}
"""Every command, with what is tried of it."""
