"""`faristol duplicate run`: a hall at a terminal, from its bundle, online or offline."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer

from faristol.cli.client import ServiceClient
from faristol.client.problems import every_reason, info_of
from faristol.client.services import build_call
from faristol.duplicate_game.sealed import DocumentError, EnvelopeError
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.table_terminal.hall import bundle as bundles
from faristol.table_terminal.hall.hall import CommandRefused, HallState, ServicesUnavailable
from faristol.table_terminal.hall.journal import HallJournal, file_of
from faristol.table_terminal.hall.terminal import HallTerminal
from faristol.table_terminal.hall.times import SyncedClock
from faristol.table_terminal.shared.common import localize
from faristol.table_terminal.shared.common import run as run_work
from faristol.table_terminal.shared.services import address_of, build_access_interceptors, open_channel_to

DAMAGED = N_("{file}: {problem}; create it again with `faristol duplicate bundle {game} --output {file}`")
HALL_CALL_TIMEOUT_SECONDS = 5.0
"""Timeout in seconds, after which the hall is offline."""
GONE = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED})


def run(
    client: ServiceClient,
    file: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Output file of `faristol duplicate bundle`.")],
    collector: Annotated[str, typer.Option(help="Person who types the slips.")] = "collector",
    journal: Annotated[
        Path | None, typer.Option(help="File that stores the entries; default: in the state folder of this user.")
    ] = None,
) -> None:
    """Run a hall: call racks, tell the time, take slips. Offline, slips are stored and sent later."""
    bundle = bundles.read(file)
    kept = HallJournal(journal or file_of(bundle.game_id, bundle.hall))
    try:
        run_work(_work(bundle, kept, collector, address_of("game", client.address)))
    except (EnvelopeError, DocumentError) as error:
        raise StartError(localize(DAMAGED, file=str(file), problem=str(error), game=bundle.game_id)) from error


async def _work(bundle: bundles.Bundle, journal: HallJournal, collector: str, address: str) -> None:
    async with open_channel_to(address, build_access_interceptors(address)) as channel:

        async def ask(request: Any) -> Any:
            try:
                return await build_call(channel, type(request))(request, timeout=HALL_CALL_TIMEOUT_SECONDS)
            except grpc.aio.AioRpcError as error:
                if error.code() in GONE:
                    raise ServicesUnavailable from error
                raise CommandRefused(info_of(error).reason, every_reason(error)) from error

        hall = HallState(bundle, journal, ask, SyncedClock(), collector)
        await HallTerminal(hall, typer.echo).run(_read_lines())


async def _read_lines() -> AsyncIterator[str]:
    """Yield the lines that are typed."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line
