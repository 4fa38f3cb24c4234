"""`faristol direct …` and `faristol history …`: what a director does, and what was done."""

from __future__ import annotations

import csv
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.cli.calling import AsJson, as_json, language_of_terminal, service_at
from faristol.cli.common import run
from faristol.cli.referee.forms import kebab, names_of
from faristol.host import StartError
from faristol.host.text import say
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pairing_grpc
from faristol.rules.refusal import N_

SERVICE = pairing.DESCRIPTOR.services_by_name["PairingService"]

Address = Annotated[
    str | None, typer.Option("--address", help="HOST:PORT of the pairing service; else FARISTOL_PAIRING_ADDRESS.")
]
Tournament = Annotated[str, typer.Argument(help="Id of the tournament.")]


def direct(
    command: Annotated[
        str, typer.Argument(help="A command, as withdraw-player; all are listed when there is none.")
    ] = "",
    tournament: Annotated[
        str, typer.Argument(help="Id of the tournament; without it the command's fields are listed.")
    ] = "",
    fields: Annotated[
        list[str] | None, typer.Argument(help="Fields as the contract has them: player-id=anna round=2.")
    ] = None,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Carry out a director's command.

    Lists are written with commas, player-ids=anna,biel scores=anna=310,biel=290, and an empty one as halls=. An entry
    that has a comma stands in double quotes, as in CSV: affiliations='"ona=Valls, secció Scrabble",pau=FISE'.
    """
    if not command:
        typer.echo("\n".join(f"{kebab(one.name):<24}{_what_it_does(one.name)}" for one in SERVICE.methods))
        return
    method = next((one for one in SERVICE.methods if kebab(one.name) == command), None)
    if method is None:
        known = ", ".join(sorted(kebab(one.name) for one in SERVICE.methods))
        raise _wrong(N_("there is no command {given}; there are: {known}"), given=repr(command), known=known)
    request_class = GetMessageClass(method.input_type)
    if not tournament:
        typer.echo(_what_it_does(method.name))
        typer.echo("\n".join(f"  {kebab(one.name)}={_written(one)}" for one in _to_fill_in(request_class)))
        return
    request = _request(request_class, tournament, fields or [])
    answer = call(address, method.name, request)
    said = as_json(answer)
    if json_output:
        typer.echo(json.dumps(said, ensure_ascii=False, indent=2))
        return
    number = said.pop("round_to_pair_again", 0)
    typer.echo(_lines(said))
    if number:
        text = N_("Round {round} is paired already: pair it again before it starts.")
        typer.echo(say(text, {"round": str(number)}, language_of_terminal()))


def history(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Show everything that was done in a tournament: when, what, by whom, and what would undo it."""
    answer = pairing.ListActsResponse(more=True)
    while answer.more:
        after = answer.acts[-1].version if answer.acts else 0
        page = call(address, "ListActs", pairing.ListActsRequest(tournament_id=tournament, after_version=after))
        assert isinstance(page, pairing.ListActsResponse)
        answer.ClearField("more")
        answer.MergeFrom(page)
    if json_output:
        typer.echo(json.dumps(as_json(answer), ensure_ascii=False, indent=2))
        return
    typer.echo("\n".join(_told(answer)))


def _told(answer: pairing.ListActsResponse) -> Iterator[str]:
    """The lines of a history, in the order of the record."""
    for act in sorted((*answer.acts, *answer.rating_choices), key=lambda act: act.position):
        about = [
            f"round {act.round}" if act.round else "",
            act.game_id,
            ", ".join(_whom(act)),
            *act.details,
            act.note,
        ]
        undo = f"undone by {kebab(act.undone_by)}" if act.undone_by else ""
        parts = [act.type, *filter(None, about), f"by {act.actor}" if act.actor else "", undo]
        yield f"{act.version or '':>4}  {act.recorded_at.ToJsonString()}  {'; '.join(filter(None, parts))}"


def _whom(act: pairing.Act) -> Iterator[str]:
    """The players of an act, as ``Anna Puig (anna) 310``: names, ids, and scores where it has them."""
    scores = {one.player_id: f" {one.score}" for one in act.scores}
    for one in act.players:
        yield f"{one.name or 'a player'} ({one.player_id}){scores.get(one.player_id, '')}"


def _what_it_does(method: str) -> str:
    """What the contract says of a command."""
    return " ".join((getattr(pairing_grpc.PairingServiceServicer, method).__doc__ or "").split())


def _to_fill_in(kind: type[Message]) -> Iterator[Any]:
    """The fields of a request that a director gives, as descriptors."""
    return (field for field in kind.DESCRIPTOR.fields if field.name not in {"tournament_id", "command_id"})


def _written(field: Any) -> str:
    """How a field's value is written."""
    if field.enum_type is not None:
        one = "|".join(name for name, number in names_of(field.enum_type).items() if number)
    elif field.message_type is None:
        kinds = {Field.TYPE_BOOL: "true|false", Field.TYPE_STRING: "TEXT", Field.TYPE_BYTES: "BASE64"}
        one = kinds.get(field.type, "NUMBER")
    elif field.message_type.full_name == Timestamp.DESCRIPTOR.full_name:
        one = "2026-03-07T10:00:00Z"
    else:
        one = "=".join(part.name.upper() for part in field.message_type.fields)
    return f"{one},…" if field.is_repeated else one


def _request(kind: type[Message], tournament: str, fields: Sequence[str]) -> Message:
    """A request out of ``name=value``. Raises ``typer.BadParameter`` for what the contract does not know."""
    given: dict[str, Any] = {"tournament_id": tournament}
    if "command_id" in kind.DESCRIPTOR.fields_by_name:
        given["command_id"] = str(uuid.uuid4())
    for field in fields:
        name, separator, value = field.partition("=")
        known = kind.DESCRIPTOR.fields_by_name.get(name.replace("-", "_"))
        if not separator or known is None:
            expected = ", ".join(kebab(one.name) for one in _to_fill_in(kind))
            raise _wrong(
                N_("{given} is no field of this command; expected NAME=VALUE of {expected}"),
                given=repr(field),
                expected=expected,
            )
        if known.is_repeated:
            given[known.name] = [_value(known, one) for one in _entries(known, value)]
        else:
            given[known.name] = _value(known, value)
        try:
            ParseDict({known.name: given[known.name]}, kind())
        except ParseError as problem:
            raise _cannot_be(known, value, _written(known)) from problem
    return ParseDict(given, kind())


def _entries(field: Any, value: str) -> list[str]:
    """The entries of a list, which is written as a line of CSV."""
    try:
        return next(csv.reader([value], strict=True))
    except csv.Error as problem:
        raise _cannot_be(field, value, _written(field)) from problem


def _value(field: Any, value: str) -> str | int | bool | dict[str, Any]:
    """A value as the contract reads it; those of an enumeration are named as people write them."""
    if field.type == Field.TYPE_BOOL:
        if value not in {"true", "false"}:
            raise _cannot_be(field, value, "true, false")
        return value == "true"
    if field.message_type is not None and field.message_type.full_name != Timestamp.DESCRIPTOR.full_name:
        names = [part.name for part in field.message_type.fields]
        values = value.split("=", len(names) - 1)
        if len(values) != len(names):
            raise _cannot_be(field, value, "=".join(names).upper())
        return {part.name: _value(part, one) for part, one in zip(field.message_type.fields, values, strict=True)}
    if field.enum_type is None:
        return value
    numbers = names_of(field.enum_type)
    if value not in numbers:
        raise _cannot_be(field, value, ", ".join(name for name, number in numbers.items() if number))
    return numbers[value]


def _cannot_be(field: Any, value: str, expected: str) -> typer.BadParameter:
    """What is wrong with the value of a field, and how it would be written."""
    text = N_("{field} cannot be {given}: expected {expected}")
    return _wrong(text, field=kebab(field.name), given=repr(value), expected=expected)


def _wrong(text: str, **params: str) -> typer.BadParameter:
    return typer.BadParameter(say(text, params, language_of_terminal()))


def call(address: str | None, name: str, request: Message) -> Message:
    """What the pairing service answers. Raises ``StartError`` for what it refuses, and where it cannot be reached."""

    async def ask() -> Message:
        async with service_at("pairing", address) as channel:
            method = getattr(pairing_grpc.PairingServiceStub(channel), name)
            answer: Message = await method(request, metadata=(("accept-language", language_of_terminal()),))
            return answer

    try:
        answer: Message = run(ask())
    except StartError as problem:
        raise StartError(_as_written(str(problem), request)) from problem.__cause__
    return answer


def _as_written(refusal: str, request: Message) -> str:
    """A refusal with the fields of a request as the command line has them: ``arbiter-id`` for ``arbiter_id``.

    A field of which the values have names is shown with them: ``running-game=given-up|played-out``.
    """
    fields = {field.name: field for field in request.DESCRIPTOR.fields if "_" in field.name}
    if not fields:
        return refusal

    def written(found: re.Match[str]) -> str:
        field = fields[found[0]]
        return kebab(field.name) + (f"={_written(field)}" if field.enum_type is not None else "")

    return re.sub(rf"(?<![\w-])({'|'.join(fields)})(?![\w-])", written, refusal)


def _lines(said: Mapping[str, Any]) -> str:
    """What was answered, but for what was not said."""
    return "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in said.items() if value)
