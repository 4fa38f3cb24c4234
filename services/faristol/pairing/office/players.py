"""Players who enter a division: by registration, and from another division. Names stand beside the events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host.dispatch import Context
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.administration.move import move
from faristol.pairing.administration.registration import register
from faristol.pairing.commands import tidied
from faristol.pairing.identity import (
    LONGEST_CATEGORY,
    checked_country,
    checked_name,
    checked_player_id,
    is_given,
    player_id,
    same_affiliation,
    same_name,
)
from faristol.pairing.model import Tournament
from faristol.pairing.office.office import Office
from faristol.pairing.office.outcome import answer_to, write_of
from faristol.pairing.situation import Command, Situation
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.record import Decision, Record, people


def _entry(situation: Situation, request: pb.RegisterPlayerRequest, facts: Sequence[Message]) -> Mapping[str, Any]:
    late = next((fact for fact in facts if isinstance(fact, events.LateEntryAdmitted)), None)
    first = {"round": late.round, "fictitious_half_points": late.fictitious_half_points} if late else {"round": 1}
    return {"player_id": request.player_id, **first}


_REGISTERED = Command(register, more=_entry)


async def register_player(
    office: Office, request: pb.RegisterPlayerRequest, context: Context
) -> pb.RegisterPlayerResponse:
    """Register a player. Name, club and country are kept beside the events, in the same transaction."""
    at, record = office.at(request), office.record
    asked = _checked(request)

    async def attempt() -> tuple[Decision, Callable[[int], pb.RegisterPlayerResponse]]:
        loaded = await office.load(request.tournament_id)
        others = await office.other_divisions(loaded.state)
        situation = Situation(loaded.state, now=office.runtime.now(), at=at, divisions=others.tournaments)
        facts = register(situation, asked)
        known = await _known(record, asked.player_id, asked.name)
        # Who comes again has the name of before, and what is not said this time stays as well.
        person = (
            people.Person(known.player_id, known.name, asked.club or known.club, asked.country or known.country)
            if known
            else people.Person(asked.player_id, asked.name, asked.club, asked.country)
        )
        await _check_name_free(record, person, loaded.state, others.tournaments)

        async def remember(connection: AsyncConnection) -> str:
            return await people.remember(connection, person.player_id, person.name, person.club, person.country)

        decision = Decision([write_of(loaded, facts)], others.guards, also=remember)
        return decision, answer_to(_REGISTERED, pb.RegisterPlayerResponse, situation, asked, facts)

    return await office.handle(request, context, attempt, pb.RegisterPlayerResponse, among_divisions=True)


def _checked(request: pb.RegisterPlayerRequest) -> pb.RegisterPlayerRequest:
    """A request as it is kept, with an id. Raises ``Invalid`` for what cannot be a name, a country or an id."""
    asked = pb.RegisterPlayerRequest()
    asked.CopyFrom(request)
    asked.name = checked_name("name", request.name)
    asked.club = checked_name("club", request.club, empty=True)
    asked.country = checked_country("country", request.country)
    asked.category = checked_name("category", request.category, empty=True, longest=LONGEST_CATEGORY)
    asked = tidied(asked)
    asked.player_id = (
        checked_player_id("player_id", request.player_id) if request.player_id else player_id(request.command_id)
    )
    return asked


async def move_player(office: Office, request: pb.MovePlayerRequest, context: Context) -> pb.MovePlayerResponse:
    """Move a player to another division, in one act on both."""
    at, asked = office.at(request), tidied(request)

    async def attempt() -> tuple[Decision, Callable[[int], pb.MovePlayerResponse]]:
        leaving = await office.load(request.tournament_id)
        entering = await office.load(request.to_tournament_id, "to_tournament_id")
        others = (await office.other_divisions(leaving.state)).without(request.to_tournament_id)
        now = office.runtime.now()
        left, entered = move(
            Situation(leaving.state, now=now, at=at),
            Situation(entering.state, now=now, at=at, divisions=others.tournaments),
            asked,
        )
        known = (await people.names(office.record, [request.player_id])).get(request.player_id)
        if known is not None and known.name:
            await _check_name_free(office.record, known, entering.state, others.tournaments)
        writes = [write_of(leaving, left), write_of(entering, entered)]
        decision = Decision(writes, others.guards, also=lambda there: people.bind(there, request.player_id))
        return decision, lambda position: pb.MovePlayerResponse(position=position)

    return await office.handle(request, context, attempt, pb.MovePlayerResponse, among_divisions=True)


async def _known(record: Record, wanted: str, name: str) -> people.Person | None:
    """The player as known from elsewhere, None for a new one. Refuses to give them another name in passing."""
    known = (await people.names(record, [wanted])).get(wanted)
    if known and not same_name(known.name, name):
        raise Refusal(
            "NAME_DIFFERS",
            "",
            N_("The id {player} belongs to a player of another name: give that name, or another id."),
            {"player": wanted},
        )
    return known


async def _check_name_free(
    record: Record, entering: people.Person, entered: Tournament, divisions: Sequence[Tournament]
) -> None:
    """Refuse a name that another player has, where readers of a list could not tell the two apart.

    Two clubs tell them apart, and so does an id that was chosen for who enters. With one club, or none for one of them,
    they may be the same person. Compared are all players of the tournament, and those who take part in the other
    divisions of its championship: a person may have another id there.
    """
    if is_given(entering.player_id):
        return
    for division in (entered, *divisions):
        same = division is entered
        ids = [player.player_id for player in division.players if same or not player.never_came]
        known = await people.names(record, [other for other in ids if other != entering.player_id])
        taken = next((person for person in known.values() if _may_be_same(person, entering)), None)
        if taken is not None and same:
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
                {"player": taken.player_id, "division": division.division},
            )


def _may_be_same(known: people.Person, entering: people.Person) -> bool:
    """Whether two may be the same person: they have one name, and are not known to be of two clubs."""
    if not same_name(known.name, entering.name):
        return False
    of_clubs = bool(known.club and entering.club)
    return not of_clubs or same_affiliation(known.club, entering.club)
