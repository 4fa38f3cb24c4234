"""Devices of a hall with a cell of its own are led to it: by papers, by pages and by refusals."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import grpc
import httpx
import pytest
from tests.component.processes import faristol, wait_until_serving
from tests.component.test_hall_cell import HALL, OTHER_HALL, TOURNAMENT, Scene, Site, carry, scene, until, words
from tests.component.test_hall_kept import get_page, let_players_report, phone, players_of, report
from tests.support.plain_http import PLAIN

from faristol.access_control.hall_codes import hall_code
from faristol.access_control.roles import DIRECTOR, PLAYER, SCORER
from faristol.client.credentials import build_interceptors
from faristol.client.problems import info_of
from faristol.gateway.pages.qr import qr
from faristol.host.halls.identity import load_key
from faristol.host.rpc.channels import open_channel
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1.access_pb2_grpc import AccessServiceStub
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub
from faristol.pb.pairing.v1 import pairing_pb2 as pb

__all__ = ["words"]

IS_PLAYED_THERE = f"This table is played at {HALL}"


async def get_json(site: Site, path: str) -> Any:
    async with httpx.AsyncClient(verify=PLAIN, base_url=site.address) as web:
        return (await web.get(path)).json()


async def names_its_cell(at: Scene, game_id: str) -> bool:
    """Check whether the championship shows that the cell of the hall decides on a game."""
    return bool((await get_json(at.championship, f"/api/v1/games/{game_id}"))["cell_hall"] == HALL)


async def test_papers_and_pages_of_a_table_lead_to_the_laptop_of_its_hall_and_those_of_others_do_not(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, _ = at.games
        await until(partial(names_its_cell, at, first), "the page names the cell")
        (cell,) = (await get_json(at.championship, f"/api/v1/tournaments/{TOURNAMENT}"))["tournament"]["hall_cells"]
        assert cell == {"hall": HALL, "address": at.hall.address}
        page = await get_page(at.championship, f"/games/{first}")
        assert IS_PLAYED_THERE in page
        assert f'href="{at.hall.address}/games/{first}"' in page
        assert "is played at" not in await get_page(at.championship, f"/games/{TOURNAMENT}-r1-t1")
        assert "is played at" not in await get_page(at.hall, f"/games/{first}")

        papers = f"/tournaments/{TOURNAMENT}/print"
        cards = await get_page(at.championship, f"{papers}/tablecards")
        own = f"/tournaments/{TOURNAMENT}/my-table"
        assert str(qr(f"{at.hall.address}{own}")) in cards
        assert cards.count(str(qr(f"{at.championship.address}{own}"))) == 1  # the hall without a cell has one table
        poster = await get_page(at.championship, f"{papers}/checkin")
        here = f"/tournaments/{TOURNAMENT}/here"
        assert f"{at.championship.address}{here}" in poster  # seats are assigned by the check-in there
        assert at.hall.address not in poster
        assert f'href="{at.championship.address}{here}"' in await get_page(at.hall, here)
        slips = await get_page(at.championship, f"{papers}/round/1/slips")
        result = f"/tournaments/{TOURNAMENT}/round/1/results"
        assert str(qr(f"{at.hall.address}{result}/2", at_once=True)) in slips
        assert str(qr(f"{at.championship.address}{result}/1", at_once=True)) in slips

        ana, _ = await players_of(at, first)
        async with phone(at.championship, ana) as web:
            day = (await web.get(own)).text
            assert f"{at.hall.address}{own}" in day


async def test_a_command_that_came_to_the_championship_is_refused_with_the_address_of_the_hall(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await let_players_report(at)
        assign = game_pb2.AssignArbiterRequest(command_id=str(uuid.uuid4()), game_id=first, arbiter_id="arbiter")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await at.championship.api.game.AssignArbiter(assign)
        assert info_of(refused.value).reason == "TABLE_HANDED_OVER"
        assert info_of(refused.value).metadata["address"] == at.hall.address
        assert at.hall.address in str(refused.value.details())

        ana, bel = players = await players_of(at, first)
        async with phone(at.championship, ana) as web:
            address = f"/tournaments/{TOURNAMENT}/round/1/results/2"
            shown = (await web.get(address)).text
            assert IS_PLAYED_THERE in shown
            assert "ReportResult" not in shown
            fields = {"act": "ReportResult", "command_id": str(uuid.uuid4()), "first": "400", "second": "350"}
            answer = await web.post(address, data=fields, headers={"Origin": at.championship.address})
            assert answer.status_code == 409
            assert at.hall.address in answer.text
        await at.hall.api.pairing.ReportResult(report(first, players, bel, (400, 350)))

        phoned = pb.EnterResultRequest(game_id=second, arbiter_id="arbiter")
        for player_id, score in zip(await players_of(at, second), (410, 340), strict=True):
            phoned.scores.add(player_id=player_id, score=score)
        await at.desk.direct(at.championship.api.pairing.EnterResult, phoned)
        await until(at.are_final, "both results are in the tournament")


@pytest.mark.nightly
async def test_a_laptop_with_a_new_address_is_known_by_it_after_its_next_start(tmp_path: Path, words: Path) -> None:
    async with scene(tmp_path, words) as at:
        child = at.hall.child
        child.terminate()
        child.settings = {**child.settings, "http_address": "http://192.168.8.7:8080"}
        child.start()
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.hall.grpc_port}", child, "gateway")

        async def is_known() -> bool:
            (cell,) = (await get_json(at.championship, f"/api/v1/tournaments/{TOURNAMENT}"))["tournament"]["hall_cells"]
            return bool(cell["address"] == "http://192.168.8.7:8080")

        await until(is_known, "the championship knows the new address")


@pytest.mark.nightly
async def test_each_page_of_the_laptop_says_where_it_is_and_since_when_it_is_without_the_championship(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        for path in ("/", f"/tournaments/{TOURNAMENT}", "/sign-in", "/status"):
            page = await get_page(at.hall, path)
            assert 'id="hall-bar"' in page
            assert f"<strong>{HALL}</strong>" in page
        assert 'id="hall-bar"' not in await get_page(at.championship, "/")
        state = await get_json(at.hall, "/hall-state")
        assert state == {
            "state": "connected",
            "line": "connected to the championship",
            "unsent": "",
            "lost": "",
            "championship": at.championship.address,
        }
        await at.line.cut()
        assign = game_pb2.AssignArbiterRequest(command_id=str(uuid.uuid4()), game_id=at.games[0], arbiter_id="arbiter")
        await at.hall.api.game.AssignArbiter(assign)

        async def is_behind() -> Any:
            found = await get_json(at.hall, "/hall-state")
            return found if found["state"] == "behind" else None

        found = await until(is_behind, "the laptop notices")
        assert "without the championship since" in found["line"]
        assert found["unsent"]
        async with httpx.AsyncClient(verify=PLAIN, base_url=at.championship.address) as web:
            assert (await web.get("/hall-state")).status_code == 404


@dataclass
class Guest:
    """A browser at one of the cells."""

    web: httpx.AsyncClient
    site: Site

    async def sign_in(self, code: str) -> bool:
        """Sign in with a code as the form sends it, and check whether it was accepted."""
        form = {"code": code, "next": "/account"}
        answer = await self.web.post("/sign-in", data=form, headers={"Origin": self.site.address})
        return answer.status_code == 303 and "faristol" in self.web.cookies


@asynccontextmanager
async def guest(site: Site) -> AsyncIterator[Guest]:
    async with httpx.AsyncClient(verify=PLAIN, base_url=site.address, timeout=20) as web:
        yield Guest(web, site)


async def is_accepted(site: Site, code: str) -> bool:
    async with guest(site) as someone:
        return await someone.sign_in(code)


async def give(at: Scene, role: Any, form: Any = access_events.FORM_LINK, **fields: Any) -> Any:
    """Grant a credential at the championship, as its director."""
    scope = access_events.Scope(tournament_ids=[TOURNAMENT], **fields.pop("scope", {}))
    request = access_pb2.GrantCredentialRequest(
        command_id=str(uuid.uuid4()), role=role, scope=scope, lifetime_seconds=3_600, form=form, **fields
    )
    return await at.championship.api.access.GrantCredential(request)


def hall_key(at: Scene) -> bytes:
    return load_key(at.hall.folder / "hall").public_key().public_bytes_raw()


async def test_credentials_come_with_the_file_of_the_championship_if_there_is_no_line(
    tmp_path: Path, words: Path
) -> None:
    stick = tmp_path / "stick"

    async def carry_to_hall(at: Scene) -> None:
        for_hall = ("export", str(stick), "--tournament", TOURNAMENT, "--hall", HALL)
        await asyncio.to_thread(carry, at.championship, *for_hall)
        await asyncio.to_thread(carry, at.hall, "import", str(stick))

    async with scene(tmp_path, words) as at:
        await at.line.cut()
        scorer = await give(at, SCORER, name="Ona Mas", scope={"tables": [2]})
        code = hall_code(scorer.code, hall_key(at))
        assert not await is_accepted(at.hall, code)
        await carry_to_hall(at)
        assert await is_accepted(at.hall, code)
        for secret in (scorer.code, scorer.code[26:], code):
            assert secret.encode() not in stick.read_bytes()
        revoke = access_pb2.RevokeCredentialRequest(
            command_id=str(uuid.uuid4()), credential_id=scorer.credential.credential_id
        )
        await at.championship.api.access.RevokeCredential(revoke)
        await carry_to_hall(at)
        assert not await is_accepted(at.hall, code)


async def test_a_scorer_and_a_player_sign_in_at_the_laptop_with_the_links_of_the_championship_without_a_line(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, _ = at.games
        ana, _ = await players_of(at, first)
        scorer = await give(at, SCORER, name="Ona Mas", scope={"tables": [2]})
        player = await give(at, PLAYER, player_id=ana)
        elsewhere = await give(at, SCORER, name="Nil Pou", scope={"tables": [1]})
        (there,) = scorer.hall_codes
        assert (there.hall, there.address) == (HALL, at.hall.address)
        assert there.code == hall_code(scorer.code, hall_key(at))
        assert not elsewhere.hall_codes
        codes = [hall_code(each.code, hall_key(at)) for each in (scorer, player)]
        for code in codes:
            await until(partial(is_accepted, at.hall, code), "the hall knows the credential")
        stored = (at.hall.folder / "record.db").read_bytes() + (at.hall.folder / "record.db-wal").read_bytes()
        assert scorer.credential.credential_id.encode() in stored
        for secret in (scorer.code, scorer.code[26:], player.code, *codes):
            assert secret.encode() not in stored
        assert elsewhere.credential.credential_id.encode() not in stored

        await at.line.cut()
        async with guest(at.hall) as tablet:
            assert await tablet.sign_in(there.code)
            assert "Ona Mas" in (await tablet.web.get("/account")).text
            assert (await tablet.web.get(f"/games/{first}/keep")).status_code == 200
        for wrong in (
            scorer.code,  # the laptop must not see it, and does not accept it
            hall_code(scorer.code, b"x" * 32),
            hall_code(elsewhere.code, hall_key(at)),
            f"{there.code[:-3]}aaa",
        ):
            assert not await is_accepted(at.hall, wrong)
        for code in codes:
            assert not await is_accepted(at.championship, code)
        own = await at.hall.api.access.GrantCredential(
            access_pb2.GrantCredentialRequest(
                command_id=str(uuid.uuid4()),
                name="Pau Roig",
                role=SCORER,
                scope=access_events.Scope(tournament_ids=[TOURNAMENT], tables=[3]),
                lifetime_seconds=3_600,
                form=access_events.FORM_LINK,
            )
        )
        for code in (own.code, hall_code(own.code, hall_key(at))):
            assert await is_accepted(at.hall, code)
        assert not await is_accepted(at.championship, own.code)


async def test_a_signed_in_device_gets_a_link_that_signs_it_in_at_the_hall_until_its_credential_ends(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, _ = at.games
        granted = await give(at, SCORER, access_events.FORM_PIN, name="Ona Mas", scope={"tables": [2]})
        async with guest(at.championship) as tablet:
            by_pin = {"tournament": TOURNAMENT, "table": "2", "pin": granted.pin, "next": "/account"}
            answer = await tablet.web.post("/sign-in", data=by_pin, headers={"Origin": at.championship.address})
            assert answer.status_code == 303
            page = (await tablet.web.get(f"/games/{first}/keep")).text
        link = re.search(rf'href="{re.escape(at.hall.address)}/sign-in\?next=([^"#]+)#([^"]+)"', page)
        assert link, page
        assert unquote(link[1]) == f"/games/{first}/keep"
        await until(partial(is_accepted, at.hall, link[2]), "the hall knows the credential")
        revoke = access_pb2.RevokeCredentialRequest(
            command_id=str(uuid.uuid4()), credential_id=granted.credential.credential_id
        )
        await at.championship.api.access.RevokeCredential(revoke)

        async def is_refused() -> bool:
            return not await is_accepted(at.hall, link[2])

        await until(is_refused, "the hall knows that the credential has ended")


@pytest.mark.nightly
async def test_only_the_cell_of_a_hall_gets_the_digests_of_its_credentials(tmp_path: Path, words: Path) -> None:
    async with scene(tmp_path, words) as at:
        request = access_pb2.ListHallCredentialsRequest(tournament_id=TOURNAMENT, hall=HALL, key=hall_key(at))
        for other in (
            access_pb2.ListHallCredentialsRequest(tournament_id=TOURNAMENT, hall=HALL, key=b"x" * 32),
            access_pb2.ListHallCredentialsRequest(tournament_id=TOURNAMENT, hall=OTHER_HALL, key=hall_key(at)),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await as_hall(at, tmp_path, other)
            assert refused.value.code() in {grpc.StatusCode.NOT_FOUND, grpc.StatusCode.PERMISSION_DENIED}
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await at.championship.api.access.ListHallCredentials(request)
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
        found = await as_hall(at, tmp_path, request)
        again = access_pb2.ListHallCredentialsRequest(
            tournament_id=TOURNAMENT, hall=HALL, key=hall_key(at), known_digest=found.digest
        )
        assert not (await as_hall(at, tmp_path, again)).credentials


async def as_hall(at: Scene, tmp_path: Path, request: access_pb2.ListHallCredentialsRequest) -> Any:
    """Call the championship with the token of the hall."""
    token = (tmp_path / "token").read_text().strip()
    authorize = build_interceptors(lambda _: f"Bearer {token}")
    async with open_channel(f"127.0.0.1:{at.championship.grpc_port}", authorize) as channel:
        return await AccessServiceStub(channel).ListHallCredentials(request)


@pytest.mark.nightly
async def test_the_card_of_a_scorer_has_a_code_for_the_network_of_the_hall_and_one_for_the_championship(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        director = await give(at, DIRECTOR, name="Eva Mas")
        async with guest(at.championship) as desk:
            assert await desk.sign_in(director.code)
            form = {"act": "cards", "command_id": str(uuid.uuid4()), "tables": "1-2", "lasts": "day"}
            address = f"/tournaments/{TOURNAMENT}/access"
            answer = await desk.web.post(address, data=form, headers={"Origin": at.championship.address})
            assert answer.status_code == 200, answer.text
            assert answer.text.count(f"In the network of {HALL}:") == 1
            assert answer.text.count("On the pages of the championship:") == 1
            single = {**form, "act": "grant", "role": "scorer", "name": "Ona Mas", "tables": "2", "by": "link"}
            single["command_id"] = str(uuid.uuid4())
            page = (await desk.web.post(address, data=single, headers={"Origin": at.championship.address})).text
        code = re.search(rf'href="{re.escape(at.hall.address)}/sign-in#([^"]+)"', page)
        assert code, page
        await until(partial(is_accepted, at.hall, code[1]), "the code signs in at the hall")
        granted = faristol(
            *("access", "grant", "scorer", "Nil Pou", "--tournament", TOURNAMENT, "--table", "2", "--by", "link"),
            client_address=f"127.0.0.1:{at.championship.grpc_port}",
            data=at.championship.folder,
            access=at.championship.folder / "access",
        )
        assert granted.returncode == 0, granted.stderr
        assert f"{at.hall.address}/sign-in#h." in granted.stdout


@pytest.mark.nightly
async def test_a_released_hall_says_so_and_not_that_its_championship_has_no_credentials_for_it(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        release = hall_pb2.ReleaseHallRequest(
            command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, hall=HALL, note="another laptop"
        )
        await at.championship.sync.ReleaseHall(release)
        cell, problems = HallCellServiceStub(at.hall.channel), set[str]()

        async def says_so() -> bool:
            problem = (await cell.GetHallCell(hall_pb2.GetHallCellRequest())).problem
            problems.add(problem)
            return "released" in problem

        await until(says_so, "the laptop knows")
        for _ in range(10):
            await says_so()
            await asyncio.sleep(0.5)
        assert [each for each in problems if each and "released" not in each] == []
