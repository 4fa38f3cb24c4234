"""Measure the delay of notifications at viewers' sockets, and the cost of viewers.

    python -m tests.benchmarks.viewers [--python PYTHON] [--full] [--untuned]

Platform, gateway and viewers are a process each. The platform appends news of a tournament at a given pace; a viewer's
delay is the arrival of a frame less its `recorded_at`. An official registers players meanwhile, five a second by gRPC:
how long a call takes is measured, too. ``--python`` is that of another state of the code with a `.venv` of its own, to
be compared with in the same session. ``--full`` measures 10,000 viewers as well, who come and go.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.figures import Figures  # the top of the repository has to be on the path
from tests.component.processes import free_port

ROOT = Path(__file__).parents[2]

Found = dict[str, float]

STREAM = "/api/v1/tournaments/lliga/stream?"
GAME = "lliga-r9-t9"
FRAME = re.compile(rb'id: (?:[0-9a-f]+-)?(\d+)\nevent: [^\n]+\ndata: [^\n]*"recorded_at":"([^"]+)"')
UNTUNED = "VIEWERS_UNTUNED"
"""Set for serving processes, so that they do not tune garbage collection."""

LATE_FRAME_SECONDS = 3.0
"""Seconds after the last event within which frames still count."""


out = Console()


def tell(said: object) -> None:
    """Answer the parent process."""
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


def quantile(values: list[float], part: float) -> float:
    """Return the value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else float("nan")


def memory() -> int:
    """Return the bytes of memory that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


# --- a process that serves -------------------------------------------------------------------------------------------


async def serve(services: list[str], given: dict[str, Any]) -> None:
    """Serve, execute the commands of each line (`pace SECONDS PER_SECOND`, `reset`, `figures`) and answer in JSON."""
    from faristol.event_store import Decision, Metadata, Write
    from faristol.host import Settings
    from faristol.launcher.processes import running
    from faristol.pb.game.v1 import events_pb2 as game

    stalls: list[float] = [0.0]
    collections: list[float] = [0.0]
    begun = [0.0]

    def note_collection(phase: str, _: object) -> None:
        now = time.process_time()  # on a busy machine, the clock counts the work of others
        if phase == "start":
            begun[0] = now
        else:
            collections.append(now - begun[0])

    gc.callbacks.append(note_collection)

    async def watch_loop() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            stalls.append(time.perf_counter() - before - 0.005)

    async with running(Settings.model_validate(given), services) as process:
        if "results" in services:
            from tests.support.synthetic import Championship, append, keep_names

            record, hall = process.runtime.record, Championship()
            await keep_names(record)
            for step in hall.create():
                await append(record, step)
            stream = f"game-{GAME}"

            async def feed(seconds: float, rate: float) -> int:
                version, count, begun = len(await record.read_stream(stream)), 0, time.perf_counter()
                while (past := time.perf_counter() - begun) < seconds:
                    new_events = [game.PlayAccepted(turn=1) for _ in range(max(1, int(past * rate) - count))]
                    await record.append(Decision([Write(stream, version, new_events, "lliga")]), Metadata())
                    version, count = version + len(new_events), count + len(new_events)
                    await asyncio.sleep(max(0.0, count / rate - (time.perf_counter() - begun)))
                return count

        watching = asyncio.create_task(watch_loop())
        gc.freeze()  # as the command does that serves
        if UNTUNED in os.environ:
            gc.callbacks[:] = [note_collection]  # the gateway does not tune garbage collection
        tell("ready")
        while line := await asyncio.to_thread(sys.stdin.readline):
            match line.split():
                case ["pace", seconds, rate]:
                    tell(await feed(float(seconds), float(rate)))
                case ["reset"]:
                    stalls[:] = collections[:] = [0.0]
                    tell("done")
                case _:
                    tell(
                        json.dumps(
                            {
                                "stall": max(stalls),
                                "collection": max(collections),
                                "memory": memory(),
                                "cpu": time.process_time(),
                            }
                        )
                    )
        watching.cancel()


# --- the process of the viewers --------------------------------------------------------------------------------------


class Viewers:
    """Many connections, and how late the frames on them were."""

    def __init__(self, port: int, path: str) -> None:
        self.port = port
        self.path = path
        self.delays: list[float] = []
        self.open = self.lost = self.refused = self.opened = 0
        self.first = 0
        self.moments: dict[bytes, float] = {}
        self.all: list[asyncio.Transport] = []
        self.coming: set[asyncio.Task[None]] = set()

    async def connect(self, after: int) -> None:
        loop = asyncio.get_running_loop()
        try:
            transport, _ = await loop.create_connection(lambda: Viewer(self, after), "127.0.0.1", self.port)
        except OSError:
            self.refused += 1
        else:
            self.all.append(transport)

    def come_again(self, after: int) -> None:
        """Connect in parallel with other work."""
        task = asyncio.ensure_future(self.connect(after))
        self.coming.add(task)
        task.add_done_callback(self.coming.discard)

    def frames(self, data: bytes) -> None:
        now = time.time()
        for position, at in FRAME.findall(data):
            moment = self.moments.get(position)
            if moment is None:
                moment = self.moments[position] = datetime.fromisoformat(at.decode()).timestamp()
            self.delays.append(now - moment)


class Viewer(asyncio.Protocol):
    """One connection."""

    def __init__(self, of: Viewers, after: int) -> None:
        self._of, self._after = of, after
        self._begun = self._is_open = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(f"GET {self._of.path}after={self._after} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        if not self._begun:
            self._begun = True
            if data.startswith(b"HTTP/1.1 200"):
                self._is_open = True
                self._of.open += 1
                self._of.opened += 1
            else:
                self._of.refused += 1
                self._transport.close()
        self._of.frames(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._of.open -= self._is_open
        self._of.lost += 1


async def view(port: int, path: str, count: int, again: float) -> None:
    """Open streams; then close and open ``again`` of them each second, from one command to the next."""
    viewers = Viewers(port, path)
    after = int(sys.stdin.readline())
    for start in range(0, count, 100):
        await asyncio.gather(*(viewers.connect(after) for _ in range(min(100, count - start))))
    give_up = time.monotonic() + 120
    while viewers.open < count - viewers.refused and time.monotonic() < give_up:  # noqa: ASYNC110 # sockets are waited for
        await asyncio.sleep(0.05)
    tell(json.dumps({"open": viewers.open, "refused": viewers.refused}))
    await asyncio.to_thread(sys.stdin.readline)
    viewers.delays.clear()
    ending = asyncio.ensure_future(asyncio.to_thread(sys.stdin.readline))
    luck = random.Random(1)
    while not ending.done():
        if again:
            for _ in range(int(again / 20)):
                at = luck.randrange(len(viewers.all))
                viewers.all[at].abort()
                viewers.all[at] = viewers.all[-1]
                viewers.all.pop()
                viewers.come_again(max(map(int, viewers.moments), default=after))
        await asyncio.sleep(0.05)
    delays = viewers.delays
    tell(
        json.dumps(
            {
                "frames": len(delays),
                "p50": quantile(delays, 0.5),
                "p99": quantile(delays, 0.99),
                "most": max(delays, default=float("nan")),
                "open": viewers.open,
                "refused": viewers.refused,
                "opened": viewers.opened,
            }
        )
    )
    os._exit(0)  # ten thousand sockets need no farewell


# --- who runs them ---------------------------------------------------------------------------------------------------


class Child:
    """A process of this program."""

    def __init__(self, python: str, cwd: Path, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(cwd)}
        self._process = subprocess.Popen(
            [python, str(Path(__file__).resolve()), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cwd, env=environment,
        )  # fmt: skip

    def line(self) -> str:
        """Return the next line that it says."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def say(self, line: object) -> None:
        """Tell it something."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def ask(self, line: object) -> str:
        """Tell it something, and hear its answer."""
        self.say(line)
        return self.line()

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


LIMITS = {
    "http_connections": 19_000,
    "http_connections_per_address": 0,
    "http_streams_per_address": 100_000,
    "http_requests_per_second": 0,
}


@contextlib.contextmanager
def platform(python: str, *, apart: bool) -> Iterator[tuple[Child, Child, int, int]]:
    """Yield the platform and the gateway (``apart``: in a separate process), the ports of HTTP and of gRPC."""
    cwd = Path(python).absolute().parents[2]
    with tempfile.TemporaryDirectory(prefix="faristol-viewers-") as folder:
        grpc, http = free_port(), free_port()
        given = {"data": f"{folder}/data", "grpc_port": grpc, "http_port": http, "open": True, **LIMITS}
        services = ["access", "lexicon", "game", "clock", "pairing", "rating", "results"]
        own = services if apart else [*services, "gateway"]
        children = [Child(python, cwd, "serve", ",".join(own), json.dumps(given))]
        try:
            assert children[0].line() == "ready"
            if apart:
                peers = {f"peer_{name}": f"127.0.0.1:{grpc}" for name in services}
                children.append(
                    Child(
                        python,
                        cwd,
                        "serve",
                        "gateway",
                        json.dumps({**given, **peers, "grpc_port": 0, "data": f"{folder}/g"}),
                    )
                )
                assert children[1].line() == "ready"
            yield children[0], children[-1], http, grpc
        finally:
            for child in reversed(children):
                child.end()


async def official(port: int, ended: asyncio.Event) -> list[float]:
    """Register players, five a second, and give how long each call took."""
    import grpc

    from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc

    took: list[float] = []
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub: Any = pairing_pb2_grpc.PairingServiceStub(channel)
        who = (("faristol-actor", "director"), ("faristol-role", "director"))
        while not ended.is_set():
            request = pairing_pb2.RegisterPlayerRequest(
                command_id=str(uuid.uuid4()), tournament_id="lliga", name=f"Player {len(took)}"
            )
            begun = time.perf_counter()
            await stub.RegisterPlayer(request, timeout=60, metadata=who)
            took.append(time.perf_counter() - begun)
            await asyncio.sleep(0.2)
    return took


def measure_viewers(
    python: str, count: int, rate: float, seconds: float, *, again: float = 0, apart: bool = False, path: str = STREAM
) -> Found:
    """Return the figures of viewers at a rate of events a second."""
    with platform(python, apart=apart) as (served, gateway, http, grpc_port):
        before = json.loads(gateway.ask("figures"))
        viewers = Child(sys.executable, ROOT, "view", str(http), path, str(count), str(again))
        try:
            begun = time.perf_counter()
            opened = json.loads(viewers.ask(10))
            opening = time.perf_counter() - begun
            figures_after = json.loads(gateway.ask("figures"))
            time.sleep(1)
            viewers.say("go")
            gateway.ask("reset")

            async def run() -> list[float]:
                ended = asyncio.Event()
                calls = asyncio.create_task(official(grpc_port, ended))
                await asyncio.to_thread(served.ask, f"pace {seconds} {rate}")
                ended.set()
                return await calls

            calls = asyncio.run(run())
            time.sleep(LATE_FRAME_SECONDS)
            after = json.loads(gateway.ask("figures"))
            found: Found = json.loads(viewers.ask("end"))
            assert found["frames"], "no frame was read: the benchmark does not know the format of the stream"
        finally:
            viewers.end()
        return {
            **found,
            "opened_in": opening,
            "open_at_first": opened["open"],
            "kilobytes": (figures_after["memory"] - before["memory"]) / count / 1e3,
            "stall": after["stall"],
            "collection": after["collection"],
            "cpu": after["cpu"] - figures_after["cpu"],
            "call_p50": statistics.median(calls),
            "call_p99": quantile(calls, 0.99),
        }


SCENES: list[tuple[str, dict[str, Any]]] = [
    ("1,000 viewers, 5 events a second", {"count": 1_000, "rate": 5, "seconds": 15}),
    ("200 viewers, 200 events a second", {"count": 200, "rate": 200, "seconds": 10}),
]
CROWD = (
    "10,000 viewers, a frame a second, 500 come again each second",
    {"count": 10_000, "rate": 1, "seconds": 20, "again": 500, "apart": True, "path": f"{STREAM}types=PlayAccepted&"},
)


UNITS = {"p50": "s", "p99": "s", "stall": "s", "call_p99": "s", "cpu": "s of processor time", "kilobytes": "kB each"}


def viewer_figures() -> Figures:
    """Return all scenes, with this code."""
    found: Figures = []
    for name, scene in (*SCENES, CROWD):
        figures = measure_viewers(sys.executable, **scene)
        found += [(f"{name}: {what}", figures[what], unit) for what, unit in UNITS.items()]
    return found


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--python", default=sys.executable, help="of the code that is measured")
    asked.add_argument("--full", action="store_true", help="10,000 viewers as well")
    asked.add_argument("--only", type=int, help="the scene with this number alone")
    asked.add_argument("--untuned", action="store_true", help="let long collections of garbage be, to compare with")
    given = asked.parse_args()
    if given.untuned:
        os.environ[UNTUNED] = "1"
    scenes = [*SCENES, CROWD] if given.full else SCENES
    for number, (name, scene) in enumerate(scenes):
        if given.only in (None, number):
            out.print(name)
            for what, value in measure_viewers(given.python, **scene).items():
                out.print(f"  {what:14} {value:12,.4g}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(sys.argv[2].split(","), json.loads(sys.argv[3])))
    elif sys.argv[1:2] == ["view"]:
        asyncio.run(view(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5])))
    else:
        main()
