"""gRPC by TLS: names and authorities are checked on both sides, and certificates change while processes run."""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import stat
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.component.processes import Child, faristol, free_port, wait_until_serving
from tests.support.certificates import Mount, Signed, sign_certificate

from faristol.bus import Bus, BusRefused
from faristol.bus.errors import BusUnavailable
from faristol.bus.permissions import authorization, user
from faristol.host import Settings, StartError
from faristol.host.rpc.channels import Channels
from faristol.host.security import authority
from faristol.host.security.tls import Files, Tls
from faristol.launcher.processes import Running, running
from faristol.pb.results.v1 import results_pb2
from faristol.pb.results.v1.results_pb2_grpc import ResultsServiceStub

CA = sign_certificate("authority")
OTHER = sign_certificate("another authority")


@pytest.fixture
def mount(tmp_path: Path) -> Mount:
    """Return the certificate of the results service."""
    made = Mount(tmp_path / "tls")
    made.put(sign_certificate("results", CA, "127.0.0.1", "results"), CA)
    return made


@asynccontextmanager
async def results(tmp_path: Path, nats: str, **settings: Any) -> AsyncIterator[Running]:
    """Yield the results service, in this process."""
    given = {"data": tmp_path, "database_url": f"sqlite:///{tmp_path}/record.db", "nats_url": nats, **settings}
    async with running(Settings.model_validate({"grace_seconds": 0.5, **given}), ("results",)) as process:
        yield process


def files(folder: Path, ca: Signed, mine: Signed | None = None) -> dict[str, Path]:
    """Return the settings of the certificates for a caller."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {"tls_ca": ca.pem} | ({"tls_certificate": mine.pem, "tls_key": mine.key_pem} if mine else {})
    for name, content in written.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in written}


async def list_tournaments(address: str, settings: dict[str, Any]) -> str:
    """Return the output of a command at a terminal that calls the results service."""
    done = await asyncio.to_thread(
        faristol, "tournament", "list", "--address", address, timeout=60, lang="C", **settings
    )
    return (done.stdout if done.returncode == 0 else done.stderr).strip()


async def call_results(channel: grpc.aio.Channel) -> None:
    """Query the results service. Raises ``AioRpcError``."""
    await ResultsServiceStub(channel).ListTournaments(results_pb2.ListTournamentsRequest(), timeout=5)


async def test_a_caller_comes_by_tls_from_a_known_authority_to_the_right_name(
    tmp_path: Path, shared_nats: str, mount: Mount
) -> None:
    async with results(tmp_path, shared_nats, **mount.settings(mutual=False)) as process:
        at = process.grpc_address
        assert "cannot" not in (good := await list_tournaments(at, files(tmp_path / "good", CA))), good
        assert "does not accept this connection: if it speaks TLS, set FARISTOL_TLS_CA" in await list_tournaments(
            at, {}
        )
        assert (
            f"the certificate of {at} is not signed by an authority in the file FARISTOL_TLS_CA"
            in await list_tournaments(at, files(tmp_path / "wrong", OTHER))
        )
        mount.put(sign_certificate("clock", CA, "clock"), CA)
        await asyncio.sleep(1.1)
        assert f"{at} is for a different name" in await list_tournaments(at, files(tmp_path / "good", CA))
    async with results(tmp_path, shared_nats) as process:
        at = process.grpc_address
        assert f"{at} does not speak TLS" in await list_tournaments(at, files(tmp_path / "good", CA))


async def test_a_caller_shows_a_certificate_where_authorities_of_callers_are_given(
    tmp_path: Path, shared_nats: str, mount: Mount
) -> None:
    async with results(tmp_path, shared_nats, **mount.settings()) as process:
        at = process.grpc_address
        good = files(tmp_path / "good", CA, sign_certificate("eva", CA))
        assert "FARISTOL" not in (answer := await list_tournaments(at, good)), answer
        for name, mine in {
            "none": None,
            "other": sign_certificate("eva", OTHER),
            "late": sign_certificate("eva", CA, since=-9, until=-1),
        }.items():
            given = files(tmp_path / name, CA, mine)
            if name == "late":
                assert "has a certificate that expired" in await list_tournaments(at, given)
                credentials = grpc.ssl_channel_credentials(CA.pem, mine.key_pem, mine.pem)  # type: ignore[union-attr]
                async with grpc.aio.secure_channel(at, credentials) as channel:
                    with pytest.raises(grpc.aio.AioRpcError, match="Socket closed"):
                        await call_results(channel)
            else:
                assert (
                    "requires a certificate, set FARISTOL_TLS_CERTIFICATE and FARISTOL_TLS_KEY"
                    in await list_tournaments(at, given)
                )
        # Health checks and reflection require a client certificate too.
        credentials = grpc.ssl_channel_credentials(
            CA.pem, *(good[name].read_bytes() for name in ("tls_key", "tls_certificate"))
        )
        async with grpc.aio.secure_channel(at, credentials) as channel:
            answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="results"))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
            stream = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(
                iter([reflection_pb2.ServerReflectionRequest(list_services="")])
            )
            services = [found.name async for each in stream for found in each.list_services_response.service]
            assert "faristol.results.v1.ResultsService" in services


async def test_an_expired_certificate_of_a_service_is_refused(tmp_path: Path) -> None:
    late = sign_certificate("results", CA, "127.0.0.1", since=-9, until=-1)
    server = grpc.aio.server()
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(late.key_pem, late.pem)]))
    await server.start()
    at = f"127.0.0.1:{port}"
    assert f"the certificate of {at} has expired" in await list_tournaments(at, files(tmp_path / "good", CA))
    await server.stop(None)


async def test_certificates_change_on_both_sides_while_they_are_used(
    tmp_path: Path, shared_nats: str, mount: Mount
) -> None:
    """Replace all certificates, with their authority, without a lost connection."""
    mine = Mount(tmp_path / "gateway")
    mine.put(sign_certificate("gateway", CA, "gateway"), CA)
    tls = Tls(Files(mine / "tls.crt", mine / "tls.key", mine / "ca.crt"))
    async with results(tmp_path, shared_nats, **mount.settings()) as process:
        channels = Channels(lambda _: process.grpc_address, tls=tls)
        stub = ResultsServiceStub(channels.channel("results"))
        own = ResultsServiceStub(process.runtime.channel("results"))
        request = results_pb2.ListTournamentsRequest()
        await stub.ListTournaments(request, timeout=5)
        await own.ListTournaments(request, timeout=5)
        stream = health_pb2_grpc.HealthStub(channels.channel("results")).Watch(health_pb2.HealthCheckRequest())
        await stream.read()
        following = asyncio.create_task(stream.read())

        mount.put(sign_certificate("results", OTHER, "127.0.0.1"), OTHER)
        mine.put(sign_certificate("gateway", OTHER, "gateway"), OTHER)
        await asyncio.sleep(1.1)
        for each in (stub, own):
            await each.ListTournaments(request, timeout=5)
        shown = await shown_by(process.grpc_address)
        assert shown.issuer == OTHER.certificate.subject
        old = grpc.ssl_channel_credentials(CA.pem)
        async with grpc.aio.secure_channel(process.grpc_address, old) as channel:
            with pytest.raises(grpc.aio.AioRpcError, match="CERTIFICATE_VERIFY_FAILED"):
                await call_results(channel)
        assert not following.done(), "who follows is not thrown out"
        stream.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await channels.close()


async def test_who_comes_back_comes_by_the_certificates_of_then(tmp_path: Path, shared_nats: str, mount: Mount) -> None:
    mine = Mount(tmp_path / "gateway")
    mine.put(sign_certificate("gateway", CA, "gateway"), CA)
    tls = Tls(Files(mine / "tls.crt", mine / "tls.key", mine / "ca.crt"))
    port = free_port()
    channels = Channels(lambda _: f"127.0.0.1:{port}", tls=tls)
    stub = ResultsServiceStub(channels.channel("results"))
    for authority_of_then in (CA, OTHER):
        mount.put(sign_certificate("results", authority_of_then, "127.0.0.1"), authority_of_then)
        mine.put(sign_certificate("gateway", authority_of_then, "gateway"), authority_of_then)
        await asyncio.sleep(1.1)
        async with results(tmp_path, shared_nats, grpc_port=port, **mount.settings()):
            await stub.ListTournaments(results_pb2.ListTournamentsRequest(), timeout=10, wait_for_ready=True)
    await channels.close()


async def shown_by(address: str) -> x509.Certificate:
    """Return the certificate that a server shows, by any authority."""
    import ssl

    host, port = address.split(":")
    pem = await asyncio.to_thread(ssl.get_server_certificate, (host, int(port)))
    return x509.load_pem_x509_certificate(pem.encode())


async def test_a_service_that_reaches_no_other_logs_why(
    tmp_path: Path, shared_nats: str, mount: Mount, caplog: pytest.LogCaptureFixture
) -> None:
    async with results(tmp_path, shared_nats, **mount.settings(mutual=False)) as process:
        given = files(tmp_path / "wrong", OTHER)
        channels = Channels(lambda _: process.grpc_address, tls=Tls(Files(ca=given["tls_ca"])))
        for _ in range(2):
            with pytest.raises(grpc.aio.AioRpcError):
                await call_results(channels.channel("results"))
        told = [record.getMessage() for record in caplog.records if record.name == "faristol.host.rpc.channels"]
        assert len(told) == 1
        assert f"a TLS connection to {process.grpc_address} fails" in told[0]
        assert "unable to get local issuer certificate" in told[0]
        await channels.close()


async def test_files_that_do_not_belong_together_leave_those_of_before_in_use(
    tmp_path: Path, shared_nats: str, mount: Mount, caplog: pytest.LogCaptureFixture
) -> None:
    async with results(tmp_path, shared_nats, **mount.settings(mutual=False)) as process:
        before = await shown_by(process.grpc_address)
        mixed = Signed(sign_certificate("results", CA, "127.0.0.1").certificate, sign_certificate("x").key)
        mount.put(mixed, CA)
        await asyncio.sleep(1.1)
        assert await shown_by(process.grpc_address) == before
        assert "is not the key of" in caplog.text


WRONG: dict[str, tuple[Callable[[Mount], dict[str, Any]], str]] = {
    "none": (
        lambda m: m.settings() | {"tls_ca": m / "nothing"},
        r"nothing \(FARISTOL_TLS_CA\) cannot be read: No such file",
    ),
    "folder": (lambda m: m.settings() | {"tls_key": m / "."}, r"\(FARISTOL_TLS_KEY\) cannot be read: Is a directory"),
    "no certificate": (
        lambda m: m.settings() | {"tls_client_ca": m / "tls.key"},
        r"\(FARISTOL_TLS_CLIENT_CA\) has no cert",
    ),
    "no key": (lambda m: m.settings() | {"tls_key": m / "ca.crt"}, r"ca.crt \(FARISTOL_TLS_KEY\) has no private key"),
    "key alone": (
        lambda m: {"tls_key": m / "tls.key"},
        "FARISTOL_TLS_KEY needs FARISTOL_TLS_CERTIFICATE, which is not set",
    ),
    "without key": (lambda m: {"tls_certificate": m / "tls.crt"}, "FARISTOL_TLS_CERTIFICATE needs FARISTOL_TLS_KEY"),
    "callers": (lambda m: {"tls_client_ca": m / "ca.crt"}, "FARISTOL_TLS_CLIENT_CA needs FARISTOL_TLS_CERTIFICATE"),
    "whom to call": (
        lambda m: {"tls_certificate": m / "tls.crt", "tls_key": m / "tls.key", "peer_rating": "rating:1"},
        "FARISTOL_TLS_CA is required to verify the certificates of: rating",
    ),
    "a list": (
        lambda m: m.settings() | {"peer_rating": "ipv4:127.0.0.1:1,127.0.0.2:1"},
        r"FARISTOL_PEER_RATING lists addresses \(ipv4:127.0.0.1:1,127.0.0.2:1\), and no certificate is for a list",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_file_that_is_wrong_ends_the_start_with_its_name_and_setting(
    tmp_path: Path, shared_nats: str, mount: Mount, wrong: str
) -> None:
    given, sentence = WRONG[wrong]
    with pytest.raises(StartError, match=sentence):
        async with results(tmp_path, shared_nats, **given(mount)):
            pass


async def test_a_certificate_that_has_expired_ends_the_start(tmp_path: Path, shared_nats: str, mount: Mount) -> None:
    mount.put(sign_certificate("results", CA, "127.0.0.1", since=-9, until=-1), CA)
    with pytest.raises(StartError, match=r"tls.crt \(FARISTOL_TLS_CERTIFICATE\) has a certificate that expired on"):
        async with results(tmp_path, shared_nats, **mount.settings()):
            pass


async def test_of_authorities_that_follow_each_other_some_may_have_expired(
    tmp_path: Path, shared_nats: str, mount: Mount
) -> None:
    old = sign_certificate("old authority", since=-9, until=-1)
    (tmp_path / "bundle").write_bytes(old.pem + CA.pem)
    given = mount.settings() | {"tls_ca": tmp_path / "bundle", "tls_client_ca": tmp_path / "bundle"}
    async with results(tmp_path, shared_nats, **given):
        pass
    (tmp_path / "bundle").write_bytes(old.pem + old.pem)
    with pytest.raises(StartError, match=r"bundle \(FARISTOL_TLS_CA\) has a certificate that expired on"):
        async with results(tmp_path, shared_nats, **given):
            pass


async def test_probes_without_tls_have_a_port_that_answers_health_checks_alone(
    tmp_path: Path, shared_nats: str, mount: Mount
) -> None:
    port = free_port()
    async with (
        results(tmp_path, shared_nats, grpc_health_port=port, **mount.settings()),
        grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="results"))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call_results(channel)
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_up_makes_its_own_authority_and_certificate(tmp_path: Path, lexicons: Path) -> None:
    port, http = free_port(), free_port()
    data, health = tmp_path / "data", free_port()
    given = {"grpc_port": port, "http_port": http, "grpc_health_port": health, "lexicons": lexicons}
    child = Child(["up", "--tls"], {**given, "data": data, "open": "false"}, tmp_path / "up.log")
    try:
        wait_until_serving(f"127.0.0.1:{health}", child)
        folder = data / "tls"
        assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == dict.fromkeys(
            (authority.CA, authority.CA_KEY, authority.CERTIFICATE, authority.KEY, authority.LOCK), 0o600
        )
        assert {stat.S_IMODE(each.stat().st_mode) for each in (data, folder)} == {0o700}
        ca = folder / authority.CA
        at = f"127.0.0.1:{port}"
        made = faristol(
            "tournament",
            "create",
            "--name",
            "Cup",
            "--rounds",
            "5",
            client_address=at,
            data=data,
            open="false",
            tls_ca=ca,
        )
        assert made.returncode == 0, made.stderr
        assert "does not accept this connection" in faristol("tournament", "list", client_address=at, data=data).stderr
        with urllib.request.urlopen(f"http://127.0.0.1:{http}/api/v1/tournaments", timeout=10) as answer:
            assert [each["name"] for each in json.load(answer)["tournaments"]] == ["Cup"], "the gateway asks by TLS"
        assert f"FARISTOL_TLS_CA={ca}" in child.output()  # it is reported just after it serves
    finally:
        child.terminate()


async def test_who_finds_the_folder_in_use_leaves_its_certificates_alone(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, tls=True)
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StartError, match="is in use"):
            async with running(settings):
                pass
    assert not authority.files_of(settings).exists()


def test_a_certificate_of_ones_own_is_made_anew_before_it_ends(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    names = ["localhost", "127.0.0.1"]

    def read(name: str) -> bytes:
        return (tmp_path / "tls" / name).read_bytes()

    assert authority.prepare(tmp_path / "tls", names, lambda: now)
    first, ca = read(authority.CERTIFICATE), read(authority.CA)
    assert not authority.prepare(tmp_path / "tls", names, lambda: now + timedelta(days=59))
    assert read(authority.CERTIFICATE) == first
    assert authority.prepare(tmp_path / "tls", names, lambda: now + timedelta(days=61))
    assert (read(authority.CERTIFICATE) != first, read(authority.CA)) == (True, ca)
    assert authority.prepare(tmp_path / "tls", [*names, "hall"], lambda: now + timedelta(days=61))
    assert authority.prepare(tmp_path / "tls", names, lambda: now + timedelta(days=3_600))
    assert read(authority.CA) != ca


def is_whole(folder: Path) -> bool:
    """Return whether key, certificate and authority of a folder belong together."""
    try:
        Tls(Files(folder / authority.CERTIFICATE, folder / authority.KEY, folder / authority.CA))
    except StartError:
        return False
    (ca, mine) = (
        x509.load_pem_x509_certificate((folder / name).read_bytes()) for name in (authority.CA, authority.CERTIFICATE)
    )
    try:
        mine.verify_directly_issued_by(ca)
    except InvalidSignature:
        return False
    return True


AT_ONCE = """
import sys
from pathlib import Path
from faristol.host.security import authority
print("ready", flush=True)
input()
for number in range(20):
    authority.prepare(Path(sys.argv[1]) / str(number), ["localhost"])
"""


def test_processes_that_start_at_once_make_certificates_that_belong_together(tmp_path: Path) -> None:
    given = [sys.executable, "-c", AT_ONCE, str(tmp_path)]
    pipe = subprocess.PIPE
    children = [subprocess.Popen(given, text=True, stdin=pipe, stdout=pipe) for _ in range(4)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert [number for number in range(20) if not is_whole(tmp_path / str(number))] == []


@pytest.mark.parametrize("left", [authority.CA, authority.CA_KEY, authority.CERTIFICATE, authority.KEY])
def test_certificates_that_do_not_belong_together_are_made_anew(tmp_path: Path, left: str) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        assert authority.prepare(folder, ["localhost"])
    (mine / left).write_bytes((other / left).read_bytes())
    assert authority.prepare(mine, ["localhost"])
    assert is_whole(mine)
    assert not authority.prepare(mine, ["localhost"])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def nats_settings(folder: Path) -> None:
    """Return the settings of a NATS server that knows its users by their certificates."""
    folder.mkdir()
    mine = sign_certificate("nats", CA, "127.0.0.1")
    for name, content in (("crt", mine.pem), ("key", mine.key_pem), ("ca", CA.pem)):
        (folder / name).write_bytes(content)
    (folder / "nats.conf").write_text(
        f'jetstream {{ store_dir: "{folder}" }}\n{authorization([user("relay", relays=True)], {})}'
        f'tls {{ cert_file: "{folder}/crt", key_file: "{folder}/key", ca_file: "{folder}/ca", verify_and_map: true }}\n'
    )


@asynccontextmanager
async def nats_by_tls(folder: Path) -> AsyncIterator[str]:
    """Yield such a server, by its URL."""
    nats_settings(folder)
    port = free_port()
    given = ["--config", str(folder / "nats.conf"), "--addr", "127.0.0.1", "--port", str(port)]
    server = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("nats-server")),
        *given,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            if await asyncio.to_thread(listens, port):
                break
            await asyncio.sleep(0.05)
        yield f"tls://127.0.0.1:{port}"
    finally:
        server.terminate()
        await server.wait()


async def test_nats_knows_a_service_by_its_certificate(tmp_path: Path) -> None:
    mine = Mount(tmp_path / "relay")
    mine.put(sign_certificate("relay", CA, "relay"), CA)
    tls = Tls(Files(mine / "tls.crt", mine / "tls.key", mine / "ca.crt"))
    async with nats_by_tls(tmp_path / "nats") as url:
        bus = await Bus.connect(url, tls=tls.nats_context, name="relay")
        await bus.close()
        for name, by, ca, why in (
            ("clock", CA, CA, "does not let this process in"),
            ("relay", OTHER, CA, "rejects the certificate of this process: .*UNKNOWN_CA"),
            (
                "relay",
                CA,
                OTHER,
                "the certificate of NATS at .* is not taken: .*; FARISTOL_TLS_CA has the trusted authorities",
            ),
        ):
            mine.put(sign_certificate(name, by, name), ca)
            other = Tls(Files(mine / "tls.crt", mine / "tls.key", mine / "ca.crt"))
            with pytest.raises(BusRefused, match=why):
                await expect_refusal(url, other, name)


async def expect_refusal(url: str, tls: Tls, name: str) -> None:
    """Connect until NATS gives the reason for a refusal: a closed connection can break before its reason arrives."""
    for _ in range(20):
        with suppress(BusUnavailable):
            await Bus.connect(url, tls=tls.nats_context, name=name)
            return


async def test_a_server_of_nats_without_tls_hears_no_password(shared_nats: str) -> None:
    heard = bytearray()
    at = urllib.parse.urlsplit(shared_nats)

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, onward = await asyncio.open_connection(at.hostname, at.port)
        writer.write(await far_reader.readline())
        while said := await reader.read(1_000):
            heard.extend(said)
            onward.write(said)
            writer.write(await far_reader.read(1_000))
        for each in (onward, writer):
            each.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as between:
        port = between.sockets[0].getsockname()[1]
        with pytest.raises(BusRefused, match="does not speak TLS, which its URL requires"):
            await Bus.connect(f"tls://{at.username}:{at.password}@127.0.0.1:{port}")
    assert bytes(heard) == b""


def test_a_new_certificate_is_valid_on_a_machine_whose_clock_is_two_hours_behind(tmp_path: Path) -> None:
    assert authority.prepare(tmp_path, ["localhost"])
    for name in (authority.CA, authority.CERTIFICATE):
        certificate = x509.load_pem_x509_certificate((tmp_path / name).read_bytes())
        assert certificate.not_valid_before_utc < datetime.now(UTC) - timedelta(hours=2)
