"""The delay of a broadcast over real services: games are told late to the public, in order, each event once."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import grpc
import httpx
import pytest
from tests.component.officials import arbiter, browser, do, play
from tests.component.test_messages import player, visitor
from tests.component.test_slots import ask
from tests.support.access_cell import OWN, Cell, build_credential, cell

from faristol.access_control.credential import Credential
from faristol.access_control.roles import ANNOTATOR, DIRECTOR, TREASURER
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.kernel.event_types import PUBLIC_TYPES
from faristol.pb.clock.v1 import clock_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAYED = f"{OWN}-r1-t1"
LATER = f"{OWN}-r1-t2"

ROUTES = (
    *("/", f"/tournaments/{OWN}", f"/tournaments/{OWN}/round/1", f"/tournaments/{OWN}/crosstable"),
    *(f"/tournaments/{OWN}/players", f"/tournaments/{OWN}/find", f"/tournaments/{OWN}/screen"),
    *(f"/tournaments/{OWN}/embed/standings", f"/tournaments/{OWN}/embed/pairings", f"/tournaments/{OWN}/feed.atom"),
    *(f"/tournaments/{OWN}/slots/1/{content}" for content in ("score", "last-play", "unseen", "last-play.json")),
    *(f"/games/{PLAYED}{part}" for part in ("", "/embed", "/overlay", "/replay", "/board.png")),
    *(f"/api/v1/games/{PLAYED}{part}" for part in ("", ".gcg")),
    *(
        f"/api/v1/tournaments/{OWN}{part}"
        for part in ("", "/standings", "/crosstable", "/prospects", "/stages", "/games", "/players")
    ),
    *(f"/api/v1/tournaments/{OWN}/rounds/1/pairings{part}" for part in ("", ".csv")),
    *("/api/v1/tournaments", f"/api/v1/players/{OWN}-1", f"/players/{OWN}-1"),
)
"""Public addresses with content of games."""

CHANGING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9_+/=-]{20,}|\"?position\"?[=:]\s*\"?\d+\"?")


async def read_all(web: httpx.AsyncClient) -> dict[str, str]:
    """Return the public answers, without the values that change by themselves."""
    found = {}
    for route in ROUTES:
        answer = await web.get(route, headers={"Cache-Control": "no-cache"})
        assert answer.status_code == 200, (route, answer.text[:300])
        if answer.headers["content-type"].startswith("image/"):
            found[route] = answer.content.hex()
        else:
            found[route] = CHANGING.sub("", answer.text)
    return found


async def complete_play(cell: Cell, game_id: str) -> None:
    """Let the mover draw and press the clock."""
    mover = (await do(cell, game.GetGameRequest(game_id=game_id))).turn_player_id
    await do(cell, game.DrawTilesRequest(game_id=game_id, player_id=mover))
    await do(cell, clock.PressRequest(game_id=game_id, player_id=mover))


async def pass_turn(cell: Cell, game_id: str) -> None:
    """Let the player on turn pass."""
    table = await do(cell, game.GetGameRequest(game_id=game_id))
    await do(cell, game.PassRequest(game_id=game_id, player_id=table.turn_player_id))
    await do(cell, clock.PressRequest(game_id=game_id, player_id=table.turn_player_id))


async def set_delay(cell: Cell, minutes: int) -> int:
    """Set the delay; return the position of its event."""
    answer = await do(cell, pairing.SetBroadcastDelayRequest(tournament_id=OWN, minutes=minutes))
    position: int = answer.position
    return position


async def read_stream(web: httpx.AsyncClient, after: int, types: set[str], seconds: float = 20) -> list[dict[str, Any]]:
    """Return the news of the public stream after a position, until each of ``types`` came, or for some seconds."""
    found: list[dict[str, Any]] = []
    missing = set(types)
    try:
        async with (
            asyncio.timeout(seconds),
            web.stream("GET", f"/api/v1/tournaments/{OWN}/stream?after={after}") as news,
        ):
            async for line in news.aiter_lines():
                if line.startswith("data: "):
                    found.append(json.loads(line.removeprefix("data: ")))
                    missing.discard(found[-1].get("type", ""))
                    if types and not missing:
                        break
    except TimeoutError:
        assert not types, missing
    return found


async def game_of(cell: Cell, credential: Credential | None, game_id: str = PLAYED) -> results.GetGameResponse:
    """Return a game as a caller reads it."""
    request = results.GetGameRequest(game_id=game_id)
    return await (ask(cell, request) if credential is None else do(cell, request, credential))  # type: ignore[no-any-return]


def read_running(shown: results.GetGameResponse) -> dict[str, int]:
    """Return the times since which clocks run, in seconds since 1970."""
    return {side.player_id: side.running_since.ToSeconds() for side in shown.clocks if side.running}


async def wait_for_entries(cell: Cell, credential: Credential | None, count: int, game_id: str = PLAYED) -> None:
    async with asyncio.timeout(30):
        while True:
            if len((await game_of(cell, credential, game_id)).entries) == count:
                return
            await asyncio.sleep(0.1)


async def wait_for_delay(web: httpx.AsyncClient, minutes: int) -> None:
    async with asyncio.timeout(30):
        while True:
            found = (await web.get(f"/api/v1/tournaments/{OWN}")).json()
            if found.get("tournament", found)["broadcast_delay_minutes"] == minutes:
                return
            await asyncio.sleep(0.1)


async def test_a_delay_in_the_middle_of_a_round_holds_later_plays_from_the_public_alone_and_tells_each_once(
    cell: Cell,
) -> None:
    director = build_credential(DIRECTOR)
    await do(cell, pairing.PointSlotRequest(tournament_id=OWN, slot=1, table=1))
    await play(cell, PLAYED)
    await wait_for_entries(cell, None, 1)
    start = await set_delay(cell, 60)
    async with visitor(cell) as web:
        await wait_for_delay(web, 60)
        real, late = read_running(await game_of(cell, director)), read_running(await game_of(cell, None))
        assert late == {player_id: since + 60 * 60 for player_id, since in real.items()}  # counted from the told start
        assert len(real) == 1
        before = await read_all(web)
        await complete_play(cell, PLAYED)
        await pass_turn(cell, PLAYED)
        await play(cell, LATER)
        await wait_for_entries(cell, director, 2)
        await wait_for_entries(cell, director, 1, LATER)

        # Officials and the players of the game at once.
        own = {seat.player_id for seat in (await game_of(cell, None)).seats}
        at_table = next(number for number in range(1, 9) if f"{OWN}-{number}" in own)
        elsewhere = next(number for number in range(1, 9) if f"{OWN}-{number}" not in own)
        for credential in (director, arbiter(), player(at_table), build_credential(ANNOTATOR)):
            assert len((await game_of(cell, credential)).entries) == 2, credential.role_name
        # The others late.
        strangers = [player(elsewhere), build_credential(TREASURER), build_credential(DIRECTOR, "foreign")]
        for caller in (None, *strangers):
            assert len((await game_of(cell, caller)).entries) == 1

        after = await read_all(web)
        assert {route for route in ROUTES if after[route] != before[route]} == set()
        told = await read_stream(web, start, set(), seconds=3)
        assert [each["type"] for each in told if each.get("type")] == []
        for request in (
            game.GetGameRequest(game_id=PLAYED),
            clock.GetClockRequest(game_id=PLAYED),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call_as_visitor(cell, request)
            assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        proof = results.GetProofRequest(subject=results.PROOF_SUBJECT_SHEET, game_id=PLAYED)
        # A proof shows the content of its event.
        with pytest.raises(grpc.aio.AioRpcError, match="published with a delay"):
            await call_as_visitor(cell, proof)
        with pytest.raises(grpc.aio.AioRpcError, match="no published checkpoint"):  # this cell signs no log
            await do(cell, proof, director)
        past = await web.get(
            f"/api/v1/games/{PLAYED}", params={"as_of_position": (await game_of(cell, director)).position}
        )
        assert len(past.json()["entries"]) == 1
        async with browser(cell, director) as official:
            stream = f"/api/v1/officials/stream?tournaments={OWN}&after={start}"
            assert "Passed" in await read_officials(official, stream)

        end = await set_delay(cell, 0)
        news = await read_stream(web, start, {"BroadcastDelaySet", "Passed", "PlayPlaced"})
        await wait_for_entries(cell, None, 2)
        await wait_for_entries(cell, None, 1, LATER)
        await complete_play(cell, LATER)
        await pass_turn(cell, LATER)
        await wait_for_entries(cell, None, 2, LATER)
        news = await read_stream(web, start, set(), seconds=3)
    types = [(each["type"], each["game_id"]) for each in news if each.get("game_id")]
    positions = [each["position"] for each in news]
    assert positions == sorted(set(positions))
    assert min(each["position"] for each in news if each.get("game_id")) > end
    recorded = await recorded_types(cell, start)
    assert types == recorded


async def test_a_result_is_told_late_with_the_standings_and_a_pairing_at_once(cell: Cell) -> None:
    table = f"{OWN}-r1-t3"
    await set_delay(cell, 30)
    paired = await pairings_of(cell, None)
    (own,) = [each for each in paired.tables if each.game_id == table]
    scores = [game_events.FinalScore(player_id=seat.player_id, score=400 - 9 * n) for n, seat in enumerate(own.seats)]
    entered = pairing.EnterResultRequest(tournament_id=OWN, game_id=table, scores=scores, arbiter_id="the-director")
    await do(cell, entered)
    director = build_credential(DIRECTOR)
    async with asyncio.timeout(30):
        while True:
            if any(each.final for each in (await pairings_of(cell, director)).tables):
                break
            await asyncio.sleep(0.1)
    assert not any(each.final for each in (await pairings_of(cell, None)).tables)
    assert [line.total for line in (await standings_of(cell, None)).standings] == [0] * 6
    assert max(line.total for line in (await standings_of(cell, director)).standings) == 400
    async with browser(cell, director) as web:
        papers = f"/tournaments/{OWN}/print"
        assert re.search(r'class="score">\s*400', (await web.get(f"{papers}/minutes?lang=en")).text)
        first = next(line.name for line in (await standings_of(cell, director)).standings if line.total == 400)
        certificates = (await web.get(f"{papers}/certificates?lang=en")).text
        assert certificates.index(first) == certificates.index('certificate-name">') + len('certificate-name">')
    async with visitor(cell) as web:
        standings = (await web.get(f"/tournaments/{OWN}/print/standings?lang=en")).text
        assert "published after 30 min" in standings
        assert "400" not in standings
        prizes = await web.get(f"/tournaments/{OWN}/prizes")
        assert prizes.status_code == 409
        assert "min after the last play or result" in prizes.text
        message = await do(cell, pairing.SendMessageRequest(tournament_id=OWN, text="Lunch is served"))
        news = await read_stream(web, message.position - 1, {"MessageSent"})
        assert "ResultRecorded" not in {each.get("type") for each in news}
        position = await set_delay(cell, 0)
        news = await read_stream(web, position, {"ResultRecorded"})
    assert any(each.final for each in (await pairings_of(cell, None)).tables)


async def pairings_of(cell: Cell, credential: Credential | None) -> results.GetPairingsResponse:
    request = results.GetPairingsRequest(tournament_id=OWN, round=1)
    return await (ask(cell, request) if credential is None else do(cell, request, credential))  # type: ignore[no-any-return]


async def standings_of(cell: Cell, credential: Credential | None) -> results.GetStandingsResponse:
    request = results.GetStandingsRequest(tournament_id=OWN)
    return await (ask(cell, request) if credential is None else do(cell, request, credential))  # type: ignore[no-any-return]


async def recorded_types(cell: Cell, after: int) -> list[tuple[str, str]]:
    """Return the public events of games after a position, in the order of the record."""
    found = []
    for event in await cell.process.runtime.record.read(after, tournament=OWN, limit=500):
        kind, _, game_id = event.stream.partition("-")
        if kind in ("game", "clock") and event.type in PUBLIC_TYPES:
            found.append((event.name, game_id))
    return found


async def call_as_visitor(cell: Cell, request: Any) -> Any:
    return await cell.call(METHODS_BY_REQUEST[type(request)].path, request)


async def read_officials(web: httpx.AsyncClient, address: str) -> str:
    text = ""
    try:
        async with asyncio.timeout(5), web.stream("GET", address) as news:
            async for line in news.aiter_lines():
                text += f"{line}\n"
    except TimeoutError:
        pass
    return text
