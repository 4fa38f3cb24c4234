"""Registration of players known to the record: search by name or number, in a rating list or everywhere."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
from fastapi import APIRouter
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import form_id
from faristol.gateway.consoles.director import players
from faristol.gateway.consoles.director.page import STEPS, DirectorPage, DirectorPageDep
from faristol.gateway.consoles.forms import Given, list_in
from faristol.gateway.http.forms import Lists
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.concurrency import ask_each
from faristol.gateway.rpc.results import Page
from faristol.kernel.divisions import format_title
from faristol.kernel.names import begins
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.register.v1 import register_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.presentation.names import search_words
from faristol.text import say
from faristol.typed_input.known_players import KnownPlayer, of_list, of_person, of_register
from faristol.typed_input.player_list import ListedPlayer

PAGE = "players"
TEMPLATE = "director/known_players.html"

MAX_PEOPLE_SHOWN = 30
"""Limit of people shown from all tournaments: each needs a call for the rating."""

MAX_LIST_LINES = 500
"""Limit of lines shown from a rating list."""

MAX_LOOKUP_NUMBERS = 500
"""Limit of numbers looked up at once."""

MAX_SELECTED_PLAYERS = 2_000
"""Limit of selected players in a form: each of another list takes a call."""

MAX_RATING_LISTS = 100
"""Limit of rating lists offered, the latest first."""

SELECT_ALL = "all"
"""Value of the button that selects all matches of the search."""

REGISTER = "_register"
"""Value of the choice of the federation's register instead of a rating list."""

EVERYBODY = N_("all past participants")
NOBODY_OF = N_("No player has the number {numbers}.")
TOO_MANY = N_("Expected at most {most} numbers.")

routes = APIRouter(include_in_schema=False)


@dataclass
class PlayerSearch:
    """Search and its results."""

    list_id: str = ""
    """Tournament whose rating list is searched; empty for all people, ``REGISTER`` for the federation's register."""
    name: str = ""
    found: Sequence[KnownPlayer] = ()
    ticked: Sequence[KnownPlayer] = ()
    more: int = 0
    """Number of further matches that are not shown."""
    unknown: Sequence[str] = ()
    """Numbers without a match."""


@routes.get("/tournaments/{tournament_id}/console/players/known")
@routes.get("/tournaments/{tournament_id}/console/start/known")
async def show_search(console: DirectorPageDep) -> Response:
    """Show the search form for known players."""
    return await _show(console, PlayerSearch())


@routes.post("/tournaments/{tournament_id}/console/players/known")
@routes.post("/tournaments/{tournament_id}/console/start/known")
async def take_known(console: DirectorPageDep, given: Lists) -> Response:
    """Search for players, keeping the selected ones, or register the selected ones and redirect."""
    own_id = form_id(given)
    console.typed = given
    look = await _search_players(console, given)
    if given.get("act") != "register" or console.errors:
        return await _show(console, look)
    if not look.ticked:
        console.errors = {"ticked": say(N_("No player is selected."), {}, console.language)}
        return await _show(console, look)
    rows = [ListedPlayer(place, who.request(console.tournament_id), "") for place, who in enumerate(look.ticked, 1)]
    ids = " ".join(row.request.player_id for row in rows)
    registered = await players.register(console, rows, given, uuid.uuid5(own_id, ids))
    if registered is None:
        return await _show(console, look)
    if not registered.refused:
        return redirect_to(f"{console.after_list}?done={registered.position}&registered={len(rows)}")
    left = {row.request.player_id for row, _ in registered.refused}
    look.ticked = [who for who in look.ticked if who.player_id in left]
    said = players.format_registered_count(len(rows) - len(registered.refused), console.language)
    return await _show(console, look, left=registered.list_refusals(console.language), said=said)


async def _search_players(console: DirectorPageDep, given: Given) -> PlayerSearch:
    """Return the matches of a search and the selected players."""
    look = PlayerSearch(given.get("list", "").strip()[:64], " ".join(given.get("name", "").split())[:100])
    # A form that is sent again must register the same players, so registered players stay in the list.
    is_look = given.get("act") != "register"
    here = {player.player_id for player in console.tournament.players} if is_look else set()
    numbers = re.split(r"[\s,;]+", given.get("numbers", "").strip())
    numbers = list(dict.fromkeys(filter(None, numbers)))
    if len(numbers) > MAX_LOOKUP_NUMBERS:
        console.errors = {"numbers": say(TOO_MANY, {"most": MAX_LOOKUP_NUMBERS}, console.language)}
        numbers = []
    wanted = [each for each in dict.fromkeys((*list_in(given, "player_ids"), *numbers)) if each not in here]
    if len(wanted) > MAX_SELECTED_PLAYERS:
        console.errors = {"numbers": say(TOO_MANY, {"most": MAX_SELECTED_PLAYERS}, console.language)}
        wanted = wanted[:MAX_SELECTED_PLAYERS]
    known: dict[str, KnownPlayer] = {}
    found: list[str] = []
    if look.list_id == REGISTER:
        answer = await console.calls.ask(
            register_pb2.SearchRegisterRequest(
                tournament_id=console.tournament_id, search=look.name, person_ids=wanted[:MAX_LOOKUP_NUMBERS]
            )
        )
        known = {each.person_id: of_register(each) for each in answer.persons}
        numbered = {each.federation_id: each.person_id for each in answer.persons if each.federation_id}
        wanted = list(dict.fromkeys(numbered.get(each, each) for each in wanted))
        wanted = [each for each in wanted if each not in here]
        numbers = [numbered.get(each, each) for each in numbers]
        found = [each for each in known if each not in wanted] if look.name else []
        look.more = max(0, answer.total - len(answer.persons))
    elif look.list_id:
        of_all = await console.calls.ask(results_pb2.ListPlayersRequest(tournament_id=look.list_id))
        listed = of_list(of_all.players)
        known = {who.player_id: who for who in listed}
        words = search_words(look.name)
        found = [who.player_id for who in listed if begins(words, search_words(" ".join(who.person.searched)))]
        look.more = max(0, len(found) - MAX_LIST_LINES)
        found = found[:MAX_LIST_LINES]
    elif look.name:
        past = await console.results.search_players(look.name, Page(MAX_PEOPLE_SHOWN))
        found = [each.player_id for each in past.players]
        look.more = past.total - len(found)
    if given.get("act") == SELECT_ALL:
        wanted = list(dict.fromkeys((*wanted, *(each for each in found if each not in here))))
    others = [each for each in dict.fromkeys((*found, *wanted)) if each not in known]
    known |= {who.player_id: who for who in await _persons(console, others)}
    look.found = [known[each] for each in found if each in known]
    look.ticked = [known[each] for each in wanted if each in known]
    look.unknown = [each for each in numbers if each not in known and each not in here]
    if look.unknown:
        console.errors = {"numbers": say(NOBODY_OF, {"numbers": ", ".join(look.unknown)}, console.language)}
    return look


async def _persons(console: DirectorPageDep, player_ids: Iterable[str]) -> list[KnownPlayer]:
    """Return the people with these ids, with data of their last tournament; unknown ids are left out."""
    people = await ask_each(partial(find_person, console), player_ids)
    return list(filter(None, people.values()))


async def find_person(console: DirectorPage, player_id: str) -> KnownPlayer | None:
    """Return a person with the data of the last tournament; None for an unknown id."""
    asked = console.calls.ask(results_pb2.GetPlayerRequest(player_id=player_id, page_size=1))
    found = await answer_or(asked, None, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)
    return of_person(found) if found else None


async def _show(console: DirectorPageDep, look: PlayerSearch, **values: Any) -> Response:
    answer = await console.results.tournaments(archived=True)
    others = [each for each in answer.tournaments if each.over and each.tournament_id != console.tournament_id]
    requires_licence = False
    if look.list_id == REGISTER:
        request = pairing_pb2.ListMissingLicencesRequest(tournament_id=console.tournament_id)
        requires_licence = (await console.calls.ask(request)).required
    everybody = ("", say(EVERYBODY, {}, console.language))
    register = (REGISTER, say(N_("the federation’s register"), {}, console.language))
    return await console.show(
        TEMPLATE,
        PAGE,
        look=look,
        requires_licence=requires_licence,
        lists=[everybody, register, *((each.tournament_id, format_title(each)) for each in others[:MAX_RATING_LISTS])],
        ticked={who.player_id for who in look.ticked},
        ticked_elsewhere=[who for who in look.ticked if who not in look.found],
        here={player.player_id for player in console.tournament.players},
        command_id=str(uuid.uuid4()),
        step=console.list_step,
        steps=STEPS,
        **values,
    )
