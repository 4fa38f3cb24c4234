"""gRPC in: appeals against sanctions, and the tribunal that decides on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.host.errors import Invalid
from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context
from faristol.pairing.model import Member, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import people
from faristol.rules import N_


class Appeals(Commands):
    """The tribunal of appeals."""

    async def AppointTribunal(  # noqa: N802
        self, request: pairing.AppointTribunalRequest, context: Context
    ) -> pairing.AppointTribunalResponse:
        """Appoint the tribunal of appeals."""
        at = self.at(request)
        members = [Member(one.person_id, one.role) for one in request.appointments]
        told = {one.person_id: one.country for one in request.appointments}
        countries = await self._countries("appointments", told, {*told})
        return await self.act(
            context,
            request,
            lambda state: decide.appoint(
                state,
                pinning.ruleset_of(state),
                members=members,
                countries=countries,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.AppointTribunalResponse(position=position),
            pairing.AppointTribunalResponse,
        )

    async def LodgeAppeal(  # noqa: N802
        self, request: pairing.LodgeAppealRequest, context: Context
    ) -> pairing.LodgeAppealResponse:
        """Appeal against a warning, a sanction or an expulsion."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        told = {one.person_id: one.country for one in request.countries}
        before = (await self.load(request.tournament_id)).state
        persons = {one.player_id for one in before.players} | {one.person_id for one in before.tribunal}
        countries = await self._countries("countries", told, persons | told.keys())

        def answer(position: int, facts: list[Message]) -> pairing.LodgeAppealResponse:
            (fact,) = facts
            assert isinstance(fact, events.AppealLodged)
            return pairing.LodgeAppealResponse(position=position, appeal=fact.appeal, members=fact.members)

        return await self.act_on(
            context,
            request,
            lambda state, facts, _: decide.lodge(
                state,
                pinning.ruleset_of(state),
                facts,
                request.version,
                player_id=request.player_id,
                others=request.player_ids,
                countries=countries,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            answer,
            pairing.LodgeAppealResponse,
        )

    async def WithdrawAppeal(  # noqa: N802
        self, request: pairing.WithdrawAppealRequest, context: Context
    ) -> pairing.WithdrawAppealResponse:
        """Take an appeal back that has not been decided on."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act(
            context,
            request,
            lambda state: decide.withdraw_appeal(
                state, pinning.ruleset_of(state), appeal=request.appeal, note=note, at=at, now=self._runtime.now()
            ),
            lambda position, _: pairing.WithdrawAppealResponse(position=position),
            pairing.WithdrawAppealResponse,
        )

    async def DecideAppeal(  # noqa: N802
        self, request: pairing.DecideAppealRequest, context: Context
    ) -> pairing.DecideAppealResponse:
        """Say what the tribunal decided on an appeal."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        if request.upheld == request.dismissed:
            raise Invalid("upheld", N_("expected that the appeal is either upheld or dismissed"))

        def facts_of(state: Tournament, facts: list[Message], divisions: Sequence[Tournament]) -> list[Message]:
            return decide.decide_appeal(
                state,
                pinning.ruleset_of(state),
                facts,
                appeal=request.appeal,
                upheld=request.upheld,
                divisions=divisions,
                note=note,
                at=at,
                now=self._runtime.now(),
            )

        return await self.act_in_view(
            context,
            request,
            facts_of,
            lambda position, _: pairing.DecideAppealResponse(position=position),
            pairing.DecideAppealResponse,
        )

    async def _countries(self, field: str, told: Mapping[str, str], persons: set[str]) -> dict[str, str]:
        """The countries of persons: what is known of players, and for everybody else what the request tells.

        Raises ``Invalid`` for what is no country, and for another than is known.
        """
        known = {one.player_id: one.country for one in (await people.names(self._record, persons)).values()}
        countries = {person_id: country for person_id, country in known.items() if country}
        for person_id, country in told.items():
            if not identity.checked_country(field, country):
                continue
            if countries.setdefault(person_id, country) != country:
                raise Invalid(field, N_("{person} was registered with another country"), {"person": person_id[:100]})
        return countries
