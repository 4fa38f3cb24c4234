"""gRPC in: what is put right, and games that are played later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from faristol.host.times import moment_of
from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context, M, decision_of
from faristol.pairing.model import Tournament
from faristol.pairing.rulings import Rulings, game_stream, watch
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Decision, Guard, load


class Corrections(Commands):
    """Results and rulings put right, and postponed games."""

    async def CorrectResult(
        self, request: pairing.CorrectResultRequest, context: Context
    ) -> pairing.CorrectResultResponse:
        """Correct a result on the record."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        after: list[int] = []

        def facts_of(state: Tournament) -> list[Message]:
            facts = decide.correct_result(
                state,
                pinning.ruleset_of(state),
                game=request.game_id,
                scores=[(score.player_id, score.score) for score in request.scores],
                winner_id=request.winner_id,
                lost_by_all=request.lost_by_all,
                unplayed=request.unplayed,
                player_ids=request.player_ids,
                arbiter_id=request.arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            )
            number = next(fact.round for fact in facts if isinstance(fact, events.ResultCorrected))
            after[:] = [one.number for one in state.played if one.number > number]
            return facts

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.CorrectResultResponse(position=position, rounds_after=after),
            pairing.CorrectResultResponse,
        )

    async def GiveForfeit(self, request: pairing.GiveForfeitRequest, context: Context) -> pairing.GiveForfeitResponse:
        """Decide a game of which no turn is over."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        def facts_of(state: Tournament, turns: int) -> list[Message]:
            return decide.give_forfeit(
                state,
                pinning.ruleset_of(state),
                game=request.game_id,
                turns=turns,
                loser_ids=request.loser_ids,
                arbiter_id=request.arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            )

        def answer(position: int, facts: list[Message]) -> pairing.GiveForfeitResponse:
            recorded = next(fact for fact in facts if isinstance(fact, events.ResultRecorded))
            return pairing.GiveForfeitResponse(position=position, scores=recorded.scores)

        return await self._enter(context, request, facts_of, answer, pairing.GiveForfeitResponse)

    async def EnterResult(self, request: pairing.EnterResultRequest, context: Context) -> pairing.EnterResultResponse:
        """Enter the result of a game that was not kept at its table."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        def facts_of(state: Tournament, turns: int) -> list[Message]:
            return decide.enter_result(
                state,
                pinning.ruleset_of(state),
                game=request.game_id,
                turns=turns,
                scores=[(score.player_id, score.score) for score in request.scores],
                abandoned_by=request.abandoned_by,
                winner_id=request.winner_id,
                arbiter_id=request.arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            )

        return await self._enter(
            context,
            request,
            facts_of,
            lambda position, _: pairing.EnterResultResponse(position=position),
            pairing.EnterResultResponse,
        )

    async def _enter(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament, int], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Decide a result in the tournament against the turns of its table, which must not go on meanwhile."""

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(request.tournament_id)
            table = await load(self._record, game_stream(request.game_id), Rulings(), watch)
            facts = facts_of(loaded.state, table.state.turns)
            writes = decision_of(request.tournament_id, loaded, facts).writes
            guard = Guard(game_stream(request.game_id), table.version)
            return Decision(writes, guards=[guard]), lambda position: answer(position, facts)

        return await self._runtime.desk.handle(context, request, attempt, response=response)

    async def CorrectRuling(
        self, request: pairing.CorrectRulingRequest, context: Context
    ) -> pairing.CorrectRulingResponse:
        """Put a ruling right that was found wrong after the game."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        async def attempt() -> tuple[Decision, Callable[[int], pairing.CorrectRulingResponse]]:
            loaded = await self.load(request.tournament_id)
            rulings = await load(self._record, game_stream(request.game_id), Rulings(), watch)
            (fact,) = facts = decide.correct_ruling(
                loaded.state,
                pinning.ruleset_of(loaded.state),
                rulings.state,
                game=request.game_id,
                turn=request.turn,
                arbiter_id=request.arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            )
            assert isinstance(fact, events.SpreadAdjusted)
            writes = decision_of(request.tournament_id, loaded, facts).writes
            decision = Decision(writes, guards=[Guard(game_stream(request.game_id), rulings.version)])
            return decision, lambda position: pairing.CorrectRulingResponse(
                position=position, player_id=fact.player_id, points=fact.points
            )

        return await self._runtime.desk.handle(context, request, attempt, response=pairing.CorrectRulingResponse)

    async def PostponeGame(
        self, request: pairing.PostponeGameRequest, context: Context
    ) -> pairing.PostponeGameResponse:
        """Postpone a game of a round that is not started."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.postpone(
                state,
                pinning.ruleset_of(state),
                game=request.game_id,
                player_ids=request.player_ids,
                scheduled_at=_moment(request, "scheduled_at"),
                postponed_to=_moment(request, "postponed_to"),
                arbiter_id=request.arbiter_id,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.PostponeGameResponse(position=position),
            pairing.PostponeGameResponse,
        )

    async def CancelPostponement(
        self, request: pairing.CancelPostponementRequest, context: Context
    ) -> pairing.CancelPostponementResponse:
        """Play a postponed game with its round after all."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act(
            context,
            request,
            lambda state: decide.cancel_postponement(
                state,
                pinning.ruleset_of(state),
                game=request.game_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.CancelPostponementResponse(position=position),
            pairing.CancelPostponementResponse,
        )

    async def StartPostponedGame(
        self, request: pairing.StartPostponedGameRequest, context: Context
    ) -> pairing.StartPostponedGameResponse:
        """Start a postponed game."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.start_postponed(
                state, pinning.ruleset_of(state), game=request.game_id, at=at, now=self._runtime.now()
            ),
            lambda position, _: pairing.StartPostponedGameResponse(position=position),
            pairing.StartPostponedGameResponse,
        )


def _moment(request: Any, field: str) -> datetime | None:
    """A time of the request, None when it is absent."""
    return moment_of(field, getattr(request, field)) if request.HasField(field) else None
