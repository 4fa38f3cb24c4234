"""The campaign of judges (`make judges`) on a small scale, and the effect of each single fault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import pytest
from tests.campaigns.judges.campaign import Campaign, Outcome
from tests.campaigns.torture.sites import Embedded, Site
from tests.component.processes import Child, free_port, wait_until_serving
from tests.support.court import Court, reason
from tests.support.small_lexicon import catalan, library

from faristol.bus import NatsServer
from faristol.event_store import Record
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.words import DEFAULT_NAME, InstalledLexicon, Library

__all__ = ["catalan", "library"]

ANY = ("A", "NY")
GAME = "cup-r1-t1"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Embedded(tmp_path)
    yield made
    made.abandon()


@pytest.mark.lexicon
@pytest.mark.parametrize("panel", [1, pytest.param(3, marks=pytest.mark.nightly)])
async def test_challenges_are_ruled_on_once_and_clocks_run_again_whoever_dies(
    panel: int, lexicons: Path, site: Site
) -> None:
    graph = Library(lexicons).open(DEFAULT_NAME)
    outcome = await Campaign(site, graph, Outcome(7, tables=10, judges=2 * panel + 2, panel=panel), kill_every=2).run()
    assert outcome.wrong == []
    assert outcome.ruled == 10
    assert outcome.kills >= 1


class Process:
    """A lexicon service that can be killed, over a NATS server that can be stopped."""

    def __init__(self, folder: Path, library: Library, nats_url: str) -> None:
        self.database_url = f"sqlite:///{folder}/record.db"
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        settings = {
            "database_url": self.database_url,
            "nats_url": nats_url,
            "lexicons": library.path,
            "grpc_port": port,
        }
        self.child = Child(["serve", "lexicon"], settings, folder / "lexicon.log")

    def wait(self) -> None:
        wait_until_serving(self.address, self.child)


@pytest.fixture
async def process(
    tmp_path: Path, library: Library, catalan: InstalledLexicon, nats_server: NatsServer
) -> AsyncIterator[Process]:
    made = Process(tmp_path, library, nats_server.url)
    await asyncio.to_thread(made.wait)
    yield made
    if made.child.process.poll() is None:
        made.child.kill()


async def sit_down(
    process: Process, catalan: InstalledLexicon, channel: grpc.aio.Channel, lease_seconds: int = 60
) -> Court:
    record = await Record.open(process.database_url)
    court = Court(record, channel, catalan.digest, process.address)
    await court.found_tournament()
    await court.appoint("ada", "berta")
    await court.appoint("head", languages=["en"], director=True)
    await court.set_mode(events.MODE_JUDGE, lease_seconds=lease_seconds)
    await court.open_game(GAME)
    return court


async def test_a_service_killed_with_open_cases_comes_back_with_all_of_them_and_their_claims(
    process: Process, catalan: InstalledLexicon
) -> None:
    async with grpc.aio.insecure_channel(process.address) as channel:
        court = await sit_down(process, catalan, channel)
        held = await court.challenge(GAME, ANY)
        free = await court.challenge(GAME, ANY, number=2)
        await court.wait_for_case("ada", free)
        await court.claim(held, "ada")
        process.child.kill()
        raised_meanwhile = await court.challenge(GAME, ANY, number=3)
        process.child.start()
        await asyncio.to_thread(process.wait)
    async with grpc.aio.insecure_channel(process.address) as channel:
        again = Court(court.record, channel, catalan.digest, process.address)
        await again.keep(held, "ada")
        await again.wait_for_case("berta", raised_meanwhile)
        assert [case.case_id for case in await again.queue("berta")] == [free, raised_meanwhile]
        assert (await again.rule(held, "ada", {ANY: True})).ruled
        for case_id in (free, raised_meanwhile):
            await again.claim(case_id, "berta")
            assert (await again.rule(case_id, "berta", {ANY: True})).ruled
        for case_id in (held, free, raised_meanwhile):
            assert len(await again.events(case_id, events.CaseRuled)) == 1
            assert (await reason(again.claim(case_id, "berta")))[0] == "CASE_RULED"
    await court.record.close()


@pytest.mark.nightly
async def test_challenges_raised_while_nats_is_away_reach_their_judges(
    process: Process, catalan: InstalledLexicon, nats_server: NatsServer
) -> None:
    async with grpc.aio.insecure_channel(process.address) as channel:
        court = await sit_down(process, catalan, channel)
        await nats_server.stop()
        case_ids = [await court.challenge(GAME, ANY, number=number) for number in range(1, 6)]
        for case_id in case_ids:
            await court.wait_for_case("ada", case_id)
            await court.claim(case_id, "ada")
            assert (await court.rule(case_id, "ada", {ANY: True})).ruled
            assert len(await court.events(case_id, events.CaseOpened)) == 1
    await court.record.close()


async def test_a_judge_whose_connection_breaks_goes_on_where_he_was_or_leaves_the_case_to_another(
    process: Process, catalan: InstalledLexicon
) -> None:
    async with grpc.aio.insecure_channel(process.address) as channel:
        court = await sit_down(process, catalan, channel, 8)
        case_id = await court.challenge(GAME, ANY)
        await court.wait_for_case("ada", case_id)
    async with grpc.aio.insecure_channel(process.address) as broken:
        await Court(court.record, broken, catalan.digest, process.address).claim(case_id, "ada")
    async with grpc.aio.insecure_channel(process.address) as channel:
        again = Court(court.record, channel, catalan.digest, process.address)
        assert (await again.claim(case_id, "ada")).seat == 1
        assert len(await again.events(case_id, events.CaseClaimed)) == 1
        await again.came(case_id, events.CaseReturned)
        await again.claim(case_id, "berta")
        assert (await again.rule(case_id, "berta", {ANY: True})).ruled
    await court.record.close()
