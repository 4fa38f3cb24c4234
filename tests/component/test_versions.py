"""A version and the one before it on one record, around a migration: the one before is an older commit, as it was."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import ProgrammingError
from tests.campaigns.faults.release import Release, before
from tests.component.processes import FARISTOL, Child, environment, faristol, free_port, wait_until_serving
from tests.component.test_roles import query

from faristol import event_store
from faristol.bus import NatsServer
from faristol.event_store.backends import tables
from faristol.event_store.backends.migrations import MIGRATIONS

ADDED_FORMAT = tables.RECORD_FORMAT + 1
ADDED_MIGRATIONS = f"""

async def _column(connection: AsyncConnection) -> None:
    await connection.execute(text("ALTER TABLE events ADD COLUMN hall VARCHAR(64)"))


async def _index(connection: AsyncConnection) -> None:
    await connection.execute(text("CREATE INDEX ix_events_hall ON events (hall)"))


MIGRATIONS = (*MIGRATIONS, Migration("pre-{ADDED_FORMAT:04}-hall", _column),
    Migration("post-{ADDED_FORMAT:04}-hall", _index))
"""

pytestmark = [pytest.mark.nightly, pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]


@dataclass
class Version:
    """How commands of a version are started."""

    by: Sequence[str]
    settings: dict[str, object]
    folder: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*self.by, FARISTOL, *arguments]
        return subprocess.run(
            command, env=environment(**self.settings), capture_output=True, text=True, timeout=300, check=False
        )

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Yield all services, by their address."""
        port, program = free_port(), shutil.which(self.by[0])
        assert program
        data = self.folder / f"data-{port}"
        given = ["up", "--data", str(data), "--grpc", str(port), "--http", str(free_port())]
        up = Child([*self.by[1:], FARISTOL, *given], self.settings, self.folder / f"{port}.log", program)
        try:
            wait_until_serving(f"127.0.0.1:{port}", up, "results")
            yield f"127.0.0.1:{port}"
        finally:
            assert up.terminate() == 0, up.output()


@dataclass(frozen=True)
class Newer:
    """The version after a release: the start of its commands, the format of its record, and the steps that reach it."""

    by: Sequence[str]
    format: int
    before: str
    after: str


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    try:
        found = before(tmp_path_factory.mktemp("older") / "release")
    except subprocess.CalledProcessError:
        pytest.skip("the history does not reach back to the version before")
    assert found.format >= tables.RECORD_FORMAT - 1, "a version cannot be skipped: name a later commit as EARLIER"
    return found


@pytest.fixture
def version(new_database: str, nats_server: NatsServer, tmp_path: Path) -> Callable[..., Version]:
    def of(by: Sequence[str], **settings: object) -> Version:
        return Version(by, {"database_url": new_database, "nats_url": nats_server.url, **settings}, tmp_path)

    return of


@pytest.fixture
def newer(release: Release, tmp_path: Path) -> Newer:
    """Return this version if it has another format than the release; otherwise this version with one more migration."""
    if release.format < tables.RECORD_FORMAT:
        steps = [step for step in MIGRATIONS if step.format == tables.RECORD_FORMAT]
        [before_it] = [step.name for step in steps if step.is_before]
        [after_it] = [step.name for step in steps if not step.is_before]
        return Newer(("env",), tables.RECORD_FORMAT, before_it, after_it)
    packages = tmp_path / "packages"
    copied = packages / "faristol" / "event_store"
    shutil.copytree(Path(event_store.__file__).parent, copied, ignore=shutil.ignore_patterns("__pycache__"))
    told = (copied / "backends" / "tables.py").read_text(encoding="utf-8")
    (copied / "backends" / "tables.py").write_text(
        told.replace(f"FORMAT = {tables.RECORD_FORMAT}", f"FORMAT = {ADDED_FORMAT}"), encoding="utf-8"
    )
    with (copied / "backends" / "migrations.py").open("a", encoding="utf-8") as file:
        file.write(ADDED_MIGRATIONS)
    added = f"{ADDED_FORMAT:04}-hall"
    return Newer(("env", f"PYTHONPATH={packages}"), ADDED_FORMAT, f"pre-{added}", f"post-{added}")


def create(address: str, tournament: str) -> None:
    done = faristol("tournament", "create", tournament, "--name", tournament, "--rounds", "5", client_address=address)
    assert done.returncode == 0, done.stderr


def list_tournaments(address: str) -> str:
    return faristol("tournament", "list", "--json", client_address=address).stdout


def test_both_run_while_pods_are_replaced_and_the_one_before_not_after_the_last_step(
    release: Release, newer: Newer, version: Callable[..., Version], new_database: str
) -> None:
    old, new = version(release.by), version(newer.by)
    with ExitStack() as stack:
        at_old = stack.enter_context(old.serving())
        create(at_old, "first")

        early = new.run("serve", "rating", "--grpc", str(free_port()))
        assert early.returncode != 0
        assert f"{newer.before} not taken yet" in early.stderr

        ready = new.run("record", "migrate", "--pre", "--database-url", new_database)
        assert ready.stdout == f"{newer.before} taken\n", ready.stderr
        create(at_old, "second")
        with old.serving() as again, new.serving() as at_new:
            create(again, "third")
            create(at_new, "fourth")
            for address in (at_old, again, at_new):
                assert all(each in list_tournaments(address) for each in ("first", "second", "third")), (
                    list_tournaments(address)
                )
            create(at_old, "fifth")
    with new.serving() as at_new:
        done = new.run("record", "migrate", "--database-url", new_database)
        assert done.stdout == f"{newer.after} taken: format {newer.format} reached\n", done.stderr
        create(at_new, "sixth")
        late = old.run("serve", "rating", "--grpc", str(free_port()))
        assert late.returncode != 0
        assert "a newer version has migrated it" in late.stderr
    verified = new.run("record", "verify", "--database-url", new_database)
    assert "order and hashes are right" in verified.stdout, verified.stderr


@pytest.fixture
def by_role(new_database: str) -> Callable[[str], str]:
    """Return the database by a role of a cell: of its `owner`, or of the `writer`."""
    suffix = uuid.uuid4().hex[:8]
    names = {role: f"{role}_{suffix}" for role in ("owner", "writer")}
    asyncio.run(
        query(
            new_database,
            *(f"CREATE ROLE {name} LOGIN" for name in names.values()),
            f"GRANT {names['writer']} TO {names['owner']}",
            f"ALTER DATABASE {make_url(new_database).database} OWNER TO {names['owner']}",
        )
    )
    return lambda role: make_url(new_database).set(username=names[role]).render_as_string(hide_password=False)


def test_both_run_by_a_role_that_changes_nothing_while_the_owner_takes_the_steps(
    release: Release, newer: Newer, version: Callable[..., Version], by_role: Callable[[str], str]
) -> None:
    """as in docs/operations.md: the preparation of the record uses the owner's URL, services that of the writer"""
    owner, writer = by_role("owner"), by_role("writer")
    old, new = (version(by, database_url=writer) for by in (release.by, newer.by))
    owners = {"database_owner_url": owner, "database_url": writer}
    grant = ("record", "roles", "--writer", str(make_url(writer).username))
    with version(release.by, database_url=owner).serving() as at_first:
        create(at_first, "first")
    granted = version(release.by, **owners).run(*grant)
    assert granted.returncode == 0, granted.stderr
    with ExitStack() as stack:
        at_old = stack.enter_context(old.serving())
        create(at_old, "second")
        refused = new.run("record", "migrate", "--pre")
        assert refused.returncode == 2
        assert "must be owner of table" in refused.stderr, refused.stderr
        ready = version(newer.by, **owners).run("record", "prepare", *grant[2:])
        assert ready.stdout.startswith(f"{newer.before} taken\n"), ready.stderr
        assert ready.stdout.endswith("the record is ready for this version\n")
        create(at_old, "third")
        with old.serving() as again, new.serving() as at_new:
            create(again, "fourth")
            create(at_new, "fifth")
            create(at_old, "sixth")
    with new.serving() as at_new:
        done = version(newer.by, **owners).run("record", "migrate")
        assert done.stdout == f"{newer.after} taken: format {newer.format} reached\n", done.stderr
        granted = version(newer.by, **owners).run(*grant)
        assert granted.returncode == 0, granted.stderr
        create(at_new, "seventh")
    verified = new.run("record", "verify")
    assert "order and hashes are right" in verified.stdout, verified.stderr
    for statement in ("DELETE FROM events", "UPDATE events SET tournament = 'A'", "DROP TABLE events"):
        with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
            asyncio.run(query(writer, statement))
