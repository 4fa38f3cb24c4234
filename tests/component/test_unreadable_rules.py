"""A tournament with an unreadable rule set waits, and another one of the same cell is played to its end."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from google.protobuf.message import Message
from tests.component.processes import Child, free_port, standings, wait_until_serving

from faristol import rules
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.event_store.event import utc_now
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.rules.ruleset.file import load_ruleset

pytestmark = [pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]

PLAN = ("--players", "6", "--rounds", "5", "--seed", "5")
DEMO_TIMEOUT_SECONDS = 300.0
GAME = "later-r1-t1"


@pytest.fixture
def later_version(tmp_path: Path) -> Path:
    """Return packages of a version that knows one more value of an option."""
    packages = tmp_path / "packages"
    copied = packages / "faristol" / "rules"
    shutil.copytree(Path(rules.__file__).parent, copied, ignore=shutil.ignore_patterns("__pycache__"))
    section = copied / "sections.py"
    written = section.read_text(encoding="utf-8")
    changed = written.replace(
        'Literal["strict", "until-announced",', 'Literal["strict", "at-the-gong", "until-announced",'
    )
    assert changed != written
    section.write_text(changed, encoding="utf-8")
    return packages


async def start_round(url: str) -> None:
    """Start a tournament under rules that a later version wrote."""
    content = load_ruleset("fisc-2023").canonical.replace(b'"rule":"strict"', b'"rule":"at-the-gong"')
    digest = hashlib.sha256(content).hexdigest()
    at = to_timestamp(utc_now())
    pair = pairing.Pairing(table=1, game_id=GAME, first_player_id="anna", second_player_id="biel")
    new_events: list[Message] = [
        pairing.TournamentCreated(tournament_id="later", rounds=5, seed=b"s" * 32, occurred_at=at),
        pairing.RulesetPinned(ruleset=game_events.Pin(name="fisc-2023", digest=digest)),
        pairing.LexiconPinned(lexicon=game_events.Pin(name="none", digest="00")),
        pairing.PlayerRegistered(player_id="anna", rating=1500),
        pairing.PlayerRegistered(player_id="biel", rating=1400),
        pairing.RoundPaired(round=1, pairings=[pair], occurred_at=at),
        pairing.RoundStarted(round=1, occurred_at=at),
    ]
    kept = Write(f"ruleset-{digest}", 0, [pairing.RulesetKept(digest=digest, content=content)], "later")
    record = await Record.open(url, create=False)
    await record.append(Decision([kept, Write("tournament-later", 0, new_events, "later")]), Metadata())
    await record.close()


async def is_open(url: str) -> bool:
    record = await Record.open(url, create=False)
    try:
        return bool(await record.read_stream(f"game-{GAME}"))
    finally:
        await record.close()


def wait_until(holds: Callable[[], object]) -> None:
    give_up = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.2)


@pytest.mark.nightly
def test_on_sqlite_a_tournament_whose_rules_cannot_be_read_waits_and_another_one_goes_on_to_its_end(
    later_version: Path, tmp_path: Path
) -> None:
    waits_while_another_goes_on(f"sqlite:///{tmp_path}/record.db", later_version, tmp_path)


@pytest.mark.nightly
def test_a_tournament_whose_rules_cannot_be_read_waits_and_another_one_goes_on_to_its_end(
    new_database: str, later_version: Path, tmp_path: Path
) -> None:
    waits_while_another_goes_on(new_database, later_version, tmp_path)


def waits_while_another_goes_on(database_url: str, later_version: Path, tmp_path: Path) -> None:
    grpc_port, http_port = free_port(), free_port()
    record_options = ["--data", str(tmp_path / "data"), "--database-url", database_url]
    up = Child(["up", *record_options, "--http", str(http_port), "--grpc", str(grpc_port)], {}, tmp_path / "up.log")
    address = f"127.0.0.1:{grpc_port}"

    def list_parked() -> set[str]:
        consumers = httpx.get(f"http://127.0.0.1:{http_port}/api/v1/status", timeout=20).json()["consumers"]
        assert not [consumer for consumer in consumers if consumer["stopped_since"]]
        return {row["tournament_id"] for consumer in consumers for row in consumer["parked"]}

    demo = None
    try:
        wait_until_serving(address, up)
        asyncio.run(start_round(database_url))
        wait_until(lambda: list_parked() == {"later"})
        demo = Child(["demo", *PLAN, "--connect", "--json"], {"client_address": address}, tmp_path / "demo.log")
        assert demo.process.wait(DEMO_TIMEOUT_SECONDS) == 0, demo.output()
        output = demo.output()
        assert len(standings(output[output.index('{\n  "tournament_id"') :])) == 6
        assert list_parked() == {"later"}
        assert not asyncio.run(is_open(database_url))

        up.kill()
        up.packages = later_version
        up.start()
        wait_until_serving(address, up)
        wait_until(lambda: not list_parked())
        assert asyncio.run(is_open(database_url)), "the table of the round opens once the rules can be read"
        assert up.terminate() == 0, up.output()
    finally:
        for child in (up, demo):
            if child is not None and child.process.poll() is None:
                child.kill()
