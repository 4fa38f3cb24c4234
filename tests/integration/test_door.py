"""Every method over HTTP as JSON, with a token or by the cookie of a page of this site, over real services."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.integration.access_cell import OWN, Cell, held, opened

from faristol.gateway.consoles import door
from faristol.pb.access.v1 import needs_pb2 as needs

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    async with opened(tmp_path_factory.mktemp("door"), lexicons) as made:
        yield made


async def send(cell: Cell, path: str, body: Any, token: str = "", **headers: str) -> httpx.Response:
    if token:
        headers["Authorization"] = f"Bearer {token}"
    async with httpx.AsyncClient(base_url=cell.process.http_address, timeout=20) as web:
        return await web.post(f"/api/v1/{path}", json=body, headers=headers)


def entering(name: str, command_id: str = "") -> Mapping[str, Any]:
    return {
        "command_id": command_id or str(uuid.uuid4()),
        "tournament_id": OWN,
        "player_id": "p-" + name.lower(),
        "name": name,
    }


async def test_a_director_enters_a_player_once_however_often_it_is_sent(cell: Cell) -> None:
    token, body = cell.token(held(needs.ROLE_DIRECTOR)), entering("Berta")
    first, again = [await send(cell, "pairing/RegisterPlayer", body, token) for _ in range(2)]
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert "no-store" in first.headers["cache-control"]


async def test_a_question_is_answered_with_the_names_of_the_contract(cell: Cell) -> None:
    answer = await send(cell, "results/GetGame", {"game_id": f"{OWN}-r1-t1"})
    assert answer.status_code == 401  # the door is for who holds a credential; the public has addresses of its own
    answer = await send(cell, "results/GetGame", {"game_id": f"{OWN}-r1-t1"}, cell.token(held(needs.ROLE_SCORER)))
    assert answer.json()["game_id"] == f"{OWN}-r1-t1"


async def test_who_may_not_do_it_is_refused_by_the_service(cell: Cell) -> None:
    before = await cell.process.runtime.record.last_position()
    answer = await send(cell, "pairing/RegisterPlayer", entering("Carles"), cell.token(held(needs.ROLE_SCORER)))
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
    cookie = {"Cookie": f"faristol={cell.token(held(needs.ROLE_DIRECTOR))}"}
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
        ("pairing/RegisterPlayer", {"name": "x" * door.LARGEST}, 413, ""),
    ],
)
async def test_what_cannot_be_taken_is_told_as_the_sender_wrote_it(
    cell: Cell, path: str, body: Any, status: int, told: str
) -> None:
    answer = await send(cell, path, body, cell.token(held(needs.ROLE_DIRECTOR)))
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert told in answer.json()["detail"]
