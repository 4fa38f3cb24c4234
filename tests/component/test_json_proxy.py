"""Every method over HTTP as JSON, with a token or by the cookie of a page of this site, over real services."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import httpx
import jsonschema_rs
import pytest
from tests.support.access_cell import OWN, Cell, build_credential, cell
from tests.support.plain_http import PLAIN

from faristol.access_control.needs import needs_of
from faristol.client.results import Problem, Results
from faristol.gateway.api.openapi.commands import commands_document
from faristol.gateway.rpc import json_proxy
from faristol.gateway.rpc.calls import NAMED
from faristol.pb.access.v1 import needs_pb2 as needs

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def send(cell: Cell, path: str, body: Any, token: str = "", **headers: str) -> httpx.Response:
    if token:
        headers["Authorization"] = f"Bearer {token}"
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=20) as web:
        return await web.post(f"/api/v1/{path}", json=body, headers=headers)


def entering(name: str, command_id: str = "") -> Mapping[str, Any]:
    return {
        "command_id": command_id or str(uuid.uuid4()),
        "tournament_id": OWN,
        "player_id": "p-" + name.lower(),
        "name": name,
    }


async def test_a_director_enters_a_player_once_however_often_it_is_sent(cell: Cell) -> None:
    token, body = cell.token(build_credential(needs.ROLE_DIRECTOR)), entering("Berta")
    first, again = [await send(cell, "pairing/RegisterPlayer", body, token) for _ in range(2)]
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert "no-store" in first.headers["cache-control"]


async def test_a_token_that_is_longer_than_any_is_told_so_and_not_to_come_again(cell: Cell) -> None:
    answer = await send(cell, "access/GetCaller", {}, "a" * 8_001)
    assert (answer.status_code, answer.json()["reason"]) == (431, "REQUEST_HEADER_FIELDS_TOO_LARGE")
    assert "retry-after" not in answer.headers


async def test_a_question_is_answered_with_the_names_of_the_contract(cell: Cell) -> None:
    answer = await send(
        cell, "results/GetGame", {"game_id": f"{OWN}-r1-t1"}, cell.token(build_credential(needs.ROLE_SCORER))
    )
    assert answer.json()["game_id"] == f"{OWN}-r1-t1"


async def test_what_everybody_may_call_by_grpc_everybody_may_call_over_http(cell: Cell) -> None:
    public = [method for method in NAMED.values() if needs_of(method.descriptor).is_public and not method.is_stream]
    assert len(public) > 25
    for method in NAMED.values():
        if not method.is_stream:
            answer = await send(cell, f"{method.service}/{method.name}", {})
            refused = answer.status_code == 401 and answer.json()["reason"] == "NO_CREDENTIAL"
            assert refused == (method not in public), (method.name, answer.text)
    answer = await send(cell, "results/GetGame", {"game_id": f"{OWN}-r1-t1"})
    assert answer.json()["game_id"] == f"{OWN}-r1-t1"
    other = {
        "Cookie": f"faristol={cell.token(build_credential(needs.ROLE_DIRECTOR))}",
        "Origin": "https://club.example",
    }
    assert (await send(cell, "results/GetGame", {"game_id": f"{OWN}-r1-t1"}, **other)).status_code == 200
    narrowed = await send(cell, "results/GetReport", {"tournament_id": OWN, "for_officials": True})
    assert (narrowed.status_code, narrowed.json()["reason"]) == (401, "NO_CREDENTIAL")


async def test_a_program_on_a_page_of_another_site_may_act_by_a_token(cell: Cell) -> None:
    club = {"Origin": "https://club.example"}
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=20) as web:
        asks = {**club, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        before = await web.options("/api/v1/pairing/RegisterPlayer", headers=asks)
    assert before.status_code == 200
    assert "Authorization" in before.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in before.headers
    answer = await send(
        cell, "pairing/RegisterPlayer", entering("Fina"), cell.token(build_credential(needs.ROLE_DIRECTOR)), **club
    )
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")


async def test_roles_are_told_in_the_language_of_who_asks(cell: Cell) -> None:
    token = cell.token(build_credential(needs.ROLE_SCORER))
    answer = await send(cell, "pairing/StartRound", {}, token, **{"Accept-Language": "es"})
    assert (answer.status_code, answer.json()["reason"]) == (403, "ROLE_MAY_NOT")
    assert "anotador" in answer.json()["detail"]
    assert "scorer" not in answer.json()["detail"]


async def test_who_may_not_do_it_is_refused_by_the_service(cell: Cell) -> None:
    before = await cell.process.runtime.record.last_position()
    answer = await send(
        cell, "pairing/RegisterPlayer", entering("Carles"), cell.token(build_credential(needs.ROLE_SCORER))
    )
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    answer = await send(cell, "pairing/RegisterPlayer", entering("Carles"), "no.such.token")
    assert (answer.status_code, answer.json()["reason"]) == (401, "CREDENTIAL_INVALID")
    assert await cell.process.runtime.record.last_position() == before


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({}, 403),
    ],
)
async def test_the_cookie_counts_for_pages_of_this_site_alone(
    cell: Cell, headers: Mapping[str, str], status: int
) -> None:
    cookie = {"Cookie": f"faristol={cell.token(build_credential(needs.ROLE_DIRECTOR))}"}
    answer = await send(cell, "pairing/RegisterPlayer", entering(f"D{uuid.uuid4()}"[:9]), **headers, **cookie)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("path", "body", "status", "told"),
    [
        ("pairing/RegisterPlayer", [], 400, "RegisterPlayerRequest"),
        ("pairing/RegisterPlayer", "name", 400, "RegisterPlayerRequest"),
        ("pairing/RegisterPlayer", {"nmae": "Dolors"}, 400, "nmae"),
        ("pairing/RegisterPlayer", {"name": 7}, 400, "name"),
        ("pairing/RegisterPlayers", {"players": [{"name": []}]}, 400, "name"),
        ("pairing/NoSuch", {}, 404, "NoSuch"),
        ("nothing/RegisterPlayer", {}, 404, "nothing"),
        ("lexicon/WatchQueue", {}, 404, "gRPC"),
        ("pairing/RegisterPlayer", {"name": "x" * json_proxy.MAX_BODY_BYTES}, 413, ""),
    ],
)
async def test_what_cannot_be_taken_is_told_as_the_sender_wrote_it(
    cell: Cell, path: str, body: Any, status: int, told: str
) -> None:
    answer = await send(cell, path, body, cell.token(build_credential(needs.ROLE_DIRECTOR)))
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert told in answer.json()["detail"]


async def test_a_body_without_a_token_is_short_or_not_read_at_all(cell: Cell) -> None:
    long = {"game_id": "x" * json_proxy.MAX_PUBLIC_BODY_BYTES}
    assert (await send(cell, "results/GetGame", long)).status_code == 413
    assert (await send(cell, "pairing/RegisterPlayer", {"nmae": long})).status_code == 401


QUESTIONS: Mapping[str, Mapping[str, Any]] = {
    "results/ListTournaments": {},
    "results/GetTournament": {"tournament_id": OWN},
    "results/GetStandings": {"tournament_id": OWN, "arithmetic": True},
    "results/GetPairings": {"tournament_id": OWN, "round": 1},
    "results/GetGame": {"game_id": f"{OWN}-r1-t1"},
    "results/GetStatus": {},
    "pairing/ListActs": {"tournament_id": OWN},
    "access/GetCaller": {},
    "rating/ListRatingSystems": {},
}


async def test_answers_and_refusals_are_as_the_document_of_commands_says(cell: Cell) -> None:
    document = commands_document()
    token = cell.token(build_credential(needs.ROLE_DIRECTOR))

    def problems(schema: Mapping[str, Any], body: Any) -> list[str]:
        of_document = jsonschema_rs.validator_for({**schema, "components": document["components"]})
        return [str(problem)[:300] for problem in of_document.iter_errors(body)]

    sent = {**QUESTIONS, "pairing/RegisterPlayer": entering("Esther")}
    for path, body in sent.items():
        answer = await send(cell, path, body, token)
        assert answer.status_code == 200, (path, answer.text)
        described = document["paths"][f"/api/v1/{path}"]["post"]["responses"]["200"]
        assert problems(described["content"]["application/json"]["schema"], answer.json()) == [], path
    refused = await send(cell, "pairing/StartRound", {"command_id": str(uuid.uuid4()), "tournament_id": OWN}, token)
    for answer, status in ((refused, 409), (await send(cell, "pairing/StartRound", {}), 401)):
        assert answer.status_code in (status, 400), answer.text
        assert problems(document["components"]["schemas"]["ProblemBody"], answer.json()) == []


async def test_an_act_of_the_client_is_carried_out_once_and_its_refusal_has_a_reason(cell: Cell) -> None:
    token, body = cell.token(build_credential(needs.ROLE_DIRECTOR)), entering("Francesc")
    async with Results(cell.process.http_address, token=token) as results:
        first = await results.act("pairing", "RegisterPlayer", body)
        assert await results.act("pairing", "RegisterPlayer", body) == first
        with pytest.raises(Problem) as refused:
            await results.act("pairing", "RegisterPlayer", {**body, "command_id": str(uuid.uuid4())})
        assert refused.value.reason
        assert (await results.act("results", "GetTournament", {"tournament_id": OWN}))["tournament"]


async def test_a_scorer_does_not_read_why_an_official_warned_a_player(cell: Cell) -> None:
    reason = "late for the third time"
    director, player = build_credential(needs.ROLE_DIRECTOR), f"{OWN}-1"
    warned = {"command_id": str(uuid.uuid4()), "tournament_id": OWN, "player_id": player, "note": reason}
    warned["arbiter_id"] = director.subject
    assert (await send(cell, "pairing/WarnPlayer", warned, cell.token(director))).status_code == 200
    read = {}
    for role in (needs.ROLE_PLAYER, needs.ROLE_SCORER, needs.ROLE_ARBITER):
        asked = {"tournament_id": OWN, "player_id": player}
        answer = await send(cell, "pairing/ListSanctions", asked, cell.token(build_credential(role)))
        assert '"type":"PlayerWarned"' in answer.text.replace(" ", ""), answer.text
        read[role] = reason in answer.text
    assert read == {needs.ROLE_PLAYER: True, needs.ROLE_SCORER: False, needs.ROLE_ARBITER: True}
