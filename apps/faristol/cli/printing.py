"""`faristol print`: pairings, slips, sheets, cards and standings as a PDF, or as the page that a browser prints."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faristol.cli.client import ServiceClient
from faristol.cli.options import Output, Tournament, in_language
from faristol.cli.tournament.export import write_bytes
from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.http.forms import origin
from faristol.gateway.print.addresses import NO_TYPESETTER, render_paper
from faristol.gateway.print.contents import PaperRequest, language_of_tournament
from faristol.gateway.print.duplicate import ALL_PAPERS, papers_of
from faristol.gateway.print.pdf import Pdfs, TypesetterFault, is_installed
from faristol.gateway.rpc.calls import Calls
from faristol.gateway.rpc.results import Results
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.game.v1.duplicate_pb2_grpc import DuplicateServiceStub
from faristol.table_terminal.shared.common import localize, settings_of
from faristol.table_terminal.shared.names import tournament_meant
from faristol.table_terminal.shared.services import service_at
from faristol.text import LANGUAGES

if TYPE_CHECKING:
    PaperKind = StrEnum
else:
    PaperKind = StrEnum("PaperKind", {name.upper(): name for name in ALL_PAPERS})
"""Kinds of papers; their names are known at run time only."""


class Size(StrEnum):
    """Paper size."""

    A4 = "A4"
    A5 = "A5"


WITH_CODES = frozenset({"slips", "playslips", "checkin", "tablecards", "certificates"})
"""Papers with codes that lead to pages."""

NO_ROUND = N_("No round is paired yet.")
NO_PAPER = N_("{tournament} has no {kind} to print; there are: {papers}.")
NO_ADDRESS = N_(
    "The codes on this paper link to the pages: give the address of the pages with --pages https://… or "
    "FARISTOL_HTTP_ADDRESS."
)
TO_A_FILE = N_("A PDF cannot be written to a terminal: specify a file with --output.")


def print_paper(
    client: ServiceClient,
    tournament: Tournament,
    kind: Annotated[PaperKind, typer.Argument(metavar="PAPER", help=f"One of {', '.join(ALL_PAPERS)}.")],
    number: Annotated[
        int, typer.Option("--round", min=0, max=999, help="The round; default: the last one paired.")
    ] = 0,
    table: Annotated[int, typer.Option("--table", min=0, help="Only the slip or the sheet of this table.")] = 0,
    size: Annotated[Size, typer.Option("--paper", help="Paper size.")] = Size.A4,
    language: Annotated[
        str,
        typer.Option(
            help=f"Of the paper: {', '.join(LANGUAGES)}; that of the tournament when left out.",
            callback=in_language,
            show_default=False,
        ),
    ] = "",
    html: Annotated[bool, typer.Option("--html", help="Write an HTML page for a browser; default: a PDF.")] = False,
    pages: Annotated[str, typer.Option(help="Public address of the pages, for the codes on slips.")] = "",
    output: Output = None,
) -> None:
    """Write pairings, slips, sheets, cards or standings as a PDF, in the language of the tournament."""
    if not html and not is_installed():
        raise StartError(f"{localize(NO_TYPESETTER)} --html")
    if not html and output is None and sys.stdout.isatty():
        raise StartError(localize(TO_A_FILE))
    where = origin(pages or settings_of().http_address)
    if kind in WITH_CODES and not where:
        raise StartError(localize(NO_ADDRESS))

    async def work(stub: Any) -> bytes:
        found = await tournament_meant(tournament, client.address)
        head = await Results(stub, client.language).tournament(found)
        if kind not in (there := papers_of(head.tournament)):
            raise StartError(
                localize(NO_PAPER, kind=kind.value, tournament=head.tournament.name, papers=", ".join(there))
            )
        spoken = language or language_of_tournament(head)
        round_ = number
        if ALL_PAPERS[kind].of_round and not round_:
            round_ = len(head.tournament.played)
            if not round_:
                raise StartError(localize(NO_ROUND))
        results = Results(stub, spoken, client.language)
        async with AsyncExitStack() as stack:
            services = ("game", "results", "pairing") if ALL_PAPERS[kind].private else ("game",)
            channels = {name: await stack.enter_async_context(service_at(name, client.address)) for name in services}
            wanted = PaperRequest(
                results,
                Duplicates(DuplicateServiceStub(channels["game"]), spoken),
                spoken,
                head,
                size.value,
                where,
                round_,
                table,
                calls=Calls(channels.__getitem__, spoken, ""),
            )
            page = await render_paper(wanted, kind)
        try:
            return page.encode() if html else await Pdfs().of(page)
        except TypesetterFault as error:
            raise StartError(str(error)) from error

    write_bytes(client.ask("results", work), output)
