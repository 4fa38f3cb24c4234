"""Officials of a cell at work: judges who are appointed, tables where something waits, and their browsers."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
from tests.support.access_cell import OWN, Cell, build_credential
from tests.support.plain_http import PLAIN

from faristol.access_control.credential import Credential
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.lexicon.v1 import adjudication_pb2 as adjudication
from faristol.pb.lexicon.v1 import events_pb2 as lexicon

HEAD = "head"
"""The role that rules on cases that wait too long."""


def command_id() -> str:
    return str(uuid.uuid4())


async def do(cell: Cell, request: Any, credential: Credential | None = None) -> Any:
    """Return the response to a request by the director of the tournament or another one; with an id if it needs one."""
    if "command_id" in request.DESCRIPTOR.fields_by_name and not request.command_id:
        request.command_id = command_id()
    token = cell.token(credential or build_credential(needs.ROLE_DIRECTOR))
    return await cell.call(METHODS_BY_REQUEST[type(request)].path, request, token)


def judge(judge_id: str = "the-judge", **more: Any) -> Credential:
    """Return the credential of a judge of the tournament."""
    return build_credential(needs.ROLE_JUDGE, subject=judge_id, **more)


def arbiter(arbiter_id: str = "eva", **more: Any) -> Credential:
    """Return the credential of an arbiter of the tournament."""
    return build_credential(needs.ROLE_ARBITER, subject=arbiter_id, **more)


async def appoint(cell: Cell, *judges: str, panel: int = 0, lease_seconds: int = 30) -> None:
    """Let judges rule on the challenges of the tournament, one on each or a panel."""
    for judge_id in judges:
        await do(cell, adjudication.AppointJudgeRequest(tournament_id=OWN, judge_id=judge_id, languages=["ca"]))
    await do(cell, adjudication.AppointJudgeRequest(tournament_id=OWN, judge_id=HEAD, director=True))
    mode = lexicon.MODE_PANEL if panel else lexicon.MODE_JUDGE
    settings = adjudication.SetAdjudicationRequest(
        tournament_id=OWN, mode=mode, panel=panel, lease_seconds=lease_seconds, escalate_after_seconds=600
    )
    await do(cell, settings)


async def play(cell: Cell, game_id: str) -> tuple[str, Sequence[game_events.Word]]:
    """Lay two tiles across the centre as the player on turn; return the player who can challenge, and the words."""
    table = await do(cell, game.GetGameRequest(game_id=game_id))
    mover = table.turn_player_id
    rack = (await do(cell, game.GetGameRequest(game_id=game_id, player_id=mover))).rack
    faces = [face for face in rack if face != "?"][:2]
    tiles = [game_events.Placement(row=7, column=7 + place, face=face) for place, face in enumerate(faces)]
    placed = await do(cell, game.PlacePlayRequest(game_id=game_id, player_id=mover, placements=tiles))
    opponent = next(side.player_id for side in table.sides if side.player_id != mover)
    return opponent, [each.word for each in placed.words]


async def challenge(cell: Cell, game_id: str, waits_for: str = "the-judge") -> str:
    """Challenge the first play at a table; the case, once it waits for a judge."""
    opponent, words = await play(cell, game_id)
    before: set[str] = {case.case_id for case in (await queue(cell, waits_for)).cases}
    await do(cell, game.ChallengeRequest(game_id=game_id, player_id=opponent, words=words))
    async with asyncio.timeout(60):
        while True:
            now: set[str] = {case.case_id for case in (await queue(cell, waits_for)).cases} - before
            if now:
                return now.pop()
            await asyncio.sleep(0.1)


async def queue(cell: Cell, judge_id: str) -> Any:
    return await do(cell, adjudication.WatchQueueRequest(judge_id=judge_id), judge(judge_id))


@asynccontextmanager
async def browser(cell: Cell, credential: Credential | None) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a browser with a signed-in user, on a page of the site."""
    cookies = {"faristol": cell.token(credential)} if credential else {}
    headers = {"Sec-Fetch-Site": "same-origin", "Accept-Language": "en"}
    async with httpx.AsyncClient(
        verify=PLAIN, base_url=cell.process.http_address, timeout=120, cookies=cookies, headers=headers
    ) as web:
        yield web


async def press(web: httpx.AsyncClient, address: str, act: str, **fields: str) -> httpx.Response:
    """Send a form of a page by one of its buttons, with a new id unless one is given."""
    return await web.post(address, data={"command_id": command_id(), "act": act, **fields})


def words_of(page: httpx.Response) -> Mapping[str, str]:
    """Return the hidden fields of a case's form: its words."""
    return dict(re.findall(r'name="(words\.\d+\.word)" value="([^"]*)"', page.text))


def read_notice(page: httpx.Response) -> str:
    """Return the notice of a page about an executed or refused command."""
    mark = r'class="notice (?:good|bad)"(?: data-key="\w+")? role="(?:status|alert)">(.*?)</div>'
    found = re.search(mark, page.text, re.DOTALL)
    return found[1].strip() if found else ""
