"""Options and arguments of several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.completion import tournaments
from faristol.text import LANGUAGES
from faristol.text.terminal import language_of_terminal

MAX_CONTRACT_NUMBER = 2**31 - 1
"""The greatest number that a field of the contract holds."""

Data = Annotated[Path | None, typer.Option(help="Folder of the embedded record and bus.")]
Database = Annotated[str | None, typer.Option(help="Record at sqlite:///PATH or postgresql://…")]
Writer = Annotated[str, typer.Option(metavar="ROLE", help="Role of the services that write.")]
Reader = Annotated[str, typer.Option(metavar="ROLE", help="Role of the results service.")]
Nats = Annotated[str | None, typer.Option(help="NATS server; default: one is started.")]
Http = Annotated[int | None, typer.Option("--http", help="Port of pages and JSON; 0: a free port.")]
Grpc = Annotated[int | None, typer.Option("--grpc", help="Port of gRPC; 0: a free port.")]
Open = Annotated[
    bool | None,
    typer.Option("--open", help="Require no credentials: only for trials on this machine."),
]
OfTls = Annotated[
    bool | None,
    typer.Option("--tls", help="Serve gRPC over TLS, with a certificate created in the data folder."),
]

OfHall = Annotated[
    str | None,
    typer.Option("--hall", metavar="HALL", help="Run the cell of this hall, which follows the championship of --of."),
]
OfChampionship = Annotated[
    str | None,
    typer.Option(
        "--of", metavar="ADDRESS", help="gRPC of the championship of --hall: https://HOST:PORT, or HOST:PORT here."
    ),
]
OfToken = Annotated[
    Path | None, typer.Option("--token-file", help="File with the token of --hall; default: FARISTOL_CLIENT_TOKEN.")
]
OfAuthority = Annotated[
    Path | None,
    typer.Option("--ca", help="Authorities that verify the certificate of the championship of --hall."),
]

Browser = Annotated[
    bool,
    typer.Option("--browser/--no-browser", help="Open the pages in the browser of this desktop."),
]

Network = Annotated[
    bool,
    typer.Option("--network", help="Serve the pages to the network of this computer too, such as to phones in a hall."),
]

PagesApart = Annotated[
    bool | None,
    typer.Option(
        "--pages-apart",
        help="Serve pages and JSON in a separate process, so that many viewers do not slow down officials.",
    ),
]

Address = Annotated[
    str | None, typer.Option("--address", help="HOST:PORT of running services; default: FARISTOL_CLIENT_ADDRESS.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OneObject = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Output file; default: the terminal.")]

Tournament = Annotated[
    str,
    typer.Argument(
        metavar="TOURNAMENT", help="The tournament: its id or the beginning of its name.", autocompletion=tournaments
    ),
]
LastRound = Annotated[
    int, typer.Argument(min=0, max=999, metavar="ROUND", help="The round; default: the last one paired.")
]
Game = Annotated[str, typer.Argument(metavar="GAME|TOURNAMENT", help="The game, or its tournament with the table.")]
AtTable = Annotated[
    int, typer.Option("--table", min=0, max=MAX_CONTRACT_NUMBER, help="Number of the table, for a tournament.")
]
InRound = Annotated[
    int, typer.Option("--round", min=0, max=999, help="Round of that table; default: the last one paired.")
]


def in_language(language: str) -> str:
    """Validate ``--language``, which may be empty.

    Raises ``BadParameter`` for an unsupported language.
    """
    if language and language not in LANGUAGES:
        raise typer.BadParameter(f"there is no language {language!r}; there are: {', '.join(LANGUAGES)}")
    return language


def in_language_or_the_terminals(language: str) -> str:
    """Validate ``--language``, by default that of the terminal. Raises ``BadParameter`` as ``in_language`` does."""
    return in_language(language) or language_of_terminal()


Language = Annotated[
    str,
    typer.Option(
        help=f"Language of the output: {', '.join(LANGUAGES)}; default: that of the terminal.",
        callback=in_language_or_the_terminals,
        show_default=False,
    ),
]
