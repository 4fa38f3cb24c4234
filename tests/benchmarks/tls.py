"""Measure the cost of TLS for a command: two platforms in one process, one with TLS and one without.

python -m tests.benchmarks.tls --commands 1000
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from rich.console import Console
from tests.benchmarks.admission import PLAYER_COUNT, command

from faristol.client.credentials import authorize, build_interceptors
from faristol.host import Settings
from faristol.host.rpc.channels import open_channel
from faristol.launcher.processes import running
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pb_grpc

out = Console(highlight=False)


@asynccontextmanager
async def pairing(folder: Path, *, tls: bool) -> AsyncIterator[Any]:
    """Yield the pairing service of a separate platform, with a tournament; callers have credentials."""
    settings = Settings(data=folder, open=False, http_port=0, grpc_port=0, tls=tls)
    async with running(settings) as process:
        address = process.grpc_address
        interceptors: list[Any] = build_interceptors(authorize(address, folder / "access", "Eva"))
        async with open_channel(address, interceptors, process.runtime.tls) as channel:
            stub: Any = pb_grpc.PairingServiceStub(channel)
            await stub.CreateTournament(command(pb.CreateTournamentRequest, name="Cup", rounds=9))
            for number in range(PLAYER_COUNT):
                await stub.RegisterPlayer(command(pb.RegisterPlayerRequest, player_id=f"p{number}", name=f"P{number}"))
            yield stub


async def measure(commands: int) -> dict[bool, list[float]]:
    """Return the milliseconds of each command, by whether it went by TLS; the two take turns."""
    took: dict[bool, list[float]] = {False: [], True: []}
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tls-")))
        stubs = {tls: await stack.enter_async_context(pairing(folder / str(tls), tls=tls)) for tls in (False, True)}
        for number in range(commands):
            kind = (pb.CheckInPlayerRequest, pb.CheckOutPlayerRequest)[number // PLAYER_COUNT % 2]
            for tls in (False, True) if number % 2 else (True, False):
                request = command(kind, player_id=f"p{number % PLAYER_COUNT}")
                method = getattr(stubs[tls], kind.__name__.removesuffix("Request"))
                began = time.perf_counter()
                await method(request)
                took[tls].append(1_000 * (time.perf_counter() - began))
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=1_000)
    took = asyncio.run(measure(parser.parse_args().commands))
    halves = {tls: statistics.median(times) for tls, times in took.items()}
    for tls, times in took.items():
        late = statistics.quantiles(times, n=100)[98]
        out.print(f"{'by TLS' if tls else 'without TLS':>12}: p50 {halves[tls]:.2f} ms, p99 {late:.2f} ms")
    out.print(f"p50 of one over the other: {halves[True] / halves[False]:.3f}")


if __name__ == "__main__":
    main()
