"""`faristol hall export` and `import`: events of a hall and its championship in a file, for a hall without a line.

A file is a line that names its format, a line of JSON, then messages with their length before each, and at the end
SHA-256 over all of it. The hall signs its events. Those of the championship are checked by the chain of their hashes.
The line of JSON has the credentials for the tables of the hall, without a secret.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from struct import Struct
from typing import Annotated, Any

import grpc
import typer

from faristol.access_control.roles import HALL
from faristol.cli.client import Client, ServiceClient
from faristol.cli.hall.cells import check_hall, find_hall_cell
from faristol.client.credentials import calling_as
from faristol.client.problems import every_reason
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1.access_pb2_grpc import AccessServiceStub
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub, HallSyncServiceStub
from faristol.table_terminal.shared.common import localize, run
from faristol.table_terminal.shared.services import service_at
from faristol.text.files import why_unread
from faristol.text.terminal import language_of_terminal

HEADING = b"faristol hall file 1\n"
MAX_FILE_BYTES = 1_000_000_000
CHECKSUM_BYTES = 32
_LENGTH = Struct(">Q")

NOT_A_FILE = N_("{file} is no file of a hall, or it is damaged: export it again")
CANNOT_READ = N_("{file} cannot be read: {problem}")
CANNOT_WRITE = N_("{file} cannot be written: {reason}")
FOR_A_HALL = N_("{file} is for the laptop of a hall: import it there. This is a championship.")
FOR_A_CHAMPIONSHIP = N_("{file} is for the championship: import it there. This is the laptop of a hall.")
FOR_HALL = N_("Written for {hall}: {count} events. On its laptop: faristol hall import {file}")
FROM_HALL = N_("Written for the championship: {count} events. There: faristol hall import {file}")
IMPORTED = N_("Imported: {count} events.")
SOME_ASIDE = N_("Kept aside: {games}. See them with `faristol hall aside TOURNAMENT`.")
NEEDS_BOTH = N_("give both --tournament and --hall at the championship, and neither on the laptop of a hall")

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file.")]


def export_events(
    client: Client,
    file: File,
    tournament: Annotated[str, typer.Option("--tournament", help="At the championship: the tournament.")] = "",
    hall: Annotated[str, typer.Option("--hall", help="At the championship: the hall that the file is for.")] = "",
) -> None:
    """Write the events that a hall or its championship lacks to a file."""
    if bool(tournament) != bool(hall):
        raise typer.BadParameter(localize(NEEDS_BOTH))
    messages: Sequence[Any]
    about = dict[str, str]()
    if tournament:
        with calling_as(HALL):
            known = client.load_names(tournament)
            check_hall(known, hall)
            about = {"tournament": known.tournament_id, "hall": hall}
            request = pb.FollowChampionshipRequest(tournament_id=known.tournament_id, hall=hall)
            messages = run(_collect(_follow(request, client)))
            credentials = run(_load_credentials(known.tournament_id, hall, client))
            about["credentials"] = base64.b64encode(credentials.SerializeToString()).decode()
        count = sum(len(message.events) for message in messages)
        text = localize(FOR_HALL, hall=hall, count=count, file=str(file))
    else:
        messages = run(_collect(_export(client)))
        count = sum(len(pb.HallBatch.FromString(message.batch).events) for message in messages)
        text = localize(FROM_HALL, count=count, file=str(file))
    kind = "championship" if tournament else "hall"
    try:
        file.write_bytes(_build_file(about | {"kind": kind}, messages))
    except OSError as error:
        raise StartError(localize(CANNOT_WRITE, file=str(file), reason=error.strerror or str(error))) from error
    client.print({"kind": kind, "events": count}, text)


def import_events(client: Client, file: File) -> None:
    """Import a file that the other side has exported. Events that are there already are skipped."""
    try:
        about, contents = _read(file.read_bytes() if file.stat().st_size <= MAX_FILE_BYTES else b"")
    except OSError as error:
        raise StartError(localize(CANNOT_READ, file=str(file), problem=why_unread(error))) from error
    except ValueError as error:
        raise StartError(localize(NOT_A_FILE, file=str(file))) from error
    is_for_hall = about["kind"] == "championship"
    if is_for_hall != (client.ask("game", find_hall_cell, lambda channel: channel) is not None):
        raise StartError(localize(FOR_A_HALL if is_for_hall else FOR_A_CHAMPIONSHIP, file=str(file)))
    count, aside, position = 0, list[str](), 0
    for number, content in enumerate(contents, 1):
        if is_for_hall:
            response = pb.FollowChampionshipResponse.FromString(content)
            request = pb.ImportEventsRequest(
                after_position=position,
                response=response,
                hall=about.get("hall", ""),
                tournament_id=about.get("tournament", ""),
            )
            if number == len(contents) and "credentials" in about:
                request.credentials.ParseFromString(base64.b64decode(about["credentials"]))
            client.answer_to(request)
            count, position = count + len(response.events), response.position
            continue
        push = pb.PushEventsRequest.FromString(content)
        with calling_as(HALL):
            answer = client.answer_to(push)
        count += len(pb.HallBatch.FromString(push.batch).events)
        aside += [table.game_id for table in answer.aside]
    lines = [localize(IMPORTED, count=count)]
    lines += [localize(SOME_ASIDE, games=", ".join(sorted(set(aside))))] if aside else []
    client.print({"events": count, "aside": sorted(set(aside))}, "\n".join(lines))


async def _collect(messages: AsyncIterator[Any]) -> list[Any]:
    try:
        return [message async for message in messages]
    except grpc.aio.AioRpcError as error:
        raise StartError(every_reason(error, language_of_terminal())) from error


async def _follow(request: pb.FollowChampionshipRequest, client: ServiceClient) -> AsyncIterator[Any]:
    """Yield the events of the championship up to now."""
    async with service_at("game", client.address) as channel:
        async for response in HallSyncServiceStub(channel).FollowChampionship(request):
            yield response
            if response.position >= response.last_position:
                return


async def _load_credentials(
    tournament_id: str, hall: str, client: ServiceClient
) -> access_pb2.ListHallCredentialsResponse:
    """Return the credentials for the tables of a hall; empty if no cell has joined for it."""
    request = access_pb2.ListHallCredentialsRequest(tournament_id=tournament_id, hall=hall)
    async with service_at("access", client.address) as channel:
        try:
            return await AccessServiceStub(channel).ListHallCredentials(request)
        except grpc.aio.AioRpcError as error:
            if error.code() not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED):
                raise StartError(every_reason(error, language_of_terminal())) from error
            return access_pb2.ListHallCredentialsResponse()


async def _export(client: ServiceClient) -> AsyncIterator[Any]:
    """Yield the calls that send the events of the hall."""
    async with service_at("game", client.address) as channel:
        try:
            async for response in HallCellServiceStub(channel).ExportEvents(pb.ExportEventsRequest()):
                yield response.push
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:  # this is no cell of a hall
                raise StartError(localize(NEEDS_BOTH)) from error
            raise


def _build_file(about: Mapping[str, str], messages: Sequence[Any]) -> bytes:
    """Return the bytes of a file. ``about`` are its kind and, from the championship, its tournament and hall."""
    parts = [HEADING, json.dumps({**about, "messages": len(messages)}).encode(), b"\n"]
    for message in messages:
        content = message.SerializeToString()
        parts += [_LENGTH.pack(len(content)), content]
    whole = b"".join(parts)
    return whole + hashlib.sha256(whole).digest()


def _read(content: bytes) -> tuple[Mapping[str, str], list[bytes]]:
    """Return the description and the messages of a file. Raises ``ValueError`` for other bytes."""
    whole, checksum = content[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
    if not whole.startswith(HEADING) or hashlib.sha256(whole).digest() != checksum:
        raise ValueError("the checksum differs")
    about, _, rest = whole[len(HEADING) :].partition(b"\n")
    described = json.loads(about)
    messages = list(_split(rest))
    if described["kind"] not in {"championship", "hall"} or described["messages"] != len(messages):
        raise ValueError("the file is of another kind")
    return described, messages


def _split(rest: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(rest):
        (length,) = _LENGTH.unpack_from(rest, start)
        start += _LENGTH.size
        yield rest[start : start + length]
        start += length
