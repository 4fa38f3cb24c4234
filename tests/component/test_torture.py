"""The campaign that kills processes under load (`make torture`): it runs, and it names errors."""

from __future__ import annotations

import signal
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, update
from tests.campaigns.torture import judgement
from tests.campaigns.torture.blows import blows
from tests.campaigns.torture.campaign import WARM_UP_COUNT, Campaign, Outcome
from tests.campaigns.torture.ledger import Acknowledged, Ledger
from tests.campaigns.torture.report import as_json, how_to_look
from tests.campaigns.torture.sites import UP, Distributed, Embedded, Site
from tests.component import contents
from tests.support.synthetic import Championship, append_all

from faristol.consumers import Rebuild
from faristol.consumers import tables as bus_tables
from faristol.event_store import AppendCommand, Decision, Metadata, Record, Write
from faristol.event_store.backends import tables
from faristol.event_store.integrity.keys import make, public_path
from faristol.event_store.integrity.sealer import seal
from faristol.event_store.positions import start_checkpoint
from faristol.host.command_handler import digest
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.read_models.projections.projection import projection
from faristol.read_models.storage.rows import Tournament
from faristol.read_models.storage.tables import schema
from faristol.words import DEFAULT_NAME, Library

METHOD = "/faristol.game.v1.GameService/Pass"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """Yield a cell of real processes, once on each database."""
    made = Embedded(tmp_path) if request.param == "sqlite" else _build_distributed(request, tmp_path)
    yield made
    made.abandon()


def _build_distributed(request: pytest.FixtureRequest, folder: Path) -> Site:
    return Distributed(folder, request.getfixturevalue("new_database"))


@pytest.mark.lexicon
async def test_processes_killed_under_load_lose_nothing(lexicons: Path, site: Site) -> None:
    graph = Library(lexicons).open(DEFAULT_NAME)
    outcome = await Campaign(site, graph, seed=5, judge_every=3).run(3)
    assert outcome.wrong == []
    assert ([blow.number for blow in outcome.struck], outcome.judgements) == ([1, 2, 3], 1)
    assert outcome.acknowledged > WARM_UP_COUNT
    assert outcome.events >= outcome.acknowledged
    assert all(child.process.poll() is not None for child in site.children.values())
    assert as_json({"one": outcome})["databases"]["one"]["seconds_to_acknowledgement"]["count"] > 0


@dataclass
class Told:
    """A record with a few commands in it, and the ledger of the client that sent them."""

    record: Record
    url: str
    ledger: Ledger
    versions: int = 0

    async def command(self) -> Acknowledged:
        """Carry out one more command and acknowledge it."""
        request = game_pb2.PassRequest(command_id=str(uuid.uuid4()), game_id="a", player_id="anna")
        self.ledger.sent.add(request.command_id)
        passed = events_pb2.Passed(turn=self.versions + 1, player_id="anna")
        kept = AppendCommand(request.command_id, lambda at: digest(request) + _answer(at).SerializeToString())
        decision = Decision([Write("game-a", self.versions, [passed], "cup")])
        done = await self.record.append(decision, Metadata(command_id=request.command_id), command=kept)
        self.versions += 1
        self.ledger.acknowledge(METHOD, request, _answer(done.position), began=1.0)
        return self.ledger.acknowledged[request.command_id]

    async def judge(self) -> list[str]:
        """Return the problems."""
        return await judgement.against_the_ledger(self.record, self.ledger.acknowledged.values(), self.ledger.sent)


def _answer(position: int) -> game_pb2.PassResponse:
    return game_pb2.PassResponse(position=position)


@pytest.fixture
async def played_record(record: Record, database_url: str, tmp_path: Path) -> AsyncIterator[Told]:
    made = Told(record, database_url, Ledger(tmp_path / "ledger.jsonl"))
    async with record.writing() as connection:
        await bus_tables.make(connection)
    for _ in range(4):
        await made.command()
    assert await made.judge() == []
    yield made
    made.ledger.close()


async def test_an_acknowledged_command_that_the_record_lacks_is_named(played_record: Told) -> None:
    lost = replace(next(iter(played_record.ledger.acknowledged.values())), command_id=str(uuid.uuid4()))
    played_record.ledger.acknowledged[lost.command_id] = lost
    wrong = await played_record.judge()
    assert wrong == [f"{lost} is not in the record", f"{lost} was carried out 0 times: it left no event"]
    assert f"{lost} is not in the record" in await judgement.at_a_glance(played_record.record, [lost])


async def test_a_command_that_was_carried_out_twice_is_named(played_record: Told) -> None:
    command = await played_record.command()
    again = events_pb2.Passed(turn=played_record.versions, player_id="anna")
    decision = Decision([Write("game-a", played_record.versions, [again], "cup")])
    await played_record.record.append(decision, Metadata(command_id=command.command_id))
    twice, said = await played_record.judge()
    assert twice.startswith(f"{command} was carried out 2 times: position 5 (game-a, version 5, Passed), position 6")
    assert said == "game-a has the same Passed 2 times"


async def test_another_answer_than_the_first_is_named(played_record: Told) -> None:
    first, second, *_ = played_record.ledger.acknowledged.values()
    kept = digest(first.request) + _answer(3).SerializeToString()
    async with played_record.record.writing() as connection:
        of = update(tables.commands)
        await connection.execute(of.where(tables.commands.c.command_id == first.command_id).values(answer=kept))
        await connection.execute(of.where(tables.commands.c.command_id == second.command_id).values(position=4))
    assert await played_record.judge() == [
        f"{first} has another answer in the record",
        f"{second} is in the record at position 4",
    ]
    played_record.ledger.acknowledge(METHOD, first.request, _answer(3), began=2.0)
    assert played_record.ledger.wrong == [f"{first} was answered otherwise when it was sent again: position: 3\n"]


async def test_a_command_that_nobody_sent_is_named(played_record: Told) -> None:
    command = await played_record.command()
    played_record.ledger.sent.remove(command.command_id)
    assert await played_record.judge() == [f"command {command.command_id} is in the record, and no client sent it"]


async def test_a_command_of_which_nobody_said_what_it_does_is_named(played_record: Told) -> None:
    command = next(iter(played_record.ledger.acknowledged.values()))
    new = replace(command, method="/faristol.game.v1.GameService/Fold")
    played_record.ledger.acknowledged[command.command_id] = new
    assert await played_record.judge() == [f"{new} cannot be judged: FACT_OF does not say which fact it is about"]


async def test_a_position_that_is_missing_is_named(played_record: Told) -> None:
    async with played_record.record.writing() as connection:
        await connection.execute(delete(tables.events).where(tables.events.c.position == 2))
    assert "after position 1 comes 3; the counter is at 4" in await played_record.judge()
    assert "the counter is at 4, the last event at 4, and there are 3 events" in await judgement.at_a_glance(
        played_record.record, []
    )


async def test_a_changed_event_is_named(tmp_path: Path) -> None:
    url, key = f"sqlite:///{tmp_path}/record.db", tmp_path / "seal.key"
    record = await Record.open(url)
    last = await contents.fill(record)
    await seal(record, make(key), events=20)
    assert judgement.check_verification(url, public_path(key), last=last) == []
    (short,) = judgement.check_verification(url, public_path(key), last=last + 1, from_seal=True)
    assert short == f"faristol record verify came to position {last}, and the record ends at {last + 1}"
    await contents.change(record, 13, payload=b"")
    (wrong,) = judgement.check_verification(url, public_path(key), last=last)
    assert wrong.startswith("faristol record verify says: wrong at position 13 (game-")
    await record.close()


async def test_a_changed_row_of_a_read_model_is_named(record: Record, database_url: str) -> None:
    await append_all(record, Championship().steps())
    await Rebuild(record, projection()).run()
    assert await judgement.check_rebuild(record, database_url) == []
    _, live = await contents.read_models(record, projection())
    tournaments = schema(live.version, live.generation)[Tournament]
    async with record.writing() as connection:
        changed = await connection.execute(
            update(tournaments).where(tournaments.c.tournament_id == "lliga").values(name="")
        )
        assert changed.rowcount == 1
    assert await judgement.check_rebuild(record, database_url) == [
        "the tournament lliga of the read models is not as it is when it is rebuilt"
    ]


async def test_a_consumer_that_has_stopped_or_parked_something_or_does_not_come_to_the_end_is_named(
    played_record: Told,
) -> None:
    async with played_record.record.writing() as connection:
        await start_checkpoint(connection, "rating.finals")
    late, unsealed = await judgement.caught_up(played_record.record, seconds=0)
    assert late == "rating.finals is live at position 0 of 4"
    assert unsealed == "seals reach to position 0 of 4"
    fails = {"consumer": "rating.finals", "position": 2, "event_id": "e", "type": "t", "stream": "s"}
    async with played_record.record.writing() as connection:
        more = {"error": "ValueError: no", "since": 0, "attempts": 1, "retry": False}
        await connection.execute(insert(bus_tables.stopped).values(**fails, **more))
        await connection.execute(insert(bus_tables.parked).values(**fails, **more, key="s", tournament="cup", done=1))
    assert await judgement.at_a_glance(played_record.record, []) == [
        "rating.finals has stopped before position 2: ValueError: no",
        "rating.finals has parked s at position 2: ValueError: no",
    ]
    assert any(
        "rating.finals is stopped" in wrong for wrong in await judgement.caught_up(played_record.record, seconds=30)
    )


async def test_a_process_that_ends_by_itself_is_named(tmp_path: Path) -> None:
    site = Embedded(tmp_path)
    try:
        assert await site.whole()
        up = site.children[UP].process
        up.send_signal(signal.SIGTERM)
        assert up.wait(30) == 0
        site.look_after()
        (wrong,) = site.wrong
        assert wrong.startswith("up ended by itself with code 0 and said 'faristol: pages and JSON on http://")
        assert await site.whole(), "it is started again"
    finally:
        site.abandon()


def test_the_same_seed_gives_the_same_blows_and_another_seed_others() -> None:
    victims = ("up", "game", "nats-server")
    drawn = list(blows(3, victims, 200))
    assert drawn == list(blows(3, victims, 200)) != list(blows(4, victims, 200))
    assert {victim for blow in drawn for victim in blow.victims} == set(victims)
    assert {len(blow.victims) for blow in drawn} == {1, 2}
    assert drawn[-1].patient


def test_what_is_wrong_is_told_with_the_way_to_look_at_it(tmp_path: Path) -> None:
    outcome = Outcome(7, wrong=[f"wrong {number}" for number in range(30)])
    told = how_to_look("postgresql", outcome, tmp_path)
    assert "postgresql: WRONG after blow 0 of seed 7:\n  wrong 0\n" in told
    assert "and 10 more" in told
    assert str(tmp_path / "ledger.jsonl") in told
    assert "make torture DATABASE=postgresql SEED=7" in told
    assert as_json({"postgresql": outcome})["databases"]["postgresql"]["wrong"] == outcome.wrong
