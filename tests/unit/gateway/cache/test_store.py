from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest

from faristol.gateway.cache import store
from faristol.gateway.cache.representation import Representation
from faristol.gateway.cache.resources import PageContent, Resource
from faristol.gateway.cache.store import ENTRY_LIFETIME_SECONDS, Cache, CacheEntry, Question, Rendered
from faristol.gateway.live.feed import NewsSubscription
from faristol.pb.results.v1 import results_pb2 as pb

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEAGUE = Resource(PageContent.TOURNAMENT, "lliga")


class Hall:
    """A cache, and services with the answers of the test."""

    def __init__(self, most_bytes: int = 1_000_000) -> None:
        stub: Any = None
        self.tail, self.now, self.says, self.position = NewsSubscription(stub), 0.0, "before", 10
        self.tail.connected = True
        self.behind: Callable[[], None] = lambda: None
        self.cache = Cache(most_bytes, self.tail, lambda: self.now)

    async def ask(
        self, resource: Resource = LEAGUE, min_position: int = 0, *, is_exact: bool = False, anew: bool = False
    ) -> CacheEntry:
        return await self.cache.answer(Question(resource, resource, min_position, is_exact, anew), self._render)

    async def _render(self, kept: CacheEntry | None, need: int) -> Rendered:
        said, position = self.says, max(self.position, need)
        await asyncio.sleep(0.01)
        self.behind()
        if kept and kept.digest == said.encode():
            return Rendered(None, position, kept.digest)
        made = Representation.of(200, [(b"content-type", b"text/plain")], said.encode())
        return Rendered(made, position, said.encode())

    def hear(self, position: int, type_: str = "RoundClosed", tournament: str = "lliga", game: str = "") -> None:
        self.tail.position = position
        self.cache.invalidate(
            [pb.FollowResponse(position=position, type=type_, tournament_id=tournament, game_id=game)]
        )

    def changes(self, says: str, position: int) -> None:
        self.says, self.position = says, position


def read_body(kept: CacheEntry) -> str:
    return kept.representation.body.decode()


async def test_one_rendering_a_change_however_many_ask() -> None:
    hall = Hall()
    for change in range(3):
        hall.changes(f"after {change}", 20 + change)
        hall.hear(20 + change)
        answers = await asyncio.gather(*(hall.ask(min_position=20 + change) for _ in range(1_000)))
        assert {read_body(answer) for answer in answers} == {f"after {change}"}
    assert (hall.cache.renderings, hall.cache.looks) == (3, 3)


async def test_who_was_told_of_a_position_is_never_shown_less() -> None:
    hall = Hall()
    early = asyncio.create_task(hall.ask())
    await asyncio.sleep(0.005)  # the services are being asked
    hall.changes("after", 20)
    hall.hear(20)
    late = await asyncio.gather(*(hall.ask() for _ in range(3)))
    assert (read_body(await early), [read_body(each) for each in late]) == ("before", ["after"] * 3)
    hall.changes("later", 30)  # another gateway has reported it, and its notification has not arrived here
    assert read_body(await hall.ask(min_position=20)) == "after"
    assert read_body(await hall.ask(min_position=30)) == "later"
    exact = await hall.ask(min_position=40, is_exact=True)
    assert exact.position == 40
    looks = hall.cache.looks
    assert (await hall.ask(min_position=35, is_exact=True)).position == 40
    assert hall.cache.looks == looks


async def test_without_the_news_everybody_is_shown_what_there_is_now() -> None:
    hall = Hall()
    hall.tail.connected = False
    assert read_body(await hall.ask()) == "before"
    hall.changes("after", 20)
    answers = await asyncio.gather(*(hall.ask() for _ in range(100)))
    assert {read_body(answer) for answer in answers} == {"after"}
    assert hall.cache.looks == 2
    hall.tail.connected = True
    hall.changes("later", 30)
    hall.cache.clear()
    assert read_body(await hall.ask()) == "later"
    hall.changes("last", 40)
    assert (read_body(await hall.ask()), read_body(await hall.ask(anew=True))) == ("later", "last")


async def test_what_changes_without_news_is_shown_within_a_second_and_what_does_not_is_not_rendered_again() -> None:
    hall = Hall()
    await hall.ask()
    hall.now += ENTRY_LIFETIME_SECONDS
    await hall.ask()
    assert (hall.cache.renderings, hall.cache.looks) == (1, 2)
    hall.says = "somebody was erased"
    hall.now += ENTRY_LIFETIME_SECONDS / 2
    assert read_body(await hall.ask()) == "before"
    hall.now += ENTRY_LIFETIME_SECONDS / 2
    assert read_body(await hall.ask()) == "somebody was erased"


async def test_an_answer_that_is_behind_the_news_is_not_used_again() -> None:
    hall = Hall()
    hall.hear(20)
    assert read_body(await hall.ask()) == "before"  # the service has not reached 20
    hall.changes("after", 20)
    assert read_body(await hall.ask()) == "after"
    looks = hall.cache.looks
    await hall.ask()
    assert hall.cache.looks == looks


async def test_what_is_kept_stays_within_its_bound_and_what_was_not_asked_for_longest_goes_first() -> None:
    hall = Hall(most_bytes=5_000)
    many = [Resource(PageContent.GAME, game_id=f"lliga-r1-t{number}") for number in range(20)]
    for each in many:
        await hall.ask(each)
        await hall.ask(many[0])
        assert hall.cache.bytes <= 5_000
    looks = hall.cache.looks
    await hall.ask(many[0])
    await hall.ask(many[-1])
    assert hall.cache.looks == looks
    await hall.ask(many[1])
    assert hall.cache.looks == looks + 1


async def test_a_failure_is_told_to_all_who_wait_and_is_not_kept() -> None:
    hall = Hall()

    def fail() -> None:
        raise ConnectionError("away")

    hall.behind = fail
    failed = await asyncio.gather(*(hall.ask() for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in failed] == [ConnectionError] * 3
    hall.behind = lambda: None
    assert read_body(await hall.ask()) == "before"


async def test_news_costs_no_more_however_much_is_kept() -> None:
    hall = Hall(most_bytes=100_000_000)
    made = Representation.of(200, [], b"x")

    async def render(kept: CacheEntry | None, need: int) -> Rendered:
        return Rendered(made, 10, b"x")

    def time_events() -> float:
        began = perf_counter()
        for _ in range(100):
            hall.hear(10, "ResultRecorded", game="lliga-r1-t1")
        return perf_counter() - began

    async def keep(first: int, last: int) -> None:
        for number in range(first, last):  # as an unauthenticated client that requests every page of every size
            await hall.cache.answer(Question(number, LEAGUE, 0, is_exact=True, anew=False), render)

    await keep(0, 10)
    with_few = min(time_events() for _ in range(5))
    await keep(10, 5_000)
    assert min(time_events() for _ in range(5)) < 20 * with_few


async def test_what_news_of_long_ago_concerns_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_NEWS_MARKS", 6)
    hall = Hall()
    await hall.ask()
    hall.changes("after", 20)
    hall.hear(20)
    for number in range(20):
        hall.hear(21 + number, "PlayPlaced", game=f"lliga-r1-t{number}")
    hall.position = 40
    assert read_body(await hall.ask()) == "after"
    looks = hall.cache.looks
    await hall.ask()
    assert hall.cache.looks == looks
