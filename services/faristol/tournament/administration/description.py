"""The description of a tournament, and its place in the list of tournaments. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from google.protobuf.message import Message

from faristol.kernel.details import check_country
from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import check_day, check_day_order
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_not_removed, check_open
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import Phase, TournamentState, evolve

DESCRIPTION_PARTS: Mapping[str, events.TournamentPart.ValueType] = {
    "name": events.TOURNAMENT_PART_NAME,
    "place": events.TOURNAMENT_PART_PLACE,
    "country": events.TOURNAMENT_PART_COUNTRY,
    "starts_on": events.TOURNAMENT_PART_STARTS_ON,
    "ends_on": events.TOURNAMENT_PART_ENDS_ON,
    "time_zone": events.TOURNAMENT_PART_TIME_ZONE,
    "organiser": events.TOURNAMENT_PART_ORGANISER,
    "link": events.TOURNAMENT_PART_LINK,
}
"""Fields of the command that the event and the state have under the same names."""

BETWEEN_ARBITERS = ";"

LONGEST_LINK_COUNT = 300
"""Limit of the URL, in characters."""


def describe(situation: Situation, request: pb.DescribeTournamentRequest) -> list[Message]:
    """Change the description of a tournament. Missing fields do not change.

    It can change at any time, even after the final standings, because no decision depends on it. The time zone is open
    until then only: what the rules allow on the same day depends on it. Raises ``Invalid`` for an invalid value. Raises
    ``Refusal`` if the tournament is removed or no field changes.
    """
    state = situation.state
    check_not_removed(state)
    given = {field.name for field, _ in request.ListFields()}
    wanted = {field: _normalize_field(field, getattr(request, field)) for field in DESCRIPTION_PARTS if field in given}
    now = {field: wanted.get(field, getattr(state, field)) for field in DESCRIPTION_PARTS}
    parts = [DESCRIPTION_PARTS[field] for field in DESCRIPTION_PARTS if now[field] != getattr(state, field)]
    check_day_order(now["starts_on"], now["ends_on"], "ends_on" if "ends_on" in wanted else "starts_on")
    if events.TOURNAMENT_PART_TIME_ZONE in parts:
        check_open(state)
    new_events: list[Message] = []
    if request.HasField("contact"):
        contact = check_name("contact", request.contact, empty=True)
        new_events.append(situation.event(events.ContactSet, contact=contact))
    if request.HasField("arbiters"):
        names = _arbiters(request.arbiters)
        new_events.append(situation.event(events.ArbitersNamed, arbiters=names))
    if parts:
        new_events.append(situation.event(events.TournamentDescribed, parts=parts, **now))
    if not new_events:
        raise Refusal("SAME_DESCRIPTION", N_("No change for {name}: specify a new value."), {"name": state.name})
    return new_events


def check_zone(time_zone: str) -> None:
    """Raise ``Invalid`` if the time zone is unknown."""
    if time_zone not in (zones := available_timezones()):
        town = time_zone.strip().replace(" ", "_").casefold()
        if proposed := min((zone for zone in zones if zone.casefold().endswith(f"/{town}")), default=""):
            raise Invalid(
                "time_zone",
                N_("there is no time zone {given}; did you mean {proposed}?"),
                {"given": repr(time_zone[:100]), "proposed": proposed},
            )
        raise Invalid(
            "time_zone",
            N_("there is no time zone {given}; expected a name such as Europe/Athens"),
            {"given": repr(time_zone[:100])},
        )


def archive(situation: Situation, request: pb.ArchiveTournamentRequest) -> list[Message]:
    """Hide a tournament from the list of tournaments, at any time. Raises ``Refusal`` if it is archived."""
    state = situation.state
    check_not_removed(state)
    if state.archived:
        raise Refusal("ARCHIVED", N_("{name} is already archived."), {"name": state.name})
    return [situation.event(events.TournamentArchived)]


def remove(situation: Situation, request: pb.RemoveTournamentRequest) -> list[Message]:
    """Remove a tournament in which no round was started.

    Raises ``Refusal`` if a round was started or the tournament is already removed. Raises ``Refusal`` for the first of
    several divisions, which lists the others.
    """
    state = situation.state
    check_not_removed(state)
    if any(played.phase is not Phase.PAIRED for played in state.played):
        raise Refusal(
            "ROUND_PLAYED",
            N_(
                "{name} cannot be removed, because a round of it was started. It can be archived: `tournament archive`."
            ),
            {"name": state.name},
        )
    if len(state.divisions) > 1:
        raise Refusal(
            "HAS_DIVISIONS",
            N_("{name} is the first division of a championship with other divisions: it cannot be removed."),
            {"name": state.name},
        )
    return [situation.event(events.TournamentRemoved)]


def restore(situation: Situation, request: pb.RestoreTournamentRequest) -> list[Message]:
    """Restore a tournament to the list of tournaments. Raises ``Refusal`` if it is neither archived nor removed."""
    state = situation.state
    if not (state.archived or state.removed):
        raise Refusal("NOT_ARCHIVED", N_("{name} is neither archived nor removed."), {"name": state.name})
    if state.division_of and not state.division:
        raise Refusal(
            "NAME_REMOVED",
            N_("The name of {tournament} in its championship was removed: it cannot be restored."),
            {"tournament": state.tournament_id},
        )
    return [situation.event(events.TournamentRestored)]


def _normalize_field(field: str, value: str) -> str:
    """Return a normalized field of the description. Raises ``Invalid``."""
    match field:
        case "country":
            return check_country(field, value.strip())
        case "starts_on" | "ends_on":
            return check_day(field, value.strip())
        case "time_zone":
            check_zone(value)
            return value
        case "link":
            return _checked_link(field, value.strip())
        case _:
            return check_name(field, value, empty=field != "name")


def _checked_link(field: str, value: str) -> str:
    if not value:
        return value
    try:
        parts = urlsplit(value)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fits = False
    if not fits or len(value) > LONGEST_LINK_COUNT or not value.isprintable() or any(map(str.isspace, value)):
        raise Invalid(
            field,
            N_("{given} is not a web address; expected one such as https://example.org, of {most} characters at most"),
            {"given": repr(value[:60]), "most": LONGEST_LINK_COUNT},
        )
    return value


def _arbiters(value: str) -> str:
    """Return the names of arbiters, separated by semicolons. Raises ``Invalid`` for an invalid name."""
    names = [check_name("arbiters", name) for name in value.split(BETWEEN_ARBITERS) if name.strip()]
    return check_name("arbiters", f"{BETWEEN_ARBITERS} ".join(dict.fromkeys(names)), empty=True, longest=500)


def _before(act: events.TournamentDescribed, before: Sequence[Message]) -> Message:
    """Build the command that restores the fields that ``act`` changed."""
    state = reduce(evolve, before, TournamentState())
    request: Any = pb.DescribeTournamentRequest()
    for field, part in DESCRIPTION_PARTS.items():
        if part in act.parts:
            setattr(request, field, getattr(state, field))
    return request  # type: ignore[no-any-return] # a message of the contract


def _rests(act: events.TournamentDescribed, later: Message) -> bool:
    return isinstance(later, events.TournamentDescribed) and not set(act.parts).isdisjoint(later.parts)


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.DescribeTournamentRequest: PairingCommand(
        describe,
        tells=events.TournamentDescribed,
        rests_on=(events.TournamentDescribed, events.ContactSet, events.ArbitersNamed),
    ),
    pb.ArchiveTournamentRequest: PairingCommand(archive),
    pb.RemoveTournamentRequest: PairingCommand(remove),
    pb.RestoreTournamentRequest: PairingCommand(restore),
}

_RESTORE = Undo(pb.RestoreTournamentRequest, thing=("listed",))

UNDO: Mapping[type[Message], Undo] = {
    events.TournamentDescribed: Undo(_before, rests=_rests),
    events.TournamentArchived: _RESTORE,
    events.TournamentRemoved: _RESTORE,
    events.TournamentRestored: Undo(thing=("listed",)),
}
