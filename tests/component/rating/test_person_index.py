"""The index of the persons of the register, beside a real record."""

from __future__ import annotations

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.kernel.details import Person
from faristol.kernel.event_types import OF_THE_CELL
from faristol.pb.register.v1 import events_pb2 as events
from faristol.personal_data import people
from faristol.rating.register.persons import PersonCache
from faristol.register.model import REGISTER_STREAM, Register, evolve


async def test_persons_are_indexed_again_only_after_an_event(record: Record) -> None:
    async def enter(name: str, version: int) -> Register:
        entered = events.PersonEntered(person_id="anna")
        await record.append(
            Decision(
                [Write(REGISTER_STREAM, version, [entered], OF_THE_CELL)],
                also=lambda there: people.store_players(there, [Person("anna", name, federation_id="17")]),
            ),
            Metadata(actor="fede"),
        )
        return evolve(Register(), entered)

    register, cache = await enter("Anna Puig", 0), PersonCache(record)
    index = await cache.load_index(register)
    assert [each.name for text in ("pui an", "17", "anna") for each in index.find(text)] == ["Anna Puig"] * 3
    assert index.find("vic") == []
    assert await cache.load_index(register) is index
    await enter("Anna Roca", 1)
    assert [each.name for each in (await cache.load_index(register)).find("")] == ["Anna Roca"]
