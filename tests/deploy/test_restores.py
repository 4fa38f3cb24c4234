"""Restores as in docs/runbooks.md: from an archive, and from PostgreSQL's own backups to a moment."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.campaigns.faults.database import Server
from tests.component.processes import Child, faristol, free_port, wait_until_serving
from tests.deploy.conftest import Object
from tests.deploy.test_manifests import Render, of_kind

from faristol.demo.plan import Plan

ROOT = Path(__file__).parents[2]
DRILL = ROOT / "deploy" / "components" / "backups" / "drill.py"
COMMAND_TIMEOUT_SECONDS = 900
PLAN = Plan(players=6, rounds=5, seed=3, ruleset="fisc-2023")
DEMO = PLAN.tournament_id

pytestmark = [pytest.mark.nightly, pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]


@dataclass
class Played:
    """A championship on PostgreSQL, and its copies elsewhere."""

    folder: Path
    server: Server
    standings: Any
    moment: str
    """When it was over; something happened afterwards."""
    last: int
    """The position of the record at that moment."""
    nats_url: str

    @property
    def public_key(self) -> str:
        return str(self.folder / "seal.key.pub")


@contextmanager
def serve_cell(url: str, nats_url: str, folder: Path, **settings: object) -> Iterator[str]:
    """Yield the pages of a cell, by their address."""
    port, http = free_port(), free_port()
    given = ["up", "--data", str(folder), "--grpc", str(port), "--http", str(http)]
    up = Child(given, {"database_url": url, "nats_url": nats_url, **settings}, folder.with_suffix(".log"))
    try:
        wait_until_serving(f"127.0.0.1:{port}", up, "gateway")
        yield f"http://127.0.0.1:{http}"
    finally:
        assert up.terminate() == 0, up.output()


def fetch(address: str, path: str) -> Any:
    return httpx.get(f"{address}/api/v1/{path}", timeout=60).raise_for_status().json()


def standings_of(address: str) -> Any:
    return fetch(address, f"tournaments/{DEMO}/standings")["standings"]


def tournaments(address: str) -> set[str]:
    return {each["tournament_id"] for each in fetch(address, "tournaments")["tournaments"]}


def behind(address: str) -> dict[str, int]:
    """Return the lag of each consumer; nothing is sealed here."""
    return {each["name"]: each["lag"] for each in fetch(address, "status")["consumers"] if each["kind"] != "sealer"}


def create(address: str, folder: Path, tournament: str) -> None:
    done = faristol(
        "tournament",
        "create",
        tournament,
        "--name",
        tournament,
        "--rounds",
        "5",
        client_address=address,
        data=folder,
        timeout=COMMAND_TIMEOUT_SECONDS,
    )
    assert done.returncode == 0, done.stderr


def verify_record(url: str, public_key: str) -> dict[str, Any]:
    said = faristol(
        "record", "verify", "--json", "--public-key", public_key, "--database-url", url, timeout=COMMAND_TIMEOUT_SECONDS
    )
    assert said.returncode == 0, said.stdout + said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    return found


@pytest.fixture(scope="module")
def played_server(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> Iterator[Played]:
    """Yield a server that archives its log; a base backup in the middle of a championship; and an archive of the
    record.
    """
    folder = tmp_path_factory.mktemp("restores")
    server = Server("first", folder)
    log = folder / "log"
    for own in (log, folder / "base"):
        own.mkdir()
        if server.user:
            shutil.chown(own, server.user)
    server.make()
    with (server.folder / "postgresql.conf").open("a") as file:
        file.write(f"synchronous_standby_names = ''\narchive_mode = on\narchive_command = 'cp %p {log}/%f'\n")
    server.start()
    try:
        assert faristol("record", "key", str(folder / "seal.key")).returncode == 0
        with serve_cell(
            server.url, shared_nats, folder / "data", seal_key=folder / "seal.key", seal_seconds=1
        ) as address:
            given = ("--players", str(PLAN.players), "--rounds", str(PLAN.rounds), "--seed", str(PLAN.seed))
            plan = ["demo", *given, "--json", "--connect"]
            grpc = address_of(folder / "data.log")
            demo = Child(plan, {"client_address": grpc}, folder / "demo.log")
            time.sleep(5)
            server.run("pg_basebackup", *server.at, "-D", str(folder / "base" / "data"), "--wal-method=none")
            assert demo.process.wait(COMMAND_TIMEOUT_SECONDS) == 0, demo.output()
            time.sleep(3)  # all events are sealed
            moment, last = server.ask("SELECT now()"), int(server.ask("SELECT position FROM counter"))
            standings = standings_of(address)
            create(grpc, folder / "data", "afterwards")
            exported = faristol(
                "record", "export", str(folder / "record.archive"), "--with-people", "--database-url", server.url,
                timeout=COMMAND_TIMEOUT_SECONDS,
            )  # fmt: skip
            assert exported.returncode == 0, exported.stderr
            listed = faristol("record", "erasures", str(folder / "erasures.json"), "--database-url", server.url)
            assert listed.returncode == 0, listed.stderr
            server.ask("SELECT pg_switch_wal()")
            time.sleep(2)
        yield Played(folder, server, standings, moment, last, shared_nats)
    finally:
        server.stop()


def address_of(log: Path) -> str:
    """Return the gRPC address of a cell, from its output, which follows its first answer to a health check."""
    give_up = time.monotonic() + COMMAND_TIMEOUT_SECONDS
    while (found := re.search(r"gRPC on (\S+)\n", log.read_text())) is None:
        assert time.monotonic() < give_up, log.read_text()
        time.sleep(0.1)
    return found[1]


def in_the_job(objects: tuple[Object, ...], archive: str, seal: Path, url: str) -> subprocess.CompletedProcess[str]:
    """Run the job `record-restore` with an archive; ``seal`` is the folder of the public key, and of the erased
    persons.
    """
    (container,) = of_kind(objects, "CronJob")["record-restore"]["spec"]["jobTemplate"]["spec"]["template"]["spec"][
        "containers"
    ]
    (script,) = container["args"]
    places = {"/archive/record": archive, "/archive/erasures.json": f"{seal}/erasures.json", "/seal/": f"{seal}/"}
    for job_path, test_path in places.items():
        assert job_path in script
        script = script.replace(job_path, test_path)
    environment = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}", "FARISTOL_DATABASE_URL": url}
    return subprocess.run(
        [*container["command"], script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_SECONDS,
        check=False,
    )


def test_an_archive_alone_brings_everything_back_into_an_empty_database(
    played_server: Played, tmp_path: Path, render: Render
) -> None:
    server = Server("empty", tmp_path)
    server.make()
    with (server.folder / "postgresql.conf").open("a") as file:
        file.write("synchronous_standby_names = ''\n")
    server.start()
    try:
        archive = str(played_server.folder / "record.archive")
        restored = in_the_job(render("overlays/production"), archive, played_server.folder, server.url)
        assert restored.returncode == 0, restored.stderr
        assert "signatures are right" in restored.stdout
        assert verify_record(server.url, played_server.public_key)["position"] > played_server.last
        nats = Child(["-js", "-p", str(port := free_port()), "-sd", str(tmp_path / "nats")], {}, tmp_path / "nats.log",
                     str(Path(sys.executable).with_name("nats-server")))  # fmt: skip
        try:
            with serve_cell(server.url, f"nats://127.0.0.1:{port}", tmp_path / "data") as address:
                done = subprocess.run(
                    [sys.executable, str(DRILL), archive, address],
                    capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS, check=False,
                )  # fmt: skip
                assert done.returncode == 0, done.stdout + done.stderr
                assert tournaments(address) == {DEMO, "afterwards"}
                assert standings_of(address) == played_server.standings
        finally:
            nats.kill()
    finally:
        server.stop()


def test_the_databases_own_backup_goes_back_to_a_moment_and_on_from_there_with_the_nats_of_before(
    played_server: Played, tmp_path: Path
) -> None:
    server = Server("again", tmp_path)
    shutil.copytree(played_server.folder / "base" / "data", server.folder, dirs_exist_ok=True)
    if server.user:
        subprocess.run(["chown", "-R", server.user, str(server.folder)], check=True)
    with (server.folder / "postgresql.auto.conf").open("a") as file:
        file.write(
            f"restore_command = 'cp {played_server.folder}/log/%f %p'\n"
            f"recovery_target_time = '{played_server.moment}'\n"
            "recovery_target_action = 'promote'\narchive_mode = off\n"
        )
    (server.folder / "recovery.signal").touch()
    server.start()
    try:
        give_up = time.monotonic() + 120
        while server.ask("SELECT pg_is_in_recovery()") == "t":
            assert time.monotonic() < give_up, (server.folder.parent / "server.log").read_text()
            time.sleep(0.5)
        assert verify_record(server.url, played_server.public_key)["position"] == played_server.last
        with serve_cell(server.url, played_server.nats_url, tmp_path / "data") as address:
            assert standings_of(address) == played_server.standings
            create(address_of(tmp_path / "data.log"), tmp_path / "data", "another")
            give_up = time.monotonic() + 120
            while (known := tournaments(address)) != {DEMO, "another"} or any(behind(address).values()):
                assert time.monotonic() < give_up, (known, behind(address))
                time.sleep(0.5)
        assert verify_record(server.url, played_server.public_key)["position"] > played_server.last
    finally:
        server.stop()
