"""`faristol direct …` and `faristol history …`: what a director does, and what was done."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.cli.calling import AsJson, service_at
from faristol.cli.common import run
from faristol.cli.referee.forms import kebab, names_of
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pairing_grpc

SERVICE = pairing.DESCRIPTOR.services_by_name["PairingService"]

Address = Annotated[
    str | None, typer.Option("--address", help="HOST:PORT of the pairing service; else FARISTOL_PAIRING_ADDRESS.")
]
Tournament = Annotated[str, typer.Argument(help="Id of the tournament.")]


def direct(
    command: Annotated[str, typer.Argument(help="A command of PairingService, as withdraw-player.")],
    tournament: Tournament,
    fields: Annotated[
        list[str] | None, typer.Argument(help="Fields as the contract has them: player-id=anna round=2.")
    ] = None,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Carry out a director's command. Lists are written with commas: player-ids=anna,biel."""
    method = next((one for one in SERVICE.methods if kebab(one.name) == command), None)
    if method is None:
        known = ", ".join(sorted(kebab(one.name) for one in SERVICE.methods))
        raise typer.BadParameter(f"there is no command {command!r}; there are: {known}")
    request = _request(GetMessageClass(method.input_type), tournament, fields or [])
    answer = call(address, method.name, request)
    said = MessageToDict(answer, preserving_proto_field_name=True)
    typer.echo(json.dumps(said, ensure_ascii=False, indent=2) if json_output else _lines(said))


def history(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Show everything that was done in a tournament: when, what, by whom, and what would undo it."""
    answer = call(address, "ListActs", pairing.ListActsRequest(tournament_id=tournament))
    assert isinstance(answer, pairing.ListActsResponse)
    if json_output:
        typer.echo(json.dumps(MessageToDict(answer, preserving_proto_field_name=True), ensure_ascii=False, indent=2))
        return
    for act in answer.acts:
        about = [f"round {act.round}" if act.round else "", act.game_id, ", ".join(act.player_ids), act.note]
        undo = f"undone by {kebab(act.undone_by)}" if act.undone_by else ""
        parts = [act.type, *filter(None, about), f"by {act.actor}" if act.actor else "", undo]
        typer.echo(f"{act.version:>4}  {act.recorded_at.ToJsonString()}  {'; '.join(filter(None, parts))}")


def _request(kind: type[Message], tournament: str, fields: Sequence[str]) -> Message:
    """A request out of ``name=value``. Raises ``typer.BadParameter`` for what the contract does not know."""
    given: dict[str, Any] = {"tournament_id": tournament}
    if "command_id" in kind.DESCRIPTOR.fields_by_name:
        given["command_id"] = str(uuid.uuid4())
    for field in fields:
        name, separator, value = field.partition("=")
        known = kind.DESCRIPTOR.fields_by_name.get(name.replace("-", "_"))
        if not separator or known is None:
            expected = ", ".join(kebab(one) for one in kind.DESCRIPTOR.fields_by_name if one not in given)
            raise typer.BadParameter(f"{field!r} is no field of this command; expected NAME=VALUE of {expected}")
        given[known.name] = value.split(",") if known.is_repeated else _value(known, value)
    try:
        return ParseDict(given, kind())
    except ParseError as problem:
        raise typer.BadParameter(str(problem)) from problem


def _value(field: Any, value: str) -> str | int:
    """A value as the contract reads it; those of an enumeration are named as people write them."""
    if field.enum_type is None:
        return value
    names = names_of(field.enum_type)
    if value not in names:
        expected = ", ".join(name for name, number in names.items() if number)
        raise typer.BadParameter(f"{kebab(field.name)} cannot be {value!r}: expected {expected}")
    return names[value]


def call(address: str | None, name: str, request: Message) -> Message:
    """What the pairing service answers. Raises ``StartError`` for what it refuses, and where it cannot be reached."""

    async def ask() -> Message:
        async with service_at("pairing", address) as channel:
            answer: Message = await getattr(pairing_grpc.PairingServiceStub(channel), name)(request)
            return answer

    answer: Message = run(ask())
    return answer


def _lines(said: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in said.items())
