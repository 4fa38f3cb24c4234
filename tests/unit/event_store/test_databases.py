from __future__ import annotations

import re
from pathlib import Path

import pytest
from asyncpg.exceptions import InsufficientPrivilegeError
from sqlalchemy.exc import ProgrammingError

from faristol.event_store import Record
from faristol.event_store.backends.databases import parse, unusable
from faristol.event_store.errors import UnknownDatabase


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite:///", "names no file"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///file:x?mode=memory&uri=true", "names no file"),
        ("sqlite:///a%00b", "names no file"),
        ("sqlite://host/a.db", "names a host"),
        ("sqlite:///a.db?mode=ro", "has 'mode' after the question mark"),
        ("postgresql://me:secret@localhost:abc/x", "'postgresql://localhost:abc/x' is not a database URL"),
        ("postgresql://me:secret@localhost:99999/x", "99999 in postgresql://me:***@localhost:99999/x is not a port"),
        ("postgresql://localhost:0/x", "0 in postgresql://localhost:0/x is not a port"),
        ("postgresql:///x?host=a&port=99999", "99999 in"),
        ("postgresql:///x?host=a&port=b", "the host or port of postgresql:///x?host=a&port=b cannot be used"),
        ("postgresql://localhost/x?host=/tmp&bogus=1", "'bogus' is not a parameter of a database URL: expected host"),
        ("mysql://localhost/x", "a record cannot use 'mysql'"),
    ],
)
def test_a_url_on_which_no_record_can_stand_is_told_without_its_password(url: str, expected: str) -> None:
    with pytest.raises(UnknownDatabase) as told:
        parse(url)
    assert expected in str(told.value)
    assert "secret" not in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("url", "database", "port"),
    [
        ("sqlite:///folder/a.db", "folder/a.db", None),
        ("sqlite:////tmp/what%3Fx%3D1/a.db", "/tmp/what?x=1/a.db", None),
        ("postgresql://me:secret@host/cell", "cell", None),
        ("postgres://host:5433/cell", "cell", 5433),
        ("postgresql://host/cell?ssl=require&target_session_attrs=primary", "cell", None),
        ("postgresql:///cell?host=one:5432&host=two:5433", "cell", None),
        ("postgresql://u@[::1]:1/cell", "cell", 1),
    ],
)
def test_a_url_of_a_file_or_a_server_is_taken(url: str, database: str, port: int | None) -> None:
    parsed = parse(url)
    assert (parsed.database, parsed.port) == (database, port)


async def test_a_new_record_of_names_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    try:
        modes = modes_of(tmp_path)
    finally:
        await record.close()
    assert modes == {"record.db": 0o600, "record.db-shm": 0o600, "record.db-wal": 0o600}


def modes_of(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


def test_nothing_but_a_backend_asks_which_database_it_has() -> None:
    root = Path(__file__).parents[3]
    own = {
        root / "libs/faristol/event_store/backends" / name
        for name in ("sqlite.py", "postgres.py", "postgres_roles.py", "databases.py")
    }
    code = [
        path for part in ("libs", "services", "apps") for path in (root / part).rglob("*.py") if "pb" not in path.parts
    ]
    asks = re.compile(r"\bdialects?\b.*(name|import)|get_backend_name|sqlalchemy\.dialects")
    assert len(code) > len(own)
    assert [path for path in code if path not in own and asks.search(path.read_text(encoding="utf-8"))] == [
        root / "libs/faristol/event_store/backends/backend.py"  # shows a URL without its driver
    ]


def test_a_role_without_the_rights_is_told_who_has_them() -> None:
    problem = ProgrammingError("", {}, InsufficientPrivilegeError("permission denied for table counter"))
    message = str(unusable(parse("postgresql://reader:secret@host/cell"), problem))
    assert "permission denied for table counter" in message
    assert "FARISTOL_DATABASE_OWNER_URL" in message
    assert "secret" not in message
