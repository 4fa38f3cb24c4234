"""Conversion of the director's forms to commands. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from faristol.gateway.consoles.commands import form_id
from faristol.gateway.rpc.calls import NAMED
from faristol.kernel.refusal import N_, Param
from faristol.kernel.times import moments_of

Given = Mapping[str, str]

NOT_A_NUMBER = N_("Expected a whole number.")
NOT_A_TIME = N_("Expected a date and a time.")
NO_SUCH_TIME = N_("There is no {time} on {date}: daylight saving time begins.")
TWO_SUCH_TIMES = N_("{time} occurs twice on {date}, when daylight saving time ends. Choose one of the two.")
MAX_NUMBER_DIGITS = 9

OPTION = "option."
"""Prefix of the fields that choose an option of the rules."""

DESCRIBED = (
    "name",
    "place",
    "country",
    "starts_on",
    "ends_on",
    "time_zone",
    "organiser",
    "contact",
    "link",
    "arbiters",
)
"""Fields that describe a tournament."""


class Unusable(Exception):
    """Error of a form field: an English text marked with ``N_``."""

    def __init__(
        self, field: str, text: str, params: Mapping[str, Param] = MappingProxyType({}), asked: str = ""
    ) -> None:
        super().__init__(text)
        self.field, self.text, self.params = field, text, params
        self.asked = asked
        """Form field that answers the question, if the error is one."""


def number_in(given: Given, field: str, otherwise: int = 0) -> int:
    """Return the integer in a field; ``otherwise`` if the field is empty. Raises ``Unusable``."""
    text = given.get(field, "").strip().replace("−", "-")
    if not text:
        return otherwise
    if not text.removeprefix("-").isdecimal() or len(text) > MAX_NUMBER_DIGITS:
        raise Unusable(field, NOT_A_NUMBER)
    return int(text)


def list_in(given: Given, field: str) -> list[str]:
    """Return the values of a field, or of fields with the same name before a dot: ``player_ids.1``, ``player_ids.2``.

    Fields with a number behind the dot are sorted by it.
    """
    numbered = sorted((key for key in given if key.startswith(f"{field}.")), key=_place)
    values = [given[key] for key in numbered] or given.get(field, "").split(",")
    return [value.strip() for value in values if value.strip()]


def _place(key: str) -> tuple[int, str]:
    behind = key.partition(".")[2]
    return int(behind) if behind.isdecimal() and len(behind) <= MAX_NUMBER_DIGITS else 0, key


def time_in(given: Given, field: str) -> datetime | None:
    """Return the time in a field, ``2026-03-07T17:30`` in the zone ``time_zone``; None if the field is empty.

    Raises ``Unusable``.
    """
    text = given.get(field, "").strip()
    if not text:
        return None
    try:
        local = datetime.fromisoformat(text)
        if local.tzinfo is not None:
            return local.astimezone(UTC)
        moments = moments_of(local, ZoneInfo(given["time_zone"]))
    except (ValueError, OverflowError):
        raise Unusable(field, NOT_A_TIME) from None
    params = {"time": f"{local:%H:%M}", "date": f"{local:%Y-%m-%d}"}
    if not moments:
        raise Unusable(field, NO_SUCH_TIME, params)
    which = given.get(f"{field}.which", "")
    if len(moments) > 1 and which not in ("first", "second"):
        raise Unusable(field, TWO_SUCH_TIMES, params, asked=f"{field}.which")
    return moments[-1 if which == "second" else 0]


def command_of(name: str, given: Given, tournament_id: str, service: str = "pairing") -> Message:
    """Convert a form to the command of that name: fields of the form are named as in the contract.

    Times are in the zone ``time_zone`` of ``given``. Raises ``Unusable``; ``HTTPException`` for a form without an id.
    """
    kind = NAMED[service, name].request
    request: Any = kind(command_id=str(form_id(given)), tournament_id=tournament_id)
    for field in kind.DESCRIPTOR.fields:
        if field.name in ("command_id", "tournament_id", "occurred_at") or field.message_type is not None:
            continue
        if field.is_repeated:
            values = list_in(given, field.name)
            numbers = [number_in({field.name: value}, field.name) for value in values] if _is_number(field) else values
            getattr(request, field.name).extend(numbers)
        elif field.name in given and (given[field.name].strip() or not field.has_presence):
            if field.type == FieldDescriptor.TYPE_BOOL:
                setattr(request, field.name, given[field.name] not in ("", "0"))
            elif _is_number(field):
                setattr(request, field.name, number_in(given, field.name))
            else:
                setattr(request, field.name, given[field.name].strip())
    if more := MORE.get(name):
        more(request, given)
    return request  # type: ignore[no-any-return] # a message of the contract


def _is_number(field: Any) -> bool:
    return field.cpp_type in (
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_ENUM,
    )


def _scores(request: Any, given: Given, field: str = "scores") -> None:
    for key in sorted(key for key in given if key.startswith(f"{field}.")):
        if given[key].strip():
            getattr(request, field).add(player_id=key.partition(".")[2], score=number_in(given, key))


def _correction(request: Any, given: Given) -> None:
    _scores(request, given)
    _scores(request, given, "scores_before")
    if given.get("outcome") == "lost_by_all":
        request.lost_by_all = True
    elif given.get("outcome", "").startswith("forfeit."):
        request.unplayed, request.winner_id = True, given["outcome"].partition(".")[2]
        del request.scores[:]


def _halls(request: Any, given: Given) -> None:
    places = sorted(key[5:] for key in given if key.startswith("name.") and key[5:].isdecimal())
    for place in sorted(places, key=int):
        name, first, last = (given.get(f"{part}.{place}", "").strip() for part in ("name", "first_table", "last_table"))
        if name or first or last:
            numbers = [number_in(given, f"{part}.{place}") for part in ("first_table", "last_table")]
            request.halls.add(name=name, first_table=numbers[0], last_table=numbers[1])


def _times(request: Any, given: Given) -> None:
    for number in sorted(int(key[10:]) for key in given if key.startswith("starts_at.") and key[10:].isdecimal()):
        if moment := time_in(given, f"starts_at.{number}"):
            request.times.add(round=number).starts_at.FromDatetime(moment)


def _tribunal(request: Any, given: Given) -> None:
    for role in ("1", "2", "3", "4.1", "4.2"):
        if person := given.get(f"person.{role}", "").strip():
            request.appointments.add(
                person_id=person,
                role=int(role[0]),
                country=given.get(f"country.{role}", "").strip().upper(),
                name=given.get(f"named.person.{role}", ""),
            )
            if club := given.get(f"affiliation.{role}", "").strip():
                request.affiliations.add(person_id=person, affiliation=club)


def _amendment(request: Any, given: Given) -> None:
    """Set only the fields that the user changed, so that concurrent changes are not overwritten."""
    for field in ("name", "club", "country", "category", "note", "rating"):
        typed, before = (given.get(key, "").strip() for key in (field, f"{field}.before"))
        request.ClearField(field)
        if field not in given or typed == before:
            continue
        if field != "rating":
            setattr(request, field, typed)
        elif typed:
            request.rating = number_in(given, field)
        else:
            request.unrated = True


def _description(request: Any, given: Given) -> None:
    """Set only the fields that the user changed, so that concurrent changes are not overwritten."""
    for field in DESCRIBED:
        request.ClearField(field)
        if field not in given:
            continue
        typed = given[field].strip()
        if field == "arbiters":
            typed = "; ".join(line.strip() for line in typed.splitlines() if line.strip())
        if typed != given.get(f"{field}.before", "").strip():
            setattr(request, field, typed)


def _options(request: Any, given: Given) -> None:
    """Add every option that has a value. Other options keep the value of the rule book."""
    for key in sorted(given):
        if key.startswith(OPTION) and (value := given[key].strip()):
            request.options.add(name=key.removeprefix(OPTION), value=value)


def _postponement(request: Any, given: Given) -> None:
    for field in ("scheduled_at", "postponed_to"):
        if moment := time_in(given, field):
            getattr(request, field).FromDatetime(moment)


def _appeal(request: Any, given: Given) -> None:
    version, _, player_id = given.get("appealed", "").partition(" ")
    if player_id:
        request.version, request.player_id = number_in({"appealed": version}, "appealed"), player_id.strip()
    persons = {"appellant": request.player_id}
    persons |= {key: given[key].strip() for key in given if key.startswith(("person.", "player_ids."))}
    for key, person_id in persons.items():
        if person_id and (country := given.get(f"country.{key}", "").strip().upper()):
            request.countries.add(person_id=person_id, country=country)
        if person_id and (club := given.get(f"affiliation.{key}", "").strip()):
            request.affiliations.add(person_id=person_id, affiliation=club)


MORE: Mapping[str, Callable[[Any, Given], None]] = {
    "AmendPlayer": _amendment,
    "ChangeOptions": _options,
    "DescribeTournament": _description,
    "EnterResult": _scores,
    "CorrectResult": _correction,
    "ConfirmResult": _scores,
    "SetHalls": _halls,
    "AnnounceRounds": _times,
    "AppointTribunal": _tribunal,
    "LodgeAppeal": _appeal,
    "PostponeGame": _postponement,
}
"""Functions that fill the composite fields of a command."""
