"""A SQLite file after a loss of power in the middle of a write, and with a page that the disk has lost."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError
from tests.support.synthetic import Step, append

from faristol.event_store import Record, RecordError
from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity.verification import verify
from faristol.pb.game.v1.events_pb2 import Passed

APPENDS_COUNT = 12
CUTS_PER_COMMIT_COUNT = 6
EVENTS_PER_PAGE_COUNT = 40
"""Events in an append that fills several pages."""


def _passes(version: int, count: int = 1) -> Step:
    return {"game-a": [Passed(turn=version + number, player_id="anna" * 20) for number in range(count)]}


async def _read(folder: Path) -> list[tuple[int, bytes]]:
    """Return the events of a record that verification accepts. Raises ``AssertionError`` for any other."""
    record = await Record.open(f"sqlite:///{folder / 'record.db'}", create=False)
    try:
        verdict = await verify(record)
        assert not verdict.wrong, verdict.wrong
        return [(event.position, event.hash) for event in await record.read(0, limit=10_000)]
    finally:
        await record.close()


async def test_a_torn_write_loses_no_acknowledged_event_and_leaves_no_part_of_another(tmp_path: Path) -> None:
    """Cut the log at any byte of a commit: the record has all events before it, and all or none of its own."""
    chance = random.Random(3)
    folder = tmp_path / "own"
    record = await Record.open(f"sqlite:///{folder / 'record.db'}")
    file, log = folder / "record.db", folder / "record.db-wal"
    states: list[tuple[int, int]] = []
    for number in range(APPENDS_COUNT):
        await append(record, _passes(number))
        states.append((log.stat().st_size, number + 1))
    base, content = file.read_bytes(), log.read_bytes()
    await record.close()
    whole = await _read(folder)
    assert len(whole) == APPENDS_COUNT
    for (before, events), (after, _) in pairwise(states):
        for cut in sorted(chance.sample(range(before, after), CUTS_PER_COMMIT_COUNT)):
            for beside in folder.glob("record.db*"):
                beside.unlink()
            file.write_bytes(base)
            log.write_bytes(content[:cut])
            assert await _read(folder) == whole[:events], f"cut at byte {cut} of {before} to {after}"


async def test_a_lost_page_is_noticed_or_changes_no_event(tmp_path: Path) -> None:
    """Zero each page of a whole file: SQLite or verification reports it, or every event is as before."""
    folder = tmp_path / "own"
    record = await Record.open(f"sqlite:///{folder / 'record.db'}")
    for number in range(APPENDS_COUNT):
        await append(record, _passes(number * EVENTS_PER_PAGE_COUNT, EVENTS_PER_PAGE_COUNT))
    await record.clean()
    await record.close()
    file = folder / "record.db"
    content = file.read_bytes()
    whole = await _read(folder)
    page_bytes = int.from_bytes(content[16:18], "big")
    noticed = 0
    for start in range(page_bytes, len(content), page_bytes):
        for beside in folder.glob("record.db-*"):
            beside.unlink()
        file.write_bytes(content[:start] + bytes(page_bytes) + content[start + page_bytes :])
        try:
            found = await _read(folder)
        except (AssertionError, CorruptData, RecordError, DBAPIError):
            noticed += 1
        else:
            assert found == whole, f"page {start // page_bytes + 1}"
    assert noticed >= len(whole) // EVENTS_PER_PAGE_COUNT, "the pages of the events are among those that were lost"


@pytest.mark.parametrize("damage", ["bit", "half"])
async def test_a_damaged_log_gives_the_events_before_the_damage_or_none_of_it(tmp_path: Path, damage: str) -> None:
    """Flip a bit in the log, or zero its second half: what remains is a beginning of the record that verifies."""
    chance = random.Random(5)
    folder = tmp_path / "own"
    record = await Record.open(f"sqlite:///{folder / 'record.db'}")
    for number in range(APPENDS_COUNT):
        await append(record, _passes(number))
    content = (folder / "record.db-wal").read_bytes()
    base = (folder / "record.db").read_bytes()
    await record.close()
    whole = await _read(folder)
    for _ in range(CUTS_PER_COMMIT_COUNT):
        for beside in folder.glob("record.db*"):
            beside.unlink()
        (folder / "record.db").write_bytes(base)
        offset = chance.randrange(len(content) // 2, len(content))
        changed = bytearray(content)
        if damage == "bit":
            changed[offset] ^= 1 << chance.randrange(8)
        else:
            changed[offset:] = bytes(len(content) - offset)
        (folder / "record.db-wal").write_bytes(bytes(changed))
        found = await _read(folder)
        assert found == whole[: len(found)]
