"""First tournament of a director in four steps: its name, its rules, its players, its halls; then the first round.

The first two steps keep their fields in the address: no tournament exists until the rules are chosen. The later steps
are pages of the console, whose forms and commands they share.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import date
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

import grpc
from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import SentForm, form_id
from faristol.gateway.consoles.director.creation import (
    WITHOUT,
    ZONE,
    ZONES,
    check_may_create,
    form_values,
    send_creation,
)
from faristol.gateway.consoles.director.page import (
    HALLS_STEP,
    NAME_STEP,
    READY_STEP,
    RULES_STEP,
    STEPS,
    DirectorPage,
    DirectorPageDep,
)
from faristol.gateway.consoles.director.players import (
    MAX_REGISTERED_PLAYERS,
    format_registered_count,
)
from faristol.gateway.consoles.director.restore import can_restore
from faristol.gateway.consoles.director.ruleset_summary import summarise_ruleset
from faristol.gateway.consoles.forms import Given, fill
from faristol.gateway.consoles.frame import Console, ConsoleDep, Typed
from faristol.gateway.consoles.navigation import may_direct
from faristol.gateway.http.errors import of_rpc
from faristol.gateway.http.forms import Fields, public_address
from faristol.gateway.pages.qr import qr
from faristol.kernel.addresses import is_loopback
from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_name
from faristol.kernel.refusal import N_, Param
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.rules.ruleset.file import load_ruleset, ruleset_names
from faristol.text import say
from faristol.typed_input.fields import parse_number

KEPT: Sequence[str] = ("name", "starts_on", "place")
"""Fields of the first step, which the second one carries in its address."""

RULE_BOOKS_BY_LANGUAGE: Mapping[str, Sequence[str]] = {
    "ca": ("fisc-2023", "uf-2007", "festa-major", "fisc-2023-duplicate"),
    "es": ("fise",),
    "el": ("pes-2024",),
    "en": ("fisc-2023", "fise"),
}
"""Rule books that are shown first to a reader of a language."""

HALL_LINES_COUNT = 4
"""Lines for halls."""

MAX_TABLES = 10_000

TRIAL_ROUNDS = 5
INVENTED_PLAYERS: Sequence[str] = (
    "Aina Bosc",
    "Bru Casals",
    "Carme Dalmau",
    "Dídac Esteve",
    "Eleni Fotiou",
    "Fina Garrido",
    "Guillem Horta",
    "Irene Iglesias",
    "Joana Junyent",
    "Kostas Lambrou",
    "Lola Manzano",
    "Marc Noguera",
    "Nefeli Orfanou",
    "Oriol Pons",
    "Paula Quiroga",
    "Roc Sagrera",
)
"""Players of the trial tournament."""

MISSING = N_("Enter a name.")
NO_TABLES = N_("Enter the number of tables in this hall.")

routes = APIRouter(include_in_schema=False)

Text = Annotated[str, Query(max_length=200)]


@routes.get("/start")
async def show_name(console: ConsoleDep, name: Text = "", starts_on: Text = "", place: Text = "") -> Response:
    """Show the first step: the name, the date and the place. Redirect the federation, which directs none, to `/new`."""
    check_may_create(console.session)
    if not may_direct(console.session):
        return redirect_to("/new")
    return await _show_name(console, SentForm(Typed(name=name, starts_on=starts_on, place=place)))


async def _show_name(console: Console, sent: SentForm) -> Response:
    restores = await can_restore(console)
    today: date = console.request.app.state.now().date()
    return _page(console, "director/first_name.html", NAME_STEP, sent, today=today.isoformat(), restores=restores)


@routes.get("/start/rules")
async def show_rules(
    console: ConsoleDep, name: Text = "", starts_on: Text = "", place: Text = "", ruleset: Text = ""
) -> Response:
    """Show the second step: the rule books, or the chosen one with the options that it leaves open."""
    _check_may_direct(console)
    typed = Typed(name=" ".join(name.split()), starts_on=starts_on.strip(), place=place, ruleset=ruleset)
    if errors := _check_name(typed, console.language):
        return await _show_name(console, SentForm(typed, errors=errors if any(typed.values()) else {}))
    return await _show_rules(console, SentForm(typed))


@routes.post("/start/rules")
async def create_tournament(console: ConsoleDep, given: Fields) -> Response:
    """Create the tournament, and redirect to the step of the players."""
    _check_may_direct(console)
    typed, command_id = Typed(given), form_id(given)
    if errors := _check_name(typed, console.language):
        return await _show_name(console, SentForm(typed, errors=errors))
    creation = await send_creation(console, Typed({**typed, "place": ""}), str(command_id))
    if creation.answer is None:
        return await _show_rules(console, creation._replace(given=typed))
    tournament_id = creation.answer.tournament_id
    described = pairing.DescribeTournamentRequest(
        command_id=str(uuid.uuid5(command_id, "description")), tournament_id=tournament_id
    )
    fill(described, {field: typed[field] for field in ("starts_on", "place")})
    if described.starts_on or described.place:
        try:
            await console.calls.ask(described)
        except grpc.aio.AioRpcError as problem:
            # The tournament exists. What was refused can be set in the console.
            if of_rpc(problem, console.language).status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
    return redirect_to(_address(tournament_id, "players"))


@routes.post("/start/trial")
async def create_trial(console: ConsoleDep, given: Fields) -> Response:
    """Create a tournament with invented players, and redirect to its first round."""
    _check_may_direct(console)
    command_id = form_id(given)
    ruleset = next(iter(RULE_BOOKS_BY_LANGUAGE.get(console.language, ())), "fisc-2023")
    rounds = max(TRIAL_ROUNDS, load_ruleset(ruleset).championship.rounds_min)
    name = say(N_("Trial tournament"), {}, console.language)
    zone = ZONES.get(ruleset, ZONE)
    typed = Typed(ruleset=ruleset, name=name, rounds=str(rounds), lexicon=WITHOUT, time_zone=zone)
    creation = await send_creation(console, typed, str(command_id))
    if creation.answer is None:
        reason = creation.refused or ", ".join(creation.errors.values())
        return await _show_name(console, SentForm(refused=reason))
    tournament_id = creation.answer.tournament_id
    players = [
        pairing.RegisterPlayerRequest(
            command_id=str(uuid.uuid5(command_id, player)), tournament_id=tournament_id, name=player
        )
        for player in INVENTED_PLAYERS
    ]
    await console.calls.ask(
        pairing.RegisterPlayersRequest(
            command_id=str(uuid.uuid5(command_id, "players")), tournament_id=tournament_id, players=players
        )
    )
    return redirect_to(_address(tournament_id, "round"))


def _check_may_direct(console: Console) -> None:
    """Raise ``HTTPException`` (404) unless the user may create tournaments and direct them."""
    check_may_create(console.session)
    if not may_direct(console.session):
        raise HTTPException(HTTPStatus.NOT_FOUND)


def _check_name(typed: Typed, language: str) -> Mapping[str, str]:
    """Return the errors of the first step, by field."""
    errors = {} if typed["name"].strip() else {"name": say(MISSING, {}, language)}
    day = typed["starts_on"].strip()
    try:
        if day and date.fromisoformat(day).isoformat() != day:
            raise ValueError(day)
    except ValueError:
        errors["starts_on"] = say(N_("Enter a date, such as 2026-11-28."), {}, language)
    for field in ("name", "place"):
        try:
            check_name(field, typed[field], empty=True)
        except Invalid as problem:
            errors[field] = say(problem.problem, problem.params, language)
    return errors


async def _show_rules(console: Console, sent: SentForm) -> Response:
    typed = Typed(sent.given)
    values = await form_values(console, typed)
    by_language = (*RULE_BOOKS_BY_LANGUAGE.get(console.language, ()), *ruleset_names())
    books = [values["chosen"]] if values["chosen"] else map(load_ruleset, dict.fromkeys(by_language))
    return _page(
        console,
        "director/first_rules.html",
        RULES_STEP,
        sent,
        books=[(book, summarise_ruleset(book, console.language)) for book in books],
        kept=urlencode({field: typed[field] for field in KEPT}),
        **values,
    )


def _page(console: Console, name: str, step: int, sent: SentForm, **values: Any) -> Response:
    """Render a step before the tournament exists."""
    return console.form_page(name, None, sent, console_name="start", step=step, steps=STEPS, **values)


def _address(tournament_id: str, step: str) -> str:
    """Return the address of a later step."""
    return tournament_path(tournament_id, "console", "start", step)


@routes.get("/tournaments/{tournament_id}/console/start/halls")
async def show_halls_step(
    console: DirectorPageDep, registered: Annotated[int, Query(ge=0, le=MAX_REGISTERED_PLAYERS)] = 0
) -> Response:
    """Show the fourth step: the halls, with the number of tables of each."""
    return await _show_halls(console, format_registered_count(registered, console.language) if registered else "")


@routes.post("/tournaments/{tournament_id}/console/start/halls")
async def set_halls(console: DirectorPageDep, given: Fields) -> Response:
    """Set the halls, whose tables are numbered one after the other, and redirect to the first round."""
    after = _address(console.tournament_id, "round")
    try:
        halls = _parse_halls(given)
        tables, needed = sum(count for _, count in halls), _needed_tables(console)
        if halls and tables < needed:
            values: dict[str, Param] = {"tables": tables, "players": _count_players(console), "needed": needed}
            raise Invalid("halls", N_("These halls have {tables} tables, and {players} players need {needed}."), values)
    except Invalid as problem:
        console.typed = given
        console.errors = {problem.field: say(problem.problem, problem.params, console.language)}
        return await _show_halls(console)
    if not halls:
        return redirect_to(after)
    fields, first = {}, 1
    for place, (name, count) in enumerate(halls):
        fields[f"halls.{place}.name"] = name
        fields[f"halls.{place}.first_table"] = str(first)
        fields[f"halls.{place}.last_table"] = str(first + count - 1)
        first += count
    given = {
        **given,
        **fields,
        "act": "SetHalls",
        "top_tables": str(_count_top_tables(console, given, halls[0][1])),
    }
    return await console.carry_out(given, after) or await _show_halls(console)


def _seats_by_rank(console: DirectorPage) -> bool:
    """Check whether the tournament has top tables: matches of teams and duplicate games have a seating of their own."""
    return not (console.has_teams or is_of_duplicate_games(console.tournament))


def _count_top_tables(console: DirectorPage, given: Given, first_hall_tables: int) -> int:
    """Return the number of top pairings with a fixed order: those of the first hall if its box is ticked."""
    if not _seats_by_rank(console):
        return console.tournament.top_tables
    return first_hall_tables if given.get("top_in_first_hall") else 0


def _parse_halls(given: Given) -> list[tuple[str, int]]:
    """Return the name of each hall and its number of tables. Raises ``Invalid`` with the field of the form."""
    halls = []
    for line in range(HALL_LINES_COUNT):
        name, field = given.get(f"room.{line}.name", "").strip(), f"room.{line}.tables"
        if not (name or given.get(field, "").strip()):
            continue
        if not name:
            raise Invalid(field, MISSING)
        count = parse_number(field, given.get(field, "").strip() or "0")
        if not 0 < count <= MAX_TABLES:
            raise Invalid(field, NO_TABLES)
        halls.append((name, count))
    return halls


def _needed_tables(console: DirectorPage) -> int:
    """Return the number of tables of a round; of seats in a tournament of duplicate games."""
    players = _count_players(console)
    return players if is_of_duplicate_games(console.tournament) else players // 2


def _count_players(console: DirectorPage) -> int:
    """Return the number of players who have not withdrawn."""
    return sum(not player.withdrawn_round for player in console.tournament.players)


async def _show_halls(console: DirectorPage, said: str = "") -> Response:
    return await console.show(
        "director/first_halls.html",
        "start",
        said=said,
        step=HALLS_STEP,
        steps=STEPS,
        lines=range(HALL_LINES_COUNT),
        needed=_needed_tables(console),
        seats_by_rank=_seats_by_rank(console),
        top_in_first_hall=not console.typed or bool(console.typed.get("top_in_first_hall")),
    )


@routes.get("/tournaments/{tournament_id}/console/start/round")
async def show_round_step(console: DirectorPageDep) -> Response:
    """Show the end of the steps: the first round, to be paired, printed and started."""
    address = f"{public_address(console.request)}{tournament_path(console.tournament_id)}"
    return await console.show(
        "director/first_round.html",
        "start",
        step=READY_STEP,
        steps=STEPS,
        played=next(iter(console.tournament.played), None),
        is_only_here=is_loopback(urlsplit(address).hostname or ""),
        public_address=address,
        public_code=qr(address),
    )


@routes.post("/tournaments/{tournament_id}/console/start/round")
async def pair_round(console: DirectorPageDep, given: Fields) -> Response:
    """Send a command on the first round."""
    return await console.carry_out(given, _address(console.tournament_id, "round")) or await show_round_step(console)
