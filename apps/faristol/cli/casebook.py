"""`faristol referee`: play rulebook cases, and report their coverage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from faristol.bus import NatsServer
from faristol.casebook.case import Case
from faristol.casebook.coverage import as_markdown, coverage
from faristol.casebook.document import CaseError
from faristol.casebook.hosts.memory import in_memory
from faristol.casebook.hosts.services import Host
from faristol.casebook.reader import files_in, read_file
from faristol.casebook.runner import Verdict, on_cell, run_case
from faristol.cli.options import OneObject
from faristol.table_terminal.shared.common import print_answer
from faristol.table_terminal.shared.screen import progress


def referee(
    paths: Annotated[list[Path], typer.Argument(help="Files of cases; a folder includes its .yaml files.")],
    every: Annotated[bool, typer.Option("--all", help="List the cases that passed as well.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write the coverage to this file, as Markdown.")] = None,
    cell: Annotated[
        bool, typer.Option("--cell", help="Play the cases over gRPC, NATS and a record in a database.")
    ] = False,
    covered: Annotated[bool, typer.Option("--coverage", help="List the articles with and without cases.")] = False,
    json_output: OneObject = False,
) -> None:
    """Play rulebook cases. Exit code 1 if a case has an outcome other than the stated one, 2 if one cannot be read.

    A case is a table or a tournament, the actions there, and their outcome by a rule book; docs/rulebook-cases.md
    describes the format. Failed cases are printed last.
    """
    cases, errors = _read(paths)
    with progress("playing") as done:
        verdicts = asyncio.run(_play(cases, lambda played: done(played, len(cases)), cell=cell))
    if report:
        report.write_text(as_markdown(verdicts), encoding="utf-8")
    if not json_output:
        for error in errors:
            typer.echo(str(error), err=True)
    print_answer(
        _as_json(verdicts, errors), _format_report(verdicts, every=every, covered=covered), json_output=json_output
    )
    if errors:
        raise typer.Exit(2)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(1)


def _read(paths: Iterable[Path]) -> tuple[list[Case], list[CaseError]]:
    cases: list[Case] = []
    errors: list[CaseError] = []
    try:
        files = files_in(paths)
    except CaseError as error:
        return cases, [error]
    for file in files:
        read, wrong = read_file(file)
        cases += read
        errors += wrong
    return cases, errors


async def _play(cases: Iterable[Case], advance: Callable[[int], None], *, cell: bool) -> list[Verdict]:
    verdicts = []
    async with _host(cell=cell) as host:
        for case in cases:
            verdicts.append(await run_case(case, host))
            advance(len(verdicts))
    return verdicts


@asynccontextmanager
async def _host(*, cell: bool) -> AsyncIterator[Host]:
    if not cell:
        yield in_memory
        return
    with TemporaryDirectory() as folder:
        server = await NatsServer.start(Path(folder))
        try:
            yield on_cell(server.url)
        finally:
            await server.stop()


def _format_report(verdicts: Sequence[Verdict], *, every: bool, covered: bool) -> Iterator[str]:
    """Yield the lines of the report, with the failed cases at the end, which is visible in a terminal."""
    for book in coverage(verdicts) if covered else ():
        yield f"{book.ruleset}: covered: {', '.join(book.shown) or 'nothing'}"
        if book.missing:
            yield f"{book.ruleset}: no case for: {', '.join(book.missing)}"
    for verdict in verdicts:
        if every and verdict.passed:
            yield f"{verdict.case.file}:{verdict.case.place.line}: {verdict.case.name}: as the case says"
        if every or verdict.problems:
            yield from verdict.notes
    for verdict in verdicts:
        yield from (f"{problem} (case: {verdict.case.name})" for problem in verdict.problems)
    passed = sum(verdict.passed for verdict in verdicts)
    yield f"{passed} of {len(verdicts)} cases came out as they say"


def _as_json(verdicts: Sequence[Verdict], errors: Iterable[CaseError]) -> dict[str, Any]:
    return {
        "cases": [
            {
                "case": verdict.case.name,
                "file": str(verdict.case.file),
                "line": verdict.case.place.line,
                "ruleset": verdict.case.ruleset.name,
                "articles": verdict.case.articles,
                "scenarios": verdict.case.scenarios,
                "passed": verdict.passed,
                "problems": verdict.problems,
                "notes": verdict.notes,
            }
            for verdict in verdicts
        ],
        "unreadable": [str(error) for error in errors],
        "coverage": {
            book.ruleset: {"covered": list(book.shown), "missing": list(book.missing)} for book in coverage(verdicts)
        },
    }
