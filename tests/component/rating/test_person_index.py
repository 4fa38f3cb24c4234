"""The index of the persons of the register, beside a real record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.kernel.details import Person
from faristol.kernel.event_types import OF_THE_CELL
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.people.v1 import events_pb2 as people_events
from faristol.pb.register.v1 import events_pb2 as events
from faristol.personal_data import people
from faristol.rating.register.persons import PersonCache
from faristol.register.model import REGISTER_STREAM, Register, evolve

OPEN = "tournament-open"


async def _cancel(*_: object) -> None:
    raise asyncio.CancelledError


async def test_persons_are_indexed_again_only_after_their_details_have_changed(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write(stream: str, version: int, event: Message, *persons: Person) -> None:
        async def store(connection: AsyncConnection) -> list[str]:
            return [" ".join(await people.store_players(connection, persons))]

        decision = Decision([Write(stream, version, [event], OF_THE_CELL)], also=store if persons else None)
        await record.append(decision, Metadata(actor="fede"))

    async def erase(person_id: str) -> None:
        async def forget(connection: AsyncConnection) -> None:
            await people.forget(connection, person_id, 1)

        erased = people_events.PersonErased(person_id=person_id)
        await record.append(Decision([Write("people-cell", 0, [erased], OF_THE_CELL)], also=forget), Metadata())

    anna, biel = Person("anna", "Anna Puig", federation_id="17"), Person("biel", "Biel Mas")
    entered = [events.PersonEntered(person_id=each.player_id) for each in (anna, biel)]
    register, cache = evolve(evolve(Register(), entered[0]), entered[1]), PersonCache(record)
    await write(REGISTER_STREAM, 0, entered[0], anna)
    await write(REGISTER_STREAM, 1, entered[1], biel)
    index = await cache.load_index(register)
    assert [each.name for text in ("pui an", "17", "anna") for each in index.find(text)] == ["Anna Puig"] * 3
    assert index.find("vic") == []

    others: list[Callable[[], Awaitable[None]]] = [
        lambda: write(OPEN, 0, pairing.TournamentCreated(tournament_id="open", rounds=5)),
        lambda: write(OPEN, 1, pairing.PlayerRegistered(player_id="anna"), anna),
        lambda: write(OPEN, 2, pairing.PlayerRegistered(player_id="carme"), Person("carme", "Carme Roca")),
    ]
    for unrelated in others:
        await unrelated()
        assert await cache.load_index(register) is index, "no detail of the register has changed"

    await write(OPEN, 3, pairing.PlayerAmended(player_id="anna"), Person("anna", "Anna Roca"))
    assert [each.name for each in (await cache.load_index(register)).find("")] == ["Anna Roca", "Biel Mas"]
    await erase("biel")
    with monkeypatch.context() as changed:
        changed.setattr("faristol.rating.register.persons.asyncio.to_thread", _cancel)
        with pytest.raises(asyncio.CancelledError):  # its caller leaves during the build
            await cache.load_index(register)
    assert [each.name for each in (await cache.load_index(register)).find("")] == ["Anna Roca"]
