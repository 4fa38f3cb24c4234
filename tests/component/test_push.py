"""Notifications on a locked phone, by a push service over HTTPS that decrypts them as a browser does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from tests.component.officials import browser, do
from tests.support.access_cell import OWN, Cell, build_credential, open_access_cell
from tests.support.push_services import PushBrowser, PushServer, check_identity, open_push_server

from faristol.access_control.credential import Credential
from faristol.event_store.event import microseconds, utc_now
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import push_pb2 as pb
from faristol.personal_data import erasure
from faristol.web_push import subscriptions
from faristol.web_push.subscriptions import Follow, Subscription, id_of
from faristol.webhooks.sender import build_ssl_context

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUBSCRIPTIONS_COUNT = 1_000


def build_follow(endpoint: str, phone: PushBrowser, **fields: Any) -> Any:
    """Return the request of a browser to follow a part of the tournament."""
    wanted: dict[str, Any] = {"endpoint": endpoint, "tournament_id": OWN, "language": "en", **phone.keys(), **fields}
    return pb.FollowByPushRequest(**wanted)


@dataclass
class Stage:
    """A cell that sends to a push service of this machine."""

    cell: Cell
    server: PushServer
    key: str

    async def follow(self, name: str, credential: Credential | None = None, **fields: Any) -> PushBrowser:
        """Return a browser that follows a part of the tournament."""
        made = PushBrowser()
        await self.ask(
            build_follow(self.server.endpoint(name), made, **fields),
            credential,
        )
        return made

    async def ask(self, request: Any, credential: Credential | None = None) -> Any:
        token = self.cell.token(credential) if credential else ""
        return await self.cell.call(METHODS_BY_REQUEST[type(request)].path, request, token)

    async def send(self, **fields: Any) -> Any:
        return await do(self.cell, pairing.SendMessageRequest(tournament_id=OWN, **fields))

    async def wait_for_end(self, endpoint: str) -> None:
        """Wait until a browser follows none."""
        async with asyncio.timeout(60):
            while True:
                if not (await self.ask(pb.ListPushFollowsRequest(endpoint=endpoint))).follows:
                    return
                await asyncio.sleep(0.1)

    async def wait_for_queue(self, count: int) -> None:
        """Wait until ``count`` messages are delivered and the queue is empty."""
        async with asyncio.timeout(300):
            while True:
                if len(self.server.delivered) >= count and not await self.count_queued():
                    return
                await asyncio.sleep(0.5)

    async def wait_until_postponed(self) -> None:
        """Wait until no message in the queue is due."""
        async with asyncio.timeout(60):
            while True:
                if not await self.count_queued(due=True):
                    return
                await asyncio.sleep(0.2)

    async def count_queued(self, *, due: bool = False) -> int:
        """Return the number of messages in the queue; with ``due``, of those whose time has come."""
        async with self.cell.process.runtime.record.reading() as connection:
            until = microseconds(utc_now()) if due else 2**62
            return len(await subscriptions.list_due(connection, until, 10_000))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("push")
    with pytest.MonkeyPatch.context() as patch:
        async with open_push_server(folder) as (server, authority):
            patch.setenv("SSL_CERT_FILE", str(authority))
            build_ssl_context.cache_clear()
            async with open_access_cell(folder / "cell", lexicons, webhook_networks="127.0.0.0/8,::1/128") as cell:
                made = Stage(cell, server, "")
                made.key = (await made.ask(pb.GetPushKeyRequest())).key
                yield made
    build_ssl_context.cache_clear()


def player(number: int) -> Credential:
    return build_credential(needs.ROLE_PLAYER, subject=f"player-{number}", player=f"{OWN}-{number}")


async def test_a_browser_reads_its_message_and_the_push_service_does_not(stage: Stage) -> None:
    phone = await stage.follow("spectator")
    await stage.send(text="Lunch is served")
    (told,) = await stage.server.wait(1, "spectator")
    assert b"Lunch" not in told.body
    content = phone.decrypt(told.body)
    assert (content["title"], content["body"], content["url"]) == (OWN, "Lunch is served", f"/tournaments/{OWN}")
    assert check_identity(told, f"https://localhost:{stage.server.port}") == stage.key
    headers = {name: told.headers[name] for name in ("content-encoding", "urgency")}
    assert headers == {"content-encoding": "aes128gcm", "urgency": "high"}
    assert 0 < int(told.headers["ttl"]) <= 1_800
    assert len(told.headers["topic"]) <= 32
    assert "user-agent" not in told.headers or "faristol" not in told.headers["user-agent"].lower()


async def test_a_message_to_a_player_goes_to_that_player_alone(stage: Stage) -> None:
    own = await stage.follow("own-1", player(1), own_player_id=f"{OWN}-1")
    await stage.follow("own-2", player(2), own_player_id=f"{OWN}-2")
    await stage.follow("fan-of-1", player_id=f"{OWN}-1")
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stage.follow("thief", player(2), own_player_id=f"{OWN}-1")
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stage.follow("thief", own_player_id=f"{OWN}-1")
    assert refused.value.code() in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
    await stage.send(text="Your bag was found", player_ids=[f"{OWN}-1"])
    (told,) = await stage.server.wait(1, "own-1")
    content = own.decrypt(told.body)
    assert (content["body"], content["url"]) == ("Your bag was found", f"/tournaments/{OWN}/my-table")
    await stage.send(text="The end")  # is sent after it
    for name in ("own-2", "fan-of-1"):
        assert len(await stage.server.wait(1, name)) == 1


async def test_the_result_of_a_followed_player_and_table_is_sent_once(stage: Stage) -> None:
    table = await do(stage.cell, game.GetGameRequest(game_id=f"{OWN}-r1-t1"))
    first, second = (side.player_id for side in table.sides)
    fan, watcher = await stage.follow("fan", player_id=first), await stage.follow("watcher", table=1)
    scores = [game_events.FinalScore(player_id=each, score=score) for each, score in ((first, 400), (second, 300))]
    entered = pairing.EnterResultRequest(
        tournament_id=OWN, game_id=f"{OWN}-r1-t1", scores=scores, arbiter_id="the-director"
    )
    await do(stage.cell, entered)
    (told,) = await stage.server.wait(1, "fan")
    content = fan.decrypt(told.body)
    assert "400" in content["body"]
    assert "300" in content["body"]
    assert content["url"] == f"/players/{first}"
    assert len(await stage.server.wait(1, "watcher")) == 1
    assert watcher.decrypt(stage.server.of("watcher")[0].body)["url"] == f"/tournaments/{OWN}/round/1"


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://10.0.0.1/push/1",
        "https://169.254.169.254/latest/meta-data",
        "https://[fd00::1]/push",
        "http://push.example/1",
        "http://127.0.0.1:1/push",
        "ftp://push.example/1",
    ],
)
async def test_an_address_inside_the_network_is_no_push_service(stage: Stage, endpoint: str) -> None:
    request = build_follow(endpoint, PushBrowser())
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stage.ask(request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_browser_stops_on_request_and_with_the_erasure_of_the_player(stage: Stage) -> None:
    endpoint = stage.server.endpoint("leaving")
    await stage.follow("leaving", player_id=f"{OWN}-6")
    await stage.follow("leaving")
    follow = pb.PushFollow(tournament_id=OWN, kind="messages")
    left = await stage.ask(pb.UnfollowByPushRequest(endpoint=endpoint, follow=follow))
    assert [(each.kind, each.value) for each in left.follows] == [("player", f"{OWN}-6")]
    record = stage.cell.process.runtime.record
    await erasure.erase(record, f"{OWN}-6")
    await stage.wait_for_end(endpoint)
    async with record.reading() as connection:
        assert not await subscriptions.load(connection, [id_of(endpoint)])


async def test_of_a_thousand_subscriptions_a_third_is_gone_and_each_other_gets_its_message_once(stage: Stage) -> None:
    phone = PushBrowser()
    record, server = stage.cell.process.runtime.record, stage.server
    names = [f"many-{number}" for number in range(SUBSCRIPTIONS_COUNT)]
    async with record.writing() as connection:
        for name in names:
            keys = phone.keys()
            new = Subscription(server.endpoint(name), keys["public_key"], keys["auth"], stage.key, "ca")
            await subscriptions.store(connection, new, microseconds(utc_now()))
            await subscriptions.add_follow(connection, new.id, Follow(OWN, subscriptions.MESSAGES))

    def answer(path: str, number: int) -> tuple[int, float]:
        if "many-" not in path:
            return 201, 0.0
        place = int(path.rpartition("-")[2])
        if place % 3 == 0:
            return (410, 404)[place % 2], 0.0
        if place % 50 == 1:
            return (201, 0.0) if number else (503, 0.0)  # it is away at first
        if place == 2:
            return 302, 0.0  # is not followed
        return 201, 0.0

    server.answer = answer
    before = len(server.delivered)
    await stage.send(text="Everyone, please sit down")
    await stage.wait_for_queue(before + 600)
    told = [each for each in server.delivered[before:] if "many-" in each.path]
    alive = {f"/push/{name}" for place, name in enumerate(names) if place % 3 and place != 2}
    assert {each.path for each in told} == alive
    assert len(told) == len(alive), "each once"
    assert phone.decrypt(told[0].body)["body"] == "Everyone, please sit down"
    gone = [name for place, name in enumerate(names) if place % 3 == 0]
    async with record.reading() as connection:
        assert not await subscriptions.load(connection, [id_of(server.endpoint(name)) for name in gone])
    assert all(server.requests[f"/push/{name}"] == 1 for name in gone)


async def test_a_push_service_without_an_answer_delays_no_other_and_gets_its_messages_later(stage: Stage) -> None:
    phone = PushBrowser()
    record, server = stage.cell.process.runtime.record, stage.server
    slow = [f"slow-{number}" for number in range(40)]
    addresses = [*map(server.endpoint, slow), server.endpoint("other", "127.0.0.1")]
    async with record.writing() as connection:
        for address in addresses:
            keys = phone.keys()
            new = Subscription(address, keys["public_key"], keys["auth"], stage.key, "en")
            await subscriptions.store(connection, new, microseconds(utc_now()))
            await subscriptions.add_follow(connection, new.id, Follow(OWN, subscriptions.TABLE, "3"))
    is_away = True
    server.answer = lambda path, number: (201, 3_600.0 if is_away and "slow-" in path else 0.0)
    await stage.send(text="Table three, please", tables=[3])
    await server.wait(1, "other")
    await stage.wait_until_postponed()
    assert sum(server.requests[f"/push/{name}"] for name in slow) < len(slow), "its messages wait together"
    is_away = False
    for name in slow:
        await server.wait(1, name, 120)
    assert len(server.of("other")) == 1


async def test_the_pages_of_a_site_offer_and_change_a_subscription(stage: Stage) -> None:
    made = PushBrowser()
    fields = {"endpoint": stage.server.endpoint("page"), "tournament_id": OWN, **made.keys()}
    async with browser(stage.cell, player(3)) as web:
        assert (await web.get("/push/key")).json()["key"] == stage.key
        own = {"kind": "own", "value": f"{OWN}-3"}
        followed = await web.post("/push", data={"act": "follow", **own, **fields})
        assert followed.json() == {"follows": [f"{OWN} own {OWN}-3"]}
        other = await web.post("/push", data={"act": "follow", "kind": "own", "value": f"{OWN}-4", **fields})
        assert other.status_code == 403
        wrong = await web.post("/push", data={"act": "follow", "kind": "messages", **fields, "auth": "x"})
        assert wrong.status_code == 400
        listed = await web.post("/push", data={"act": "list", "endpoint": fields["endpoint"]})
        assert listed.json()["follows"] == [f"{OWN} own {OWN}-3"]
        left = await web.post("/push", data={"act": "unfollow", **own, **fields})
        assert left.json() == {"follows": []}
        assert "data-push" in (await web.get(f"/tournaments/{OWN}/my-table")).text
