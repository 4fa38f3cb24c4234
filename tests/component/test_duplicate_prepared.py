"""Games that are prepared, groups under embargo, and halls that lose their connection, through the services."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import json
import subprocess
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.component.processes import FARISTOL, environment, faristol
from tests.component.test_duplicate import BEGIN, Clock
from tests.support.games_ahead import WORDS

from faristol.casebook.hosts.cell import CellServices, serving
from faristol.casebook.hosts.lexicons import LEXICON_NAME, install
from faristol.duplicate_game.sealed import check, read_document
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER
from faristol.host.duplicate_store import prepared_stream, stream_of
from faristol.kernel.errors import Invalid
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import load_ruleset, load_tile_set
from faristol.table_terminal.hall.bundle import Bundle
from faristol.table_terminal.hall.hall import CommandRefused, HallState, ServicesUnavailable
from faristol.table_terminal.hall.journal import HallJournal
from faristol.table_terminal.hall.terminal import HallTerminal
from faristol.table_terminal.hall.times import SyncedClock
from faristol.words import Library

FISC = load_ruleset("fisc-2023-duplicate")
NORD, SUD = ("anna", "blai", "cesca"), ("didac", "eloi")


class Stage:
    """The services of a cell, and tournaments of duplicate games."""

    def __init__(self, services: CellServices, clock: Clock) -> None:
        self.services, self.clock = services, clock
        self.record = services.record
        self.address = self.http_address = ""

    async def ask(self, request: Any) -> Any:
        if "command_id" in request.DESCRIPTOR.fields_by_name and not request.command_id:
            request.command_id = str(uuid.uuid4())
        answer = await self.services.ask(request)
        await self.services.settle()
        return answer

    async def reason(self, request: Any) -> str:
        """Return why a command is refused; empty if it is not."""
        try:
            await self.ask(request)
        except Refusal as refusal:
            return refusal.reason
        return ""

    async def create(self, cup: str, *halls: tuple[str, tuple[str, ...]]) -> None:
        """Create a tournament with players in halls, whose first round is paired."""
        create = pairing.CreateTournamentRequest(
            tournament_id=cup, name=cup, rounds=2, ruleset=FISC.name, lexicon=LEXICON_NAME, seed=bytes(32)
        )
        await self.ask(create)
        players = pairing.RegisterPlayersRequest(tournament_id=cup)
        seats, first = pairing.SetHallsRequest(tournament_id=cup), 1
        for name, some in halls:
            seats.halls.add(name=name, first_table=first, last_table=first + len(some) - 1)
            first += len(some)
            for player in some:
                players.players.add(
                    command_id=str(uuid.uuid4()), tournament_id=cup, player_id=player, name=player.title()
                )
        await self.ask(players)
        await self.ask(seats)
        await self.ask(pairing.PairRoundRequest(tournament_id=cup, round=1))

    async def start(self, cup: str) -> None:
        await self.ask(pairing.StartRoundRequest(tournament_id=cup, round=1))

    async def call(self, game: str, *halls: HallState, **more: Any) -> Any:
        """Return the next rack, and its time until it is over; ``halls`` are notified of its start."""
        called = await self.ask(pb.CallRackRequest(game_id=game, arbiter_id="judge", **more))
        if called.turn:
            await self.ask(turns.StartTurnRequest(game_id=game, turn=called.turn, arbiter_id="judge"))
            for hall in halls:
                await hall.sync()
            self.clock.wait(181)
        return called

    async def score(self, game: str, *closed: str, turn: int = 0, **more: Any) -> Any:
        """Score the last turn, after some halls have closed it."""
        shown = await self.get_duplicate(game)
        number = turn or len(shown.turns)
        for hall in closed:
            await self.ask(pb.CloseHallRequest(game_id=game, hall=hall, turn=number, collector_id="collector"))
        return await self.ask(pb.ScoreTurnRequest(game_id=game, turn=number, arbiter_id="judge", **more))

    async def get_duplicate(self, game: str, *, inside: bool = True) -> pb.GetDuplicateResponse:
        found: pb.GetDuplicateResponse = await self.ask(pb.GetDuplicateRequest(game_id=game, inside=inside))
        return found

    async def play(self, game: str, slips: dict[str, dict[str, str]], hall: str) -> None:
        """Play a turn in which the named players hand in slips."""
        called = await self.call(game)
        request = pb.SubmitSlipsRequest(game_id=game, hall=hall, turn=called.turn, collector_id="collector")
        for player, slip in slips.items():
            request.slips.add(player_id=player, **slip)
        if slips:
            await self.ask(request)
        await self.score(game, hall)


@pytest.fixture
async def stage(shared_nats: str) -> AsyncIterator[Stage]:
    async with open_stage(shared_nats) as made:
        yield made


@asynccontextmanager
async def open_stage(nats_url: str, *more: str) -> AsyncIterator[Stage]:
    clock = Clock()

    def install_words(library: Library) -> Pin:
        return install(library, load_tile_set("ca-100"), WORDS)

    services = ("lexicon", "game", "clock", "pairing", "results", *more)
    async with serving(nats_url, services, clock, install_words) as cell:
        made = Stage(CellServices(cell), clock)
        made.address, made.http_address = cell.address, cell.http_address
        yield made


class Line:
    """The connection of a hall to the services, which can be cut; a killed hall is reopened on its journal."""

    def __init__(self, stage: Stage, folder: Path, hall: str) -> None:
        self.stage, self.name = stage, hall
        self.cut = False
        self.lose_answers = False
        self.sent: list[Any] = []
        self._file = folder / f"{hall}.jsonl"
        self._bundle: Bundle | None = None

    async def open(self, game: str) -> HallState:
        answer = await self.stage.ask(pb.GetBundleRequest(game_id=game, hall=self.name))
        self._bundle = Bundle(answer, self.name)
        return self.again()

    def again(self) -> HallState:
        """Return the hall in a separate process that was just started."""
        assert self._bundle is not None
        clock = SyncedClock(self._time, self._time)
        return HallState(self._bundle, HallJournal(self._file), self._ask, clock, f"collector-{self.name}")

    def _time(self) -> int:
        # The device is an hour behind.
        return int((self.stage.clock.now - timedelta(hours=1)).timestamp() * 1e9)

    async def _ask(self, request: Any) -> Any:
        if self.cut:
            raise ServicesUnavailable
        self.sent.append(request)
        try:
            answer = await self.stage.ask(request)
        except Refusal as refusal:
            raise CommandRefused(refusal.reason, str(refusal)) from refusal
        if self.lose_answers and not isinstance(request, pb.GetDuplicateRequest):
            self.cut = True
            raise ServicesUnavailable
        return answer


def slip(coordinates: str = "H8", word: str = "C A") -> events.Slip:
    return events.Slip(coordinates=coordinates, word=word)


async def test_a_sealed_game_is_played_as_it_was_sealed_and_read_by_everybody_at_its_end(stage: Stage) -> None:
    await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
    prepared = await stage.ask(pb.PrepareGameRequest(tournament_id="cup", round=1))
    assert await stage.reason(pb.PrepareGameRequest(tournament_id="cup", round=1)) == "PREPARED"
    early = await stage.ask(pb.GetBundleRequest(game_id="cup-r1", hall="Nord"))
    assert (early.HasField("seal"), early.key) == (True, b"")
    await stage.start("cup")
    assert await stage.reason(pb.PrepareGameRequest(tournament_id="cup", round=1)) == "GAME_BEGUN"
    first = await stage.call("cup-r1")
    await stage.score("cup-r1", "Nord", "Sud")
    second = await stage.call("cup-r1")
    await stage.score("cup-r1", "Nord", "Sud")
    shown = await stage.get_duplicate("cup-r1")
    assert [turn.sealed for turn in shown.turns] == [True, True]
    assert (shown.seal.digest, shown.seal.content) == (prepared.digest, b"")
    (event,) = await stage.record.events(prepared_stream("cup-r1"))
    bytes_ = event.SerializeToString()
    assert b'"rack"' not in bytes_
    await stage.ask(pb.EndGameRequest(game_id="cup-r1", reason="it is late", arbiter_id="judge"))
    shown = await stage.get_duplicate("cup-r1", inside=False)
    sealed = read_document(shown.seal.content)
    assert list(check(sealed, FISC)) == []
    assert [list(sealed.turns[place].rack.faces) for place in (0, 1)] == [list(first.faces), list(second.faces)]
    assert [turn.master.score for turn in shown.turns] == [turn.master.score for turn in sealed.turns[:2]]
    said = await stage.record.events(stream_of("cup-r1", GAME_STREAM_NUMBER))
    assert [type(event).__name__ for event in said][-2:] == ["DuplicateEnded", "SealOpened"]


async def test_another_master_play_voids_what_follows_and_a_hall_that_is_cut_off_learns_it(
    stage: Stage, tmp_path: Path
) -> None:
    await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
    await stage.ask(pb.PrepareGameRequest(tournament_id="cup", round=1))
    await stage.start("cup")
    line = Line(stage, tmp_path, "Sud")
    hall = await line.open("cup-r1")
    await stage.call("cup-r1", hall)
    assert await hall.sync()
    line.cut = True
    assert not await hall.sync()
    hall.take(4, slip())
    hall.close()
    tops = await stage.ask(pb.ListTopsRequest(game_id="cup-r1", turn=1))
    sealed = tops.plays[0]
    another = next(play for play in tops.plays[1:] if play.placements != sealed.placements)
    word = " ".join(
        f"({face})" if tile.blank else face for face, tile in zip(another.faces, another.placements, strict=False)
    )
    where = f"{'ABCDEFGHIJKLMNO'[another.row]}{another.column + 1}"
    where = where if another.across else f"{another.column + 1}{'ABCDEFGHIJKLMNO'[another.row]}"
    choose = pb.ChooseMasterRequest(game_id="cup-r1", turn=1, coordinates=where, word=word, arbiter_id="judge")
    assert await stage.reason(choose) == "NOT_SEALED"
    choose.reason = "it opens the board"
    choose.command_id = ""
    await stage.ask(choose)
    await stage.score("cup-r1", "Nord", without_open_halls=True, reason="Sud has no line")
    # The hall does not know, and continues.
    called = hall.call()
    hall.start()
    stage.clock.wait(181)
    hall.take(4, slip())
    hall.close()
    live = await stage.call("cup-r1")
    shown = await stage.get_duplicate("cup-r1")
    assert (shown.seal.void_from_turn, shown.seal.cause) == (2, events.SEAL_VOID_MASTER_PLAY)
    drawn = shown.turns[1]
    assert (drawn.sealed, drawn.draw) == (False, drawn.rejected), "draws are counted from 0, those that went back too"
    assert tuple(live.faces) != called.rack
    line.cut = False
    assert await hall.sync()
    assert [kept.turn for kept, _ in hall.journal.refused] == [2, 2]
    assert "Sud" in [each.hall.name for each in await _sheets(stage)]
    assert hall.current is not None
    assert (hall.current.number, hall.current.rack, hall.current.closed) == (2, tuple(live.faces), False)
    assert (await stage.score("cup-r1", turn=1)).scored == 2
    hall.close()
    line.cut = True
    await hall.sync()
    with pytest.raises(Refusal, match="void from round 2"):
        hall.call()


async def _sheets(stage: Stage) -> list[Any]:
    halls = (await stage.get_duplicate("cup-r1")).halls
    return [await stage.ask(pb.GetHallSheetRequest(game_id="cup-r1", hall=hall.name)) for hall in halls]


async def test_a_hall_without_a_line_plays_on_and_sends_each_slip_once_in_order(stage: Stage, tmp_path: Path) -> None:
    await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
    await stage.ask(pb.PrepareGameRequest(tournament_id="cup", round=1))
    line = Line(stage, tmp_path, "Sud")
    hall = await line.open("cup-r1")
    await stage.start("cup")
    await stage.call("cup-r1", hall)
    assert await hall.sync()
    line.cut = True
    await hall.sync()
    hall.take(4, slip())
    hall = line.again()  # the process was killed, and has no connection
    assert not await hall.sync()
    with pytest.raises(Refusal, match="Close round 1 first"):
        hall.call()
    hall.close()
    second = hall.call()
    began = hall.start()
    assert hall.left_ms() == 180_000
    stage.clock.wait(100)
    hall.take(5, slip())
    with pytest.raises(Refusal, match="not over"):
        hall.close()
    stage.clock.wait(81)
    hall.close()
    await stage.score("cup-r1", "Nord", without_open_halls=True, reason="Sud has no line")
    called = await stage.call("cup-r1")
    assert tuple(called.faces) == second.rack
    before = await stage.ask(pb.GetDuplicateStandingsRequest(game_id="cup-r1"))
    # The answer to the first command is lost: it is sent again, and executed once.
    line.cut, line.lose_answers = False, True
    assert not await hall.sync()
    hall = line.again()
    line.cut, line.lose_answers = False, False
    assert await hall.sync()
    assert not hall.journal.unsent
    said = [each for each in await stage.record.events(stream_of("cup-r1", 2)) if isinstance(each, events.SlipsTaken)]
    assert [(taken.turn, taken.slips[0].player_id, taken.after_close) for taken in said] == [
        (1, "didac", False),
        (2, "eloi", False),
    ]
    taken_after = [(each.taken_at.ToDatetime(BEGIN.tzinfo) - BEGIN).total_seconds() for each in said]
    assert taken_after == [181, 281]
    assert said[1].began_at.ToNanoseconds() == began.began_at
    assert (await stage.ask(pb.GetDuplicateStandingsRequest(game_id="cup-r1"))) == before
    assert (await stage.score("cup-r1", turn=1)).scored == 2
    await stage.score("cup-r1", "Nord")
    assert (await stage.get_duplicate("cup-r1")).turns[1].scored


async def test_a_slip_that_is_null_by_its_form_is_typed_twice_in_a_hall_with_a_line(
    stage: Stage, tmp_path: Path
) -> None:
    await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
    await stage.start("cup")
    await stage.call("cup-r1")
    hall = await Line(stage, tmp_path, "Sud").open("cup-r1")
    await hall.sync()
    told: list[str] = []
    at = HallTerminal(hall, told.append)
    await at.do("4 P8 CASA")
    assert "number 4 is rejected: type it again, as it is on the paper" in told
    await at.do("close")
    assert "First retype the slips that were rejected: 4." in told
    await at.do("4 P8 CASA")
    await at.do("5 Q8 CASA")
    await at.do("5 # CASA")
    await at.do("close")
    assert (hall.doubted, hall.current and hall.current.closed) == ({}, True)
    said = [each for each in await stage.record.events(stream_of("cup-r1", 2)) if isinstance(each, events.SlipsTaken)]
    assert [(taken.slips[0].player_id, taken.slips[0].coordinates) for taken in said] == [("didac", "P8"), ("eloi", "")]


async def test_without_a_sealed_game_a_hall_finishes_the_turn_and_stops(stage: Stage, tmp_path: Path) -> None:
    await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
    await stage.start("cup")
    await stage.call("cup-r1")
    line = Line(stage, tmp_path, "Sud")
    hall = await line.open("cup-r1")
    await hall.sync()
    line.cut = True
    await hall.sync()
    hall.take(4, slip())
    hall.close()
    with pytest.raises(Refusal, match="no connection and no sealed game"):
        hall.call()
    await stage.score("cup-r1", "Nord", without_open_halls=True, reason="Sud has no line")
    await stage.ask(pb.EndGameRequest(game_id="cup-r1", reason="it is late", arbiter_id="judge"))
    assert await stage.reason(pb.ValidateResultsRequest(game_id="cup-r1", arbiter_id="judge")) == "HALLS_OPEN"
    line.cut = False
    assert await hall.sync()  # after the end, too: the turn was scored without it
    assert (hall.journal.unsent, hall.journal.refused) == ((), [])
    assert (await stage.score("cup-r1", turn=1)).scored == 2


async def test_slips_of_a_hall_are_dated_by_its_own_begin_in_a_sealed_turn_alone(stage: Stage) -> None:
    await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
    await stage.ask(pb.PrepareGameRequest(tournament_id="cup", round=1))
    await stage.start("cup")
    await stage.call("cup-r1")
    stage.clock.wait(1_000)
    began = BEGIN + timedelta(seconds=300)
    request = pb.SubmitSlipsRequest(game_id="cup-r1", hall="Nord", turn=1, source=events.SLIP_SOURCE_PHONE)
    request.collector_id = "hall"
    request.began_at.FromDatetime(began)
    request.taken_at.FromDatetime(began + timedelta(seconds=200))
    for player, after in (("anna", 180_000), ("blai", 180_001)):
        request.slips.add(player_id=player, coordinates="H8", word="C A")
        request.slips[-1].written_at.FromDatetime(began + timedelta(milliseconds=after))
    await stage.ask(request)
    await stage.score("cup-r1", "Nord", "Sud")
    sheet = await stage.ask(pb.GetHallSheetRequest(game_id="cup-r1", hall="Nord"))
    faults = {line.player_id: line.scores[0].fault for line in sheet.players}
    assert (faults["anna"] != "late", faults["blai"]) == (True, "late")
    await stage.call("cup-r1", reason="the envelope was seen")
    request = pb.SubmitSlipsRequest(game_id="cup-r1", hall="Nord", turn=2, collector_id="hall", slips=[slip()])
    request.slips[0].player_id = "anna"
    request.began_at.FromDatetime(began)
    with pytest.raises(Invalid, match="its rack is not sealed"):
        await stage.ask(request)
    request.ClearField("began_at")
    request.command_id = ""
    request.rack.extend("ABCDEFG")
    assert await stage.reason(request) == "OTHER_RACK"


async def test_groups_play_the_same_and_nobody_else_sees_it_before_the_last_is_done(stage: Stage) -> None:
    await stage.create("cup", ("Nord", NORD))
    await stage.create("again", ("Sud", SUD))
    embargo = pb.SetEmbargoRequest(tournament_id="cup", round=1, game_ids=["again-r1"], together=True)
    assert list((await stage.ask(embargo)).game_ids) == ["cup-r1", "again-r1"]
    await stage.start("cup")
    assert await stage.reason(pb.PrepareGameRequest(tournament_id="again", round=1, rerun_of="cup-r1")) == "GAME_RUNS"
    await stage.play("cup-r1", {"anna": {"coordinates": "H8", "word": "C A"}}, "Nord")
    await stage.play("cup-r1", {}, "Nord")
    hidden = await stage.get_duplicate("cup-r1", inside=False)
    assert (hidden.embargoed, len(hidden.turns), len(hidden.board)) == (True, 0, 0)
    hall = await stage.ask(pb.GetHallSheetRequest(game_id="cup-r1", hall="Nord"))
    assert [len(line.slips) + len(line.scores) + len(line.turns) for line in hall.players] == [0, 0, 0]
    assert not (await stage.ask(pb.GetDuplicateStandingsRequest(game_id="cup-r1"))).lines
    inside = await stage.ask(pb.GetDuplicateStandingsRequest(game_id="cup-r1", inside=True))
    assert len(inside.lines) == 3
    claim = pb.RaiseClaimRequest(game_id="cup-r1", hall="Nord", turn=1, player_id="anna", words="I wrote more")
    assert await stage.reason(claim) == "EMBARGO"
    await stage.ask(pb.EndGameRequest(game_id="cup-r1", reason="it is late", arbiter_id="judge"))
    assert await stage.reason(pb.ValidateResultsRequest(game_id="cup-r1", arbiter_id="judge")) == "EMBARGO"
    assert (await stage.get_duplicate("cup-r1", inside=False)).embargoed

    await stage.ask(pb.PrepareGameRequest(tournament_id="again", round=1, rerun_of="cup-r1"))
    await stage.start("again")
    first = await stage.get_duplicate("cup-r1")
    for number in (0, 1):
        await stage.play("again-r1", {}, "Sud")
        assert (await stage.get_duplicate("again-r1", inside=False)).embargoed
        again = (await stage.get_duplicate("again-r1")).turns[number]
        assert (again.faces, again.master) == (first.turns[number].faces, first.turns[number].master)
    ended = await stage.call("again-r1")
    assert ended.end == events.DUPLICATE_END_AGREEMENT
    for game in ("cup-r1", "again-r1"):
        assert not (await stage.get_duplicate(game, inside=False)).embargoed
    lines = (await stage.ask(pb.GetDuplicateStandingsRequest(game_id="again-r1"))).lines
    assert sorted((line.game_id, line.player_id) for line in lines) == sorted(
        [*(("cup-r1", player) for player in NORD), *(("again-r1", player) for player in SUD)]
    )
    claim.command_id = ""
    assert await stage.reason(claim) == ""


async def test_everybody_of_several_groups_has_a_name_in_their_one_classification(shared_nats: str) -> None:
    async with open_stage(shared_nats, "gateway") as stage:
        await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
        await stage.create("again", ("Est", ("anna", "zoe")))
        await stage.ask(pb.SetEmbargoRequest(tournament_id="cup", round=1, game_ids=["again-r1"], together=True))
        await stage.start("cup")
        await stage.call("cup-r1")
        await stage.score("cup-r1", "Nord", "Sud")
        await stage.ask(pb.EndGameRequest(game_id="cup-r1", reason="it is late", arbiter_id="judge"))
        await stage.ask(pb.PrepareGameRequest(tournament_id="again", round=1, rerun_of="cup-r1"))
        await stage.start("again")
        await stage.play("again-r1", {}, "Est")
        await stage.call("again-r1")
        everybody = {*(player.title() for player in (*NORD, *SUD)), "Zoe"}
        async with httpx.AsyncClient(
            base_url=stage.http_address, timeout=20, headers={"Accept-Language": "en"}
        ) as client:
            for game in ("cup-r1", "again-r1"):
                lines = (await client.get(f"/api/v1/duplicate/{game}/standings")).json()["standings"]
                assert {line["name"] for line in lines} == everybody
                paper = f"/tournaments/{game.removesuffix('-r1')}/print/round/1/ranking"
                for address in (f"/duplicate/{game}", f"/duplicate/{game}/screen", paper):
                    text = (await client.get(address)).text
                    assert [name for name in everybody if name not in text] == [], address
        told = await asyncio.to_thread(
            faristol, "duplicate", "export", "standings", "cup-r1", client_address=stage.address, open="true"
        )
        assert {line.split(",")[2] for line in told.stdout.splitlines()[1:]} == everybody


async def test_a_director_ends_an_embargo_for_all_its_games(stage: Stage) -> None:
    await stage.create("cup", ("Nord", NORD))
    await stage.ask(pb.SetEmbargoRequest(tournament_id="cup", round=1, game_ids=["again-r1"]))
    await stage.start("cup")
    await stage.play("cup-r1", {}, "Nord")
    lift = pb.LiftEmbargoRequest(game_id="cup-r1", reason="the second group does not come")
    await stage.ask(lift)
    assert len((await stage.get_duplicate("cup-r1", inside=False)).turns) == 1
    lift.command_id = ""
    assert await stage.reason(lift) == "NO_EMBARGO"
    kinds = itertools.groupby(
        type(event).__name__ for event in await stage.record.events(stream_of("cup-r1", GAME_STREAM_NUMBER))
    )
    assert "EmbargoLifted" in [kind for kind, _ in kinds]


async def test_pages_and_json_of_a_game_under_embargo_tell_nothing_of_what_is_played(shared_nats: str) -> None:
    async with open_stage(shared_nats, "gateway") as stage:
        await stage.create("cup", ("Nord", NORD))
        await stage.ask(pb.SetEmbargoRequest(tournament_id="cup", round=1, game_ids=["again-r1"]))
        await stage.start("cup")
        await stage.play("cup-r1", {"anna": {"coordinates": "H8", "word": "XYZZY"}}, "Nord")
        await stage.play("cup-r1", {}, "Nord")
        where = ("", "/screen", "/players/anna")
        pages = [f"{stage.http_address}/duplicate/cup-r1{part}" for part in where]
        data = [f"{stage.http_address}/api/v1/duplicate/cup-r1{part}" for part in ("", "/standings", "/sheets")]
        async with httpx.AsyncClient(timeout=20, headers={"Accept-Language": "en"}) as client:
            for address in (*pages, *data):
                answer = await client.get(address)
                assert answer.status_code == 200, (address, answer.text[:300])
                assert "XYZZY" not in answer.text
                assert "Standings after round" not in answer.text
            hidden = (await client.get(data[0])).json()
            assert (hidden["embargoed"], hidden["turns"], hidden["board"]) == (True, [], [])
            await stage.ask(pb.LiftEmbargoRequest(game_id="cup-r1", reason="the second group does not come"))
            await _until_told(client, data[2], "XYZZY")
            await _until_told(client, pages[0], "Standings after round 2")


async def _until_told(client: httpx.AsyncClient, address: str, told: str) -> None:
    """Wait until the cached pages are up to date."""
    async with asyncio.timeout(30):
        while True:
            if told in (await client.get(address)).text:
                return
            await asyncio.sleep(0.1)


@pytest.mark.nightly
async def test_a_game_is_prepared_at_a_terminal_run_in_a_hall_and_verified_without_anybody(
    stage: Stage, tmp_path: Path
) -> None:
    async def run_command(*arguments: str, code: int = 0, said: str = "") -> str:
        told = await asyncio.to_thread(
            subprocess.run,
            [FARISTOL, "duplicate", *arguments],
            env=environment(client_address=stage.address, open="true", lexicons=str(tmp_path)) | {"LC_ALL": "C.UTF-8"},
            input=said,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert told.returncode == code, told.stdout + told.stderr
        return told.stdout + told.stderr

    await stage.create("cup", ("Nord", NORD), ("Sud", SUD))
    digest = (await run_command("prepare", "cup", "1")).split()[-1]
    bundle, journal = tmp_path / "sud.bundle", tmp_path / "sud.jsonl"
    assert "without its key" in await run_command("bundle", "cup-r1", "--hall", "Sud", "--output", str(bundle))
    assert "without the key of its game" in await run_command("verify", str(bundle), code=2)
    await stage.start("cup")
    called = await stage.ask(pb.CallRackRequest(game_id="cup-r1", arbiter_id="judge"))
    await stage.ask(turns.StartTurnRequest(game_id="cup-r1", turn=1, arbiter_id="judge"))
    run = ("run", str(bundle), "--journal", str(journal))
    assert f"round 1: {' '.join(called.faces)}" in await run_command(*run, said="status\n")
    stage.clock.wait(181)
    assert "saved: 4" in await run_command(*run, "--address", "127.0.0.1:1", said="4 H8 C A\n5 late\n")
    told = await run_command(*run, said="status\nclose\nstatus\n")
    assert "0 commands wait to be sent" in told.splitlines()[-1]
    sent = await stage.record.events(stream_of("cup-r1", 2))
    assert [type(event).__name__ for event in sent] == ["HallSeated", "SlipsTaken", "SlipsTaken", "HallClosed"]
    await run_command("bundle", "cup-r1", "--hall", "Sud", "--output", str(bundle))
    told = await run_command("verify", str(bundle))
    assert digest in told
    assert "the plays were not checked" in told
    await stage.score("cup-r1", "Nord")
    await run_command("end", "cup-r1", "--reason", "it is late")
    head, _, written = bundle.read_text().partition("\n")
    changed = json.loads(written)
    content = bytearray(base64.b64decode(changed["seal"]["envelope"]["content"]))
    content[len(content) // 2] ^= 1
    changed["seal"]["envelope"]["content"] = base64.b64encode(content).decode()
    damaged = tmp_path / "damaged.bundle"
    damaged.write_text(f"{head}\n{json.dumps(changed)}")
    assert "cannot be opened with this key" in await run_command("verify", str(damaged), code=1)
    told = await run_command("run", str(damaged), "--journal", str(tmp_path / "new.jsonl"), code=2)
    assert f"create it again with `faristol duplicate bundle cup-r1 --output {damaged}`" in " ".join(told.split())
    document = tmp_path / "sealed.json"
    await run_command("export", "sealed", "cup-r1", "--output", str(document))
    assert hashlib.sha256(document.read_bytes()).hexdigest() == digest
    assert digest in await run_command("verify", str(document))
    assert digest in await run_command("verify", "cup-r1")
    said = json.loads(document.read_text())
    expected = said["turns"][1]["rack"]
    said["turns"][1]["rack"] = [*expected[:-1], next(face for face in "AESR" if face != expected[-1])]
    document.write_text(json.dumps(said))
    assert "turn 2: draw" in await run_command("verify", str(document), code=1)
