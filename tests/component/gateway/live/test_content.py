"""A stream with content: its frames add up to a fresh answer, for every audience."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata
from tests.component.gateway.live.test_broadcaster import port_of, public, until, watching
from tests.support.content_fold import Folded
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import Championship
from tests.support.watcher import Watcher

from faristol.fanout import fanout, replays
from faristol.gateway.live import content, content_reader, notifications
from faristol.gateway.live.content import Answer, Subject
from faristol.gateway.rpc.results import Results
from faristol.host import SERVICES, Settings
from faristol.kernel.topics import Topic
from faristol.launcher.processes import running
from faristol.pb.results.v1.results_pb2 import FollowResponse
from faristol.personal_data.erasure import erase

pytestmark = pytest.mark.asyncio(loop_scope="module")

STREAM = "/api/v1/tournaments/lliga/stream"
AUDIENCES = ("", "&rounds=2", "&tables=1", "&games=lliga-r1-t2,lliga-r2-t1")
GAMES = {("game", f"lliga-r{round_}-t{table}", 0) for round_ in (1, 2) for table in (1, 2)}
PAIRINGS = {("pairings", "lliga", 1), ("pairings", "lliga", 2)}
SHOWN = (
    GAMES | PAIRINGS | {("standings", "lliga", 0)},
    {("game", "lliga-r2-t1", 0), ("game", "lliga-r2-t2", 0), ("pairings", "lliga", 2)},
    {("game", "lliga-r1-t1", 0), ("game", "lliga-r2-t1", 0)},
    {("game", "lliga-r1-t2", 0), ("game", "lliga-r2-t1", 0)},
)
"""The data that each audience gets."""


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send heartbeats often: hidden events move the position only with a heartbeat."""
    monkeypatch.setattr(fanout, "STREAM_HEARTBEAT_SECONDS", 0.3)


def follower(stage: Stage, more: str = "", after: int = 0) -> Watcher:
    return Watcher(port_of(stage), f"{STREAM}?include=content{more}", after)


async def test_folded_frames_are_what_a_fresh_answer_says_live_and_out_of_the_record(tmp_path: Path) -> None:
    hall, fresh = Championship(), dict[Any, Any]()
    async with open_stage(tmp_path) as stage:
        await stage.add(*hall.create())
        early = [follower(stage, more) for more in AUDIENCES] + [
            Watcher(port_of(stage), "/api/v1/stream?tournaments=lliga&include=content")
        ]
        folds = [Folded() for _ in early]
        taken = [0 for _ in early]

        async def compare(last: int) -> None:
            await until(lambda: min(each.position for each in early) >= last)
            for at, (watcher, fold) in enumerate(zip(early, folds, strict=True)):
                await fold.take(watcher.data[taken[at] :], stage.http, fresh)
                taken[at] = len(watcher.data)
                assert await fold.differs(stage.http, fresh) == []
                assert fold.fetched == 0

        async with watching(*early):
            for steps in (hall.first_round(), hall.second_round(), hall.finish()):
                for number, step in enumerate(steps):
                    last = await stage.add(step)
                    if number % 15 == 0:
                        await compare(last)
            await compare(await stage.record.last_position())
            assert [set(each.answers) for each in folds] == [*SHOWN, SHOWN[0]]
            assert early[0].told == await public(stage.record, Topic.of({"lliga": ""}))
            late = [follower(stage, more, after) for more in AUDIENCES for after in (0, 30)]  # 30: as of there
            async with watching(*late):
                await until(lambda: min(each.position for each in late) >= last)
                for watcher in late:
                    fold = Folded()
                    before = [piece for piece in early[0].data if piece["position"] <= 30 < watcher.data[0]["position"]]
                    await fold.take(before, stage.http, fresh)
                    await fold.take(watcher.data, stage.http, fresh)
                    assert await fold.differs(stage.http, fresh) == []


async def test_who_comes_back_by_another_gateway_at_any_news_misses_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A viewer of a quick gateway continues with one whose answers run ahead of its notifications."""
    ask = content.ask

    async def slowly(results: Results, subject: Subject, position: int) -> Answer:
        if results is slow[0]:
            await asyncio.sleep(0.1)
        return await ask(results, subject, position)

    slow: list[Results] = []
    made = content_reader.Content.__init__

    def note_results(self: content_reader.Content, results: Results) -> None:
        slow[:] = [results]  # that of the gateway which was started last
        made(self, results)

    monkeypatch.setattr(content_reader.Content, "__init__", note_results)
    monkeypatch.setattr(content_reader, "ask", slowly)
    hall, fresh = Championship(), dict[Any, Any]()
    async with open_stage(tmp_path / "one") as stage:
        peers = {f"peer_{name}": stage.running.grpc_address for name in SERVICES}
        settings = Settings.model_validate({"data": tmp_path / "two", "http_port": 0, "grace_seconds": 0.5, **peers})
        async with running(settings, ["gateway"]):
            start = await stage.add(*hall.create())
            both = [follower(stage), Watcher(settings.http_port, f"{STREAM}?include=content")]
            async with watching(*both):
                # A viewer that joins between two plays may hold a whole answer that no change applies to.
                await until(lambda: min(each.position for each in both) >= start)
                for step in (*hall.first_round(), *hall.second_round(), *hall.finish()):
                    last = await stage.add(step)
                    await asyncio.sleep(0.03)
                await until(lambda: min(each.position for each in both) >= last)
        for first, second in (both, both[::-1]):
            for cut in range(0, len(first.data), 9):
                fold = Folded()
                await fold.take(first.data[:cut], stage.http, fresh)
                assert fold.fetched == 0
                await fold.take(second.data[cut:], stage.http, fresh)
                assert await fold.differs(stage.http, fresh) == [], f"told up to {first.told[cut]}"


async def test_what_has_changed_is_asked_for_once_however_many_watch(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Subject] = []
    ask = content.ask

    async def count_request(results: Results, subject: Subject, position: int) -> Answer:
        asked.append(subject)
        return await ask(results, subject, position)

    monkeypatch.setattr(content_reader, "ask", count_request)
    hall = Championship()
    start = await stage.add(*hall.create())
    crowd = [follower(stage, more, start) for more in AUDIENCES for _ in range(10)]
    async with watching(*crowd):
        await until(lambda: all(each.head for each in crowd))
        last = await stage.add(*hall.first_round())
        await until(lambda: min(each.position for each in crowd) >= last)
        news = len(await public(stage.record, Topic.of({"lliga": ""}), start))
    assert 0 < len(asked) <= 3 * news  # a game, pairings, standings
    asked.clear()
    plain = Watcher(port_of(stage), STREAM)
    async with watching(plain):
        last = await stage.add(*hall.second_round())
        await until(lambda: plain.position >= last)
    assert asked == []  # no viewer requests content any longer


INTERNAL = AioRpcError(grpc.StatusCode.INTERNAL, Metadata(), Metadata(), "", "")


@pytest.mark.parametrize("problem", [KeyError("a value of a newer results service"), INTERNAL])
async def test_an_answer_that_cannot_be_written_ends_streams_with_content_and_no_others_and_they_go_on_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, problem: Exception
) -> None:
    ask, broken = content.ask, True

    async def failing(results: Results, subject: Subject, position: int) -> Answer:
        if broken and subject.id.endswith("-r1-t2"):
            raise problem
        return await ask(results, subject, position)

    monkeypatch.setattr(content_reader, "ask", failing)
    hall = Championship()
    start = await stage.add(*hall.create())
    live, late = follower(stage, "", start), follower(stage, "&tables=2")
    plain, other = Watcher(port_of(stage), STREAM, start), follower(stage, "&tables=1", start)
    async with watching(live, plain):
        await until(lambda: bool(live.head and plain.head))
        await stage.add(*hall.first_round())
        await until(lambda: live.connections > 2)
        async with watching(late, other):
            await until(lambda: late.connections > 2)
            broken = False
            expected = await public(stage.record, Topic.of({"lliga": ""}), start)
            await until(lambda: [live.told, plain.told] == [expected, expected])
            await until(lambda: late.told == [each["position"] for each in plain.data if each["table"] == 2])
    assert (plain.connections, other.data[-1]["game_id"]) == (1, "lliga-r1-t1")
    assert len([each for each in caplog.records if each.name == replays.__name__]) == 1


async def test_a_name_that_was_erased_is_told_by_no_stream_any_more(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_reader, "CONTENT_LIFETIME_SECONDS", 0.5)
    hall = Championship()
    start = await stage.add(*hall.create())
    first = follower(stage, "", start)
    async with watching(first):
        await until(lambda: bool(first.head))
        last = await stage.add(*hall.first_round())
        early = [follower(stage, "", after) for after in (start, 0)]
        async with watching(*early):
            await until(lambda: min(each.position for each in (first, *early)) >= last)
        assert all("Biel" in str(each.data) for each in (first, *early))
        await erase(stage.record, "biel")
        await asyncio.sleep(1.5)
        late = [follower(stage, "", after) for after in (start, 0)]
        async with watching(*late):
            await until(lambda: min(each.position for each in late) >= last)
            assert [each.told for each in late] == [each.told for each in early]
            assert not any("Biel" in str(each.data) for each in late)
        last = await stage.add(*hall.second_round())
        await until(lambda: first.position >= last)
    assert first.told == await public(stage.record, Topic.of({"lliga": ""}), start)


async def test_a_frame_that_each_is_told_in_another_way_is_not_kept_for_each() -> None:
    changes = [(Subject(content.ContentKind.PAIRINGS, "lliga", number), b"{%d}" % number) for number in range(1, 11)]
    carried = notifications.Notification(FollowResponse(position=7, type="PlayerWithdrawn", tournament_id="lliga"))
    carried.add_changes(changes)
    for chosen in range(1, 1_024):
        rounds = [number for number in range(1, 11) if chosen >> number - 1 & 1]
        told = carried.frame(Topic.of({"lliga": ""}, rounds=rounds, with_content=True))
        assert told is not None
        assert b'"content":[%b]' % b",".join(b"{%d}" % number for number in rounds) in told
    assert len(carried._variants) == notifications.MAX_FRAME_VARIANTS


async def test_content_with_types_is_refused_because_it_would_be_incomplete(stage: Stage) -> None:
    await stage.add(*Championship().create())
    for _ in range(2):  # by the route, and once the tournament is known
        answer = await stage.http.get(STREAM, params={"include": "content", "types": "PlayPlaced"})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "include")
        answer = await stage.http.get(STREAM, params={"include": "everything"})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "include")
