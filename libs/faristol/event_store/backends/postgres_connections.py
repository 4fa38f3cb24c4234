"""Connections to PostgreSQL with the options of its other clients: URL parameters, passwords from files, a pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

OF_THE_DRIVER = ("host", "port", "user", "ssl", "passfile", "target_session_attrs")
"""Parameters that asyncpg accepts under these names."""

OF_LIBPQ = ("sslmode", "sslrootcert", "sslcert", "sslkey", "application_name")
"""Parameters of psql and other clients based on libpq."""

PASSWORD_FILE = "password_file"  # noqa: S105 # a parameter name
"""File with the password only. It is read for each connection, so that the password can be changed.

A password in the URL takes precedence: it may be of a role other than the file's.
"""

CONNECTIONS = "connections"
"""Parameter for the maximum number of connections of a process to the database."""

PARAMETERS = (*OF_THE_DRIVER, *OF_LIBPQ, PASSWORD_FILE, CONNECTIONS)
"""Query parameters that a URL may have."""

DEFAULT_MAX_CONNECTIONS = 16
"""Default maximum of connections of a process."""

MIN_CONNECTIONS = 4
"""Minimum: one connection writes, one listens, and a reader of the record must not delay a command."""


def connections_of(url: URL) -> int:
    """Return the maximum number of connections of a process. Raises ``ValueError`` if the value is invalid."""
    given = str(url.query.get(CONNECTIONS, DEFAULT_MAX_CONNECTIONS))
    if not (given.isascii() and given.isdecimal() and len(given) < 5 and int(given) >= MIN_CONNECTIONS):
        raise ValueError(f"{CONNECTIONS}={given!r}: expected a number of connections, {MIN_CONNECTIONS} or more")
    return int(given)


def driver_url(url: URL) -> URL:
    """Return a URL with only the parameters of the driver."""
    return url.set(query={name: value for name, value in url.query.items() if name in OF_THE_DRIVER})


def engine(url: URL, settings: Mapping[str, str], **more: Any) -> AsyncEngine:
    """Return an engine for a URL that ``accepted`` returned; sessions begin with the server ``settings``.

    The parameters of libpq are passed to the driver's own parser of such URLs.
    """
    others = {name: str(value) for name, value in url.query.items() if name in OF_LIBPQ}
    others.setdefault("application_name", "faristol")
    arguments: dict[str, Any] = {"server_settings": dict(settings), "dsn": f"postgresql:///?{urlencode(others)}"}
    if (file := url.query.get(PASSWORD_FILE)) and not url.password:
        arguments["password"] = _reader(Path(str(file)))
    return create_async_engine(driver_url(url), connect_args=arguments, **more)


def pool(url: URL) -> Mapping[str, int]:
    """Return the pool settings of a process: half of its connections stay open, the others are opened on demand."""
    most = connections_of(url)
    return {"pool_size": most - most // 2, "max_overflow": most // 2}


def _reader(file: Path) -> Callable[[], str]:
    def read() -> str:
        return file.read_text(encoding="utf-8").strip()

    return read
