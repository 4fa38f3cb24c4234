"""Notifications for officials: those of their role and scope, exact after a reconnection, until the credential ends."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from google.protobuf.message import Message
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential, cell, grant
from tests.support.plain_http import PLAIN

from faristol.access_control.credential import Scope
from faristol.event_store import Decision, Metadata, Write
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as case_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.read_models.api import event_tail as tails

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

STREAM = "/api/v1/officials/stream"


async def append(cell: Cell, tournament: str, stream: str, event: Message) -> int:
    """Append events as another service would; return the last position."""
    record = cell.process.runtime.record
    version = len(await record.read_stream(stream))
    await record.append(Decision([Write(stream, version, [event], tournament)]), Metadata())
    return await record.last_position()


async def happen(cell: Cell, tournament: str) -> dict[str, int]:
    """Append one notification of each kind; return their positions by subject."""
    case_id, now = f"case-{uuid.uuid4()}", to_timestamp(datetime.now(UTC))
    game = f"{tournament}-r1-t1"
    opened = case_events.CaseOpened(
        case_id=case_id, game_id=game, tournament_id=tournament, mode=case_events.MODE_JUDGE, panel=1, language="ca",
        lease_seconds=60, escalate_after_seconds=600, occurred_at=now, queued_at=now,
    )  # fmt: skip
    warned = pairing_events.PlayerWarned(player_id=cell.players[tournament][0], occurred_at=now)
    drawn = game_events.RackStated(player_id=cell.players[tournament][0], occurred_at=now)
    return {
        "tournament": await append(cell, tournament, f"tournament-{tournament}", warned),
        "game": await append(cell, tournament, f"game-{game}", drawn),
        "case": await append(cell, tournament, f"case-{case_id}", opened),
    }


@asynccontextmanager
async def listening(cell: Cell, token: str, **more: Any) -> AsyncIterator[AsyncIterator[tuple[int, dict[str, Any]]]]:
    headers = {"Authorization": f"Bearer {token}", **more.pop("headers", {})}
    async with (
        httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=20) as web,
        web.stream("GET", STREAM, params=more, headers=headers) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        yield events(answer.aiter_lines())


async def events(lines: AsyncIterator[str]) -> AsyncIterator[tuple[int, dict[str, Any]]]:
    """Yield the ids, each with its data; empty for an id without data."""
    at, data = 0, dict[str, Any]()
    async for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            at = int(value.rpartition("-")[2])
        elif name == "data":
            data = json.loads(value)
        elif not line and (at or data):
            yield at, data
            data = {}


async def told_up_to(stream: AsyncIterator[tuple[int, dict[str, Any]]], last: int) -> list[dict[str, Any]]:
    found = []
    async with asyncio.timeout(60):
        async for at, data in stream:
            if data:
                found.append(data)
            if at >= last:
                return found
    raise AssertionError("the stream ended")


SORTS = ("tournament", "game", "case")
WHO = [
    (needs.ROLE_DIRECTOR, {}, SORTS),
    (needs.ROLE_ARBITER, {}, SORTS),
    (needs.ROLE_ARBITER, {"player": "{0}"}, ("tournament",)),  # plays the game itself
    (needs.ROLE_FEDERATION, {"scope": Scope()}, SORTS),
    (needs.ROLE_SCORER, {"scope": Scope(frozenset({OWN}), tables=frozenset({1}))}, ("game",)),
    (needs.ROLE_SCORER, {"scope": Scope(frozenset({OWN}), tables=frozenset({2}))}, ()),
    (needs.ROLE_JUDGE, {}, ("case",)),
    (needs.ROLE_JUDGE, {"scope": Scope(frozenset({OWN}), languages=frozenset({"el"}))}, ()),
]


@pytest.mark.parametrize(("role", "more", "knows"), WHO)
async def test_officials_hear_what_their_role_and_scope_let_them_know(
    cell: Cell, role: Any, more: dict[str, Any], knows: tuple[str, ...]
) -> None:
    more = {name: value.format(cell.players[OWN][0]) if name == "player" else value for name, value in more.items()}
    credential = build_credential(role, **{name: value for name, value in more.items() if name != "scope"})
    if "scope" in more:
        credential = _with_scope(credential, more["scope"])
    before = await cell.process.runtime.record.last_position()
    async with listening(cell, cell.token(credential), after=str(before)) as stream:
        foreign = await happen(cell, FOREIGN)
        own = await happen(cell, OWN)
        told = await told_up_to(stream, own["case"])
    positions = {each["position"] for each in told}
    assert {sort for sort in SORTS if own[sort] in positions} == set(knows)
    expected = set(foreign.values()) if role == needs.ROLE_FEDERATION else set()
    assert positions & set(foreign.values()) == expected


def _with_scope(credential: Any, scope: Scope) -> Any:
    return replace(credential, scope=scope)


async def test_who_comes_back_misses_nothing_and_hears_nothing_twice(cell: Cell) -> None:
    token = cell.token(build_credential(needs.ROLE_DIRECTOR))
    last = (await happen(cell, OWN))["case"]
    async with listening(cell, token) as stream:
        whole = [each["position"] for each in await told_up_to(stream, last)]
    assert whole == sorted(set(whole))
    for cut in (1, len(whole) // 2, len(whole) - 2):
        async with listening(cell, token, headers={"Last-Event-ID": str(whole[cut])}) as stream:
            again = [each["position"] for each in await told_up_to(stream, last)]
        assert again == whole[cut + 1 :]


async def test_the_id_of_another_event_brings_a_reset_and_everything(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "CATCH_UP_SECONDS", 0.05)
    token, record = cell.token(build_credential(needs.ROLE_DIRECTOR)), cell.process.runtime.record
    last = (await happen(cell, OWN))["case"]
    async with listening(cell, token) as stream:
        whole = [each["position"] for each in await told_up_to(stream, last)]
    good = f"{await record.fingerprint(whole[2])}-{whole[2]}"
    far = f"{await record.fingerprint(last)}-{last + 1_000}"
    for last_id, told in ((good, whole[3:]), *((bad, [0, *whole]) for bad in (f"{'0' * 16}-{whole[2]}", "?", far))):
        async with listening(cell, token, headers={"Last-Event-ID": last_id}) as stream:
            news = await told_up_to(stream, last)
        assert [each["position"] for each in news] == told, last_id
        assert [each["type"] for each in news].count("Reset") == (told[0] == 0)


async def test_what_somebody_may_not_know_moves_their_id_on(cell: Cell) -> None:
    judge = build_credential(needs.ROLE_JUDGE)
    before = await cell.process.runtime.record.last_position()
    async with listening(cell, cell.token(judge), after=str(before)) as stream:
        warned = pairing_events.PlayerWarned(player_id="x", occurred_at=to_timestamp(datetime.now(UTC)))
        last = await append(cell, OWN, f"tournament-{OWN}", warned)
        assert await told_up_to(stream, last) == []


async def test_it_ends_when_the_credential_is_revoked_and_the_public_is_not_let_in(cell: Cell) -> None:
    made = await grant(cell, access_events.FORM_TOKEN, needs.ROLE_ARBITER)
    async with (
        httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=20) as web,
        web.stream("GET", STREAM, headers={"Authorization": f"Bearer {made.token}"}) as answer,
    ):
        lines = answer.aiter_lines()
        await anext(lines)
        revoked_at = time.monotonic()
        revoked = access.RevokeCredentialRequest(
            command_id=str(uuid.uuid4()), credential_id=made.credential.credential_id
        )
        path = "/faristol.access.v1.AccessService/RevokeCredential"
        await cell.call(path, revoked, cell.token(build_credential(needs.ROLE_DIRECTOR)))
        async with asyncio.timeout(60):
            rest = [line async for line in lines]
        assert time.monotonic() - revoked_at < 6  # two, with the delay of a busy machine
        assert rest[-3:] == ["event: ended", 'data: {"reason":"CREDENTIAL_REVOKED"}', ""]
        for headers, status in (
            ({}, 401),
            ({"Authorization": f"Bearer {cell.token(build_credential(needs.ROLE_PLAYER))}"}, 403),
            ({"Authorization": f"Bearer {cell.token(build_credential(needs.ROLE_DIRECTOR))}"}, 403),
        ):
            refused = await web.get(STREAM, headers=headers, params={"tournaments": FOREIGN})
            assert (refused.status_code, refused.headers["content-type"]) == (status, "application/problem+json")
