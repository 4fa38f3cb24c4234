"""Two players of one name: both are registered if they differ in other data, and are distinguished everywhere."""

from __future__ import annotations

import grpc
import pytest
from tests.component.tournament.test_service import command, create, read_refusal, register
from tests.support.pairing_service import PairingService

from faristol.event_store.beside_events.bindings import ENTRIES
from faristol.kernel.details import Person
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data.erasure import erase
from faristol.personal_data.people import load_distinct_names

ANNA = "Anna Puig"


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ({"club": "Valls"}, {"club": "Reus"}, ["Anna Puig (Valls)", "Anna Puig (Reus)"]),
        ({"player_id": "anna"}, {"player_id": "anna-2"}, ["Anna Puig (anna)", "Anna Puig (anna-2)"]),
        ({"club": "Valls"}, {"club": "Valls", "player_id": "anna-2"}, ["Anna Puig (p-", "Anna Puig (anna-2)"]),
        ({"club": "Valls"}, {"player_id": "anna-2"}, ["Anna Puig (Valls)", "Anna Puig (anna-2)"]),
    ],
)
async def test_two_of_one_name_with_different_ids_or_clubs_both_come_in_and_are_told_apart(
    service: PairingService, first: dict[str, str], second: dict[str, str], names: list[str]
) -> None:
    await create(service)
    for fields in (first, second):
        await register(service, name=ANNA, **fields)
    for place in range(4):
        await register(service, name=f"Player {place}")
    await service.stub.PairRound(pb.PairRoundRequest(command_id=command(), tournament_id="open", round=1))
    listed = await service.stub.ListResults(pb.ListResultsRequest(tournament_id="open", round=1))
    seated = sorted(player.name for table in listed.tables for player in table.players if player.name.startswith(ANNA))
    assert all(any(shown.startswith(name) for shown in seated) for name in names)
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    entered = [act.players[0].name for act in acts if act.type == "PlayerRegistered"]
    assert all(told.startswith(name) for told, name in zip(entered[:2], names, strict=True))


@pytest.mark.parametrize(
    ("first", "second"),
    [({}, {}), ({"club": "Valls"}, {"club": "VALLS"}), ({"club": "Valls"}, {}), ({"player_id": "anna"}, {})],
)
async def test_one_name_with_nothing_that_tells_two_people_apart_is_a_slip(
    service: PairingService, first: dict[str, str], second: dict[str, str]
) -> None:
    await create(service)
    await register(service, name=ANNA, **first)
    code, _, info = await read_refusal(register(service, name="ANNA  puig", **second))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NAME_TAKEN")


def test_a_name_that_one_player_has_alone_is_shown_as_it_is() -> None:
    persons = [Person("a", ANNA, "Valls"), Person("b", "Blai Soler", "Valls"), Person("c", "", ""), Person("d", "", "")]
    assert load_distinct_names(persons) == {"a": ANNA, "b": "Blai Soler", "c": "", "d": ""}


async def test_a_category_stays_with_the_player_and_a_note_can_be_erased(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="anna", name=ANNA, category=" U18 ", note="needs a ramp")

    async def get_player() -> pb.Player:
        return (await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))).players[0]

    assert ((await get_player()).category, (await get_player()).note) == ("U18", "needs a ramp")
    (event,) = [
        recorded for recorded in await service.record.read_stream("tournament-open") if recorded.type in ENTRIES
    ]
    assert b"ramp" not in event.payload
    await erase(service.record, "anna")
    assert ((await get_player()).category, (await get_player()).note) == ("U18", "")


async def test_a_category_that_is_too_long_is_refused(service: PairingService) -> None:
    await create(service)
    code, told, _ = await read_refusal(register(service, name=ANNA, category="x" * 21))
    assert (code, told) == (grpc.StatusCode.INVALID_ARGUMENT, "category: has 21 characters; expected 0 to 20")


async def test_a_category_goes_along_to_another_division(service: PairingService) -> None:
    await create(service)
    await create(service, tournament_id="second", division="B", division_of="open", first_division="A")
    await register(service, player_id="anna", name=ANNA, category="U18")
    await service.stub.MovePlayer(
        pb.MovePlayerRequest(command_id=command(), tournament_id="open", player_id="anna", to_tournament_id="second")
    )
    moved = (await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="second"))).players
    assert [(event.player_id, event.category) for event in moved] == [("anna", "U18")]
