"""A whole championship through real processes: the same standings in every deployment and after every kill."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from tests.component import contents
from tests.component.processes import Cell, Child, faristol, free_port, standings, wait_until_serving
from tests.support.plain_http import PLAIN

from faristol import rules
from faristol.bus import NatsServer
from faristol.host import SERVICES, Settings
from faristol.launcher.processes import running

# For every change processes are killed under load (test_torture), and the demonstration is played under one book.
pytestmark = [pytest.mark.nightly, pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]

PLAN = ("--players", "6", "--rounds", "5", "--seed", "3")
TOURNAMENT = "demo-fisc-2023-6-5-3"
DEMO_TIMEOUT_SECONDS = 240.0


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the undisturbed championship."""
    return tmp_path_factory.mktemp("undisturbed")


@pytest.fixture(scope="module")
def undisturbed_outcome(data: Path, lexicons: Path) -> dict[str, Any]:
    """Return the outcome of the undisturbed championship on the embedded default."""
    done = faristol("demo", *PLAN, "--json", "--data", str(data), timeout=DEMO_TIMEOUT_SECONDS, lexicons=lexicons)
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def test_the_demonstration_prints_one_object_with_standings_in_rank_order(undisturbed_outcome: dict[str, Any]) -> None:
    lines = undisturbed_outcome["standings"]
    assert [line["rank"] for line in lines] == sorted(line["rank"] for line in lines)
    assert len(lines) == 6
    assert sum(line["points"] for line in lines) == 3 * 5
    assert sum(line["spread"] for line in lines) == 0
    keys = [(-line["points"], *(-line["tie_breaks"][name] for name in line["tie_breaks"])) for line in lines]
    assert keys == sorted(keys)
    assert list(lines[0]["tie_breaks"]) == ["median-buchholz", "berger", "spread", "total"]
    assert any(line["new_rating"] != line["rating"] for line in lines)


def test_the_same_seed_gives_the_same_standings_on_postgresql(
    undisturbed_outcome: dict[str, Any], new_database: str
) -> None:
    done = faristol("demo", *PLAN, "--json", "--database-url", new_database, timeout=DEMO_TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    assert standings(done.stdout) == undisturbed_outcome["standings"]
    assert "order and hashes are right" in faristol("record", "verify", "--database-url", new_database).stdout


def test_another_seed_gives_another_championship(undisturbed_outcome: dict[str, Any], tmp_path: Path) -> None:
    plan = ("--players", "6", "--rounds", "5", "--seed", "4")
    done = faristol("demo", *plan, "--json", "--data", str(tmp_path), timeout=DEMO_TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    assert standings(done.stdout) != undisturbed_outcome["standings"]
    again = faristol("demo", *plan, "--json", "--data", str(tmp_path), timeout=DEMO_TIMEOUT_SECONDS)
    assert standings(again.stdout) == standings(done.stdout), "played again on its own record, it is over at once"


@pytest.fixture(scope="module")
def other_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return packages whose rule book has a different number and citation than at the start of the championship."""
    packages = tmp_path_factory.mktemp("packages")
    copied = packages / "faristol" / "rules"
    shutil.copytree(Path(rules.__file__).parent, copied, ignore=shutil.ignore_patterns("__pycache__"))
    book = copied / "rulebooks" / "fisc-2023.toml"
    written = book.read_text(encoding="utf-8")
    changed = written.replace(
        'overtime_points = { value = 10, article = "FISC I.11" }',
        'overtime_points = { value = 25, article = "FISC I.11.a" }',
    )
    assert changed != written
    book.write_text(changed, encoding="utf-8")
    return packages


def test_killed_in_round_three_and_started_with_other_rules_faristol_up_loses_nothing(
    undisturbed_outcome: dict[str, Any], other_rules: Path, tmp_path: Path
) -> None:
    grpc_port, http_port = free_port(), free_port()
    data = tmp_path / "data"
    up = Child(["up", "--data", str(data), "--http", str(http_port), "--grpc", str(grpc_port)], {}, tmp_path / "up.log")
    address = f"127.0.0.1:{grpc_port}"
    demo = None
    try:
        wait_until_serving(address, up)
        demo = Child(["demo", *PLAN, "--connect", "--json"], {"client_address": address}, tmp_path / "demo.log")
        _wait_for_round(http_port, 3)
        up.kill()
        time.sleep(0.5)
        up.packages = other_rules
        up.start()
        assert demo.process.wait(DEMO_TIMEOUT_SECONDS) == 0, demo.output()
        assert _last_object(demo.output())["standings"] == undisturbed_outcome["standings"]
        assert up.terminate() == 0, up.output()
    finally:
        for child in (up, demo):
            if child is not None and child.process.poll() is None:
                child.kill()
    assert "order and hashes are right" in faristol("record", "verify", "--data", str(data)).stdout


def test_killing_any_of_seven_processes_and_correcting_the_rule_book_ends_in_the_same_standings(
    undisturbed_outcome: dict[str, Any], other_rules: Path, new_database: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    cell = Cell(tmp_path, new_database, nats_server.url)
    demo = None
    try:
        cell.wait()
        demo = Child(["demo", *PLAN, "--connect", "--json"], cell.client_settings, tmp_path / "demo.log")
        _wait_for_round(cell.http_port, 1)
        for service in SERVICES:
            assert demo.process.poll() is None, f"it was over before {service} was killed"
            cell.services[service].kill()
            time.sleep(0.2)
            cell.services[service].packages = other_rules
            cell.services[service].start()
            time.sleep(0.8)
        assert demo.process.wait(DEMO_TIMEOUT_SECONDS) == 0, demo.output()
        assert _last_object(demo.output())["standings"] == undisturbed_outcome["standings"]
        assert set(cell.stop().values()) == {0}
    finally:
        for child in (*cell.services.values(), demo):
            if child is not None and child.process.poll() is None:
                child.kill()
    assert "order and hashes are right" in faristol("record", "verify", "--database-url", new_database).stdout


def test_stopping_and_starting_up_continues_where_it_was(
    undisturbed_outcome: dict[str, Any], data: Path, tmp_path: Path
) -> None:
    http_port = free_port()
    up = Child(["up", "--data", str(data), "--http", str(http_port), "--grpc", "0"], {}, tmp_path / "up.log")
    try:
        lines = _get(http_port, f"/api/v1/tournaments/{TOURNAMENT}/standings")["standings"]
        assert [line["player_id"] for line in lines] == [line["player_id"] for line in undisturbed_outcome["standings"]]
        assert up.terminate() == 0
    finally:
        if up.process.poll() is None:
            up.kill()


def test_a_championship_that_was_restored_is_served_as_it_was(
    undisturbed_outcome: dict[str, Any], data: Path, new_database: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "all.gz")
    assert faristol("record", "export", path, "--with-people", "--data", str(data)).returncode == 0
    restored = faristol("record", "restore", path, "--erased", "none", "--database-url", new_database)
    assert restored.stdout.startswith("restored "), restored.stderr
    positions = "SELECT position FROM checkpoints"

    async def serve() -> None:
        given = {"data": tmp_path / "two", "database_url": new_database, "http_port": 0}
        async with running(Settings.model_validate(given)) as process:
            record = process.runtime.record
            last = await record.last_position()

            async def everybody_is_there() -> bool:
                async with record.reading() as connection:
                    rows = await connection.execute(text(positions))
                    return all(position == last for position in rows.scalars())

            await contents.until(everybody_is_there, 60)
            assert await record.last_position() == last  # no event is repeated
            async with httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=20) as http:
                shown = (await http.get(f"/api/v1/tournaments/{TOURNAMENT}/standings")).json()["standings"]
        told = undisturbed_outcome["standings"]
        assert [(row["rank"], row["name"]) for row in shown] == [(row["rank"], row["name"]) for row in told]
        assert all(row["name"] for row in shown)

    asyncio.run(serve())


def _wait_for_round(http_port: int, number: int) -> None:
    """Wait until a table of this round has finished and another has not."""
    give_up = time.monotonic() + DEMO_TIMEOUT_SECONDS
    while time.monotonic() < give_up:
        answer = _get(http_port, f"/api/v1/tournaments/{TOURNAMENT}", missing_is_fine=True)
        for known in answer.get("tournament", {}).get("played", ()):
            if known["round"] == number and 0 < known["finished"] < known["tables"]:
                return
            assert known["round"] <= number, "it went too fast to be disturbed"
        time.sleep(0.05)
    pytest.fail(f"round {number} did not come")


def _get(http_port: int, path: str, *, missing_is_fine: bool = False) -> dict[str, Any]:
    give_up = time.monotonic() + 60
    while True:
        try:
            answer = httpx.get(f"http://127.0.0.1:{http_port}{path}")
        except httpx.TransportError:
            assert time.monotonic() < give_up
            time.sleep(0.1)
            continue
        if answer.status_code == 404 and missing_is_fine:
            return {}
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def _last_object(output: str) -> dict[str, Any]:
    """Return the JSON object in a log that has messages before it."""
    found: dict[str, Any] = json.loads(output[output.index('{\n  "tournament_id"') :])
    return found


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the wrapping of messages to the width of a terminal."""
    monkeypatch.setenv("COLUMNS", "200")
