"""A command is executed once, for its sender, however it is sent."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.component.processes import Child, free_port, wait_until_serving

from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc

pytestmark = [pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, port = tmp_path_factory.mktemp("commands"), free_port()
    up = Child(["up", "--data", str(folder / "data"), "--http", "0", "--grpc", str(port)], {}, Path(folder / "log"))
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
        yield f"127.0.0.1:{port}"
    finally:
        assert up.terminate() == 0, up.output()


@pytest.fixture(scope="module")
def pairing(address: str) -> Iterator[pairing_pb2_grpc.PairingServiceStub]:
    with grpc.insecure_channel(address) as channel:
        yield pairing_pb2_grpc.PairingServiceStub(channel)


def new(**fields: Any) -> pairing_pb2.CreateTournamentRequest:
    return pairing_pb2.CreateTournamentRequest(command_id=str(uuid.uuid4()), name="Cup", rounds=5, **fields)


def read_refusal(method: Any, request: Any, **metadata: str) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as failed:
        method(request, metadata=tuple((key.replace("_", "-"), value) for key, value in metadata.items()))
    assert isinstance(failed.value, grpc.Call)
    return failed.value.code(), failed.value.details() or ""


def test_a_command_that_overlaps_its_own_repetition_is_answered_alike_every_time(
    pairing: pairing_pb2_grpc.PairingServiceStub,
) -> None:
    with ThreadPoolExecutor(8) as callers:
        for number in range(25):
            request = new(tournament_id=f"overlap-{number}")
            answers = list(callers.map(pairing.CreateTournament, [request] * 8))
            assert all(answer == answers[0] for answer in answers)


def test_an_id_is_not_taken_for_another_command(pairing: pairing_pb2_grpc.PairingServiceStub) -> None:
    request = new()
    pairing.CreateTournament(request)
    other = pairing_pb2.RegisterPlayerRequest(command_id=request.command_id, tournament_id="cup", name="A")
    code, told = read_refusal(pairing.RegisterPlayer, other)
    assert (code, "was already used for another command" in told) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    changed = pairing_pb2.CreateTournamentRequest()
    changed.CopyFrom(request)
    changed.rounds = 7
    assert read_refusal(pairing.CreateTournament, changed)[0] is grpc.StatusCode.INVALID_ARGUMENT


def test_forty_desks_register_side_by_side(pairing: pairing_pb2_grpc.PairingServiceStub) -> None:
    pairing.CreateTournament(new(tournament_id="desks"))

    def register(number: int) -> str:
        request = pairing_pb2.RegisterPlayerRequest(
            command_id=str(uuid.uuid4()), tournament_id="desks", player_id=f"desk-{number}", name=f"Player {number}"
        )
        return str(pairing.RegisterPlayer(request).player_id)

    with ThreadPoolExecutor(40) as desks:
        assert set(desks.map(register, range(40))) == {f"desk-{number}" for number in range(40)}


def test_a_player_known_from_elsewhere_keeps_the_name(pairing: pairing_pb2_grpc.PairingServiceStub) -> None:
    for tournament in ("first", "second"):
        pairing.CreateTournament(new(tournament_id=tournament))

    def register(tournament: str, name: str) -> pairing_pb2.RegisterPlayerRequest:
        return pairing_pb2.RegisterPlayerRequest(
            command_id=str(uuid.uuid4()), tournament_id=tournament, player_id="anna", name=name
        )

    pairing.RegisterPlayer(register("first", "Anna Puig"))
    code, told = read_refusal(pairing.RegisterPlayer, register("second", "Boris Serra"))
    assert (code, "belongs to a player with another name" in told) == (grpc.StatusCode.FAILED_PRECONDITION, True)
    pairing.RegisterPlayer(register("second", "Anna Puig"))


def test_more_rounds_than_any_calendar_has_are_refused(pairing: pairing_pb2_grpc.PairingServiceStub) -> None:
    request = new()
    request.rounds = 2_000_000
    code, told = read_refusal(pairing.CreateTournament, request)
    assert (code, "expected at most 100" in told) == (grpc.StatusCode.INVALID_ARGUMENT, True)


def test_an_actor_is_an_id_and_no_name(pairing: pairing_pb2_grpc.PairingServiceStub) -> None:
    code, told = read_refusal(pairing.CreateTournament, new(), faristol_actor="Anna Puig <anna@example.org>")
    assert (code, "faristol-actor" in told) == (grpc.StatusCode.INVALID_ARGUMENT, True)


def test_a_method_that_is_not_there_is_unimplemented(address: str) -> None:
    with grpc.insecure_channel(address) as channel:
        unknown = channel.unary_unary("/faristol.game.v1.GameService/Sing", bytes, bytes)
        with pytest.raises(grpc.RpcError) as failed:
            unknown(b"")
    assert isinstance(failed.value, grpc.Call)
    assert failed.value.code() is grpc.StatusCode.UNIMPLEMENTED
