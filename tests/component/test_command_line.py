"""Commands report errors in one sentence, and end with code 2."""

from __future__ import annotations

import asyncio
import os
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from sqlalchemy import inspect
from sqlalchemy.ext.asyncio import create_async_engine
from tests.component.contents import play
from tests.component.processes import Child, faristol, free_port, wait_until_serving

from faristol.event_store import Record
from faristol.event_store.backends.databases import parse
from faristol.event_store.integrity import keys
from faristol.host import Settings
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc


def run_failing(*arguments: str, **settings: Any) -> str:
    """Return the error of a failing command, which is one line."""
    done = faristol(*arguments, **settings)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("faristol: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield int(taken.getsockname()[1])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sing",), "there is no command 'sing'"),
        (("up", "--loud"), "No such option: --loud"),
        (("serve", "kitchen"), "there is no service 'kitchen'; there are: access, lexicon, game, clock"),
        (("up", "--http", "many"), "--http"),
        (("demo", "--players", "1"), "--players"),
        (("record", "verify", "--data", "/nowhere"), "there is no record in /nowhere"),
    ],
)
def test_unknown_words_are_told(words: tuple[str, ...], expected: str) -> None:
    assert expected in run_failing(*words)


def test_a_setting_that_cannot_be_is_told() -> None:
    assert "setting http_port cannot be '99999'" in run_failing("up", http_port=99999)


@pytest.mark.lexicon
def test_a_busy_http_port_is_told(busy_port: int, tmp_path: Path, lexicons: Path) -> None:
    told = run_failing("up", "--data", str(tmp_path), "--http", str(busy_port), lexicons=lexicons)
    assert f"HTTP cannot listen on 127.0.0.1:{busy_port}: the port is in use" in told


@pytest.mark.lexicon
def test_a_busy_grpc_port_is_told(busy_port: int, tmp_path: Path, lexicons: Path) -> None:
    told = run_failing("up", "--data", str(tmp_path), "--http", "0", "--grpc", str(busy_port), lexicons=lexicons)
    assert f"gRPC cannot listen on 127.0.0.1:{busy_port}: the port is in use" in told


def test_a_data_folder_that_cannot_be_made_is_told() -> None:
    assert "the data folder /proc/none cannot be made" in run_failing("up", "--data", "/proc/none")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_without_rights_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot be written" in run_failing("up", "--data", str(tmp_path))


def test_a_nats_server_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    told = run_failing("up", "--data", str(tmp_path), "--nats-url", "nats://127.0.0.1:1", start_seconds=0)
    assert "NATS at nats://127.0.0.1:1 cannot be reached" in told


def test_a_database_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    told = run_failing(
        "up", "--data", str(tmp_path), "--database-url", "postgresql://me:secret@127.0.0.1:1/cell", start_seconds=0
    )
    assert "127.0.0.1:1/cell cannot be used" in told
    assert "secret" not in told


def test_a_database_that_stays_away_ends_the_waiting_with_a_sentence() -> None:
    url = "postgresql://me:secret@127.0.0.1:1/cell"
    done = faristol("serve", "rating", "--database-url", url, nats_url="nats://127.0.0.1:1", start_seconds=1)
    assert done.returncode == 2
    waiting, told = done.stderr.splitlines()
    assert "127.0.0.1:1/cell cannot be used" in waiting
    assert "waiting for it, 1 seconds at most" in waiting
    assert "127.0.0.1:1/cell cannot be used" in told


def test_a_process_that_waits_for_its_database_ends_when_it_is_told_to(tmp_path: Path) -> None:
    url = "postgresql://me:secret@127.0.0.1:1/cell"
    child = Child(["up", "--data", str(tmp_path), "--database-url", url], {}, tmp_path / "up.log")
    while "waiting for it" not in child.output():
        assert child.process.poll() is None, child.output()
        time.sleep(0.05)
    assert child.terminate() == 0
    assert "Traceback" not in child.output()


def test_a_platform_takes_no_address_from_the_settings_of_its_clients(tmp_path: Path, lexicons: Path) -> None:
    """`up` does not call a peer for services that it runs either"""
    nobody, port = "127.0.0.1:1", free_port()
    settings = {
        "client_address": nobody,
        "client_lexicon_address": nobody,
        "client_results_address": nobody,
        "peer_lexicon": nobody,
    }
    child = Child(
        ["up", "--data", str(tmp_path / "data"), "--grpc", str(port), "--http", "0"],
        {**settings, "lexicons": lexicons},
        tmp_path / "up.log",
    )
    try:
        wait_until_serving(f"127.0.0.1:{port}", child)
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            request = pairing_pb2.CreateTournamentRequest(
                command_id=str(uuid.uuid4()), tournament_id="cup", name="Cup", ruleset="fisc-2023", rounds=5
            )
            made = pairing_pb2_grpc.PairingServiceStub(channel).CreateTournament(request, timeout=20)
        assert made.tournament_id == "cup"
    finally:
        assert child.terminate() == 0, child.output()


def test_a_database_url_that_cannot_be_is_told_without_its_password(tmp_path: Path) -> None:
    url = "postgresql://me:secret@localhost:99999/x"
    for words in (("record", "verify"), ("record", "migrate"), ("up", "--data", str(tmp_path))):
        told = run_failing(*words, "--database-url", url, nats_url="nats://127.0.0.1:1")
        assert "99999 in postgresql://me:***@localhost:99999/x is not a port" in told
    assert "names no file" in run_failing("projection", "list", "--database-url", "sqlite://")


COMMANDS = (
    ("record", "verify"),
    ("record", "seal", "--key", "KEY"),
    ("record", "export", "FILE"),
    ("record", "erase-person", "anna", "--yes"),
    ("record", "migrate"),
    ("projection", "list"),
    ("projection", "rebuild"),
    ("projection", "retry"),
    ("projection", "drop", "results", "1"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_that_needs_a_record_makes_none(words: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    keys.make(tmp_path / "key")
    asked = [{"KEY": str(tmp_path / "key"), "FILE": str(tmp_path / "all.gz")}.get(word, word) for word in words]
    for path in (folder / "record.db", tmp_path / "none" / "record.db"):
        assert "there is no record at sqlite:///" in run_failing(*asked, "--database-url", f"sqlite:///{path}")
    assert list(folder.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"there", "key", "key.pub"}


def test_a_command_that_needs_a_record_makes_none_on_postgresql(new_database: str) -> None:
    for words in (("record", "verify"), ("projection", "list"), ("record", "migrate")):
        assert "there is no record at postgresql://" in run_failing(*words, "--database-url", new_database)

    async def tables() -> list[str]:
        engine = create_async_engine(parse(new_database))
        async with engine.connect() as connection:
            found = await connection.run_sync(lambda there: inspect(there).get_table_names())
        await engine.dispose()
        return found

    assert asyncio.run(tables()) == []


def test_a_restore_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "bad.gz").write_bytes(b"no archive")
    for at in (("--data", str(tmp_path / "data")), ("--database-url", f"sqlite:///{tmp_path}/new/record.db")):
        assert "line 1: " in run_failing("record", "restore", str(tmp_path / "bad.gz"), *at)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.gz"]


@pytest.mark.parametrize("name", ["what?x=1", "a%20b", "c#d", "100%", "z:@y"])
def test_a_data_folder_may_have_any_name(name: str, tmp_path: Path) -> None:
    async def prepare() -> None:
        record = await Record.open(Settings(data=tmp_path / name).record_url())
        await play(record, "game-cup-1", "cup", 3)
        await record.close()

    asyncio.run(prepare())
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "record.db").exists()
    assert "3 events" in faristol("record", "verify", "--data", str(tmp_path / name)).stdout


def test_a_service_on_its_own_without_nats_is_told() -> None:
    assert "a separate service needs a NATS server" in run_failing(
        "serve", "game", "--database-url", "postgresql://h/x"
    )


def test_a_missing_lexicon_is_told_with_what_to_run(tmp_path: Path) -> None:
    told = run_failing("demo", "--players", "6", lexicons=tmp_path)
    assert "faristol lexicon install catalan" in told


def test_a_demonstration_says_which_lexicon_its_rule_book_wants_before_anything_starts(tmp_path: Path) -> None:
    lexicons, data = tmp_path / "lexicons", tmp_path / "data"
    for ruleset, lexicon in (("fise", "spanish"), ("pes-2024", "greek"), ("box", "english")):
        told = run_failing("demo", "--ruleset", ruleset, "--rounds", "1", "--data", str(data), lexicons=lexicons)
        assert f"run `faristol lexicon install {lexicon}`" in told
    told = run_failing("demo", "--ruleset", "box", "--options", "tiles=es-100", "--rounds", "1", lexicons=lexicons)
    assert "faristol lexicon install spanish" in told
    assert not list(tmp_path.iterdir()), "and nothing was made"


def test_options_of_a_demonstration_that_its_rule_book_does_not_have_are_told(tmp_path: Path) -> None:
    for given, why in (
        ("minutes=2", "minutes"),
        ("minutes", "expected NAME=VALUE"),
        ("loud=yes", "The rules uf-2007 have no option loud"),
        ("pairing=round-robin", "A round robin of 4 players takes 3 rounds; the championship has 2."),
    ):
        told = run_failing("demo", "--ruleset", "uf-2007", "--players", "4", "--rounds", "2", "--options", given)
        assert why in told


@pytest.mark.lexicon
def test_a_championship_that_the_rules_do_not_allow_is_told(lexicons: Path, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    for players, rounds, why in (
        ("6", "4", "A championship needs 5 rounds or more, not 4 (FISC I.1)."),
        ("2", "5", "2 players can play 1 round without meeting twice; the championship has 5 (FISC I.1)."),
    ):
        told = run_failing("demo", "--players", players, "--rounds", rounds, "--data", data, lexicons=lexicons)
        assert told == f"faristol: the championship cannot begin: {why}\n"
    assert not list(tmp_path.iterdir()), "and nothing was made"
    shown = faristol("demo", "--help").stdout
    assert "5 or more under fisc-2023" in " ".join(shown.split())


@pytest.mark.lexicon
def test_sigterm_ends_a_process_with_code_0(tmp_path: Path, lexicons: Path) -> None:
    port = free_port()
    arguments = ["up", "--data", str(tmp_path / "data"), "--http", "0", "--grpc", str(port)]
    up = Child(arguments, {"lexicons": lexicons}, tmp_path / "log")
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
        assert up.terminate() == 0
        assert "Traceback" not in up.output()
    finally:
        if up.process.poll() is None:
            up.kill()


@pytest.mark.lexicon
def test_a_data_folder_is_served_by_one_process(tmp_path: Path, lexicons: Path) -> None:
    port = free_port()
    data = str(tmp_path / "data")
    up = Child(["up", "--data", data, "--http", "0", "--grpc", str(port)], {"lexicons": lexicons}, tmp_path / "log")
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
        told = run_failing("up", "--data", data, "--http", "0", "--grpc", "0", lexicons=lexicons)
        assert f"is in use by process {up.process.pid}" in told
        wait_until_serving(f"127.0.0.1:{port}", up)
    finally:
        assert up.terminate() == 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"log_level": "loud"}, "setting log_level cannot be 'loud'"), ({"grace_seconds": -1}, "setting grace_seconds")],
)
def test_settings_in_the_environment_are_checked(settings: dict[str, Any], expected: str) -> None:
    assert expected in run_failing("up", **settings)


def test_a_ruleset_that_is_not_there_is_told() -> None:
    told = run_failing("demo", "--ruleset", "nope")
    assert "there is no ruleset 'nope': choose one of" in told
    assert "fisc-2023" in told


def test_a_service_that_calls_another_is_told_where_it_is() -> None:
    told = run_failing("serve", "gateway", "--nats-url", "nats://127.0.0.1:1")
    assert "set its address with FARISTOL_PEER_RESULTS" in told


def test_a_command_without_words_shows_its_help_and_a_version_is_told() -> None:
    assert faristol("record").stderr.startswith("Usage: faristol record")
    assert faristol("--version").stdout.startswith("faristol ")


@pytest.mark.nightly
def test_a_judge_who_cannot_reach_the_queue_is_told_so() -> None:
    for verb in ("watch", "sit"):
        done = faristol("judge", verb, "--as", "nil", "--address", "127.0.0.1:1", timeout=40)
        assert done.returncode == 2
        assert "the lexicon service at 127.0.0.1:1 cannot be reached" in done.stderr


def test_a_variable_without_a_value_is_not_set() -> None:
    done = faristol("tournament", "list", "--address", "127.0.0.1:1", tls_ca="", nats_url="")
    assert "cannot be reached" in done.stderr
