"""The preparation of a round's game before its start: a game played ahead or an earlier one, sealed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.duplicate_game.game import Embargo
from faristol.duplicate_game.preparation import PreparedRound, build_prepared, may_prepare, may_rerun, set_embargo
from faristol.duplicate_game.sealed import SALT_BYTES, SealedGame, play_again, play_ahead
from faristol.event_store import Decision, Guard, Write, load
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.duplicate_game.reactions import Entrants, watch
from faristol.game.duplicate_game.sealed_game_keys import SealedGameKeys
from faristol.host import Runtime
from faristol.host.duplicate_store import game_stream, load_game, load_prepared, prepared_stream
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import rules_of
from faristol.kernel.errors import NotFound
from faristol.kernel.times import instant, occurred_at
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.draws.bag import SEED_BYTES

M = TypeVar("M", bound=Message)
DecisionAndAnswer = tuple[Decision, Callable[[int], Any]]


class Preparations:
    """The handler of commands on prepared games."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons, sealed_game_keys: SealedGameKeys) -> None:
        self._runtime = runtime
        self._lexicons = lexicons
        self._sealed_game_keys = sealed_game_keys
        self.commands: Mapping[type[Message], Callable[[Any], Awaitable[DecisionAndAnswer]]] = {
            pb.PrepareGameRequest: self._prepare,
            pb.SetEmbargoRequest: self._set_embargo,
        }

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Handle a command: decide, append, answer."""

        async def attempt() -> DecisionAndAnswer:
            return await self.commands[type(request)](request)

        return await self._runtime.command_handler.handle(context, request, attempt, response=response)

    async def _prepare(self, request: pb.PrepareGameRequest) -> DecisionAndAnswer:
        of, guard = await self._round(request.tournament_id, request.round)
        known = await load_prepared(self._runtime.record, of.game_id)
        may_prepare(known.state, of, request.rerun_of)
        guards = [guard]
        embargo: Embargo | None = None
        if request.rerun_of:
            loaded = await load_game(self._runtime.record, request.rerun_of)
            may_rerun(of, loaded.state)
            guards.append(Guard(game_stream(request.rerun_of), loaded.version))
            embargo = loaded.state.embargo
            sealed = play_again(of.game_id, loaded.state, secrets.token_bytes(SALT_BYTES))
        else:
            sealed = await self._ahead(of)
        event = build_prepared(
            of, self._sealed_game_keys.seal(sealed), embargo, instant(occurred_at(request, self._runtime.now))
        )

        def answer(position: int) -> pb.PrepareGameResponse:
            return pb.PrepareGameResponse(position=position, game_id=of.game_id, digest=event.seal.envelope.digest)

        return self._decision(of, known.version, event, guards), answer

    async def _set_embargo(self, request: pb.SetEmbargoRequest) -> DecisionAndAnswer:
        of, guard = await self._round(request.tournament_id, request.round)
        known = await load_prepared(self._runtime.record, of.game_id)
        event = set_embargo(known.state, of, request, instant(occurred_at(request, self._runtime.now)))

        def answer(position: int) -> pb.SetEmbargoResponse:
            return pb.SetEmbargoResponse(position=position, game_ids=event.embargo.game_ids)

        return self._decision(of, known.version, event, [guard]), answer

    async def _round(self, tournament_id: str, number: int) -> tuple[PreparedRound, Guard]:
        """Return a round of a tournament, and its guard. Raises ``NotFound``."""
        stream = f"tournament-{tournament_id}"
        loaded = await load(self._runtime.record, stream, Entrants(), watch)
        entrants = loaded.state
        if not loaded.version:
            raise NotFound("tournament", tournament_id)
        ruleset = await rules_of(self._runtime.record, entrants.ruleset)
        pins = (entrants.ruleset, entrants.lexicon)
        started = number in entrants.started
        of = PreparedRound(entrants.tournament_id, number, entrants.rounds, started, ruleset, pins)
        return of, Guard(stream, loaded.version)

    async def _ahead(self, of: PreparedRound) -> SealedGame:
        words = self._lexicons.words(of.pins[1], of.ruleset)
        seed, salt = secrets.token_bytes(SEED_BYTES), secrets.token_bytes(SALT_BYTES)
        return await asyncio.to_thread(play_ahead, of.game_id, of.pins, seed, salt, of.ruleset, words)

    @staticmethod
    def _decision(
        of: PreparedRound, version: int, event: events.GamePrepared | events.EmbargoSet, guards: list[Guard]
    ) -> Decision:
        return Decision([Write(prepared_stream(of.game_id), version, [event], of.tournament_id)], guards)
