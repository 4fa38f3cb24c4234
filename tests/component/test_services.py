"""Each service in a separate process: a port, a health check, reflection, and clear answers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, cast

import grpc
import httpx
import pytest
from google.rpc import error_details_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status
from tests.component.processes import Cell

from faristol.host import SERVICES
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.lexicon.v1 import lexicon_pb2, lexicon_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc
from faristol.pb.rating.v1 import rating_pb2, rating_pb2_grpc
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc

pytestmark = [pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]

CONTEXTS = [service for service in SERVICES if service != "gateway"]


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> Iterator[Cell]:
    folder = tmp_path_factory.mktemp("cell")
    running = Cell(folder, f"sqlite:///{folder}/record.db", shared_nats)
    try:
        yield running.wait()
    finally:
        assert set(running.stop().values()) == {0}


def channel(cell: Cell, service: str) -> grpc.Channel:
    return grpc.insecure_channel(cell.addresses[service])


def error(method: Any, request: Any) -> tuple[grpc.StatusCode, str, error_details_pb2.ErrorInfo]:
    """Return the status, message and details of a call that has to fail."""
    with pytest.raises(grpc.RpcError) as failed:
        method(request, timeout=10)
    call = cast("grpc.Call", failed.value)
    status = rpc_status.from_call(call)
    info = error_details_pb2.ErrorInfo()
    assert status is not None
    assert status.details[0].Unpack(info)
    return call.code(), call.details() or "", info


def test_eight_processes_answer_health_checks_and_reflection(cell: Cell) -> None:
    for service in CONTEXTS:
        with channel(cell, service) as to:
            known = ProtoReflectionDescriptorDatabase(to).get_services()
        assert f"faristol.{service}.v1.{service.capitalize()}Service" in known
    assert httpx.get(f"http://127.0.0.1:{cell.http_port}/healthz").status_code == 200
    with httpx.stream("GET", f"http://127.0.0.1:{cell.http_port}/openapi.json") as answer:
        assert answer.status_code == 200


def test_what_does_not_exist_is_not_found_with_its_id(cell: Cell) -> None:
    nobody = "no-such-thing"
    calls: dict[str, list[tuple[Any, Any, str]]] = {
        "game": [
            (game_pb2_grpc.GameServiceStub, game_pb2.GetGameRequest(game_id=nobody), "GetGame"),
            (game_pb2_grpc.GameServiceStub, game_pb2.PassRequest(game_id=nobody, player_id="a"), "Pass"),
        ],
        "clock": [
            (clock_pb2_grpc.ClockServiceStub, clock_pb2.GetClockRequest(game_id=nobody), "GetClock"),
            (clock_pb2_grpc.ClockServiceStub, clock_pb2.PressRequest(game_id=nobody, player_id="a"), "Press"),
        ],
        "lexicon": [(lexicon_pb2_grpc.LexiconServiceStub, lexicon_pb2.GetCaseRequest(case_id=nobody), "GetCase")],
        "pairing": [
            (
                pairing_pb2_grpc.PairingServiceStub,
                pairing_pb2.GetTournamentRequest(tournament_id=nobody),
                "GetTournament",
            ),
            (
                pairing_pb2_grpc.PairingServiceStub,
                pairing_pb2.PairRoundRequest(tournament_id=nobody, round=1),
                "PairRound",
            ),
        ],
        "rating": [
            (
                rating_pb2_grpc.RatingServiceStub,
                rating_pb2.GetRatingListRequest(tournament_id=nobody),
                "GetRatingList",
            )
        ],
        "results": [
            (results_pb2_grpc.ResultsServiceStub, results_pb2.GetGameRequest(game_id=nobody), "GetGame"),
            (
                results_pb2_grpc.ResultsServiceStub,
                results_pb2.GetStandingsRequest(tournament_id=nobody),
                "GetStandings",
            ),
        ],
    }
    for service, requests in calls.items():
        with channel(cell, service) as to:
            for stub, request, method in requests:
                if hasattr(request, "command_id"):
                    request.command_id = str(uuid.uuid4())
                code, message, info = error(getattr(stub(to), method), request)
                assert code is grpc.StatusCode.NOT_FOUND, f"{service}.{method}: {message}"
                assert nobody in message
                assert info.metadata["id"] == nobody
    answer = httpx.get(f"http://127.0.0.1:{cell.http_port}/api/v1/games/{nobody}")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert nobody in answer.json()["detail"]


def test_what_is_against_the_rules_is_a_failed_precondition_with_reason_and_article(cell: Cell) -> None:
    with channel(cell, "pairing") as to:
        request = pairing_pb2.CreateTournamentRequest(command_id=str(uuid.uuid4()), name="Short", rounds=4)
        code, message, info = error(pairing_pb2_grpc.PairingServiceStub(to).CreateTournament, request)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert (info.reason, info.metadata["article"]) == ("TOO_FEW_ROUNDS", "FISC I.1")
    assert "5" in message


def test_a_refusal_speaks_the_callers_language(cell: Cell) -> None:
    said = set()
    with channel(cell, "pairing") as to:
        create = pairing_pb2_grpc.PairingServiceStub(to).CreateTournament
        for language in ("ca", "es", "el", "en"):
            request = pairing_pb2.CreateTournamentRequest(command_id=str(uuid.uuid4()), name="Short", rounds=4)
            with pytest.raises(grpc.RpcError) as failed:
                create(request, metadata=(("accept-language", language),))
            said.add(failed.value.details())
    assert len(said) == 4


def test_a_command_sent_again_to_a_service_gets_its_first_answer(cell: Cell) -> None:
    with channel(cell, "pairing") as to:
        pairing = pairing_pb2_grpc.PairingServiceStub(to)
        request = pairing_pb2.CreateTournamentRequest(command_id=str(uuid.uuid4()), name="Copa de Prats", rounds=5)
        first = pairing.CreateTournament(request)
        cell.services["pairing"].kill()
        cell.services["pairing"].start()
        cell.wait("pairing")
        assert pairing.CreateTournament(request, wait_for_ready=True, timeout=20) == first


@pytest.mark.parametrize("command_id", ["", "yesterday", "1234"])
def test_a_command_without_a_proper_id_is_invalid(cell: Cell, command_id: str) -> None:
    with channel(cell, "pairing") as to:
        request = pairing_pb2.CreateTournamentRequest(command_id=command_id, name="Cup", rounds=5)
        code, message, info = error(pairing_pb2_grpc.PairingServiceStub(to).CreateTournament, request)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert info.metadata["field"] == "command_id"
    assert "UUID" in message


def test_bytes_that_are_no_message_are_the_callers_fault_and_show_nothing_of_the_server(cell: Cell) -> None:
    with channel(cell, "pairing") as to:
        with pytest.raises(grpc.RpcError) as failed:
            to.unary_unary("/faristol.pairing.v1.PairingService/PairRound", None, None)(b"\xff\xff\xff", timeout=10)
        said = cast("grpc.Call", failed.value)
        assert said.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert said.details() == "request: is not a valid message of the type that this method takes"
    with channel(cell, "results") as to:
        following: Any = to.unary_stream("/faristol.results.v1.ResultsService/Follow", None, None)(
            b"\xff\xff\xff", timeout=10
        )
        with pytest.raises(grpc.RpcError) as failed:
            next(following)
        assert cast("grpc.Call", failed.value).code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("write", [str.upper, lambda text: f"{{{text}}}", lambda text: text.replace("-", "")])
def test_a_command_id_is_the_same_however_its_uuid_is_written(cell: Cell, write: Callable[[str], str]) -> None:
    command_id = str(uuid.uuid4())
    with channel(cell, "pairing") as to:
        stub = pairing_pb2_grpc.PairingServiceStub(to)

        def create(given: str) -> Any:
            request = pairing_pb2.CreateTournamentRequest(
                command_id=given, name="Copa de Mar", ruleset="fisc-2023", rounds=5, lexicon="catalan"
            )
            return stub.CreateTournament(request, timeout=10)

        assert create(write(command_id)) == create(command_id)


def test_an_open_stream_does_not_hold_up_the_end_of_a_process(cell: Cell) -> None:
    with channel(cell, "pairing") as to:
        created = pairing_pb2_grpc.PairingServiceStub(to).CreateTournament(
            pairing_pb2.CreateTournamentRequest(command_id=str(uuid.uuid4()), tournament_id="cup", name="Cup", rounds=5)
        )
    with channel(cell, "results") as to:
        results_pb2_grpc.ResultsServiceStub(to).GetTournament(
            results_pb2.GetTournamentRequest(tournament_id="cup", min_position=created.position), timeout=10
        )
        news = results_pb2_grpc.ResultsServiceStub(to).Follow(
            results_pb2.FollowRequest(tournament_id="cup"), wait_for_ready=True
        )
        assert next(iter(news)).type == "TournamentCreated"
        start = time.monotonic()
        assert cell.services["results"].terminate() == 0
        assert time.monotonic() - start < 3
        with pytest.raises(grpc.RpcError) as ended:
            list(news)
        assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
    cell.services["results"].start()
    cell.wait("results")
