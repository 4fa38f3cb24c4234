"""Measure the cost of authentication for a command: two platforms in one process, one with credentials and one without.

python -m tests.benchmarks.admission --commands 1000
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import grpc
from rich.console import Console

from faristol.client.credentials import authorize, build_interceptors
from faristol.host import Settings
from faristol.launcher.processes import running
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pb_grpc

TOURNAMENT = "cup"
PLAYER_COUNT = 20
out = Console(highlight=False)


@asynccontextmanager
async def pairing(folder: Path, *, asks: bool) -> AsyncIterator[Any]:
    """Yield the pairing service of a separate platform, with a tournament."""
    settings = Settings(data=folder, open=not asks, http_port=0, grpc_port=0)
    async with running(settings) as process:
        address = process.grpc_address
        interceptors: list[Any] = build_interceptors(authorize(address, folder / "access", "Eva"))
        async with grpc.aio.insecure_channel(address, interceptors=interceptors if asks else []) as channel:
            stub: Any = pb_grpc.PairingServiceStub(channel)
            await stub.CreateTournament(command(pb.CreateTournamentRequest, name="Cup", rounds=9))
            for number in range(PLAYER_COUNT):
                await stub.RegisterPlayer(command(pb.RegisterPlayerRequest, player_id=f"p{number}", name=f"P{number}"))
            yield stub


def command(kind: Any, **fields: Any) -> Any:
    """Return a command on the tournament."""
    return kind(command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, **fields)


async def measure(commands: int) -> dict[bool, list[float]]:
    """Return the milliseconds of each command, by whether it was asked who sends it; the two take turns."""
    took: dict[bool, list[float]] = {False: [], True: []}
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="admission-")))
        stubs = {
            asks: await stack.enter_async_context(pairing(folder / str(asks), asks=asks)) for asks in (False, True)
        }
        for number in range(commands):
            kind = (pb.CheckInPlayerRequest, pb.CheckOutPlayerRequest)[number // PLAYER_COUNT % 2]
            for asks in (False, True) if number % 2 else (True, False):
                request = command(kind, player_id=f"p{number % PLAYER_COUNT}")
                method = getattr(stubs[asks], kind.__name__.removesuffix("Request"))
                began = time.perf_counter()
                await method(request)
                took[asks].append(1_000 * (time.perf_counter() - began))
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=1_000)
    took = asyncio.run(measure(parser.parse_args().commands))
    halves = {asks: statistics.median(times) for asks, times in took.items()}
    for asks, times in took.items():
        late = statistics.quantiles(times, n=100)[98]
        out.print(
            f"{'asked who sends it' if asks else 'asked nothing':>20}: p50 {halves[asks]:.2f} ms, p99 {late:.2f} ms"
        )
    out.print(f"p50 of one over the other: {halves[True] / halves[False]:.3f}")


if __name__ == "__main__":
    main()
