"""`faristol enter`: the results of a round, at a prompt, from a file, or from standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from faristol.access_control.errors import Unauthenticated
from faristol.access_control.roles import SCORER
from faristol.access_control.tokens import decode_unverified
from faristol.cli.client import Client
from faristol.cli.options import Tournament
from faristol.client.credentials import TOKEN
from faristol.client.places import ranges
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.table_terminal.results_entry.calls import Refused, ResultsClient
from faristol.table_terminal.results_entry.prompt import Prompt
from faristol.table_terminal.shared.common import acting_as, localize, print_answer, run, who_acts
from faristol.table_terminal.shared.keyboard import enable_line_editing, wait_for_answer
from faristol.table_terminal.shared.names import tournament_meant
from faristol.table_terminal.shared.services import service_at
from faristol.text import translations
from faristol.typed_input.lists import LineError, content_of
from faristol.typed_input.results.sheet import ListedResult, read_sheet
from faristol.typed_input.results.tables import Tables

ENTRY_RETRY_SECONDS = 60.0
"""Timeout of retries in seconds while a service is unavailable, if not at a prompt."""

WHO = N_("Your name, stored with each result")
WHO_ENTERS = N_("specify the person who enters the results: use --as NAME or FARISTOL_CLIENT_NAME, or --arbiter ID")
NOTHING_ENTERED = N_("No result was entered.")
ENTER_THEM = N_("Enter them all?")
STAND_ALREADY = N_("{tables} already have the results in the file.")
NO_RESULTS = N_("the file {file} has no result")
AND_MORE = N_("and {more} more")
TABLES_LEFT = N_("left: {tables}")

MAX_PRINTED_ERRORS = 50
"""Errors of a file that are printed."""


def enter(
    client: Client,
    tournament: Tournament,
    round_: Annotated[
        int,
        typer.Argument(metavar="[ROUND]", min=0, max=999, help="The round; default: the last one started."),
    ] = 0,
    file: Annotated[
        str,
        typer.Option(
            help="CSV of results, - for stdin: table,first_score,second_score, or lines 11,412,378 and 12,ff,-."
        ),
    ] = "",
    arbiter: Annotated[
        str, typer.Option(help="Id of the arbiter; default: the name of --as or FARISTOL_CLIENT_NAME.")
    ] = "",
    sure: Annotated[
        bool,
        typer.Option("--sure", help="Also enter implausible results of a file; for single lines use a column sure."),
    ] = False,
) -> None:
    """Enter the results of a round, table by table, or all of a file or none.

    At a terminal it asks for each table; 11 412 378 enters table 11, 412 378 the table asked, ? explains the rest.
    """
    language = client.language
    terminal = not file and sys.stdin.isatty()
    if not (arbiter or who_acts() or os.environ.get(TOKEN, "")):
        if not terminal:
            raise StartError(localize(WHO_ENTERS))
        acting_as(typer.prompt(localize(WHO)))

    async def work() -> int:
        tournament_id = await tournament_meant(tournament, client.address)
        async with service_at("pairing", client.address) as channel:
            calls = ResultsClient(
                channel,
                tournament_id,
                round_,
                arbiter,
                language,
                _complain,
                patience=None if terminal else ENTRY_RETRY_SECONDS,
                helper=_find_helper(),
            )
            try:
                if terminal:
                    await Prompt(calls, _ask, typer.echo, language).run()
                    return 0
                return await _enter_file(calls, file or "-", language, sure=sure, json_output=client.json_output)
            except Refused as refused:
                raise StartError(str(refused)) from refused

    if code := run(work()):
        raise typer.Exit(code)


def _find_helper() -> str:
    """Return the id of a helper, whose token is that of a scorer; empty for any other caller."""
    try:
        credential = decode_unverified(os.environ.get(TOKEN, ""))
    except Unauthenticated:
        return ""
    return credential.subject if credential.role == SCORER else ""


async def _ask(prompt: str) -> str:
    enable_line_editing()
    return await wait_for_answer(partial(input, prompt))


def _complain(text: str) -> None:
    typer.echo(text, err=True)


async def _enter_file(calls: ResultsClient, file: str, language: str, *, sure: bool, json_output: bool) -> int:
    """Enter all results of a file. Return the exit code: 0, or 2 if a line is wrong or the service refuses it.

    Equal scores of two tables are a question at a terminal. Otherwise they are printed, and the file is entered.

    Raises ``StartError`` if the file has no result or is unreadable.
    """
    name, text = "stdin" if file == "-" else file, content_of(file, language)
    tables = await calls.tables()
    new, standing, errors = read_sheet(text, tables, language, sure=sure)
    if not (new or standing or errors):
        raise StartError(localize(NO_RESULTS, file=name))
    questions = [LineError(listed.line, listed.question) for listed in new if listed.question]
    if not errors and questions:
        for question in questions[:MAX_PRINTED_ERRORS]:
            _complain(f"{name}:{question}")
        if file != "-" and sys.stdin.isatty() and not typer.confirm(localize(ENTER_THEM), err=True):
            _complain(localize(NOTHING_ENTERED))
            return 2
    if not errors and new:
        try:
            await calls.enter([tables.result(listed.given) for listed in new])
        except Refused as refused:
            errors = _by_line(new, tables, refused)
    for error in errors[:MAX_PRINTED_ERRORS]:
        _complain(f"{name}:{error}")
    if len(errors) > MAX_PRINTED_ERRORS:
        _complain(localize(AND_MORE, more=len(errors) - MAX_PRINTED_ERRORS))
    if errors:
        _complain(localize(NOTHING_ENTERED))
        return 2
    entered, known = ([listed.given.table for listed in results] for results in (new, standing))
    left = (await calls.tables()).left
    counted = translations(language).ngettext("%(num)s result entered", "%(num)s results entered", len(new))
    lines = [counted % {"num": len(new)}]
    lines += [
        localize(text, tables=ranges(numbers))
        for text, numbers in ((STAND_ALREADY, known), (TABLES_LEFT, left))
        if numbers
    ]
    content = {"round": tables.listed.round, "entered": entered, "standing": known, "left": left}
    print_answer(content, lines, json_output=json_output, indent=None)
    return 0


def _by_line(listed: Sequence[ListedResult], tables: Tables, refused: Refused) -> list[LineError]:
    """Return the refusal by lines of the file. Raises ``refused`` if it names no game."""
    lines = {tables[result.given.table].game_id: result.line for result in listed}
    errors = [LineError(lines[game], text) for game, text in refused.by_game.items() if game in lines]
    if not errors:
        raise refused
    return sorted(errors, key=lambda error: error.line)
