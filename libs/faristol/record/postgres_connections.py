"""Connections to PostgreSQL as its other clients make them: parameters of a URL, passwords from files, a pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

OF_THE_DRIVER = ("host", "port", "user", "ssl", "passfile", "target_session_attrs")
"""Parameters that asyncpg takes by these names."""

OF_LIBPQ = ("sslmode", "sslrootcert", "sslcert", "sslkey", "application_name")
"""Parameters as psql and every other client of PostgreSQL have them."""

PASSWORD_FILE = "password_file"  # noqa: S105 # the name of a parameter
"""A file that holds the password and nothing else. It is read at each connection, so that it can be changed.

A password that the URL itself has is of another role than the file may be of, and goes before.
"""

CONNECTIONS = "connections"
"""How many connections a process has to the database at the most."""

PARAMETERS = (*OF_THE_DRIVER, *OF_LIBPQ, PASSWORD_FILE, CONNECTIONS)
"""What may stand behind the question mark in a URL."""

MOST = 16
"""Connections of a process where nothing else is said."""

LEAST = 4
"""Fewer do not do: one writes, one listens, and a reader of the record must not keep a command waiting."""


def connections_of(url: URL) -> int:
    """How many connections a process may have. Raises ``ValueError`` for what is no such number."""
    given = str(url.query.get(CONNECTIONS, MOST))
    if not (given.isascii() and given.isdecimal() and len(given) < 5 and int(given) >= LEAST):
        raise ValueError(f"{CONNECTIONS}={given!r}: expected a number of connections, {LEAST} or more")
    return int(given)


def driver_url(url: URL) -> URL:
    """A URL with what the driver takes alone."""
    return url.set(query={name: value for name, value in url.query.items() if name in OF_THE_DRIVER})


def engine(url: URL, settings: Mapping[str, str], **more: Any) -> AsyncEngine:
    """An engine for a URL that ``accepted`` has let through; sessions begin with ``settings`` of the server.

    What libpq's clients take goes through the driver's own reader of such URLs.
    """
    others = {name: str(value) for name, value in url.query.items() if name in OF_LIBPQ}
    others.setdefault("application_name", "faristol")
    arguments: dict[str, Any] = {"server_settings": dict(settings), "dsn": f"postgresql:///?{urlencode(others)}"}
    if (file := url.query.get(PASSWORD_FILE)) and not url.password:
        arguments["password"] = _reader(Path(str(file)))
    return create_async_engine(driver_url(url), connect_args=arguments, **more)


def pool(url: URL) -> Mapping[str, int]:
    """The pool of a process: half of its connections stay open, the others come and go."""
    most = connections_of(url)
    return {"pool_size": most - most // 2, "max_overflow": most // 2}


def _reader(file: Path) -> Callable[[], str]:
    def read() -> str:
        return file.read_text(encoding="utf-8").strip()

    return read
