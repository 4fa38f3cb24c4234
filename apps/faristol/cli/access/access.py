"""`faristol access …`: credentials and their keys, and the NATS user of a program that reads public events."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from faristol.access_control import keyring
from faristol.access_control.credential import Credential, Scope
from faristol.access_control.errors import AccessError
from faristol.access_control.roles import OPERATOR, ROLE_NAMES, ROLES, SERVICE
from faristol.access_control.tokens import decode_unverified
from faristol.access_control.tokens import hand_on as handed_on
from faristol.bus.permissions import authorization, create_password, program
from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import AsJson, Data
from faristol.client.credentials import TOKEN, calling_as
from faristol.client.links import qr_code, sign_in_link
from faristol.client.places import ranges, tables_of
from faristol.event_store.append.decision import TOURNAMENT_ID_PATTERN
from faristol.event_store.integrity import keys as key_files
from faristol.host import Addresses, StartError
from faristol.kernel.addresses import endpoint
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.presentation import labels
from faristol.table_terminal.shared.common import as_json, columns, localize, print_answer, settings_of
from faristol.table_terminal.shared.names import TournamentNames
from faristol.table_terminal.shared.services import address_of

FORMS = {"token": events.FORM_TOKEN, "link": events.FORM_LINK, "pin": events.FORM_PIN}
_LIFETIME_PATTERN = re.compile(r"(\d{1,5})([mhd])")
_PIN = re.compile(r"[0-9]{6}")
MAX_LIFETIME_SECONDS = 400 * 86_400
"""Longest lifetime in seconds that the access service grants."""
_UNIT_SECONDS = {"m": 60, "h": 3_600, "d": 86_400}

TAKE_IT = N_("export {variable}={token}")
AT_TABLE = N_("PIN at table {tables}: {pin}")
AT_HALL = N_("In the network of {hall}:\n{link}")
AT_CHAMPIONSHIP = N_("On the pages of the championship: {link}")
LIKELY_PAGES = N_("The address of this link is a guess: set {setting} to the address at which people reach the pages.")
DEFAULT_PORT = 8080
NO_SUCH_TABLE = N_("{tournament} has no table {table}; it has {known}")
NO_SUCH_HALL = N_("{tournament} has no hall {hall}; it has {known}")
NO_HALLS = N_("{tournament} has no halls")
PIN_AT_TABLE = N_("a PIN is for a table: add {options}")

Role = Annotated[str, typer.Argument(help=f"One of {', '.join(ROLE_NAMES.values())}.")]
Tournaments = Annotated[
    list[str] | None, typer.Option("--tournament", help="Tournament of the credential; can be repeated.")
]
Halls = Annotated[
    list[str] | None, typer.Option("--hall", help="Hall whose tables the credential covers; can be repeated.")
]
Tables = Annotated[list[int] | None, typer.Option("--table", help="Table of the credential; can be repeated.")]
Languages = Annotated[list[str] | None, typer.Option("--language", help="Language of a judge; can be repeated.")]
DEFAULT_LIFETIME = "16h"
"""Lifetime of a credential if none is given."""

Lasts = Annotated[str, typer.Option("--for", metavar="TIME", help="Lifetime: 30m, 16h, 3d.")]
Player = Annotated[str, typer.Option("--player", help="The player: name, beginning of the name, or id.")]


def grant(
    client: Client,
    role: Role,
    name: Annotated[str, typer.Argument(help="Name of the holder; not needed for a player.")] = "",
    tournament: Tournaments = None,
    hall: Halls = None,
    table: Tables = None,
    language: Languages = None,
    player: Player = "",
    subject: Annotated[str, typer.Option("--id", help="Id of the holder, if others refer to it, as for a judge.")] = "",
    lasts: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="TIME",
            help="Lifetime: 30m, 16h, 3d; by default 16h, or as long as your own credential if that is shorter.",
        ),
    ] = "",
    form: Annotated[str, typer.Option("--by", help="Form of delivery: token, link or pin.")] = "token",
    key: Annotated[
        Path | None,
        typer.Option(help="Create a key in this file; with it the holder can delegate a part of their rights."),
    ] = None,
) -> None:
    """Grant a role, by a token, a link or a PIN."""
    wanted = form if form in FORMS else ""
    if not wanted:
        raise typer.BadParameter(f"there is no form {form!r}; there are: {', '.join(FORMS)}")
    if wanted == "pin" and not (table and tournament):
        raise StartError(localize(PIN_AT_TABLE, options=_lacking(tournament, table)))
    tournament = [client.find_tournament(each) for each in tournament or ()]
    if len(tournament) == 1 and (player or hall or table):
        place = client.load_names(tournament[0])
        _check_place(place, hall or (), table or ())
        player = place.player(player) if player else ""
    request = pb.GrantCredentialRequest(
        name=name,
        subject_id=subject,
        role=_role(role),
        scope=events.Scope(tournament_ids=tournament, halls=hall or (), tables=table or (), languages=language or ()),
        player_id=player,
        lifetime_seconds=lifetime_seconds(lasts) if lasts else find_lifetime(client),
        form=FORMS[form],
        holder_key=key_files.make(key).public_key().public_bytes_raw() if key else b"",
    )
    # Only an operator may grant the roles operator and service, so the console calls in that role.
    given_by = calling_as(OPERATOR) if request.role in (OPERATOR, SERVICE) else nullcontext()
    with given_by:
        answer = client.answer_to(request)
    content = {**as_json(answer), "link": link_of(answer, client)}
    client.print(content, describe_grant(answer, client))


def find_lifetime(client: ServiceClient) -> int:
    """Return the default lifetime in seconds, or that of the caller's own credential if it ends earlier."""
    usual = lifetime_seconds(DEFAULT_LIFETIME)
    if not os.environ.get(TOKEN):
        return usual
    who = client.answer_to(pb.GetCallerRequest())
    if not who.HasField("gives_until"):
        return usual
    left = who.gives_until.ToDatetime(UTC) - datetime.now(UTC)
    return max(1, min(usual, int(left.total_seconds())))


def link_of(answer: pb.GrantCredentialResponse, client: ServiceClient) -> str:
    """Return the link by which the holder signs in; empty for a token or a PIN."""
    return sign_in_link(Addresses().http_address or _likely_pages(client), answer.code) if answer.code else ""


def describe_grant(answer: pb.GrantCredentialResponse, client: ServiceClient) -> str:
    """Return the text with which its holder signs in: a variable for a token, the link of a code, or a PIN."""
    if answer.token:
        return localize(TAKE_IT, variable=TOKEN, token=answer.token)
    if not answer.code:
        return localize(AT_TABLE, tables=", ".join(map(str, answer.credential.scope.tables)), pin=answer.pin)
    link = link_of(answer, client)
    if answer.hall_codes:
        links = [(each.hall, sign_in_link(each.address, each.code)) for each in answer.hall_codes]
        at_halls = [localize(AT_HALL, hall=hall, link=f"{qr_code(there)}\n{there}") for hall, there in links]
        return "\n".join((*at_halls, localize(AT_CHAMPIONSHIP, link=link)))
    if Addresses().http_address:
        return f"{qr_code(link)}\n{link}"
    return f"{link}\n{localize(LIKELY_PAGES, setting='FARISTOL_HTTP_ADDRESS')}"


def _likely_pages(client: ServiceClient) -> str:
    """Return the likely URL of the pages: the host of the access service with the port of the settings."""
    host = urlsplit(f"//{address_of('access', client.address)}").hostname or "localhost"
    return f"http://{endpoint(host, settings_of().http_port or DEFAULT_PORT)}"


def format_credentials(answer: pb.ListCredentialsResponse) -> Iterator[str]:
    """Yield the lines of `access list`, the latest credential first."""
    rows = [
        (
            line.credential.credential_id,
            *_cells(line),
            events.Form.Name(line.form).removeprefix("FORM_").lower(),
            line.credential.expires_at.ToDatetime(UTC).isoformat(timespec="minutes"),
            "ended" if line.HasField("revoked_at") else "locked" if line.locked else f"{line.sessions}",
        )
        for line in answer.credentials
    ]
    yield from columns(rows) if rows else [localize(N_("no entries"))]


def format_caller(answer: pb.GetCallerResponse) -> Iterator[str]:
    """Yield the line of `access who`: role, holder, scope and end of the credential."""
    until = answer.credential.expires_at.ToDatetime(UTC).isoformat(timespec="minutes")
    yield "  ".join((*_cells(answer), until))


def _cells(line: pb.CredentialLine | pb.GetCallerResponse) -> tuple[str, str, str]:
    """Return role, holder and scope of a credential."""
    credential = line.credential
    role = localize(labels.ROLES[credential.role])
    return role, line.name or credential.subject_id, _over(credential.scope)


def sign_in(
    client: Client,
    by: Annotated[str, typer.Argument(metavar="CODE|PIN", help="The code of a link, or the six digits of a PIN.")],
    tournament: Annotated[str, typer.Option("--tournament", help="Tournament of a PIN.")] = "",
    table: Annotated[int, typer.Option("--table", min=0, help="Table of a PIN.")] = 0,
) -> None:
    """Get a token with the code of a link, or with a PIN at a table."""
    request = pb.SignInRequest()
    by = by.strip().rpartition("#")[2]  # accepts a whole link
    is_pin = bool(_PIN.fullmatch(by))
    if is_pin and not (tournament and table):
        raise StartError(localize(PIN_AT_TABLE, options=_lacking(tournament, table)))
    if table:
        tournament = client.find_tournament(tournament)
        request.pin.CopyFrom(pb.PinAtTable(tournament_id=tournament, table=table, pin=by))
    else:
        request.code = by
    answer = client.answer_to(request)
    client.print(answer, localize(TAKE_IT, variable=TOKEN, token=answer.token))


def hand_on(
    role: Role,
    subject: Annotated[
        str, typer.Argument(help="Suffix of the holder's id, after your own: letters, digits and hyphens.")
    ],
    key: Annotated[Path, typer.Option(help="The key that came with your own token.")],
    name: Annotated[str, typer.Option(help="Name of the holder.")] = "",
    tournament: Tournaments = None,
    hall: Halls = None,
    table: Tables = None,
    player: Player = "",
    lasts: Lasts = DEFAULT_LIFETIME,
    json_output: AsJson = False,
) -> None:
    """Sign a token with a part of your rights, offline. Your own token is read from FARISTOL_CLIENT_TOKEN.

    Each omitted part of the scope is that of your credential.
    """
    token = os.environ.get(TOKEN, "")
    if not token:
        raise StartError(localize(N_("{variable} does not contain your own token"), variable=TOKEN))
    try:
        own = decode_unverified(token)
        now = datetime.now(UTC).replace(microsecond=0)
        scope = Scope(
            frozenset(tournament or own.scope.tournaments),
            frozenset(hall or own.scope.halls),
            frozenset(table or own.scope.tables),
            own.scope.languages,
        )
        until = min(now + timedelta(seconds=lifetime_seconds(lasts)), own.expires_at)
        credential = Credential(
            str(uuid.uuid4()), f"{own.subject}-{subject}", _role(role), scope, now, until, name, player or own.player
        )
        private: Ed25519PrivateKey = key_files.read_private(key)
        made = handed_on(token, own, credential, private)
    except AccessError as error:
        raise StartError(localize(error.message, **error.params)) from error
    print_answer({"token": made}, localize(TAKE_IT, variable=TOKEN, token=made), json_output=json_output)


def keys(
    what: Annotated[str, typer.Argument(help="list, rotate or retire.")] = "list",
    key: Annotated[str, typer.Argument(help="Id of the key to retire.")] = "",
    data: Data = None,
    json_output: AsJson = False,
) -> None:
    """List, rotate or retire the keys that sign credentials, in FARISTOL_ACCESS or the folder `access` of the data.

    After `rotate` the new key signs, and tokens of the old one remain valid until `retire` removes it.
    """
    folder = settings_of(data=data).access_folder()
    match what:
        case "list":
            found = keyring.list_keys(folder)
            rows = [(key_id, file, "signs" if signs else "") for key_id, file, signs in found]
            content = [{"key": key_id, "file": file, "signs": signs} for key_id, file, signs in found]
            print_answer(content, columns(rows) if rows else localize(N_("no entries")), json_output=json_output)
        case "rotate":
            # In an empty folder, `prepare` creates the first key and the secret.
            made = str(folder if keyring.prepare(folder) else keyring.rotate(folder))
            print_answer({"made": made}, made, json_output=json_output)
        case "retire":
            gone = list(map(str, keyring.retire(folder, key)))
            print_answer({"removed": gone}, gone, json_output=json_output)
        case _:
            raise typer.BadParameter(f"{what!r}: expected list, rotate or retire")


def _check_place(place: TournamentNames, halls: Sequence[str], tables: Sequence[int]) -> None:
    """Check that a tournament has these halls and tables, if they are known. Raises ``StartError``."""
    tournament = place.tournament
    for hall in halls:
        if hall not in (known := [each.name for each in tournament.halls]):
            text = NO_SUCH_HALL if known else NO_HALLS
            raise StartError(localize(text, tournament=tournament.name, hall=repr(hall), known=", ".join(known)))
    seated = (seat.table for played in tournament.played for seat in played.pairings if seat.table)
    known_tables = tables_of(tournament.halls, len(tournament.players), seated)
    for table in tables:
        if known_tables and table not in known_tables:
            known_ones = ranges(known_tables)
            raise StartError(localize(NO_SUCH_TABLE, tournament=tournament.name, table=table, known=known_ones))


def _role(name: str) -> needs.Role.ValueType:
    if name not in ROLES:
        raise typer.BadParameter(f"there is no role {name!r}; there are: {', '.join(ROLE_NAMES.values())}")
    return ROLES[name]


def _lacking(tournament: object, table: object) -> str:
    """Return the missing options of a PIN."""
    return " ".join(option for option, given in (("--tournament ID", tournament), ("--table N", table)) if not given)


def lifetime_seconds(lasts: str) -> int:
    """Return the seconds of a lifetime, such as ``16h``. Raises ``BadParameter`` for any other text."""
    match = _LIFETIME_PATTERN.fullmatch(lasts)
    if not match:
        raise typer.BadParameter(f"{lasts!r} is not a duration: expected 30m, 16h or 3d")
    seconds = int(match[1]) * _UNIT_SECONDS[match[2]]
    if not 0 < seconds <= MAX_LIFETIME_SECONDS:
        raise StartError(localize(N_("{given}: expected more than 0 and at most 400 days"), given=f"--for {lasts}"))
    return seconds


def _over(scope: events.Scope) -> str:
    """Format a scope for a cell: ``open: hall A, table 3``."""
    parts = [f"hall {hall}" for hall in scope.halls] + [f"table {table}" for table in scope.tables]
    tournaments = ", ".join(scope.tournament_ids) or "all"
    return ": ".join(filter(None, (tournaments, ", ".join((*parts, *scope.languages)))))


_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")

INVALID_NAME = N_("{name}: expected 1 to 32 small letters, digits and hyphens")
INVALID_TOURNAMENT = N_("{tournament}: expected the id of a tournament")


def bus(
    name: Annotated[str, typer.Argument(help="Name of the program: small letters, digits and hyphens.")],
    tournament: Annotated[
        list[str] | None, typer.Option("--tournament", help="Only events of this tournament; can be repeated.")
    ] = None,
    json_output: AsJson = False,
) -> None:
    """Print a NATS user with a new password, which may only read the public events of tournaments.

    Add it to the users of the NATS server, and reload the server.
    """
    if not _NAME.fullmatch(name):
        raise StartError(localize(INVALID_NAME, name=repr(name)))
    for each in tournament or ():
        if not TOURNAMENT_ID_PATTERN.fullmatch(each):
            raise StartError(localize(INVALID_TOURNAMENT, tournament=repr(each)))
    user = program(name, tournament or ())
    password = create_password()
    content = {
        "user": user.name,
        "password": password,
        "publish": list(user.publish),
        "subscribe": list(user.subscribe),
    }
    print_answer(content, authorization([user], {user.name: password}).rstrip(), json_output=json_output)
