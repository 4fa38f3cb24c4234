"""Roles of PostgreSQL: grant the required rights, and list missing ones.

A role owns only a schema with its name, where it may create tables. PostgreSQL searches it first, and only for this
role: a table made by one role cannot shadow a table of the record for another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import Table, text
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends import tables
from faristol.event_store.backends.rights import Right
from faristol.event_store.errors import RecordError

_ROLE = text(
    "SELECT pg_has_role(:role, relowner, 'MEMBER') AS owns, pg_get_userbyid(relowner) AS owner,"
    " pg_has_role(current_user, relowner, 'USAGE') AS granting, relnamespace::regnamespace::text AS schema"
    " FROM pg_class WHERE oid = to_regclass('counter')"
)
_OF_OTHERS = text(
    "SELECT relname::text, pg_get_userbyid(relowner)::text FROM pg_class"
    " WHERE relname = ANY (:names) AND relkind = 'r' AND to_regclass(relname::text) IS NULL ORDER BY 1"
)
_MAY_CREATE = text(
    "SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace"
    " WHERE oid = CAST(:schema AS regnamespace) AND has_schema_privilege(CAST(:role AS name), oid, 'CREATE')"
)
"""The owner of the schema of the record, if a role may create in it. A REVOKE by other roles only warns."""
_IS_ROLE = text("SELECT 1 FROM pg_roles WHERE rolname = :role")
_ELSEWHERE = text(
    "SELECT c.oid::regclass::text AS found, quote_ident(c.relname) AS name FROM pg_class c"
    " JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles o ON o.oid = c.relowner"
    " WHERE c.relname = ANY (:names) AND c.relkind = 'r' AND o.rolname <> :role AND n.nspname <> :role"
    " AND (n.nspname = o.rolname OR n.oid = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('counter')))"
    " AND has_table_privilege(o.oid, to_regclass('counter'), 'SELECT')"
    " AND (has_table_privilege(o.oid, to_regclass('events'), 'INSERT')"
    " OR NOT has_table_privilege(CAST(:role AS name), to_regclass('events'), 'INSERT'))"
)
"""Tables to move to a role: tables beside the record, or in the schema of another role of this cell.

A role that appends gets no table of a role that does not: a trigger on it would run as its new owner.
"""


async def grant(connection: AsyncConnection, role: str, rights: Sequence[Right], own: Collection[str]) -> None:
    """Grant a role exactly these rights on the tables of the record; ``own`` are tables that become its own.

    Raises ``RecordError`` if the role does not exist, or if grants cannot restrict it.
    """
    if (await connection.execute(_IS_ROLE, {"role": role})).first() is None:
        raise RecordError(f"there is no role {role!r}: make it with `CREATE ROLE … LOGIN PASSWORD …`")
    found = (await connection.execute(_ROLE, {"role": role})).one()
    if not found.granting:
        raise RecordError(f"only {found.owner}, the owner of the tables, can grant rights on them")
    if found.owns:
        raise RecordError(f"no grant holds {role!r} back: it is a superuser, or may act for {found.owner}")
    quoted = _quote_identifier(connection, role)
    for statement in _statements(connection, found.schema, quoted, rights):
        await connection.execute(text(statement))
    if (owner := (await connection.execute(_MAY_CREATE, {"schema": found.schema, "role": role})).scalar()) is not None:
        raise RecordError(
            f"{role!r} may create tables and functions in the schema {found.schema}, which {owner} owns, as every role "
            f"may on PostgreSQL 14: run `ALTER SCHEMA {found.schema} OWNER TO {found.owner}` as {owner}, and try again"
        )
    for table in (await connection.execute(_ELSEWHERE, {"names": sorted(own), "role": role})).all():
        await connection.execute(text(f"ALTER TABLE {table.found} SET SCHEMA {quoted}"))
        await connection.execute(text(f"ALTER TABLE {quoted}.{table.name} OWNER TO {quoted}"))


def _statements(connection: AsyncConnection, schema: str, role: str, rights: Sequence[Right]) -> Iterator[str]:
    """Yield the statements of a grant. ``schema`` is that of the record; it and ``role`` are quoted."""
    yield f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC"
    yield f"REVOKE ALL ON SCHEMA {schema} FROM {role}"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {role}"
    for table in tables.metadata.sorted_tables:
        yield f"REVOKE ALL ON {schema}.{table.name} FROM {role}"
    yield f"CREATE SCHEMA IF NOT EXISTS {role} AUTHORIZATION {role}"
    for right in rights:
        for privilege in right.privileges:
            columns = f" ({', '.join(right.columns)})" if privilege == "UPDATE" and right.columns else ""
            yield f"GRANT {privilege}{columns} ON {schema}.{right.table.name} TO {role}"


async def missing(connection: AsyncConnection, rights: Sequence[Right]) -> list[str]:
    """List those of these rights that the role of this connection lacks, such as ``INSERT on events``."""
    asked = [
        (right.table, privilege, right.columns if privilege == "UPDATE" else ())
        for right in rights
        for privilege in right.privileges
    ]
    looked = ", ".join(_test(*each) for each in asked)
    found = (await connection.execute(text(f"SELECT {looked}"))).one()
    return [f"{privilege} on {table.name}" for (table, privilege, _), may in zip(asked, found, strict=True) if not may]


async def of_others(connection: AsyncConnection, names: Collection[str]) -> dict[str, str]:
    """Return the tables outside the search path of the role of this connection, with their owners."""
    found = await connection.execute(_OF_OTHERS, {"names": sorted(names)})
    return {str(name): str(owner) for name, owner in found}


def _test(table: Table, privilege: str, columns: Collection[str]) -> str:
    there = f"to_regclass('{table.name}')"
    if columns:
        each = (f"has_column_privilege({there}, '{column}', '{privilege}')" for column in sorted(columns))
        test = " AND ".join(each)
    else:
        test = f"has_table_privilege({there}, '{privilege}')"
    # A missing table counts as permitted if the role may create it.
    return f"COALESCE({test}, has_schema_privilege(current_schema(), 'CREATE'))"


def _quote_identifier(connection: AsyncConnection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote_identifier(name)
