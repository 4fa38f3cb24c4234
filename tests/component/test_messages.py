"""Messages of officials over real services: their readers, on pages, in feeds, by the API and in streams."""

from __future__ import annotations

import asyncio
import hashlib
import re
from dataclasses import replace
from typing import Any

import grpc
import httpx
import pytest
from tests.component.officials import arbiter, browser, command_id, do, press, read_notice
from tests.support.access_cell import OWN, Cell, build_credential, cell
from tests.support.plain_http import PLAIN
from tests.unit.tournament.messages.test_screens import png

from faristol.access_control.credential import Credential, Scope
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONSOLE = f"/tournaments/{OWN}/console/messages"
PUBLIC = [
    f"/tournaments/{OWN}",
    f"/tournaments/{OWN}/round/1",
    f"/tournaments/{OWN}/find",
    f"/tournaments/{OWN}/screen",
    f"/tournaments/{OWN}/feed.atom",
    f"/api/v1/tournaments/{OWN}",
    f"/api/v1/tournaments/{OWN}/messages",
]


def player(number: int) -> Credential:
    """Return the credential of a player."""
    return build_credential(needs.ROLE_PLAYER, subject=f"player-{number}", player=f"{OWN}-{number}")


def of_hall(name: str) -> Credential:
    """Return the credential of the arbiter of a hall."""
    return replace(arbiter("ona"), scope=Scope(frozenset({OWN}), frozenset({name})))


def visitor(cell: Cell) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=cell.process.http_address, verify=PLAIN)


async def load_with_text(web: httpx.AsyncClient, address: str, text: str, **params: Any) -> str:
    """Return a page, as soon as it has a text."""
    async with asyncio.timeout(60):
        while True:
            page = (await web.get(address, params=params)).text
            if text in page:
                return page
            await asyncio.sleep(0.1)


async def wait_for_end(web: httpx.AsyncClient, text: str) -> None:
    """Wait until the start page of the tournament no longer has a text."""
    async with asyncio.timeout(60):
        while True:
            if text not in (await web.get(PUBLIC[0])).text:
                return
            await asyncio.sleep(0.1)


async def refusal(cell: Cell, request: Any, credential: Credential) -> grpc.StatusCode:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await do(cell, request, credential)
    return refused.value.code()


async def list_numbers(cell: Cell, position: int, credential: Credential) -> list[int]:
    """Return the numbers of the messages that a caller may read."""
    asked = results.ListMessagesRequest(tournament_id=OWN, min_position=position)
    return [each.number for each in (await do(cell, asked, credential)).messages]


async def test_a_message_to_all_is_on_every_public_page_in_the_language_of_its_reader_until_it_is_withdrawn(
    cell: Cell,
) -> None:
    async with browser(cell, build_credential(needs.ROLE_DIRECTOR)) as director, visitor(cell) as reader:
        sent = await press(director, CONSOLE, "SendMessage", kind="break", until="23:59", text="Cafè al vestíbul")
        assert "Message 1 is sent: break." in read_notice(await director.get(sent.headers["location"]))
        for address in PUBLIC:
            await load_with_text(reader, address, "Cafè al vestíbul")
        assert "Pausa fins a les 23:59." in await load_with_text(reader, PUBLIC[0], "Cafè al vestíbul", lang="ca")
        assert "Διάλειμμα έως" in await load_with_text(reader, PUBLIC[3], "Cafè al vestíbul", lang="el")
        gone = await press(director, CONSOLE, "WithdrawMessage", number="1")
        assert "Message 1 is withdrawn." in read_notice(await director.get(gone.headers["location"]))
        await wait_for_end(reader, "vestíbul")
        for address in PUBLIC:
            assert "vestíbul" not in (await reader.get(address)).text, address


async def test_a_message_to_a_player_is_read_by_that_player_and_officials_alone(cell: Cell) -> None:
    secret = "Your bag was found"
    request = pairing.SendMessageRequest(tournament_id=OWN, text=secret, player_ids=[f"{OWN}-1"])
    answer = await do(cell, request)
    assert [*answer.player_ids] == [f"{OWN}-1"]
    number = answer.number
    assert number in await list_numbers(cell, answer.position, player(1))
    assert number in await list_numbers(cell, answer.position, arbiter())
    assert number not in await list_numbers(cell, answer.position, player(2))
    assert number not in await list_numbers(cell, answer.position, of_hall("A"))
    async with browser(cell, player(1)) as own, browser(cell, player(2)) as other, visitor(cell) as reader:
        assert secret in await load_with_text(own, f"/tournaments/{OWN}/my-table", secret)
        assert secret not in (await other.get(f"/tournaments/{OWN}/my-table")).text
        for address in PUBLIC:
            assert secret not in (await reader.get(address)).text, address
        await do(cell, pairing.SendMessageRequest(tournament_id=OWN, text="Lunch is served"))
        types = set[str]()
        async with reader.stream("GET", f"/api/v1/tournaments/{OWN}/stream?after={answer.position - 1}") as news:
            async for line in news.aiter_lines():
                types |= {line.removeprefix("event: ")} if line.startswith("event: ") else set()
                if "MessageSent" in types:
                    break
        assert "PlayerMessageSent" not in types


async def test_an_arbiter_of_a_hall_writes_to_that_hall_alone(cell: Cell) -> None:
    halls = [events.Hall(name="A", first_table=1, last_table=2), events.Hall(name="B", first_table=3, last_table=9)]
    await do(cell, pairing.SetHallsRequest(tournament_id=OWN, halls=halls))
    own = of_hall("A")

    def message(**fields: Any) -> Any:
        return pairing.SendMessageRequest(tournament_id=OWN, text="Quiet, please", **fields)

    sent = await do(cell, message(hall="A"), own)
    assert await refusal(cell, message(), own) is grpc.StatusCode.PERMISSION_DENIED
    assert await refusal(cell, message(hall="B"), own) is grpc.StatusCode.PERMISSION_DENIED
    assert await refusal(cell, message(), player(1)) is grpc.StatusCode.PERMISSION_DENIED
    other = await do(cell, message(hall="B"))
    withdrawal = pairing.WithdrawMessageRequest(tournament_id=OWN, number=other.number, hall="A")
    assert await refusal(cell, withdrawal, own) is grpc.StatusCode.NOT_FOUND
    async with browser(cell, own) as web, visitor(cell) as reader:
        page = f"/tournaments/{OWN}/arbiter/messages"
        assert "Quiet, please" in await load_with_text(web, page, "Quiet, please")
        await press(web, page, "WithdrawMessage", number=str(sent.number), hall="A")
        await do(cell, pairing.WithdrawMessageRequest(tournament_id=OWN, number=other.number))
        await press(web, page, "SendMessage", text="Last minutes", hall="A", audience="hall")
        assert "Last minutes" in await load_with_text(reader, PUBLIC[0], "Last minutes")
        assert "Last minutes" not in (await reader.get(f"/tournaments/{OWN}/screen?hall=B")).text
        refused = await web.post(
            page, data={"act": "SendMessage", "command_id": command_id(), "hall": "A", "text": "x" * 301}
        )
        assert refused.status_code == 400
        assert "expected 1 to 300" in refused.text
        assert "x" * 301 in refused.text


async def load_day(cell: Cell, number: int, position: int) -> tuple[results.GetPlayerDayResponse, ...]:
    """Return the day of a player at a position, and the same from the calls that it replaces."""
    of: dict[str, Any] = {"tournament_id": OWN, "min_position": position}
    own = player(number)
    one: dict[str, Any] = {"player_id": f"{OWN}-{number}"}
    found = await do(cell, results.GetPlayerDayRequest(**of, **one), own)
    composed = results.GetPlayerDayResponse(
        head=await do(cell, results.GetTournamentRequest(**of), own),
        pairings=await do(cell, results.GetPairingsRequest(**of, **one, round=1, seats_alone=True), own),
        messages=(await do(cell, results.ListMessagesRequest(**of), own)).messages,
    )
    listed = (await do(cell, results.ListPlayersRequest(**of), own)).players
    composed.player.CopyFrom(next(each for each in listed if each.player_id == one["player_id"]))
    composed.player.category = found.player.category
    composed.player.ClearField("club")
    if any(round_.finished for round_ in composed.head.tournament.played):
        ranked = await do(cell, results.GetStandingsRequest(**of, **one), own)
        composed.standing.CopyFrom(ranked.standings[0])
        composed.standing.category = found.player.category
        composed.standing.ClearField("club")
    for each in (found, found.head, found.pairings, composed.head, composed.pairings):
        each.ClearField("position")
    return found, composed


async def test_the_day_of_a_player_equals_the_answers_that_it_replaces_with_and_without_a_delay(cell: Cell) -> None:
    await do(cell, pairing.SendMessageRequest(tournament_id=OWN, text="To two", player_ids=[f"{OWN}-2"]))
    minor = pairing.AmendPlayerRequest(tournament_id=OWN, player_id=f"{OWN}-1", category="U18", club="Valls")
    await do(cell, minor)
    tables = (await do(cell, pairing.ListResultsRequest(tournament_id=OWN))).tables

    async def enter(number: int) -> int:
        scores = [
            game_events.FinalScore(player_id=each.player_id, score=400 - place)
            for place, each in enumerate(tables[number].players)
        ]
        entry = pairing.EnterResultRequest(
            tournament_id=OWN, game_id=tables[number].game_id, arbiter_id="eva", scores=scores
        )
        return int((await do(cell, entry)).position)

    shown = (await do(cell, pairing.SetHallsRequest(tournament_id=OWN, halls=[]))).position
    for number in (1, 2):
        found, composed = await load_day(cell, number, shown)
        assert found == composed
        assert not found.HasField("standing")
    entered = await enter(1)
    for number in range(1, 7):
        found, composed = await load_day(cell, number, entered)
        assert found == composed
        assert found.standing.rank
    delayed = (await do(cell, pairing.SetBroadcastDelayRequest(tournament_id=OWN, minutes=60))).position
    held = await enter(2)
    for number in range(1, 7):
        found, composed = await load_day(cell, number, held)
        assert found == composed
        assert found.standing.category == found.player.category == ("U18" if number == 1 else "")
        assert sum(round_.finished for round_ in found.head.tournament.played) == 1, "the second result is held back"
    assert delayed < held
    await do(cell, pairing.SetBroadcastDelayRequest(tournament_id=OWN, minutes=0))
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await do(cell, results.GetPlayerDayRequest(tournament_id=OWN, player_id=f"{OWN}-1"), player(2))
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_a_public_message_with_the_name_of_a_player_is_refused(cell: Cell) -> None:
    request = pairing.SendMessageRequest(tournament_id=OWN, text=f"{OWN} 1 has won a book")
    assert await refusal(cell, request, build_credential(needs.ROLE_DIRECTOR)) is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_screen_is_named_by_its_code_and_reports_what_it_shows(cell: Cell) -> None:
    page = f"/tournaments/{OWN}/console/screens"
    async with browser(cell, build_credential(needs.ROLE_DIRECTOR)) as director, visitor(cell) as screen:
        shown = (await screen.get("/screen")).text
        code = re.findall(r'class="big-code" lang="zxx">([0-9A-Z]{4}-[0-9A-Z]{4})<', shown)[0]
        assert code in await load_with_text(director, page, code)  # among the proposed ones
        wrong = f"{code[:-1]}{'0' if code[-1] != '0' else '1'}"
        refused = await press(director, page, "SetScreen", code=wrong, name="Left")
        assert "has a wrong character" in refused.text
        fields = {"code": code, "name": "Left", "programme.1": "seats", "programme.2": "messages"}
        await press(director, page, "SetScreen", **fields)
        programme = await load_with_text(screen, "/screen", 'data-turning="seats-0"')
        assert f"{OWN} 1" in programme
        fields |= {"place.1": "2", "place.2": "1"}
        reordered = await press(director, page, "SetScreen", **fields)
        shown = (await director.get(reordered.headers["location"])).text
        assert shown.index('value="messages" checked') < shown.index('value="seats" checked'), "in the new order"
        token = screen.cookies["faristol-screen"]
        headers = {"Sec-Fetch-Site": "same-origin"}
        told = await screen.post("/screen", data={"token": token, "showing": "seats"}, headers=headers)
        assert told.json() == {"tournament_id": OWN}
        await screen.get("/screen", params={"part": "live"})  # an update of the page keeps the report
        assert "on: seats" in await load_with_text(director, page, "on: seats")
        assert (await screen.post("/screen", data={"token": "x", "showing": ""}, headers=headers)).status_code == 400
        sent = await press(director, CONSOLE, "SendMessage", text="Please be quiet", interrupts="1")
        assert sent.status_code == 303
        assert 'class="interruption"' in await load_with_text(screen, "/screen", "interruption")
        await press(director, page, "RemoveScreen", code=code)
        assert code in await load_with_text(screen, "/screen", "big-code")


async def test_a_picture_is_stored_with_the_tournament_and_served_as_it_is(cell: Cell) -> None:
    page = f"/tournaments/{OWN}/console/screens"
    picture = png(64, 32)
    async with browser(cell, build_credential(needs.ROLE_DIRECTOR)) as director, visitor(cell) as reader:
        kind = {"Content-Type": "application/octet-stream"}
        added = await director.post(f"{page}/picture", params={"name": "Font"}, content=picture, headers=kind)
        assert added.status_code == 200, added.text
        svg = await director.post(f"{page}/picture", params={"name": "Other"}, content=b"<svg/>", headers=kind)
        assert svg.status_code == 409
        assert "expected PNG, JPEG or WebP" in svg.json()["problem"]
        assert "Font" in await load_with_text(director, page, "Font")
        digest = hashlib.sha256(picture).hexdigest()
        served = await reader.get(f"/tournaments/{OWN}/pictures/{digest}")
        assert (served.content, served.headers["content-type"]) == (picture, "image/png")
        assert (await reader.get(f"/tournaments/{OWN}/pictures/{'0' * 64}")).status_code == 404
        assert (await reader.get(f"/tournaments/foreign/pictures/{digest}")).status_code == 404
