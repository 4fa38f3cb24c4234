"""One campaign: load on a site, a sequence of kills, and the checks."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice

from sqlalchemy.exc import SQLAlchemyError
from tests.campaigns.torture import judgement
from tests.campaigns.torture.blows import Blow, blows
from tests.campaigns.torture.clients import Gate, Load, Network
from tests.campaigns.torture.ledger import Ledger
from tests.campaigns.torture.sites import POLL_SECONDS, UP, Site

from faristol.event_store import Record, RecordError
from faristol.event_store.errors import CorruptData
from faristol.words import WordGraph

RECOVERY_SECONDS = 60.0
"""After which a cell has not recovered."""
CHAMPIONSHIP_COUNT = 3
"""Championships at the same time, of three tables each."""
WARM_UP_COUNT = 20
"""Commands that are acknowledged before the first blow: a blow to an unused cell proves little."""


@dataclass(frozen=True, slots=True)
class Struck:
    """The effect of a kill."""

    number: int
    victims: tuple[str, ...]
    acknowledged: float | None
    """Seconds from the kill to the first acknowledgement of a command sent after it; None when not waited for."""
    serving: float | None
    """Seconds from the kill until the victim served again; None for a victim without a service, or not awaited."""


@dataclass
class Outcome:
    """The result of a campaign."""

    seed: int
    struck: list[Struck] = field(default_factory=list)
    judgements: int = 0
    acknowledged: int = 0
    repeated: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    restarts: int = 0
    championships: int = 0
    events: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


class Campaign:
    """Kills processes of a site under load, and checks it after every ``judge_every`` kills and at the end."""

    def __init__(
        self,
        site: Site,
        graph: WordGraph,
        seed: int,
        judge_every: int,
        tell: Callable[[Outcome, str], None] = lambda outcome, doing: None,
    ) -> None:
        self._site = site
        self._graph = graph
        self._seed = seed
        self._judge_every = judge_every
        self._tell = tell
        self._chance = random.Random(f"judgement/{seed}")
        self._gate = Gate()
        self._ledger = Ledger(site.folder / "ledger.jsonl")
        self._glanced = 0
        self.outcome = Outcome(seed)

    async def run(self, kills: int) -> Outcome:
        """Kill this number of times, or until a check fails. Return the outcome."""
        began = time.monotonic()
        network = Network(self._site.replicas)
        try:
            self._wrong([] if await self._site.whole() else ["not every process came to serve"])
            async with self._looked_after(), self._load(network) as load:
                if not await self._ledger.acknowledged_so_many(WARM_UP_COUNT, RECOVERY_SECONDS):
                    self._wrong([f"fewer than {WARM_UP_COUNT} commands were acknowledged in {RECOVERY_SECONDS:.0f} s"])
                for blow in blows(self._seed, self._site.victims, kills):
                    if self.outcome.wrong:
                        break
                    await self._strike(blow)
                    self._wrong(load.problems())
                    if blow.number % self._judge_every == 0 or blow.number == kills:
                        await self._judge(network)
            await (self._look_closer() if self.outcome.wrong else self._end_in_order())
        finally:
            await network.close()
            self._ledger.close()
            self._site.abandon()
        self._wrong([])
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    @asynccontextmanager
    async def _load(self, network: Network) -> AsyncIterator[Load]:
        load = Load(network, self._ledger, self._gate, self._graph, self._seed, CHAMPIONSHIP_COUNT)
        try:
            yield load
        finally:
            self.outcome.championships = len(load.finished)
            await load.stop()

    @asynccontextmanager
    async def _looked_after(self) -> AsyncIterator[None]:
        async def look() -> None:
            while True:
                self._site.look_after()
                await asyncio.sleep(POLL_SECONDS)

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    async def _strike(self, blow: Blow) -> None:
        await asyncio.sleep(blow.quiet)
        victims = self._site.kill(blow.victims) or self._site.kill([UP])
        moment = time.monotonic()
        await asyncio.sleep(blow.down)
        self._site.start(victims)
        acknowledged = serving = None
        if blow.patient:
            acknowledged = await self._ledger.acknowledged_after(moment, RECOVERY_SECONDS)
            addresses = self._site.addresses(victims)
            serving = await self._site.serving(addresses, RECOVERY_SECONDS)
            if acknowledged is None:
                self._wrong([f"no command was acknowledged in {RECOVERY_SECONDS:.0f} s after blow {blow.number}"])
            if serving is None:
                self._wrong(
                    [f"{' and '.join(victims)} did not serve {RECOVERY_SECONDS:.0f} s after blow {blow.number}"]
                )
            serving = serving if addresses else None
            await self._glance()
        self.outcome.struck.append(
            Struck(
                blow.number,
                victims,
                None if acknowledged is None else acknowledged - moment,
                None if serving is None else serving - moment,
            )
        )
        self._wrong([])
        self._tell(self.outcome, "striking")

    async def _glance(self) -> None:
        new = list(islice(self._ledger.acknowledged.values(), self._glanced, None))
        await self._take(lambda record: judgement.at_a_glance(record, new))
        self._glanced += len(new)

    async def _judge(self, network: Network) -> None:
        if self.outcome.wrong:
            return
        self._tell(self.outcome, "judging")
        async with self._gate.close():
            if not await self._site.whole():
                self._wrong(["not every process came back to serve"])
            url, key = self._site.database_url, self._site.public_key
            await self._take(lambda record: judgement.full(record, url, key, network, self._ledger, self._chance))
        self.outcome.judgements += 1
        self._tell(self.outcome, "judged")

    async def _look_closer(self) -> None:
        """Check the consequences of a lost command, which may have appeared first."""
        told = list(self._ledger.acknowledged.values())
        await self._take(lambda record: judgement.against_the_ledger(record, told, self._ledger.sent))

    async def _end_in_order(self) -> None:
        await asyncio.to_thread(self._site.stop)
        url, key = self._site.database_url, self._site.public_key
        self._wrong(await asyncio.to_thread(judgement.check_verification, url, key))

    async def _take(self, judge: Callable[[Record], Awaitable[list[str]]]) -> None:
        """Check the record, and note its errors. An unreadable record is an error, too."""
        try:
            async with judgement.open_record(self._site.database_url) as record:
                found = await judge(record)
                self.outcome.events = await record.last_position()
        except (RecordError, SQLAlchemyError, CorruptData) as problem:
            found = [f"the record cannot be judged: {' '.join(str(problem).split())}"]
        self._wrong(found)

    def _wrong(self, found: list[str]) -> None:
        """Note errors, from any check."""
        self.outcome.wrong += [sentence for sentence in found if sentence not in self.outcome.wrong]
        for noticed in (self._ledger.wrong, self._site.wrong):
            self.outcome.wrong += noticed
            noticed.clear()
        self.outcome.acknowledged = len(self._ledger.acknowledged)
        self.outcome.repeated = self._ledger.repeated
        self.outcome.lost = dict(self._ledger.lost)
        self.outcome.restarts = self._site.restarts
