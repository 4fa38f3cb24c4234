"""The queue of a judge as server-sent events, by the judge's own credential, over real services."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from tests.support.access_cell import OWN, Cell, build_credential, grant, open_access_cell
from tests.support.plain_http import PLAIN

from faristol.access_control.tokens import SKEW
from faristol.client.credentials import build_interceptors
from faristol.client.judge import Judge
from faristol.event_store import Decision, Metadata, Write
from faristol.gateway.consoles import own_stream
from faristol.host import SERVICES, Settings
from faristol.kernel.times import to_timestamp
from faristol.launcher.processes import running
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as lexicon
from faristol.pb.lexicon.v1 import events_pb2 as events

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUEUE = "/api/v1/judges/queue"
JUDGE = "the-judge"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    async with open_access_cell(tmp_path_factory.mktemp("queue"), lexicons) as made:
        appointed = lexicon.AppointJudgeRequest(
            command_id=str(uuid.uuid4()), tournament_id=OWN, judge_id=JUDGE, languages=["ca"]
        )
        path = "/faristol.lexicon.v1.AdjudicationService/AppointJudge"
        await made.call(path, appointed, made.token(build_credential(needs.ROLE_DIRECTOR)))
        yield made


async def wait_for_ruling(cell: Cell) -> str:
    """Create a waiting case for a judge; return its id."""
    case_id, now = f"case-{uuid.uuid4()}", to_timestamp(datetime.now(UTC))
    case = events.CaseOpened(
        case_id=case_id,
        game_id=f"{OWN}-r1-t1",
        tournament_id=OWN,
        turn=3,
        challenge=1,
        words=[game_events.Word(faces=["A", "NY"])],
        mode=events.MODE_JUDGE,
        panel=1,
        language="ca",
        lease_seconds=60,
        escalate_after_seconds=600,
        occurred_at=now,
        queued_at=now,
    )
    await cell.process.runtime.record.append(Decision([Write(f"case-{case_id}", 0, [case], OWN)]), Metadata())
    return case_id


@asynccontextmanager
async def listening(address: str, **headers: str) -> AsyncIterator[AsyncIterator[str]]:
    async with (
        httpx.AsyncClient(verify=PLAIN, base_url=address, timeout=20) as web,
        web.stream("GET", QUEUE, headers=headers) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert "no-store" in answer.headers["cache-control"]
        assert "access-control-allow-origin" not in answer.headers
        yield answer.aiter_lines()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def next_event(lines: AsyncIterator[str]) -> tuple[str, dict[str, Any]]:
    name = ""
    async for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            return name, json.loads(line.removeprefix("data: "))
    raise EOFError


async def came(lines: AsyncIterator[str], case_id: str) -> dict[str, Any]:
    """Return a case, as soon as the queue has it."""
    async with asyncio.timeout(60):
        while True:
            name, queue = await next_event(lines)
            assert name == "queue"
            for case in queue["cases"]:
                if case["case_id"] == case_id:
                    return dict(case)


@pytest.mark.parametrize("by", ["token", "cookie"])
async def test_a_judge_hears_of_a_case_as_soon_as_it_waits(cell: Cell, by: str) -> None:
    token = cell.token(build_credential(needs.ROLE_JUDGE))
    async with listening(
        cell.process.http_address, **(bearer(token) if by == "token" else {"Cookie": f"faristol={token}"})
    ) as lines:
        await next_event(lines)
        case = await came(lines, await wait_for_ruling(cell))
    assert (case["tournament_id"], case["language"], case["words"]) == (OWN, "ca", [{"faces": ["A", "NY"]}])


async def test_who_is_no_judge_hears_nothing(cell: Cell) -> None:
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=20) as web:
        for headers, status in (
            ({}, 401),
            (bearer("no.such.token"), 401),
            (bearer("of nobody"), 401),
            (bearer(cell.token(build_credential(needs.ROLE_SCORER))), 403),
        ):
            answer = await web.get(QUEUE, headers=headers)
            assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


async def test_the_stream_ends_and_says_why_when_its_credential_is_revoked(cell: Cell) -> None:
    made = await grant(cell, access_events.FORM_TOKEN, needs.ROLE_JUDGE, subject_id="nil")
    async with listening(cell.process.http_address, **bearer(made.token)) as lines:
        await next_event(lines)
        revoked_at = time.monotonic()
        revoked = access.RevokeCredentialRequest(
            command_id=str(uuid.uuid4()), credential_id=made.credential.credential_id
        )
        path = "/faristol.access.v1.AccessService/RevokeCredential"
        await cell.call(path, revoked, cell.token(build_credential(needs.ROLE_DIRECTOR)))
        async with asyncio.timeout(60):
            while (event := await next_event(lines))[0] != "ended":
                pass
        assert time.monotonic() - revoked_at < 6  # two, with the delay of a busy machine
        assert event == ("ended", {"reason": "CREDENTIAL_REVOKED"})
        with pytest.raises(EOFError):
            await next_event(lines)


async def test_a_silent_stream_shows_that_it_lives(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_stream.OwnStream.__init__, "__defaults__", (0.2,))
    async with (
        listening(cell.process.http_address, **bearer(cell.token(build_credential(needs.ROLE_JUDGE)))) as lines,
        asyncio.timeout(60),
    ):
        heard = [line async for line in _some(lines, 12)]
    assert heard.count(": heartbeat") >= 2


async def _some(lines: AsyncIterator[str], count: int) -> AsyncIterator[str]:
    for _ in range(count):
        yield await anext(lines)


class Cable:
    """A connection to a server that can be cut, as by a restart of the service."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._ends: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def plug(self, port: int = 0) -> int:
        """Forward a port of this machine; return it."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port)
        return int(self._server.sockets[0].getsockname()[1])

    async def cut(self) -> None:
        """End all connections, and take no new ones."""
        assert self._server is not None
        self._server.close()
        while self._ends:
            self._ends.pop().transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        self._ends += [writer, far_writer]
        await asyncio.gather(_carry(reader, far_writer), _carry(far_reader, writer))


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.close()


async def test_the_queue_goes_on_over_a_restart_of_the_service_behind_it(cell: Cell, tmp_path: Path) -> None:
    cable = Cable(int(cell.process.grpc_address.rpartition(":")[2]))
    port = await cable.plug()
    peers = {f"peer_{name}": cell.process.grpc_address for name in SERVICES} | {"peer_lexicon": f"127.0.0.1:{port}"}
    settings = {"data": tmp_path, "http_port": 0, "grpc_port": 0, "open": False, **peers}
    async with running(Settings.model_validate(settings), ["gateway"]) as process:
        token = cell.token(build_credential(needs.ROLE_JUDGE))
        async with listening(process.http_address, **bearer(token)) as lines:
            await next_event(lines)
            await cable.cut()
            case_id = await wait_for_ruling(cell)
            await cable.plug(port)
            await came(lines, case_id)
        await cable.cut()


@pytest.mark.parametrize("is_renewed", [True, False])
async def test_a_client_goes_on_with_a_new_token_and_ends_with_an_expired_one(cell: Cell, is_renewed: bool) -> None:
    """A token of the console is valid for minutes, and a judge of a demonstration watches for hours."""

    def issue_token() -> str:
        until = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=2) - (timedelta() if is_renewed else SKEW)
        return cell.token(replace(build_credential(needs.ROLE_JUDGE, subject=JUDGE), expires_at=until))

    first = issue_token()
    interceptors = build_interceptors(lambda _: f"Bearer {issue_token() if is_renewed else first}")
    served = 0
    async with (
        asyncio.timeout(20),
        grpc.aio.insecure_channel(cell.process.grpc_address, interceptors=interceptors) as channel,
        aclosing(Judge(channel, JUDGE).queue("ca")) as queue,
    ):
        try:
            async for _ in queue:
                served += 1
                if is_renewed and served == 3:
                    break
            code = grpc.StatusCode.OK
        except grpc.aio.AioRpcError as refused:
            code = refused.code()
    assert served
    assert code is (grpc.StatusCode.OK if is_renewed else grpc.StatusCode.UNAUTHENTICATED)
