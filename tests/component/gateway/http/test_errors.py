from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from string import Formatter

import grpc
import httpx
import pytest
from fastapi.exceptions import RequestValidationError
from grpc.aio import AioRpcError, Metadata
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from tests.support.plain_http import PLAIN

from faristol.event_store import Record
from faristol.gateway.app import app
from faristol.gateway.http.errors import Problem, of_rpc, of_validation, with_address
from faristol.gateway.http.server import listen
from faristol.gateway.pages.alternatives import ALTERNATIVE_PATHS, REASONS
from faristol.host import Runtime, Settings, StartError
from faristol.host.rpc.errors import PositionNotReached, status_of
from faristol.kernel.refusal import Refusal
from faristol.text import LANGUAGES


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a gateway behind which no results service answers."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        results = f"127.0.0.1:{unused.getsockname()[1]}"
        settings = Settings.model_validate({"data": tmp_path, "peer_results": results, "open": False})
        record = await Record.open(settings.record_url())
        transport = httpx.ASGITransport(app(Runtime(settings, record)))
        async with httpx.AsyncClient(
            verify=PLAIN, transport=transport, base_url="http://localhost", timeout=20
        ) as client:
            yield client
        await record.close()


async def test_results_that_cannot_be_reached_are_503_with_retry_after(alone: httpx.AsyncClient) -> None:
    for path in ("/api/v1/tournaments", "/api/v1/tournaments/lliga/stream"):
        answer = await alone.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        assert int(answer.headers["retry-after"]) > 0
        assert answer.json()["title"] == "Service Unavailable"
        told = (await alone.get(path, headers={"Accept-Language": "es"})).json()
        assert "Vuelva a intentarlo" in told["detail"]
    page = await alone.get("/tournaments/lliga", headers={"Accept-Language": "es"})
    assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
    assert "Vuelva a intentarlo" in page.text


async def test_a_path_of_the_interface_with_a_final_slash_is_told_what_is_wrong(alone: httpx.AsyncClient) -> None:
    answer = await alone.get("/api/v1/tournaments/", headers={"Accept-Language": "en"})
    told = "the path /api/v1/tournaments/ does not exist; omit the final slash"
    assert (answer.status_code, answer.json()["detail"]) == (404, told)


async def test_the_gateway_lives_without_the_results(alone: httpx.AsyncClient) -> None:
    assert (await alone.get("/healthz")).status_code == 200


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (grpc.StatusCode.NOT_FOUND, 404),
        (grpc.StatusCode.INVALID_ARGUMENT, 400),
        (grpc.StatusCode.FAILED_PRECONDITION, 409),
        (grpc.StatusCode.DEADLINE_EXCEEDED, 504),
        (grpc.StatusCode.UNAVAILABLE, 503),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, 429),
        (grpc.StatusCode.INTERNAL, 502),
        (grpc.StatusCode.UNKNOWN, 502),
    ],
)
def test_a_grpc_status_has_its_http_status(code: grpc.StatusCode, status: int) -> None:
    problem = of_rpc(AioRpcError(code, Metadata(), Metadata(), "words of the service", ""), "en")
    assert problem.status == status
    assert ("Retry-After" in problem.headers) == (status in {503, 504, 429})
    assert ("words of the service" in problem.detail) == (status not in {502, 503, 504})


def test_the_reason_of_a_problem_is_its_code_whatever_its_words_speak_of() -> None:
    refused = status_of(Refusal("NOT_STOPPED", "no clock stops for {reason}", {"reason": "rain"}), "en")
    assert refused is not None
    details = Metadata(("grpc-status-details-bin", refused.SerializeToString()))
    code = grpc.StatusCode.FAILED_PRECONDITION
    error = AioRpcError(code, Metadata(), details, refused.message, "")
    assert of_rpc(error, "en").more["reason"] == "NOT_STOPPED"


class Asked(BaseModel):
    """Requests of a visitor."""

    round: int
    part: str = Field(pattern="^(live)?$")


@pytest.mark.parametrize(
    ("language", "missing", "pattern"),
    [
        ("en", "round: is missing", "part: expected a value that matches ^(live)?$, got 'dead'"),
        ("ca", "round: falta", "part: s’esperava una cosa de la forma ^(live)?$, i hi ha 'dead'"),
        ("es", "round: falta", "part: se esperaba algo de la forma ^(live)?$, pero se recibió 'dead'"),
        ("el", "round: λείπει", "part: αναμενόταν κάτι της μορφής ^(live)?$, δόθηκε 'dead'"),
    ],
)
def test_what_is_missing_or_of_another_form_is_told_in_the_language_of_who_asks(
    language: str, missing: str, pattern: str
) -> None:
    with pytest.raises(ValidationError) as wrong:
        Asked.model_validate({"part": "dead"})
    told = of_validation(RequestValidationError(wrong.value.errors()), language)
    assert set(told.detail.split("; ")) == {missing, pattern}


def test_a_busy_port_is_said_in_one_sentence() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=rf"^HTTP cannot listen on 127\.0\.0\.1:{port}: [^.]+$"):
            listen("127.0.0.1", port)


def test_an_address_that_is_not_ours_is_said_in_one_sentence() -> None:
    with pytest.raises(StartError, match="there is no such address"):
        listen("no such host", 0)


async def test_every_refusal_has_a_reason_and_a_type_that_leads_to_it(alone: httpx.AsyncClient) -> None:
    page = (await alone.get("/docs/problems")).text
    token = {"Authorization": "Bearer any"}
    refused = {
        "INVALID": await alone.get("/api/v1/tournaments?page=1"),
        "NO_SUCH_ADDRESS": await alone.get("/api/v1/nowhere"),
        "METHOD_NOT_ALLOWED": await alone.delete("/api/v1/tournaments"),
        "SERVICE_UNAVAILABLE": await alone.get("/api/v1/tournaments"),
        "NO_CREDENTIAL": await alone.post("/api/v1/pairing/StartRound", json={}),
        "UNSUPPORTED_MEDIA_TYPE": await alone.post("/api/v1/pairing/StartRound", content="x", headers=token),
        "REQUEST_ENTITY_TOO_LARGE": await alone.post(
            "/api/v1/pairing/StartRound", json={"note": "x" * 1_100_000}, headers=token
        ),
    }
    for reason, answer in refused.items():
        body = answer.json()
        assert (body["reason"], body["type"]) == (reason, f"/docs/problems#{reason}"), answer.text
        assert f'<tr id="{reason}">' in page
    for reason in ("RESULT_KNOWN", "ROLE_MAY_NOT"):
        assert f'<tr id="{reason}">' in page


async def test_the_page_of_reasons_is_there_in_every_language(alone: httpx.AsyncClient) -> None:
    pages = {(await alone.get("/docs/problems", headers={"Accept-Language": each})).text for each in LANGUAGES}
    assert len(pages) == len(LANGUAGES)


def test_positions_in_a_problem_are_numbers() -> None:
    refused = status_of(PositionNotReached(12, 7), "en")
    assert refused is not None
    details = Metadata(("grpc-status-details-bin", refused.SerializeToString()))
    error = AioRpcError(grpc.StatusCode.DEADLINE_EXCEEDED, Metadata(), details, refused.message, "")
    assert of_rpc(error, "en").more == {"wanted": 12, "here": 7, "reason": "BEHIND"}


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_a_problem_of_a_method_of_the_contract_names_no_address_instead(reason: str) -> None:
    params = {"service": "results", "method": "GetReport"}
    request = Request({"type": "http", "path_params": params, "route": None, "headers": []})
    problem = Problem(HTTPStatus.CONFLICT, "a report holds games of two players", {"reason": reason})
    assert with_address(problem, request) == problem


def test_the_path_of_an_address_instead_has_the_parameters_of_its_route_alone() -> None:
    for path, other in ALTERNATIVE_PATHS.items():
        fields = {name for _, name, _, _ in Formatter().parse(other) if name}
        assert fields <= {name for _, name, _, _ in Formatter().parse(path) if name}, path
