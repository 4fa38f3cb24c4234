"""A hall of a duplicate game with a cell of its own: it takes slips without a line, and the ranking is the same."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.component.processes import wait_until_serving
from tests.component.test_hall_cell import TOURNAMENT, Site, hall_token, site, until
from tests.component.test_hall_pages import guest
from tests.support.games_ahead import WORDS
from tests.support.line import FaultyLine
from tests.support.small_lexicon import ABOUT

from faristol.access_control.roles import SCORER
from faristol.client.services import build_call
from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.gateway.duplicate_game.plays import coordinates_of, main_word
from faristol.host.duplicate_store import game_stream, hall_stream
from faristol.host.halls.heard import HEARD
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import load_ruleset
from faristol.words import Library

NORD, SUD = "Nord", "Sud"
PLAYERS: Mapping[str, Sequence[str]] = {NORD: ("anna", "blai", "cesca"), SUD: ("didac", "eloi")}
BOOK = "fisc-2023-duplicate"
CALM = "calm"
"""A tournament of the same game without a hall cell."""
BEGIN = timedelta(minutes=90)
"""How long ago the tournament was created: the times of turns are over at once."""
RACK, NEW_TILES = "C A S E R N A", "L O T I M E N"
SLIPS: Sequence[Mapping[str, str]] = (
    {"anna": "H7 C A S", "blai": "H8 A S", "cesca": "H7 N A", "didac": "H7 R A N", "eloi": "H8 A S"},
    {"anna": "H8 L O T", "blai": "A1 M E", "didac": "9F L O T"},
)


@dataclass
class Officials:
    """The officials of a game, at the championship and in the hall Nord."""

    tournament: str
    championship: Site
    hall: Site
    """The cell at which those of the hall work."""
    at: datetime = field(default_factory=lambda: utc_now() - BEGIN)
    """The time of the next command of the championship."""

    @property
    def game(self) -> str:
        return f"{self.tournament}-r1"

    async def ask(self, request: Any, at: Site | None = None) -> Any:
        """Call a service of the championship at the next minute, or one of the hall now."""
        known = request.DESCRIPTOR.fields_by_name
        if "command_id" in known and not request.command_id:
            request.command_id = str(uuid.uuid4())
        if "tournament_id" in known:
            request.tournament_id = self.tournament
        if "game_id" in known:
            request.game_id = self.game
        if "occurred_at" in known and at is None:
            self.at += timedelta(minutes=1)
            request.occurred_at.CopyFrom(to_timestamp(self.at))
        site = at or self.championship
        return await build_call(site.channel, type(request))(request)

    async def create(self) -> None:
        """Create the tournament and its players, and pair its round."""
        await self.ask(pairing.CreateTournamentRequest(name="Cup", rounds=2, ruleset=BOOK, lexicon="words"))
        halls, first = [], 1
        for hall, players in PLAYERS.items():
            halls.append(pairing_events.Hall(name=hall, first_table=first, last_table=first + len(players) - 1))
            first += len(players)
            for player in players:
                await self.ask(pairing.RegisterPlayerRequest(player_id=player, name=player.title()))
        await self.ask(pairing.SetHallsRequest(halls=halls))
        await self.ask(pairing.PairRoundRequest(round=1))

    async def start(self) -> None:
        await self.ask(pairing.StartRoundRequest(round=1))

        async def is_open() -> bool:
            return await versions(self.championship, game_stream(self.game)) > 0

        await until(is_open, "the game opens")

    async def call(self, *, is_sealed: bool = False) -> int:
        """Call a rack by hand, or that of the sealed game, and let its time pass."""
        rack = [] if is_sealed else RACK.split()
        shown = await self.ask(pb.GetDuplicateRequest(inside=True))
        if shown.turns and not is_sealed:
            left = list(shown.turns[-1].faces)
            for laid in shown.turns[-1].master.placements:
                left.remove(laid.face)
            rack = [*left, *NEW_TILES.split()[: len(rack) - len(left)]]
        called = await self.ask(pb.CallRackRequest(faces=rack, arbiter_id="judge"))
        await self.ask(turns.StartTurnRequest(turn=called.turn, arbiter_id="judge"))
        self.at += timedelta(minutes=5)
        return int(called.turn)

    async def submit(self, turn: int, player: str) -> None:
        hall = next(hall for hall, players in PLAYERS.items() if player in players)
        request = pb.SubmitSlipsRequest(turn=turn, hall=hall, collector_id="collector")
        coordinates, _, word = SLIPS[turn - 1][player].partition(" ")
        request.slips.add(player_id=player, coordinates=coordinates, word=word)
        await self.ask(request, self.of(hall))

    async def close(self, turn: int, hall: str) -> None:
        await self.ask(pb.CloseHallRequest(turn=turn, hall=hall, collector_id="collector"), self.of(hall))

    def of(self, hall: str) -> Site | None:
        """Return the cell at which the collectors of a hall work; None for the championship."""
        return self.hall if hall == NORD and self.hall is not self.championship else None

    async def hand_in(self, turn: int, hall: str) -> None:
        for player in PLAYERS[hall]:
            if player in SLIPS[turn - 1]:
                await self.submit(turn, player)
        await self.close(turn, hall)

    async def score(self, turn: int, **more: Any) -> None:
        await self.ask(pb.ScoreTurnRequest(turn=turn, arbiter_id="judge", **more))

    async def ranking(self, at: Site | None = None) -> Any:
        return await self.ask(pb.GetDuplicateStandingsRequest(), at)

    async def is_scored(self, turn: int) -> bool:
        """Check whether the championship has the scores of the hall for a turn."""
        sheet = await self.ask(pb.GetHallSheetRequest(hall=NORD, inside=True))
        return all(turn in player.turns for player in sheet.players)


async def versions(at: Site, stream: str) -> int:
    return len(await hashes(at, stream))


async def hashes(at: Site, stream: str) -> list[bytes]:
    """Return the hashes of a stream of a cell."""
    record = await Record.open(f"sqlite:///{at.folder}/record.db", create=False)
    try:
        return [event.hash for event in await record.read(0, limit=100_000) if event.stream == stream]
    finally:
        await record.close()


@dataclass
class Scene:
    """A championship with two tournaments of the same game, one with a hall cell, and the line of the hall."""

    officials: Officials
    calm: Officials
    line: FaultyLine

    async def has(self, turn: int) -> bool:
        """Check whether the hall has a turn whose time is over."""
        shown = await self.officials.ask(pb.GetDuplicateRequest(inside=True), self.officials.hall)
        return len(shown.turns) >= turn and shown.turns[turn - 1].HasField("ends_at")

    async def call(self, *, is_sealed: bool = False) -> int:
        turn = await self.officials.call(is_sealed=is_sealed)

        async def has_turn() -> bool:
            return await self.has(turn)

        if not self.line.is_cut:
            await until(has_turn, "the hall has the turn")
        return turn


@asynccontextmanager
async def scene(tmp_path: Path, *, is_prepared: bool = False) -> AsyncIterator[Scene]:
    """Run both cells with a started game."""
    words = tmp_path / "lexicons"
    about = replace(ABOUT, name="words")
    Library(words).install("words", sorted(WORDS), tile_set=load_ruleset(BOOK).tile_set, about=about)
    async with site(tmp_path / "championship", words) as championship:
        calm = Officials(CALM, championship, championship)
        await calm.create()
        await calm.start()
        officials = Officials(TOURNAMENT, championship, championship)
        await officials.create()
        if is_prepared:
            await officials.ask(pb.PrepareGameRequest(round=1))
        (tmp_path / "token").write_text(hall_token(championship, NORD))
        line = FaultyLine(championship.grpc_port)
        await line.start()
        joining = ("--hall", NORD, "--of", line.address, "--token-file", str(tmp_path / "token"))
        try:
            async with site(tmp_path / "hall", tmp_path / "own-lexicons", *joining) as hall:
                listed = hall_pb2.ListHallsRequest(tournament_id=TOURNAMENT)

                async def has_joined() -> bool:
                    return bool((await championship.sync.ListHalls(listed)).halls)

                await until(has_joined, "the hall joins")
                await officials.start()

                async def has_slips() -> bool:
                    return await versions(hall, hall_stream(officials.game, 1)) == 2

                await until(has_slips, "the slips are handed over")
                officials.hall = hall
                yield Scene(officials, calm, line)
        finally:
            await line.stop()


async def play_calm(calm: Officials) -> Any:
    """Play the game without a hall cell, and return its ranking."""
    for _ in SLIPS:
        turn = await calm.call()
        for hall in PLAYERS:
            await calm.hand_in(turn, hall)
        await calm.score(turn)
    return await calm.ranking()


async def test_a_hall_without_a_line_takes_slips_is_killed_and_the_ranking_is_that_of_an_undisturbed_game(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path) as at:
        expected = await play_calm(at.calm)
        assert any(line.total for line in expected.lines)
        nord = at.officials
        first = await at.call()
        refused = pb.CloseHallRequest(turn=first, hall=NORD, collector_id="collector")
        with pytest.raises(grpc.aio.AioRpcError, match=NORD):
            await nord.ask(refused)

        await at.line.cut()
        before = await hashes(nord.championship, hall_stream(nord.game, 1))
        await nord.submit(first, "anna")
        await nord.submit(first, "blai")
        acknowledged = await hashes(nord.hall, hall_stream(nord.game, 1))
        nord.hall.child.kill()
        nord.hall.child.start()
        address = f"127.0.0.1:{nord.hall.grpc_port}"
        await asyncio.to_thread(wait_until_serving, address, nord.hall.child, "gateway")
        assert await hashes(nord.hall, hall_stream(nord.game, 1)) == acknowledged
        async with guest(nord.hall) as someone:
            page = await someone.web.get(f"/duplicate/{nord.game}")
            assert page.status_code == 200, page.text
            assert all(f">{face}<" in page.text for face in RACK.split())
        await nord.submit(first, "cesca")
        await nord.close(first, NORD)
        assert await hashes(nord.championship, hall_stream(nord.game, 1)) == before
        await nord.hand_in(first, SUD)
        await nord.score(first, without_open_halls=True, reason="Nord has no line")
        assert list((await nord.ranking()).without_halls) == [NORD]

        at.line.bent_share, at.line.delay_seconds = 0.02, 0.01
        at.line.is_cut = False

        async def is_scored() -> bool:
            return await nord.is_scored(first)

        await until(is_scored, "the slips arrive, and are scored")
        at.line.mend()
        second = await at.call()
        await nord.hand_in(second, NORD)
        await nord.hand_in(second, SUD)

        async def can_score() -> bool:
            waiting = await nord.ask(pb.ListWaitingRequest(turn=second))
            return not waiting.open_halls

        await until(can_score, "the hall has closed the turn")
        await nord.score(second)

        async def is_all_scored() -> bool:
            return await nord.is_scored(second)

        await until(is_all_scored, "the second turn is scored")
        assert await nord.ranking() == expected
        for stream in (game_stream(nord.game), hall_stream(nord.game, 1)):
            assert await hashes(nord.hall, stream) == await hashes(nord.championship, stream)
        assert not await hashes(nord.hall, hall_stream(nord.game, 2))
        async with guest(nord.hall) as someone:
            assert "Without Sud" in (await someone.web.get(f"/duplicate/{nord.game}")).text


@pytest.mark.nightly
async def test_a_hall_of_a_prepared_game_plays_on_without_a_line_and_is_killed(tmp_path: Path) -> None:
    async with scene(tmp_path, is_prepared=True) as at:
        nord, game = at.officials, at.officials.game
        first = await at.call(is_sealed=True)
        await at.line.cut()
        await hand_in_top(nord, first, NORD, nord.hall)
        call = pb.CallHallRackRequest(hall=NORD, collector_id="collector")
        with pytest.raises(grpc.aio.AioRpcError, match="There is a connection"):
            await nord.ask(call, nord.hall)
        heard = nord.hall.folder / "hall" / HEARD
        heard.write_text((utc_now() - timedelta(minutes=1)).isoformat(), encoding="utf-8")
        called = await call_on_the_page(nord, first + 1)
        started = pb.StartHallTurnRequest(hall=NORD, turn=called.turn, collector_id="collector")
        started.occurred_at.CopyFrom(to_timestamp(nord.at + timedelta(minutes=1)))
        await nord.ask(started, nord.hall)
        nord.hall.child.kill()
        nord.hall.child.start()
        address = f"127.0.0.1:{nord.hall.grpc_port}"
        await asyncio.to_thread(wait_until_serving, address, nord.hall.child, "gateway")
        async with guest(nord.hall) as someone:
            page = (await someone.web.get(f"/duplicate/{game}/screen")).text
            assert f"Round {called.turn}" in page
            assert all(f">{face}<" in page for face in called.faces if face != "?")
        await hand_in_top(nord, called.turn, NORD, nord.hall)

        await hand_in_top(nord, first, SUD, nord.championship)
        await nord.score(first, without_open_halls=True, reason="Nord has no line")
        at.line.mend()
        for turn in (first, called.turn):
            if turn != first:
                assert await at.call(is_sealed=True) == turn
                shown = await nord.ask(pb.GetDuplicateRequest(inside=True))
                assert list(shown.turns[-1].faces) == list(called.faces)
                await hand_in_top(nord, turn, SUD, nord.championship)
                await nord.score(turn)

            async def is_scored(turn: int = turn) -> bool:
                return await nord.is_scored(turn)

            await until(is_scored, f"turn {turn} of the hall is scored")
        totals = {line.player_id: line.total for line in (await nord.ranking()).lines}
        assert totals["anna"] == totals["didac"] > 0
        for stream in (game_stream(game), hall_stream(game, 1)):
            assert await hashes(nord.hall, stream) == await hashes(nord.championship, stream)


async def hand_in_top(officials: Officials, turn: int, hall: str, at: Site) -> None:
    """Type the best play of a turn for the first player of a hall, and close it."""
    top = (await officials.ask(pb.ListTopsRequest(turn=turn), at)).plays[0]
    request = pb.SubmitSlipsRequest(turn=turn, hall=hall, collector_id="collector")
    request.slips.add(player_id=PLAYERS[hall][0], coordinates=coordinates_of(top), word=main_word(top))
    await officials.ask(request, at)
    await officials.ask(pb.CloseHallRequest(turn=turn, hall=hall, collector_id="collector"), at)


async def call_on_the_page(officials: Officials, turn: int) -> pb.DuplicateTurn:
    """Call the next rack of the hall on the page of its collector, and return the turn as the hall has it."""
    scope = access_events.Scope(tournament_ids=[officials.tournament], halls=[NORD])
    request = access_pb2.GrantCredentialRequest(
        command_id=str(uuid.uuid4()),
        role=SCORER,
        name="Ona Mas",
        scope=scope,
        lifetime_seconds=3_600,
        form=access_events.FORM_LINK,
    )
    granted = await officials.hall.api.access.GrantCredential(request)
    address = f"/tournaments/{officials.tournament}/duplicate/{officials.game}/slips"
    async with guest(officials.hall) as tablet:
        assert await tablet.sign_in(granted.code)
        page = (await tablet.web.get(address)).text
        assert f"Round {turn} in this hall" in page
        (form,) = [each for each in re.findall(r"<form.*?</form>", page, re.DOTALL) if "Call the rack" in each]
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
        answer = await tablet.web.post(address, data=fields, headers={"Origin": officials.hall.address})
        assert answer.status_code == 303, answer.text
        page = (await tablet.web.get(answer.headers["location"])).text
        shown: pb.GetDuplicateResponse = await officials.ask(pb.GetDuplicateRequest(inside=True), officials.hall)
        assert "Start the time" in page
        assert " ".join(shown.turns[-1].faces) in page
        assert (shown.turns[-1].turn, shown.turns[-1].HasField("ends_at")) == (turn, False)
        return shown.turns[-1]
