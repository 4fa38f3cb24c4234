"""`faristol hall …`: the cells of the halls of a tournament, and the cell of a hall itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import grpc
import typer
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.access_control.roles import HALL
from faristol.cli.access.access import MAX_LIFETIME_SECONDS, Lasts, lifetime_seconds
from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import Tournament
from faristol.client.credentials import TOKEN
from faristol.host import Addresses, StartError
from faristol.kernel.addresses import is_loopback
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.presentation.halls import describe_kept, describe_refusal
from faristol.presentation.history import game_params
from faristol.presentation.table_events import describe_events
from faristol.table_terminal.shared.common import localize, settings_of
from faristol.table_terminal.shared.names import TournamentNames
from faristol.table_terminal.shared.services import address_of, send
from faristol.text.terminal import language_of_terminal

NO_HALL = N_("{tournament} has no hall {hall}; it has {known}")
START_IT = N_("On the laptop of {hall}, within {lifetime}:")
NO_CELLS = N_("No hall of this tournament has its own cell.")
BEHIND = N_("not heard since {time}")
HEARD = N_("heard at {time}")
NEVER_HEARD = N_("not heard yet")
TABLES_THERE = N_("tables there: {count}")
UNSENT = N_("not sent when last heard: {count}")
ASIDE_HERE = N_("kept aside, without a verdict: {count}")
REFUSED = N_("its events are refused: {reason}")
NONE_KEPT = N_("No hall kept commands without a line.")
KEPT_COMMAND = N_("{hall}: {command}, {time}: {state}")
WITHDRAW_IT = N_("to withdraw it: {command}")
NONE_ASIDE = N_("No events of halls were kept aside.")
ASIDE = N_("{number}: {hall}, {game}: {reason} ({count} {count:event|events}, {time})")
OF_THE_HALL = N_("In the hall:")
OF_THE_CHAMPIONSHIP = N_("In the championship:")
KEPT_WITHOUT_LINE = N_("commands that it kept")
PROBLEM = N_("Problem with one event: {problem}")
DECIDE_IT = N_("to decide: {command}")
OF_HALL = N_("{hall}, of the championship {championship}")
NOT_JOINED = N_("has not joined yet")
LINE_UP = N_("the championship answered at {time}")
LINE_DOWN = N_("without the championship since {time}")
OTHER_VERSION = N_("version {own}, here {here}: update the earlier one")
OWN_VERSION = N_("version {own}, the championship {other}: update the earlier one")
NOTHING_UNSENT = N_("all events of the tables are sent")
UNSENT_SINCE = N_("not sent: {count} events of tables, since {time}")
NO_HALL_CELL = N_(
    "this is a championship, not the laptop of a hall: run `faristol hall status` on the laptop, or list the halls "
    "here with `faristol hall cells TOURNAMENT`"
)
LOST_TABLES = N_("decided by the championship: {games}")


def check_hall(known: TournamentNames, hall: str) -> None:
    """Check that a tournament has a hall. Raises ``StartError``."""
    halls = [each.name for each in known.tournament.halls]
    if hall not in halls:
        raise StartError(localize(NO_HALL, tournament=known.tournament.name, hall=hall, known=", ".join(halls) or "–"))


def grant(
    client: Client,
    tournament: Tournament,
    hall: Annotated[str, typer.Argument(help="Name of the hall.")],
    lasts: Lasts = "3d",
) -> None:
    """Grant the token with which the laptop of a hall joins, and print the commands that start its cell."""
    known = client.load_names(tournament)
    check_hall(known, hall)
    request = access.GrantCredentialRequest(
        name=hall,
        role=HALL,
        scope=access_events.Scope(tournament_ids=[known.tournament_id], halls=[hall]),
        lifetime_seconds=min(lifetime_seconds(lasts), MAX_LIFETIME_SECONDS),
        form=access_events.FORM_TOKEN,
    )
    answer = client.answer_to(request)
    quoted = hall.replace("'", "'\\''")
    lines = [
        localize(START_IT, hall=hall, lifetime=lasts),
        f"export {TOKEN}={answer.token}",
        f"faristol up --network --hall '{quoted}' --of {_address_for_halls(client)}",
    ]
    client.print(answer, "\n".join(lines))


def _address_for_halls(client: ServiceClient) -> str:
    """Return the options with the address of the championship: at the host of its pages, over TLS if it has it."""
    host, _, port = address_of("game", client.address).rpartition(":")
    pages = urlsplit(Addresses().http_address).hostname
    if pages and is_loopback(host.strip("[]")):
        host = pages
    is_safe = settings_of().tls_ca is not None
    return f"https://{host}:{port} --ca ca.crt" if is_safe else f"{host}:{port}"


def status(client: Client) -> None:
    """Show the state of the cell of a hall, on its laptop: its line, unsent events, and tables that it has lost."""
    answer = client.ask("game", find_hall_cell, lambda channel: channel)
    if answer is None:
        raise StartError(localize(NO_HALL_CELL))
    client.print(answer, "\n".join(_status(answer)))


async def find_hall_cell(channel: grpc.aio.Channel) -> pb.GetHallCellResponse | None:
    """Return the state of the cell of a hall; None at a championship, which is no such cell."""
    try:
        answer: pb.GetHallCellResponse = await send(channel, pb.GetHallCellRequest())
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            return None
        raise
    return answer


def _status(answer: pb.GetHallCellResponse) -> Iterator[str]:
    yield localize(OF_HALL, hall=answer.hall, championship=answer.championship)
    if not answer.tournament_id:
        yield localize(NOT_JOINED)
    if answer.HasField("behind_since"):
        yield localize(LINE_DOWN, time=_time(answer.behind_since))
    elif answer.HasField("heard_at"):
        yield localize(LINE_UP, time=_time(answer.heard_at))
    if answer.unsent:
        yield localize(UNSENT_SINCE, count=answer.unsent, time=_time(answer.unsent_since))
    else:
        yield localize(NOTHING_UNSENT)
    if answer.championship_version not in {"", answer.version}:
        yield localize(OWN_VERSION, own=answer.version, other=answer.championship_version)
    if answer.lost_game_ids:
        yield localize(LOST_TABLES, games=", ".join(answer.lost_game_ids))
    if answer.problem:
        yield f"! {answer.problem}"


def format_cells(answer: pb.ListHallsResponse) -> Iterator[str]:
    """Yield the lines of `hall cells`: each hall with its state."""
    if not answer.halls:
        yield localize(NO_CELLS)
    for line in answer.halls:
        state = localize(NEVER_HEARD)
        if line.HasField("behind_since"):
            state = localize(BEHIND, time=_time(line.behind_since))
        elif line.HasField("heard_at"):
            state = localize(HEARD, time=_time(line.heard_at))
        further = [localize(TABLES_THERE, count=len(line.game_ids))] if line.game_ids else []
        further += [localize(UNSENT, count=line.unsent)] if line.unsent else []
        further += [localize(ASIDE_HERE, count=line.aside)] if line.aside else []
        if line.version and answer.version not in {"", line.version}:
            further.append(localize(OTHER_VERSION, own=line.version, here=answer.version))
        if line.refusal:
            reason = localize(labels_of(pb.PushRefusal.DESCRIPTOR)[line.refusal])
            further.append(localize(REFUSED, reason=reason))
        yield "  ".join(filter(None, (line.hall, state, *further, line.address)))


def format_kept_aside(answer: pb.ListKeptAsideResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the lines of `hall aside`: the events of each hall in sentences, beside those of the championship."""
    reasons, verdicts = labels_of(events.AsideReason.DESCRIPTOR), labels_of(events.AsideVerdict.DESCRIPTOR)
    if not answer.aside:
        yield localize(NONE_ASIDE)
    for each in answer.aside:
        params: dict[str, str | int] = {
            "number": each.number,
            "hall": each.hall,
            "game": game_params(each.game_id, known, language_of_terminal())["game"] or localize(KEPT_WITHOUT_LINE),
            "reason": localize(reasons.get(each.reason, "")),
            "count": each.count or len(each.events),
            "time": _time(each.kept_at),
        }
        verdict = localize(verdicts[each.verdict]) if each.verdict in verdicts else ""
        yield ": ".join(filter(None, (localize(ASIDE, **params), verdict)))
        if each.problem:
            yield f"  {localize(PROBLEM, problem=each.problem)}"
        for heading, those in ((OF_THE_HALL, each.events), (OF_THE_CHAMPIONSHIP, each.here)):
            lines = describe_events(those, known, language_of_terminal())
            yield f"  {localize(heading)}{'' if lines else ' –'}"
            yield from (f"    {_moment(line.at)} {line.said}" if line.at else f"    {line.said}" for line in lines)
        if not verdict:
            for possible in ("disregarded", "entered"):
                decide = f"faristol hall decide {known.tournament_id} {each.number} {possible} --arbiter ID"
                yield f"  {localize(DECIDE_IT, command=decide)}"


def format_kept_commands(answer: pb.ListKeptCommandsResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the lines of `hall kept`: the commands that halls kept without a line, and their outcomes."""
    states = labels_of(pb.KeptState.DESCRIPTOR)
    if not answer.commands:
        yield localize(NONE_KEPT)
    for each in answer.commands:
        params: dict[str, str | int] = {
            "hall": each.hall,
            "command": describe_kept(each, known, language_of_terminal()),
            "time": _time(each.kept_at),
            "state": localize(states.get(each.state, "")),
        }
        why = describe_refusal(each, language_of_terminal()) if each.state == pb.KEPT_STATE_REFUSED else ""
        yield ": ".join(filter(None, (localize(KEPT_COMMAND, **params), why)))
        if each.withdrawable:
            undo = f"faristol hall withdraw {known.tournament_id} {each.command_id}"
            yield f"    {localize(WITHDRAW_IT, command=undo)}"


def _time(at: Timestamp) -> str:
    return _moment(at.ToDatetime(UTC))


def _moment(at: datetime) -> str:
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
