"""The commands tell in one sentence what is wrong, and end with code 2."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.processes import Child, faristol, free_port, wait_until_serving


def said(*arguments: str, **settings: Any) -> str:
    """What a command that cannot go on said, which is one line."""
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
        (("sing",), "No such command 'sing'"),
        (("up", "--loud"), "No such option: --loud"),
        (("serve", "kitchen"), "there is no service 'kitchen': choose one of lexicon, game, clock"),
        (("up", "--http", "many"), "--http"),
        (("demo", "--players", "1"), "--players"),
        (("record", "verify", "--data", "/nowhere"), "there is no record in /nowhere"),
    ],
)
def test_unknown_words_are_told(words: tuple[str, ...], expected: str) -> None:
    assert expected in said(*words)


def test_a_setting_that_cannot_be_is_told() -> None:
    assert "setting http_port cannot be '99999'" in said("up", http_port=99999)


@pytest.mark.lexicon
def test_a_busy_http_port_is_told(busy_port: int, tmp_path: Path, lexicons: Path) -> None:
    told = said("up", "--data", str(tmp_path), "--http", str(busy_port), lexicons=lexicons)
    assert f"HTTP cannot listen on 127.0.0.1:{busy_port}: the port is busy" in told


@pytest.mark.lexicon
def test_a_busy_grpc_port_is_told(busy_port: int, tmp_path: Path, lexicons: Path) -> None:
    told = said("up", "--data", str(tmp_path), "--http", "0", "--grpc", str(busy_port), lexicons=lexicons)
    assert f"gRPC cannot listen on 127.0.0.1:{busy_port}: the port is busy" in told


def test_a_data_folder_that_cannot_be_made_is_told() -> None:
    assert "the data folder /proc/none cannot be made" in said("up", "--data", "/proc/none")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_without_rights_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot be written" in said("up", "--data", str(tmp_path))


def test_a_nats_server_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    told = said("up", "--data", str(tmp_path), "--nats-url", "nats://127.0.0.1:1")
    assert "NATS at nats://127.0.0.1:1 cannot be reached" in told


def test_a_database_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    told = said("up", "--data", str(tmp_path), "--database-url", "postgresql://me:secret@127.0.0.1:1/cell")
    assert "127.0.0.1:1/cell cannot be used" in told
    assert "secret" not in told


def test_a_service_on_its_own_without_nats_is_told() -> None:
    assert "a service on its own needs a NATS server" in said("serve", "game", "--database-url", "postgresql://h/x")


def test_a_missing_lexicon_is_told_with_what_to_run(tmp_path: Path) -> None:
    told = said("demo", "--players", "6", lexicons=tmp_path)
    assert "faristol lexicon install catalan" in told
    assert "faristol lexicon install catalan" in said("up", "--data", str(tmp_path / "data"), lexicons=tmp_path)


@pytest.mark.lexicon
def test_a_championship_that_the_rules_do_not_allow_is_told(lexicons: Path) -> None:
    done = faristol("demo", "--players", "6", "--rounds", "4", lexicons=lexicons)
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.splitlines()[-1]
    assert last == "faristol: the championship cannot go on: A championship has 5 rounds or more, not 4 (FISC I.1)."


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
        told = said("up", "--data", data, "--http", "0", "--grpc", "0", lexicons=lexicons)
        assert f"is in use by process {up.process.pid}" in told
        wait_until_serving(f"127.0.0.1:{port}", up)
    finally:
        assert up.terminate() == 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"log_level": "loud"}, "setting log_level cannot be 'loud'"), ({"grace_seconds": -1}, "setting grace_seconds")],
)
def test_settings_in_the_environment_are_checked(settings: dict[str, Any], expected: str) -> None:
    assert expected in said("up", **settings)


def test_a_ruleset_that_is_not_there_is_told() -> None:
    assert "there is no ruleset 'nope': choose one of fisc-2023" in said("demo", "--ruleset", "nope")


def test_a_service_that_calls_another_is_told_where_it_is() -> None:
    told = said("serve", "gateway", "--nats-url", "nats://127.0.0.1:1")
    assert "say where it is with FARISTOL_RESULTS_ADDRESS" in told


def test_a_command_without_words_shows_its_help_and_a_version_is_told() -> None:
    assert faristol("record").stderr.startswith("Usage: faristol record")
    assert faristol("--version").stdout.startswith("faristol ")
