"""Creation of a tournament from a rule book. The organiser chooses its options, each shown with its article."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any
from zoneinfo import available_timezones

import grpc
from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.auth.session import Session
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import SentForm, form_id
from faristol.gateway.consoles.director.commands import OPTION
from faristol.gateway.consoles.director.option_names import OPTION_LABELS, say_refused_option, value_name
from faristol.gateway.consoles.forms import Given, fill
from faristol.gateway.consoles.frame import Console, ConsoleDep, Typed
from faristol.gateway.consoles.lexicons import may_install
from faristol.gateway.consoles.navigation import may, may_direct
from faristol.gateway.http.errors import of_rpc
from faristol.gateway.http.forms import Fields
from faristol.kernel.errors import Invalid
from faristol.kernel.pins import LEXICONS
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.page_addresses import tournament_path
from faristol.rules.ruleset.file import load_ruleset, ruleset_names
from faristol.rules.ruleset.options import NONE, Option, format_value
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.text import say

DEFAULT_ROUNDS = 7
"""Proposed number of rounds if the rule book has none."""

ZONES: Mapping[str, str] = {"pes-2024": "Europe/Athens"}
ZONE = "Europe/Madrid"
"""Proposed time zone if the rule book is of no other country."""

BECAUSE: Mapping[str, str] = {
    "organiser": N_("the rule book leaves it to the organiser"),
    "ambiguous": N_("the rule book is ambiguous"),
    "silent": N_("the rule book does not specify it"),
}
KEEPINGS: Sequence[tuple[int, str]] = (
    (game.KEEPING_RECORDED, N_("over the board: players draw tiles from a bag on the table")),
    (game.KEEPING_HOSTED, N_("by the system: it holds the bag, for example in online games")),
)

WITHOUT = "-"
"""Form value for no lexicon. Names of lexicons begin with a letter."""

routes = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """Option of a rule book in a form."""

    option: Option
    name: str
    """Label, an English text marked with ``N_``."""
    because: str
    values: Mapping[str, str]
    """Labels by allowed value; empty for a number or a list."""
    parts: Mapping[str, str]
    """Labels by allowed element of a list."""
    default: str


@routes.get("/new")
async def show_new(
    console: ConsoleDep,
    ruleset: Annotated[str, Query(max_length=40)] = "",
    division_of: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """Show the rule books, and the form for the chosen one."""
    check_may_create(console.session)
    return await _show(console, SentForm(Typed(ruleset=ruleset, division_of=division_of)))


@routes.post("/new")
async def create(console: ConsoleDep, given: Fields) -> Response:
    """Create the tournament and redirect to its console, or the federation to the roles of the tournament."""
    check_may_create(console.session)
    typed = Typed(given)
    creation = await send_creation(console, typed, str(form_id(given)))
    if creation.answer is None:
        return await _show(console, creation)
    if not may_direct(console.session):  # the federation appoints a director next
        return redirect_to(tournament_path(creation.answer.tournament_id, "access"))
    return redirect_to(f"{tournament_path(creation.answer.tournament_id, 'console')}?done={creation.answer.position}")


async def send_creation(console: Console, typed: Typed, command_id: str) -> SentForm:
    """Create a tournament from a form, in which ``lexicon`` may be ``WITHOUT``.

    Raises ``grpc.aio.AioRpcError`` if a service is unavailable.
    """
    wanted = pairing.CreateTournamentRequest(
        command_id=command_id,
        tournament_id=typed["tournament_id"].strip(),
        keeping=game.KEEPING_RECORDED,
    )
    try:
        fill(wanted, _without_defaults(typed))
    except Invalid as problem:
        return SentForm(typed, errors={problem.field: say(problem.problem, problem.params, console.language)})
    if wanted.lexicon == WITHOUT:
        wanted.lexicon, wanted.without_lexicon = "", True
    try:
        return SentForm(typed, await console.calls.ask(wanted))
    except grpc.aio.AioRpcError as error:
        refusal = of_rpc(error, console.language)
        if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        name = str(refusal.more.get("field", ""))
        if option := refusal.more.get("option"):
            name = f"{OPTION}{option}"
        text = say_refused_option(error, console.language) or refusal.detail.removeprefix(f"{name}: ")
        if name in typed or name in ("name", "rounds"):
            return SentForm(typed, errors={name: text})
        return SentForm(typed, refused=text)


def check_may_create(session: Session) -> None:
    """Raise ``HTTPException`` (404) unless the user may create tournaments."""
    if not may(session, pairing.CreateTournamentRequest):
        raise HTTPException(HTTPStatus.NOT_FOUND)  # forbidden pages look missing


def _without_defaults(typed: Typed) -> Given:
    """Return a form without the options that have the default of the rule book, or that it does not have."""
    known = typed["ruleset"] in ruleset_names()
    choices = choices_of(load_ruleset(typed["ruleset"])) if known else []
    defaults = {f"{OPTION}{choice.option.name}": choice.default for choice in choices}
    return {
        key: value
        for key, value in typed.items()
        if not key.startswith(OPTION) or value.strip() != defaults.get(key, value.strip())
    }


def choices_of(ruleset: Ruleset) -> list[Choice]:
    """Return the options of a rule book: required ones first, then those left to the organiser, then the others."""
    order = list(BECAUSE)
    options = sorted(ruleset.options, key=lambda option: (not option.required, order.index(option.because)))
    return [
        Choice(
            option,
            OPTION_LABELS[option.name],
            BECAUSE[option.because],
            {value: value_name(option.name, value) for value in option.choices},
            {value: value_name(option.name, value) for value in option.some_of},
            "" if option.required else format_value(option.default),
        )
        for option in options
    ]


@cache
def _rule_books() -> Sequence[tuple[str, str]]:
    return [(name, load_ruleset(name).title) for name in ruleset_names()]


@cache
def time_zones() -> Sequence[str]:
    """Return the names of the offered time zones, such as Europe/Athens."""
    return sorted(
        zone for zone in available_timezones() if "/" in zone and not zone.startswith(("Etc", "posix", "right"))
    )


def fitting_lexicons(ruleset: Ruleset, listed: lexicon.ListLexiconsResponse) -> list[lexicon.Lexicon]:
    """Return the lexicons with the tile set of a rule book, the default one of its language first."""
    usual = LEXICONS.get(ruleset.tile_set.language, "")
    fitting = [each for each in listed.lexicons if each.tile_set == ruleset.game.tile_set]
    return sorted(fitting, key=lambda each: each.pin.name != usual)


async def _show(console: ConsoleDep, sent: SentForm) -> Response:
    return console.form_page(
        "director/new.html",
        None,
        sent,
        console_name="new",
        rule_books=_rule_books(),
        divisions_alone=bool(console.session.credential.scope.tournament_ids),
        **await form_values(console, Typed(sent.given)),
    )


async def form_values(console: Console, typed: Typed) -> dict[str, Any]:
    """Return the values of the template for the form of a new tournament with these fields."""
    chosen = load_ruleset(typed["ruleset"]) if typed["ruleset"] in ruleset_names() else None
    listed: Any = await console.calls.ask(lexicon.ListLexiconsRequest()) if chosen else None
    return {
        "chosen": chosen,
        "choices": choices_of(chosen) if chosen else [],
        "lexicons": fitting_lexicons(chosen, listed) if chosen else [],
        "installs": may_install(console),
        "without": WITHOUT,
        "of_duplicate": chosen is not None and chosen.game.mode == "duplicate",
        "keepings": KEEPINGS,
        "zones": time_zones() if chosen else [],
        "proposed": max(DEFAULT_ROUNDS, chosen.championship.rounds_min) if chosen else DEFAULT_ROUNDS,
        "proposed_zone": ZONES.get(typed["ruleset"], ZONE),
        "chosen_options": Typed(),
        "none": NONE,
    }
