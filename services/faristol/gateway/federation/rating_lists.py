"""Numbered rating lists of the federation: JSON, public pages, and the console that publishes and revises them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

import grpc
from fastapi import APIRouter, Depends, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.api.parameters import DIGITS, KNOWN, TAGGED
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.cache.recorded_reads import Service
from faristol.gateway.consoles.commands import form_id, hide_errors, send_form
from faristol.gateway.consoles.forms import Given
from faristol.gateway.consoles.frame import Console, ConsoleDep
from faristol.gateway.consoles.navigation import may
from faristol.gateway.http.forms import Fields
from faristol.gateway.http.responses import answers, to_tagged_response
from faristol.gateway.pages.render import Part, page
from faristol.gateway.rpc.results import Reader, Results
from faristol.pb.rating.v1 import federation_pb2 as pb
from faristol.pb.rating.v1 import federation_pb2_grpc, rating_pb2
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
    _stub: federation_pb2_grpc.FederationRatingServiceAsyncStub

    async def heads(self) -> pb.ListFederationListsResponse:
        """Return the lists without ratings, the latest first."""
        return await self._call(self._stub.ListFederationLists, pb.ListFederationListsRequest())

    async def numbered_list(self, number: int, revision: int | None = None) -> pb.GetFederationListResponse:
        """Return a list, in its latest or an earlier revision."""
        request = pb.GetFederationListRequest(number=number, revision=revision)
        return await self._call(self._stub.GetFederationList, request)


RatingListReader = Annotated[RatingLists, Depends(RatingLists.for_visitor)]
"""Route parameter."""

json_routes = APIRouter(prefix="/api/v1/ratings", tags=["results"], dependencies=[KNOWN, TAGGED])
page_routes = APIRouter(include_in_schema=False)
console_routes = APIRouter(include_in_schema=False)


@json_routes.get("", responses=answers(pb.ListFederationListsResponse))
async def list_rating_lists(lists: RatingListReader) -> Response:
    """List the numbered rating lists of the federation, the latest first, without ratings."""
    return to_tagged_response(await lists.heads())


@json_routes.get("/{number}", responses=answers(pb.GetFederationListResponse))
async def get_rating_list(lists: RatingListReader, number: ListNumber, revision: RevisionNumber = None) -> Response:
    """Return a numbered rating list with the changes of each tournament, and the ratings that its revision moved."""
    return await asyncio.to_thread(to_tagged_response, await lists.numbered_list(number, revision))


@page_routes.get("/ratings")
async def show_rating_lists(request: Request, lists: RatingListReader, part: Part = "") -> Response:
    """Show the numbered lists."""
    return page(request, "ratings/lists.html", part, lists=(await lists.heads()).lists, systems=RATING_SYSTEMS)


@page_routes.get("/ratings/{number}")
async def show_rating_list(
    request: Request,
    lists: RatingListReader,
    results: Reader,
    number: ListNumber,
    revision: RevisionNumber = None,
    part: Part = "",
) -> Response:
    """Show a numbered list, in its latest or an earlier revision."""
    answer = await lists.numbered_list(number, revision)
    return await asyncio.to_thread(
        page,
        request,
        "ratings/list.html",
        part,
        answer=answer,
        tournaments=await _load_names(results),
        systems=RATING_SYSTEMS,
    )


@console_routes.get("/federation/ratings")
async def show_rating_console(console: ConsoleDep, lists: RatingListReader, results: Reader) -> Response:
    """Show the lists with a form for the next one, and the ratings that a revision would change."""
    return await _show_console(console, lists, results)


@console_routes.post("/federation/ratings")
async def change_rating_lists(console: ConsoleDep, lists: RatingListReader, results: Reader, given: Fields) -> Response:
    """Publish or revise a list. Raises ``HTTPException`` for any other form."""
    _check_decides(console)
    request: pb.PublishFederationListRequest | pb.ReviseFederationListRequest
    if given.get("act") == "PublishFederationList":
        request = pb.PublishFederationListRequest(command_id=str(form_id(given)))
    elif given.get("act") == "ReviseFederationList":
        request = pb.ReviseFederationListRequest(command_id=str(form_id(given)))
    else:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    sent = await send_form(console.calls, request, given, console.language)
    if sent.answer is None:
        return await _show_console(console, lists, results, given, sent.errors, sent.refused)
    number = sent.answer.number if isinstance(request, pb.PublishFederationListRequest) else request.number
    return redirect_to(rating_list_path(number))


def _check_decides(console: Console) -> None:
    """Raise ``HTTPException`` (404) if the user may not publish lists."""
    if not may(console.session, pb.PublishFederationListRequest):
        raise HTTPException(HTTPStatus.NOT_FOUND)


async def _load_names(results: Results) -> Mapping[str, str]:
    """Return the names of all tournaments by id."""
    listed = await results.tournaments(archived=True)
    return {each.tournament_id: each.name for each in listed.tournaments}


async def _show_console(
    console: Console,
    lists: RatingLists,
    results: Results,
    given: Given | None = None,
    errors: Mapping[str, str] | None = None,
    refused: str = "",
) -> Response:
    _check_decides(console)
    heads = (await lists.heads()).lists
    listed = {tournament_id for each in heads for tournament_id in each.tournament_ids}
    every = (await results.tournaments(archived=True)).tournaments
    moved = []
    if heads:
        with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
            preview: pb.PreviewFederationRevisionResponse = await console.calls.ask(
                pb.PreviewFederationRevisionRequest(number=1)
            )
        moved = list(preview.moved)
    systems: rating_pb2.ListRatingSystemsResponse = await console.calls.ask(rating_pb2.ListRatingSystemsRequest())
    return console.form_page(
        "ratings/console.html",
        None,
        console_name="ratings",
        refused=refused,
        lists=heads,
        candidates=[each for each in reversed(every) if each.tournament_id not in listed],
        moved=moved,
        first_moved=min((each.number for each in moved), default=0),
        system_names=[each.name for each in systems.systems],
        systems=RATING_SYSTEMS,
        typed=given,
        errors=errors,
    )
