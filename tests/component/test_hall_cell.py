"""A hall's own cell: it goes on without a line, and its events are those of the championship afterwards."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import grpc
import httpx
import pytest
from tests.component.processes import Child, faristol, free_port, wait_until_serving
from tests.component.quick import Championship
from tests.component.table_play import next_to
from tests.support.line import FaultyLine
from tests.support.plain_http import PLAIN
from tests.support.small_lexicon import ABOUT

from faristol.client.credentials import authorize_at_console, build_interceptors
from faristol.client.services import Api, call
from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.host import SERVICES, Settings
from faristol.host.halls.clock import HallClock
from faristol.host.rpc.channels import open_channel
from faristol.host.security import authority
from faristol.host.security.tls import Files, Tls
from faristol.launcher.processes import running
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub, HallSyncServiceStub
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.lexicon.v1.adjudication_pb2_grpc import AdjudicationServiceStub, JudgeServiceStub
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules import load_ruleset
from faristol.words import Library

HALL, OTHER_HALL = "Sala Gran", "Sala Petita"
TOURNAMENT = "open"
BOOK = "fisc-2023"
WAIT_SECONDS = 60.0


@dataclass
class Site:
    """A running cell, of the championship or of a hall, with the calls of an official at its console."""

    child: Child
    folder: Path
    grpc_port: int
    http_port: int
    channel: grpc.aio.Channel
    ca: Path | None = None
    """Certificate of its authority, if it serves TLS."""

    async def start_again(self) -> float:
        """Start its process again, and return the seconds until it serves."""
        began = time.monotonic()
        await asyncio.to_thread(self.child.start)
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{self.grpc_port}", self.child, "gateway", self.ca)
        return time.monotonic() - began

    @property
    def address(self) -> str:
        """Address of the pages."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def api(self) -> Api:
        return Api(lambda _: self.channel)

    @property
    def sync(self) -> Any:
        return HallSyncServiceStub(self.channel)

    async def streams(self) -> Mapping[str, list[bytes]]:
        """Return the hashes of the events of each stream of the tables, in order."""
        record = await Record.open(f"sqlite:///{self.folder}/record.db", create=False)
        try:
            found: dict[str, list[bytes]] = {}
            for event in await record.read(0, limit=100_000):
                if event.stream.partition("-")[0] in {"game", "clock", "case"}:
                    found.setdefault(event.stream, []).append(event.hash)
            return found
        finally:
            await record.close()


@asynccontextmanager
async def site(
    folder: Path,
    lexicons: Path,
    *arguments: str,
    variables: Mapping[str, str] = MappingProxyType({}),
    **settings: object,
) -> AsyncIterator[Site]:
    """Run a cell in its own process, with further ``variables`` of its environment; with TLS by the option for it."""
    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    grpc_port, http_port = free_port(), free_port()
    child = Child(
        ["up", "--data", str(folder), "--http", str(http_port), "--grpc", str(grpc_port), "--no-browser", *arguments],
        {
            "access": folder / "access",
            "lexicons": lexicons,
            "log_level": "WARNING",
            "http_address": f"http://127.0.0.1:{http_port}",
            **settings,
        },
        folder / "log",
        variables=variables,
    )
    address = f"127.0.0.1:{grpc_port}"
    ca = folder / "tls" / authority.CA if "--tls" in arguments else None
    try:
        await asyncio.to_thread(wait_until_serving, address, child, "gateway", ca)
        authorization = authorize_at_console(folder / "access", folder / "access-record")
        channel = open_channel(address, build_interceptors(authorization), Tls(Files(ca=ca)) if ca else None)
        try:
            yield Site(child, folder, grpc_port, http_port, channel, ca)
        finally:
            await channel.close(None)
    finally:
        code = child.terminate()
    assert code == 0, child.output()


async def until(holds: Any, what: str, seconds: float = WAIT_SECONDS) -> Any:
    """Wait until a call returns a true value, and return it."""
    async with asyncio.timeout(seconds):
        while True:
            if found := await holds():
                return found
            await asyncio.sleep(0.05)
    raise AssertionError(what)


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """Return a folder with a lexicon."""
    return install_words(tmp_path / "lexicons")


def install_words(folder: Path) -> Path:
    """Install a lexicon in a folder, and return the folder."""
    tile_set = load_ruleset(BOOK).tile_set
    about = replace(ABOUT, name="words")
    Library(folder).install("words", [(tile_set.faces[0], tile_set.faces[1])], tile_set=tile_set, about=about)
    return folder


def hall_token(championship: Site, hall: str) -> str:
    """Return the token of a hall, as the director grants it."""
    settings: dict[str, Any] = {"tls_ca": championship.ca} if championship.ca else {}
    granted = faristol(
        *("access", "grant", "hall", f"The cell of {hall}", "--tournament", TOURNAMENT, "--hall", hall, "--json"),
        client_address=f"127.0.0.1:{championship.grpc_port}",
        data=championship.folder,
        access=championship.folder / "access",
        **settings,
    )
    assert granted.returncode == 0, granted.stderr
    return str(json.loads(granted.stdout)["token"])


async def prepare(championship: Site, *, players: int = 6, rounds: int = 5) -> Championship:
    """Create a tournament in two halls: the first table is in the other hall."""
    desk = Championship(
        None,  # type: ignore[arg-type] # its process is another one
        httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{championship.http_port}"),
        championship.api,
        load_ruleset(BOOK),
        TOURNAMENT,
        rounds,
        random.Random(35),
    )
    await desk.create(players)
    rooms = [
        pairing_events.Hall(name=OTHER_HALL, first_table=1, last_table=1),
        pairing_events.Hall(name=HALL, first_table=2, last_table=9),
    ]
    await desk.direct(desk.api.pairing.SetHalls, pairing_pb2.SetHallsRequest(halls=rooms))
    return desk


@dataclass
class Scene:
    """A championship, the cell of one of its halls, and the line between them."""

    championship: Site
    hall: Site
    line: FaultyLine
    desk: Championship
    games: list[str]
    """Games of the hall in the first round."""

    async def are_final(self) -> bool:
        """Check whether the championship has the results of the hall."""
        asked = pairing_pb2.GetTournamentRequest(tournament_id=TOURNAMENT)
        played = (await self.championship.api.pairing.GetTournament(asked)).played
        return set(self.games) <= {game_id for each in played for game_id in each.finished_game_ids}

    async def has_tables(self) -> bool:
        """Check whether the hall has the tables of its games."""
        return {f"clock-{game_id}" for game_id in self.games} <= (await self.hall.streams()).keys()

    async def check_equal(self) -> None:
        """Check that the streams of the hall's tables are the same in both records."""
        own, copied = await self.hall.streams(), await self.championship.streams()
        assert {name for name in own if name.startswith("game-")} == {f"game-{game_id}" for game_id in self.games}
        assert {name: copied[name] for name in own} == own

    async def check_equal_of(self, game_id: str) -> None:
        """Check that the streams of one table are the same in both records."""
        own, copied = await self.hall.streams(), await self.championship.streams()
        for name in (f"game-{game_id}", f"clock-{game_id}"):
            assert own[name] == copied[name]


@asynccontextmanager
async def scene(
    tmp_path: Path,
    words: Path,
    *,
    players: int = 6,
    rounds: int = 5,
    tls: bool = False,
    variables: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> AsyncIterator[Scene]:
    """Run a championship with a started round, and the cell of a hall that has the tables of it.

    ``variables`` are further ones of the environment of ``championship`` and ``hall``.
    """
    options = ("--tls",) if tls else ()
    async with site(
        tmp_path / "championship", words, *options, variables=variables.get("championship", {})
    ) as championship:
        desk = await prepare(championship, players=players, rounds=rounds)
        (tmp_path / "token").write_text(hall_token(championship, HALL))
        line = FaultyLine(championship.grpc_port)
        await line.start()
        try:
            async with site(
                tmp_path / "hall",
                tmp_path / "own-lexicons",
                *joining(tmp_path, line, championship.ca),
                variables=variables.get("hall", {}),
            ) as hall:
                listed = hall_pb2.ListHallsRequest(tournament_id=TOURNAMENT)

                async def has_joined() -> bool:
                    return bool((await championship.sync.ListHalls(listed)).halls)

                await until(has_joined, "the hall joins")
                paired = await desk._start_round(1)
                games = [pairing.game_id for pairing in paired.pairings if pairing.hall == HALL]
                found = Scene(championship, hall, line, desk, games)
                await until(found.has_tables, "the tables come to the hall")
                yield found
        finally:
            await line.stop()


def joining(tmp_path: Path, line: FaultyLine, ca: Path | None = None) -> tuple[str, ...]:
    """Return the options of the cell of the hall."""
    of = ("--of", f"https://{line.address}", "--ca", str(ca)) if ca else ("--of", line.address)
    return ("--hall", HALL, *of, "--token-file", str(tmp_path / "token"))


async def test_a_hall_without_a_line_plays_and_the_championship_has_each_of_its_events_once(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        assign = game_pb2.AssignArbiterRequest(command_id=str(uuid.uuid4()), game_id=first, arbiter_id="arbiter")
        with pytest.raises(grpc.aio.AioRpcError, match=HALL):
            await at.championship.api.game.AssignArbiter(assign)

        await at.line.cut()
        before = await at.championship.streams()
        await play_with_challenge(replace(at.desk, api=at.hall.api), first)
        assert any(name.startswith("case-") for name in await at.hall.streams())
        async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{at.hall.http_port}") as web:
            assert "Events of its tables that are not sent yet" in (await web.get("/status")).text
        assert await at.championship.streams() == before
        cell = HallCellServiceStub(at.hall.channel)
        assert (await cell.GetHallCell(hall_pb2.GetHallCellRequest())).unsent > 0
        await check_refuses_strangers(at.hall)
        at.line.mend()
        await replace(at.desk, api=at.hall.api)._game(second, [])

        await until(at.are_final, "the results arrive")
        await at.check_equal()


async def test_a_hall_that_is_killed_without_a_line_goes_on_and_sends_what_it_acknowledged(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await at.line.cut()
        await play_with_challenge(replace(at.desk, api=at.hall.api), first)
        acknowledged = await at.hall.streams()
        at.hall.child.kill()
        at.hall.child.start()
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.hall.grpc_port}", at.hall.child, "gateway")
        assert await at.hall.streams() == acknowledged
        at.line.bent_share, at.line.delay_seconds = 0.02, 0.01
        at.line.is_cut = False
        await replace(at.desk, api=at.hall.api)._game(second, [])
        at.line.mend()
        await until(at.are_final, "the results arrive")
        await at.check_equal()


async def test_tables_that_are_taken_back_are_decided_in_the_championship_and_the_halls_events_are_kept_aside(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await at.line.cut()
        await play_with_challenge(replace(at.desk, api=at.hall.api), first)
        await replace(at.desk, api=at.hall.api)._game(second, [])
        taken = hall_pb2.TakeBackTablesRequest(
            command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, hall=HALL, game_ids=[first], note="no line"
        )
        await at.championship.sync.TakeBackTables(taken)
        at.line.mend()
        listed = hall_pb2.ListKeptAsideRequest(tournament_id=TOURNAMENT)

        async def list_kept() -> Any:
            return (await at.championship.sync.ListKeptAside(listed)).aside

        (aside,) = await until(list_kept, "the events are kept aside")
        assert aside.game_id == first
        cell = HallCellServiceStub(at.hall.channel)

        async def knows() -> bool:
            return first in (await cell.GetHallCell(hall_pb2.GetHallCellRequest())).lost_game_ids

        await until(knows, "the hall knows that the table is lost")
        at.games.remove(first)
        await until(at.are_final, "the result of the other table arrives")
        table = await at.championship.api.game.GetGame(game_pb2.GetGameRequest(game_id=first))
        result = pairing_pb2.EnterResultRequest(game_id=first, arbiter_id="arbiter")
        for side in table.sides:
            result.scores.add(player_id=side.player_id, score=300 + side.player_id.count("1"))
        await at.desk.direct(at.desk.api.pairing.EnterResult, result)
        at.games.append(first)
        await until(at.are_final, "the result of the table arrives")


async def test_a_hall_and_its_championship_exchange_events_by_files_while_the_line_is_cut(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        await at.line.cut()
        first, second = at.games
        await play_with_challenge(replace(at.desk, api=at.hall.api), first)
        await replace(at.desk, api=at.hall.api)._game(second, [])
        file = str(tmp_path / "stick")
        await asyncio.to_thread(carry, at.hall, "export", file)
        assert "is for the championship" in await asyncio.to_thread(carry, at.hall, "import", file, refused=True)
        assert "No such file" in await asyncio.to_thread(carry, at.hall, "import", f"{file}s", refused=True)
        told = await asyncio.to_thread(carry, at.championship, "import", file)
        assert await asyncio.to_thread(carry, at.championship, "import", file) == told
        await until(at.are_final, "the results arrive")
        await at.check_equal()

        await at.desk._game("open-r1-t1", [])
        await at.desk._until_in(1)
        await at.desk._close_round(1)
        paired = await at.desk._start_round(2)
        at.games += [pairing.game_id for pairing in paired.pairings if pairing.hall == HALL]

        async def can_export() -> bool:
            there = await at.championship.streams()
            return all(f"clock-{game_id}" in there for game_id in at.games)

        await until(can_export, "the tables open")
        for_hall = ("export", file, "--tournament", TOURNAMENT, "--hall")
        await asyncio.to_thread(carry, at.championship, *for_hall, OTHER_HALL)
        assert OTHER_HALL in await asyncio.to_thread(carry, at.hall, "import", file, refused=True)
        assert not {"game-open-r1-t1", "game-open-r2-t1"} & (await at.hall.streams()).keys()
        for hall, tournament_id in (("", ""), (HALL, ""), ("", TOURNAMENT)):
            stated = hall_pb2.ImportEventsRequest(hall=hall, tournament_id=tournament_id)
            with pytest.raises(grpc.aio.AioRpcError, match="export it again") as refused:
                await HallCellServiceStub(at.hall.channel).ImportEvents(stated)
            assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert HALL in await asyncio.to_thread(carry, at.championship, *for_hall, "Nope", refused=True)
        assert "--tournament" in await asyncio.to_thread(carry, at.championship, "export", file, refused=True)
        assert "hall cells" in await asyncio.to_thread(carry, at.championship, "status", refused=True)
        assert HALL in await asyncio.to_thread(carry, at.hall, "status")
        await asyncio.to_thread(carry, at.championship, *for_hall, HALL)
        assert "is for the laptop" in await asyncio.to_thread(carry, at.championship, "import", file, refused=True)
        await asyncio.to_thread(carry, at.hall, "import", file)
        assert await at.has_tables()
        await until(partial(are_returned, at.hall, (first, second)), "the hall returns the tables of the closed round")
        await play_with_challenge(replace(at.desk, api=at.hall.api), at.games[-1])


async def are_returned(hall: Site, games: Sequence[str]) -> bool:
    """Check whether the last event of each of these games is its return to the championship."""
    record = await Record.open(f"sqlite:///{hall.folder}/record.db", create=False)
    try:
        last = await record.last_events([f"game-{game_id}" for game_id in games])
        return {event.name for event in last.values()} == {"TableReturned"}
    finally:
        await record.close()


def carry(at: Site, *arguments: str, refused: bool = False) -> str:
    """Run a command on files at the console of a cell, and return its text, or the one of its refusal."""
    folder = at.folder
    done = faristol(
        *("hall", *arguments), client_address=f"127.0.0.1:{at.grpc_port}", data=folder, access=folder / "access"
    )
    assert (done.returncode != 0) == refused, done.stderr
    return done.stderr if refused else done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("hours", [2, -2])
async def test_a_hall_has_the_time_of_the_championship_if_both_clocks_are_wrong_by_an_hour(
    tmp_path: Path, words: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    async with site(tmp_path / "championship", words) as championship:
        await prepare(championship)
        monkeypatch.setenv("FARISTOL_CLIENT_TOKEN", hall_token(championship, HALL))
        given: dict[str, Any] = {"data": tmp_path / "hall", "http_port": 0, "lexicons": words, "grace_seconds": 0.5}
        settings = Settings(hall=HALL, hall_of=f"127.0.0.1:{championship.grpc_port}", **given)
        async with running(settings, SERVICES, lambda: utc_now() + timedelta(hours=hours)) as hall:

            async def is_corrected() -> bool:
                return abs((hall.runtime.now() - utc_now()).total_seconds()) < 2

            await until(is_corrected, "the clock is corrected")
        assert abs((HallClock(utc_now, settings.hall_folder())() - utc_now()).total_seconds() + 3_600 * hours) < 2


@pytest.mark.nightly
async def test_a_hall_follows_a_championship_that_was_restored_from_a_backup(tmp_path: Path, words: Path) -> None:
    async with scene(tmp_path, words) as at:
        database = at.championship.folder / "record.db"
        await replace_record(at.championship, lambda: shutil.copy(database, tmp_path / "backup"))
        await call_arbiters(at.desk, f"{TOURNAMENT}-r1-t1")
        cell = HallCellServiceStub(at.hall.channel)
        record = await Record.open(f"sqlite:///{database}", create=False)
        last = await record.last_position()
        await record.close()

        async def has_followed() -> bool:
            return (await cell.GetHallCell(hall_pb2.GetHallCellRequest())).position >= last

        await until(has_followed, "the hall has followed")
        await replace_record(at.championship, lambda: shutil.copy(tmp_path / "backup", database))
        await at.desk.direct(at.desk.api.pairing.SendMessage, pairing_pb2.SendMessageRequest(text="Lunch at two"))

        async def knows() -> bool:
            return "MessageSent" in await read_names(at.hall, f"tournament-{TOURNAMENT}")

        await until(knows, "the hall has the message")
        for game_id in at.games:
            await replace(at.desk, api=at.hall.api)._game(game_id, [])
        await until(at.are_final, "the results arrive")
        await at.check_equal()


async def call_arbiters(desk: Championship, game_id: str) -> None:
    """Write events at a table, and none in the tournament, as the result of the game would be."""
    await desk._ask(game_pb2.AssignArbiterRequest(game_id=game_id, arbiter_id="arbiter"))
    game = await desk._until_turn(game_id)
    for _ in range(3):
        await desk._ask(game_pb2.CallArbiterRequest(game_id=game_id, player_id=game.turn_player_id))
        await desk._ask(game_pb2.DismissArbiterRequest(game_id=game_id, arbiter_id="arbiter"))


async def replace_record(at: Site, change: Any) -> None:
    """Stop a cell, let a function change its record, and start the cell again."""
    at.child.terminate()
    await asyncio.to_thread(change)
    for name in ("record.db-wal", "record.db-shm"):
        (at.folder / name).unlink(missing_ok=True)
    at.child.start()
    await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.grpc_port}", at.child, "gateway")
    await call(at.sync.ListHalls, hall_pb2.ListHallsRequest(tournament_id=TOURNAMENT))  # the channel connects again


async def read_names(at: Site, stream: str) -> list[str]:
    """Return the names of the events of a stream."""
    record = await Record.open(f"sqlite:///{at.folder}/record.db", create=False)
    try:
        return [event.name for event in await record.read_stream(stream)]
    finally:
        await record.close()


@pytest.mark.nightly
async def test_a_second_laptop_is_refused_until_the_director_releases_the_hall(tmp_path: Path, words: Path) -> None:
    async with scene(tmp_path, words) as at, site(tmp_path / "other", words, *joining(tmp_path, at.line)) as other:
        cell = HallCellServiceStub(other.channel)

        async def is_refused() -> bool:
            return HALL in (await cell.GetHallCell(hall_pb2.GetHallCellRequest())).problem

        await until(is_refused, "the second laptop is refused")
        assert not (await cell.GetHallCell(hall_pb2.GetHallCellRequest())).tournament_id
        first, second = at.games
        await play_with_challenge(replace(at.desk, api=at.hall.api), first)
        await replace(at.desk, api=at.hall.api)._game(second, [])
        await until(at.are_final, "the first laptop plays on")


@pytest.mark.parametrize("is_in_flight", [False, True], ids=["raised without a line", "in flight at the cut"])
async def test_a_judge_at_the_championship_rules_on_a_challenge_of_a_hall_without_a_line(
    tmp_path: Path, words: Path, is_in_flight: bool
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        hall, judges = replace(at.desk, api=at.hall.api), JudgeServiceStub(at.championship.channel)
        await appoint_judges(at)
        if not is_in_flight:
            await at.line.cut()
        playing = asyncio.create_task(play_with_challenge(hall, first))
        await until(partial(is_challenged, at, first), "the play is challenged")
        if not is_in_flight:
            at.line.mend()
        case = await claim_case(judges)
        if is_in_flight:
            await at.line.cut()
        ruling = adjudication_pb2.RuleCaseRequest(command_id=str(uuid.uuid4()), case_id=case.case_id, judge_id="ada")
        for word in case.words:
            ruling.words.add(word=word, valid=False)
        await judges.RuleCase(ruling)
        if is_in_flight:
            await check_waits(at, first)
            at.line.mend()
        await playing
        await hall._game(second, [])
        await until(at.are_final, "the results arrive")
        await at.check_equal()


async def appoint_judges(at: Scene) -> None:
    """Let judges of the championship rule in the tournament, and wait until the hall knows."""
    direct = AdjudicationServiceStub(at.championship.channel)
    for judge_id, language, is_director in (("ada", "ca", False), ("head", "en", True)):
        appoint = adjudication_pb2.AppointJudgeRequest(
            command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, judge_id=judge_id, director=is_director
        )
        appoint.languages.append(language)
        await direct.AppointJudge(appoint)
    await direct.SetAdjudication(
        adjudication_pb2.SetAdjudicationRequest(
            command_id=str(uuid.uuid4()),
            tournament_id=TOURNAMENT,
            mode=lexicon_events.MODE_JUDGE,
            lease_seconds=30,
            escalate_after_seconds=600,
        )
    )
    await until(partial(has_settings, at), "the hall has the settings of judges")


async def claim_case(judges: Any) -> Any:
    """Wait for a case, and claim it."""
    async for queue in judges.WatchQueue(adjudication_pb2.WatchQueueRequest(judge_id="ada")):
        if queue.cases:
            break
    (case,) = queue.cases
    claim = adjudication_pb2.ClaimCaseRequest(command_id=str(uuid.uuid4()), case_id=case.case_id, judge_id="ada")
    await judges.ClaimCase(claim)
    return case


async def check_waits(at: Scene, game_id: str) -> None:
    """Check that a challenge waits in the hall, and that the players lose no time by it."""
    asked = clock_pb2.GetClockRequest(game_id=game_id)
    before = await at.hall.api.clock.GetClock(asked)
    assert before.neutralised
    await asyncio.sleep(1.5)
    after = await at.hall.api.clock.GetClock(asked)
    assert after.neutralised
    assert list(after.times) == list(before.times)
    assert await is_challenged(at, game_id)


async def has_settings(at: Scene) -> bool:
    """Check whether the hall has the settings of the adjudication as the championship has them."""
    stream = f"lexicon-{TOURNAMENT}"
    versions = []
    for cell in (at.championship, at.hall):
        record = await Record.open(f"sqlite:///{cell.folder}/record.db", create=False)
        versions.append(len(await record.read_stream(stream)))
        await record.close()
    return versions[0] == versions[1]


async def is_challenged(at: Scene, game_id: str) -> bool:
    """Check whether a challenge waits for its ruling in the hall."""
    game = await at.hall.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id))
    return bool(game.phase == game_pb2.PHASE_CHALLENGED)


async def check_refuses_strangers(hall: Site) -> None:
    """Check that only a director exports and imports the events of a hall, and that each caller may read its state."""
    async with open_channel(f"127.0.0.1:{hall.grpc_port}") as channel:
        cell = HallCellServiceStub(channel)
        await cell.GetHallCell(hall_pb2.GetHallCellRequest())
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await cell.ImportEvents(hall_pb2.ImportEventsRequest())
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await cell.ExportEvents(hall_pb2.ExportEventsRequest()).read()
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def play_with_challenge(desk: Championship, game_id: str) -> None:
    """Play one turn that is challenged and ruled by the lexicon, then let a player leave and the other sign."""
    await desk._ask(game_pb2.AssignArbiterRequest(game_id=game_id, arbiter_id="arbiter"))
    game = await desk._until_turn(game_id)
    mover = game.turn_player_id
    other = next(side.player_id for side in game.sides if side.player_id != mover)
    rack = await desk.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id, player_id=mover))
    placed = await desk._ask(game_pb2.PlacePlayRequest(game_id=game_id, player_id=mover, placements=next_to(rack)))
    words = [scored.word for scored in placed.words]
    await desk._ask(game_pb2.ChallengeRequest(game_id=game_id, player_id=other, words=words))
    await desk._until_turn(game_id)
    await desk._ask(game_pb2.AbandonRequest(game_id=game_id, player_ids=[other]))
    await desk._ask(game_pb2.SignSheetRequest(game_id=game_id, player_id=mover))
