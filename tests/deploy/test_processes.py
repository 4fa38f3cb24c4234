"""Every container's command and environment, started as processes of this machine, against real servers.

What a cluster would provide is translated: addresses and ports to loopback, the URLs of NATS and PostgreSQL,
and the pod's volumes to folders of the test. Everything else is as in the manifests and the image. If this machine
permits, the root file system is read-only for these processes and every capability is dropped.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from sqlalchemy import make_url
from tests.component.processes import free_port
from tests.support.certificates import sign_certificate

from faristol.access_control import keyring
from faristol.host import SERVICES
from faristol.host.services import RELAY

Object = dict[str, Any]

BIN = Path(sys.executable).parent
STORES = Path(__file__).parents[2] / "deploy" / "stores"
SERVING = health_pb2.HealthCheckResponse.SERVING


def answers(url: str) -> bool:
    """Return whether an HTTP probe of ``url`` passes."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(200 <= response.status < 400)
    except OSError:
        return False


def wait_for(what: str, holds: Callable[[], bool], seconds: float, period: float = 0.1) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"{what} after {seconds:.0f} seconds"
        time.sleep(period)


CA = sign_certificate("the authority of the cell")


def write_certificate(name: str, objects: Sequence[Object], folder: Path) -> None:
    """Write the files that cert-manager would write for a Certificate; this machine is one of its names."""
    (found,) = (each for each in objects if (each["kind"], each["metadata"]["name"]) == ("Certificate", name))
    mine = sign_certificate(name, CA, *found["spec"]["dnsNames"], "127.0.0.1")
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in (("tls.crt", mine.pem), ("tls.key", mine.key_pem), ("ca.crt", CA.pem)):
        (folder / file).write_bytes(content)


@pytest.fixture
def nats_url(development: tuple[Object, ...], tmp_path: Path) -> Iterator[str]:
    """Yield a NATS server with the overlay's own configuration; its probes pass."""
    port, monitor, configuration = free_port(), free_port(), tmp_path / "nats.conf"
    said = (STORES / "nats.conf").read_text()
    write_certificate("nats", development, tmp_path / "nats-tls")
    shutil.copy(STORES / "nats-users.conf", tmp_path)
    moved = {
        "port: 4222": f"port: {port}",
        "127.0.0.1:8222": f"127.0.0.1:{monitor}",
        "/data": f"{tmp_path}/nats",
        " /tls/": f" {tmp_path}/nats-tls/",
    }
    for pod_path, test_path in moved.items():
        assert pod_path in said
        said = said.replace(pod_path, test_path)
    configuration.write_text(f"net: 127.0.0.1\n{said}")
    command = [str(BIN / "nats-server"), "--config", str(configuration), "--pid", str(tmp_path / "nats.pid")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        (stateful,) = (
            found for found in development if found["kind"] == "StatefulSet" and found["metadata"]["name"] == "nats"
        )
        (container,) = stateful["spec"]["template"]["spec"]["containers"]
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            url = container[probe]["exec"]["command"][-1].replace("127.0.0.1:8222", f"127.0.0.1:{monitor}")
            wait_for(f"the {probe} of nats fails", partial(answers, url), 20)
        yield f"tls://127.0.0.1:{port}"
        server.terminate()


@pytest.fixture
def database_url(new_database: str) -> Iterator[str]:
    """Yield the URL of a database that listens on a TCP port, as in a cluster.

    The server of the tests has only a socket.
    """
    url = make_url(new_database)
    folder = str(url.query["host"])
    (path,) = (found for found in Path(folder).glob(".s.PGSQL.*") if found.suffix != ".lock")
    loop = asyncio.new_event_loop()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, back = await asyncio.open_unix_connection(path)
        with suppress(ConnectionError):
            await asyncio.gather(copy(reader, back), copy(far_reader, writer))

    server = loop.run_until_complete(asyncio.start_server(connect, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    port = server.sockets[0].getsockname()[1]
    yield url.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)
    loop.call_soon_threadsafe(server.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    for left in asyncio.all_tasks(loop):
        left.cancel()
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(left)
    loop.close()


@dataclass(frozen=True)
class Pod:
    """One container of a Deployment, as it can be started here."""

    name: str
    container: Object
    grace_seconds: int
    command: Sequence[str]
    environment: Mapping[str, str]

    @property
    def health_address(self) -> str:
        return f"127.0.0.1:{self.environment['FARISTOL_GRPC_HEALTH_PORT']}"

    def probe(self, name: str) -> bool:
        """Return whether a gRPC probe passes, sent as by the kubelet."""
        asked = self.container[name]
        request = health_pb2.HealthCheckRequest(service=asked["grpc"].get("service", ""))
        with grpc.insecure_channel(self.health_address) as channel:
            try:
                answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=asked["timeoutSeconds"])
            except grpc.RpcError:
                return False
            return bool(answer.status == SERVING)


def environment_of(container: Object, objects: Sequence[Object]) -> dict[str, str]:
    """Return the settings from the ConfigMaps, the Secrets and the container."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", []):
        ((kind, reference),) = source.items()
        wanted = {"configMapRef": "ConfigMap", "secretRef": "Secret"}[kind], reference["name"]
        (data,) = (each["data"] for each in objects if (each["kind"], each["metadata"]["name"]) == wanted)
        found |= {
            key: base64.b64decode(value).decode() if kind == "secretRef" else value for key, value in data.items()
        }
    for each in container.get("env", []):
        if "value" in each:
            found[each["name"]] = each["value"]
            continue
        reference = each["valueFrom"]["secretKeyRef"]
        secrets = [
            of["data"] for of in objects if (of["kind"], of["metadata"]["name"]) == ("Secret", reference["name"])
        ]
        assert secrets or reference["optional"]
        for data in secrets:
            found[each["name"]] = base64.b64decode(data[reference["key"]]).decode()
    return found


class Machine:
    """Translates paths and addresses of a cluster to those of this machine."""

    def __init__(self, folder: Path, database_url: str, nats_url: str) -> None:
        self._folder = folder
        self._urls = {"FARISTOL_DATABASE_URL": database_url, "FARISTOL_NATS_URL": nats_url}
        self._ports: dict[tuple[str, str], int] = {}

    def port(self, service: str, port: str) -> str:
        return str(self._ports.setdefault((service, port), free_port()))

    def translate(self, service: str, variables: Mapping[str, str], volumes: Sequence[str]) -> dict[str, str]:
        mounts = {}
        for key, value in variables.items():
            if key in self._urls:
                mounts[key] = self._urls[key]
            elif key.startswith("FARISTOL_PEER_"):
                host, _, port = value.partition(":")
                mounts[key] = f"127.0.0.1:{self.port(host, port)}"
            elif key.endswith("_PORT"):
                mounts[key] = self.port(service, value)
            elif key.endswith("_HOST"):
                mounts[key] = value.replace("0.0.0.0", "127.0.0.1")
            else:
                volume = next((path for path in volumes if value == path or value.startswith(f"{path}/")), None)
                mounts[key] = f"{self.volume(service, volume)}{value.removeprefix(volume)}" if volume else value
        return mounts

    def volume(self, service: str, path: str) -> Path:
        folder = self._folder / service / path.strip("/")
        folder.mkdir(parents=True, exist_ok=True)
        return folder


CONFINED = """
for folder in "$1" "$2"; do mount --bind "$folder" "$folder"; done
for mount in / $(findmnt -rn -o TARGET /tmp); do mount -o remount,ro,bind "$mount"; done
shift 2
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
"""
"""Shell: a root file system to read, two volumes to write, no capability; then the command."""


def can_confine(folder: Path) -> bool:
    """Return whether this machine permits a mount namespace, and it works."""
    if not all(map(shutil.which, ("unshare", "setpriv", "findmnt"))):
        return False
    writable, elsewhere = folder / "writable", folder / "elsewhere"
    for made in (writable, elsewhere):
        made.mkdir()
    check = f"touch {writable}/x && ! touch {elsewhere}/x"
    return (
        subprocess.run(
            [*confine_command(writable, writable), "sh", "-c", check], capture_output=True, check=False
        ).returncode
        == 0
    )


def confine_command(temporary: Path, data: Path) -> list[str]:
    return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", CONFINED, "sh", str(temporary), str(data)]


@pytest.fixture
def pods(
    development: tuple[Object, ...],
    image_environment: dict[str, str],
    database_url: str,
    nats_url: str,
    lexicons: Path,
    tmp_path: Path,
) -> list[Pod]:
    """Return the containers of the Deployments."""
    machine = Machine(tmp_path, database_url, nats_url)
    keyring.prepare(tmp_path / "keys")
    confine = can_confine(tmp_path)
    found = []
    for deployment in development:
        if deployment["kind"] != "Deployment":
            continue
        name, spec = deployment["metadata"]["name"], deployment["spec"]["template"]["spec"]
        (container,) = spec["containers"]
        volumes = [mount["mountPath"] for mount in container["volumeMounts"]]
        said = image_environment | {"HOME": "/tmp", "TMPDIR": "/tmp"} | environment_of(container, development)
        environment = machine.translate(name, said, volumes) | {
            "PATH": f"{BIN}{os.pathsep}{os.defpath}",
            "FARISTOL_LEXICONS": str(lexicons),
        }
        for file in (tmp_path / "keys").glob("*" if name == "access" else "*.pub"):
            shutil.copy(file, machine.volume(name, "/access"))
        write_certificate(name, development, machine.volume(name, "/tls"))
        prefix = confine_command(*(machine.volume(name, volume) for volume in ("/tmp", "/data"))) if confine else []
        command = [*prefix, str(BIN / "faristol"), *container["args"]]
        found.append(Pod(name, container, spec["terminationGracePeriodSeconds"], command, environment))
    assert {pod.name for pod in found} == {*SERVICES, RELAY}
    return found


@contextmanager
def running(pod: Pod, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(pod.command, env=dict(pod.environment), stdout=output, stderr=output, cwd=log.parent)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.mark.nightly
def test_every_container_starts_passes_its_probes_and_ends_when_asked(pods: list[Pod], tmp_path: Path) -> None:
    with ExitStack() as stack:
        logs = {pod.name: tmp_path / f"{pod.name}.log" for pod in pods}
        processes = {pod.name: stack.enter_context(running(pod, logs[pod.name])) for pod in pods}

        for pod in pods:
            startup = pod.container["startupProbe"]

            def is_started(pod: Pod = pod) -> bool:
                ended = processes[pod.name].poll()
                assert ended is None, f"{pod.name} ended with {ended}: {logs[pod.name].read_text()}"
                return pod.probe("startupProbe")

            patience = startup["failureThreshold"] * startup["periodSeconds"]
            wait_for(f"the startupProbe of {pod.name} fails", is_started, patience)
        for pod in pods:
            for name in ("readinessProbe", "livenessProbe"):
                assert pod.probe(name), f"the {name} of {pod.name} fails: {logs[pod.name].read_text()}"

        gateway = next(pod for pod in pods if pod.name == "gateway")
        assert answers(f"http://127.0.0.1:{gateway.environment['FARISTOL_HTTP_PORT']}/healthz")
        tournaments = f"http://127.0.0.1:{gateway.environment['FARISTOL_HTTP_PORT']}/api/v1/tournaments"
        assert answers(tournaments), f"the gateway cannot ask: {logs['gateway'].read_text()}"

        access = next(pod for pod in pods if pod.name == "access")
        said = ["access", "grant", "director", "Eva Soler", "--for", "3d", "--by", "link", "--address"]
        said.append(f"localhost:{access.environment['FARISTOL_GRPC_PORT']}")
        granted = subprocess.run(
            [*access.command[: -len(access.container["args"])], *said],
            env={**access.environment, "FARISTOL_HTTP_ADDRESS": "https://results.test"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "/sign-in#" in granted.stdout, f"docs/operations.md has it in the pod of access: {granted.stderr}"

        for process in processes.values():
            process.send_signal(signal.SIGTERM)
        for pod in pods:
            leaving = pod.container["lifecycle"]["preStop"]["sleep"]["seconds"]
            code = processes[pod.name].wait(timeout=pod.grace_seconds - leaving)
            assert code == 0, f"{pod.name} ended with {code}: {logs[pod.name].read_text()}"
            assert "violation" not in logs[pod.name].read_text(), "NATS lets it do its work"


def test_a_container_of_another_service_does_not_come_in_by_its_certificate(pods: list[Pod], tmp_path: Path) -> None:
    clock, game = (next(pod for pod in pods if pod.name == name) for name in ("clock", "game"))
    wrong = Pod("clock", clock.container, clock.grace_seconds, [*clock.command[:-1], "game"], clock.environment)
    assert game.command[-1] == "game"
    log = tmp_path / "wrong.log"
    with running(wrong, log) as process:
        assert process.wait(timeout=60) == 2
    assert "denies game a required permission: permissions violation" in log.read_text()


def read_certificate(url: str) -> bytes:
    """Return the certificate that a NATS server shows: its TLS begins after a line of plain text."""
    host, _, port = url.removeprefix("tls://").partition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        assert connection.recv(4096).startswith(b"INFO")
        with context.wrap_socket(connection) as secured:
            return secured.getpeercert(binary_form=True) or b""


def test_nats_shows_a_certificate_that_was_renewed(
    development: tuple[Object, ...], nats_url: str, tmp_path: Path
) -> None:
    (stateful,) = (each for each in development if (each["kind"], each["metadata"]["name"]) == ("StatefulSet", "nats"))
    (sidecar,) = stateful["spec"]["template"]["spec"]["initContainers"]
    assert sidecar["restartPolicy"] == "Always"
    assert stateful["spec"]["template"]["spec"]["shareProcessNamespace"] is True
    (script,) = sidecar["args"]
    moved = {"/tls/": f"{tmp_path}/nats-tls/", "/var/run/nats": str(tmp_path), "sleep 30": "sleep 0.2"}
    for pod_path, test_path in moved.items():
        assert pod_path in script
        script = script.replace(pod_path, test_path)
    before = read_certificate(nats_url)
    with subprocess.Popen(
        [*sidecar["command"], script], env={"PATH": f"{BIN}{os.pathsep}{os.defpath}"}, stderr=subprocess.DEVNULL
    ) as process:
        try:
            time.sleep(0.5)
            write_certificate("nats", development, tmp_path / "nats-tls")
            wait_for("the certificate of before is shown", lambda: read_certificate(nats_url) != before, 10)
        finally:
            process.terminate()
