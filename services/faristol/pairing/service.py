"""gRPC in: what directors ask for."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host import NotFound, Runtime
from faristol.host.times import occurred_at, to_datetime
from faristol.pairing import decide, identity, pinning
from faristol.pairing.model import Tournament, evolve, stream
from faristol.pairing.presenting import tournament_of
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pairing_grpc
from faristol.record import Decision, Loaded, Record, Write, load, people
from faristol.rules import N_, Refusal

Context = grpc.aio.ServicerContext[Any, Any]
M = TypeVar("M", bound=Message)


_Command = (
    pairing.PairRoundRequest | pairing.StartRoundRequest | pairing.CloseRoundRequest | pairing.PublishStandingsRequest
)


class PairingService(pairing_grpc.PairingServiceServicer):
    """The tournaments of a cell."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._record: Record = runtime.record

    async def CreateTournament(  # noqa: N802
        self, request: pairing.CreateTournamentRequest, context: Context
    ) -> pairing.CreateTournamentResponse:
        """Create a tournament; ruleset, lexicon, id and seed are chosen where the caller left them empty."""
        at = self._at(request)
        name = identity.checked_name("name", request.name)
        if request.tournament_id:
            identity.checked_id("tournament_id", request.tournament_id)
        ruleset = pinning.ruleset_named(request.ruleset, {option.name: option.value for option in request.options})

        async def attempt() -> tuple[Decision, Callable[[int], pairing.CreateTournamentResponse]]:
            lexicons = await pinning.installed(self._runtime.channel("lexicon"))
            lexicon = pinning.choose_lexicon(lexicons, request.lexicon, ruleset)
            tournament_id = request.tournament_id or await self._free_id(name, request.command_id)
            loaded = await load(self._record, stream(tournament_id), Tournament(), evolve)
            facts = decide.create(
                loaded.state,
                tournament_id=tournament_id,
                name=name,
                rounds=request.rounds,
                seed=request.seed or secrets.token_bytes(decide.SEED_SIZE),
                ruleset=ruleset,
                lexicon=lexicon,
                keeping=request.keeping,
                at=at,
                now=self._runtime.now(),
            )

            def answer(position: int) -> pairing.CreateTournamentResponse:
                return pairing.CreateTournamentResponse(
                    position=position,
                    tournament_id=tournament_id,
                    ruleset=decide.pin_of(ruleset).message(),
                    lexicon=lexicon.message(),
                )

            return _decision(tournament_id, loaded, facts), answer

        return await self._runtime.desk.handle(context, request, attempt, response=pairing.CreateTournamentResponse)

    async def RegisterPlayer(  # noqa: N802
        self, request: pairing.RegisterPlayerRequest, context: Context
    ) -> pairing.RegisterPlayerResponse:
        """Register a player. Name and club are kept beside the events, in the same transaction."""
        at = self._at(request)
        name = identity.checked_name("name", request.name)
        club = identity.checked_name("club", request.club, empty=True)
        player_id = (
            identity.checked_id("player_id", request.player_id)
            if request.player_id
            else identity.player_id(request.command_id)
        )

        async def remember(connection: AsyncConnection) -> None:
            await people.remember(connection, player_id, name, club)

        async def attempt() -> tuple[Decision, Callable[[int], pairing.RegisterPlayerResponse]]:
            loaded = await self._load(request.tournament_id)
            facts = decide.register(
                loaded.state,
                pinning.ruleset_of(loaded.state),
                player_id=player_id,
                rating=request.rating if request.HasField("rating") else None,
                at=at,
                now=self._runtime.now(),
            )
            await self._check_name_free(loaded.state, name)
            known = await self._known(player_id, name)
            writes = _decision(request.tournament_id, loaded, facts).writes
            decision = Decision(writes, also=None if known else remember)
            return decision, lambda position: pairing.RegisterPlayerResponse(position=position, player_id=player_id)

        return await self._runtime.desk.handle(context, request, attempt, response=pairing.RegisterPlayerResponse)

    async def PairRound(  # noqa: N802
        self, request: pairing.PairRoundRequest, context: Context
    ) -> pairing.PairRoundResponse:
        """Pair the next round."""
        at = self._at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            return decide.pair(state, ruleset, number=request.round, at=at, now=self._runtime.now())

        def answer(position: int, facts: list[Message]) -> pairing.PairRoundResponse:
            paired, *bye = facts
            assert isinstance(paired, events.RoundPaired)
            resting = [fact.player_id for fact in bye if isinstance(fact, events.ByeAwarded)]
            return pairing.PairRoundResponse(
                position=position, pairings=paired.pairings, bye_player_id=resting[0] if resting else ""
            )

        return await self._act(context, request, facts_of, answer, pairing.PairRoundResponse)

    async def StartRound(  # noqa: N802
        self, request: pairing.StartRoundRequest, context: Context
    ) -> pairing.StartRoundResponse:
        """Give the signal for a paired round."""
        at = self._at(request)
        return await self._act(
            context,
            request,
            lambda state: decide.start(state, number=request.round, at=at, now=self._runtime.now()),
            lambda position, _: pairing.StartRoundResponse(position=position),
            pairing.StartRoundResponse,
        )

    async def CloseRound(  # noqa: N802
        self, request: pairing.CloseRoundRequest, context: Context
    ) -> pairing.CloseRoundResponse:
        """Close a round of which every result is in."""
        at = self._at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            return decide.close(state, ruleset, number=request.round, at=at, now=self._runtime.now())

        return await self._act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.CloseRoundResponse(position=position),
            pairing.CloseRoundResponse,
        )

    async def PublishStandings(  # noqa: N802
        self, request: pairing.PublishStandingsRequest, context: Context
    ) -> pairing.PublishStandingsResponse:
        """Publish the final standings."""
        at = self._at(request)
        return await self._act(
            context,
            request,
            lambda state: decide.publish(state, at=at, now=self._runtime.now()),
            lambda position, _: pairing.PublishStandingsResponse(position=position),
            pairing.PublishStandingsResponse,
        )

    async def GetTournament(  # noqa: N802
        self, request: pairing.GetTournamentRequest, context: Context
    ) -> pairing.GetTournamentResponse:
        """The tournament as it stands in the record."""
        loaded = await self._load(request.tournament_id)
        return tournament_of(loaded.state, loaded.version)

    async def _act(
        self,
        context: Context,
        request: _Command,
        facts_of: Callable[[Tournament], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """A command on a tournament that exists."""

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self._load(request.tournament_id)
            facts = facts_of(loaded.state)
            return _decision(request.tournament_id, loaded, facts), lambda position: answer(position, facts)

        return await self._runtime.desk.handle(context, request, attempt, response=response)

    async def _load(self, tournament_id: str) -> Loaded[Tournament]:
        identity.checked_id("tournament_id", tournament_id)
        loaded = await load(self._record, stream(tournament_id), Tournament(), evolve)
        if not loaded.state.exists:
            raise NotFound("tournament", tournament_id)
        return loaded

    async def _free_id(self, name: str, command_id: str) -> str:
        for wanted in identity.tournament_ids(name, command_id):
            if not await self._record.read_stream(stream(wanted)):
                return wanted
        raise AssertionError("the ids of a name have no end")

    async def _known(self, player_id: str, name: str) -> bool:
        """Say whether this player is known from elsewhere, and refuse to give them another name in passing."""
        known = (await people.names(self._record, [player_id])).get(player_id)
        if known and not identity.same_name(known.name, name):
            raise Refusal(
                "NAME_DIFFERS",
                "",
                N_("The id {player} belongs to a player of another name: give that name, or another id."),
                {"player": player_id},
            )
        return known is not None

    async def _check_name_free(self, state: Tournament, name: str) -> None:
        """Refuse a name that another player of the tournament has: on a wall nobody could tell them apart."""
        known = await people.names(self._record, [player.player_id for player in state.players])
        for person in known.values():
            if identity.same_name(person.name, name):
                raise Refusal(
                    "NAME_TAKEN",
                    "",
                    N_("{player} is registered under this name already; add what tells the two apart."),
                    {"player": person.player_id},
                )

    def _at(self, request: Any) -> datetime | None:
        given = occurred_at(request, self._runtime.now)
        return to_datetime(given) if request.HasField("occurred_at") else None


def _decision(tournament_id: str, loaded: Loaded[Tournament], facts: list[Message]) -> Decision:
    return Decision([Write(stream(tournament_id), loaded.version, facts, tournament_id)])
