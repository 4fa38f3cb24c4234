"""The client that the page for apps shows does what the page says, against a gateway that runs."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
from tests.component.processes import free_port
from tests.support.plain_http import PLAIN
from tests.support.stage import Stage, opened
from tests.support.synthetic import Championship

from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import webhooks_pb2
from faristol.pb.results.v1.webhooks_pb2_grpc import WebhookServiceStub
from faristol.results.api.public_events import PUBLIC, to_notification

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = Path(__file__).parents[3] / "docs" / "apps.md"


def example(tmp_path: Path, part: str) -> Path:
    """The program of a part of the page, as a file."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {part}\n")[2]
    found = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, part
    program = tmp_path / "program.py"
    program.write_text(found[1])
    return program


async def test_the_app_of_the_page_prints_the_standings_and_each_result(finished: Stage, tmp_path: Path) -> None:
    program = example(tmp_path, "An app in Python")
    assert len(program.read_text().splitlines()) <= 20
    address = str(finished.http.base_url).rstrip("/")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        address,
        "lliga",
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            told = [(await process.stdout.readline()).decode().strip() for _ in range(10)]
    finally:
        process.kill()
        await process.wait()
    assert told[:2] == ["Lliga de primavera", "1 Carme Riera 1.5"]
    assert told[6] == "Anna Puigdomènech i Casadevall 15 – Carme Riera 111"
    assert [line.count(" – ") for line in told[6:]] == [1, 1, 1, 1]


@asynccontextmanager
async def started(made: Path, stage: Stage, address: str = "") -> AsyncIterator[asyncio.StreamReader]:
    """What a client says that runs, of the gateway or of another address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(made), address or str(stage.http.base_url).rstrip("/"), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(20):
            yield process.stdout
    finally:
        with suppress(ProcessLookupError):  # it has ended by itself
            process.kill()
        await process.wait()


async def test_the_client_with_content_keeps_its_game_and_fetches_nothing(stage: Stage, tmp_path: Path) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    made = example(tmp_path, "Content in the stream")
    program = made.read_text().replace("json.load(", "no_answer(")  # whoever fetches breaks
    heard = "            name, _, value ="
    assert heard in program
    made.write_text(program.replace(heard, f"            print('heard', flush=True)\n{heard}", 1))
    async with started(made, stage) as said:
        # Who is still reading the past when news comes may have to fetch, as the page says: it follows the news first.
        assert await said.readline() == b"heard\n"
        await asyncio.sleep(0.5)
        await stage.add(*hall.first_round())
        game = (await stage.http.get("/api/v1/games/lliga-r1-t1")).json()
        shown = [*(str(seat["score"]) for seat in game["seats"]), game["entries"][-1]["sheet_play"]]
        expected = " ".join(shown)
        while line := await said.readline():
            if line.decode().rstrip("\n") == expected:
                break
        assert line, "the client has ended"


async def test_the_receiver_of_the_page_prints_each_result_once_and_refuses_what_is_not_signed(tmp_path: Path) -> None:
    program, port = example(tmp_path, "Webhooks"), free_port()
    assert len(program.read_text().splitlines()) <= 30
    url = f"http://127.0.0.1:{port}/"
    wanted = webhooks_pb2.WebhookFilter(types=["ResultRecorded"])
    async with opened(tmp_path / "cell", webhook_networks="127.0.0.0/8") as stage:
        await stage.add(*Championship().steps())
        request = webhooks_pb2.AddWebhookRequest(
            command_id=str(uuid.uuid4()), tournament_id="lliga", url=url, filter=wanted, after_position=0
        )
        channel = stage.running.runtime.channel("results")
        secret = (await WebhookServiceStub(channel).AddWebhook(request)).secret
        told = [
            each
            for each in map(to_notification, await stage.record.read(types=PUBLIC))
            if each.type == "ResultRecorded"
        ]
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(program), str(port), secret, stdout=asyncio.subprocess.PIPE
        )
        try:
            assert process.stdout is not None
            async with asyncio.timeout(20):
                printed = [(await process.stdout.readline()).decode().strip() for _ in told]
            async with httpx.AsyncClient(verify=PLAIN) as stranger:
                headers = {"webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
                assert (await stranger.post(url, content=b"{}", headers=headers)).status_code == 400
                assert (await stranger.post(url)).status_code == 400
                odd = {name.encode(): value.encode() for name, value in headers.items()} | {
                    b"webhook-signature": b"v1,\xe9"
                }
                assert (await stranger.post(url, content=b"{}", headers=odd)).status_code == 400
        finally:
            process.kill()
            await process.wait()
    assert printed == [f"{each.game_id} {each.position}" for each in told]


async def test_the_client_of_the_page_prints_the_plays_of_its_table(finished: Stage, tmp_path: Path) -> None:
    plays = Topic.of({"lliga": ""}, rounds=[1], tables=[1], types=["PlayPlaced"])
    news = [each for each in map(to_notification, await finished.record.read(types=PUBLIC)) if plays.has(each)]
    assert len(news) > 3
    async with started(example(tmp_path, "A client in any language"), finished) as said:
        told = [(await said.readline()).decode().strip() for _ in news]
    assert told == [f"{each.game_id} {each.position}" for each in news]


async def test_the_client_of_the_page_says_what_is_wrong_with_its_question(finished: Stage, tmp_path: Path) -> None:
    made = example(tmp_path, "A client in any language")
    made.write_text(made.read_text().replace("/lliga/", "/none/"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(made), str(finished.http.base_url).rstrip("/"), stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(20):
        _, said = await process.communicate()
    assert (process.returncode, b"there is no tournament 'none'" in said) == (1, True)


async def test_the_follower_of_the_page_prints_the_results_of_its_table(finished: Stage, tmp_path: Path) -> None:
    topic = Topic.of({"lliga": ""}, tables=[1], types=["ResultRecorded"])
    news = [each for each in map(to_notification, await finished.record.read(types=PUBLIC)) if topic.has(each)]
    async with started(example(tmp_path, "The same by gRPC"), finished, finished.running.grpc_address) as said:
        told = [(await said.readline()).decode().strip() for _ in news]
    assert told == [f"{each.game_id} {each.position}" for each in news] != []
