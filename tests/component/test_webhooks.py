"""Webhooks: a receiver gets all notifications of a tournament, in order and at least once, despite interruptions."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import grpc
import pytest
from sqlalchemy import select, update
from tests.component.backups import bring_back, save
from tests.component.processes import Child, faristol, free_port, wait_until_serving
from tests.component.receiver import TAKEN, Receiver, Request, receiving, until
from tests.component.webhook_cell import QUICK, WebhookCell, open_webhook_cell
from tests.support.certificates import Signed, sign_certificate
from tests.support.content_fold import Folded
from tests.support.stage import open_stage as staged
from tests.support.synthetic import Championship, append

from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.gateway.live.notifications import frame
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import webhooks_pb2 as pb
from faristol.pb.results.v1.webhooks_pb2_grpc import WebhookServiceStub
from faristol.read_models.api.public_events import PUBLIC, to_notification
from faristol.read_models.webhooks import service as services
from faristol.read_models.webhooks.delivery import LEASE_NAME
from faristol.webhooks import tables
from faristol.webhooks.concurrency import DeliverySlots
from faristol.webhooks.retry_policy import DeliveryOutcome, Failure
from faristol.webhooks.sender import TargetConnection
from faristol.webhooks.target import networks_of, target_of


@pytest.fixture
async def cell(record: Record) -> AsyncIterator[WebhookCell]:
    async with open_webhook_cell(record) as made:
        yield made


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving(Receiver()) as made:
        yield made


class Times:
    """Answers each message with another status this number of times."""

    def __init__(self, times: int, answer: str, positions: set[int] | None = None) -> None:
        self._times, self._answer, self._positions = times, answer, positions
        self._seen: dict[int, int] = {}

    def __call__(self, request: Request) -> str:
        self._seen[request.position] = self._seen.get(request.position, 0) + 1
        if self._positions is not None and request.position not in self._positions:
            return TAKEN
        return self._answer if self._seen[request.position] <= self._times else TAKEN


async def test_every_piece_of_news_comes_once_and_in_order_as_the_stream_tells_it(
    cell: WebhookCell, receiver: Receiver
) -> None:
    replica = cell.replica()
    added = await replica.add(receiver.port)
    await cell.add()
    wanted = await cell.positions()
    assert await receiver.wait_for(len(wanted)) == wanted
    news = [to_notification(event) for event in await cell.record.read(types=PUBLIC)]
    told = [frame(each).partition(b"\ndata: ")[2].removesuffix(b"\n\n") for each in news]
    assert [request.body for request in receiver.got] == told
    for request in receiver.got:
        assert request.is_signed_with(added.secret)
        fingerprint = await cell.record.fingerprint(request.position)
        assert request.headers["webhook-id"] == f"{fingerprint}-{request.position}"
        assert request.headers["content-type"] == "application/json"
        assert abs(int(request.headers["webhook-timestamp"]) - replica.clock().timestamp()) < 60
    assert receiver.connections == 1
    seen = await replica.until(added.webhook.webhook_id, position=wanted[-1])
    assert (seen.state, seen.last_status, seen.dead_letter_count) == (pb.WEBHOOK_STATE_LIVE, 204, 0)
    assert seen.HasField("delivered_at")


@asynccontextmanager
async def reopen_cell(url: str, *, begun: bool = True) -> AsyncIterator[WebhookCell]:
    """Yield the cell of a record, from its start to its end."""
    record = await Record.open(url)
    try:
        async with open_webhook_cell(record, begun=begun) as cell:
            yield cell
    finally:
        await record.close()


async def test_after_a_restored_backup_everything_comes_and_no_id_is_of_two_events(
    database_url: str, receiver: Receiver, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    async with reopen_cell(database_url, begun=False) as cell:
        await cell.replica().add(receiver.port)
        before = await cell.positions()
        assert await receiver.wait_for(len(before)) == before
    await asyncio.to_thread(save, database_url, backup)
    after: list[list[int]] = []
    for _ in range(2):
        async with reopen_cell(database_url) as cell:
            cell.replica()
            await cell.add(12)
            after.append(await cell.positions(after=before[-1]))
            await receiver.wait_for(len(before) + sum(map(len, after)))
        await asyncio.to_thread(bring_back, database_url, backup)
    assert after[0] == after[1]
    assert receiver.taken == [*before, *after[0], *after[1]]
    ids = [request.headers["webhook-id"] for request in receiver.got]
    assert len(set(ids)) == len(ids) == len({request.body for request in receiver.got})


async def test_a_filter_lets_through_what_a_stream_with_it_tells(cell: WebhookCell, receiver: Receiver) -> None:
    replica = cell.replica()
    wanted = pb.WebhookFilter(rounds=[1], tables=[1], types=["PlayPlaced", "ResultRecorded"])
    await replica.add(receiver.port, filter=wanted)
    await cell.add()
    topic = Topic.of({"lliga": ""}, rounds=[1], tables=[1], types=["PlayPlaced", "ResultRecorded"])
    plays = await cell.positions(topic)
    assert len(plays) > 3
    assert await receiver.wait_for(len(plays)) == plays


async def test_without_a_position_it_gets_what_comes_from_now_on(cell: WebhookCell, receiver: Receiver) -> None:
    replica, last_position = cell.replica(), await cell.record.last_position()
    url = f"http://127.0.0.1:{receiver.port}/"
    await replica.ask("AddWebhook", url=url)
    await cell.add()
    wanted = await cell.positions(after=last_position)
    assert await receiver.wait_for(len(wanted)) == wanted


async def test_who_is_away_for_a_while_gets_everything_in_order_and_is_shown_as_failing(
    cell: WebhookCell, receiver: Receiver
) -> None:
    wanted = await cell.positions()
    receiver.answer = Times(2, "503 Busy", set(wanted[::3]))
    replica = cell.replica()
    added = await replica.add(receiver.port)
    assert await receiver.wait_for(len(wanted)) == wanted
    tried = [request.position for request in receiver.got]
    assert tried == [position for position in wanted for _ in range(3 if position in wanted[::3] else 1)]
    ids = {request.position: request.headers["webhook-id"] for request in receiver.got}
    assert len({(request.position, request.headers["webhook-id"]) for request in receiver.got}) == len(ids)
    receiver.answer = lambda _: "503 Busy"
    await cell.add(1)
    failing = await replica.until(added.webhook.webhook_id, state=pb.WEBHOOK_STATE_FAILING)
    assert (failing.last_status, failing.last_failure) == (503, pb.WEBHOOK_FAILURE_STATUS)
    assert failing.HasField("failing_since")
    assert failing.HasField("next_try_at")


async def test_retry_after_is_waited_for(cell: WebhookCell, receiver: Receiver) -> None:
    first = (await cell.positions())[0]
    receiver.answer = Times(1, "429 Slowly\r\nretry-after: 9", {first})  # longer than QUICK permits in a request
    await cell.replica().add(receiver.port)
    await receiver.wait_for(2)
    assert QUICK.longest_asked <= receiver.got[1].at - receiver.got[0].at < 5


async def test_a_message_that_is_refused_becomes_a_dead_letter_and_later_ones_come(
    cell: WebhookCell, receiver: Receiver
) -> None:
    wanted = await cell.positions()
    bad, worse = wanted[1], wanted[3]
    receiver.answer = Times(9, "400 Bad Request", {bad, worse})
    replica = cell.replica()
    webhook_id = (await replica.add(receiver.port)).webhook.webhook_id
    rest = [position for position in wanted if position not in {bad, worse}]
    assert await receiver.wait_for(len(rest)) == rest
    await replica.until(webhook_id, dead_letter_count=2, position=wanted[-1])
    assert await replica.letters(webhook_id) == [(bad, 3, 400), (worse, 3, 400)]

    assert (await replica.ask("RedeliverNews", webhook_id=webhook_id, positions=[bad])).count == 1
    await replica.until_letters(webhook_id, (bad, 4, 400), (worse, 3, 400))
    receiver.answer = lambda _: TAKEN
    assert (await replica.ask("RedeliverNews", webhook_id=webhook_id, positions=[bad])).count == 1
    assert await receiver.wait_for(len(rest) + 1) == [*rest, bad]
    await replica.until_letters(webhook_id, (worse, 3, 400))
    assert (await replica.ask("DropNews", webhook_id=webhook_id)).count == 1
    assert await replica.letters(webhook_id) == []
    with pytest.raises(NotFound, match=str(worse)):
        await replica.ask("RedeliverNews", webhook_id=webhook_id, positions=[worse])
    await cell.add()
    assert await receiver.wait_for(len(await cell.positions()) - 1) == [
        *rest,
        bad,
        *await cell.positions(after=wanted[-1]),
    ]


async def test_with_too_many_dead_letters_it_stops_and_goes_on_without_a_loss_when_resumed(
    cell: WebhookCell, receiver: Receiver
) -> None:
    wanted = await cell.positions()
    receiver.answer = lambda _: "302 Found\r\nlocation: http://127.0.0.1:1/"
    replica = cell.replica()
    webhook_id = (await replica.add(receiver.port)).webhook.webhook_id
    seen = await replica.until(webhook_id, state=pb.WEBHOOK_STATE_STOPPED)
    assert (seen.stop, seen.position) == (pb.WEBHOOK_STOP_DEAD_LETTERS, wanted[QUICK.dead_letters - 1])
    receiver.answer = lambda _: TAKEN
    tried = len(receiver.got)
    await asyncio.sleep(0.3)
    assert len(receiver.got) == tried
    await replica.ask("RedeliverNews", webhook_id=webhook_id)
    await replica.ask("ResumeWebhook", webhook_id=webhook_id)
    await receiver.wait_for(len(wanted))
    assert sorted(receiver.taken) == wanted
    assert receiver.taken[QUICK.dead_letters :] == wanted[QUICK.dead_letters :]


@pytest.mark.parametrize(("answer", "stop"), [("410 Gone", "GONE"), ("500 Broken", "FAILING")])
async def test_it_stops_for_who_is_gone_at_once_and_for_who_is_away_after_a_day_and_resumes_there(
    cell: WebhookCell, receiver: Receiver, answer: str, stop: str
) -> None:
    wanted = await cell.positions()
    receiver.answer = Times(99, answer, {wanted[2]})
    replica = cell.replica()
    webhook_id = (await replica.add(receiver.port)).webhook.webhook_id
    await receiver.wait_for(2)
    if stop == "FAILING":
        await replica.until(webhook_id, state=pb.WEBHOOK_STATE_FAILING)
        replica.clock.ahead += timedelta(hours=24)
    seen = await replica.until(webhook_id, state=pb.WEBHOOK_STATE_STOPPED)
    assert (seen.stop, seen.position) == (pb.WebhookStop.Value(f"WEBHOOK_STOP_{stop}"), wanted[1])
    assert stop != "GONE" or len(receiver.got) == 3
    receiver.answer = lambda _: TAKEN
    await cell.add()
    assert receiver.taken == wanted[:2]
    resumed = await replica.ask("ResumeWebhook", webhook_id=webhook_id)
    assert resumed.webhook.state == pb.WEBHOOK_STATE_LIVE
    wanted = await cell.positions()
    assert await receiver.wait_for(len(wanted)) == wanted


async def test_who_lost_what_came_gets_it_again_from_a_position(cell: WebhookCell, receiver: Receiver) -> None:
    wanted = await cell.positions()
    replica = cell.replica()
    webhook_id = (await replica.add(receiver.port)).webhook.webhook_id
    await receiver.wait_for(len(wanted))
    await replica.ask("ResumeWebhook", webhook_id=webhook_id, after_position=wanted[1])
    assert await receiver.wait_for(2 * len(wanted) - 2) == wanted + wanted[2:]


async def test_during_a_rotation_both_secrets_sign_for_a_day(cell: WebhookCell, receiver: Receiver) -> None:
    replica = cell.replica()
    added = await replica.add(receiver.port)
    webhook_id, before = added.webhook.webhook_id, len(await cell.positions())
    await receiver.wait_for(before)
    command = str(uuid.uuid4())
    rotated = await replica.ask("RotateWebhookSecret", webhook_id=webhook_id, command_id=command)
    again = await replica.ask("RotateWebhookSecret", webhook_id=webhook_id, command_id=command)
    assert again.secret == rotated.secret != added.secret
    await asyncio.sleep(0.5)  # several polls of the replica that delivers
    await cell.add(8)
    during = len(await cell.positions())
    assert during > before
    await receiver.wait_for(during)
    replica.clock.ahead += timedelta(hours=24, minutes=1)
    await cell.add()
    after = len(await cell.positions())
    assert after > during
    await receiver.wait_for(after)
    old, new = ([request.is_signed_with(each.secret) for request in receiver.got] for each in (added, rotated))
    assert old == [True] * during + [False] * (after - during)
    assert new == [False] * before + [True] * (after - before)


async def test_of_several_replicas_one_sends_and_another_takes_over(cell: WebhookCell, receiver: Receiver) -> None:
    first, second = cell.replica(), cell.replica()
    await second.add(receiver.port)
    await receiver.wait_for(len(await cell.positions()))
    await cell.add(10)
    await receiver.wait_for(len(await cell.positions()))
    await first.stop()
    await cell.add(10)
    await receiver.wait_for(len(await cell.positions()))
    await second.stop()
    third = cell.replica()
    await cell.add()
    wanted = await cell.positions()
    assert await receiver.wait_for(len(wanted)) == wanted
    assert third.task is not None
    assert [request.position for request in receiver.got] == wanted, "nothing came twice"


async def test_while_another_process_holds_the_lease_nothing_is_sent_and_when_it_has_died_all_of_it(
    cell: WebhookCell, receiver: Receiver
) -> None:
    assert await cell.record.lease(LEASE_NAME, "a process that dies", 1.5)
    replica = cell.replica()
    await replica.add(receiver.port)
    await asyncio.sleep(0.5)
    assert receiver.got == []
    wanted = await cell.positions()
    assert await receiver.wait_for(len(wanted)) == wanted


async def test_who_has_not_renewed_the_lease_sends_nothing_more_and_another_goes_on(
    cell: WebhookCell, receiver: Receiver
) -> None:
    receiver.pause = 0.5
    lease_seconds = 3.0
    # It may send for two seconds: a slow machine needs a part of them to take the lease and to read its settings.
    stalled = cell.replica(start=False, lease=lease_seconds, margin=1.0, beat=60.0)
    await stalled.add(receiver.port)
    stalled.start()
    await receiver.wait_for(1)
    await asyncio.sleep(lease_seconds)
    wanted = await cell.positions()
    assert receiver.taken == wanted[: len(receiver.taken)] != wanted
    receiver.pause = 0.0
    cell.replica()
    assert await receiver.wait_for(len(wanted)) == wanted


async def test_a_process_that_is_killed_misses_nothing_and_goes_on_in_order(
    database_url: str, shared_nats: str, tmp_path: Path
) -> None:
    port = free_port()
    settings: dict[str, object] = {
        "data": tmp_path,
        "database_url": database_url,
        "nats_url": shared_nats,
        "grpc_port": port,
        "webhook_networks": "127.0.0.0/8",
    }
    record = await Record.open(database_url)
    steps = list(Championship().steps())
    for step in steps[:5]:
        await append(record, step)
    async with receiving(Receiver(pause=0.01)) as receiver:
        child = Child(["serve", "results"], settings, tmp_path / "results.log")
        try:
            await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{port}", child, "results")
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                request = pb.AddWebhookRequest(
                    command_id=str(uuid.uuid4()),
                    tournament_id="lliga",
                    url=f"http://127.0.0.1:{receiver.port}/",
                    after_position=0,
                )
                await WebhookServiceStub(channel).AddWebhook(request)
            for step in steps[5:]:
                await append(record, step)
            wanted = [event.position for event in await record.read(types=PUBLIC)]
            for share in (0.25, 0.5):
                await until(lambda share=share: len(set(receiver.taken)) >= share * len(wanted))  # type: ignore[misc]
                child.kill()
                child.start()
            await until(lambda: set(receiver.taken) == set(wanted), 40)
        finally:
            child.kill()
            await record.close()
    firsts = list(dict.fromkeys(receiver.taken))
    assert firsts == wanted, "none was missed, and none came before an earlier one"
    assert len(receiver.taken) < 2 * len(wanted), "what came again is what it had sent a moment before"


async def test_what_was_removed_gets_nothing_more_and_leaves_nothing(cell: WebhookCell, receiver: Receiver) -> None:
    receiver.answer = Times(99, "400 No", {(await cell.positions())[0]})
    replica = cell.replica()
    webhook_id = (await replica.add(receiver.port)).webhook.webhook_id
    await replica.until(webhook_id, dead_letter_count=1)
    await replica.ask("RemoveWebhook", webhook_id=webhook_id)
    await asyncio.sleep(0.3)
    came = len(receiver.got)
    await cell.add()
    await asyncio.sleep(0.3)
    assert len(receiver.got) == came
    async with cell.record.reading() as connection:
        for table in tables.metadata.sorted_tables:
            assert (await connection.execute(select(table))).all() == []
    with pytest.raises(NotFound, match=webhook_id):
        await replica.ask("RemoveWebhook", webhook_id=webhook_id)


async def test_a_receiver_that_is_slow_costs_nobody_else_anything(cell: WebhookCell, receiver: Receiver) -> None:
    slow = Receiver(pause=30)
    replica = cell.replica(deadline=30.0, quick=DeliverySlots(2), slow=DeliverySlots(3))
    async with receiving(slow):
        await replica.add(receiver.port)
        wanted = await cell.positions()
        await receiver.wait_for(len(wanted))
        for number in range(5):
            await replica.add(slow.port, f"/{number}")
        await until(lambda: slow.most == 3)
        await cell.add()
        wanted = await cell.positions()
        assert await receiver.wait_for(len(wanted)) == wanted
        assert (slow.most, len(slow.got)) == (3, 3), "at most as many calls run as there are slots"
        replica.means.quick = replica.means.slow = DeliverySlots(0)


async def test_a_webhook_that_a_defect_keeps_from_working_keeps_no_other_from_it(
    cell: WebhookCell, receiver: Receiver
) -> None:
    replica = cell.replica(start=False)
    broken = (await replica.add(receiver.port)).webhook.webhook_id
    async with cell.record.writing() as connection:
        what = tables.webhooks.c.webhook_id == broken
        await connection.execute(update(tables.webhooks).where(what).values(url="no url"))
    await replica.add(receiver.port, "/good")
    replica.start()
    wanted = await cell.positions()
    assert await receiver.wait_for(len(wanted)) == wanted
    assert {request.path for request in receiver.got} == {"/good"}
    assert replica.task is not None
    assert not replica.task.done()


async def test_the_same_command_adds_one_webhook_and_shows_its_secret_to_nobody_else(
    cell: WebhookCell, receiver: Receiver
) -> None:
    replica, command = cell.replica(start=False), str(uuid.uuid4())
    first, again = [await replica.add(receiver.port, command_id=command) for _ in range(2)]
    assert again == first
    assert len((await replica.ask("ListWebhooks")).webhooks) == 1
    with pytest.raises(Invalid, match="another command"):
        await replica.add(receiver.port, "/other", command_id=command)
    listed = await replica.ask("ListWebhooks", webhook_id=first.webhook.webhook_id)
    assert first.secret not in str(listed)


async def test_a_tournament_has_so_many_webhooks_and_no_more(
    cell: WebhookCell, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_TOURNAMENT_WEBHOOKS", 2)
    replica = cell.replica(start=False)
    made = await asyncio.gather(*(replica.add(receiver.port) for _ in range(4)), return_exceptions=True)
    refused = [each for each in made if isinstance(each, Refusal)]
    assert [each.reason for each in refused] == ["TOO_MANY_WEBHOOKS"] * 2
    assert len((await replica.ask("ListWebhooks")).webhooks) == 2
    monkeypatch.setattr(services, "MAX_TOURNAMENT_WEBHOOKS", 20)
    monkeypatch.setattr(services, "MAX_CELL_WEBHOOKS", 2)
    with pytest.raises(Refusal, match="there are already 2 webhooks"):
        await replica.add(receiver.port)


MALFORMED: Sequence[tuple[Mapping[str, Any], str]] = (
    ({"url": "https://10.0.0.1/"}, "url"),
    ({"url": "http://[::1]/"}, "url"),
    ({"url": "http://93.184.215.14/"}, "url"),
    ({"command_id": "x"}, "command_id"),
    ({"filter": pb.WebhookFilter(types=["PlayPlced"])}, "filter.types"),
    ({"filter": pb.WebhookFilter(rounds=range(200))}, "filter.rounds"),
    ({"after_position": -1}, "after_position"),
    ({"after_position": 1_000_000}, "after_position"),
)


async def test_what_is_malformed_is_refused_and_says_where(cell: WebhookCell) -> None:
    replica = cell.replica(start=False)
    for fields, field in MALFORMED:
        with pytest.raises(Invalid) as refused:
            await replica.add(1, **fields)
        assert refused.value.field == field
    assert not (await replica.ask("ListWebhooks")).webhooks


async def test_a_webhook_is_found_in_its_own_tournament_alone(cell: WebhookCell, receiver: Receiver) -> None:
    replica = cell.replica(start=False)
    added = await replica.add(receiver.port)
    for name in ("ListWebhooks", "RemoveWebhook", "ResumeWebhook", "RotateWebhookSecret", "RedeliverNews", "DropNews"):
        request = getattr(pb, f"{name}Request")(tournament_id="other", webhook_id=added.webhook.webhook_id)
        if "command_id" in request.DESCRIPTOR.fields_by_name:
            request.command_id = str(uuid.uuid4())
        with pytest.raises(NotFound):
            await getattr(replica.desk, name)(request, None)


# --- at a terminal ---------------------------------------------------------------------------------------------------


async def test_a_director_runs_webhooks_at_a_terminal_and_the_operator_sees_their_numbers(tmp_path: Path) -> None:
    steps = list(Championship().steps())
    async with staged(tmp_path, webhook_networks="127.0.0.0/8") as stage, receiving(Receiver()) as receiver:
        await stage.add(*steps)

        async def call(*words: str, code: int = 0) -> str:
            done = await asyncio.to_thread(faristol, "webhook", *words, client_address=stage.running.grpc_address)
            assert done.returncode == code, done.stderr
            return done.stdout if code == 0 else done.stderr

        url = f"http://127.0.0.1:{receiver.port}/hook"
        added = json.loads(await call("add", "lliga", url, "--after", "0", "--type", "PlayPlaced", "--json"))
        webhook_id = added["webhook"]["webhook_id"]
        topic = Topic.of({"lliga": ""}, types=["PlayPlaced"])
        news = map(to_notification, await stage.record.read(types=PUBLIC))
        plays = [each.position for each in news if topic.has(each)]
        assert await receiver.wait_for(len(plays)) == plays
        assert receiver.got[0].is_signed_with(added["secret"])

        assert (await call("list", "lliga")).split() == [webhook_id, "live", ANY, url]
        shown = await call("show", "lliga", webhook_id[:8])
        assert shown.splitlines()[:3] == [f"{webhook_id}  live", url, "types: PlayPlaced"]
        assert added["secret"] not in shown

        async with receiving(Receiver()) as other:
            place = f"http://127.0.0.1:{other.port}/"
            words = ("add", "lliga", place, "--after", str(plays[-8]), "--round", "2", "--content", "--json")
            second = json.loads(await call(*words))["webhook"]["webhook_id"]
            topic = Topic.of({"lliga": ""}, rounds=[2], with_content=True)
            news = map(to_notification, await stage.record.read(plays[-8], types=PUBLIC))
            told = [each.position for each in news if topic.has(each)]
            assert await other.wait_for(len(told)) == told
            await call("remove", "lliga", second)
        fold, fresh = Folded(), dict[Any, Any]()
        await fold.take([request.news for request in other.got], stage.http, fresh)
        assert await fold.differs(stage.http, fresh) == []
        changes = [change for request in other.got for change in request.news["content"]]
        assert all(change["whole"] and change["position"] >= told[0] for change in changes)
        assert {change["kind"] for change in changes} == {"game", "pairings"}  # standings are of all rounds

        receiver.answer = lambda _: "410 Gone"
        await call("resume", "lliga", webhook_id, "--after", "0")
        await until(lambda: receiver.answered[-1][1] == "410 Gone")
        stopped = {"webhooks": 1, "failing": 0, "stopped": 1, "dead_letters": 0}
        give_up = time.monotonic() + 10
        while (await stage.http.get("/api/v1/status")).json()["webhooks"] != stopped:
            assert time.monotonic() < give_up
            await asyncio.sleep(0.05)
        assert "stopped: the receiver returned 410 (Gone)" in await call("list", "lliga")
        assert "stopped: 1" in (await stage.http.get("/status")).text

        assert "it has" in await call("remove", "lliga", "nosuch", code=2)
        assert await call("remove", "lliga", webhook_id[:6]) == f"{webhook_id}: removed\n"
        assert await call("list", "lliga") == "no entries\n"
        refused = await call("add", "lliga", "https://192.168.1.7/", code=2)
        assert "192.168.1.7 is not a public address" in refused


# --- one message -----------------------------------------------------------------------------------------------------


def context_of(authority: Signed, mine: Signed, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return the TLS contexts of a receiver and of a sender."""
    for name, content in (("mine.pem", mine.pem), ("mine.key", mine.key_pem)):
        (folder / name).write_bytes(content)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "mine.pem", folder / "mine.key")
    return server, ssl.create_default_context(cadata=authority.pem.decode())


async def send(
    url: str, context: ssl.SSLContext, networks: str = "127.0.0.0/8", deadline: float = 5.0
) -> DeliveryOutcome:
    way = TargetConnection(target_of(url), networks_of(networks), context, utc_now, deadline)
    slots = DeliverySlots(1)
    try:
        return await way.send(b'{"position":1}', {"content-type": "application/json"}, slots)
    finally:
        await way.aclose()
        slots.close()


async def test_the_certificate_has_to_be_that_of_the_name_and_of_an_authority(tmp_path: Path) -> None:
    authority = sign_certificate("authority")
    server, trusting = context_of(authority, sign_certificate("here", authority, "localhost"), tmp_path)
    async with receiving(Receiver(), server) as receiver_url:
        url = f"https://localhost:{receiver_url.port}/hook"
        assert await send(url, trusting) == DeliveryOutcome(204)
        assert (receiver_url.got[0].headers["host"], receiver_url.got[0].path) == (
            f"localhost:{receiver_url.port}",
            "/hook",
        )
        assert await send(url, ssl.create_default_context()) == DeliveryOutcome(failure=Failure.CERTIFICATE)
        assert await send(f"https://127.0.0.1:{receiver_url.port}/", trusting) == DeliveryOutcome(
            failure=Failure.CERTIFICATE
        )
        assert len(receiver_url.got) == 1


async def test_a_private_address_is_called_by_nobody_whatever_name_it_has(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.create_default_context()
    for host in ("localhost", "127.0.0.1", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"):
        for scheme in ("http", "https"):
            outcome = await send(f"{scheme}://{host}:{receiver.port}/", context, networks="")
            assert outcome == DeliveryOutcome(failure=Failure.ADDRESS_REFUSED), host
    assert receiver.connections == 0


async def test_a_proxy_of_the_environment_is_not_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert await send(f"http://127.0.0.1:{receiver.port}/", ssl.create_default_context()) == DeliveryOutcome(204)


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n" + b"x" * 100_000, DeliveryOutcome(200)),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nslow", DeliveryOutcome(200)),
        (b"HTTP/1.1 500 Broken\r\nretry-after: 7\r\n\r\n", DeliveryOutcome(500, Failure.STATUS, 7)),
        (b"SSH-2.0-OpenSSH\r\n\r\n", DeliveryOutcome(failure=Failure.NO_CONNECTION)),
        (b"HTTP/1.1 200 OK\r\nx: " + b"x" * 1_000_000, DeliveryOutcome(failure=Failure.NO_CONNECTION)),
        (b"", DeliveryOutcome(failure=Failure.TIMEOUT)),
    ],
)
async def test_whatever_comes_back_one_message_takes_a_bounded_time_and_no_more_than_a_little_is_read(
    written: bytes, outcome: DeliveryOutcome
) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b'"position":1}')
        writer.write(written)
        await asyncio.sleep(20)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with asyncio.timeout(15):
        assert await send(f"http://127.0.0.1:{port}/", ssl.create_default_context(), deadline=1.5) == outcome
    server.close()


async def test_where_nobody_listens_and_where_no_name_is_the_message_did_not_arrive() -> None:
    context = ssl.create_default_context()
    assert await send("http://127.0.0.1:1/", context) == DeliveryOutcome(failure=Failure.NO_CONNECTION)
    assert await send("https://nowhere.invalid/", context) == DeliveryOutcome(failure=Failure.NO_ADDRESS)
    assert await send(f"https://{'a' * 70}.example/", context) == DeliveryOutcome(failure=Failure.NO_ADDRESS)
