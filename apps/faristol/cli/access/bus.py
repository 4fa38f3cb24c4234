"""`faristol access bus`: the NATS user of a program that reads public events."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from faristol.bus.permissions import authorization, create_password, program
from faristol.cli.options import AsJson
from faristol.event_store.append.decision import TOURNAMENT_ID_PATTERN
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.table_terminal.shared.common import localize, print_answer

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
