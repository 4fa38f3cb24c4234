"""Drafts, racks, addresses, needs, fees, messages to a player: no stream, webhook, push message or metric has them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import nats
import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, Metric, MetricsData
from tests.component.officials import do, play
from tests.component.receiver import Receiver, receiving
from tests.conftest import OPERATOR
from tests.support.access_cell import OWN, Cell, build_credential, open_access_cell
from tests.support.court import until
from tests.support.plain_http import PLAIN
from tests.support.push_services import PushBrowser, PushServer, open_push_server

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.roles import MAY_GIVE, ROLE_NAMES
from faristol.bus import NatsServer
from faristol.bus.permissions import inbox, program
from faristol.bus.server import CELL_USER
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.kernel import event_types
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import fee_events_pb2 as fee_events
from faristol.pb.pairing.v1 import fees_pb2 as fees
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_events_pb2 as registration_events
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.results.v1 import push_pb2 as push
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import webhooks_pb2 as webhooks
from faristol.webhooks.sender import build_ssl_context

CUP = "hidden-cup"
DRAFT_TABLE_NUMBER = 977
ADDRESS, NEED, ENTRANT, AMOUNT_CENTS = "leak@secret.example", "step-free-secret", "Hidden Entrant", 98_765
PRIVATE_TEXT, MARKER = "Please come to the desk", "The end of the test"
SECRETS = re.compile(
    rf"leak@secret|step-free-secret|987[.,]?65|Hidden Entrant|{PRIVATE_TEXT}|table\D{{0,4}}{DRAFT_TABLE_NUMBER}\b"
)
APP = program("app")


@dataclass
class Channels:
    """The text that each channel has sent."""

    sent: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        self.sent[name] = self.sent.get(name, "") + text + "\n"


@dataclass
class Platform:
    """A cell with a bus, a push service and a receiver of webhooks."""

    cell: Cell
    bus: NatsServer
    push: PushServer
    receiver: Receiver


@asynccontextmanager
async def open_platform(folder: Path, lexicons: Path) -> AsyncIterator[Platform]:
    bus = await NatsServer.start(folder / "nats", (CELL_USER, OPERATOR, APP))
    receiver = Receiver()
    with pytest.MonkeyPatch.context() as patch:
        async with open_push_server(folder) as (server, authority), receiving(receiver):
            patch.setenv("SSL_CERT_FILE", str(authority))
            build_ssl_context.cache_clear()
            more = {"webhook_networks": "127.0.0.0/8,::1/128", "nats_url": bus.url}
            async with open_access_cell(folder / "cell", lexicons, **more) as cell:
                yield Platform(cell, bus, server, receiver)
    build_ssl_context.cache_clear()
    await bus.stop()


def of_cup(role: needs.Role.ValueType, **more: Any) -> Credential:
    """Return a credential for the cup and the tournament of the cell."""
    return replace(build_credential(role, CUP, **more), scope=Scope(frozenset({CUP, OWN})))


async def direct(cell: Cell, request: Any) -> Any:
    """Return the answer to the director of the cup."""
    request.tournament_id = CUP
    return await do(cell, request, of_cup(needs.ROLE_DIRECTOR))


async def prepare(cell: Cell) -> None:
    creator = replace(build_credential(needs.ROLE_DIRECTOR), scope=Scope())
    await do(cell, pairing.CreateTournamentRequest(tournament_id=CUP, name="Cup", rounds=5), creator)
    for number in range(1, 7):
        await direct(cell, pairing.RegisterPlayerRequest(player_id=f"{CUP}-{number}", name=f"Player {number}"))
    hall = events.Hall(name="Torre", first_table=1, last_table=3)
    far = events.Hall(name="Far", first_table=960, last_table=979)
    await direct(cell, pairing.SetHallsRequest(halls=[hall, far]))


async def act(cell: Cell) -> int:
    """Do what is hidden, then send a public message; return its position."""
    form = registration.SubmitEntryRequest(
        tournament_id=CUP, name=ENTRANT, email=ADDRESS, need=NEED, listing=registration_events.ENTRY_LISTING_HIDDEN
    )
    await direct(cell, registration.SetRegistrationRequest(open=True, fields=["need"]))
    await do(cell, form)
    await direct(cell, fees.SetFeesRequest(currency="EUR", amount=AMOUNT_CENTS))
    paid = fees.RecordPaymentRequest(tournament_id=CUP, player_id=f"{CUP}-2", method=fee_events.PAYMENT_METHOD_CASH)
    await do(cell, paid, of_cup(needs.ROLE_TREASURER))
    to_one = pairing.SendMessageRequest(
        text=PRIVATE_TEXT, audience=events.MESSAGE_AUDIENCE_PLAYERS, player_ids=[f"{CUP}-3"]
    )
    await direct(cell, to_one)
    await direct(cell, pairing.PairRoundRequest(round=1, draft=True))
    await direct(cell, pairing.MovePairingRequest(round=1, table=1, to_table=DRAFT_TABLE_NUMBER))
    await play(cell, f"{OWN}-r1-t1")  # draws tiles
    told = await direct(cell, pairing.SendMessageRequest(text=MARKER, audience=events.MESSAGE_AUDIENCE_ALL))
    return int(told.position)


async def read_bus(platform: Platform, position: int, channels: Channels) -> None:
    """Read all public events of the bus up to a position."""
    client = await nats.connect(platform.bus.url_of(APP.name), inbox_prefix=inbox(APP.name).encode())
    subscription = await client.jetstream().pull_subscribe("faristol.>", durable=APP.name, stream="FARISTOL")
    async with asyncio.timeout(60):
        while True:
            with suppress(TimeoutError):
                for message in await subscription.fetch(100, timeout=1):
                    channels.add("NATS", f"{message.subject} {message.headers} {message.data.decode('latin-1')}")
                    await message.ack()
                    if int((message.headers or {})["ce-sequence"]) >= position:
                        await client.close()
                        return


async def follow(cell: Cell, name: str, token: str, position: int, channels: Channels) -> None:
    """Read the stream of events by gRPC up to a position, if the caller may."""
    method = METHODS_BY_REQUEST[results.FollowRequest]
    call = cell.channel.unary_stream(
        method.path,
        request_serializer=results.FollowRequest.SerializeToString,
        response_deserializer=results.FollowResponse.FromString,
    )
    request = results.FollowRequest(tournament_id=CUP, limit=1_000)
    answer = call(request, metadata=[("authorization", f"Bearer {token}")] if token else None)
    async for each in answer:
        channels.add(name, str(each))
        if each.position >= position:
            break


async def read_http(cell: Cell, name: str, token: str, path: str, position: int, channels: Channels) -> None:
    """Read a stream of server-sent events with their content up to a position."""
    cookies = {"faristol": token} if token else {}
    async with (
        asyncio.timeout(60),
        httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, cookies=cookies, timeout=60) as web,
        web.stream("GET", f"{path}?after=0&include=content") as answer,
    ):
        async for line in answer.aiter_lines():
            channels.add(name, line)
            if line.startswith("id:") and int(line.rpartition("-")[2].rpartition(":")[2]) >= position:
                return


def list_metrics(measured: MetricsData) -> list[Metric]:
    """Return the metrics of all meters."""
    return [metric for of in measured.resource_metrics for scope in of.scope_metrics for metric in scope.metrics]


async def test_no_channel_has_what_is_hidden(tmp_path: Path, lexicons: Path, no_open: None) -> None:
    channels, reader = Channels(), InMemoryMetricReader()
    metrics.set_meter_provider(MeterProvider(metric_readers=[reader], shutdown_on_exit=False))
    async with open_platform(tmp_path, lexicons) as platform:
        cell = platform.cell
        await prepare(cell)
        url = f"http://127.0.0.1:{platform.receiver.port}/hook"
        await direct(cell, webhooks.AddWebhookRequest(url=url, with_content=True, after_position=0))
        phones = {"spectator": PushBrowser(), "player": PushBrowser()}
        for name, phone in phones.items():
            fields: dict[str, Any] = {"endpoint": platform.push.endpoint(name), "language": "en", **phone.keys()}
            wanted = push.FollowByPushRequest(tournament_id=CUP, **fields)
            await do(cell, wanted, of_cup(needs.ROLE_PLAYER, player=f"{CUP}-1"))
        position = await act(cell)

        await read_bus(platform, position, channels)
        for role in (None, *MAY_GIVE):
            token = cell.token(of_cup(role, player=f"{CUP}-1" if role == needs.ROLE_PLAYER else "")) if role else ""
            name = ROLE_NAMES[role] if role else "visitor"
            await follow(cell, f"Follow, {name}", token, position, channels)
            for path in ("/api/v1/stream", f"/api/v1/tournaments/{CUP}/stream"):
                await read_http(cell, f"{path}, {name}", token, path, position, channels)

        async def is_delivered() -> bool | None:
            return any(str(position) in each.body.decode() for each in platform.receiver.got) or None

        await until(is_delivered)
        for each in platform.receiver.got:
            channels.add("webhook", each.body.decode())
        for name, phone in phones.items():
            for delivered in await platform.push.wait(1, name):
                channels.add(f"push, {name}", str(phone.decrypt(delivered.body)))
        measured = reader.get_metrics_data()
        assert measured is not None
        channels.add(
            "metrics", str([[each.attributes for each in metric.data.data_points] for metric in list_metrics(measured)])
        )

    named = {kind.DESCRIPTOR.name for kind in event_types.RECORD_EVENT_TYPES}
    public = {
        kind.DESCRIPTOR.name
        for kind in event_types.RECORD_EVENT_TYPES
        if event_types.meaning(kind).audience == options.AUDIENCE_PUBLIC
    }
    assert len(channels.sent) == 3 + 2 + 3 * (1 + len(MAY_GIVE)) - 1 + 1
    for name, text in channels.sent.items():
        assert not SECRETS.search(text), (name, SECRETS.findall(text))
        if name != "metrics":
            assert not (named - public) & set(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b", text)), name
