"""`faristol table keep`: a table, at a prompt, or from a script on standard input."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import grpc
import typer

from faristol.cli.client import ServiceClient
from faristol.cli.options import AtTable, Game, InRound, Language
from faristol.client.problems import every_reason
from faristol.host import StartError
from faristol.host.rpc.metadata import ACTOR, ROLE
from faristol.kernel.refusal import Refusal
from faristol.table_terminal.shared.common import run
from faristol.table_terminal.shared.keyboard import enable_line_editing, wait_for_answer
from faristol.table_terminal.shared.services import (
    address_of,
    build_access_interceptors,
    load_own_id,
    open_channel_to,
    sender,
)
from faristol.table_terminal.table.journal import Journal, usual_file
from faristol.table_terminal.table.lines import Typed, script_lines, steps_of
from faristol.table_terminal.table.rulings import TableJudge
from faristol.table_terminal.table.scorer_session import PROMPT, SERVICES_UNAVAILABLE, ScorerSession
from faristol.table_terminal.table.services import LiveTable
from faristol.text import cite_refusal


def table(
    client: ServiceClient,
    game: Game,
    at_table: AtTable = 0,
    number: InRound = 0,
    arbiter: Annotated[
        str, typer.Option("--as", help="Your id as arbiter; default: that of your credential.", show_default=False)
    ] = "",
    judge: Annotated[str, typer.Option(help="Id of the judge who rules here, if judges rule.")] = "",
    journal: Annotated[
        Path | None, typer.Option(help="File that stores entries until they are sent; a terminal has a default.")
    ] = None,
    language: Language = "",
) -> None:
    """Keep a table that is being played, with the commands of rulebook cases (docs/tables.md).

    At a terminal it asks line by line. Otherwise it reads a script, and at the first step that is refused prints its
    line and ends with exit code 1.
    """
    terminal = sys.stdin.isatty()
    game_id = client.find_game(game, at_table, number)
    if journal is None and terminal:
        journal = usual_file(game_id)
    kept = Journal(journal)
    session = ScorerSession(kept, language, stops=not terminal)

    async def work() -> int:
        async with AsyncExitStack() as stack:

            def channel(service: str) -> grpc.aio.Channel:
                wanted = address_of(service, client.address)
                made = open_channel_to(wanted, build_access_interceptors(wanted))
                stack.push_async_callback(made.close, None)
                return made

            own_id = arbiter or await load_own_id(lambda: channel("access"))
            arbiter_id = own_id or "arbiter"
            # A name is stored beside the record and never becomes an id: without an own id it is the actor's name.
            actor = (() if own_id else sender()) or ((ACTOR, arbiter_id),)
            caller = (("accept-language", language), *actor, (ROLE, "arbiter"))
            services = LiveTable(channel, game_id, caller, kept, lambda: session.say(SERVICES_UNAVAILABLE))
            services.ids = {"arbiter": arbiter_id}
            table_judge = TableJudge(channel("lexicon"), judge or arbiter_id, session.say)
            try:
                await session.sit_down(services, table_judge)
                async with session.watching() if terminal else nullcontext():
                    return await session.work(_read_commands(terminal=terminal))
            except grpc.aio.AioRpcError as error:
                raise StartError(every_reason(error)) from error
            except Refusal as refusal:
                raise StartError(cite_refusal(refusal, language)) from refusal

    if code := run(work()):
        raise typer.Exit(code)


async def _read_commands(*, terminal: bool) -> AsyncIterator[Typed]:
    """Yield the commands of the prompt, or those of the script."""
    if not terminal:
        for typed in steps_of(script_lines(await asyncio.to_thread(sys.stdin.buffer.read))):
            yield typed
        return
    enable_line_editing()
    number = 0
    while True:
        try:
            line = await wait_for_answer(partial(input, PROMPT))
        except EOFError:
            return
        number += 1
        for typed in steps_of([line]):
            yield typed._replace(number=1)
