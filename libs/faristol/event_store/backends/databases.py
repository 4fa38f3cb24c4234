"""The databases that a record supports, by the scheme of a URL."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlalchemy import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends.backend import Backend, format_url
from faristol.event_store.backends.postgres import Postgres
from faristol.event_store.backends.sqlite import Sqlite
from faristol.event_store.errors import RecordError, RecordUnavailable, UnknownDatabase

BACKENDS: Mapping[str, type[Backend]] = {"sqlite": Sqlite, "postgresql": Postgres}

EXPECTED_DATABASE_URL = "expected sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME"

LACKS_RIGHTS_HINT = (
    "; the owner of the tables may (FARISTOL_DATABASE_OWNER_URL), and `faristol record roles` grants the roles of "
    "services what they need"
)

FAILURES = (DBAPIError, PoolTimeout, OSError)
"""Exceptions of a database that are mostly transient: it does not answer, or all connections are busy."""

_WITH_PASSWORD = re.compile(r"//[^/]*@")


def parse(url: str) -> URL:
    """Parse a URL and set its driver. Raises ``UnknownDatabase`` if it is malformed or not supported."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError for a port that is not a number
        raise UnknownDatabase(
            f"{_WITH_PASSWORD.sub('//', url)!r} is not a database URL: {EXPECTED_DATABASE_URL}"
        ) from None
    name = parsed.get_backend_name()
    if name == "postgres":  # the scheme in the URLs of some hosting providers
        parsed, name = parsed.set(drivername="postgresql"), "postgresql"
    if name not in BACKENDS:
        raise UnknownDatabase(f"a record cannot use {name!r}: {EXPECTED_DATABASE_URL}")
    return BACKENDS[name].check_url(parsed)


def kind_of(there: URL | AsyncConnection) -> type[Backend]:
    """Return the kind of database of a URL or connection."""
    return BACKENDS[there.get_backend_name() if isinstance(there, URL) else there.dialect.name]


def unusable(url: URL, problem: Exception) -> RecordError:
    """Return the error for a failed database: ``RecordUnavailable`` if a retry may succeed."""
    reason = problem.orig if isinstance(problem, DBAPIError) else problem
    error = RecordUnavailable if kind_of(url).is_away(problem) else RecordError
    hint = LACKS_RIGHTS_HINT if kind_of(url).lacks_rights(problem) else ""
    return error(f"the database {format_url(url)} cannot be used: {reason}{hint}")


def is_wrong_statement(problem: DBAPIError) -> bool:
    """Check whether a failure is due to the statement, not to the state of the database."""
    if problem.connection_invalidated:
        return False
    if isinstance(problem, DataError | IntegrityError | NotSupportedError | ProgrammingError):
        return True
    return any(backend.is_wrong_statement(problem) for backend in BACKENDS.values())


def is_away(problem: DBAPIError) -> bool:
    """Check whether a failure is due to the state of the database, not to the statement."""
    if isinstance(problem, OperationalError | InterfaceError) or problem.connection_invalidated:
        return not is_wrong_statement(problem)
    return any(backend.is_away(problem) for backend in BACKENDS.values())


def is_full(problem: DBAPIError) -> bool:
    """Check whether the disk of the database is full."""
    cause: BaseException | None = problem
    while isinstance(cause, DBAPIError):
        cause = cause.orig
    while cause is not None:
        if any(backend.is_full(cause) for backend in BACKENDS.values()):
            return True
        cause = cause.__cause__  # the driver's error is the cause of that of SQLAlchemy's adapter
    return False
