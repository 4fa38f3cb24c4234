"""Permissions of NATS users, on a real server: only the relay publishes, and only own consumers receive."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import sys
import time
from binascii import crc_hqx
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import nats
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from nats.aio.client import Client
from tests.component.consumers import append
from tests.component.processes import faristol
from tests.conftest import OPERATOR
from tests.support.consumers import RESULTS

from faristol.bus import Bus, BusRefused, NatsServer, Relay
from faristol.bus.permissions import NOTIFICATION_STREAM, authorization, inbox
from faristol.bus.server import SETTINGS
from faristol.consumers.consumer import durable
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.event_store.tasks import cancel_tasks
from faristol.host import SERVICES, Runtime, Settings
from faristol.host.readiness import Readiness
from faristol.host.services import ASKING, RELAY
from faristol.launcher.processes import running
from faristol.launcher.users import CONSUMERS, users
from faristol.pb.game.v1 import events_pb2 as game

CELL = "cell"
ALL = [durable(CELL, name) for names in CONSUMERS.values() for name in names]


HEARING = [name for name in SERVICES if name not in ASKING]
"""The services that have a user on the bus."""


@pytest.fixture
async def guarded_nats(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """Yield a NATS server with the users of a cell."""
    server = await NatsServer.start(tmp_path / "nats", (*users(CELL), OPERATOR))
    yield server
    await server.stop()


class Somebody:
    """A client with the credentials of a user, and the messages of the server to it."""

    def __init__(self, client: Client, said: list[str]) -> None:
        self.client = client
        self._said = said

    async def may(self, action: str, subject: str, payload: bytes = b"") -> bool:
        """Return whether the server lets it ``publish`` or ``subscribe``."""
        self._said.clear()
        if action == "publish":
            await self.client.publish(subject, payload, reply=self.client.new_inbox())
        else:
            await self.client.subscribe(subject)
        await self.client.flush()  # its PING precedes the pending data of the client
        await self.client.flush()
        return not any("permissions violation" in said.lower() for said in self._said)


@pytest.fixture
async def as_user(guarded_nats: NatsServer) -> AsyncIterator[Callable[[str], Any]]:
    """Connect as a user."""
    async with AsyncExitStack() as stack:

        async def connect(name: str) -> Somebody:
            said: list[str] = []

            async def hear(problem: Exception) -> None:
                said.append(str(problem))

            client = await nats.connect(guarded_nats.url_of(name), error_cb=hear, inbox_prefix=inbox(name).encode())
            stack.push_async_callback(client.close)
            return Somebody(client, said)

        yield connect


@pytest.fixture
async def stream(guarded_nats: NatsServer) -> AsyncIterator[Any]:
    """Yield JetStream as an operator sees it, with the stream and every consumer that there is in a cell."""
    bus = await Bus.connect(guarded_nats.url_of(RELAY))
    for name in CONSUMERS:
        mine = await Bus.connect(guarded_nats.url_of(name), publishes=False)
        for each in CONSUMERS[name]:
            pull = await mine.subscribe(durable(CELL, each), ["faristol.*.game.Passed"])
            await pull.close()
        await mine.close()
    await bus.close()
    client = await nats.connect(guarded_nats.url_of("operator"))
    yield client.jetstream()
    await client.close()


async def test_the_relay_alone_publishes_news(stream: Any, as_user: Callable[[str], Any]) -> None:
    for name in HEARING:
        assert not await (await as_user(name)).may("publish", "faristol.cup.game.Passed", b"forged"), name
    assert (await stream.stream_info(NOTIFICATION_STREAM)).state.messages == 0
    assert await (await as_user(RELAY)).may("publish", "faristol.cup.game.Passed")


async def test_nobody_listens_to_news_or_to_the_answers_of_another(stream: Any, as_user: Callable[[str], Any]) -> None:
    for name in (*HEARING, RELAY):
        somebody = await as_user(name)
        other = "game" if name != "game" else "clock"
        for subject in (
            ">",
            "faristol.>",
            "faristol-internal.>",
            "faristol.*.game.>",
            "_INBOX.>",
            f"{inbox(other)}.>",
            "$JS.>",
            "$SYS.>",
        ):
            assert not await somebody.may("subscribe", subject), (name, subject)
        assert await somebody.may("subscribe", f"{inbox(name)}.x"), name


async def test_a_user_makes_and_reads_its_own_consumers_alone(stream: Any, as_user: Callable[[str], Any]) -> None:
    for name in (*HEARING, RELAY):
        somebody = await as_user(name)
        own = {durable(CELL, each) for each in CONSUMERS.get(name, ())}
        for each in (*ALL, "another"):
            for subject in (
                f"$JS.API.CONSUMER.DURABLE.CREATE.{NOTIFICATION_STREAM}.{each}",
                f"$JS.API.CONSUMER.MSG.NEXT.{NOTIFICATION_STREAM}.{each}",
            ):
                assert await somebody.may("publish", subject) == (each in own), (name, subject)
            assert not await somebody.may("publish", f"$JS.API.CONSUMER.CREATE.{NOTIFICATION_STREAM}.{each}"), name
            assert not await somebody.may(
                "publish", f"$JS.API.CONSUMER.CREATE.{NOTIFICATION_STREAM}.{each}.faristol.>"
            ), name
            assert not await somebody.may("publish", f"$JS.API.CONSUMER.DELETE.{NOTIFICATION_STREAM}.{each}"), name
    assert {info.name for info in await stream.consumers_info(NOTIFICATION_STREAM)} == set(ALL)


async def test_no_user_removes_the_stream_or_reads_it_around_a_consumer(
    stream: Any, as_user: Callable[[str], Any]
) -> None:
    for name in (*HEARING, RELAY):
        somebody = await as_user(name)
        calls = ("DELETE", "PURGE", "UPDATE", "MSG.GET", "MSG.DELETE", "SNAPSHOT", "RESTORE", "LEADER.STEPDOWN")
        for call in calls:
            by_settings = name == RELAY and call == "UPDATE"  # it applies the settings of the stream
            assert await somebody.may("publish", f"$JS.API.STREAM.{call}.{NOTIFICATION_STREAM}") == by_settings, (
                name,
                call,
            )
        for subject in (
            "$JS.API.STREAM.CREATE.OTHER",
            f"$JS.API.DIRECT.GET.{NOTIFICATION_STREAM}",
            "$JS.API.STREAM.LIST",
            "$JS.API.INFO",
            "$SYS.REQ.SERVER.PING",
            "$SYS.REQ.ACCOUNT.PING.CONNZ",
        ):
            assert not await somebody.may("publish", subject), (name, subject)
        assert await somebody.may("publish", f"$JS.API.STREAM.CREATE.{NOTIFICATION_STREAM}") == (name == RELAY)
    assert (await stream.stream_info(NOTIFICATION_STREAM)).config.name == NOTIFICATION_STREAM


async def test_the_server_of_up_has_no_monitoring_and_keeps_its_passwords_for_its_owner(
    guarded_nats: NatsServer, tmp_path: Path
) -> None:
    (ports,) = (tmp_path / "nats").glob("*.ports")
    assert set(json.loads(ports.read_text())) == {"nats"}
    assert (tmp_path / "nats" / SETTINGS).stat().st_mode & 0o777 == 0o600


ATTRIBUTES = {f"ce-{name}" for name in ("specversion", "id", "type", "source", "subject", "time", "sequence")} | {
    "ce-streamversion"
}
ADDED = {"Nats-Msg-Id", "Nats-Expected-Stream", "traceparent"}
"""Headers for JetStream and for traces."""


async def test_a_public_event_travels_whole_and_one_with_private_values_as_a_reference(
    record: Record, guarded_nats: NatsServer
) -> None:
    bus = await Bus.connect(guarded_nats.url_of(RELAY))
    relay = asyncio.create_task(Relay(record, bus).run())
    public, private = game.Passed(turn=1), game.Exchanged(turn=2, faces=["A", "L·L"])
    await record.append(Decision([Write("game-a", 0, [public, private, game.TilesDrawn()], "cup")]), Metadata())
    client = await nats.connect(guarded_nats.url_of("operator"))
    jetstream = client.jetstream()
    for _ in range(100):
        if (await jetstream.stream_info(NOTIFICATION_STREAM)).state.messages == 3:
            break
        await asyncio.sleep(0.05)
    whole, *references = [await jetstream.get_msg(NOTIFICATION_STREAM, number) for number in (1, 2, 3)]
    given = whole.headers or {}
    assert whole.subject == "faristol.cup.game.Passed"
    assert game.Passed.FromString(whole.data or b"") == public
    assert given["ce-digest"] == f"sha-256={sha256(whole.data or b'').hexdigest()}"
    assert set(given) <= ATTRIBUTES | ADDED | {"content-type", "ce-schemaversion", "ce-digest"}
    for position, reference in enumerate(references, 2):
        assert reference.subject is not None
        assert reference.subject.startswith("faristol-internal.cup.game.")
        assert not reference.data
        assert set(reference.headers or {}) <= ATTRIBUTES | ADDED
        assert (reference.headers or {})["ce-sequence"] == str(position)
    await cancel_tasks([relay])
    await client.close()
    await bus.close()


async def test_every_service_does_its_work_with_its_own_user(
    guarded_nats: NatsServer, tmp_path: Path, lexicons: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncExitStack() as stack:
        runtimes: dict[str, Runtime] = {}
        for name in (RELAY, *HEARING):
            peers = {f"peer_{peer}": "127.0.0.1:1" for peer in HEARING if peer != name}
            file = tmp_path / name
            file.write_text(guarded_nats.url_of(name).partition("//")[2].partition("@")[0])
            settings = Settings(
                database_url=f"sqlite:///{tmp_path}/record.db",
                data=tmp_path / "data",
                nats_url="nats://" + guarded_nats.url.partition("@")[2],
                nats_credentials=file,
                nats_cell=CELL,
                nats_relay=False,
                http_port=0,
                lexicons=lexicons,
                grace_seconds=0.1,
                **peers,  # type: ignore[arg-type] # pydantic reads them
            )
            runtimes[name] = (await stack.enter_async_context(running(settings, (name,)))).runtime
        record = runtimes["access"].record
        position = await append(record, "game-a", 0, 3)
        assert await runtimes["access"].progress(RESULTS).wait_until_reached(position, 60)
        # A consumer that starts reads the record, and may reach its end before the notifications arrive.
        client = await nats.connect(guarded_nats.url_of("operator"))
        told: dict[str, int] = {}
        async with asyncio.timeout(60):
            while set(told) != set(ALL) or told[durable(CELL, RESULTS)] != position:
                await asyncio.sleep(0.05)
                infos = await client.jetstream().consumers_info(NOTIFICATION_STREAM)
                told = {info.name: info.delivered.stream_seq for info in infos if info.delivered}
        await client.close()
    assert "violation" not in caplog.text.lower()


async def test_credentials_that_are_not_taken_end_the_start_with_a_sentence(
    guarded_nats: NatsServer, tmp_path: Path
) -> None:
    file = tmp_path / "nats-user"
    file.write_text("game:wrong\n")
    url = "nats://" + guarded_nats.url.partition("@")[2]
    given: dict[str, Any] = {
        "data": tmp_path,
        "database_url": f"sqlite:///{tmp_path}/record.db",
        "nats_url": url,
        "nats_credentials": file,
        "start_seconds": 500,
    }
    # A process that waited for NATS would reach this timeout.
    done = await asyncio.to_thread(faristol, "serve", "rating", timeout=120, **given)
    assert done.returncode == 2
    assert f"NATS at {url} does not let this process in by the credentials of {file}" in done.stderr

    file.write_text("nobody")
    done = await asyncio.to_thread(faristol, "serve", "rating", **given)
    assert (done.returncode, "expected USER:PASSWORD" in done.stderr) == (2, True)
    given["nats_credentials"] = tmp_path / "none"
    done = await asyncio.to_thread(faristol, "serve", "rating", **given)
    assert f"{tmp_path}/none (FARISTOL_NATS_CREDENTIALS) cannot be read: No such file" in done.stderr


async def test_a_user_who_may_not_do_the_work_is_told_so_at_the_start(guarded_nats: NatsServer) -> None:
    with pytest.raises(BusRefused, match=r"denies game a required permission: .*stream.create"):
        await Bus.connect(guarded_nats.url_of("game"))


async def test_a_consumer_that_is_denied_names_the_setting_and_news_are_not_ready(
    record: Record, guarded_nats: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.connection.REQUEST_TIMEOUT_SECONDS", 0.5)
    relay = await Bus.connect(guarded_nats.url_of(RELAY))
    bus = await Bus.connect(guarded_nats.url_of("game"), publishes=False)
    told: dict[str, bool] = {}

    async def tell(name: str, serves: bool) -> None:  # the signature of the health service
        told[name] = serves

    readiness = Readiness(record, bus)
    others = [durable("508689c1", name) for name in ("game.open", "game.follow")]
    denied = await asyncio.gather(*map(bus.subscribe, others), return_exceptions=True)
    for name, problem in zip(others, denied, strict=True):
        assert isinstance(problem, BusRefused)
        assert f"denies the consumer {name} to game: " in str(problem)
        assert "FARISTOL_NATS_CELL" in str(problem)
    await readiness.look((), tell)
    assert told == {"record": True, "appends": True, "news": False}

    bus.denied.clear()
    pull = await bus.subscribe(durable(CELL, "game.open"))
    await readiness.look((), tell)
    assert told["news"]
    await pull.close()
    for each in (bus, relay):
        await each.close()


async def test_a_process_comes_back_with_the_credentials_that_came_after(
    record: Record, guarded_nats: NatsServer, tmp_path: Path
) -> None:
    file, settings = tmp_path / "nats-user", tmp_path / "nats" / SETTINGS
    file.write_text(guarded_nats.url_of(RELAY).partition("//")[2].partition("@")[0])
    bus = await Bus.connect("nats://" + guarded_nats.url.partition("@")[2], file)
    relay = asyncio.create_task(Relay(record, bus).run())
    everybody = (*users(CELL), OPERATOR)
    settings.write_text(authorization(everybody, {each.name: f"{each.name}-again" for each in everybody}))
    os.kill(int((tmp_path / "nats" / "nats.pid").read_text()), signal.SIGHUP)
    await until(lambda: bool(bus.problem))
    assert "does not let this process in by the credentials of" in bus.problem
    assert not bus.connected

    file.write_text(f"{RELAY}:{RELAY}-again")
    await until(lambda: bus.connected and not bus.problem)
    position = await append(record, "game-a", 0)
    for _ in range(100):
        if await record.checkpoint("relay") >= position:
            break
        await asyncio.sleep(0.1)
    assert await record.checkpoint("relay") >= position
    await cancel_tasks([relay])
    await bus.close()


def nkey(kind: int, raw: bytes, *, seed: bool = False) -> str:
    """Return a key as NATS writes it: operators are of kind 14, accounts of 0, users of 20."""
    prefix = bytes([18 << 3 | kind >> 2, (kind << 3 & 31) << 3]) if seed else bytes([kind << 3])
    return base64.b32encode(prefix + raw + crc_hqx(prefix + raw, 0).to_bytes(2, "little")).decode().rstrip("=")


def sign_jwt(key: Ed25519PrivateKey, issuer: str, subject: str, nats_claims: dict[str, Any]) -> str:
    """Return a JWT of NATS."""
    claims = {"jti": subject, "iat": int(time.time()), "iss": issuer, "sub": subject, "name": "x", "nats": nats_claims}
    parts = [{"typ": "JWT", "alg": "ed25519-nkey"}, claims]
    text = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return f"{text}.{base64.urlsafe_b64encode(key.sign(text.encode())).decode().rstrip('=')}"


async def test_a_creds_file_lets_in_where_nats_has_operators_and_accounts(record: Record, tmp_path: Path) -> None:
    operator, account, _, mine = keys = [Ed25519PrivateKey.generate() for _ in range(4)]
    o, a, s, u = (
        nkey(kind, key.public_key().public_bytes_raw()) for kind, key in zip((14, 0, 0, 20), keys, strict=True)
    )
    names = ("subs", "data", "payload", "imports", "exports", "conn", "leaf")
    limits = dict.fromkeys((*names, "mem_storage", "disk_storage", "streams", "consumer"), -1) | {"wildcards": True}
    of_account = sign_jwt(operator, o, a, {"type": "account", "version": 2, "limits": limits})
    of_system = sign_jwt(operator, o, s, {"type": "account", "version": 2, "limits": dict.fromkeys(names, -1)})
    of_user = sign_jwt(account, a, u, {"type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1})
    folder = tmp_path / "accounts"
    folder.mkdir()
    (folder / "nats.conf").write_text(
        f'operator: "{sign_jwt(operator, o, o, {"type": "operator", "version": 2})}"\nresolver: MEMORY\n'
        f'system_account: {s}\nresolver_preload: {{ {a}: "{of_account}", {s}: "{of_system}" }}\n'
        f'jetstream {{ store_dir: "{folder}" }}\n'
    )
    creds = tmp_path / "user.creds"
    seed = nkey(20, mine.private_bytes_raw(), seed=True)
    creds.write_text(
        f"-----BEGIN NATS USER JWT-----\n{of_user}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    )
    given = [
        "--config",
        str(folder / "nats.conf"),
        "--addr",
        "127.0.0.1",
        "--port",
        "-1",
        "--ports_file_dir",
        str(folder),
    ]
    server = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("nats-server")), *given, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await until(lambda: any(folder.glob("*.ports")))
        (url,) = json.loads(next(folder.glob("*.ports")).read_text())["nats"]
        with pytest.raises(BusRefused):
            await Bus.connect(url)
        bus = await Bus.connect(url, creds)
        relay = asyncio.create_task(Relay(record, bus).run())
        position = await append(record, "game-a", 0)
        for _ in range(100):
            if await record.checkpoint("relay") >= position:
                break
            await asyncio.sleep(0.1)
        assert await record.checkpoint("relay") >= position
        await cancel_tasks([relay])
        await bus.close()
    finally:
        server.terminate()
        await server.wait()


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(200):
        if holds():
            return
        await asyncio.sleep(0.05)
    pytest.fail("not so after ten seconds")
