"""Tables over gRPC: load and settle, decide, append, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from faristol.game import answers, commands, decide
from faristol.game.model import Instant, instant
from faristol.game.streams import Table, game_stream, load_table, with_other_games
from faristol.host import Runtime
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_
from faristol.kernel.times import occurred_at
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.pb.game.v1 import game_pb2_grpc
from faristol.record import Decision

Context = grpc.aio.ServicerContext[Any, Any]
M = TypeVar("M", bound=Message)


class GameService(game_pb2_grpc.GameServiceServicer):
    """Answers for the tables of a cell. The contract names the methods and says what they do."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def StartGame(self, request: pb.StartGameRequest, context: Context) -> pb.StartGameResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.StartGameResponse)

    async def StateRack(self, request: pb.StateRackRequest, context: Context) -> pb.StateRackResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.StateRackResponse)

    async def TakeBackEntries(self, request: pb.TakeBackEntriesRequest, context: Context) -> pb.TakeBackEntriesResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.TakeBackEntriesResponse)

    async def LayTiles(self, request: pb.LayTilesRequest, context: Context) -> pb.LayTilesResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.LayTilesResponse)

    async def TakeBackTiles(self, request: pb.TakeBackTilesRequest, context: Context) -> pb.TakeBackTilesResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.TakeBackTilesResponse)

    async def PlacePlay(self, request: pb.PlacePlayRequest, context: Context) -> pb.PlacePlayResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.PlacePlayResponse)

    async def DecideOffCentre(self, request: pb.DecideOffCentreRequest, context: Context) -> pb.DecideOffCentreResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.DecideOffCentreResponse)

    async def WriteScore(self, request: pb.WriteScoreRequest, context: Context) -> pb.WriteScoreResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.WriteScoreResponse)

    async def AcceptPlay(self, request: pb.AcceptPlayRequest, context: Context) -> pb.AcceptPlayResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.AcceptPlayResponse)

    async def DrawTiles(self, request: pb.DrawTilesRequest, context: Context) -> pb.DrawTilesResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.DrawTilesResponse)

    async def Exchange(self, request: pb.ExchangeRequest, context: Context) -> pb.ExchangeResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ExchangeResponse)

    async def AnnounceExchange(
        self, request: pb.AnnounceExchangeRequest, context: Context
    ) -> pb.AnnounceExchangeResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.AnnounceExchangeResponse)

    async def KeepAfterExchange(
        self, request: pb.KeepAfterExchangeRequest, context: Context
    ) -> pb.KeepAfterExchangeResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.KeepAfterExchangeResponse)

    async def FreeExchange(self, request: pb.FreeExchangeRequest, context: Context) -> pb.FreeExchangeResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.FreeExchangeResponse)

    async def Pass(self, request: pb.PassRequest, context: Context) -> pb.PassResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.PassResponse)

    async def DeclareCannotPlay(
        self, request: pb.DeclareCannotPlayRequest, context: Context
    ) -> pb.DeclareCannotPlayResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.DeclareCannotPlayResponse)

    async def Challenge(self, request: pb.ChallengeRequest, context: Context) -> pb.ChallengeResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ChallengeResponse)

    async def AcceptRuling(self, request: pb.AcceptRulingRequest, context: Context) -> pb.AcceptRulingResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.AcceptRulingResponse)

    async def Appeal(self, request: pb.AppealRequest, context: Context) -> pb.AppealResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.AppealResponse)

    async def RuleAppeal(self, request: pb.RuleAppealRequest, context: Context) -> pb.RuleAppealResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.RuleAppealResponse)

    async def CancelPlay(self, request: pb.CancelPlayRequest, context: Context) -> pb.CancelPlayResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.CancelPlayResponse)

    async def ClaimFakeBlank(self, request: pb.ClaimFakeBlankRequest, context: Context) -> pb.ClaimFakeBlankResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ClaimFakeBlankResponse)

    async def ClaimOverdraw(self, request: pb.ClaimOverdrawRequest, context: Context) -> pb.ClaimOverdrawResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ClaimOverdrawResponse)

    async def ChooseSurplus(self, request: pb.ChooseSurplusRequest, context: Context) -> pb.ChooseSurplusResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ChooseSurplusResponse)

    async def ResolveOverdraw(self, request: pb.ResolveOverdrawRequest, context: Context) -> pb.ResolveOverdrawResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ResolveOverdrawResponse)

    async def ClaimUnderdraw(self, request: pb.ClaimUnderdrawRequest, context: Context) -> pb.ClaimUnderdrawResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ClaimUnderdrawResponse)

    async def ResolveUnderdraw(
        self, request: pb.ResolveUnderdrawRequest, context: Context
    ) -> pb.ResolveUnderdrawResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ResolveUnderdrawResponse)

    async def ReportTilesFound(
        self, request: pb.ReportTilesFoundRequest, context: Context
    ) -> pb.ReportTilesFoundResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ReportTilesFoundResponse)

    async def SettleBlank(self, request: pb.SettleBlankRequest, context: Context) -> pb.SettleBlankResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.SettleBlankResponse)

    async def DisputeCount(self, request: pb.DisputeCountRequest, context: Context) -> pb.DisputeCountResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.DisputeCountResponse)

    async def SettleCount(self, request: pb.SettleCountRequest, context: Context) -> pb.SettleCountResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.SettleCountResponse)

    async def CorrectPlay(self, request: pb.CorrectPlayRequest, context: Context) -> pb.CorrectPlayResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.CorrectPlayResponse)

    async def CorrectTotal(self, request: pb.CorrectTotalRequest, context: Context) -> pb.CorrectTotalResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.CorrectTotalResponse)

    async def AssignArbiter(self, request: pb.AssignArbiterRequest, context: Context) -> pb.AssignArbiterResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.AssignArbiterResponse)

    async def CallArbiter(self, request: pb.CallArbiterRequest, context: Context) -> pb.CallArbiterResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.CallArbiterResponse)

    async def DismissArbiter(self, request: pb.DismissArbiterRequest, context: Context) -> pb.DismissArbiterResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.DismissArbiterResponse)

    async def ImposeSanction(self, request: pb.ImposeSanctionRequest, context: Context) -> pb.ImposeSanctionResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ImposeSanctionResponse)

    async def RecordOverholding(
        self, request: pb.RecordOverholdingRequest, context: Context
    ) -> pb.RecordOverholdingResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.RecordOverholdingResponse)

    async def RecordWordAsked(self, request: pb.RecordWordAskedRequest, context: Context) -> pb.RecordWordAskedResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.RecordWordAskedResponse)

    async def AgreeEnd(self, request: pb.AgreeEndRequest, context: Context) -> pb.AgreeEndResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.AgreeEndResponse)

    async def Abandon(self, request: pb.AbandonRequest, context: Context) -> pb.AbandonResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.AbandonResponse)

    async def SignSheet(self, request: pb.SignSheetRequest, context: Context) -> pb.SignSheetResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.SignSheetResponse)

    async def ReopenGame(self, request: pb.ReopenGameRequest, context: Context) -> pb.ReopenGameResponse:
        """See ``game.proto``."""
        return await self._handle(request, context, pb.ReopenGameResponse)

    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.GetGameResponse:
        """See ``game.proto``."""
        table = await self._table(request.game_id, rulings=False)
        if request.player_id and request.player_id not in table.game.player_ids:
            raise Invalid("player_id", N_("{player} does not play at this table"), {"player": repr(request.player_id)})
        return answers.shown(table, request.player_id)

    async def ListDraws(self, request: pb.ListDrawsRequest, context: Context) -> pb.ListDrawsResponse:
        """See ``game.proto``."""
        table = await self._table(request.game_id, rulings=False)
        facts = await self._runtime.record.facts(game_stream(request.game_id))
        return answers.draws(table, facts)

    async def _table(self, game_id: str, *, rulings: bool = True) -> Table:
        table = await load_table(self._runtime.record, game_id, rulings=rulings)
        if table is None:
            raise NotFound("game", game_id)
        return table

    async def _handle(self, request: Any, context: Context, response: type[M]) -> M:
        """Settle the table, carry the command out, write both, and answer."""

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            table = await self._table(request.game_id)
            if isinstance(request, pb.RecordOverholdingRequest):
                table = await with_other_games(self._runtime.record, table, request.player_id)
            if isinstance(request, pb.RecordWordAskedRequest):
                involved = [player for player in (request.player_id, request.answerer_id) if player]
                table = await with_other_games(self._runtime.record, table, *involved)
            facts = commands.act(table, request, self._moment(request, table))

            def answer(position: int) -> M:
                return answers.answer(response, position, facts)

            return table.decision(facts) or Decision(), answer

        return await self._runtime.desk.handle(context, request, attempt, response=response)

    def _moment(self, request: Any, table: Table) -> Instant:
        """When it happened: as the request says, or else now, which is never before the last fact."""
        at = instant(occurred_at(request, self._runtime.now))
        if request.HasField("occurred_at"):
            decide.check_time(table.game, table.clock, at)
            return at
        return max(at, table.game.last_at, table.clock.last_at)
