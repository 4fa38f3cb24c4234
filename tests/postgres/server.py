"""A PostgreSQL server of any version, out of a folder of its programs: `make databases` tests the record on each."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.component.processes import free_port

VARIABLE = "FARISTOL_TEST_POSTGRES"
"""The variable that names the folder of an npm package of PostgreSQL; the wheel's own server is taken without it."""

NOBODY_USER_ID = 65_534
PLACE = "/dev/shm" if Path("/dev/shm").is_mount() else None
"""Folder of the data: in memory, like those of the wheel's server."""

START_SECONDS = 60.0
SETTINGS = ("fsync=off", "full_page_writes=off", "max_wal_size=128MB", "max_connections=200")


def programs(package: Path) -> Path:
    """Return the folder of a package's programs, with the links between its libraries that npm's archive leaves out."""
    for link in json.loads((package / "native" / "pg-symlinks.json").read_text(encoding="utf-8")):
        source, target = package / link["source"], package / link["target"]
        if not target.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.path.relpath(source, target.parent))
    return package / "native" / "bin"


@contextmanager
def start_server(package: Path) -> Iterator[str]:
    """Yield the URL of a server with data in a folder that its user can read: PostgreSQL refuses to run as root."""
    found, port = programs(package.absolute()), free_port()
    as_user: dict[str, Any] = {} if os.geteuid() else {"user": NOBODY_USER_ID}
    with tempfile.TemporaryDirectory(prefix="postgres-", dir=PLACE) as made:
        folder, data = Path(made), Path(made) / "data"
        if as_user:
            os.chown(folder, NOBODY_USER_ID, -1)
        wanted = ["-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]
        subprocess.run([str(found / "initdb"), *wanted], check=True, stdout=subprocess.DEVNULL, cwd="/", **as_user)
        settings = [part for each in (*SETTINGS, f"unix_socket_directories={folder}") for part in ("-c", each)]
        command = [str(found / "postgres"), "-D", str(data), "-h", "127.0.0.1", "-p", str(port), *settings]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **as_user)
        try:
            _wait(server, data)
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            server.terminate()
            server.wait()


def _wait(server: subprocess.Popen[bytes], data: Path) -> None:
    give_up = time.monotonic() + START_SECONDS
    while "ready" not in _state(data):
        assert server.poll() is None, "the server has ended"
        assert time.monotonic() < give_up, "the server does not answer"
        time.sleep(0.05)


def _state(data: Path) -> str:
    """Return the state of the server from its process file; empty if there is none yet."""
    try:
        return (data / "postmaster.pid").read_text().splitlines()[-1]
    except (FileNotFoundError, IndexError):
        return ""
