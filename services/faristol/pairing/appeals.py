"""gRPC in: appeals against sanctions, and the tribunal that decides on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pairing import decide, identity, pinning, tribunal
from faristol.pairing.commands import Commands, Context
from faristol.pairing.model import Member, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Loaded, people

MOST_PERSONS = 100
"""Persons whom one command on an appeal names, and countries and affiliations that it tells."""


class Appeals(Commands):
    """The tribunal of appeals."""

    async def AppointTribunal(
        self, request: pairing.AppointTribunalRequest, context: Context
    ) -> pairing.AppointTribunalResponse:
        """Appoint the tribunal of appeals."""
        at = self.at(request)
        members = [Member(one.person_id, one.role) for one in request.appointments]
        countries = {one.person_id: one.country for one in request.appointments}
        _check_number("appointments", len(members))
        _check_number("affiliations", len(request.affiliations))
        affiliations = _affiliations(request.affiliations)

        async def facts_of(loaded: Loaded[Tournament]) -> list[Message]:
            return decide.appoint(
                loaded.state,
                pinning.ruleset_of(loaded.state),
                members=members,
                belonging=await self._belonging("appointments", countries, affiliations, {*countries}),
                at=at,
                now=self._runtime.now(),
            )

        return await self.act_reading(
            context,
            request,
            facts_of,
            lambda position, _: pairing.AppointTribunalResponse(position=position),
            pairing.AppointTribunalResponse,
        )

    async def LodgeAppeal(self, request: pairing.LodgeAppealRequest, context: Context) -> pairing.LodgeAppealResponse:
        """Appeal against a warning, a sanction or an expulsion."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        _check_number("countries", len(request.countries))
        _check_number("player_ids", len(request.player_ids))
        _check_number("affiliations", len(request.affiliations))
        countries = _told("countries", ((one.person_id, one.country) for one in request.countries))
        affiliations = _affiliations(request.affiliations)

        async def facts_of(loaded: Loaded[Tournament]) -> list[Message]:
            state = loaded.state
            persons = {one.player_id for one in state.players} | {one.person_id for one in state.tribunal}
            return decide.lodge(
                state,
                pinning.ruleset_of(state),
                await self.acts_with(loaded, request.version),
                request.version,
                player_id=request.player_id,
                others=request.player_ids,
                belonging=await self._belonging("countries", countries, affiliations, persons),
                note=note,
                at=at,
                now=self._runtime.now(),
            )

        def answer(position: int, facts: list[Message]) -> pairing.LodgeAppealResponse:
            (fact,) = facts
            assert isinstance(fact, events.AppealLodged)
            return pairing.LodgeAppealResponse(position=position, appeal=fact.appeal, members=fact.members)

        return await self.act_reading(context, request, facts_of, answer, pairing.LodgeAppealResponse)

    async def WithdrawAppeal(
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

    async def DecideAppeal(
        self, request: pairing.DecideAppealRequest, context: Context
    ) -> pairing.DecideAppealResponse:
        """Say what the tribunal decided on an appeal."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        if request.upheld == request.dismissed:
            raise Invalid("upheld", N_("expected one of upheld=true and dismissed=true"))

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

    async def _belonging(
        self, field: str, countries: Mapping[str, str], affiliations: Mapping[str, str], persons: set[str]
    ) -> tribunal.Belonging:
        """Where persons belong: what is known of players, and for everybody else what the request tells.

        ``field`` is where it tells countries. Raises ``Invalid`` for what is no country, and for another country or
        club than is known.
        """
        known = (await people.names(self._record, persons | countries.keys() | affiliations.keys())).values()
        of_country = {one.player_id: one.country for one in known if one.country}
        for person_id, country in countries.items():
            if not identity.checked_country(field, country):
                continue
            if of_country.setdefault(person_id, country) != country:
                raise Invalid(field, N_("{person} was registered with another country"), {"person": person_id[:100]})
        of_club = {one.player_id: one.club for one in known if one.club}
        for person_id, affiliation in affiliations.items():
            if not identity.same_affiliation(of_club.setdefault(person_id, affiliation), affiliation):
                raise Invalid("affiliations", N_("{person} was registered with another club"), {"person": person_id})
        return tribunal.Belonging(of_country, of_club)


def _affiliations(given: Sequence[pairing.PersonAffiliation]) -> dict[str, str]:
    """The affiliations that a request tells. Raises ``Invalid`` for what is none, and for two of one person."""
    told = _told("affiliations", ((one.person_id, one.affiliation) for one in given))
    return {person_id: identity.checked_name("affiliations", name) for person_id, name in told.items()}


def _told(field: str, given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What a request tells of persons, by id. Raises ``Invalid`` for no id, and for two things of one person."""
    told: dict[str, str] = {}
    for person_id, value in given:
        if told.setdefault(identity.checked_id(field, person_id), value) != value:
            raise Invalid(field, N_("{person} is named twice"), {"person": person_id})
    return told


def _check_number(field: str, persons: int) -> None:
    if persons > MOST_PERSONS:
        raise Invalid(
            field,
            N_("names {persons} people; expected at most {most}"),
            {"persons": persons, "most": MOST_PERSONS},
        )
