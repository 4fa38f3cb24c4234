"""Seals are delivered to external witnesses, and a rewritten record is distinguished from the one that they know."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import threading
import urllib.parse
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select
from tests.component import contents
from tests.component.contents import fill, play
from tests.component.processes import faristol
from tests.support.chains import KEY, OTHER_KEY

from faristol.bus import NatsServer
from faristol.consumers import tables as bus_tables
from faristol.consumers.status import State, Status, StatusKind, status
from faristol.event_store import Record
from faristol.event_store.backends import tables
from faristol.event_store.errors import CorruptData, RecordError
from faristol.event_store.integrity import keys, seals
from faristol.event_store.integrity.sealer import Sealer, seal
from faristol.event_store.integrity.seals import Seal, to_json
from faristol.event_store.integrity.verification import verify
from faristol.event_store.tasks import cancel_tasks
from faristol.event_store.witness import Fork, Witness, WitnessUnavailable, deliver_to_all, gap, open_witness
from faristol.event_store.witness.delivery import Delivery
from faristol.event_store.witness.folder import name_of
from faristol.event_store.witness.witness import Worker
from faristol.host import Settings
from faristol.launcher.processes import running

TOKEN = "kept-by-nobody-else"
PUBLIC = keys.by_id([KEY.public_key()])


class SealStore(BaseHTTPRequestHandler):
    """A program that stores seals, as ``docs/record.md`` describes it."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        member = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self._is_let_in():
            kept = self.server.kept.setdefault(member["from_position"], member)
            self._answer(409 if kept["root"] != member["root"] else 204)

    def do_GET(self) -> None:
        if self._is_let_in():
            asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
            found = [self.server.kept[at] for at in sorted(self.server.kept)]
            if "newest" in asked:
                found = found[-1:]
            else:
                after, most = int(asked["after"]), min(int(asked["limit"]), 2)
                found = [member for member in found if member["to_position"] > after][:most]
            self._answer(200, json.dumps({"seals": found}).encode())

    def _is_let_in(self) -> bool:
        self.server.asked.append(self.headers["Authorization"] or "")
        if self.server.refused:
            self._answer(self.server.refused)
        elif self.server.answer:
            self._answer(200, self.server.answer.encode())
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._answer(401)
        else:
            return True
        return False

    def _answer(self, code: int, content: bytes = b"") -> None:
        self.send_response(code)
        if code in (301, 307):
            self.send_header("Location", "http://127.0.0.1:1/")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Send no answer."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), SealStore)
        self.kept: dict[int, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.refused = 0
        self.answer = ""
        self.url = f"http://127.0.0.1:{self.server_address[1]}/seals"


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def git(where: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(where), *words], check=True, capture_output=True, text=True).stdout


class Place:
    """A witness of each kind, and its changes."""

    def __init__(self, kind: str, folder: Path, server: Server) -> None:
        self.kind, self.folder, self.server = kind, folder, server
        self.token = folder / "token"
        self.token.write_text(f"{TOKEN}\n")
        self.where = server.url if kind == "http" else str(folder / "witness")
        if kind == "folder":
            (folder / "witness").mkdir()
        if kind == "git":
            (folder / "witness").mkdir()
            git(folder / "witness", "init", "--quiet")
        if kind == "git with remote":
            subprocess.run(["git", "init", "--quiet", "--bare", str(folder / "remote")], check=True)
            subprocess.run(
                ["git", "clone", "--quiet", str(folder / "remote"), str(folder / "witness")],
                check=True,
                capture_output=True,
            )

    def open(self) -> Witness:
        return open_witness(self.where, self.token)

    def away(self, away: bool) -> None:
        """Make it unavailable, or available again."""
        if self.kind == "http":
            self.server.refused = 503 if away else 0
            return
        name = "remote" if self.kind == "git with remote" else "witness"
        clone, other_clone = self.folder / name, self.folder / "elsewhere"
        (clone if away else other_clone).rename(other_clone if away else clone)

    def change(self, seal: Seal, other: Seal | None) -> None:
        """Replace a seal by another one, or remove it."""
        if self.kind == "http":
            del self.server.kept[seal.from_position]
            if other is not None:
                self.server.kept[seal.from_position] = to_json(other)
            return
        path = self.folder / "witness" / name_of(seal)
        path.unlink()
        if other is not None:
            path.write_text(json.dumps(to_json(other)))
        if self.kind != "folder":
            git(self.folder / "witness", "add", "-A")
            git(self.folder / "witness", "-c", "user.name=E", "-c", "user.email=e@e", "commit", "-qm", "Tidy")


@pytest.fixture(params=["folder", "http", "git", "git with remote"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "place").mkdir()
    with serving() as server:
        yield Place(request.param, tmp_path / "place", server)


@asynccontextmanager
async def delivering(record: Record, *places: Place) -> AsyncIterator[None]:
    task = asyncio.create_task(deliver_to_all(record, [place.open() for place in places], look=0.05))
    yield
    assert not task.done()
    await cancel_tasks([task])


async def read(record: Record) -> list[Seal]:
    async with record.reading() as connection:
        return await seals.read(connection)


async def has(place: Place) -> list[Seal]:
    witness = place.open()
    try:
        return await witness.seals()
    finally:
        await witness.close()


async def check_gap(record: Record, place: Place) -> str:
    kept = await has(place)
    assert gap(kept) == ""
    return (await verify(record, keys=PUBLIC, kept=kept)).wrong


def all_there(record: Record, place: Place) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        row = select(tables.checkpoints.c.position).where(tables.checkpoints.c.consumer.like("witness:%"))
        async with record.reading() as connection:
            position = (await connection.execute(row)).scalar()
        made = await read(record)
        return bool(made) and position == made[-1].to_position and await has(place) == made

    return look


async def test_where_there_is_no_witness_delivery_goes_on_as_long_as_the_process(record: Record) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await deliver_to_all(record, [])


async def test_every_seal_is_delivered_once_and_in_order(record: Record, place: Place) -> None:
    await fill(record)
    await seal(record, KEY, events=5)
    async with delivering(record, place):
        await contents.until(all_there(record, place))
        await play(record, "game-cup-more", "cup", 3)
        await seal(record, KEY)
        await contents.until(all_there(record, place))
    assert await check_gap(record, place) == ""
    if place.kind.startswith("git"):
        where = place.folder / ("remote" if place.kind == "git with remote" else "witness")
        said = git(where, "log", "--reverse", "--format=%s").splitlines()
        assert said == [f"Seal positions {made.from_position} to {made.to_position}" for made in await read(record)]
        assert git(place.folder / "witness", "status", "--porcelain") == ""


async def test_what_was_sealed_while_the_witness_was_away_comes_when_it_is_back(
    record: Record, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    await fill(record)
    sealer = asyncio.create_task(Sealer(record, KEY, events=5, seconds=0.2).run())
    async with delivering(record, place):
        await contents.until(all_there(record, place))

        async def is_noted() -> bool:
            return {line.kind: line.lag for line in await lines_of(record)}[StatusKind.WITNESS] == 0

        await contents.until(is_noted)  # after the delivery
        place.away(True)
        with caplog.at_level(logging.WARNING):
            await play(record, "game-cup-more", "cup", 7)
            before = (await has(place))[-1].to_position if place.kind == "git with remote" else 0

            async def are_sealed() -> bool:
                return (await read(record))[-1].to_position == await record.last_position()

            await contents.until(are_sealed)  # the sealer is not delayed
            await contents.until(lambda: _has_logged(caplog, "seals wait to be delivered to the witness"))
            lines = {line.kind: line for line in (await lines_of(record))}
            assert lines[StatusKind.WITNESS].lag == 7 if place.kind != "git" else True
            assert lines[StatusKind.SEALER].lag == 0
        place.away(False)
        await contents.until(all_there(record, place), 20)
        await contents.until(lambda: _has_logged(caplog, "has all seals again"))
    await cancel_tasks([sealer])
    assert before <= (await has(place))[-1].to_position
    assert TOKEN not in caplog.text
    assert (await lines_of(record))[-1].lag == 0


async def lines_of(record: Record) -> list[Status]:
    async with record.writing() as connection:
        await bus_tables.make(connection)
    return (await status(record))[0]


async def _has_logged(caplog: pytest.LogCaptureFixture, text: str) -> bool:
    return text in caplog.text


async def test_a_process_that_died_in_the_middle_is_followed_by_one_that_goes_on(record: Record, place: Place) -> None:
    await fill(record)
    await seal(record, KEY, events=5)
    witness = place.open()
    made = await read(record)
    await witness.deliver(made[:4])
    await witness.deliver(made[3:5])  # told twice
    assert await witness.newest() == made[4]
    await witness.close()
    async with record.writing() as connection:  # its notes are lost, or wrong
        await connection.execute(tables.checkpoints.insert().values(consumer="witness:folder:gone", position=99))
    async with delivering(record, place):
        await contents.until(all_there(record, place))
    assert [line.position for line in (await lines_of(record)) if line.kind is StatusKind.WITNESS] == [
        made[-1].to_position
    ]


async def test_a_record_that_was_rewritten_and_sealed_with_the_stolen_key_is_told(record: Record, place: Place) -> None:
    last = await fill(record)
    await seal(record, KEY, events=10)
    async with delivering(record, place):
        await contents.until(all_there(record, place))
    right = (await contents.read_stored(record))[16]
    await contents.rewrite(record, 17, metadata='{"actor":"eva"}')

    async def sealed_anew(events: int) -> None:
        async with record.writing() as connection:
            await connection.execute(delete(tables.seals).where(tables.seals.c.from_position > 10))
        await seal(record, KEY, events=events)
        assert (await verify(record, keys=PUBLIC)).wrong == ""  # with the right key, there is no error

    await sealed_anew(10)
    said = "the seal of positions 11 to 20 differs from the seal that is stored outside, which has another root"
    assert f"position 11: {said}" in await check_gap(record, place)
    await sealed_anew(7)
    said = (
        "the seal of positions 11 to 17 differs from the seal that is stored outside, which is over positions 11 to 20"
    )
    assert f"position 11: {said}" in await check_gap(record, place)
    await contents.rewrite(record, 17, metadata=right.metadata)
    await sealed_anew(10)
    assert (
        "position 11: the seal of positions 11 to 20 differs from the seal that is stored outside: the same"
        in await check_gap(record, place)
    )
    await contents.cut(record, 10)
    assert "position 11: " in await check_gap(record, place)
    assert last > 20


async def test_a_record_that_lost_its_newest_events_is_told(record: Record, place: Place) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    async with delivering(record, place):
        await contents.until(all_there(record, place))
    await contents.cut(record, 10)
    assert (await verify(record, keys=PUBLIC)).wrong == ""
    said = "position 11: the seal of positions 11 to 20, which was stored outside, is missing here"
    assert said in await check_gap(record, place)


async def test_nothing_is_delivered_onto_another_chain_and_the_log_says_so(
    record: Record, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    async with delivering(record, place):
        await contents.until(all_there(record, place))
    kept = await has(place)
    await contents.rewrite(record, 50, metadata='{"actor":"eva"}')
    async with record.writing() as connection:
        await connection.execute(delete(tables.seals).where(tables.seals.c.from_position > 40))
    await seal(record, KEY, events=10)
    with caplog.at_level(logging.ERROR):
        async with delivering(record, place):
            await contents.until(
                lambda: _has_logged(caplog, "it has another seal in the place of the seal of positions 51 to")
            )
    assert await has(place) == kept
    witness = place.open()
    with pytest.raises(Fork):
        await witness.deliver((await read(record))[4:])
    await witness.close()
    assert await has(place) == kept


async def test_a_witness_that_was_changed_is_told(record: Record, place: Place) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    async with delivering(record, place):
        await contents.until(all_there(record, place))
    made = await read(record)
    other = replace(made[1], root=bytes(32)).sign_with(OTHER_KEY)
    place.change(made[1], other)
    if place.kind.startswith("git"):
        with pytest.raises(CorruptData, match="of the witness changes or removes a seal that it had"):
            await has(place)
        return
    assert "position 21: the seals of the witness are not one chain here" in gap(await has(place))
    place.change(other, None)
    assert "position 11: the witness lacks a seal; its next one is the seal of positions 21 to 30" in gap(
        await has(place)
    )


async def test_what_is_no_seal_is_told(tmp_path: Path, place: Place) -> None:
    made = Seal(1, 2, bytes(32), bytes(32), "", 0).sign_with(KEY)
    if place.kind == "http":
        place.server.kept[1] = {"poem": 1, "to_position": 2}
    else:
        (place.folder / "witness" / name_of(made)).write_text('{"poem": 1}')
        if place.kind != "folder":
            git(place.folder / "witness", "add", "-A")
            git(place.folder / "witness", "-c", "user.name=E", "-c", "user.email=e@e", "commit", "-qm", "Poem")
    with pytest.raises(CorruptData, match=r"the witness has a file at .* that is not a seal"):
        await has(place)


DEEP = "[" * 16_000


@pytest.mark.parametrize(
    "members",
    [{"from_position": float("inf")}, {"from_position": 2**70, "to_position": 2**70}, {"key_id": "\ud800"}, DEEP],
    ids=["infinite", "large", "no text", "deep"],
)
@pytest.mark.parametrize("kind", ["folder", "http"])
async def test_no_answer_of_a_witness_ends_the_delivery(
    record: Record, tmp_path: Path, kind: str, members: dict[str, Any] | str, caplog: pytest.LogCaptureFixture
) -> None:
    await fill(record)
    (made, *_) = await seal(record, KEY, events=10)
    answer = members if isinstance(members, str) else json.dumps(to_json(made) | members)
    with serving() as server:
        place = Place(kind, tmp_path, server)
        server.answer = '{"seals": [' + answer
        server.answer += "" if answer == DEEP else "]}"
        if kind == "folder":
            (tmp_path / "witness" / name_of(made)).write_text(answer)
        async with delivering(record, place):
            await contents.until(lambda: _has_logged(caplog, "seals wait to be delivered to the witness"))
            server.answer = ""
            if kind == "folder":
                (tmp_path / "witness" / name_of(made)).unlink()
            await contents.until(all_there(record, place), 20)


async def test_git_that_is_ended_leaves_no_lock(record: Record, tmp_path: Path) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    made = await read(record)
    with serving() as server:
        witness = Place("git", tmp_path, server).open()
    where = tmp_path / "witness" / ".git"
    hook = where / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/begun\nexec sleep 3 >&- 2>&-\n")
    hook.chmod(0o755)
    delivery = asyncio.create_task(witness.deliver(made))

    async def has_begun() -> bool:
        return (tmp_path / "begun").exists()

    await contents.until(has_begun)
    assert list(where.glob("*.lock"))
    await cancel_tasks([delivery])
    assert not list(where.glob("*.lock"))
    hook.unlink()
    (where / "index.lock").touch()  # the state that a killed git leaves
    with pytest.raises(WitnessUnavailable, match=r"index\.lock exists; remove it if no git is running"):
        await witness.deliver(made)
    (where / "index.lock").unlink()
    await witness.deliver(made)
    assert await witness.seals() == made
    await witness.close()


async def test_a_clone_goes_on_where_another_has_come_to(record: Record, tmp_path: Path) -> None:
    await fill(record)
    await seal(record, KEY, events=10)
    made = await read(record)
    with serving() as server:
        place = Place("git with remote", tmp_path, server)
    first = place.open()
    git(tmp_path, "clone", "--quiet", "remote", "other")
    other = open_witness(str(tmp_path / "other"))
    await first.deliver(made[:1])
    await other.newest()
    await other.deliver(made[1:2])
    (tmp_path / "witness" / name_of(made[1])).write_bytes((tmp_path / "other" / name_of(made[1])).read_bytes())
    assert await first.newest() == made[1]
    await first.deliver(made[2:3])
    assert await first.seals() == made[:3]
    assert git(tmp_path / "witness", "status", "--porcelain") == ""
    git(tmp_path / "other", "commit", "--quiet", "--allow-empty", "--message", "Apart")
    await other.newest()
    with pytest.raises(
        WitnessUnavailable, match=r"have diverged: 1 of its commits were never pushed, and it lacks 1; "
    ):
        await other.deliver(made[3:])
    git(tmp_path / "other", "reset", "--quiet", "--keep", "@{upstream}")
    await other.deliver(made[3:])
    assert await other.seals() == made
    await first.close()
    await other.close()


@pytest.mark.parametrize("code", [301, 307, 401, 500])
async def test_an_address_that_answers_otherwise_is_away_and_no_token_goes_elsewhere(tmp_path: Path, code: int) -> None:
    (tmp_path / "token").write_text(TOKEN)
    made = Seal(1, 2, bytes(32), bytes(32), "", 0).sign_with(KEY)
    with serving() as server:
        server.refused = code
        witness = open_witness(server.url, tmp_path / "token")
        with pytest.raises(WitnessUnavailable, match=f"it answered {code}"):
            await witness.deliver([made])
        with pytest.raises(WitnessUnavailable, match=f"it answered {code}"):
            await witness.newest()
        server.refused = 0
        (tmp_path / "token").write_text(f"{TOKEN}\nsecret")  # no header can hold that
        with pytest.raises(WitnessUnavailable) as told:
            await witness.newest()
        assert TOKEN not in str(told.value)
        (tmp_path / "token").unlink()
        with pytest.raises(WitnessUnavailable, match=r"its token in .* cannot be read"):
            await witness.newest()
        await witness.close()
        assert {*server.asked} == {f"Bearer {TOKEN}"}
    witness = open_witness(server.url)
    with pytest.raises(WitnessUnavailable, match="refused"):
        await witness.newest()
    await witness.close()


async def test_a_witness_that_hangs_is_given_up_and_asked_nothing_more() -> None:
    worker, go_on = Worker("witness", patience=0.1), threading.Event()
    with pytest.raises(WitnessUnavailable, match=r"it has not answered for 0\.1 seconds"):
        await worker.do(go_on.wait)
    with pytest.raises(WitnessUnavailable, match="it does not answer"):
        await worker.do(go_on.wait)
    go_on.set()

    async def again() -> bool:
        try:
            return await worker.do(lambda: True)
        except WitnessUnavailable:
            return False

    assert await contents.until(again)
    worker.close()


@pytest.mark.parametrize("where", ["ftp://host/x", "https://", "http://name:password@host/x", "http://host:x/", ""])
def test_what_is_no_place_is_refused(where: str) -> None:
    with pytest.raises(Exception, match="witness") as told:
        open_witness(where)
    assert "password@" not in str(told.value)


def test_no_token_goes_over_the_network_in_clear(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"the token for the witness at host would be sent in plain text"):
        open_witness("http://host/x", tmp_path / "token")
    for where in ("https://host/x", "http://127.0.0.1:1/x", "http://localhost/x"):
        assert open_witness(where, tmp_path / "token").shown == where
    assert open_witness("http://host/x").shown == "http://host/x"


async def test_one_process_delivers_at_a_time_and_another_takes_over(record: Record, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    with serving() as server:
        place = Place("http", tmp_path / "place", server)
        await fill(record)
        await seal(record, KEY, events=10)
        witness = place.open()
        first = asyncio.create_task(Delivery(record, witness, look=0.05).run())
        await contents.until(all_there(record, place))
        asked = len(server.asked)
        second = asyncio.create_task(Delivery(record, place.open(), look=0.05).run())
        await asyncio.sleep(0.5)
        assert server.asked[asked:] == server.asked[asked : asked + 1] * len(server.asked[asked:])
        await cancel_tasks([first])
        await play(record, "game-cup-more", "cup", 3)
        await seal(record, KEY)
        await contents.until(all_there(record, place))
        await cancel_tasks([second])


async def test_a_seal_that_waits_too_long_for_a_witness_is_shown(record: Record) -> None:
    await fill(record)
    (made, *_) = await seal(record, KEY, events=10)
    async with record.writing() as connection:
        await connection.execute(delete(tables.seals))
        await connection.execute(tables.seals.insert().values(**asdict(replace(made, sealed_at=1))))
        await connection.execute(tables.checkpoints.insert().values(consumer="witness:git:00000000", position=4))
    lines = {line.kind: line for line in (await lines_of(record))}
    assert (lines[StatusKind.WITNESS].state, lines[StatusKind.WITNESS].lag) == (State.WAITING, 6)
    assert (lines[StatusKind.SEALER].state, lines[StatusKind.SEALER].position) == (State.LIVE, 10)


async def test_a_process_delivers_by_its_settings_and_an_operator_compares(
    database_url: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    keys.make(tmp_path / "key")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "repository").mkdir()
    (tmp_path / "token").write_text(TOKEN)
    git(tmp_path / "repository", "init", "--quiet")
    with serving() as server:
        places = (str(tmp_path / "folder"), server.url, str(tmp_path / "repository"))
        settings = Settings.model_validate(
            {
                "data": tmp_path / "data",
                "database_url": database_url,
                "nats_url": nats_server.url,
                "http_port": 0,
                "grace_seconds": 0.5,
                "seal_key": tmp_path / "key",
                "seal_events": 20,
                "seal_seconds": 0.4,
                "seal_witnesses": ", ".join(places),
                "seal_witness_token": tmp_path / "token",
            }
        )
        async with running(settings, ("results", "gateway")) as process:
            record = process.runtime.record
            await fill(record)

            async def are_delivered() -> bool:
                lines = await lines_of(record)
                witnesses = [line for line in lines if line.kind is StatusKind.WITNESS]
                return len(witnesses) == 3 and all(line.position == 51 for line in witnesses)

            await contents.until(are_delivered, 20)

        def compare_with(where: str, *words: str) -> subprocess.CompletedProcess[str]:
            asked = ("--database-url", database_url, "--public-key", str(tmp_path / "key.pub"), "--witness", where)
            return faristol("record", "verify", *asked, *words, seal_witness_token=tmp_path / "token")

        for where in places:
            told = await asyncio.to_thread(compare_with, where)
            assert told.returncode == 0, told.stderr
            assert "those up to position 51 are the seals of the witness" in told.stdout
        nothing = await asyncio.to_thread(compare_with, str(tmp_path / "empty"))
        assert (nothing.returncode, "has no seals" in nothing.stderr) == (2, True)
        record = await Record.open(database_url)
        await contents.rewrite(record, 30, metadata="{}")
        async with record.writing() as connection:
            await connection.execute(delete(tables.seals))
        await seal(record, keys.read_private(tmp_path / "key"), events=20)
        await record.close()
        for where in places:
            told = await asyncio.to_thread(compare_with, where)
            assert told.returncode == 1, told.stdout
            assert told.stdout.startswith("WRONG at position ")
            assert "stored outside" in told.stdout


def test_a_process_does_not_start_with_a_witness_that_is_none(tmp_path: Path, shared_nats: str) -> None:
    done = faristol("serve", "results", data=tmp_path, nats_url=shared_nats, seal_witnesses="ftp://host/x")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "a witness is at an address http://HOST/" in done.stderr
    git(tmp_path, "init", "--quiet", "--bare", "bare")
    done = faristol("serve", "results", data=tmp_path, nats_url=shared_nats, seal_witnesses=str(tmp_path / "bare"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "is a bare Git repository" in done.stderr
