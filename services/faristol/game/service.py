"""Tables over gRPC: load and settle, decide, append, answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from faristol.game import decide
from faristol.game.model import Instant, instant, timestamp
from faristol.game.streams import Table, load_table
from faristol.host import Invalid, NotFound, Runtime
from faristol.host.times import occurred_at
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.record import Decision
from faristol.rules import N_, Placement, Square, Tile

Context = grpc.aio.ServicerContext[Any, Any]
M = TypeVar("M", bound=Message)


_Command = (
    game_pb2.PlacePlayRequest
    | game_pb2.ExchangeRequest
    | game_pb2.PassRequest
    | game_pb2.DrawTilesRequest
    | game_pb2.ChallengeRequest
    | game_pb2.SignSheetRequest
)


class GameService(game_pb2_grpc.GameServiceServicer):
    """Answers for the tables of a cell."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def PlacePlay(  # noqa: N802 # named by the contract, like the others
        self, request: game_pb2.PlacePlayRequest, context: Context
    ) -> game_pb2.PlacePlayResponse:
        """See ``game.proto``."""

        def play(table: Table, at: Instant) -> list[Message]:
            placements = [
                Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in request.placements
            ]
            return decide.place_play(table.game, table.ruleset, request.player_id, placements, at)

        def answer(position: int, facts: Sequence[Message]) -> game_pb2.PlacePlayResponse:
            placed = _only(facts, events.PlayPlaced)
            return game_pb2.PlacePlayResponse(
                position=position, turn=placed.turn, words=placed.words, score=placed.score
            )

        return await self._handle(request, context, play, answer, game_pb2.PlacePlayResponse)

    async def Exchange(  # noqa: N802
        self, request: game_pb2.ExchangeRequest, context: Context
    ) -> game_pb2.ExchangeResponse:
        """See ``game.proto``."""

        def exchange(table: Table, at: Instant) -> list[Message]:
            return decide.exchange(table.game, table.ruleset, request.player_id, list(request.faces), at)

        def answer(position: int, facts: Sequence[Message]) -> game_pb2.ExchangeResponse:
            return game_pb2.ExchangeResponse(position=position, drawn=_only(facts, events.TilesDrawn).faces)

        return await self._handle(request, context, exchange, answer, game_pb2.ExchangeResponse)

    async def Pass(  # noqa: N802
        self, request: game_pb2.PassRequest, context: Context
    ) -> game_pb2.PassResponse:
        """See ``game.proto``."""

        def pass_turn(table: Table, at: Instant) -> list[Message]:
            return decide.pass_turn(table.game, table.ruleset, request.player_id, at)

        def answer(position: int, _: Sequence[Message]) -> game_pb2.PassResponse:
            return game_pb2.PassResponse(position=position)

        return await self._handle(request, context, pass_turn, answer, game_pb2.PassResponse)

    async def DrawTiles(  # noqa: N802
        self, request: game_pb2.DrawTilesRequest, context: Context
    ) -> game_pb2.DrawTilesResponse:
        """See ``game.proto``."""

        def draw(table: Table, at: Instant) -> list[Message]:
            return decide.draw_tiles(table.game, table.ruleset, request.player_id, at)

        def answer(position: int, facts: Sequence[Message]) -> game_pb2.DrawTilesResponse:
            return game_pb2.DrawTilesResponse(position=position, drawn=_only(facts, events.TilesDrawn).faces)

        return await self._handle(request, context, draw, answer, game_pb2.DrawTilesResponse)

    async def Challenge(  # noqa: N802
        self, request: game_pb2.ChallengeRequest, context: Context
    ) -> game_pb2.ChallengeResponse:
        """See ``game.proto``."""

        def challenge(table: Table, at: Instant) -> list[Message]:
            words = [tuple(word.faces) for word in request.words]
            return decide.challenge(table.game, table.ruleset, request.player_id, words, at)

        def answer(position: int, facts: Sequence[Message]) -> game_pb2.ChallengeResponse:
            return game_pb2.ChallengeResponse(
                position=position, challenge=_only(facts, events.ChallengeRaised).challenge
            )

        return await self._handle(request, context, challenge, answer, game_pb2.ChallengeResponse)

    async def SignSheet(  # noqa: N802
        self, request: game_pb2.SignSheetRequest, context: Context
    ) -> game_pb2.SignSheetResponse:
        """See ``game.proto``."""

        def sign(table: Table, at: Instant) -> list[Message]:
            return decide.sign_sheet(table.game, table.clock, table.ruleset, request.player_id, at)

        def answer(position: int, _: Sequence[Message]) -> game_pb2.SignSheetResponse:
            return game_pb2.SignSheetResponse(position=position)

        return await self._handle(request, context, sign, answer, game_pb2.SignSheetResponse)

    async def GetGame(  # noqa: N802
        self, request: game_pb2.GetGameRequest, context: Context
    ) -> game_pb2.GetGameResponse:
        """See ``game.proto``."""
        table = await self._table(request.game_id, rulings=False)
        game = table.game
        if request.player_id and request.player_id not in game.player_ids:
            raise Invalid("player_id", N_("{player} does not play at this table"), {"player": repr(request.player_id)})
        return game_pb2.GetGameResponse(
            game_id=game.game_id,
            tournament_id=game.tournament_id,
            round=game.round,
            table=game.table,
            phase=game_pb2.Phase.Value(f"PHASE_{game.phase.name}"),
            turn=game.turn,
            turn_player_id=game.mover,
            sides=[
                game_pb2.Side(
                    player_id=player,
                    score=game.scores[player],
                    rack_size=len(game.racks[player]),
                    signed=player in game.signed,
                )
                for player in game.player_ids
            ],
            board=[
                events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
                for square, tile in game.board.items()
            ],
            pending=game.pending,
            pending_ruled_valid=bool(game.ruled),
            bag_left=game.bag_left,
            rack=game.racks.get(request.player_id, ()),
            version=table.version,
            occurred_at=timestamp(max(game.last_at, table.clock.last_at)),
            ruleset=events.Pin(name=game.ruleset.name, digest=game.ruleset.digest),
            lexicon=events.Pin(name=game.lexicon.name, digest=game.lexicon.digest),
            end_condition=game.condition,
        )

    async def _table(self, game_id: str, *, rulings: bool = True) -> Table:
        table = await load_table(self._runtime.record, game_id, rulings=rulings)
        if table is None:
            raise NotFound("game", game_id)
        return table

    async def _handle(
        self,
        request: _Command,
        context: Context,
        act: Callable[[Table, Instant], list[Message]],
        answer: Callable[[int, Sequence[Message]], M],
        response: type[M],
    ) -> M:
        """Settle the table, let the player ``act``, write both, and answer."""

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            table = await self._table(request.game_id)
            facts = act(table, self._moment(request, table))
            return table.decision(facts) or Decision(), lambda position: answer(position, facts)

        return await self._runtime.desk.handle(context, request, attempt, response=response)

    def _moment(self, request: _Command, table: Table) -> Instant:
        """When it happened: as the request says, or else now, which is never before the last fact."""
        at = instant(occurred_at(request, self._runtime.now))
        if request.HasField("occurred_at"):
            decide.check_time(table.game, table.clock, at)
            return at
        return max(at, table.game.last_at, table.clock.last_at)


def _only(facts: Sequence[Message], kind: type[M]) -> M:
    """The one fact of that kind among those that a command led to."""
    (found,) = (fact for fact in facts if isinstance(fact, kind))
    return found
