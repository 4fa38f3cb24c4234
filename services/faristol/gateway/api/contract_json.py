"""JSON of contract messages, read off their descriptors.

Problem. The contract describes results. A second description of every answer, field by field, would have to follow
each change of the first: in JSON, in the OpenAPI document and in CSV files.

Idea. The members of a message's JSON are computed once from its descriptor and the options of
``faristol/json/v1/json.proto``: each has a name and a function that reads its value. ``openapi.schemas`` makes the
schema from the same members. ``COMPUTED`` has the few members that no field of the contract holds, and ``ADJUSTED``
the fields whose value depends on others.

Cost. One call for each member of each message. Readers are made once for each type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.gateway.duplicate_game.plays import coordinates_of
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.json.v1 import json_pb2 as options
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.outcome import find_public_id
from faristol.presentation.page_addresses import encode_segment
from faristol.presentation.unplayed_results import has_points

API = "/api/v1"

Reader = Callable[[Any], Any]
"""Function that returns a value of the JSON from a message."""

Schema = dict[str, Any]


class Member(NamedTuple):
    """Member of the JSON of a message."""

    name: str
    read: Reader
    field: FieldDescriptor | None = None
    """Field of the contract; None for a computed member."""
    schema: Schema | None = None
    """Schema of a computed member, except for links."""
    of: Descriptor | None = None
    """Message whose links the member has."""
    uses: Descriptor | None = None
    """Message to which the schema refers."""


def to_json(message: Any) -> dict[str, Any]:
    """Return the JSON of a message."""
    return {name: read(message) for name, read in _readers(message.DESCRIPTOR)}


def write_json(content: Any) -> str:
    """Write JSON without spaces."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


@cache
def _readers(of: Descriptor) -> Sequence[tuple[str, Reader]]:
    return [(member.name, member.read) for member in members_of(of)]


@cache
def members_of(of: Descriptor) -> Sequence[Member]:
    """Return the members of the JSON of a message: its fields, computed members, and links."""
    found: dict[str, Member] = {}
    for field in of.fields:
        if not (of_field := field_options(field)).hidden:
            found |= {member.name: member for member in _members_of_field(field, of_field)}
    if object_options(of).path:
        found["links"] = Member("links", _links_reader(of), of=of)
    found |= {member.name: member for member in COMPUTED.get(of.full_name, ())}
    return tuple(found.values())


def _members_of_field(field: FieldDescriptor, of_field: options.Field) -> Iterator[Member]:
    if of_field.inline:
        inner = attrgetter(field.name)
        for member in members_of(message_type(field)):
            yield member._replace(read=_chain(inner, member.read))
        return
    read = _field_reader(field, of_field)
    if adjust := ADJUSTED.get(field.full_name):
        read = _adjust_reader(read, adjust)
    yield Member(name_of(field), read, field)


def _chain(first: Reader, then: Reader) -> Reader:
    return lambda message: then(first(message))


def _adjust_reader(read: Reader, adjust: Callable[[Any, Any], Any]) -> Reader:
    return lambda message: adjust(message, read(message))


def field_options(field: FieldDescriptor) -> options.Field:
    """Return the options of the JSON of a field."""
    return field.GetOptions().Extensions[options.field]


def object_options(of: Descriptor) -> options.Object:
    """Return the options of the JSON of a message."""
    return of.GetOptions().Extensions[options.object]


def message_type(field: FieldDescriptor) -> Descriptor:
    """Return the type of a field that is a message."""
    assert field.message_type is not None
    return field.message_type


_UNIT = re.compile("half_|_?(quarters|hundredths)$")


def name_of(field: FieldDescriptor) -> str:
    """Return the name of a field in JSON: without its unit if it has a divisor."""
    of_field = field_options(field)
    return of_field.name or (_UNIT.sub("", field.name) if of_field.divisor else field.name)


def _field_reader(field: FieldDescriptor, of_field: options.Field) -> Reader:
    """Return the reader of a field: the value, or None for a nullable one that is absent, unspecified or empty."""
    get, convert = attrgetter(field.name), _converter(field, of_field)
    if field.is_repeated:
        return _chain(get, list) if convert is None else lambda message: [*map(convert, get(message))]
    if field.has_presence and (of_field.nullable or field.message_type is None):
        name, then = field.name, convert or (lambda value: value)
        return lambda message: then(get(message)) if message.HasField(name) else None
    if of_field.nullable and field.type == FieldDescriptor.TYPE_STRING:
        return lambda message: get(message) or None
    return get if convert is None else _chain(get, convert)


def _converter(field: FieldDescriptor, of_field: options.Field) -> Reader | None:
    """Return the function that converts one value of a field; None for values that are JSON already."""
    if of_field.member:
        inner = message_type(field).fields_by_name[of_field.member]
        return _field_reader(inner, field_options(inner))
    if of_field.divisor:
        return lambda value: value / of_field.divisor
    if of_field.official:
        return find_public_id
    if field.message_type is not None:
        return format_time if field.message_type.full_name == Timestamp.DESCRIPTOR.full_name else to_json
    if field.enum_type is not None:
        return words_of(field.enum_type).__getitem__
    return bytes.hex if field.type == FieldDescriptor.TYPE_BYTES else None


def format_time(timestamp: Timestamp) -> str:
    """Format a timestamp by RFC 3339: ``2026-03-07T11:30:00Z``."""
    return f"{timestamp.ToDatetime().isoformat()}Z"


@cache
def words_of(enum: EnumDescriptor) -> Mapping[int, str | None]:
    """Return the words of an enumeration: ``requested_bye`` for ``TERM_BASIS_REQUESTED_BYE``, None for unspecified."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.number: value.name.removeprefix(prefix).lower() if value.number else None for value in enum.values}


# --- links ---------------------------------------------------------------------------------------------------------


def links_of(of: Descriptor) -> Mapping[str, str]:
    """Return the links of a message by name, as addresses with its fields in braces."""
    of_object, known = object_options(of), of.fields_by_name
    at = f"{API}/{of_object.path}"
    found = {"self": at, "page": f"/{of_object.page or of_object.path}"}
    found |= {part: f"{at}/{part}" for part in of_object.parts}
    if "seats" in known:
        found["players"] = f"{API}/players/{{player_id}}"
    if "tournament_id" in known and of_object.path != "tournaments/{tournament_id}":
        found["tournament"] = f"{API}/tournaments/{{tournament_id}}"
    return found


@cache
def _links_reader(of: Descriptor) -> Reader:
    patterns = dict(links_of(of))
    players = patterns.pop("players", "") if "seats" in of.fields_by_name else ""
    names = sorted({name for pattern in patterns.values() for name in re.findall(r"\{(\w+)\}", pattern)})

    def read(message: Any) -> dict[str, Any]:
        values = {name: encode_segment(str(getattr(message, name))) for name in names}
        links: dict[str, Any] = {name: pattern.format_map(values) for name, pattern in patterns.items()}
        if players:
            links["players"] = [players.format(player_id=encode_segment(seat.player_id)) for seat in message.seats]
        return links

    return read


def tournament_links(tournament: pb.Tournament) -> dict[str, str]:
    """Return the links of a tournament. In mode `duplicate`, those of tables lead to the games or their standings."""
    links: dict[str, str] = _links_reader(pb.Tournament.DESCRIPTOR)(tournament)
    if tournament.mode == pb.TOURNAMENT_MODE_DUPLICATE:
        standings = f"{links['self']}/duplicate-standings"
        games = {"games": links["self"], "rulings": links["self"]}
        links |= {**games, "standings": standings, "crosstable": standings}
    return links


# --- computed members ----------------------------------------------------------------------------------------------


def tie_break_value(tie_break: pb.TieBreak) -> float:
    """Return the value of a tie-break."""
    return tie_break.quarters / 4 / max(1, tie_break.divisor)


def _arithmetic(line: pb.Standing | pb.TeamStanding) -> dict[str, Any] | None:
    if not line.HasField("point_arithmetic"):
        return None
    found = {"points": to_json(line.point_arithmetic)}
    return found | {each.name: to_json(each.arithmetic) for each in line.tie_breaks}


def _adjustments(given: Iterable[pb.SpreadAdjustment]) -> dict[str, int]:
    """Return the sum of adjustments by player."""
    together: dict[str, int] = {}
    for each in given:
        together[each.player_id] = together.get(each.player_id, 0) + each.points
    return together


def _without_invented_scores(result: pb.Table | pb.GetGameResponse, seats: list[dict[str, Any]]) -> Any:
    """Return the JSON of seats, without scores if they are those of a forfeit without points."""
    if has_points((seat["score"] for seat in seats), unplayed=result.unplayed):
        return seats
    return [{**seat, "score": None} for seat in seats]


def _score_of_cell(cell: pb.CrosstableCell, score: int) -> int | None:
    is_forfeit = cell.basis == pb.TERM_BASIS_FORFEIT
    return score if has_points((cell.score, cell.against), unplayed=is_forfeit) else None


_HANDED: EnumDescriptor = duplicate_events.Handed.DESCRIPTOR

ADJUSTED: Mapping[str, Callable[[Any, Any], Any]] = {
    "faristol.results.v1.Table.seats": _without_invented_scores,
    "faristol.results.v1.GetGameResponse.seats": _without_invented_scores,
    "faristol.results.v1.GetGameResponse.counted": _without_invented_scores,
    "faristol.results.v1.CrosstableCell.score": _score_of_cell,
    "faristol.results.v1.CrosstableCell.against": _score_of_cell,
    "faristol.game.v1.Slip.handed": lambda _, word: word or words_of(_HANDED)[duplicate_events.HANDED_IN_TIME],
}
"""Functions of a message and the JSON value of one of its fields that return the value to show."""


def _by_player(description: str) -> Schema:
    return {"type": "object", "additionalProperties": {"type": "integer"}, "description": description}


_ARITHMETIC = {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Arithmetic"}}
_LINE = (
    Member(
        "tie_breaks",
        lambda line: {each.name: tie_break_value(each) for each in line.tie_breaks},
        schema={
            "type": "object",
            "additionalProperties": {"type": "number"},
            "description": "Values of the tie-breaks by name, in the order in which they are applied.",
            "examples": [{"median-buchholz": 12, "berger": 8.5, "spread": 211, "total": 1904}],
        },
    ),
    Member(
        "arithmetic",
        _arithmetic,
        schema={
            "anyOf": [_ARITHMETIC, {"type": "null"}],
            "description": "Computation of `points`, by which lines are ranked, and of every tie-break, by name; null "
            "if not requested.",
        },
        uses=pb.Arithmetic.DESCRIPTOR,
    ),
)

COMPUTED: Mapping[str, Sequence[Member]] = {
    "faristol.results.v1.Standing": _LINE,
    "faristol.results.v1.TeamStanding": _LINE,
    "faristol.results.v1.Table": (
        Member(
            "spread_adjustments",
            lambda table: _adjustments(table.spread_adjustments),
            schema=_by_player("Points of the spread that do not come from scores, by the player's ID (PES Δ.ε, Ζ)."),
        ),
        Member(
            "total_adjustments",
            lambda table: _adjustments(each for each in table.spread_adjustments if each.sanction),
            schema=_by_player("Part of them by sanctions, which also changes the total (PES Ζ)."),
        ),
    ),
    "faristol.results.v1.FollowResponse": (
        Member("type", attrgetter("type"), schema={"$ref": "#/components/schemas/EventType"}),
    ),
    "faristol.results.v1.Tournament": (Member("links", tournament_links, of=pb.Tournament.DESCRIPTOR),),
    "faristol.game.v1.DuplicatePlay": (
        Member(
            "coordinates",
            coordinates_of,
            schema={"type": "string", "description": "First square: `H8` across, `15G` down (FISC II.2)."},
        ),
    ),
}
"""Members that are in no field of the contract, or in place of a field of the same name, by message."""
