"""The programs of examples/ work as their docstrings say, against a running gateway."""

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
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import Championship

from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import webhooks_pb2
from faristol.pb.results.v1.webhooks_pb2_grpc import WebhookServiceStub
from faristol.read_models.api.public_events import PUBLIC, to_notification

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = Path(__file__).parents[3]

EXAMPLES = ROOT / "examples"


async def run(name: str, *arguments: str) -> tuple[int | None, str, str]:
    """Run an example to its end; return its exit code, output and errors."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(EXAMPLES / name),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    async with asyncio.timeout(30):
        said, errors = await process.communicate()
    return process.returncode, said.decode(), errors.decode()


def address_of(stage: Stage) -> str:
    return str(stage.http.base_url).rstrip("/")


async def test_the_list_of_examples_is_complete() -> None:
    listed = set(re.findall(r"^\| \[([\w.]+)\]", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == {file.name for file in EXAMPLES.iterdir() if file.suffix in (".py", ".html")}


async def test_standings_are_read_page_by_page_and_an_unknown_tournament_is_named(finished_stage: Stage) -> None:
    code, said, _ = await run("standings.py", address_of(finished_stage), "lliga")
    assert code == 0
    assert [line.split()[0] for line in said.splitlines()] == ["1", "2", "3", "4", "5"]
    assert said.startswith("1 Carme Riera 1.5\n")
    code, _, errors = await run("standings.py", address_of(finished_stage), "none")
    assert (code, "none" in errors) == (1, True)


async def test_the_frame_leads_to_a_page_that_any_site_may_frame(finished_stage: Stage) -> None:
    found = re.search(r'src="https://results\.example([^"]+)"', (EXAMPLES / "embedded_standings.html").read_text())
    assert found
    answer = await finished_stage.http.get(found[1])
    assert answer.status_code == 200
    assert "Carme Riera" in answer.text
    assert "x-frame-options" not in answer.headers


async def test_the_app_prints_the_standings_and_each_result(finished_stage: Stage) -> None:
    program = EXAMPLES / "results_app.py"
    assert len(program.read_text().splitlines()) <= 22
    address = address_of(finished_stage)
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
async def run_client(made: Path, stage: Stage, address: str = "") -> AsyncIterator[asyncio.StreamReader]:
    """Yield the output of a running client, of the gateway or of another address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(made), address or address_of(stage), "lliga", stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            yield process.stdout
    finally:
        with suppress(ProcessLookupError):  # it has ended by itself
            process.kill()
        await process.wait()


async def test_the_client_with_content_keeps_its_game_and_fetches_nothing(stage: Stage, tmp_path: Path) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    program = (
        (EXAMPLES / "content_client.py").read_text().replace("json.load(", "no_answer(")
    )  # the client that fetches breaks
    heard = "            name, _, value ="
    assert heard in program
    made = tmp_path / "program.py"
    made.write_text(program.replace(heard, f"            print('heard', flush=True)\n{heard}", 1))
    async with run_client(made, stage) as said:
        # a client that still reads the past when an event arrives may have to fetch, as the page says
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


async def test_the_receiver_prints_each_result_once_and_verifies_signatures(
    tmp_path: Path,
) -> None:
    program, port = EXAMPLES / "webhook_receiver.py", free_port()
    assert len(program.read_text().splitlines()) <= 34
    url = f"http://127.0.0.1:{port}/"
    wanted = webhooks_pb2.WebhookFilter(types=["ResultRecorded"])
    async with open_stage(tmp_path / "cell", webhook_networks="127.0.0.0/8") as stage:
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
            async with asyncio.timeout(60):
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


async def test_the_client_prints_the_plays_of_its_table(finished_stage: Stage) -> None:
    plays = Topic.of({"lliga": ""}, rounds=[1], tables=[1], types=["PlayPlaced"])
    news = [each for each in map(to_notification, await finished_stage.record.read(types=PUBLIC)) if plays.has(each)]
    assert len(news) > 3
    async with run_client(EXAMPLES / "stream_client.py", finished_stage) as said:
        told = [(await said.readline()).decode().strip() for _ in news]
    assert told == [f"{each.game_id} {each.position}" for each in news]


async def test_the_client_says_what_is_wrong_with_its_question(finished_stage: Stage) -> None:
    code, _, errors = await run("stream_client.py", address_of(finished_stage), "none")
    assert (code, "there is no tournament 'none'" in errors) == (1, True)


async def test_the_follower_prints_the_results_of_its_table(finished_stage: Stage) -> None:
    topic = Topic.of({"lliga": ""}, tables=[1], types=["ResultRecorded"])
    news = [each for each in map(to_notification, await finished_stage.record.read(types=PUBLIC)) if topic.has(each)]
    async with run_client(EXAMPLES / "grpc_follower.py", finished_stage, finished_stage.running.grpc_address) as said:
        told = [(await said.readline()).decode().strip() for _ in news]
    assert told == [f"{each.game_id} {each.position}" for each in news] != []
