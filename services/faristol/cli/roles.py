"""`faristol record roles`: what the services may do in a PostgreSQL database."""

from __future__ import annotations

from typing import Annotated

import typer

from faristol.cli.options import AsJson, Data, Database
from faristol.cli.record import with_record
from faristol.terminal.common import tell
from faristol.terminal.settings import owners_settings_of

Writer = Annotated[str, typer.Option(metavar="ROLE", help="Role of the services that decide.")]
Reader = Annotated[str, typer.Option(metavar="ROLE", help="Role of the results service.")]


def roles(
    writer: Writer = "",
    reader: Reader = "",
    data: Data = None,
    database_url: Database = None,
    json_output: AsJson = False,
) -> None:
    """Grant roles of PostgreSQL what the services need, and nothing that changes or removes a fact.

    It is done as the owner of the tables, at FARISTOL_OWNER_DATABASE_URL or --database-url. Granting again changes
    nothing.
    """
    from faristol.host.roles import Role, grant, told

    given = {Role.WRITER: writer, Role.READER: reader}
    names = {role: name for role, name in given.items() if name}
    if not names:
        raise typer.BadParameter("there is nothing to grant: name a role with --writer or --reader")
    if len(set(names.values())) < len(names):
        raise typer.BadParameter("each role has to be another: who has all rights of two has those of the wider one")
    with_record(owners_settings_of(data=data, database_url=database_url), lambda record: grant(record, names))
    tell({"granted": {str(role): name for role, name in names.items()}}, told(names), json_output=json_output)
