"""How a command on a tournament is carried out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from faristol.host import NotFound, Runtime
from faristol.host.times import occurred_at, to_datetime
from faristol.pairing import identity
from faristol.pairing.model import Tournament, evolve, stream
from faristol.record import Decision, Loaded, Record, Write, load

Context = grpc.aio.ServicerContext[Any, Any]
M = TypeVar("M", bound=Message)


class OfTournament(Protocol):
    """A request that names a tournament."""

    tournament_id: str


class Commands:
    """What the commands of the service share."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._record: Record = runtime.record

    async def act(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Carry out a command on a tournament that exists."""
        named: OfTournament = request
        tournament_id = named.tournament_id

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(tournament_id)
            facts = facts_of(loaded.state)
            return decision_of(tournament_id, loaded, facts), lambda position: answer(position, facts)

        return await self._runtime.desk.handle(context, request, attempt, response=response)

    async def act_on(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament, list[Message]], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Carry out a command on an earlier act, which the request names by its version, in view of all acts so far.

        Raises ``NotFound`` when there is no such act.
        """

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(request.tournament_id)
            recorded = await self._record.read_stream(stream(request.tournament_id))
            if not 1 <= request.version <= loaded.version:
                raise NotFound("act", f"{request.tournament_id}/{request.version}")
            facts = facts_of(loaded.state, [one.message for one in recorded if one.version <= loaded.version])
            decision = decision_of(request.tournament_id, loaded, facts)
            return decision, lambda position: answer(position, facts)

        return await self._runtime.desk.handle(context, request, attempt, response=response)

    async def load(self, tournament_id: str) -> Loaded[Tournament]:
        """The tournament as it stands in the record. Raises ``Invalid`` for a malformed id, ``NotFound`` for none."""
        identity.checked_id("tournament_id", tournament_id)
        loaded = await load(self._record, stream(tournament_id), Tournament(), evolve)
        if not loaded.state.exists:
            raise NotFound("tournament", tournament_id)
        return loaded

    def at(self, request: Any) -> datetime | None:
        """When the request says that it happened, None when it does not say."""
        given = occurred_at(request, self._runtime.now)
        return to_datetime(given) if request.HasField("occurred_at") else None


def decision_of(tournament_id: str, loaded: Loaded[Tournament], facts: list[Message]) -> Decision:
    """To append facts to a tournament as it was loaded."""
    noted = (fact for fact in facts if getattr(fact, "note", ""))
    concerned = {player_id for fact in noted for player_id in _players_at(loaded.state, fact)}
    return Decision([Write(stream(tournament_id), loaded.version, facts, tournament_id, concerned)])


def _players_at(state: Tournament, fact: Message) -> tuple[str, ...]:
    """Who plays the game that a fact is of; nobody for a fact of one player, whom it names."""
    found = None if hasattr(fact, "player_id") else state.find_game(getattr(fact, "game_id", ""))
    return found[1].player_ids if found else ()
