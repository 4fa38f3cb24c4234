"""Pages in a separate process: its failures do not affect officials, and it has no secrets."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
from tests.component.processes import START_SECONDS, Child, free_port, wait_until_serving

from faristol.host import Settings
from faristol.launcher.pages import _environment
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc

PRIVATE = ("DATABASE_URL", "NATS_URL", "NATS_CREDENTIALS", "ACCESS", "SEAL_KEY", "SEAL_WITNESS_TOKEN")


class Apart:
    """`faristol up --pages-apart`, and the process of its pages."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.grpc, self.http = f"127.0.0.1:{free_port()}", free_port()
        ports = ("--grpc", self.grpc.rpartition(":")[2], "--http", str(self.http))
        self.data = folder / "data"
        self.child = Child(["up", "--pages-apart", *ports], {"data": self.data, **settings}, folder / "up.log")
        if not settings:
            wait_until_serving(self.grpc, self.child)
        assert self.shows(START_SECONDS), self.child.output()

    def shows(self, seconds: float) -> bool:
        """Return whether a page is answered within this number of seconds."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            try:
                return httpx.get(f"http://127.0.0.1:{self.http}/", timeout=5).status_code == 200
            except httpx.TransportError:
                time.sleep(0.1)
        return False

    def pages(self) -> int:
        """Return the id of the process of the pages. Raises ``LookupError`` if there is none."""
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().split(b"\0")
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has ended since
                continue
            if parent == self.child.process.pid and b"gateway" in command:
                return int(folder.name)
        raise LookupError("there is no process of the pages")


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Apart]:
    """Yield services and pages that a test may end."""
    started = Apart(tmp_path)
    yield started
    if started.child.process.poll() is None:
        started.child.terminate()


@pytest.fixture(scope="module")
def shared_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    """Yield services and pages that serve again after each test."""
    started = Apart(tmp_path_factory.mktemp("apart"))
    yield started
    started.child.terminate()


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(process: int, seconds: float = 10) -> bool:
    give_up = time.monotonic() + seconds
    while is_there(process) and time.monotonic() < give_up:
        time.sleep(0.1)
    return not is_there(process)


def test_the_process_of_the_pages_holds_no_database_no_bus_and_no_key(shared_apart: Apart) -> None:
    process = shared_apart.pages()
    environment = Path(f"/proc/{process}/environ").read_bytes().decode()
    assert [name for name in PRIVATE if f"FARISTOL_{name}=" in environment] == []
    opened = [str(link.readlink()) for link in Path(f"/proc/{process}/fd").iterdir()]
    assert [path for path in opened if path.startswith(str(shared_apart.data))] == []


def test_it_asks_by_tls_what_listens_on_every_address(tmp_path: Path) -> None:
    apart = Apart(tmp_path, tls=True, grpc_host="0.0.0.0", open=False)
    try:
        assert httpx.get(f"http://127.0.0.1:{apart.http}/api/v1/tournaments", timeout=10).status_code == 200
    finally:
        assert apart.child.terminate() == 0


def test_its_readiness_is_that_of_the_results_that_it_asks(shared_apart: Apart) -> None:
    ready = httpx.get(f"http://127.0.0.1:{shared_apart.http}/readyz", timeout=10)
    assert ready.json() == {"status": "ready", "record": True, "appends": True, "news": True, "parked": False}
    process = shared_apart.pages()
    shared_apart.child.process.send_signal(signal.SIGSTOP)
    try:
        answer = httpx.get(f"http://127.0.0.1:{shared_apart.http}/readyz", timeout=20)
        assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
        assert httpx.get(f"http://127.0.0.1:{shared_apart.http}/healthz", timeout=10).status_code == 200
    finally:
        shared_apart.child.process.send_signal(signal.SIGCONT)
    assert shared_apart.pages() == process


def test_officials_are_served_while_the_process_of_the_pages_stands_still_or_is_killed(shared_apart: Apart) -> None:
    first = shared_apart.pages()
    with grpc.insecure_channel(shared_apart.grpc) as channel:
        results: results_pb2_grpc.ResultsServiceStub = results_pb2_grpc.ResultsServiceStub(channel)
        os.kill(first, signal.SIGSTOP)
        results.ListTournaments(results_pb2.ListTournamentsRequest(), timeout=5)
        os.kill(first, signal.SIGKILL)
        results.ListTournaments(results_pb2.ListTournamentsRequest(), timeout=5)
    assert shared_apart.shows(START_SECONDS), shared_apart.child.output()
    assert shared_apart.pages() != first


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_process_of_the_pages_ends_with_the_one_that_it_belongs_to(apart: Apart, how: signal.Signals) -> None:
    process = apart.pages()
    apart.child.process.send_signal(how)
    assert apart.child.process.wait(30) == (0 if how == signal.SIGTERM else -signal.SIGKILL)
    assert wait_until_gone(process)


def test_the_process_of_the_pages_takes_no_port_of_the_one_that_it_belongs_to() -> None:
    given = _environment(Settings.model_validate({"metrics_port": 9464, "grpc_health_port": 50052}), "127.0.0.1:50051")
    assert not {"FARISTOL_METRICS_PORT", "FARISTOL_GRPC_HEALTH_PORT"} & set(given)
