"""Free text is stored beside the events, and is erased with the person without a change of any hash."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from tests.component.contents import PEOPLE, fill, register, rows, warn
from tests.component.processes import faristol
from tests.component.test_erasure import files, tables_of
from tests.support.chains import KEY

from faristol.event_store import AppendCommand, Conflict, Decision, Metadata, Record, RecordError, Write
from faristol.event_store.integrity import keys
from faristol.event_store.integrity.sealer import seal
from faristol.event_store.integrity.verification import verify
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data.erasure import erase, erase_note

WORDS = "rang during the endgame"
PUBLIC = keys.by_id([KEY.public_key()])


async def test_the_words_of_an_official_are_beside_the_event_and_in_no_other_table(record: Record) -> None:
    await fill(record)
    position = await warn(record, "cup", "anna", WORDS, concerned=["biel"])
    assert (await rows(record, "notes"))["notes"] == [(position, WORDS, '["anna","biel"]')]
    (*_, event) = await record.read_stream("tournament-cup")
    assert event.message == pairing.PlayerWarned(player_id="anna", round=1)
    assert await record.notes_of("tournament-cup") == {event.version: WORDS}
    assert await record.notes_of("tournament-league") == {}
    async with record.reading() as connection:
        for name in await tables_of(connection):
            found = str((await connection.execute(text(f'SELECT * FROM "{name}"'))).all())
            assert (WORDS in found) == (name == "notes"), name


async def test_the_event_that_a_decision_holds_keeps_its_words(record: Record) -> None:
    event = pairing.PlayerWarned(player_id="anna", note=WORDS)
    await record.append(Decision([Write("tournament-cup", 0, [event], "cup")]), Metadata())
    assert event.note == WORDS


async def test_what_older_versions_wrote_keeps_its_words_in_the_event(record: Record) -> None:
    await register(record, "cup", "anna")
    message = pairing.PlayerWarned(player_id="anna", note=WORDS)
    async with record.writing() as connection:
        await connection.execute(
            text("UPDATE events SET type = :type, schema_version = 1, payload = :payload WHERE position = 1"),
            {"type": message.DESCRIPTOR.full_name, "payload": message.SerializeToString()},
        )
    (event,) = await record.read_stream("tournament-cup")
    assert event.message == message
    assert await record.notes_of("tournament-cup") == {}


async def test_a_command_that_comes_again_writes_no_second_note_and_one_that_fails_writes_none(record: Record) -> None:
    event = pairing.PlayerWarned(player_id="anna", note=WORDS)
    decision = Decision([Write("tournament-cup", 0, [event], "cup")])
    command = AppendCommand("00000000-0000-4000-8000-000000000001", lambda position: b"%d" % position)
    first = await record.append(decision, Metadata(), command=command)
    again = await record.append(decision, Metadata(), command=command)
    assert (again.position, again.repeated) == (first.position, True)
    with pytest.raises(Conflict):
        await record.append(decision, Metadata())
    assert (await rows(record, "notes"))["notes"] == [(1, WORDS, '["anna"]')]
    assert (await verify(record)).wrong == ""


async def test_erasing_a_person_takes_the_notes_that_concern_or_fully_name_them_and_no_others(record: Record) -> None:
    await fill(record)
    name = PEOPLE["anna"][0]
    turned = " ".join(reversed(name.upper().split()))
    await warn(record, "cup", "anna", "of her")
    await warn(record, "cup", "biel", "of both", concerned=["anna"])
    await warn(record, "cup", "biel", f"blames {turned}!")
    kept = await warn(record, "cup", "biel", "of him, and of another Anna Puigdomènech")
    last = await warn(record, "league", "annabel", "of one whose id begins alike")
    await seal(record, KEY)
    before = await rows(record, "events", "commands", "seals")
    assert (await erase(record, "anna")).notes == 3
    assert [row[0] for row in (await rows(record, "notes"))["notes"]] == [kept, last]
    after = await rows(record, "events", "commands", "seals")
    assert after | {"events": after["events"][:-1]} == before
    verdict = await verify(record, keys=PUBLIC)
    assert (verdict.wrong, verdict.sealed) == ("", last)


async def test_erasing_again_takes_what_was_noted_since(record: Record) -> None:
    await fill(record)
    assert (await erase(record, "anna")).notes == 0
    await warn(record, "cup", "anna", WORDS)
    again = await erase(record, "anna")
    assert again.before is not None
    assert again.notes == 1
    assert await record.notes_of("tournament-cup") == {}


async def test_the_files_of_the_database_hold_no_remains_of_a_note(record: Record) -> None:
    await fill(record)
    async with record.writing() as connection:
        if connection.dialect.name == "sqlite":  # some builds of it overwrite automatically
            await connection.execute(text("PRAGMA secure_delete = OFF"))
    for number in range(120):
        await warn(record, "cup", "biel", f"{number} times")
    await warn(record, "cup", "anna", WORDS)
    if record.engine.dialect.name == "postgresql":
        async with record.writing() as connection:
            await connection.execute(text("ANALYZE notes"))
            sampled = text("SELECT count(*) FROM pg_stats WHERE tablename = 'notes' AND attname = 'text'")
            assert (await connection.execute(sampled)).scalar_one() == 0
    assert WORDS.encode() in b"".join(await files(record))
    assert (await erase(record, "anna")).remains == ""
    assert WORDS.encode() not in b"".join(await files(record))
    assert b"17 times" in b"".join(await files(record))


async def test_one_note_can_be_erased_by_itself_and_one_that_is_none_is_told(record: Record) -> None:
    await fill(record)
    await warn(record, "cup", "biel", "blames Anna of the second table")
    kept = await warn(record, "cup", "biel", WORDS)
    (first, _) = await record.notes_of("tournament-cup")
    before = await rows(record, "events", "commands", "seals", "people")
    assert await erase_note(record, "tournament-cup", first) == ""
    assert (await rows(record, "notes"))["notes"] == [(kept, WORDS, '["biel"]')]
    assert await rows(record, "events", "commands", "seals", "people") == before
    for stream, version in (("tournament-cup", first), ("tournament-cup", 1), ("tournament-none", first)):
        with pytest.raises(RecordError, match=f"version {version} of '{stream}' has no note"):
            await erase_note(record, stream, version)
    assert (await rows(record, "notes"))["notes"] == [(kept, WORDS, '["biel"]')]


PLAYERS = ("anna", "biel", "carme")
ACTS = st.lists(
    st.tuples(
        st.sampled_from(PLAYERS),
        st.sampled_from(("cup", "league")),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
        st.frozensets(st.sampled_from(PLAYERS)),
    ),
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS, erased=st.lists(st.sampled_from(PLAYERS), min_size=1, max_size=3))
async def test_whatever_was_noted_and_whoever_is_erased_the_record_is_right_and_nothing_of_them_is_left(
    record: Record, acts: Sequence[tuple[str, str, str, frozenset[str]]], erased: Sequence[str]
) -> None:
    async with record.writing() as connection:
        for table in ("events", "commands", "people", "notes", "erased", "seals"):
            await connection.execute(text(f"DELETE FROM {table}"))
        await connection.execute(text("UPDATE counter SET position = 0"))
    await record.append(Decision(), Metadata())  # reads the current end of the record
    new_events = [pairing.PlayerRegistered(player_id=player) for player in PLAYERS]
    await record.append(Decision([Write("tournament-all", 0, new_events, "all")]), Metadata())
    noted: dict[int, tuple[str, frozenset[str]]] = {}
    for player, tournament, words, concerned in acts:
        position = await warn(record, tournament, player, words, concerned=sorted(concerned))
        if words:
            noted[position] = (words, concerned | {player})
    await seal(record, KEY, events=3)
    kept = await rows(record, "events", "commands", "seals")
    for player in erased:
        await erase(record, player)
    left = {position: words for position, (words, of) in noted.items() if not of & set(erased)}
    assert {row[0]: row[1] for row in (await rows(record, "notes"))["notes"]} == left
    after = await rows(record, "events", "commands", "seals")
    assert after | {"events": after["events"][: -len({*erased})]} == kept
    assert (await verify(record, keys=PUBLIC)).wrong == ""


def test_an_operator_is_told_how_many_notes_are_gone(tmp_path: Path) -> None:
    async def prepare() -> None:
        record = await Record.open(f"sqlite:///{tmp_path}/record.db")
        await fill(record)
        await warn(record, "cup", "anna", WORDS)
        await warn(record, "league", "biel", WORDS)
        await record.close()

    asyncio.run(prepare())
    data = ("--data", str(tmp_path))
    done = faristol("record", "erase-person", "anna", *data, "--yes")
    assert done.stdout == "anna is erased; 1 note erased with it\n"
    alone = ("record", "erase-note", "tournament-league", "3", *data)
    assert faristol(*alone).stdout == "the note beside version 3 of tournament-league is erased\n"
    again = faristol(*alone)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert faristol("record", "verify", *data).returncode == 0
