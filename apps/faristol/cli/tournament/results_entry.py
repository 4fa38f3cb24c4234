"""`faristol enter`: the results of a round, at a prompt, from a file, or from standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from faristol.cli.options import Address, AsJson, Tournament
from faristol.client.places import ranges
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.table_terminal.results_entry.calls import Calls, Refused
from faristol.table_terminal.results_entry.prompt import Prompt
from faristol.table_terminal.shared.common import acting_as, run, said, tell, who_acts
from faristol.table_terminal.shared.keyboard import answered
from faristol.table_terminal.shared.names import tournament_meant
from faristol.table_terminal.shared.services import service_at
from faristol.text import translations
from faristol.text.terminal import language_of_terminal
from faristol.typed_input.lists import LineError, content_of
from faristol.typed_input.results.sheet import Listed, read_sheet
from faristol.typed_input.results.tables import Tables

PATIENCE = 60.0
"""Timeout of retries in seconds while a service is unavailable, if not at a prompt."""

WHO = N_("Your name, stored with each result")
WHO_ENTERS = N_("specify the person who enters the results: use --as NAME or FARISTOL_AS, or --arbiter ID")
NOTHING = N_("No result was entered.")
STAND_ALREADY = N_("{tables} already have the results in the file.")
NO_RESULTS = N_("the file {file} has no result")
AND_MORE = N_("and {more} more")
LEFT = N_("left: {tables}")

MOST_TOLD = 50
"""Errors of a file that are printed."""


def enter(
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
    arbiter: Annotated[str, typer.Option(help="Id of the arbiter; default: the name of --as or FARISTOL_AS.")] = "",
    sure: Annotated[
        bool,
        typer.Option("--sure", help="Also enter implausible results of a file; for single lines use a column sure."),
    ] = False,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Enter the results of a round, table by table, or all of a file or none.

    At a terminal it asks for each table; 11 412 378 enters table 11, 412 378 the table asked, ? explains the rest.
    """
    language = language_of_terminal()
    terminal = not file and sys.stdin.isatty()
    if not arbiter and not who_acts():
        if not terminal:
            raise StartError(said(WHO_ENTERS))
        acting_as(typer.prompt(said(WHO)))

    async def work() -> int:
        tournament_id = await tournament_meant(tournament, address)
        async with service_at("pairing", address) as channel:
            calls = Calls(
                channel, tournament_id, round_, arbiter, language, _complain, patience=None if terminal else PATIENCE
            )
            try:
                if terminal:
                    await Prompt(calls, _asked, typer.echo, language).run()
                    return 0
                return await _enter_file(calls, file or "-", language, sure=sure, json_output=json_output)
            except Refused as refused:
                raise StartError(str(refused)) from refused

    if code := run(work()):
        raise typer.Exit(code)


async def _asked(prompt: str) -> str:
    import readline  # noqa: F401 # gives `input` line editing and a history

    return await answered(partial(input, prompt))


def _complain(text: str) -> None:
    typer.echo(text, err=True)


async def _enter_file(calls: Calls, file: str, language: str, *, sure: bool, json_output: bool) -> int:
    """Enter all results of a file. Return the exit code: 0, or 2 if a line is wrong or the service refuses it.

    Raises ``StartError`` if the file has no result or is unreadable.
    """
    name, text = "stdin" if file == "-" else file, content_of(file, language)
    tables = await calls.tables()
    new, standing, errors = read_sheet(text, tables, language, sure=sure)
    if not (new or standing or errors):
        raise StartError(said(NO_RESULTS, file=name))
    if not errors and new:
        try:
            await calls.enter([tables.result(listed.given) for listed in new])
        except Refused as refused:
            errors = _by_line(new, tables, refused)
    for error in errors[:MOST_TOLD]:
        _complain(f"{name}:{error}")
    if len(errors) > MOST_TOLD:
        _complain(said(AND_MORE, more=len(errors) - MOST_TOLD))
    if errors:
        _complain(said(NOTHING))
        return 2
    entered, known = ([listed.given.table for listed in results] for results in (new, standing))
    left = (await calls.tables()).left
    counted = translations(language).ngettext("%(num)s result entered", "%(num)s results entered", len(new))
    told = [counted % {"num": len(new)}]
    told += [said(text, tables=ranges(numbers)) for text, numbers in ((STAND_ALREADY, known), (LEFT, left)) if numbers]
    content = {"round": tables.listed.round, "entered": entered, "standing": known, "left": left}
    tell(content, told, json_output=json_output, indent=None)
    return 0


def _by_line(listed: Sequence[Listed], tables: Tables, refused: Refused) -> list[LineError]:
    """Return the refusal by lines of the file. Raises ``refused`` if it names no game."""
    lines = {tables[result.given.table].game_id: result.line for result in listed}
    errors = [LineError(lines[game], told) for game, told in refused.by_game.items() if game in lines]
    if not errors:
        raise refused
    return sorted(errors, key=lambda error: error.line)
