"""Routes of printed matter: pages for the browser's printer, PDFs, and their list."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from faristol.gateway.api.parameters import DIGITS
from faristol.gateway.auth.session import session, token_of
from faristol.gateway.consoles.navigation import list_console_links, may_supervise
from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.http.forms import public_address
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.alternatives import check_has_duplicate_games, check_has_tables
from faristol.gateway.pages.render import page, private_page, rules_title
from faristol.gateway.pages.templating import render
from faristol.gateway.print.contents import PaperRequest, language_of_tournament
from faristol.gateway.print.duplicate import ALL_PAPERS, papers_of
from faristol.gateway.print.form import SIZES, STYLES, Size, style_name
from faristol.gateway.print.order import name_size
from faristol.gateway.print.pdf import Pdfs, TypesetterBusy, is_installed
from faristol.gateway.rpc.calls import NotSignedIn, answer_or
from faristol.gateway.rpc.results import Reader, Results
from faristol.gateway.rpc.service import UNAVAILABLE_CODES
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.text import LANGUAGE_NAMES, LANGUAGES, say

NO_TYPESETTER = N_("This server does not generate PDF files. Print the page; your browser can save it as PDF.")

TournamentId = Annotated[str, Path(max_length=64)]
RoundNumber = Annotated[int, Path(ge=1, le=10_000), DIGITS]
Round = Annotated[int, Query(ge=0, le=10_000), DIGITS]
Table = Annotated[int, Query(ge=0, le=1_000_000), DIGITS]
Kind = Annotated[str, Path(pattern=r"^[a-z]{1,20}([.]pdf)?$")]
PaperSize = Annotated[Size, Query(alias="paper")]

PER_HALL = frozenset({"tables", "names", "wall", "slips", "games", "results", "playslips", "playsheets"})
"""Papers of a round that can be limited to one hall."""

routes = APIRouter(include_in_schema=False)


async def render_paper(wanted: PaperRequest, kind: str) -> str:
    """Render a paper as HTML that browsers and the typesetter print alike.

    Raises ``grpc.aio.AioRpcError`` for an unknown round.
    """
    paper, tournament = ALL_PAPERS[kind], wanted.head.tournament
    gathered = await paper.gather(wanted)
    values: dict[str, Any] = {
        "tournament": tournament,
        "rules": rules_title(tournament.ruleset.name),
        "paper": paper,
        "kind": kind,
        "size": wanted.size,
        "number": wanted.round,
        "name_size": name_size,
        "style_name": style_name,
        "language_names": LANGUAGE_NAMES,
        "can_pdf": is_installed(),
        "table_asked": wanted.table,
        "hall_asked": wanted.hall,
        "lie": paper.lie,
        **gathered,
    }
    return await asyncio.to_thread(render, f"print/{kind}.html", wanted.language, "", values)


async def to_response(request: Request, html: str, pdf_name: str, headers: dict[str, str]) -> Response:
    """Answer with a page, or with its PDF if that has a name. Raises ``HTTPException`` (503) if too many are made."""
    if not pdf_name:
        return HTMLResponse(html, headers=headers)
    pdfs: Pdfs = request.app.state.pdfs
    try:
        made = await pdfs.of(html)
    except TypesetterBusy:
        busy = say(N_("Too many papers are being generated. Please retry in a few seconds."), {}, language_of(request))
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, busy, {"Retry-After": "5"}) from None
    headers["Content-Disposition"] = f'inline; filename="{pdf_name}.pdf"'
    return Response(made, media_type="application/pdf", headers=headers)


@dataclass(frozen=True)
class _PaperPage:
    """Request of a paper, as a page or as a PDF."""

    request: Request
    results: Reader
    tournament_id: TournamentId
    kind: Kind
    paper: PaperSize = "A4"
    lang: Annotated[str, Query(max_length=10)] = ""

    async def answer(self, round_: int, table: int = 0, hall: str = "") -> Response:
        """Answer with a paper. A private one has at once the results that a delay of the broadcast holds back."""
        request, (kind, dot, _) = self.request, self.kind.partition(".")
        if kind not in ALL_PAPERS or ALL_PAPERS[kind].of_round != ("number" in request.path_params):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        if dot and not is_installed():
            raise HTTPException(HTTPStatus.NOT_FOUND, say(NO_TYPESETTER, {}, language_of(request)))
        results, own, token = self.results, None, ""
        if ALL_PAPERS[kind].private:
            own, token = await session(request), token_of(request)
            if not may_supervise(own, self.tournament_id):
                raise HTTPException(HTTPStatus.NOT_FOUND)
            results = Results(request.app.state.results, language_of(request), token=token)
        head = await results.tournament(self.tournament_id)
        if kind not in papers_of(head.tournament):
            check_has_tables(head)
            check_has_duplicate_games(head)
        language = self.lang if self.lang in LANGUAGES else language_of_tournament(head)
        wanted = PaperRequest(
            Results(request.app.state.results, language, language_of(request), token=token),
            Duplicates(request.app.state.duplicate, language),
            language,
            head,
            self.paper,
            public_address(request),
            round_,
            table,
            hall,
            own.calls.in_language(language) if own else None,
        )
        stored = "no-store, private" if own else "no-cache"
        headers = {"Cache-Control": stored, "Content-Language": language, "Vary": "Accept-Language, Cookie"}
        name = "-".join(filter(None, (self.tournament_id, f"r{round_}" if round_ else "", kind)))
        return await to_response(request, await render_paper(wanted, kind), name if dot else "", headers)


PaperPageDep = Annotated[_PaperPage, Depends()]
"""Route parameter."""


@routes.get("/tournaments/{tournament_id}/print")
async def list_papers(request: Request, results: Reader, tournament_id: TournamentId) -> Response:
    """Show the list of papers of a tournament."""
    head = await results.tournament(tournament_id)
    own = await _own(request, head.tournament)
    return (private_page if own else page)(
        request,
        "papers.html",
        tournament=head.tournament,
        **own,
        papers={
            kind: paper
            for kind, paper in papers_of(head.tournament).items()
            if not paper.private or ("session" in own and may_supervise(own["session"], tournament_id))
        },
        per_hall=PER_HALL,
        sizes=SIZES,
        can_pdf=is_installed(),
        own_language=language_of_tournament(head),
    )


async def _own(request: Request, tournament: pb.Tournament) -> dict[str, Any]:
    """Return the session and its consoles for a public page; empty without a session."""
    try:
        found = await answer_or(session(request), None, *UNAVAILABLE_CODES)
    except NotSignedIn:
        return {}
    return {"session": found, "console_links": list(list_console_links(found, tournament))} if found else {}


@routes.get("/print/{name}")
async def get_style(name: Annotated[str, Path(pattern="^[a-z0-9-]{1,20}[.]css$")]) -> Response:
    """Return the stylesheet of a paper format."""
    if name not in STYLES:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return Response(STYLES[name], media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})


@routes.get("/tournaments/{tournament_id}/print/round/{number}/{kind}")
async def print_of_round(
    page: PaperPageDep, number: RoundNumber, table: Table = 0, hall: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Show a paper of a round, optionally of one table or hall."""
    return await page.answer(number, table, hall)


@routes.get("/tournaments/{tournament_id}/print/{kind}")
async def print_of_tournament(page: PaperPageDep, round: Round = 0) -> Response:
    """Show a paper of a tournament; standings and crosstable optionally after a round."""
    return await page.answer(round)
