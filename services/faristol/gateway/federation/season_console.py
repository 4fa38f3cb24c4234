"""Console of the federation: seasons, their circuits and tournaments, and persons with several entries."""

from __future__ import annotations

import grpc
from fastapi import APIRouter
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, SentForm, Unsent, form_id, request_of, send_form, to_problem
from faristol.gateway.consoles.forms import Given
from faristol.gateway.consoles.frame import ConsoleDep, require
from faristol.gateway.federation.season_api import SeasonReader
from faristol.gateway.federation.season_pages import LABELS, SeasonId
from faristol.gateway.http.errors import of_rpc
from faristol.gateway.http.forms import Fields
from faristol.gateway.rpc.results import Reader
from faristol.kernel.spellings import name_of
from faristol.pb.results.v1 import seasons_pb2 as pb
from faristol.pb.season.v1 import events_pb2 as events
from faristol.pb.season.v1 import season_pb2
from faristol.presentation.page_addresses import federation_season_path

CIRCUIT_COMMANDS = ("SetCircuit", "RemoveCircuit", "AddCircuitTournament", "RemoveCircuitTournament")
"""Commands of the forms of a season."""

PERSON_COMMANDS = ("MergePersons", "SeparatePersons")
"""Commands of the forms of persons."""

routes = APIRouter(include_in_schema=False, dependencies=[require(season_pb2.CreateSeasonRequest)])


@routes.get("/federation/seasons")
async def show_seasons_console(console: ConsoleDep, seasons: SeasonReader, sent: Unsent = NEW_FORM) -> Response:
    """Show the seasons, and the form for a new one."""
    listed = (await seasons.ask(pb.ListSeasonsRequest())).seasons
    return console.form_page("seasons/console.html", None, sent, console_name="seasons", seasons=listed)


@routes.post("/federation/seasons")
async def create_season(console: ConsoleDep, seasons: SeasonReader, given: Fields) -> Response:
    """Create a season."""
    request = season_pb2.CreateSeasonRequest(command_id=str(form_id(given)))
    sent = await send_form(console.calls, request, given, console.language)
    if sent.answer is None:
        return await show_seasons_console(console, seasons, sent)
    return redirect_to(federation_season_path(sent.answer.season_id))


@routes.get("/federation/seasons/{season_id}")
async def show_season_console(
    console: ConsoleDep,
    seasons: SeasonReader,
    results: Reader,
    season_id: SeasonId,
    sent: Unsent = NEW_FORM,
    done: int = 0,
) -> Response:
    """Show a season with forms for its circuits and their tournaments."""
    answer = await seasons.ask(pb.GetSeasonRequest(season_id=season_id, min_position=max(done, 0)))
    listed = await results.tournaments(archived=True)
    return console.form_page(
        "seasons/season_console.html",
        None,
        sent,
        console_name="seasons",
        season=answer.season,
        all_tournaments=listed.tournaments,
        in_circuit={
            each.circuit_id: {entry.tournament_id for entry in each.tournaments} for each in answer.season.circuits
        },
        spelled_basis={value: name_of(events.PointsBasis.DESCRIPTOR, value) for value in LABELS["bases"]},
        spelled_tie_break={
            value: name_of(events.CircuitTieBreak.DESCRIPTOR, value) for value in LABELS["tie_break_names"]
        },
        **LABELS,
    )


@routes.post("/federation/seasons/{season_id}")
async def change_season(
    console: ConsoleDep, seasons: SeasonReader, results: Reader, season_id: SeasonId, given: Fields
) -> Response:
    """Send a command on a circuit. Raises ``HTTPException`` for any other form."""
    request = request_of(given, "rating", CIRCUIT_COMMANDS)
    if "tournament_id" in request.DESCRIPTOR.fields_by_name:
        request.tournament_id = given.get("tournament_id", "")[:64]
    sent = await send_form(
        console.calls, request, {**given, "season_id": season_id}, console.language, convert=_split_points
    )
    if sent.answer is None:
        return await show_season_console(console, seasons, results, season_id, sent)
    return redirect_to(f"{federation_season_path(season_id)}?done={sent.answer.position}")


@routes.get("/federation/persons")
async def show_persons_console(console: ConsoleDep, sent: Unsent = NEW_FORM) -> Response:
    """Show the merged entries with a form to merge two, and to undo a merge."""
    listed = await console.calls.ask(season_pb2.ListMergesRequest())
    return console.form_page("seasons/persons_console.html", None, sent, console_name="persons", merges=listed.merges)


@routes.post("/federation/persons")
async def change_persons(console: ConsoleDep, given: Fields) -> Response:
    """Merge two entries, or undo a merge. Raises ``HTTPException`` for any other form."""
    request = request_of(given, "rating", PERSON_COMMANDS)
    entry_ids = ("person_id", "merged_id")
    known = {name: given[name] for name in request.DESCRIPTOR.fields_by_name if name in given and name in entry_ids}
    for name, value in known.items():
        setattr(request, name, value.strip()[:64])
    try:
        await console.calls.ask(request)
    except grpc.aio.AioRpcError as error:
        is_unknown = error.code() is grpc.StatusCode.NOT_FOUND
        problem = (of_rpc if is_unknown else to_problem)(error, console.language)
        return await show_persons_console(console, SentForm(given, refused=problem.detail))
    return redirect_to("/federation/persons")


def _split_points(given: Given) -> Given:
    """Return a form with the points of places separated by commas, whether typed with commas or spaces."""
    if "place_points" not in given:
        return given
    return {**given, "place_points": ",".join(given["place_points"].replace(",", " ").split())}
