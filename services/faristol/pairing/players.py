"""gRPC in: what directors ask for about players."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context, decision_of
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Decision, people
from faristol.rules import N_, Refusal


class Players(Commands):
    """Registration, check-in, byes, withdrawal."""

    async def RegisterPlayer(  # noqa: N802
        self, request: pairing.RegisterPlayerRequest, context: Context
    ) -> pairing.RegisterPlayerResponse:
        """Register a player. Name, club and country are kept beside the events, in the same transaction."""
        at = self.at(request)
        name = identity.checked_name("name", request.name)
        club = identity.checked_name("club", request.club, empty=True)
        country = identity.checked_country("country", request.country)
        player_id = (
            identity.checked_id("player_id", request.player_id)
            if request.player_id
            else identity.player_id(request.command_id)
        )

        async def attempt() -> tuple[Decision, Callable[[int], pairing.RegisterPlayerResponse]]:
            loaded = await self.load(request.tournament_id)
            facts = decide.register(
                loaded.state,
                pinning.ruleset_of(loaded.state),
                player_id=player_id,
                rating=request.rating if request.HasField("rating") else None,
                number=request.round,
                at=at,
                now=self._runtime.now(),
            )
            await self._check_name_free(loaded.state, name)
            known = await self._known(player_id, name)
            # Who comes again has the name of before, and what is not said this time stays as well.
            told = (
                people.Person(player_id, known.name, club or known.club, country or known.country)
                if known
                else people.Person(player_id, name, club, country)
            )

            async def remember(connection: AsyncConnection) -> None:
                await people.remember(connection, player_id, told.name, told.club, told.country)

            writes = decision_of(request.tournament_id, loaded, facts).writes
            decision = Decision(writes, also=None if known == told else remember)
            (fact,) = facts
            late = fact if isinstance(fact, events.LateEntryAdmitted) else events.LateEntryAdmitted(round=1)
            return decision, lambda position: pairing.RegisterPlayerResponse(
                position=position,
                player_id=player_id,
                round=late.round,
                fictitious_half_points=late.fictitious_half_points,
            )

        return await self._runtime.desk.handle(context, request, attempt, response=pairing.RegisterPlayerResponse)

    async def CheckInPlayer(  # noqa: N802
        self, request: pairing.CheckInPlayerRequest, context: Context
    ) -> pairing.CheckInPlayerResponse:
        """Note that a player is there."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.check_in(state, player_id=request.player_id, at=at, now=self._runtime.now()),
            lambda position, _: pairing.CheckInPlayerResponse(position=position),
            pairing.CheckInPlayerResponse,
        )

    async def CheckOutPlayer(  # noqa: N802
        self, request: pairing.CheckOutPlayerRequest, context: Context
    ) -> pairing.CheckOutPlayerResponse:
        """Take a check-in back."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.check_out(state, player_id=request.player_id, at=at, now=self._runtime.now()),
            lambda position, _: pairing.CheckOutPlayerResponse(position=position),
            pairing.CheckOutPlayerResponse,
        )

    async def WithdrawPlayer(  # noqa: N802
        self, request: pairing.WithdrawPlayerRequest, context: Context
    ) -> pairing.WithdrawPlayerResponse:
        """Withdraw a player."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        def answer(position: int, facts: list[Message]) -> pairing.WithdrawPlayerResponse:
            (fact,) = facts
            assert isinstance(fact, events.PlayerWithdrawn)
            return pairing.WithdrawPlayerResponse(position=position, round=fact.round, game_id=fact.game_id)

        return await self.act(
            context,
            request,
            lambda state: decide.withdraw(
                state,
                player_id=request.player_id,
                note=note,
                running_game=request.running_game,
                at=at,
                now=self._runtime.now(),
            ),
            answer,
            pairing.WithdrawPlayerResponse,
        )

    async def ReinstatePlayer(  # noqa: N802
        self, request: pairing.ReinstatePlayerRequest, context: Context
    ) -> pairing.ReinstatePlayerResponse:
        """Pair a player again who had withdrawn."""
        at = self.at(request)

        def answer(position: int, facts: list[Message]) -> pairing.ReinstatePlayerResponse:
            (fact,) = facts
            assert isinstance(fact, events.PlayerReinstated)
            return pairing.ReinstatePlayerResponse(position=position, round=fact.round)

        return await self.act(
            context,
            request,
            lambda state: decide.reinstate(state, player_id=request.player_id, at=at, now=self._runtime.now()),
            answer,
            pairing.ReinstatePlayerResponse,
        )

    async def GrantBye(  # noqa: N802
        self, request: pairing.GrantByeRequest, context: Context
    ) -> pairing.GrantByeResponse:
        """Let a player sit out a round to come."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.grant_bye(
                state,
                player_id=request.player_id,
                number=request.round,
                kind=request.kind,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.GrantByeResponse(position=position),
            pairing.GrantByeResponse,
        )

    async def RevokeBye(  # noqa: N802
        self, request: pairing.RevokeByeRequest, context: Context
    ) -> pairing.RevokeByeResponse:
        """Take such a bye back."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.revoke_bye(
                state, player_id=request.player_id, number=request.round, at=at, now=self._runtime.now()
            ),
            lambda position, _: pairing.RevokeByeResponse(position=position),
            pairing.RevokeByeResponse,
        )

    async def _known(self, player_id: str, name: str) -> people.Person | None:
        """Give the player as known from elsewhere, None for a new one; refuse to give them another name in passing."""
        known = (await people.names(self._record, [player_id])).get(player_id)
        if known and not identity.same_name(known.name, name):
            raise Refusal(
                "NAME_DIFFERS",
                "",
                N_("The id {player} belongs to a player of another name: give that name, or another id."),
                {"player": player_id},
            )
        return known

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
