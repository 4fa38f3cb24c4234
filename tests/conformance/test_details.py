"""Each personal detail of the contract is bound, archived, restored and erased as its properties say."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import insert, update
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.component.test_archive import write as write_archive
from tests.conformance.test_names import clear, put, write
from tests.support.details import example_of, examples, value_sets

from faristol.event_store import Record
from faristol.event_store.archive.export import export
from faristol.event_store.archive.restoration import restore
from faristol.event_store.archive.restoration import verify as verify_file
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.bindings import (
    FIRST_DETAILS,
    Names,
    StoredName,
    build_binding,
    list_stored_names,
    new_salt,
)
from faristol.event_store.integrity.verification import verify
from faristol.kernel.details import DETAILS, Detail, Person
from faristol.kernel.refusal import Refusal
from faristol.personal_data import people
from faristol.personal_data.erasure import erase

each_detail = pytest.mark.parametrize("detail", DETAILS.values(), ids=DETAILS)


async def store(record: Record, *persons: Person) -> None:
    """Store each person with an event that binds the details."""
    for person in persons:

        async def also(connection: AsyncConnection, person: Person = person) -> str:
            (binding,) = await people.store_players(connection, [person])
            return binding

        await write(record, "game-cup", also)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=value_sets(), others=value_sets())
async def test_details_are_stored_replaced_amended_archived_restored_and_erased(
    record: Record, tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any], others: dict[str, Any]
) -> None:
    await clear(record)
    await store(record, Person("anna", **values), Person("biel", **others))
    assert await people.names(record, ["anna", "biel"]) == {
        "anna": Person("anna", **values),
        "biel": Person("biel", **others),
    }
    await write(record, "game-cup", lambda connection: people.amend(connection, "anna", others))
    amended = Person("anna", **{**values, **others})
    assert await people.names(record, ["anna"]) == {"anna": amended}
    assert (await verify(record)).names == Names(bound=2)

    folder = tmp_path_factory.mktemp("archives")
    await export(record, folder / "all", with_people=True)
    assert verify_file(folder / "all").names == Names(bound=2)
    again = await Record.open(f"sqlite:///{folder}/again.db")
    await restore(again, folder / "all")
    assert await people.names(again, ["anna", "biel"]) == {"anna": amended, "biel": Person("biel", **others)}
    assert (await verify(again)).names == Names(bound=2)
    await again.close()

    await store(record, Person("anna", **values))
    assert await people.names(record, ["anna"]) == {"anna": Person("anna", **values)}
    await erase(record, "anna")
    async with record.reading() as connection:
        assert [kept.player_id for kept in await list_stored_names(connection)] == ["biel"]
    assert (await verify(record)).wrong == ""


@each_detail
async def test_a_changed_detail_is_detected_exactly_if_it_is_bound(record: Record, detail: Detail) -> None:
    await store(record, Person("anna", **examples()))
    async with record.reading() as connection:
        (kept,) = await list_stored_names(connection)
    changed = kept._replace(values={**kept.values, detail.name: example_of(detail, 1)})
    await put(record, "anna", **changed.to_row())
    assert ("personal details of anna" in (await verify(record)).wrong) == detail.options.bound
    removed = kept._replace(values={name: value for name, value in kept.values.items() if name != detail.name})
    await put(record, "anna", **removed.to_row())
    assert ("personal details of anna" in (await verify(record)).wrong) == detail.options.bound


@each_detail
async def test_an_archive_with_a_malformed_detail_is_refused(record: Record, tmp_path: Path, detail: Detail) -> None:
    await store(record, Person("anna", **examples()))
    await export(record, tmp_path / "a", with_people=True)
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "a").read_bytes()).splitlines()]
    wrong: dict[str, Any] = {detail.name: " " * (detail.options.longest + 1)}
    for line in lines:
        if line["kind"] == "person":
            line.update(wrong if detail.name in FIRST_DETAILS else {"details": line["details"] | wrong})
    assert f"its {detail.name} is " in verify_file(write_archive(tmp_path / "b", lines)).wrong


async def test_no_byte_of_an_erased_person_is_left_in_the_record(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    await store(record, Person("anna", **examples()))
    # A number alone can also be part of a random id or of a time.
    texts = [
        f'"{name}":{value}'.encode() if isinstance(value, int) else str(value).encode()
        for name, value in examples().items()
    ]

    def find_texts() -> list[bytes]:
        files = [path for path in (tmp_path / "record.db", tmp_path / "record.db-wal") if path.exists()]
        content = b"".join(path.read_bytes() for path in files)
        return [text for text in texts if text in content]

    await write(record, "game-cup", None)
    assert find_texts() == texts
    await erase(record, "anna")
    await record.close()
    assert find_texts() == []


def test_a_commitment_of_the_first_details_never_changes_and_others_have_their_own_version() -> None:
    values = {"name": "Anna Puigdomènech", "club": "Club Tarragona", "country": "AND"}
    anna = StoredName("anna", values, bytes(range(32)))
    assert anna.commitment == "0860d8449ee94d922abfd6ced831d6947867f7a827a21be05dc7989305135183"
    other = anna._replace(values={**values, "birth_year": 1987, "school": "Institut Narcís Oller"})
    assert other.commitment == "5cc3b7687f2d1d8333f4acb0ab1ccd8dadfb3b29dd75668652a4dfc3aa81654b"


async def test_a_detail_of_a_newer_version_is_bound_and_kept(record: Record) -> None:
    newer = StoredName("anna", {"name": "Anna Puig", "shoe_size": 38}, new_salt())

    async def store_newer(connection: AsyncConnection) -> str:
        await connection.execute(insert(tables.people).values(**newer.to_row()))
        return build_binding(newer)

    await write(record, "game-cup", store_newer)
    await write(record, "game-cup", lambda connection: people.amend(connection, "anna", {"club": "Valls"}))
    await store(record, Person("anna", "Anna Puig", "Reus"))
    assert (await verify(record)).names == Names(bound=1)
    async with record.reading() as connection:
        (kept,) = await list_stored_names(connection)
    assert kept.values == {"name": "Anna Puig", "club": "Reus", "shoe_size": 38}
    await put(record, "anna", details=None)
    assert "personal details of anna" in (await verify(record)).wrong


async def test_further_details_wait_until_no_older_version_can_run(record: Record) -> None:
    further = {name: value for name, value in examples().items() if name not in FIRST_DETAILS}
    async with record.writing() as connection:
        await connection.execute(update(tables.counter).values(format=2))
    await store(record, Person("anna", "Anna Puig", "Valls", "AND"))
    for name, value in further.items():
        with pytest.raises(Refusal, match="record migrate"):
            await store(record, Person("biel", "Biel Soler", **{name: value}))
        with pytest.raises(Refusal, match="record migrate"):
            await write(record, "game-cup", lambda connection, new={name: value}: people.amend(connection, "anna", new))  # type: ignore[misc]
