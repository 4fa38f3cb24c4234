"""Divisions as a director's program meets them."""

from __future__ import annotations

import grpc
import pytest
from tests.component.tournament.test_service import (
    command,
    create,
    names_on_stream,
    read_refusal,
    register,
)
from tests.support.pairing_service import PairingService

from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb


async def championship(service: PairingService) -> None:
    """Prepare two divisions, of which the first was a tournament before; Anna plays in the first."""
    await create(service)
    await create(service, tournament_id="second", division="B", division_of="open", first_division="A")
    await register(service, player_id="anna", name="Anna Puig", rating=1700)


async def look(service: PairingService, tournament_id: str) -> pb.GetTournamentResponse:
    return await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id=tournament_id))


async def move(service: PairingService, leaving: str, entering: str) -> pb.MovePlayerResponse:
    return await service.stub.MovePlayer(
        pb.MovePlayerRequest(
            command_id=command(),
            tournament_id=leaving,
            player_id="anna",
            to_tournament_id=entering,
            note="asked for it",
        )
    )


async def test_a_division_is_created_and_made_known_to_the_first_in_one_append(service: PairingService) -> None:
    await create(service)
    answer = await create(service, tournament_id="second", division=" B ", division_of="open", first_division="A")
    assert answer.position == 9
    assert (await names_on_stream(service))[3:] == ["DivisionAdded", "DivisionAdded"]
    known = [events.Division(tournament_id="open", name="A"), events.Division(tournament_id="second", name="B")]
    for tournament_id, division, first in (("open", "A", ""), ("second", "B", "open")):
        shown = await look(service, tournament_id)
        assert (shown.division, shown.division_of, list(shown.divisions)) == (division, first, known)


@pytest.mark.parametrize(
    ("fields", "code", "told"),
    [
        ({"division": "C", "division_of": "none"}, grpc.StatusCode.NOT_FOUND, "none"),
        (
            {"division": "C", "division_of": "Open!"},
            grpc.StatusCode.INVALID_ARGUMENT,
            "division_of: 'Open!' is not an id",
        ),
        ({"division_of": "open"}, grpc.StatusCode.INVALID_ARGUMENT, "division"),
        ({"division": "\u202e", "division_of": "open"}, grpc.StatusCode.INVALID_ARGUMENT, "division"),
        ({"division": "C", "first_division": "A"}, grpc.StatusCode.INVALID_ARGUMENT, "first_division"),
        ({"division": "C", "division_of": "second"}, grpc.StatusCode.FAILED_PRECONDITION, "use that one"),
        ({"division": "b", "division_of": "open"}, grpc.StatusCode.FAILED_PRECONDITION, "is already"),
    ],
)
async def test_a_division_that_cannot_be_changes_nothing(
    service: PairingService, fields: dict[str, str], code: grpc.StatusCode, told: str
) -> None:
    await championship(service)
    before = await service.record.last_position()
    found, message, _ = await read_refusal(create(service, tournament_id="third", **fields))
    assert (found, told in message) == (code, True)
    assert await service.record.last_position() == before


async def test_a_player_of_a_division_is_refused_in_another_by_id_and_by_name(service: PairingService) -> None:
    await championship(service)
    _, told, info = await read_refusal(register(service, tournament_id="second", player_id="anna", name="Anna Puig"))
    assert (info.reason, told) == (
        "ALREADY_IN_DIVISION",
        "anna is in division A (open): a player cannot be in two divisions.",
    )
    _, told, info = await read_refusal(register(service, tournament_id="second", name="anna puig"))
    assert (info.reason, "anna of division A has this name" in told) == ("NAME_TAKEN", True)


async def test_a_player_moves_in_one_act_and_back(service: PairingService) -> None:
    await championship(service)
    await move(service, "open", "second")
    assert (await names_on_stream(service))[-1] == "PlayerWithdrawn"
    entered = (await service.record.read_stream("tournament-second"))[-1].message
    assert isinstance(entered, events.PlayerRegistered)
    assert (entered.player_id, entered.rating) == ("anna", 1700)
    acts = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))
    assert (acts.acts[-1].note, acts.acts[-1].undone_by) == ("asked for it", "ReinstatePlayer")
    _, told, info = await read_refusal(
        service.stub.UndoAct(
            pb.UndoActRequest(command_id=command(), tournament_id="open", version=acts.acts[-1].version)
        )
    )
    assert (info.reason, "division B" in told) == ("ALREADY_IN_DIVISION", True)
    _, _, info = await read_refusal(
        service.stub.ReinstatePlayer(
            pb.ReinstatePlayerRequest(command_id=command(), tournament_id="open", player_id="anna")
        )
    )
    assert info.reason == "ALREADY_IN_DIVISION"
    await move(service, "second", "open")
    assert (await names_on_stream(service))[-1] == "PlayerReinstated"
    assert (await names_on_stream(service, "tournament-second"))[-1] == "PlayerWithdrawn"


async def test_a_division_to_move_to_that_is_no_id_is_refused_by_its_field(service: PairingService) -> None:
    await championship(service)
    code, message, _ = await read_refusal(move(service, "open", "Second!"))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert message.startswith("to_tournament_id: 'Second!' is not an id")


async def test_a_player_moves_to_a_division_that_nobody_of_the_same_name_was_in(service: PairingService) -> None:
    await championship(service)
    other = await register(service, tournament_id="second", name="Biel Soler")
    await service.stub.WithdrawPlayer(
        pb.WithdrawPlayerRequest(command_id=command(), tournament_id="second", player_id=other.player_id)
    )
    biel = (await register(service, name="Biel Soler")).player_id
    _, _, info = await read_refusal(
        service.stub.MovePlayer(
            pb.MovePlayerRequest(command_id=command(), tournament_id="open", player_id=biel, to_tournament_id="second")
        )
    )
    assert info.reason == "NAME_TAKEN"


async def test_tables_of_another_division_are_refused_and_a_division_that_was_added_stays(
    service: PairingService,
) -> None:
    await championship(service)

    async def halls(tournament_id: str, first: int, last: int) -> pb.SetHallsResponse:
        gran = events.Hall(name="Gran", first_table=first, last_table=last)
        return await service.stub.SetHalls(
            pb.SetHallsRequest(command_id=command(), tournament_id=tournament_id, halls=[gran])
        )

    await halls("second", 1, 10)
    _, told, info = await read_refusal(halls("open", 10, 20))
    assert (info.reason, "Division B (second) has the tables 10:" in told) == ("TABLES_OF_DIVISION", True)
    await halls("open", 11, 20)
    _, _, info = await read_refusal(
        service.stub.UndoAct(pb.UndoActRequest(command_id=command(), tournament_id="open", version=5))
    )
    assert info.reason == "NOT_UNDONE"
