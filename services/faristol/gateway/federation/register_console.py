"""Console of the federation: the register of persons, its clubs, categories by age, and its history."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.api.downloads import CSV
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import (
    NEW_FORM,
    SentForm,
    Unsent,
    form_id,
    hide_errors,
    request_of,
    send_form,
    to_problem,
)
from faristol.gateway.consoles.forms import Given
from faristol.gateway.consoles.frame import Console, ConsoleDep, Typed, require
from faristol.gateway.federation.people_export import format_register
from faristol.gateway.federation.season_api import SeasonReader
from faristol.gateway.http.forms import Fields
from faristol.kernel.details import DETAILS
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of, name_of
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.pb.results.v1.seasons_pb2 import ListSeasonsRequest
from faristol.presentation.register_sentences import describe_act, describe_licence
from faristol.text import say

REGISTER_PATH = "/federation/register"

PERSONS_PAGE_ROWS = 100
"""Entries on a page of the register."""

EXPORT_BATCH_ROWS = 1_000
"""Entries in one call of an export."""

CATEGORY_LINES_COUNT = 12
"""Lines for categories in the form of a season."""

TABS: Sequence[tuple[str, str]] = (
    ("", N_("Persons")),
    ("/import", N_("Import a list")),
    ("/clubs", N_("Clubs and schools")),
    ("/categories", N_("Categories by age")),
    ("/history", N_("History")),
)
"""The pages of the register: the end of the address, and the label."""

NOT_AN_AGE = N_("{given} is not an age: expected a number of years, or an empty field")

PersonId = Annotated[str, Path(max_length=64)]
Text = Annotated[str, Query(max_length=200)]

KEEPS_REGISTER = require(pb.SetRegisteredPersonRequest)
"""Dependency of the pages of the register."""

routes = APIRouter(include_in_schema=False, dependencies=[KEEPS_REGISTER])


def show_register_page(console: Console, template: str, tab: str, sent: SentForm, **values: Any) -> Response:
    """Render a page of the register with its tabs."""
    tabs = [(f"{REGISTER_PATH}{end}", say(label, {}, console.language), end == tab, 0) for end, label in TABS]
    return console.form_page(
        f"register/{template}", None, sent, console_name="register", tabs=tabs, blank=Typed(), **values
    )


@routes.get(REGISTER_PATH)
async def show_register(
    console: ConsoleDep,
    q: Text = "",
    club: Text = "",
    *,
    expired: Annotated[bool, Query()] = False,
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
    sent: Unsent = NEW_FORM,
) -> Response:
    """Show the entries by name, a search, and the form for a new entry."""
    request = pb.ListRegisteredPersonsRequest(
        search=q,
        club_id=club,
        without_licence=expired,
        offset=(page - 1) * PERSONS_PAGE_ROWS,
        limit=PERSONS_PAGE_ROWS,
    )
    found = await _ask(console, request)
    return show_register_page(
        console,
        "persons.html",
        "",
        sent,
        found=found,
        details=DETAILS,
        q=q,
        club=club,
        expired=expired,
        number=page,
        pages=-(-found.total // PERSONS_PAGE_ROWS),
        licences=lambda person: [describe_licence(each, console.language) for each in person.licences],
    )


@routes.post(REGISTER_PATH)
async def enter_person(console: ConsoleDep, given: Fields) -> Response:
    """Enter a person, and redirect to the page of the entry."""
    request = pb.SetRegisteredPersonRequest(command_id=str(form_id(given)), person_id=given.get("id", "").strip()[:64])
    request.another_person = given.get("another") == "yes"
    sent = await send_form(console.calls, request, _without(given, "person_id"), console.language)
    if sent.answer is None:
        return await show_register(console, sent=sent._replace(given=given))
    return redirect_to(f"{REGISTER_PATH}/persons/{sent.answer.person_id}")


@routes.get(f"{REGISTER_PATH}.csv")
async def export_register(console: ConsoleDep) -> Response:
    """Return the register as CSV, which an import reads back."""
    persons: list[pb.RegisteredPerson] = []
    while True:
        found = await console.calls.ask(pb.ListRegisteredPersonsRequest(offset=len(persons), limit=EXPORT_BATCH_ROWS))
        persons += found.persons
        if not found.persons or len(persons) >= found.total:
            break
    headers = {"Cache-Control": "no-store, private", "Content-Disposition": 'attachment; filename="register.csv"'}
    return Response(format_register(persons), media_type=CSV, headers=headers)


@routes.get(f"{REGISTER_PATH}/persons/{{person_id}}")
async def show_entry(console: ConsoleDep, person_id: PersonId, sent: Unsent = NEW_FORM) -> Response:
    """Show an entry with its details and licences, and forms to change them."""
    found = await _ask(console, pb.ListRegisteredPersonsRequest(search=person_id, limit=EXPORT_BATCH_ROWS))
    person = next((each for each in found.persons if each.person_id == person_id), None)
    if person is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return show_register_page(
        console,
        "person.html",
        "",
        sent,
        person=person,
        personal_details=list(DETAILS.values()),
        say_licence=lambda licence: describe_licence(licence, console.language),
    )


ENTRY_COMMANDS = ("SetRegisteredPerson", "RemoveRegisteredPerson", "SetLicence", "RemoveLicence")
"""Commands of the forms of an entry."""


@routes.post(f"{REGISTER_PATH}/persons/{{person_id}}")
async def change_entry(console: ConsoleDep, person_id: PersonId, given: Fields) -> Response:
    """Send a command on an entry. Raises ``HTTPException`` for any other form."""
    request = request_of(given, "rating", ENTRY_COMMANDS, person_id=person_id)
    convert = _convert_rating if isinstance(request, pb.SetRegisteredPersonRequest) else dict
    sent = await send_form(console.calls, request, _without(given, "person_id"), console.language, convert=convert)
    if sent.answer is None:
        return await show_entry(console, person_id, sent._replace(given=given))
    is_removed = isinstance(request, pb.RemoveRegisteredPersonRequest)
    return redirect_to(REGISTER_PATH if is_removed else f"{REGISTER_PATH}/persons/{person_id}")


def _convert_rating(given: Given) -> Given:
    """Return the form of an entry with an emptied rating as that of an unrated person."""
    if given.get("rating", "").strip() or not given.get("rating.before"):
        return given
    return {**_without(given, "rating"), "unrated": "1"}


CLUB_COMMANDS = ("SetClub", "RemoveClub", "MergeClubs")
"""Commands of the forms of clubs."""


@routes.get(f"{REGISTER_PATH}/clubs")
async def show_clubs(console: ConsoleDep, sent: Unsent = NEW_FORM) -> Response:
    """Show the clubs and schools, with forms to rename and to merge them."""
    listed = await console.calls.ask(pb.ListClubsRequest())
    kinds = labels_of(events.ClubKind.DESCRIPTOR)
    return show_register_page(
        console,
        "clubs.html",
        "/clubs",
        sent,
        clubs=listed.clubs,
        kinds=kinds,
        spelled_kinds={value: name_of(events.ClubKind.DESCRIPTOR, value) for value in kinds},
    )


@routes.post(f"{REGISTER_PATH}/clubs")
async def change_clubs(console: ConsoleDep, given: Fields) -> Response:
    """Send a command on a club. Raises ``HTTPException`` for any other form."""
    request = request_of(given, "rating", CLUB_COMMANDS)
    sent = await send_form(console.calls, request, given, console.language)
    if sent.answer is None:
        return await show_clubs(console, sent)
    return redirect_to(f"{REGISTER_PATH}/clubs")


@routes.get(f"{REGISTER_PATH}/categories")
async def show_categories(
    console: ConsoleDep, seasons: SeasonReader, season: Text = "", sent: Unsent = NEW_FORM
) -> Response:
    """Show the categories of a season with the numbers of persons, and the form that sets them."""
    listed = (await seasons.ask(ListSeasonsRequest())).seasons
    chosen = season or (listed[0].season_id if listed else "")
    found = pb.GetCategoriesResponse()
    if chosen:
        found = await _ask(console, pb.GetCategoriesRequest(season_id=chosen))
    return show_register_page(
        console,
        "categories.html",
        "/categories",
        sent,
        seasons=listed,
        chosen=chosen,
        found=found,
        lines=range(CATEGORY_LINES_COUNT),
    )


@routes.post(f"{REGISTER_PATH}/categories")
async def set_categories(console: ConsoleDep, seasons: SeasonReader, given: Fields) -> Response:
    """Set the categories of a season."""
    season = given.get("season_id", "").strip()[:64]
    try:
        request = _read_categories(given, season)
        await console.calls.ask(request)
    except Invalid as problem:
        errors = {problem.field: say(problem.problem, problem.params, console.language)}
        return await show_categories(console, seasons, season, SentForm(given, errors=errors))
    except grpc.aio.AioRpcError as error:
        refused = to_problem(error, console.language).detail
        return await show_categories(console, seasons, season, SentForm(given, refused=refused))
    return redirect_to(f"{REGISTER_PATH}/categories?season={season}")


def _read_categories(given: Given, season_id: str) -> pb.SetCategoriesRequest:
    """Return the command of the form of categories; lines without a name are left out. Raises ``Invalid``."""
    request = pb.SetCategoriesRequest(
        command_id=str(form_id(given)), season_id=season_id, year=_read_age("year", given.get("year", ""))
    )
    for line in range(CATEGORY_LINES_COUNT):
        if name := given.get(f"categories.{line}.name", "").strip():
            ages = {
                part: _read_age(f"categories.{line}.{part}", given.get(f"categories.{line}.{part}", ""))
                for part in ("min_age", "max_age")
            }
            request.categories.add(name=name, **ages)
    return request


def _read_age(field: str, text: str) -> int:
    """Return a number of a form, 0 if it is empty. Raises ``Invalid``."""
    plain = text.strip() or "0"
    if not (plain.isascii() and plain.isdecimal() and len(plain) <= len("9999")):
        raise Invalid(field, NOT_AN_AGE, {"given": repr(text[:20])})
    return int(plain)


@routes.get(f"{REGISTER_PATH}/history")
async def show_history(console: ConsoleDep, sent: Unsent = NEW_FORM) -> Response:
    """Show the acts on the register, each with its undo."""
    listed = await console.calls.ask(pb.ListRegisterActsRequest())
    return show_register_page(
        console,
        "history.html",
        "/history",
        sent,
        acts=[(each, describe_act(each, console.language)) for each in listed.acts],
    )


@routes.post(f"{REGISTER_PATH}/history")
async def undo_act(console: ConsoleDep, given: Fields) -> Response:
    """Undo an act. Raises ``HTTPException`` for any other form."""
    request = request_of(given, "rating", ["UndoRegisterAct"])
    sent = await send_form(console.calls, request, given, console.language)
    if sent.answer is None:
        return await show_history(console, SentForm(refused=sent.refused or ", ".join(sent.errors.values())))
    return redirect_to(f"{REGISTER_PATH}/history")


def _without(given: Given, *names: str) -> dict[str, str]:
    return {name: value for name, value in given.items() if name not in names}


async def _ask(console: Console, request: Any) -> Any:
    """Return the answer to a query. Raises ``HTTPException`` (404) if the register lacks what it names."""
    with hide_errors(grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT):
        return await console.calls.ask(request)
