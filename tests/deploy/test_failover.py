"""The steps of docs/runbooks.md for PostgreSQL without CloudNativePG: after a failover, the old primary rejoins."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaigns.faults.database import Database, Server
from tests.deploy.conftest import ROOT

PAGE = (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8")
RECOVERY_TIMEOUT_SECONDS = 60
ACKNOWLEDGED, LOST, LATER = "1", "666", "2"

pytestmark = pytest.mark.nightly


def by_the_page(program: str, lost: Server, primary: Server) -> list[str]:
    """Return the arguments that the page gives a program, for these servers."""
    section = PAGE.partition("### After a failover without CloudNativePG")[2].partition("\n## ")[0]
    (line,) = (line for line in section.splitlines() if line.split(" && ")[-1].startswith(f"{program} -"))
    moved = {"host=NEW": "host=127.0.0.1", "port=5432": f"port={primary.port}", "$PGDATA": str(lost.folder)}
    for page_path, test_path in moved.items():
        assert page_path in line
        line = line.replace(page_path, test_path)
    return shlex.split(line.split(" && ")[-1])[1:]


def rewound(lost: Server, primary: Server) -> None:
    lost.run("pg_rewind", *by_the_page("pg_rewind", lost, primary))


def copy_primary(lost: Server, primary: Server) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        lost.run("pg_basebackup", *by_the_page("pg_basebackup", lost, primary))  # it overwrites no file
    shutil.rmtree(lost.folder)
    lost.run("pg_basebackup", *by_the_page("pg_basebackup", lost, primary))


async def fail_over(database: Database) -> Server:
    """Lose a primary with a commit that no standby has, and commit at the next one; return the lost one."""
    await database.start()
    lost, *standbys = database.servers
    for statement in ("CREATE TABLE facts (fact int)", f"INSERT INTO facts VALUES ({ACKNOWLEDGED})"):
        await asyncio.to_thread(lost.ask, statement)
    for standby in standbys:
        await asyncio.to_thread(standby.stop)
    await asyncio.to_thread(lost.ask, f"SET synchronous_commit = local; INSERT INTO facts VALUES ({LOST})")
    await asyncio.to_thread(lost.kill)
    database.entrance.behind = ()
    for standby in standbys:
        await asyncio.to_thread(standby.start)
    database.primary = standbys[0]
    await asyncio.to_thread(database.primary.run, "pg_ctl", "-w", "-D", str(database.primary.folder), "promote")
    database.entrance.behind = [database.primary.port]
    await asyncio.to_thread(database.primary.ask, f"INSERT INTO facts VALUES ({LATER})")  # the other standby has it
    return lost


@pytest.mark.parametrize("joined", [rewound, copy_primary])
async def test_the_old_primary_follows_the_new_one(joined: Callable[[Server, Server], None], tmp_path: Path) -> None:
    database = Database(tmp_path)
    try:
        lost = await fail_over(database)
        await asyncio.to_thread(joined, lost, database.primary)
        await asyncio.to_thread(lost.start)
        give_up = time.monotonic() + RECOVERY_TIMEOUT_SECONDS
        follows = "SELECT state FROM pg_stat_replication WHERE application_name = 'a'"
        while await asyncio.to_thread(database.primary.ask, follows) != "streaming":
            assert time.monotonic() < give_up, (lost.folder.parent / "server.log").read_text()
            await asyncio.sleep(0.5)
        await asyncio.to_thread(database.servers[2].stop)  # so that a commit waits only for the old primary
        await asyncio.to_thread(database.primary.ask, "INSERT INTO facts VALUES (3)")
        assert lost.ask("SELECT pg_is_in_recovery()") == "t"
        facts = "SELECT string_agg(fact::text, ' ' ORDER BY fact) FROM facts"
        assert lost.ask(facts) == database.primary.ask(facts) == f"{ACKNOWLEDGED} {LATER} 3"
    finally:
        await database.stop()
