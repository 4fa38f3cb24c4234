"""gRPC in: what is put right, and games that are played later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.times import moment_of
from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context, decision_of
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
        arbiter_id = await self.arbiter(request, context)
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
                arbiter_id=arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
                scores_before=[(score.player_id, score.score) for score in request.scores_before],
            )
            corrected = next(fact for fact in facts if isinstance(fact, events.ResultCorrected))
            after[:] = [one.number for one in state.played if one.number > corrected.round]
            return facts

        def answer(position: int, facts: list[Message]) -> pairing.CorrectResultResponse:
            corrected = next(fact for fact in facts if isinstance(fact, events.ResultCorrected))
            return pairing.CorrectResultResponse(position=position, rounds_after=after, scores=corrected.scores)

        return await self.act(
            context,
            request,
            facts_of,
            answer,
            pairing.CorrectResultResponse,
        )

    async def CorrectRuling(
        self, request: pairing.CorrectRulingRequest, context: Context
    ) -> pairing.CorrectRulingResponse:
        """Put a ruling right that was found wrong after the game."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        arbiter_id = await self.arbiter(request, context)

        async def attempt() -> tuple[Decision, Callable[[int], pairing.CorrectRulingResponse]]:
            loaded = await self.load(request.tournament_id)
            rulings = await load(self._record, game_stream(request.game_id), Rulings(), watch)
            (fact,) = facts = decide.correct_ruling(
                loaded.state,
                pinning.ruleset_of(loaded.state),
                rulings.state,
                game=request.game_id,
                turn=request.turn,
                arbiter_id=arbiter_id,
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

        return await self.handle(context, request, attempt, response=pairing.CorrectRulingResponse)

    async def PostponeGame(
        self, request: pairing.PostponeGameRequest, context: Context
    ) -> pairing.PostponeGameResponse:
        """Postpone a game of a round that is not started."""
        at = self.at(request)
        arbiter_id = await self.arbiter(request, context)
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
                arbiter_id=arbiter_id,
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
