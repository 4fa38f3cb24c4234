"""gRPC in: what directors ask for about players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.kernel.refusal import N_, Refusal
from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context, answering, decision_of
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Decision, Record, people


class Players(Commands):
    """Registration, check-in, byes, withdrawal."""

    async def RegisterPlayer(
        self, request: pairing.RegisterPlayerRequest, context: Context
    ) -> pairing.RegisterPlayerResponse:
        """Register a player. Name, club and country are kept beside the events, in the same transaction."""
        at = self.at(request)
        name = identity.checked_name("name", request.name)
        club = identity.checked_name("club", request.club, empty=True)
        country = identity.checked_country("country", request.country)
        category = identity.checked_name("category", request.category, empty=True, longest=identity.LONGEST_CATEGORY)
        note = identity.checked_note("note", request.note)
        player_id = (
            identity.checked_player_id("player_id", request.player_id)
            if request.player_id
            else identity.player_id(request.command_id)
        )

        async def attempt() -> tuple[Decision, Callable[[int], pairing.RegisterPlayerResponse]]:
            loaded = await self.load(request.tournament_id)
            others = await self.other_divisions(loaded.state)
            facts = decide.register(
                loaded.state,
                pinning.ruleset_of(loaded.state),
                player_id=player_id,
                divisions=others.tournaments,
                rating=request.rating if request.HasField("rating") else None,
                number=request.round,
                category=category,
                note=note,
                at=at,
                now=self._runtime.now(),
            )
            known = await self._known(player_id, name)
            # Who comes again has the name of before, and what is not said this time stays as well.
            told = (
                people.Person(player_id, known.name, club or known.club, country or known.country)
                if known
                else people.Person(player_id, name, club, country)
            )

            await check_name_free(self._record, told, loaded.state, others.tournaments)

            async def remember(connection: AsyncConnection) -> None:
                await people.remember(connection, player_id, told.name, told.club, told.country)

            decided = decision_of(request.tournament_id, loaded, facts, others.guards)
            decision = replace(decided, also=None if known == told else remember)
            (fact,) = facts
            late = fact if isinstance(fact, events.LateEntryAdmitted) else events.LateEntryAdmitted(round=1)

            def answer(position: int, _: list[Message]) -> pairing.RegisterPlayerResponse:
                return pairing.RegisterPlayerResponse(
                    position=position,
                    player_id=player_id,
                    round=late.round,
                    fictitious_half_points=late.fictitious_half_points,
                )

            return decision, answering(loaded.state, facts, answer, pairing.RegisterPlayerResponse)

        async with self.in_turn(request.tournament_id):
            return await self.handle(context, request, attempt, response=pairing.RegisterPlayerResponse)

    async def CheckInPlayer(
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

    async def CheckOutPlayer(
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

    async def WithdrawPlayer(
        self, request: pairing.WithdrawPlayerRequest, context: Context
    ) -> pairing.WithdrawPlayerResponse:
        """Withdraw a player."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        def facts_of(state: Tournament) -> list[Message]:
            return decide.withdraw(
                state,
                player_id=request.player_id,
                note=note,
                running_game=request.running_game,
                at=at,
                now=self._runtime.now(),
            )

        def answer(position: int, facts: list[Message]) -> pairing.WithdrawPlayerResponse:
            (fact,) = facts
            assert isinstance(fact, events.PlayerWithdrawn)
            return pairing.WithdrawPlayerResponse(position=position, round=fact.round, game_id=fact.game_id)

        return await self.act(context, request, facts_of, answer, pairing.WithdrawPlayerResponse)

    async def ReinstatePlayer(
        self, request: pairing.ReinstatePlayerRequest, context: Context
    ) -> pairing.ReinstatePlayerResponse:
        """Pair a player again who had withdrawn."""
        at = self.at(request)

        def answer(position: int, facts: list[Message]) -> pairing.ReinstatePlayerResponse:
            (fact,) = facts
            assert isinstance(fact, events.PlayerReinstated)
            return pairing.ReinstatePlayerResponse(position=position, round=fact.round)

        return await self.act_among_divisions(
            context,
            request,
            lambda state, divisions: decide.reinstate(
                state, player_id=request.player_id, divisions=divisions, at=at, now=self._runtime.now()
            ),
            answer,
            pairing.ReinstatePlayerResponse,
        )

    async def GrantBye(self, request: pairing.GrantByeRequest, context: Context) -> pairing.GrantByeResponse:
        """Let a player, or a team, sit out a round to come."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset, now = pinning.ruleset_of(state), self._runtime.now()
            number, kind = request.round, request.kind
            grant = partial(decide.grant_bye, ruleset=ruleset, number=number, kind=kind, at=at, now=now)
            return decide.of_bye(state, ruleset, request, grant)

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.GrantByeResponse(position=position),
            pairing.GrantByeResponse,
        )

    async def RevokeBye(self, request: pairing.RevokeByeRequest, context: Context) -> pairing.RevokeByeResponse:
        """Take such a bye back."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            revoke = partial(decide.revoke_bye, number=request.round, at=at, now=self._runtime.now())
            return decide.of_bye(state, pinning.ruleset_of(state), request, revoke)

        return await self.act(
            context,
            request,
            facts_of,
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


async def check_name_free(
    record: Record, entering: people.Person, entered: Tournament, divisions: Sequence[Tournament]
) -> None:
    """Refuse a name that another player has and that nothing tells apart: on a wall nobody could.

    Two clubs do, and an id that somebody chose for who enters; one club, or none of one of them, may be one person
    twice. All players of the tournament that is entered count, and of the other divisions of its championship those who
    take part, for a person may have been given another id there.
    """
    if identity.is_given(entering.player_id):
        return
    for one in (entered, *divisions):
        ids = [player.player_id for player in one.players if one is entered or not player.never_came]
        known = await people.names(record, [other for other in ids if other != entering.player_id])
        taken = next((person for person in known.values() if _are_one(person, entering)), None)
        if taken is not None and one is entered:
            raise Refusal(
                "NAME_TAKEN",
                "",
                N_(
                    "{player} is registered under this name already: if they are two people, give each a club or an id."
                ),
                {"player": taken.player_id, "club": taken.club},
            )
        if taken is not None:
            raise Refusal(
                "NAME_TAKEN",
                "",
                N_("{player} of division {division} has this name: if they are two people, give each a club or an id."),
                {"player": taken.player_id, "division": one.division},
            )


def _are_one(known: people.Person, entering: people.Person) -> bool:
    """Whether two may be one person: they have one name, and are not known to be of two clubs."""
    if not identity.same_name(known.name, entering.name):
        return False
    of_clubs = bool(known.club and entering.club)
    return not of_clubs or identity.same_affiliation(known.club, entering.club)
