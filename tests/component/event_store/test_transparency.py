"""The log of a record, its witnesses as processes, and forks that they find."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import logging
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, select, update
from tests.component.contents import fill, play, register
from tests.support.chains import KEY, OTHER_KEY
from tests.support.witnesses import WitnessProcess, running_witness

from faristol.event_store import Record, stored
from faristol.event_store.archive.archive import Writer
from faristol.event_store.archive.export import export
from faristol.event_store.archive.restoration import restore
from faristol.event_store.archive.restoration import verify as verify_file
from faristol.event_store.backends import tables
from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity import keys, merkle
from faristol.event_store.integrity.sealer import seal
from faristol.event_store.integrity.verification import verify
from faristol.event_store.tasks import cancel_tasks
from faristol.event_store.transparency import log_store, log_writer
from faristol.event_store.transparency.entry import disclose_event, entry_of
from faristol.event_store.transparency.log_client import format_request
from faristol.event_store.transparency.log_writer import LogWriter, extend_log, make_checkpoint
from faristol.event_store.transparency.policy import TrustPolicy, parse_policy
from faristol.event_store.transparency.recent_leaves import MAX_NOTED_EVENTS, RecentLeaves
from faristol.event_store.transparency.signed_note import (
    ED25519_TYPE_ID,
    LogCheckpoint,
    SignedNote,
    VerifierKey,
    sign_note,
)
from faristol.event_store.transparency.tiles import TileName, list_tiles
from faristol.event_store.transparency.tlog_proof import LogProof
from faristol.personal_data.erasure import erase

ORIGIN = "cup.example.org/log"
LOG_KEY = VerifierKey(ORIGIN, ED25519_TYPE_ID, KEY.public_key())


async def events_of(record: Record) -> list[stored.Stored]:
    async with record.reading() as connection:
        return await stored.read(connection, 0, 2**62)


async def checkpoint_of(record: Record, *, is_published: bool = False) -> log_store.StoredCheckpoint:
    async with record.reading() as connection:
        found = await log_store.newest_checkpoint(connection, is_published=is_published)
    assert found is not None
    return found


@contextmanager
def witnesses(folder: Path, *names: str) -> Iterator[tuple[list[WitnessProcess], TrustPolicy]]:
    """Run witnesses that accept the log, and return them with the policy that requires all."""
    with ExitStack() as stack:
        running = [stack.enter_context(running_witness(folder / name, f"{name}.example", [LOG_KEY])) for name in names]
        lines = "".join(each.policy_line(name) for each, name in zip(running, names, strict=True))
        group = f"group every all {' '.join(names)}\nquorum every\n"
        yield running, parse_policy(f"log {LOG_KEY}\n{lines}{group}".encode())


def submit(witness: WitnessProcess, old: int, proof: list[bytes], note: SignedNote) -> tuple[int, str, str]:
    """Return status, media type and body of an answer to a request."""
    request = urllib.request.Request(f"{witness.address}/add-checkpoint", format_request(old, proof, note))
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers["Content-Type"], refused.read().decode()


def fetch_checkpoint(witness: WitnessProcess) -> LogCheckpoint:
    """Return the last checkpoint that a witness shows of the log."""
    url = f"{witness.address}/{hashlib.sha256(ORIGIN.encode()).hexdigest()}/checkpoint"
    with urllib.request.urlopen(url, timeout=10) as answer:
        note = SignedNote.parse(answer.read())
    assert note.is_signed_by(LOG_KEY)
    return LogCheckpoint.parse(note.text)


async def test_the_log_has_the_tree_over_all_events_and_is_the_same_when_it_is_built_again(record: Record) -> None:
    await fill(record)
    await play(record, "game-cup-r9", "cup", 600)
    first = await make_checkpoint(record, KEY, ORIGIN)
    await play(record, "game-cup-r9", "cup", 7)
    second = await make_checkpoint(record, KEY, ORIGIN)
    assert first is not None
    assert second is not None
    leaves = [merkle.leaf(entry_of(event)) for event in await events_of(record)]
    for made in (first, second):
        tree = merkle.Tree()
        for leaf in leaves[: made.checkpoint.size]:
            tree.graft(0, leaf)
        assert made.checkpoint.root == tree.root()
        assert made.note.is_signed_by(LOG_KEY)
    rows = select(tables.log_tiles).order_by(tables.log_tiles.c.level, tables.log_tiles.c.number)
    async with record.writing() as connection:
        before = (await connection.execute(rows)).all()
        assert [TileName(row.level, row.number) for row in before] == list(list_tiles(len(leaves)))
        await connection.execute(delete(tables.log_tiles))
    await extend_log(record)
    async with record.reading() as connection:
        assert (await connection.execute(rows)).all() == before


async def read_tiles(record: Record) -> list[tuple[int, int, bytes]]:
    table = tables.log_tiles
    async with record.reading() as connection:
        found = await connection.execute(select(table).order_by(table.c.level, table.c.number))
        return [(row.level, row.number, bytes(row.hashes)) for row in found]


async def build_tiles_again(record: Record) -> list[tuple[int, int, bytes]]:
    """Return the tiles that are computed from the record alone."""
    async with record.writing() as connection:
        await connection.execute(delete(tables.log_tiles))
    await extend_log(record)
    return await read_tiles(record)


async def test_leaves_of_appends_give_the_tree_that_the_record_gives(record: Record, database_url: str) -> None:
    recent = RecentLeaves()
    await fill(record)
    record.watch(recent.note)
    other = await Record.open(database_url)
    for number in range(40):
        await play(record, f"game-cup-r{number % 7}", "cup", 1 + number * 3 % 11)
        if number % 13 == 5:
            await play(other, "game-league-r9", "league", 2)
        if number % 17 == 9:
            await extend_log(record, recent=recent)
        if number == 30:
            await play(record, "game-festa-r9", "festa", MAX_NOTED_EVENTS + 1)
    size = await extend_log(record, recent=recent)
    assert (size, len(recent)) == (await record.last_position(), 0)
    assert await read_tiles(record) == await build_tiles_again(record)
    await other.close()


async def test_the_leaf_of_an_append_is_of_the_event_as_it_was_appended(record: Record) -> None:
    recent = RecentLeaves()
    record.watch(recent.note)
    await asyncio.gather(*(play(record, f"game-cup-r{number}", "cup", 2) for number in range(150)))
    leaves = [merkle.leaf(entry_of(event)) for event in await events_of(record)]
    async with record.writing() as connection:
        events = tables.events
        await connection.execute(update(events).where(events.c.position == 7).values(payload=b"changed"))
    await extend_log(record, recent=recent)
    assert b"".join(content for level, _, content in await read_tiles(record) if level == 0) == b"".join(leaves)
    assert "position 7" in (await verify(record)).wrong


async def test_leaves_of_events_that_the_database_lost_are_not_used(record: Record) -> None:
    recent = RecentLeaves()
    await fill(record)
    record.watch(recent.note)
    await play(record, "game-cup-r9", "cup", 4)
    ours = await events_of(record)
    async with record.writing() as connection:  # a standby takes over that has another event at the last position
        events = tables.events
        await connection.execute(update(events).where(events.c.position == len(ours)).values(hash=bytes(32)))
    await extend_log(record, recent=recent)
    assert await read_tiles(record) == await build_tiles_again(record)


async def test_only_the_writer_with_the_lease_has_leaves_and_it_stores_them_before_they_are_many(
    record: Record, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_writer, "MAX_UNSTORED_EVENTS", 50)
    await fill(record)
    made = await make_checkpoint(record, KEY, ORIGIN)
    other = await Record.open(database_url)
    records = (record, other)
    writers = [LogWriter(each, KEY, ORIGIN, TrustPolicy(), seconds=3_600, look=0.02) for each in records]
    tasks = [asyncio.create_task(writer.run()) for writer in writers]
    number, sizes = 0, {0}
    async with asyncio.timeout(30):
        while len(sizes) < 4:
            number += 1
            await play(records[number // 200 % 2], f"game-cup-r{number}", "cup", 2)
            assert min(len(writer.recent) for writer in writers) == 0
            async with record.reading() as connection:
                sizes.add(await log_store.read_size(connection))
    assert made is not None
    assert (await checkpoint_of(record)).checkpoint == made.checkpoint, "no other checkpoint was due"
    await cancel_tasks(tasks)
    await play(record, "game-cup-r1", "cup", 2)
    await play(other, "game-cup-r2", "cup", 2)
    assert [len(writer.recent) for writer in writers] == [0, 0]
    await extend_log(record)
    assert await read_tiles(record) == await build_tiles_again(record)
    await other.close()


async def test_proofs_of_the_stored_tree_are_valid_and_erasure_changes_none(record: Record) -> None:
    await fill(record)
    made = await make_checkpoint(record, KEY, ORIGIN, is_published=True)
    assert made is not None
    policy = parse_policy(f"log {LOG_KEY}\nquorum none\n".encode())
    await erase(record, "anna")
    for event in (await events_of(record))[: made.checkpoint.size]:
        async with record.reading() as connection:
            hashes = await log_store.prove_inclusion(connection, event.position - 1, made.checkpoint.size)
        shown = disclose_event(event)
        proof = LogProof(event.position - 1, hashes, made.note, shown.to_extra())
        assert proof.check(shown.entry, policy) == (made.checkpoint, {})
    await make_checkpoint(record, KEY, ORIGIN)


async def test_no_checkpoint_is_signed_over_a_changed_record(record: Record) -> None:
    await fill(record)
    await make_checkpoint(record, KEY, ORIGIN)
    await play(record, "game-cup-r9", "cup", 3)
    async with record.writing() as connection:
        at = tables.log_tiles.c
        tile = update(tables.log_tiles).where(at.level == 0, at.number == 0)
        hashes = await log_store.read_tile(connection, TileName(0, 0))
        await connection.execute(tile.values(hashes=bytes(32) + hashes[32:]))
    with pytest.raises(CorruptData, match="not those under the last checkpoint"):
        await make_checkpoint(record, KEY, ORIGIN)


async def test_an_archive_has_the_checkpoint_and_all_that_proves_its_events(record: Record, tmp_path: Path) -> None:
    await fill(record)
    await play(record, "game-cup-r9", "cup", 300)
    await play(record, "game-league-r9", "league", 5)
    made = await make_checkpoint(record, KEY, ORIGIN, is_published=True)
    await play(record, "game-cup-r9", "cup", 4)
    assert made is not None
    public = keys.by_id([KEY.public_key()])
    await seal(record, KEY)
    for tournament in ("", "cup", "league"):
        file = tmp_path / f"{tournament or 'all'}.archive"
        counts = await export(record, file, tournament=tournament)
        assert counts.checkpoints == 1
        verdict = verify_file(file, keys=public)
        assert (verdict.wrong, verdict.checkpoints, verdict.logged) == ("", 1, made.checkpoint.size)
        lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
        if tournament:
            assert any(line["kind"] == "log-gap" for line in lines)
        forged = tmp_path / f"{tournament or 'all'}-forged.archive"
        with Writer(forged) as writer:
            for line in lines:
                del line["sum"]
                if line["kind"] == "checkpoint":
                    line["root"] = "00" * 32
                writer.write(line.pop("kind"), **line)
        assert "another origin, size or root" in verify_file(forged, keys=public).wrong
    restored = await Record.open(f"sqlite:///{tmp_path}/restored.db")
    await restore(restored, tmp_path / "all.archive")
    assert (await checkpoint_of(restored)).note == made.note
    again = await make_checkpoint(restored, KEY, ORIGIN)
    assert again is not None
    assert again.checkpoint == (await make_checkpoint(record, KEY, ORIGIN) or again).checkpoint
    await restored.close()


async def test_verification_compares_every_checkpoint_and_the_tiles(record: Record) -> None:
    await fill(record)
    for _ in range(3):
        made = await make_checkpoint(record, KEY, ORIGIN)
        await play(record, "game-cup-r9", "cup", 3)
    assert made is not None
    await seal(record, KEY)
    public = keys.by_id([KEY.public_key()])
    verdict = await verify(record, keys=public)
    assert (verdict.wrong, verdict.checkpoints, verdict.logged) == ("", 3, made.checkpoint.size)
    assert (await verify(record, keys=public, after=20)).wrong == ""
    table = tables.log_checkpoints
    root = LogCheckpoint(ORIGIN, made.checkpoint.size, bytes(32))
    async with record.writing() as connection:
        forged = update(table).where(table.c.size == made.checkpoint.size)
        await connection.execute(forged.values(root=bytes(32), note=str(sign_note(root.text, ORIGIN, KEY))))
    assert "it has another root" in (await verify(record, keys=public)).wrong
    async with record.writing() as connection:
        await connection.execute(forged.values(root=made.checkpoint.root, note=str(made.note)))
        await connection.execute(update(tables.log_tiles).values(hashes=bytes(32 * 200)))
    assert "the tiles of the log have another root" in (await verify(record, keys=public, after=20)).wrong


@pytest.mark.parametrize(("level", "number", "at", "position"), [(0, 0, 7, 8), (0, 1, 40, 297), (1, 0, 0, 256)])
async def test_verification_names_the_changed_hash_of_any_tile(
    record: Record, level: int, number: int, at: int, position: int
) -> None:
    await fill(record)
    await play(record, "game-cup-r9", "cup", 300)
    await make_checkpoint(record, KEY, ORIGIN)
    await play(record, "game-cup-r8", "cup", 3)
    assert (await verify(record)).wrong == ""
    columns = tables.log_tiles.c
    tile = update(tables.log_tiles).where(columns.level == level, columns.number == number)
    async with record.writing() as connection:
        hashes = await log_store.read_tile(connection, TileName(level, number))
        changed = bytearray(hashes)
        changed[32 * at + 31] ^= 1  # one bit of its last byte
        await connection.execute(tile.values(hashes=bytes(changed)))
    named = f"position {position}: hash {at} of tile {number} of level {level} of the log is "
    assert (await verify(record)).wrong == (
        f"{named}{changed[32 * at : 32 * at + 32].hex()}, and the record gives {hashes[32 * at : 32 * at + 32].hex()}"
    )
    async with record.writing() as connection:
        await connection.execute(tile.values(hashes=hashes[: 32 * at]))
    assert f"the tile {number} of level {level} of the log lacks hashes" in (await verify(record)).wrong


async def test_two_witnesses_cosign_and_the_checkpoint_is_published_with_both(record: Record, tmp_path: Path) -> None:
    await fill(record)
    with witnesses(tmp_path, "a", "b") as (_, policy):
        writer = asyncio.create_task(LogWriter(record, KEY, ORIGIN, policy, seconds=0.1, look=0.05).run())
        async with asyncio.timeout(20):
            while True:
                async with record.reading() as connection:
                    found = await log_store.newest_checkpoint(connection, is_published=True)
                    end, _ = await stored.end(connection)
                if found is not None and found.checkpoint.size == end and end > 60:
                    break
                if end <= 60:
                    await play(record, "game-cup-r9", "cup", 2)
                await asyncio.sleep(0.1)
        await cancel_tasks([writer])
    checkpoint, times = policy.check(found.note)
    assert checkpoint == found.checkpoint
    assert times.keys() == {"a", "b"}
    assert await record.checkpoint("log-witness:a") == checkpoint.size


async def test_a_checkpoint_waits_for_its_quorum_and_the_end_of_a_round_for_no_minute(
    record: Record, tmp_path: Path
) -> None:
    await fill(record)
    with witnesses(tmp_path, "a", "b") as (running, policy):
        pass  # both are stopped
    at_once = ["faristol.pairing.v1.PlayerRegistered"]
    writer = LogWriter(record, KEY, ORIGIN, policy, seconds=3_600, at_once=at_once)
    await writer.step()
    assert (await checkpoint_of(record)).published_at is None
    size = (await checkpoint_of(record)).checkpoint.size
    await play(record, "game-cup-r9", "cup", 2)
    await writer.step()
    assert (await checkpoint_of(record)).checkpoint.size == size
    await register(record, "cup", "biel")
    await writer.step()
    assert (await checkpoint_of(record)).checkpoint.size == size + 3
    assert running


async def test_a_witness_refuses_as_the_standard_says(record: Record, tmp_path: Path) -> None:
    await fill(record)
    first = await make_checkpoint(record, KEY, ORIGIN)
    await play(record, "game-cup-r9", "cup", 20)
    second = await make_checkpoint(record, KEY, ORIGIN)
    assert first is not None
    assert second is not None
    size = first.checkpoint.size
    async with record.reading() as connection:
        proof = await log_store.prove_consistency(connection, size, second.checkpoint.size)
    with witnesses(tmp_path, "a") as ((witness,), _):
        assert submit(witness, 0, [bytes(32)], first.note)[0] == 422
        status, media_type, body = submit(witness, 0, [], first.note)
        assert (status, media_type) == (200, "text/plain; charset=utf-8")
        assert body.startswith("— a.example ")
        assert submit(witness, 0, [], second.note)[:2] == (409, "text/x.tlog.size")
        assert submit(witness, 0, [], second.note)[2] == f"{size}\n"
        assert submit(witness, size, proof[1:], second.note)[0] == 422
        assert submit(witness, size, [], first.note)[0] == 200, "the same checkpoint again"
        assert submit(witness, size + 1, [], first.note)[0] == 400
        other = sign_note(replace(second.checkpoint, origin="other").text, "other", KEY)
        assert submit(witness, size, proof, other)[0] == 404
        stranger = sign_note(second.checkpoint.text, ORIGIN, OTHER_KEY)
        assert submit(witness, size, proof, stranger)[0] == 403
        broken = replace(second.note, text=second.note.text.replace(ORIGIN, ORIGIN, 1) + "extension\n")
        assert submit(witness, size, proof, broken)[0] == 403
        empty = sign_note(LogCheckpoint(ORIGIN, 0, bytes(32)).text, ORIGIN, KEY)
        assert submit(witness, 0, [], empty)[0] == 409
        assert submit(witness, size, proof, second.note)[0] == 200
        assert fetch_checkpoint(witness) == second.checkpoint
    with witnesses(tmp_path, "a") as ((witness,), _):
        assert submit(witness, size, proof, second.note)[2] == f"{second.checkpoint.size}\n", "it remembers its state"


async def test_a_forked_log_is_found_by_its_witness_and_gets_no_cosignature(
    database_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Two records with the same key and origin, as an owner would show them to two people."""
    record = await Record.open(database_url)
    other = await Record.open(f"sqlite:///{tmp_path}/other.db")
    await fill(record)
    await fill(other)
    await play(other, "game-cup-r9", "cup", 30)
    with witnesses(tmp_path, "a") as ((witness,), policy):
        await LogWriter(record, KEY, ORIGIN, policy, seconds=0.0001).step()
        assert (await checkpoint_of(record)).published_at is not None
        with caplog.at_level(logging.CRITICAL):
            await LogWriter(other, KEY, ORIGIN, policy, seconds=0.0001).step()
        assert "not the beginning of this one" in caplog.text
        assert (await checkpoint_of(other)).published_at is None
        (fork,) = witness.folder.glob("*.fork")
        assert SignedNote.parse(fork.read_bytes()).is_signed_by(LOG_KEY), "the proof of the two histories is kept"
    await record.close()
    await other.close()


async def test_a_record_that_lost_events_is_told_by_its_witness(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    restored = await Record.open(f"sqlite:///{tmp_path}/restored.db")
    await fill(record)
    await play(restored, "game-cup-r9", "cup", 3)
    with witnesses(tmp_path, "a") as (_, policy):
        await LogWriter(record, KEY, ORIGIN, policy, seconds=0.0001).step()
        with caplog.at_level(logging.CRITICAL):
            await LogWriter(restored, KEY, ORIGIN, policy, seconds=0.0001).step()
    assert "a record was restored from a copy" in caplog.text
    await record.close()
    await restored.close()
