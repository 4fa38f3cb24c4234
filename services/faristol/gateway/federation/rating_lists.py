"""Numbered rating lists of the federation: JSON, public pages, and the console that publishes and revises them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated

import grpc
from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from faristol.gateway.api.parameters import DIGITS, KNOWN, TAGGED
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, Unsent, hide_errors, request_of, send_form
from faristol.gateway.consoles.frame import ConsoleDep, require
from faristol.gateway.http.forms import Fields
from faristol.gateway.http.responses import answers, to_tagged_response
from faristol.gateway.pages.render import VisitDep
from faristol.gateway.rpc.results import Reader, Results
from faristol.gateway.rpc.service import Service
from faristol.pb.rating.v1 import federation_pb2 as pb
from faristol.pb.rating.v1 import rating_pb2
from faristol.presentation.page_addresses import rating_list_path
from faristol.presentation.sentences import RATING_SYSTEMS

ListNumber = Annotated[int, Path(ge=1, le=100_000, description="The number of the list.", examples=[3]), DIGITS]
RevisionNumber = Annotated[
    int | None,
    Query(ge=0, le=100_000, description="The number of the revision; 0 for the first publication."),
    DIGITS,
]


class RatingLists(Service):
    """Numbered rating lists."""

    kept = "rating_lists"


RatingListReader = Annotated[RatingLists, Depends(RatingLists.for_visitor)]
"""Route parameter."""

json_routes = APIRouter(prefix="/api/v1/ratings", tags=["results"], dependencies=[KNOWN, TAGGED])
page_routes = APIRouter(include_in_schema=False)
console_routes = APIRouter(include_in_schema=False, dependencies=[require(pb.PublishFederationListRequest)])


@json_routes.get("", responses=answers(pb.ListFederationListsResponse))
async def list_rating_lists(lists: RatingListReader) -> Response:
    """List the numbered rating lists of the federation, the latest first, without ratings."""
    return to_tagged_response(await lists.ask(pb.ListFederationListsRequest()))


@json_routes.get("/{number}", responses=answers(pb.GetFederationListResponse))
async def get_rating_list(lists: RatingListReader, number: ListNumber, revision: RevisionNumber = None) -> Response:
    """Return a numbered rating list with the changes of each tournament, and the ratings that its revision moved."""
    answer = await lists.ask(pb.GetFederationListRequest(number=number, revision=revision))
    return await asyncio.to_thread(to_tagged_response, answer)


@page_routes.get("/ratings")
async def show_rating_lists(visit: VisitDep, lists: RatingListReader) -> Response:
    """Show the numbered lists."""
    return await visit.show("ratings/lists.html", lists=(await lists.ask(pb.ListFederationListsRequest())).lists)


@page_routes.get("/ratings/{number}")
async def show_rating_list(
    visit: VisitDep, lists: RatingListReader, results: Reader, number: ListNumber, revision: RevisionNumber = None
) -> Response:
    """Show a numbered list, in its latest or an earlier revision."""
    answer = await lists.ask(pb.GetFederationListRequest(number=number, revision=revision))
    return await visit.show(
        "ratings/list.html",
        answer=answer,
        tournaments=await _load_names(results),
        systems=RATING_SYSTEMS,
    )


@console_routes.get("/federation/ratings")
async def show_rating_console(
    console: ConsoleDep, lists: RatingListReader, results: Reader, sent: Unsent = NEW_FORM
) -> Response:
    """Show the lists with a form for the next one, and the ratings that a revision would change."""
    heads = (await lists.ask(pb.ListFederationListsRequest())).lists
    listed = {tournament_id for each in heads for tournament_id in each.tournament_ids}
    every = (await results.tournaments(archived=True)).tournaments
    moved = []
    if heads:
        with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
            preview = await console.calls.ask(pb.PreviewFederationRevisionRequest(number=1))
        moved = list(preview.moved)
    systems = await console.calls.ask(rating_pb2.ListRatingSystemsRequest())
    return console.form_page(
        "ratings/console.html",
        None,
        sent,
        console_name="ratings",
        lists=heads,
        candidates=[each for each in reversed(every) if each.tournament_id not in listed],
        moved=moved,
        first_moved=min((each.number for each in moved), default=0),
        system_names=[each.name for each in systems.systems],
        systems=RATING_SYSTEMS,
    )


@console_routes.post("/federation/ratings")
async def change_rating_lists(console: ConsoleDep, lists: RatingListReader, results: Reader, given: Fields) -> Response:
    """Publish or revise a list. Raises ``HTTPException`` for any other form."""
    request = request_of(given, "rating", ("PublishFederationList", "ReviseFederationList"))
    sent = await send_form(console.calls, request, given, console.language)
    if sent.answer is None:
        return await show_rating_console(console, lists, results, sent)
    number = sent.answer.number if isinstance(request, pb.PublishFederationListRequest) else request.number
    return redirect_to(rating_list_path(number))


async def _load_names(results: Results) -> Mapping[str, str]:
    """Return the names of all tournaments by id."""
    listed = await results.tournaments(archived=True)
    return {each.tournament_id: each.name for each in listed.tournaments}
