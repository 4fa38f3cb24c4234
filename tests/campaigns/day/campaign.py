"""A championship of one day, from the registration to the certificates, and the promises that it checks.

Players use the public pages and forms on their phones. One director uses the forms of the console. Halls have one
address each, as behind the router of a venue; entrants at home have different ones.
"""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from tests.campaigns.day.browser import Browser, Network, Timings, percentile, spread
from tests.campaigns.day.director import Director, Treasurer
from tests.campaigns.day.forms import FormError
from tests.campaigns.day.players import CLUBS, Game, Player, list_names
from tests.campaigns.day.site import Site, wait_until

from faristol.tournament.registration import messages

T = TypeVar("T")

TOURNAMENT, TITLE = "open", "Open"
MAX_ROUND_ACTS = 12
"""Limit of forms that the director sends for a round."""

MAX_P99_MS = 300.0
"""Limit of the 99th percentile of requests of phones, in milliseconds."""

PHONE_KINDS = frozenset({"registration", "check-in", "my table", "result", "push"})
HOME_PLAYERS = 100
"""Entrants that share an address at home: less than the limit of forms from one address."""

SETTLING_SECONDS = 300.0
"""Seconds in which messages and notifications must arrive."""


@dataclass(frozen=True)
class Plan:
    """The size of the championship."""

    players: int = 1_000
    rounds: int = 7
    halls: int = 5
    per_second: float = 20.0
    """Requests of phones a second, all together."""
    seed: int = 1
    max_p99_ms: float = MAX_P99_MS

    @property
    def entrants(self) -> int:
        """Number of people that send the form: more than there are places."""
        return self.players + max(4, self.players // 10)

    @property
    def late(self) -> int:
        """Tables of a round without a result from its players, and as many with a dispute."""
        return max(1, min(3, self.players // 40))


@dataclass
class Part:
    """Figures of a part of the day."""

    name: str
    acts: int = 0
    requests: int = 0
    seconds: float = 0
    p50_ms: float = 0
    p99_ms: float = 0
    cpu_ms: float = 0
    """Processor time of the cell for each request, in milliseconds."""


@dataclass
class Outcome:
    """What was measured, and the promises that were broken."""

    parts: list[Part] = field(default_factory=list)
    by_kind: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    """Number of requests of a kind, with their median and 99th percentile in milliseconds."""
    p50_ms: float = 0
    p99_ms: float = 0
    """Of all requests of phones."""
    rate: float = 0
    """Requests of phones a second, in the parts with phones."""
    mails: int = 0
    pushes: int = 0
    gone: int = 0
    """Subscriptions that had ended."""
    push_seconds: list[float] = field(default_factory=list)
    """Seconds from the publication of each round to the last notification of it."""
    round_acts: list[int] = field(default_factory=list)
    certificates: int = 0
    """Bytes of the certificates as a PDF."""
    seconds: float = 0
    broken: list[str] = field(default_factory=list)


class Campaign:
    """One championship on a site."""

    def __init__(self, site: Site, plan: Plan, tell: Callable[[str], None] = lambda _: None) -> None:
        self._site, self._plan, self._tell = site, plan, tell
        self._chance = random.Random(f"day/{plan.seed}")
        self._phones = Timings()
        self._officials = Timings()
        self._networks: dict[str, Network] = {}
        self._director = Director(Browser(self._network("127.0.0.1"), self._officials), TOURNAMENT)
        self._helper = Director(Browser(self._network("127.0.0.1"), self._officials), TOURNAMENT, self._director.acts)
        names = list_names(plan.entrants, plan.seed)
        self._entrants = [
            Player(
                number,
                name,
                self._chance.choice(CLUBS),
                Browser(self._network(f"127.1.0.{1 + number // HOME_PLAYERS}"), self._phones),
                TOURNAMENT,
            )
            for number, name in enumerate(names)
        ]
        self._players: list[Player] = []
        """Players of the tournament."""
        self._present: list[Player] = []
        self.outcome = Outcome()

    def _network(self, address: str) -> Network:
        if address not in self._networks:
            self._networks[address] = Network(self._site.base, address)
        return self._networks[address]

    async def run(self) -> Outcome:
        """Hold the championship, and return the figures."""
        began = time.monotonic()
        try:
            await self._part("preparation", self._prepare)
            await self._part("registration", self._register)
            await self._part("decisions", self._decide)
            await self._part("check-in", self._check_in)
            for number in range(1, self._plan.rounds + 1):
                await self._part(f"round {number}", partial(self._play, number))
            await self._part("ceremony", self._finish)
        except (FormError, TimeoutError, ExceptionGroup) as problem:
            self.outcome.broken.append(f"{self._director.part}: {describe_failure(problem)}")
        finally:
            for network in self._networks.values():
                await network.close()
        self.outcome.seconds = time.monotonic() - began
        self._judge()
        return self.outcome

    async def _part(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run a part of the day and note its figures."""
        self._director.part = name
        self._tell(name)
        before = {kind: len(found) for kind, found in self._phones.by_kind.items()}
        asked = sum(len(found) for found in self._officials.by_kind.values())
        began, cpu = time.monotonic(), self._site.read_cpu_seconds()
        try:
            await run()
        finally:
            new = [ms for kind, found in self._phones.by_kind.items() for ms in found[before.get(kind, 0) :]]
            every = len(new) + sum(len(found) for found in self._officials.by_kind.values()) - asked
            used = self._site.read_cpu_seconds() - cpu
            part = Part(name, self._director.acts[name], len(new), time.monotonic() - began)
            part.p50_ms, part.p99_ms = percentile(new, 50), percentile(new, 99)
            part.cpu_ms = used * 1_000 / every if every else 0.0
            self.outcome.parts.append(part)
            self._tell(
                f"  {part.acts} forms of the director, {part.requests} requests of phones in {part.seconds:.0f} s, "
                f"p50 {part.p50_ms:.0f} ms, p99 {part.p99_ms:.0f} ms, {part.cpu_ms:.0f} ms of the cell each"
            )

    async def _spread(self, people: Sequence[T], act: Callable[[T], Awaitable[None]], requests: float) -> None:
        """Let people act at the pace of the plan, if each act has this number of requests."""
        await spread(people, act, self._plan.per_second / requests)

    # --- before the day ----------------------------------------------------------------------------------------------

    async def _prepare(self) -> None:
        plan, director = self._plan, self._director
        await director.sign_in(self._site.grant_director())
        await director.create(TITLE, plan.rounds)
        tables = -(-plan.players // 2)
        size = -(-tables // plan.halls)
        halls = [(f"Hall {chr(65 + hall)}", 1 + hall * size, (hall + 1) * size) for hall in range(plan.halls)]
        await director.set_halls(halls)
        await director.set_fees()
        await director.open_registration(plan.players, plan.entrants - plan.players)

    async def _register(self) -> None:
        """Let entrants send the form; some never confirm, and some withdraw, so that others move up."""
        plan = self._plan
        never = set(self._chance.sample(range(plan.entrants), max(1, plan.entrants // 100)))

        async def enter(player: Player) -> None:
            await player.enter(self._site.mails, confirms=player.number not in never)

        await self._spread(self._entrants, enter, 6)
        confirmed = [player for player in self._entrants if player.number not in never]
        placed = [player for player in confirmed if player.mails[messages.RECEIVED]]
        waiting = [player for player in confirmed if player.mails[messages.WAITING]]
        leaving = self._chance.sample(placed, min(len(waiting), max(1, plan.players // 50)))
        for player in leaving:
            await player.withdraw_entry()
        moved_up = sorted(waiting, key=lambda player: player.waiting_place)[: len(leaving)]
        for player in moved_up:
            player.mails[messages.MOVED_UP] += 1
        self._players = [player for player in placed if player not in leaving] + moved_up

    async def _decide(self) -> None:
        """Accept all entries that have a place, record payments, and hand out the codes."""
        director = self._director
        await director.accept_all()
        await director.close_registration()
        for player in self._players:
            player.mails[messages.ACCEPTED] += 1
        treasurer = Treasurer(Browser(self._network("127.0.0.1"), self._officials), TOURNAMENT)
        await treasurer.sign_in(await director.grant("treasurer", "Tom Roig"))
        await self._helper.sign_in(await director.grant("arbiter", "Ona Mas"))
        paid = max(2, min(20, self._plan.players // 20))
        receipts = await treasurer.record(paid)
        if receipts != paid:
            self.outcome.broken.append(f"{paid} payments were recorded, and {receipts} receipts are listed")
        codes = await director.hand_out_codes(len(self._players))
        for player in self._players:
            player.code = codes.get(player.name, "")
        without = [player.name for player in self._players if not player.code]
        if without:
            raise FormError(f"players without a code: {without[:5]} and {len(without)} in all")
        await self._settle("mails", self._count_missing_mails)

    # --- the day -----------------------------------------------------------------------------------------------------

    async def _check_in(self) -> None:
        """Let players check in, some without a network at first; leave out the absent ones."""
        await self._director.let_players_check_in()
        for player in self._players:
            hall = self._network(f"127.2.0.{1 + player.number % self._plan.halls}")
            player.phone = Browser(hall, self._phones)
        absent = set(self._chance.sample(range(len(self._players)), max(1, len(self._players) // 50)))
        coming = [player for place, player in enumerate(self._players) if place not in absent]
        offline = set(self._chance.sample(range(len(coming)), max(1, len(coming) // 20)))
        stored = []

        async def arrive(numbered: tuple[int, Player]) -> None:
            place, player = numbered
            page = await player.open_check_in()
            if place in offline:
                stored.append((player, page))
            else:
                await player.check_in(page)
            await player.subscribe(self._site.pushes, is_gone=player.number % 3 == 0)

        gone = {player.path for player in coming if player.number % 3 == 0}
        self._site.pushes.answer = lambda path, number: (410 if path in gone else 201, 0.0)
        await self._spread(list(enumerate(coming)), arrive, 8)

        async def send_later(kept: tuple[Player, object]) -> None:
            player, page = kept
            await player.check_in(page)  # type: ignore[arg-type] # a page

        await self._spread(stored, send_later, 2)
        await self._director.settle_absences()
        for place in absent:
            self._players[place].mails[messages.WITHDRAWN] += 1
        self._present = coming

    async def _play(self, number: int) -> None:
        director, present = self._director, self._present
        await director.pair(number)
        began = time.monotonic()
        await director.publish(number)
        self._expect(present, f"Round {number}: ")
        await self._spread(present, lambda player: player.read_table(number), 1)
        await self._settle(f"notifications of the pairing of round {number}", self._count_missing_pushes)
        self.outcome.push_seconds.append(time.monotonic() - began)
        await director.start(number)
        if number == 2:
            await director.send_message("Lunch is served")
            self._expect(present, "Lunch is served")
        games = self._list_games(number)
        if not games:
            raise FormError(f"no player has a table in round {number}")
        unusual = self._chance.sample(range(len(games)), 2 * self._plan.late)
        late, disputed = set(unusual[: self._plan.late]), set(unusual[self._plan.late :])

        async def finish(numbered: tuple[int, Game]) -> None:
            place, game = numbered
            if place in late:
                return
            await game.enter()
            self._expect(game.players, f"Round {number}: ", 1)
            await game.confirm(disputes=place in disputed)
            for player in game.players:
                await player.look_again()

        await self._spread(list(enumerate(games)), finish, 9)
        self._helper.part = director.part
        settled = await self._helper.settle_late({game.table: game for game in games})
        expected = sorted(games[place].table for place in (*late, *disputed))
        if settled != expected:
            self.outcome.broken.append(f"round {number}: the late tables are {expected}, and the list has {settled}")
        await director.confirm_entered(number)
        for place in late:
            self._expect(games[place].players, f"Round {number}: ", 1)
        await director.close(number)
        winners = [game.winner for game in games if game.winner]
        for player in (*winners, *(player for player in present if not player.table)):
            player.points += 1
        self.outcome.round_acts.append(director.acts[director.part])
        await self._settle(f"notifications of results of round {number}", self._count_missing_pushes)

    def _list_games(self, number: int) -> list[Game]:
        """Return the tables of a round, with the scores that are played there."""
        seated: defaultdict[int, list[Player]] = defaultdict(list)
        for player in self._present:
            if player.table:
                seated[player.table].append(player)
        games = []
        for table, players in sorted(seated.items()):
            chance = random.Random(f"{self._plan.seed}/{number}/{table}")
            first, second = chance.randrange(320, 460), chance.randrange(320, 460)
            games.append(Game(number, table, players, (first + (first == second), second)))
        return games

    def _expect(self, players: Sequence[Player], beginning: str, count: int = 1) -> None:
        for player in players:
            player.pushes[beginning] += count

    # --- the end -----------------------------------------------------------------------------------------------------

    async def _finish(self) -> None:
        director = self._director
        await director.set_prizes()
        await director.publish_standings()
        await self._compare_standings()
        made = await director.read_papers()
        self.outcome.certificates = len(made)
        if not made.startswith(b"%PDF"):
            self.outcome.broken.append("the certificates are no PDF")
        await self._settle("mails", self._count_missing_mails)

    async def _compare_standings(self) -> None:
        """Compare the points of the standings with the games that were played; a bye is a win."""
        answer = await self._director.browser.get("json", f"/api/v1/tournaments/{TOURNAMENT}/standings?page_size=0")
        shown = {line["player_id"]: line["points"] for line in answer.json()["standings"]}
        wrong = [player.name for player in self._present if shown.get(player.player_id) != player.points]
        if wrong:
            self.outcome.broken.append(f"the standings have other points for {len(wrong)} players: {wrong[:5]}")

    # --- the promises ------------------------------------------------------------------------------------------------

    async def _settle(self, what: str, count_missing: Callable[[], int]) -> None:
        """Wait until none is missing."""
        try:
            await wait_until(lambda: count_missing() <= 0, SETTLING_SECONDS)
        except TimeoutError:
            self.outcome.broken.append(f"{what}: {count_missing()} are missing after {SETTLING_SECONDS:.0f} s")

    def _count_missing_mails(self) -> int:
        return sum(player.mails.total() for player in self._entrants) - len(self._site.mails.messages)

    def _count_missing_pushes(self) -> int:
        expected = sum(player.pushes.total() for player in self._present if not player.is_gone)
        return expected - len(self._site.pushes.delivered)

    def _judge(self) -> None:
        outcome = self.outcome
        every = [ms for kind, found in self._phones.by_kind.items() if kind in PHONE_KINDS for ms in found]
        outcome.p50_ms, outcome.p99_ms = percentile(every, 50), percentile(every, 99)
        busy = [part for part in outcome.parts if part.requests]
        outcome.rate = len(every) / sum(part.seconds for part in busy) if busy else 0.0
        for timings in (self._phones, self._officials):
            for kind, found in timings.by_kind.items():
                outcome.by_kind[kind] = (len(found), percentile(found, 50), percentile(found, 99))
            outcome.broken += [f"failed: {each}" for each in timings.failed[:20]]
        outcome.broken += [
            f"round {number}: the director sent {acts} forms, more than {MAX_ROUND_ACTS}"
            for number, acts in enumerate(outcome.round_acts, 1)
            if acts > MAX_ROUND_ACTS
        ]
        if outcome.p99_ms > self._plan.max_p99_ms:
            outcome.broken.append(
                f"the 99th percentile of phones is {outcome.p99_ms:.0f} ms, more than {self._plan.max_p99_ms:.0f}"
            )
        self._judge_mails()
        self._judge_pushes()

    def _judge_mails(self) -> None:
        """Compare the messages with the expected ones: each exactly once."""
        mails = self._site.mails
        self.outcome.mails = len(mails.messages)
        for player in self._entrants:
            expected = Counter(
                {messages.TEMPLATES[kind].subject.format(tournament=TITLE): n for kind, n in player.mails.items() if n}
            )
            found = Counter(str(mail["Subject"]) for mail in mails.by_address[player.email])
            if found != expected:
                self.outcome.broken.append(f"{player.email} got {dict(found)}, and {dict(expected)} was expected")

    def _judge_pushes(self) -> None:
        """Compare the notifications with the expected ones: each exactly once, and one to an ended subscription."""
        pushes = self._site.pushes
        self.outcome.pushes = len(pushes.delivered)
        by_path: defaultdict[str, list[bytes]] = defaultdict(list)
        for each in pushes.delivered:
            by_path[each.path].append(each.body)
        for player in self._present:
            if player.push is None:
                continue
            if player.is_gone:
                self.outcome.gone += 1
                if pushes.requests[player.path] > 1:
                    self.outcome.broken.append(
                        f"{player.path} has ended, and was called {pushes.requests[player.path]} times"
                    )
                continue
            told = [player.push.decrypt(body) for body in by_path[player.path]]
            repeated = len(told) - len({each["tag"] for each in told})
            if repeated:
                self.outcome.broken.append(f"{player.path} got {repeated} notifications again")
            for beginning, count in player.pushes.items():
                found = sum(beginning in each["body"] for each in told)
                if found != count:
                    texts = [each["body"] for each in told]
                    self.outcome.broken.append(f"{player.path}: {count} “{beginning}…” expected, not {found}: {texts}")


def describe_failure(problem: BaseException) -> str:
    """Return the first failures of a group, in a line."""
    if isinstance(problem, BaseExceptionGroup):
        return "; ".join(map(describe_failure, problem.exceptions[:3]))
    return f"{type(problem).__name__}: {problem}"
