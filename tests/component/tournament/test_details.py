"""Each personal detail of the contract passes through the pairing service: beside the events, never in them."""

from __future__ import annotations

import grpc
import pytest
from tests.component.tournament.test_amendments import amend, get_tournament
from tests.component.tournament.test_service import create, read_refusal, register
from tests.support.details import examples
from tests.support.pairing_service import PairingService

from faristol.event_store.integrity.verification import verify
from faristol.kernel.details import DETAILS, Detail, read_details
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data.erasure import erase
from faristol.tournament.players.amendment import DETAIL_PARTS

GIVEN, AMENDED = examples(), examples(1)


async def personal_details(service: PairingService, player_id: str = "anna") -> pb.GetPersonalDetailsResponse:
    """Return the answer on all details of a player."""
    asked = pb.GetPersonalDetailsRequest(tournament_id="open", player_id=player_id)
    return await service.stub.GetPersonalDetails(asked)


async def test_details_are_registered_amended_removed_and_erased_and_no_event_has_one(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="anna", **GIVEN)
    assert read_details((await get_tournament(service)).players[0]) == GIVEN
    answer = await amend(service, "anna", **AMENDED)
    assert {*answer.parts} == {*DETAIL_PARTS.values()}
    assert read_details((await get_tournament(service)).players[0]) == AMENDED
    assert read_details((await personal_details(service)).details) == AMENDED
    await amend(service, "anna", **{name: detail.empty for name, detail in DETAILS.items() if name != "name"})
    assert read_details((await personal_details(service)).details) == {"name": AMENDED["name"]}
    assert (await verify(service.record)).names.bound == 1
    stored = b"".join(event.payload for event in await service.record.read())
    assert [value for value in (*GIVEN.values(), *AMENDED.values()) if str(value).encode() in stored] == []
    await erase(service.record, "anna")
    assert read_details((await personal_details(service)).details) == {}
    code, _, info = await read_refusal(personal_details(service, "biel"))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_REGISTERED")


async def test_a_player_who_comes_again_keeps_the_name_and_has_the_details_that_were_given_last(
    service: PairingService,
) -> None:
    for place in range(3):
        await create(service, tournament_id="open" if place == 2 else f"open-{place}")
    await register(service, tournament_id="open-0", player_id="anna", **GIVEN)
    await register(service, tournament_id="open-1", player_id="anna", **AMENDED | {"name": str(GIVEN["name"]).upper()})
    await register(service, tournament_id="open", player_id="anna", name=GIVEN["name"])
    assert read_details((await personal_details(service)).details) == AMENDED | {"name": GIVEN["name"]}


@pytest.mark.parametrize("detail", DETAILS.values(), ids=DETAILS)
async def test_a_malformed_detail_is_refused_by_its_field_and_no_data_are_stored(
    service: PairingService, detail: Detail
) -> None:
    await create(service)
    await register(service, player_id="anna", name="Anna")
    wrong = 99999 if detail.is_number else "x" * (detail.options.longest + 1)
    registration = register(service, player_id="biel", **{"name": "Biel", detail.name: wrong})
    for call in (registration, amend(service, "anna", **{detail.name: wrong})):
        code, message, _ = await read_refusal(call)
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert message.startswith(f"{detail.name}: ")
    assert [read_details(player) for player in (await get_tournament(service)).players] == [{"name": "Anna"}]
