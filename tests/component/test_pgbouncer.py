"""A cell whose processes reach PostgreSQL through PgBouncer, in session mode, as docs/operations.md says."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url
from tests.component.processes import Cell, faristol, free_port

from faristol.bus import NatsServer

PGBOUNCER = shutil.which("pgbouncer", path=f"/usr/sbin:{os.get_exec_path()}")
PLAN = ("demo", "--players", "6", "--rounds", "5", "--seed", "3", "--json")

pytestmark = [pytest.mark.nightly, pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]

CONFIGURATION = """
[databases]
cell = host={host} dbname={name} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = session
ignore_startup_parameters = lock_timeout, jit, synchronous_commit
max_client_conn = 200
default_pool_size = 90
logfile = {log}
"""


@pytest.fixture
def pooled_url(new_database: str, tmp_path: Path) -> Iterator[str]:
    """Yield the URL of an empty database, through a PgBouncer."""
    if PGBOUNCER is None:
        pytest.skip("there is no pgbouncer on this machine")
    url, port = make_url(new_database), free_port()
    log, file = tmp_path / "pgbouncer.log", tmp_path / "pgbouncer.ini"
    file.write_text(CONFIGURATION.format(host=url.query["host"], name=url.database, port=port, log=log))
    tmp_path.chmod(0o777)
    # it does not run as root, and the socket of the server is in a private folder of its user
    user = ["-u", Path(str(url.query["host"])).owner()] if os.geteuid() == 0 else []
    with subprocess.Popen([PGBOUNCER, "-q", *user, str(file)]) as server:
        for _ in range(100):
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert server.poll() is None, log.read_text()
            time.sleep(0.1)
        yield f"postgresql://postgres@127.0.0.1:{port}/cell"
        server.terminate()


def test_a_championship_is_played_by_way_of_it(pooled_url: str, nats_server: NatsServer, tmp_path: Path) -> None:
    undisturbed = faristol(*PLAN, "--data", str(tmp_path / "undisturbed"), timeout=900)
    assert undisturbed.returncode == 0, undisturbed.stderr
    cell = Cell(tmp_path, pooled_url, nats_server.url, database_connections=6)
    try:
        cell.wait()
        played = faristol(*PLAN, "--connect", timeout=900, **cell.client_settings)
        assert played.returncode == 0, played.stderr
        assert json.loads(played.stdout)["standings"] == json.loads(undisturbed.stdout)["standings"]
        verified = faristol("record", "verify", "--database-url", pooled_url)
        assert "order and hashes are right" in verified.stdout, verified.stderr
    finally:
        codes = cell.stop()
    assert set(codes.values()) == {0}
