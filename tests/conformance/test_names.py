"""Names are bound to events: a changed name is detected, and an erased person is forgotten."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.component.test_archive import write as write_archive

from faristol.event_store import Conflict, Decision, Metadata, Record, Write
from faristol.event_store.archive.export import export
from faristol.event_store.archive.restoration import restore
from faristol.event_store.archive.restoration import verify as verify_file
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.bindings import Names, StoredName, build_binding
from faristol.event_store.integrity.verification import verify
from faristol.kernel.details import Person
from faristol.kernel.names import is_storable
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data import people
from faristol.personal_data.erasure import erase
from faristol.personal_data.people import amend, bind, store_player

IDS = ("anna", "biel", "carla", "o-0123456789ab")
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).filter(
    lambda text: is_storable(text, least=1)
)

Attack = Callable[[AsyncConnection, str], Awaitable[None]]


async def write(
    record: Record,
    stream: str,
    also: Callable[[AsyncConnection], Awaitable[str | None]] | None,
    tournament: str = "cup",
) -> int:
    """Append an event with its data beside it; return its position."""
    version = len(await record.events(stream))
    event = game.Passed(turn=1, player_id="anna")
    return (
        await record.append(Decision([Write(stream, version, [event], tournament)], also=also), Metadata())
    ).position


async def name(
    record: Record, person: str, name: str, club: str = "", country: str = "", tournament: str = "cup"
) -> int:
    async def also(connection: AsyncConnection) -> str:
        return await store_player(connection, person, name, club, country)

    return await write(record, f"game-{tournament}", also, tournament)


async def put(record: Record, person: str, **values: Any) -> None:
    """Store a name as a user with write access to the database."""
    async with record.writing() as connection:
        await connection.execute(update(tables.people).where(tables.people.c.player_id == person).values(**values))


async def clear(record: Record) -> None:
    async with record.writing() as connection:
        for table in (tables.events, tables.people, tables.erased, tables.commands):
            await connection.execute(delete(table))
        await connection.execute(update(tables.counter).values(position=0))


steps = st.lists(
    st.tuples(
        st.sampled_from(("name", "name", "name", "bind", "play", "erase")),
        st.sampled_from(IDS),
        TEXTS,
        st.sampled_from(("", "Prat", "Valls")),
        st.sampled_from(("", "AND")),
        st.sampled_from(("cup", "league")),
    ),
    max_size=12,
)


async def take(record: Record, plan: Any) -> dict[str, tuple[str, str, str]]:
    """Execute the steps; return each person's name, club and country."""
    stored_people: dict[str, tuple[str, str, str]] = {}
    gone: set[str] = set()
    for what, person, called, club, country, tournament in plan:
        if what == "name" and person not in gone:
            await name(record, person, called, club, country, tournament)
            stored_people[person] = (called, club, country)
        elif what == "bind":
            await write(record, f"game-{tournament}", partial(bind, player_id=person), tournament)
        elif what == "erase" and person in stored_people:
            await erase(record, person)
            same = [
                other
                for other in stored_people
                if stored_people[other][0] == stored_people[person][0] and other.startswith("o-")
            ]
            for other in {person, *(same if person.startswith("o-") else ())}:
                del stored_people[other]
                gone.add(other)
        else:
            await write(record, f"game-{tournament}", None, tournament)
    return stored_people


async def swap_name(connection: AsyncConnection, person: str) -> None:
    table = tables.people
    await connection.execute(update(table).where(table.c.player_id == person).values(name=table.c.name + "x"))


async def swap_club(connection: AsyncConnection, person: str) -> None:
    table = tables.people
    await connection.execute(update(table).where(table.c.player_id == person).values(club=table.c.club + "x"))


async def swap_country(connection: AsyncConnection, person: str) -> None:
    await connection.execute(update(tables.people).where(tables.people.c.player_id == person).values(country="XXX"))


async def without_salt(connection: AsyncConnection, person: str) -> None:
    await connection.execute(
        update(tables.people).where(tables.people.c.player_id == person).values(name="X", salt=None)
    )


async def move_to_club(connection: AsyncConnection, person: str) -> None:
    """Move the end of the name to the beginning of the club: the characters stay the same."""
    table = tables.people
    kept = (await connection.execute(select(table).where(table.c.player_id == person))).one()
    moved = {"name": kept.name[:-1], "club": kept.name[-1:] + kept.club}
    await connection.execute(update(table).where(table.c.player_id == person).values(**moved))


async def remove(connection: AsyncConnection, person: str) -> None:
    await connection.execute(delete(tables.people).where(tables.people.c.player_id == person))


async def pretend_erased(connection: AsyncConnection, person: str) -> None:
    await remove(connection, person)
    await connection.execute(insert(tables.erased).values(player_id=person, erased_at=1))


ATTACKS: Mapping[str, Attack] = {
    attack.__name__: attack
    for attack in (swap_name, swap_club, swap_country, without_salt, move_to_club, remove, pretend_erased)
}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=steps, attack=st.sampled_from(sorted(ATTACKS)), chosen=st.randoms(use_true_random=False))
async def test_names_are_right_until_somebody_changes_one_and_then_they_are_told(
    record: Record, plan: Any, attack: str, chosen: Any
) -> None:
    await clear(record)
    stored_people = await take(record, plan)
    verdict = await verify(record)
    assert (verdict.wrong, verdict.names) == ("", Names(bound=len(stored_people)))
    if stored_people:
        person = chosen.choice(sorted(stored_people))
        async with record.writing() as connection:
            await ATTACKS[attack](connection, person)
        wrong = (await verify(record)).wrong
        assert person in wrong, attack
        # naming the person again does not bind the inserted name to earlier events
        if attack not in ("remove", "pretend_erased"):
            await name(record, person, "Another")
            assert person in (await verify(record)).wrong, attack


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
async def test_whatever_is_changed_beside_the_events_is_told(record: Record, attack: Attack) -> None:
    await name(record, "anna", "Anna Puig", "Prat", "AND")
    await name(record, "biel", "Biel Soler", "Valls", "AND")
    async with record.writing() as connection:
        await attack(connection, "anna")
    wrong = (await verify(record)).wrong
    assert "of anna, bound at position 1: " in wrong


async def test_a_name_that_is_amended_is_bound_in_place_of_the_one_before_and_the_rest_stays(record: Record) -> None:
    await name(record, "anna", "Ana Puig", "Prat", "AND")
    await write(record, "game-cup", partial(amend, player_id="anna", amended={"name": "Anna Puig"}))
    await write(record, "game-cup", partial(amend, player_id="anna", amended={}))
    assert (await people.names(record, ["anna"]))["anna"] == Person("anna", "Anna Puig", "Prat", "AND")
    assert (await verify(record)).names == Names(bound=1)
    await put(record, "anna", name="Ana Puig")
    await write(record, "game-cup", partial(amend, player_id="anna", amended={"club": "Valls"}))
    assert "the name of anna had been changed before it was bound here" in (await verify(record)).wrong


@pytest.mark.parametrize("amended", [{"name": "Anna Puig"}, {}])
async def test_nothing_is_amended_of_somebody_who_was_erased(record: Record, amended: dict[str, str]) -> None:
    await name(record, "anna", "Ana Puig")
    await erase(record, "anna")
    with pytest.raises(Refusal, match="erased on request"):
        await write(record, "game-cup", partial(amend, player_id="anna", amended=amended))
    assert await people.names(record, ["anna"]) == {}
    assert (await verify(record)).wrong == ""


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=steps, tournament=st.sampled_from(("", "cup", "league")))
async def test_archives_carry_what_binds_names_and_a_change_in_the_file_is_told(
    record: Record, tmp_path_factory: pytest.TempPathFactory, plan: Any, tournament: str
) -> None:
    await clear(record)
    stored_people = await take(record, [("play", "", "", "", "", "cup"), ("play", "", "", "", "", "league"), *plan])
    folder = tmp_path_factory.mktemp("archives")
    for with_people in (True, False):
        counts = await export(record, folder / f"{with_people}", tournament=tournament, with_people=with_people)
        verdict = verify_file(folder / f"{with_people}")
        assert verdict.wrong == ""
        assert verdict.names.bound + verdict.names.elsewhere == counts.people
    if not tournament:
        again = await Record.open(f"sqlite:///{folder}/again.db")
        await restore(again, folder / "True")
        assert (await verify(again)).names == Names(bound=len(stored_people))
        await again.close()
        without = await Record.open(f"sqlite:///{folder}/without.db")
        await restore(without, folder / "False")
        assert ("is missing" in (await verify(without)).wrong) == bool(stored_people)
        assert (await verify(without, without_names=True)).names == Names(missing=len(stored_people))
        for person in stored_people:
            await name(without, person, "Who came again")
        assert (await verify(without, without_names=True)).names == Names(bound=len(stored_people))
        await without.close()


async def test_a_name_in_an_archive_that_was_changed_is_told(record: Record, tmp_path: Path) -> None:
    await name(record, "anna", "Anna Puig", "Prat")
    await export(record, tmp_path / "a", with_people=True)
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "a").read_bytes()).splitlines()]
    for member, value, said in (
        ("name", "Eva Soler", "of anna, bound at position 1: they differ from what was bound"),
        ("salt", "00" * 32, "of anna, bound at position 1: they differ from what was bound"),
        ("salt", "", "of anna, bound at position 1: they differ from what was bound"),
        ("bound", 7, "anna is said to be bound at position 7, and is at 1"),
        ("player_id", "eva", "eva is said to be bound at position 1, and is at 0"),
    ):
        changed = [line | ({member: value} if line["kind"] == "person" else {}) for line in lines]
        wrong = verify_file(write_archive(tmp_path / "b", changed)).wrong
        assert said in wrong
    lines = [line | ({"people": 0} if line["kind"] == "end" else {}) for line in lines if line["kind"] != "person"]
    assert (
        "the name of anna, bound at position 1: it is missing"
        in verify_file(write_archive(tmp_path / "b", lines)).wrong
    )


async def test_a_name_that_is_bound_by_another_tournament_is_said_to_be(record: Record, tmp_path: Path) -> None:
    await name(record, "anna", "Anna Puig", "Prat", tournament="cup")
    await write(record, "game-cup", partial(bind, player_id="anna"))
    await name(record, "anna", "Anna Puig", "Valls", tournament="league")
    for tournament, names in (("cup", Names(elsewhere=1)), ("league", Names(bound=1))):
        path = tmp_path / tournament
        stream = f"tournament-{tournament}"
        registered = Write(stream, 0, [pairing.PlayerRegistered(player_id="anna")], tournament)
        await record.append(Decision([registered]), Metadata())
        await export(record, path, tournament=tournament, with_people=True)
        verdict = verify_file(path)
        assert (verdict.wrong, verdict.names) == ("", names)


async def test_names_that_an_older_version_kept_are_said_to_be_unbound_until_they_are_named_again(
    record: Record,
) -> None:
    async with record.writing() as connection:
        await connection.execute(insert(tables.people).values(player_id="anna", name="Anna Puig", club=""))
        await connection.execute(insert(tables.people).values(player_id="biel", name="Biel Soler", club=""))
    await write(record, "game-cup", None)
    assert (await verify(record)).names == Names(unbound=2)
    await name(record, "anna", "Anna Puig")
    await write(record, "game-cup", partial(bind, player_id="biel"))
    assert (await verify(record)).names == Names(bound=2)
    await put(record, "biel", name="Eva Soler")
    assert "the personal details of biel, bound at position 3: they differ from what" in (await verify(record)).wrong


async def test_a_name_that_was_swapped_is_not_hidden_by_an_honest_change(record: Record) -> None:
    await name(record, "anna", "Anna Puig")
    await put(record, "anna", name="Eva Soler")
    await name(record, "anna", "Eva Soler", "Prat")  # as a registration in another tournament does
    await name(record, "anna", "Eva Soler", "Prat")
    said = "position 2: the name of anna had been changed before it was bound here; it is not the one that was bound at"
    assert said in (await verify(record)).wrong


async def test_an_erasure_is_on_the_record_and_cannot_be_taken_back_or_made_up(record: Record) -> None:
    await name(record, "anna", "Anna Puig")
    await name(record, "biel", "Biel Soler")
    await erase(record, "anna")
    (event,) = await record.events("people-cell")
    assert event.person_id == "anna"  # type: ignore[attr-defined]
    assert event.occurred_at.seconds  # type: ignore[attr-defined]
    assert (await verify(record)).names == Names(bound=1)
    async with record.writing() as connection:
        await connection.execute(delete(tables.erased))
    assert "anna, erased at position 3: the record no longer knows" in (await verify(record)).wrong
    await name(record, "anna", "Anna Puig")
    assert "position 4: anna is named, and was erased at position 3" in (await verify(record)).wrong


async def test_a_name_put_back_after_an_erasure_is_told(record: Record) -> None:
    await name(record, "anna", "Anna Puig")
    await erase(record, "anna")
    async with record.writing() as connection:
        await connection.execute(insert(tables.people).values(player_id="anna", name="Anna Puig", club=""))
    assert "anna, erased at position 2: the record still has a name" in (await verify(record)).wrong


async def test_many_erase_at_once_and_each_is_erased_once(record: Record) -> None:
    for person in IDS:
        await name(record, person, person)
    done = await asyncio.gather(*(erase(record, person) for person in (*IDS, *IDS)))
    assert sum(erased.before is None for erased in done) == len(IDS)
    assert sorted(event.person_id for event in await record.events("people-cell")) == sorted(IDS)  # type: ignore[attr-defined]
    assert (await verify(record)).wrong == ""


async def test_a_check_that_begins_later_says_which_names_it_did_not_hold_against_events(record: Record) -> None:
    await name(record, "anna", "Anna Puig")
    await name(record, "biel", "Biel Soler")
    assert (await verify(record, after=1)).names == Names(bound=1, elsewhere=1)
    await put(record, "anna", name="Eva")
    assert (await verify(record, after=1)).wrong == ""
    await put(record, "biel", name="Eva")
    assert "biel" in (await verify(record, after=1)).wrong


async def test_names_that_are_kept_while_a_record_is_verified_are_no_fault(record: Record) -> None:
    async def go_on() -> None:
        for number in range(60):
            await name(record, "anna", f"Anna {number}")
        await erase(record, "anna")

    going = asyncio.create_task(go_on())
    while not going.done():
        assert (await verify(record)).wrong == ""
    await going
    assert (await verify(record)).wrong == ""


async def test_what_no_name_was_written_with_is_told(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    await name(record, "anna", "Anna Puig")
    for values, said in (
        ({"name": b"\xff"}, "the table of people has"),
        ({"salt": "text"}, "the table of people has an invalid salt"),
    ):
        async with record.writing() as connection:
            (column, value), *_ = values.items()
            await connection.execute(text(f"UPDATE people SET {column} = :value"), {"value": value})
        assert said in (await verify(record)).wrong
        await put(record, "anna", name="Anna Puig")
    await record.close()


async def test_an_event_whose_names_nobody_can_read_is_told(record: Record) -> None:
    event = game.Passed(turn=1, player_id="anna")
    await record.append(Decision([Write("game-cup", 0, [event], "cup")]), Metadata(names="anna:00"))
    assert "position 1 (game-cup, version 1, Passed): its names cannot be read" in (await verify(record)).wrong


async def test_a_name_that_is_refused_is_bound_to_nothing(record: Record) -> None:
    await name(record, "anna", "Anna Puig")
    await erase(record, "anna")
    with pytest.raises(Refusal):
        await name(record, "anna", "Anna Puig")
    event = game.Passed(turn=1, player_id="anna")
    stale = Decision([Write("game-cup", 0, [event], "cup")], also=lambda there: store_player(there, "biel", "Biel", ""))
    with pytest.raises(Conflict):
        await record.append(stale, Metadata())
    assert (await verify(record)).names == Names()


def test_a_commitment_is_over_each_part_by_itself() -> None:
    salt = bytes(32)
    one = StoredName("anna", {"name": "Anna", "club": "Puig"}, salt)
    other = StoredName("anna", {"name": "AnnaPuig"}, salt)
    assert one.commitment != other.commitment
    assert build_binding(one) == f"anna:{one.commitment}"
    assert build_binding(other, one) == f"anna:{other.commitment}:{one.commitment}"
    with pytest.raises(ValueError, match="is not a person id"):
        build_binding(one._replace(player_id="Anna Puig"))
