"""Page of the registration: the entries with the decisions of the director, and the settings of the form."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import form_id
from faristol.gateway.consoles.director.known_players import find_person
from faristol.gateway.consoles.director.page import DirectorPage, DirectorPageDep
from faristol.gateway.consoles.forms import Given, list_in, to_local_input
from faristol.gateway.consoles.frame import require
from faristol.gateway.http.forms import Lists
from faristol.gateway.rpc.results import Page
from faristol.kernel.details import DETAILS
from faristol.kernel.errors import Invalid
from faristol.kernel.names import MAX_BATCH_PLAYERS
from faristol.kernel.refusal import N_, Param
from faristol.kernel.spellings import labels_of
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.pb.results.v1 import results_pb2
from faristol.presentation.page_addresses import tournament_path
from faristol.text import say
from faristol.typed_input.fields import parse_number

PAGE = "registration"

MAX_LOOKED_UP_COUNT = 40
"""Limit of undecided entries whose names are looked up among known players: each takes a call."""

MAX_ENTRY_NUMBER = 1_000_000
"""Limit of the number of an entry in an address."""

MAX_KNOWN_COUNT = 5
"""Limit of known players offered for an entry."""

MAX_ENTRIES_WITH_FORMS = 60
"""Number of undecided entries up to which each has its forms on the page; beyond, only the requested one has."""


LEFT_OUT = N_(
    "{accepted} {accepted:entry is|entries are} accepted. These could not be accepted with the others: {left}. Accept "
    "each by itself to see the reason."
)

FORM_FIELD_LABELS = {
    **{name: detail.options.label for name, detail in DETAILS.items() if name not in ("name", "email")},
    "category": N_("Category"),
}
"""Labels of the fields that a form may have."""


async def _find_known(console: DirectorPage, name: str) -> Sequence[results_pb2.FoundPlayer]:
    """Return the players of earlier tournaments who are found by the name."""
    answer = await console.results.search_players(name, Page(MAX_KNOWN_COUNT))
    here = {player.player_id for player in console.tournament.players}
    return [each for each in answer.players if each.player_id not in here]


routes = APIRouter(include_in_schema=False, dependencies=[require(pb.ListEntriesRequest)])
"""Routes that an arbiter has not: entries have addresses."""


@routes.get(f"/tournaments/{{tournament_id}}/console/{PAGE}")
async def show_registration(
    console: DirectorPageDep, entry: Annotated[int, Query(ge=0, le=MAX_ENTRY_NUMBER)] = 0
) -> Response:
    """Show the entries and the settings of the form. If there are many, ``entry`` chooses the one with forms."""
    found = await console.calls.ask(pb.ListEntriesRequest(tournament_id=console.tournament_id))
    undecided = [each for each in found.entries if each.state in (pb.ENTRY_STATE_RECEIVED, pb.ENTRY_STATE_WAITING)]
    many = len(undecided) > MAX_ENTRIES_WITH_FORMS
    with_forms = [each for each in undecided if not many or str(each.entry) in (str(entry), console.typed.get("entry"))]
    known = {
        each.entry: await _find_known(console, each.details.name)
        for each in with_forms[:MAX_LOOKED_UP_COUNT]
        if each.details.name
    }
    return await console.show(
        "director/registration.html",
        PAGE,
        found=found,
        s=found.settings,
        undecided=undecided,
        decided=[each for each in reversed(found.entries) if each not in undecided],
        known=known,
        with_forms={each.entry for each in with_forms},
        marked={
            each.entry
            for each in undecided
            if each.state == pb.ENTRY_STATE_RECEIVED and not (each.asked or each.similar_entries)
        },
        states=labels_of(pb.EntryState.DESCRIPTOR),
        form_fields=FORM_FIELD_LABELS,
        details=[detail for name, detail in DETAILS.items() if name not in ("name", "email")],
        address=tournament_path(console.tournament_id, "register"),
        opens_at=to_local_input(found.settings, "opens_at", console.tournament.time_zone),
        closes_at=to_local_input(found.settings, "closes_at", console.tournament.time_zone),
        pb=pb,
    )


@routes.post(f"/tournaments/{{tournament_id}}/console/{PAGE}")
async def change_registration(console: DirectorPageDep, given: Lists) -> Response:
    """Send a command on an entry or on the form. A known player gets the rating of the last tournament."""
    if given.get("act") == "AcceptEntries":
        return await _accept_marked(console, given)
    if given.get("act") == "AcceptEntry":
        player_id = given.get("known_id", "").strip() or given.get("player_id", "")
        given = {**given, "player_id": player_id}
        if player_id and not given.get("rating", "").strip():
            given = {**given, "rating": await _rating(console, player_id)}
    return await console.carry_out(given, f"{console.address}/{PAGE}") or await show_registration(console)


async def _accept_marked(console: DirectorPage, given: Given) -> Response:
    """Accept the marked entries, in as many commands as it takes, and name those that were left out."""
    try:
        numbers = [parse_number("entries", text) for text in list_in(given, "entries")]
    except Invalid as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
    if not numbers:
        console.typed, console.refused = given, say(N_("No entry is marked."), {}, console.language)
        return await show_registration(console)
    accepted, left_out, position = list[int](), list[int](), 0
    for start in range(0, len(numbers), MAX_BATCH_PLAYERS):
        command = pb.AcceptEntriesRequest(
            command_id=str(uuid.uuid5(form_id(given), str(start))),
            tournament_id=console.tournament_id,
            entries=numbers[start : start + MAX_BATCH_PLAYERS],
        )
        answer: pb.AcceptEntriesResponse | None = await console.ask(command, given)
        if answer is None:
            return await show_registration(console)
        accepted += answer.accepted
        left_out += answer.left_out
        position = answer.position
    if not left_out:
        return redirect_to(f"{console.address}/{PAGE}?done={position}")
    console.typed = given
    said: dict[str, Param] = {"accepted": len(accepted), "left": ", ".join(map(str, left_out))}
    console.refused = say(LEFT_OUT, said, console.language)
    return await show_registration(console)


async def _rating(console: DirectorPage, player_id: str) -> str:
    """Return the rating of a player after the last tournament; empty for an unrated or unknown one."""
    found = await find_person(console, player_id)
    return str(found.rating) if found and found.rating is not None else ""
