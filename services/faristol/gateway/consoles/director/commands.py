"""Conversion of the director's forms to commands: the fields that differ from the contract. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.gateway.consoles.commands import form_id
from faristol.gateway.consoles.forms import Given, fill
from faristol.gateway.consoles.stage_plans import PLANS_BY_KEY
from faristol.gateway.rpc.calls import NAMED
from faristol.typed_input.fields import parse_number
from faristol.typed_input.money import parse_amounts

SERVICES = ("pairing", "lexicon", "rating", "game")
"""Services whose commands the forms of the console send."""

OPTION = "options."
"""Prefix of the fields that choose an option of the rules."""

TRIBUNAL_PLACES = ("1", "2", "3", "4.1", "4.2")
"""Places in the form of the tribunal: the number of the role, and that of the substitute."""


def command_of(name: str, given: Given, tournament_id: str, zone: str) -> Message | None:
    """Convert a form to the command of that name; return None for any other name.

    Times without an offset are in ``zone``. Raises ``Invalid``; ``HTTPException`` for a form without an id.
    """
    kind = next((NAMED[service, name].request for service in SERVICES if (service, name) in NAMED), None)
    if kind is None or not {"command_id", "tournament_id"}.issubset(kind.DESCRIPTOR.fields_by_name):
        return None
    request: Any = kind(command_id=str(form_id(given)), tournament_id=tournament_id)
    fill(request, given, zone)
    if more := MORE.get(name):
        more(request, given)
    return request  # type: ignore[no-any-return] # a message of the contract


def _correct(request: Any, given: Given) -> None:
    if given.get("outcome") == "lost_by_all":
        request.lost_by_all = True
    elif given.get("outcome", "").startswith("forfeit."):
        request.unplayed, request.winner_id = True, given["outcome"].partition(".")[2]
        del request.scores[:]


def _appoint(request: Any, given: Given) -> None:
    for place in TRIBUNAL_PLACES:
        if person := given.get(f"person.{place}", "").strip():
            request.appointments.add(
                person_id=person,
                role=int(place[0]),
                country=given.get(f"country.{place}", "").strip().upper(),
                name=given.get(f"named.person.{place}", ""),
            )
            if club := given.get(f"affiliation.{place}", "").strip():
                request.affiliations.add(person_id=person, affiliation=club)


def _set_prize_list(request: Any, given: Given) -> None:
    """Read the money and the things of a list, one place in each line."""
    digits = parse_number("digits", given.get("digits", "2"))
    request.amounts.extend(parse_amounts("money", given.get("money", ""), digits))
    request.things.extend(line.strip() for line in given.get("prizes_in_kind", "").splitlines())
    while request.things and not request.things[-1]:
        request.things.pop()


def _amend(request: Any, given: Given) -> None:
    if request.HasField("rating") and not given.get("rating", "").strip():
        request.ClearField("rating")
        request.unrated = True


def _describe(request: Any, given: Given) -> None:
    if request.HasField("arbiters"):
        request.arbiters = "; ".join(line.strip() for line in request.arbiters.splitlines() if line.strip())


def _appeal(request: Any, given: Given) -> None:
    version, _, player_id = given.get("appealed", "").partition(" ")
    if player_id:
        request.version, request.player_id = parse_number("appealed", version), player_id.strip()
    persons = {"appellant": request.player_id}
    persons |= {key: given[key].strip() for key in given if key.startswith(("person.", "player_ids."))}
    for key, person_id in persons.items():
        if person_id and (country := given.get(f"country.{key}", "").strip().upper()):
            request.countries.add(person_id=person_id, country=country)
        if person_id and (club := given.get(f"affiliation.{key}", "").strip()):
            request.affiliations.add(person_id=person_id, affiliation=club)


def _create_stage(request: Any, given: Given) -> None:
    """Apply the ready-made stage of the form: its places, and the options of its format."""
    plan = PLANS_BY_KEY.get(given.get("plan", ""))
    if plan is None:
        return
    request.last_place = plan.last_place or request.last_place
    chosen = {option.name: option.value for option in request.options if option.value}
    if plan.format == "knock-out":
        chosen["placed"] = str(min(plan.placed, max(request.last_place, 2)))
    else:
        chosen = {name: value for name, value in chosen.items() if name not in ("match_games", "final_games")}
    del request.options[:]
    for name, value in {"format": plan.format, **chosen}.items():
        request.options.add(name=name, value=value)


MORE: Mapping[str, Callable[[Any, Given], None]] = {
    "AmendPlayer": _amend,
    "DescribeTournament": _describe,
    "CorrectResult": _correct,
    "AppointTribunal": _appoint,
    "LodgeAppeal": _appeal,
    "SetPrizeList": _set_prize_list,
    "CreateStage": _create_stage,
}
"""Functions for the fields that differ from the contract."""
