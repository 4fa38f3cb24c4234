"""A duplicate game through the services: a tournament, its round, and slips from halls and phones."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from tests.component.processes import FARISTOL, environment, faristol

from faristol.casebook.hosts.cell import CellServices, RunningCell, serving
from faristol.casebook.hosts.lexicons import LEXICON_NAME, install
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER
from faristol.host.duplicate_store import stream_of
from faristol.kernel.errors import NotFound
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import load_tile_set
from faristol.words import Library

WORDS = frozenset(tuple(word.split()) for word in ("C A S E R N A", "C A S A", "C A S A S", "S E", "E S", "A S"))
CUP, FIRST = "cup", "cup-r1"
PLAYERS = ("anna", "blai", "cesca", "didac", "eloi")
BEGIN = datetime(2026, 5, 2, 10, tzinfo=UTC)
COMMAND_TIMEOUT_SECONDS = 300
"""Timeout of a command of the page: the first search of the highest score compiles the search."""


class Clock:
    """The time of a test."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class Stage:
    """The services, as called by directors and judges."""

    def __init__(self, cell: RunningCell, clock: Clock) -> None:
        self.services = CellServices(cell)
        self.record, self.clock = cell.record, clock
        self.address, self.http_address = cell.address, cell.http_address

    async def ask(self, request: Any) -> Any:
        """Return the answer to a command or a query."""
        known = request.DESCRIPTOR.fields_by_name
        if "command_id" in known and not request.command_id:
            request.command_id = str(uuid.uuid4())
        if "tournament_id" in known:
            request.tournament_id = CUP
        if "game_id" in known:
            request.game_id = request.game_id or FIRST
        answer: Message = await self.services.ask(request)
        await self.services.settle()
        return answer

    async def reason(self, request: Any) -> str:
        """Return why a command is refused; empty if it is not."""
        try:
            await self.ask(request)
        except Refusal as refusal:
            return refusal.reason
        return ""

    async def slip(self, player: str, coordinates: str, word: str, hall: str = "Nord", **more: Any) -> Any:
        request = pb.SubmitSlipsRequest(turn=1, hall=hall, source=events.SLIP_SOURCE_PHONE)
        request.slips.add(player_id=player, coordinates=coordinates, word=word, **more)
        return await self.ask(request)


@pytest.fixture
async def stage(shared_nats: str) -> AsyncIterator[Stage]:
    """Yield a tournament of duplicate games whose first round has begun, with a rack called and its time started."""
    async with open_stage(shared_nats) as made:
        yield made


@asynccontextmanager
async def open_stage(nats_url: str, *more: str) -> AsyncIterator[Stage]:
    """Yield the same, with more services."""
    clock = Clock()

    def install_words(library: Library) -> Pin:
        return install(library, load_tile_set("ca-100"), WORDS)

    services = ("lexicon", "game", "clock", "pairing", "results", *more)
    async with serving(nats_url, services, clock, install_words) as cell:
        made = Stage(cell, clock)
        await made.ask(
            pairing.CreateTournamentRequest(
                name="Cup", rounds=2, ruleset="fisc-2023-duplicate", lexicon=LEXICON_NAME, seed=bytes(32)
            )
        )
        players = pairing.RegisterPlayersRequest()
        for player in PLAYERS:
            players.players.add(command_id=str(uuid.uuid4()), tournament_id=CUP, player_id=player, name=player.title())
        await made.ask(players)
        halls = pairing.SetHallsRequest()
        halls.halls.add(name="Nord", first_table=1, last_table=3)
        halls.halls.add(name="Sud", first_table=4, last_table=5)
        await made.ask(halls)
        await made.ask(pairing.PairRoundRequest(round=1))
        await made.ask(pairing.StartRoundRequest(round=1))
        await made.ask(pb.CallRackRequest(faces=["CASERNA"], arbiter_id="judge"))
        await made.ask(turns.StartTurnRequest(turn=1, arbiter_id="judge"))
        yield made


async def test_a_round_is_a_duplicate_game_that_ends_with_standings_and_a_claim(stage: Stage) -> None:
    assert await stage.reason(pairing.KeepPairRequest(player_ids=["anna", "blai"])) == "NO_TABLES"
    late = pairing.RegisterPlayerRequest(player_id="fina", name="Fina", round=1)
    assert await stage.reason(late) == "ROUND_STARTED"
    await stage.slip("anna", "H4", "C A S E R N A")
    await stage.slip("didac", "H8", "C A S A", hall="Sud")
    stage.clock.wait(180)
    paper = pb.SubmitSlipsRequest(turn=1, hall="Nord", collector_id="collector")
    paper.slips.add(player_id="blai", coordinates="H5", word="C A S E R N A")
    assert (await stage.ask(paper)).taken == 1
    assert await stage.reason(pb.ScoreTurnRequest(turn=1, arbiter_id="judge")) == "HALLS_OPEN"
    for hall in ("Nord", "Sud"):
        await stage.ask(pb.CloseHallRequest(turn=1, hall=hall, collector_id="collector"))
    shown = await stage.ask(pb.GetDuplicateRequest())
    assert (shown.turns[0].scored, shown.turns[0].top, shown.turns[0].HasField("master")) == (False, 0, False)
    assert not (await stage.ask(pb.GetDuplicateStandingsRequest())).lines[0].total
    scored = await stage.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))
    assert (scored.top, scored.scored, list(scored.open_halls)) == (70, 5, [])
    claim = await stage.ask(pb.RaiseClaimRequest(turn=1, hall="Nord", player_id="blai", words="I wrote H4"))
    waiting = await stage.ask(pb.ListWaitingRequest(turn=1))
    assert [(open_.claim_id, open_.slip.coordinates) for open_ in waiting.claims] == [(claim.claim_id, "H5")]
    corrected = events.Slip(player_id="blai", coordinates="H4", word="C A S E R N A")
    decided = await stage.ask(
        pb.DecideClaimRequest(
            hall="Nord", claim_id=claim.claim_id, corrected=corrected, reason="typed wrong", arbiter_id="judge"
        )
    )
    assert decided.score.points == 70
    lines = (await stage.ask(pb.GetDuplicateStandingsRequest())).lines
    assert [(line.rank, line.player_id, line.total) for line in lines][:3] == [
        (1, "anna", 70),
        (1, "blai", 70),
        (3, "didac", 10),
    ]
    sheet = await stage.ask(pb.GetHallSheetRequest(hall="Nord"))
    assert [(line.player_id, line.number, line.scores[0].fault) for line in sheet.players] == [
        ("anna", 1, ""),
        ("blai", 2, ""),
        ("cesca", 3, "not-handed-in"),
    ]
    await stage.ask(pb.EndGameRequest(reason="it is late", arbiter_id="judge"))
    assert (await stage.ask(pb.ValidateResultsRequest(arbiter_id="judge"))).position
    shown = await stage.ask(pb.GetDuplicateRequest())
    assert (shown.end, shown.validated, list(shown.unofficial)) == (events.DUPLICATE_END_AGREEMENT, True, ["turns"])
    assert len(shown.seed) == 32


async def test_the_next_round_is_another_game_that_newcomers_may_enter(stage: Stage) -> None:
    await stage.ask(pb.EndGameRequest(reason="it is late", arbiter_id="judge"))
    await stage.ask(pairing.CloseRoundRequest(round=1))
    await stage.ask(pairing.RegisterPlayerRequest(player_id="fina", name="Fina"))
    await stage.ask(pairing.PairRoundRequest(round=2))
    await stage.ask(pairing.StartRoundRequest(round=2))
    shown = await stage.ask(pb.GetDuplicateRequest(game_id="cup-r2"))
    assert [(hall.name, hall.players) for hall in shown.halls] == [("Nord", 3), ("Sud", 3)]
    first = await stage.ask(pb.GetDuplicateRequest())
    assert shown.commitment != first.commitment
    called = await stage.ask(pb.CallRackRequest(game_id="cup-r2", arbiter_id="judge"))
    assert called.turn == 1 or called.end
    with pytest.raises(NotFound):
        await stage.ask(pb.GetDuplicateRequest(game_id="cup-r3"))


async def test_time_is_called_when_it_is_over_though_nobody_does_anything(stage: Stage) -> None:
    stage.clock.wait(180.5)
    stream = stream_of(FIRST, GAME_STREAM_NUMBER)
    async with asyncio.timeout(60):
        async for event in stage.record.follow(types={ticks.TimeCalled.DESCRIPTOR.full_name}):
            assert event.stream == stream
            break
    said = [
        message
        for message in await stage.record.events(stream)
        if isinstance(message, ticks.TimeWarned | ticks.TimeCalled)
    ]
    seconds = [(message.occurred_at.ToDatetime(UTC) - BEGIN).total_seconds() for message in said]
    assert seconds == [120, 150, 180]


async def test_a_hall_that_was_cut_off_hands_in_once_with_the_time_of_writing(stage: Stage) -> None:
    stage.clock.wait(600)
    in_time, late = Timestamp(), Timestamp()
    in_time.FromDatetime(BEGIN + timedelta(seconds=180))
    late.FromDatetime(BEGIN + timedelta(seconds=180, milliseconds=1))
    request = pb.SubmitSlipsRequest(
        command_id=str(uuid.uuid4()), turn=1, hall="Sud", source=events.SLIP_SOURCE_PHONE, collector_id="hall"
    )
    request.slips.add(player_id="didac", coordinates="H8", word="C A S A", written_at=in_time)
    request.slips.add(player_id="eloi", coordinates="H8", word="C A S A", written_at=late)
    first = await stage.ask(request)
    assert await stage.ask(request) == first
    for hall in ("Nord", "Sud"):
        await stage.ask(pb.CloseHallRequest(turn=1, hall=hall, collector_id="hall"))
    await stage.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))
    sheet = await stage.ask(pb.GetHallSheetRequest(hall="Sud"))
    assert [(line.player_id, line.scores[0].points, line.scores[0].fault) for line in sheet.players] == [
        ("didac", 10, ""),
        ("eloi", 0, "late"),
    ]


async def test_many_hand_in_at_once_and_every_slip_is_there(stage: Stage) -> None:
    await asyncio.gather(*(stage.slip(player, "H8", "C A S A") for player in PLAYERS[:3] for _ in range(4)))
    taken = [event for event in await stage.record.events(stream_of(FIRST, 1)) if isinstance(event, events.SlipsTaken)]
    assert len(taken) == 12


@pytest.mark.nightly
async def test_a_game_is_run_at_a_terminal_and_verified(stage: Stage, tmp_path: Path) -> None:
    async def run_command(*arguments: str, code: int = 0) -> str:
        told = await asyncio.to_thread(faristol, "duplicate", *arguments, client_address=stage.address, open="true")
        assert told.returncode == code, told.stdout + told.stderr
        return told.stdout + told.stderr

    wrong = tmp_path / "wrong.csv"
    wrong.write_text("player,word\n,CASA\n", encoding="utf-8")
    assert "2: the player is missing" in await run_command("slips", FIRST, str(wrong), "--hall", "Nord", code=2)
    stage.clock.wait(180)
    wrong.write_text("player,coordinates,word\n1,P8,CASA\nblai,H5,Z Z\n", encoding="utf-8")
    asked = await run_command("slips", FIRST, str(wrong), "--hall", "Nord", code=2)
    assert re.search("number 1, P8 CASA: .+\nnumber 2, H5 Z Z: .+", asked), asked
    assert "use --sure for each player" in asked
    assert "plays in this hall" in await run_command(
        "slips", FIRST, str(wrong), "--hall", "Nord", "--sure", "9", code=2
    )
    assert not [
        event for event in await stage.record.events(stream_of(FIRST, 1)) if isinstance(event, events.SlipsTaken)
    ]
    for collector, line in (("one", "anna,H8,CASA"), ("two", "anna,H4,C A S E R N A")):
        file = tmp_path / f"{collector}.csv"
        file.write_text(f"player,coordinates,word\n{line}\n", encoding="utf-8")
        await run_command("slips", FIRST, str(file), "--hall", "Nord", "--collector", collector)
    for hall, line in (("Nord", "blai,H5,C A S E R N A"), ("Sud", "didac,H8,CASA")):
        file = tmp_path / f"{hall}.csv"
        file.write_text(f"player,coordinates,word\n{line}\n", encoding="utf-8")
        assert "1 slip accepted" in await run_command("slips", FIRST, str(file), "--hall", hall, "--close")
    assert "Nord anna (typed-otherwise): H8 CASA / H4 C A S E R N A" in await run_command("waiting", FIRST)
    played = ("--coordinates", "H4", "--word", "C A S E R N A")
    await run_command("rule", FIRST, "anna", *played, "--reason", "read again")
    assert "no case is pending" in await run_command("waiting", FIRST)
    assert (await run_command("tops", FIRST)).startswith("H4 C A S E R N A 70")
    assert "for 66, the highest score is 70" in await run_command("master", FIRST, "H5", "C A S E R N A")
    assert "for 70, the highest score is 70" in await run_command("master", FIRST, "H4", "C A S E R N A")
    assert "the master play is H4 C A S E R N A for 70" in await run_command("score", FIRST)
    await run_command("call", FIRST)
    assert "t1-1" in await run_command("claim", FIRST, "blai", "I wrote H4")
    assert "Nord t1-1 blai: H5 C A S E R N A 66" in await run_command("claims", FIRST)
    slip = ("--coordinates", "H4", "--word", "C A S E R N A", "--reason", "typed wrong")
    assert "worth 70" in await run_command("decide", FIRST, "t1-1", *slip)
    lines = [line.split() for line in (await run_command("standings", FIRST)).splitlines()]
    assert (lines[0], lines[2]) == (["Player", "Points", "%", "Negative"], ["1", "Blai", "70", "100.00", "%", "0"])
    slips = (await run_command("export", "slips", FIRST)).splitlines()
    assert slips[2] == "1,Nord,2,blai,Blai,H4,C A S E R N A,,in_time,70,,"
    turns_ = (await run_command("export", "turns", FIRST)).splitlines()
    assert turns_[1].startswith("1,C A S E R N A,0,0,true,")
    assert turns_[1].endswith(",true,H4,C A S E R N A,70,70")
    assert json.loads(await run_command("export", "standings", FIRST, "--json"))["standings"][0]["total"] == 70
    refused = await asyncio.to_thread(faristol, "gcg", "export", FIRST, client_address=stage.address, open="true")
    assert (refused.returncode, "A duplicate game has no such turns" in refused.stderr) == (2, True)
    await run_command("verify", FIRST, code=2)
    assert "there is neither a file nor a duplicate game cup.bundle" in await run_command(
        "verify", "cup.bundle", code=2
    )
    await run_command("end", FIRST, "--reason", "it is late")
    assert "final" in await run_command("validate", FIRST)
    assert "every rack matches the seed" in await run_command("verify", FIRST)


def test_nothing_but_takes_and_waits_is_answered_to_who_hands_in() -> None:
    fields = {field.name for field in pb.SubmitSlipsResponse.DESCRIPTOR.fields}
    assert fields == {"position", "taken", "waits"}


@pytest.mark.nightly
@pytest.mark.lexicon
async def test_whoever_follows_the_page_runs_a_game_and_settles_a_claim(
    shared_nats: str, lexicons: Path, tmp_path: Path
) -> None:
    clock = Clock()

    def install_words(library: Library) -> Pin:
        shutil.copytree(lexicons, library.path, symlinks=True)
        return Pin("catalan", library.open("catalan").digest)

    page = (Path(__file__).parents[2] / "docs" / "duplicate.md").read_text(encoding="utf-8")
    told = ""
    async with serving(shared_nats, ("lexicon", "game", "clock", "pairing", "results"), clock, install_words) as cell:
        settings = environment(client_address=cell.address, open="true") | {"LC_ALL": "C.UTF-8"}
        settings["PATH"] = f"{Path(FARISTOL).parent}:{settings['PATH']}"
        for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
            if language:  # settings that differ in this test
                continue
            head, _, _ = text.partition(",")
            if not text.startswith("faristol "):
                name = {"id": "players.csv", "player": "slips.csv"}[head]
                (tmp_path / name).write_text(text, encoding="utf-8")
                continue
            for command in text.splitlines():
                done = await asyncio.to_thread(
                    subprocess.run,
                    ["bash", "-ec", command],
                    cwd=tmp_path,
                    env=settings,
                    capture_output=True,
                    text=True,
                    timeout=COMMAND_TIMEOUT_SECONDS,
                    check=False,
                )
                assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
                told += done.stdout
                if "duplicate start" in command:
                    clock.wait(181)
    assert "claim t1-1: the slip is worth" in told
    assert "every rack matches the seed" in told
    assert (tmp_path / "slips-of-all.csv").read_text(encoding="utf-8").count("\n") == 6
