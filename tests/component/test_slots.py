"""Stream slots over real services: their addresses stay while annotators point them at other tables."""

from __future__ import annotations

import re
from typing import Any

import grpc
import httpx
import pytest
from tests.component.officials import browser, do, play, press
from tests.component.test_messages import load_with_text, visitor
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential, cell

from faristol.access_control.credential import Credential
from faristol.access_control.roles import ANNOTATOR, DIRECTOR, MAY_GIVE
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONSOLE = f"/tournaments/{OWN}/slots"
CONTENTS = ("score", "names", "last-play", "unseen", "clock", "standings")


def annotator(subject: str = "rosa", **more: Any) -> Credential:
    """Return the credential of an annotator."""
    return build_credential(ANNOTATOR, subject=subject, **more)


async def games(web: httpx.AsyncClient) -> dict[int, dict[str, Any]]:
    """Return the games of round 1, by table."""
    found = (await web.get(f"/api/v1/tournaments/{OWN}/rounds/1/pairings")).json()
    return {table["table"]: table for table in found["tables"]}


async def test_a_slot_has_its_address_before_it_has_a_game(cell: Cell) -> None:
    async with visitor(cell) as reader:
        for content in CONTENTS[:-1]:
            page = await reader.get(f"{CONSOLE}/7/{content}")
            assert page.status_code == 200
            assert "over-side" not in page.text
            assert (await reader.get(f"{CONSOLE}/7/{content}.txt")).text == "\n"
            answer = (await reader.get(f"{CONSOLE}/7/{content}.json")).json()
            assert (answer["slot"], answer["game_id"]) == (7, None)
        for wrong in ("0/score", "100/score", "1/rack", "1/score.xml", "01/score"):
            assert (await reader.get(f"{CONSOLE}/{wrong}")).status_code == 400, wrong
        assert (await reader.get("/tournaments/none/slots/1/score")).status_code == 404


async def test_an_annotator_points_a_slot_from_the_page_and_its_addresses_show_the_other_table(cell: Cell) -> None:
    async with browser(cell, annotator()) as rosa, visitor(cell) as reader:
        paired = await games(reader)
        names = {table: [seat["name"] for seat in each["seats"]] for table, each in paired.items()}
        sent = await press(rosa, CONSOLE, "PointSlot", slot="1", table="1")
        assert sent.status_code == 303, sent.text
        page = (await rosa.get(sent.headers["location"])).text
        assert f"{CONSOLE}/1/last-play" in page
        assert (await reader.get(f"{CONSOLE}/1/names.txt")).text == f"{' – '.join(names[1])}\n"
        assert (await reader.get(f"{CONSOLE}/1/score.json")).json()["game_id"] == paired[1]["game_id"]
        await press(rosa, CONSOLE, "PointSlot", slot="1", table="2", for_round="1")
        page = await load_with_text(reader, f"{CONSOLE}/1/names", names[2][0])
        assert names[1][0] not in page
        assert f'data-of-game="{paired[2]["game_id"]}"' in page
        sent = await press(rosa, CONSOLE, "PointSlot", slot="1", rank="1", table="")
        assert "Line 1 of the standings" in (await rosa.get(sent.headers["location"])).text
        assert (await reader.get(f"{CONSOLE}/1/names.txt")).text == f"{' – '.join(names[1])}\n"
        refused = await press(rosa, CONSOLE, "PointSlot", slot="1", table="900", for_round="1")
        assert refused.status_code == 409
        assert "Round 1 has no table 900." in refused.text
        gone = await press(rosa, CONSOLE, "RemoveSlot", slot="1")
        assert gone.status_code == 303
        done = {"min_position": gone.headers["location"].partition("done=")[2]}
        assert (await reader.get(f"{CONSOLE}/1/names.txt", params=done)).text == "\n"


async def test_every_part_is_told_as_text_as_json_and_as_a_page(cell: Cell) -> None:
    async with visitor(cell) as reader:
        paired = await games(reader)
        await do(cell, pairing.PointSlotRequest(tournament_id=OWN, slot=2, table=1), annotator())
        await play(cell, paired[1]["game_id"])
        await load_with_text(reader, f"{CONSOLE}/2/last-play", "over-play")
        told = {}
        for content in CONTENTS:
            page, plain = await reader.get(f"{CONSOLE}/2/{content}"), await reader.get(f"{CONSOLE}/2/{content}.txt")
            assert page.headers["content-type"].startswith("text/html")
            assert "overlay slot" in page.text
            assert plain.headers["content-type"].startswith("text/plain")
            by_accept = await reader.get(f"{CONSOLE}/2/{content}", headers={"Accept": "text/plain"})
            assert by_accept.headers["content-type"].startswith("text/plain")
            told[content] = plain.text, (await reader.get(f"{CONSOLE}/2/{content}.json")).json()
        text, last = told["last-play"]
        assert last["last_play"]["name"] in text
        assert text.strip().endswith(f"+{last['last_play']['score']}")
        text, score = told["score"]
        assert text == f"{' – '.join(str(each['score']) for each in score['players'])}\n"
        text, unseen = told["unseen"]
        assert text.split() == unseen["unseen"]
        board = (await reader.get(f"/api/v1/games/{paired[1]['game_id']}")).json()["board"]
        assert unseen["count"] == 100 - len(board)
        assert len(told["clock"][1]["players"]) == 2
        assert told["clock"][0].count(":") == 2
        assert told["standings"][0].startswith("1. ")


async def test_the_short_address_leads_to_the_only_tournament_in_play(cell: Cell) -> None:
    async with visitor(cell) as reader:
        listed = (await reader.get("/api/v1/tournaments")).json()["tournaments"]
        playing = [each["tournament_id"] for each in listed if each["state"] == "playing"]
        found = await reader.get("/slots/2/score.txt?lang=el")
        if len(playing) == 1:
            assert found.status_code == 307
            assert found.headers["location"] == f"/tournaments/{playing[0]}/slots/2/score.txt?lang=el"
        else:
            assert found.status_code == 409
            assert "/tournaments/ID/slots/2/score.txt" in found.text


async def test_a_claim_is_shown_to_other_annotators_with_its_name_and_to_no_visitor(cell: Cell) -> None:
    async with browser(cell, annotator(name="Rosa Vila")) as rosa, browser(cell, annotator("pau")) as pau:
        taken = await press(rosa, CONSOLE, "ClaimTable", table="2")
        assert taken.status_code == 303, taken.text
        await load_with_text(pau, CONSOLE, "Rosa Vila")
        refused = await press(pau, CONSOLE, "ClaimTable", table="2")
        assert refused.status_code == 409
        assert "Table 2 is already claimed." in refused.text
        foreign = pairing.ReleaseClaimRequest(tournament_id=OWN, table=2, annotator_id="rosa")
        assert await refusal(cell, foreign, annotator("pau")) is grpc.StatusCode.PERMISSION_DENIED
        claims = results.ListClaimsRequest(tournament_id=OWN)
        assert await refusal(cell, claims, None) is grpc.StatusCode.UNAUTHENTICATED
        await do(cell, foreign, build_credential(DIRECTOR))
        claimed = await press(pau, CONSOLE, "ClaimTable", table="2")
        assert claimed.status_code == 303
        shown = await pau.get(claimed.headers["location"])
        button = r'name="table" value="2">\s*<label>Slot <select name="slot"><option value="\d+">'
        assert re.search(button, shown.text), "the claimed table is shown in a slot by one button"
        assert not re.search(button, (await rosa.get(claimed.headers["location"])).text)


async def refusal(cell: Cell, request: Any, credential: Credential | None) -> grpc.StatusCode:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await do(cell, request, credential) if credential else await ask(cell, request)
    return refused.value.code()


async def ask(cell: Cell, request: Any) -> Any:
    """Call the results service as a visitor."""
    name = request.DESCRIPTOR.name.removesuffix("Request")
    return await cell.call(f"/faristol.results.v1.ResultsService/{name}", request)


async def test_an_annotator_points_slots_of_the_own_tournaments_and_enters_no_game(cell: Cell) -> None:
    assert {role for role, given in MAY_GIVE.items() if ANNOTATOR in given} >= {DIRECTOR}
    other = pairing.PointSlotRequest(tournament_id=FOREIGN, slot=1, table=1)
    assert await refusal(cell, other, annotator()) is grpc.StatusCode.PERMISSION_DENIED
    async with visitor(cell) as reader:
        paired = await games(reader)
    passing = game.PassRequest(game_id=paired[1]["game_id"], player_id=paired[1]["seats"][0]["player_id"])
    assert await refusal(cell, passing, annotator()) is grpc.StatusCode.PERMISSION_DENIED
    async with browser(cell, build_credential(DIRECTOR)) as director, browser(cell, None) as public:
        assert (await director.get(CONSOLE)).status_code == 200
        assert (await public.get(CONSOLE)).status_code in (303, 401)
