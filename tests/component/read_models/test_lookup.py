"""Words on a tournament that stand beside its events are looked up by position."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event
from tests.component.read_models.test_projection import make_tables, project
from tests.support.synthetic import TOURNAMENT, append

from faristol.event_store import Record
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections.model import PROJECTED_TYPES, State
from faristol.read_models.storage.lookup import add_words
from faristol.read_models.storage.rows import Tournament
from faristol.read_models.storage.store import Reader
from faristol.read_models.storage.tables import TABLES_VERSION, schema

STREAM = f"tournament-{TOURNAMENT}"
SAID = (
    pairing.TournamentCreated(tournament_id=TOURNAMENT, name="Reus", rounds=2),
    pairing.ContactSet(contact="first@example.org"),
    pairing.ArbitersNamed(arbiters="Eva Soler; Jordi Prat"),
    pairing.ContactSet(contact="second@example.org"),
    pairing.TournamentArchived(),
)


@contextmanager
def statements(record: Record) -> Iterator[list[str]]:
    """Yield the statements that are sent to the database in the block."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    engine = record.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


async def test_a_projected_tournament_has_its_last_words_without_a_look_at_its_stream(record: Record) -> None:
    await make_tables(record)
    await append(record, {STREAM: list(SAID)})
    await project(record, await record.read(types=PROJECTED_TYPES), size=2)
    async with record.reading() as connection:
        (row,) = await Reader(connection, schema(TABLES_VERSION, 1)).of_tournament(Tournament, TOURNAMENT)
    shown = results.Tournament()
    with statements(record) as sent:
        await add_words(record, [(shown, row)])
    assert (shown.contact, list(shown.arbiters)) == ("second@example.org", ["Eva Soler", "Jordi Prat"])
    assert [each for each in sent if "events" in each] == []
    assert len([each for each in sent if "notes" in each]) == 1


async def test_a_tournament_of_the_past_has_the_words_of_then_and_nothing_where_they_were_taken_back(
    record: Record,
) -> None:
    await append(record, {STREAM: [*SAID, pairing.ContactSet(), pairing.ArbitersNamed()]})
    recorded = await record.read(types=PROJECTED_TYPES)
    found = []
    for count in (1, 2, 4, 7):
        state = State()
        state.apply(recorded[:count])
        shown = results.Tournament()
        await add_words(record, [(shown, state.championships[TOURNAMENT].tournament)])
        found.append((shown.contact, len(shown.arbiters)))
    assert found == [("", 0), ("first@example.org", 0), ("second@example.org", 2), ("", 0)]
