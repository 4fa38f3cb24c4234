"""Racks, addresses, needs, fees, hidden entrants, messages to a player: no answer has them for others.

Every GET route and every query over gRPC is asked as every role. A route that no role reads hides nothing for the wrong
reason: each must be answered for some role, or be listed with the reason. Drafts are walked in `test_every_mode.py`,
streams, webhooks, push messages and metrics in `test_hidden_channels.py`.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import grpc
import httpx
import pytest
from google.protobuf import text_format
from starlette.routing import Route
from tests.component.method_requests import build_request, list_queries
from tests.component.officials import browser, do, play
from tests.support.access_cell import OWN, Cell, build_credential, cell

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.roles import (
    ANNOTATOR,
    ARBITER,
    DIRECTOR,
    FEDERATION,
    MAY_GIVE,
    PLAYER,
    ROLE_NAMES,
    SCORER,
    TREASURER,
    Role,
)
from faristol.gateway.app import ROUTES
from faristol.gateway.print.form import STYLES
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as fees
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_events_pb2 as registration_events
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.season.v1 import events_pb2 as season_events
from faristol.pb.season.v1 import season_pb2 as season

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

ADDRESS, NEED, HIDDEN_NAME, AMOUNT = "leak@secret.example", "step-free-secret", "Hidden Entrant", 98_765
PRIVATE_TEXT = "Your bag was found"
PLAYED = f"{OWN}-r1-t1"
MAX_CALLS_AT_ONCE = 4
NUM_PHONES = 500
MAX_PHONES_AT_ONCE = 50
STREAM_LINES = 3
"""Lines of a stream that are read; `test_hidden_channels.py` reads all of them."""

OFFICIALS = frozenset({DIRECTOR, FEDERATION})
READERS: Mapping[str, tuple[str, frozenset[Role]]] = {
    "address": ("leak@secret", OFFICIALS),
    "need": ("step-free-secret", OFFICIALS),
    "entrant": ("Hidden Entrant", OFFICIALS | {TREASURER}),
    "fee": (r"987[.,]?65|98765", OFFICIALS | {TREASURER}),
    "message": (PRIVATE_TEXT, OFFICIALS | {ARBITER}),
}
"""Patterns of what is hidden, and the roles that may read it."""

ROLES_BY_DAY = (None, PLAYER, SCORER, TREASURER, FEDERATION, DIRECTOR)
"""Roles that are asked for every change: those that read most, and those with the fewest rights. Others at night."""

RACK_READERS = OFFICIALS | {ARBITER, SCORER, ANNOTATOR}
"""Roles that may read the racks of running games: they record or supervise them."""

NOT_HERE = re.compile(
    r"^/log/|^/api/.*/proof$|/tournaments/\{tournament_id\}/proof$"  # no checkpoint in this cell
    r"|duplicate|^/hall-state$|^/start/restore|^/sign-in/openid"  # no duplicate game, hall, empty record, provider
    r"|/teams/\{team_id\}$|/ratings/\{number\}$|/cases/\{case_id\}$|/pictures/"  # no team, list, case, picture
    r"|/entry$|^/slots/"  # no key of an entry, two tournaments in play
    r"|/register/persons/\{person_id\}$"  # no person in the register
    r"|/career/\{opponent_id\}$|\{circuit_id\}/\{player_id\}$"  # no game between two players, no result in a circuit
)
"""Routes without content in this cell: their tests are those of the feature."""


LEADING_ON = frozenset(
    {
        "/t/{rest:path}",
        "/g/{rest:path}",
        "/me",
        "/tournaments/{tournament_id}/console/rounds",
    }
)
"""Routes that only lead to others."""


@dataclass
class Walk:
    """Answers by role, and the routes and methods that were answered."""

    waiting: str
    """The player whose rack is hidden."""
    rack: Sequence[str]
    found: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)
    seen: set[tuple[str, Role]] = field(default_factory=set)
    """What a permitted role has read: the patterns find it."""

    def note(self, role: Role | None, name: str, where: str, text: str) -> None:
        """Look for what is hidden in an answer to a role."""
        self.answered.add(name)
        for what, (pattern, readers) in READERS.items():
            if not re.search(pattern, text):
                continue
            if role in readers:
                self.seen.add((what, role))
            else:
                self.found.append(f"{what}, {describe(role)}: {where}")
        if has_rack(text, self.rack):
            if role in RACK_READERS:
                self.seen.add(("rack", role))
            else:
                self.found.append(f"rack, {describe(role)}: {where}")


def describe(role: Role | None) -> str:
    return ROLE_NAMES[role] if role else "visitor"


def has_rack(text: str, rack: Sequence[str]) -> bool:
    """Check whether a text has the tiles of a rack side by side, in any order, as a list, on tiles or as a word.

    The attributes of a page are searched, too.
    """
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), html.unescape(text)).replace("\\", "")
    both = (plain, re.sub(r"<[^>]*>", " ", plain))
    tile = "|".join(sorted(map(re.escape, set(rack)), key=len, reverse=True))
    listed = re.compile(rf"(?=((?:(?<!\w)(?:{tile})(?!\w)[^\w?]*(?:(?:\d+|rack|faces?)[^\w?]+)*){{{len(rack)}}}))")
    together = re.compile(rf"(?<!\w)(?:{tile}){{{len(rack)}}}(?!\w)")
    one = re.compile(tile)
    runs = (run for shown in both for run in (*listed.findall(shown), *together.findall(shown)))
    return any(sorted(one.findall(run)) == sorted(rack) for run in runs)


async def test_a_rack_is_found_as_a_list_on_tiles_and_as_a_word() -> None:
    rack = ["A", "L·L", "Ç", "?", "E", "S", "A"]
    for text in (
        '{"rack": ["E", "A", "L·L", "Ç", "?", "S", "A"]}',
        "<b>A</b><sub>1</sub> <b>A</b><sub>1</sub> <b>Ç</b><sub>10</sub> <b>E</b> <b>L·L</b> <b>S</b> <b>?</b>",
        "\n".join(f'rack: "{face}"' for face in ("A", "A", "E", "S", "?", "Ç", "L·L")),
        "rack AL·LÇ?ESA of the player",
        f"<div data-rack='{html.escape(json.dumps(sorted(rack)))}'>",
    ):
        assert has_rack(text, rack), text
    assert not has_rack("A A Ç E L·L S T and ALÇESA", rack)


def fill(path: str, values: Mapping[str, str]) -> str:
    """Return a path with its parameters replaced by values; by a letter without one."""
    return re.sub(r"\{(\w+)[^}]*\}", lambda found: values.get(found[1], "x"), path)


def list_addresses(site: str) -> Iterator[tuple[str, str]]:
    """Yield each GET route with an address of the tournament; a PDF is made from the page beside it."""
    values = {
        "tournament_id": OWN,
        "game_id": PLAYED,
        "player_id": f"{OWN}-1",
        "opponent_id": f"{OWN}-2",
        "season_id": "year",
        "circuit_id": "cup",
        "number": "1",
        "table": "1",
        "kind": "startlist",
        "name": next(iter(STYLES)),
        "help_name": "player",
        "slot": "1",
        "content": "score.json",
        "service": "pairing",
        "receipt": "1",
        "rest": OWN,
    }
    for routes in ROUTES:
        for route in routes.routes:
            if isinstance(route, Route) and "GET" in (route.methods or ()) and not route.path.endswith(".pdf"):
                given = dict(values, kind="tables") if "/round/" in route.path else values
                if route.path == "/g/{rest:path}":
                    given = dict(values, rest=PLAYED)
                address = fill(route.path, given)
                yield route.path, f"/oembed?url={site}/tournaments/{OWN}" if route.path == "/oembed" else address


async def fetch(web: httpx.AsyncClient, address: str) -> tuple[int, str]:
    """Return the status and the text of an answer; of a stream its first lines."""
    async with web.stream("GET", address) as answer:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            return answer.status_code, (await answer.aread()).decode("utf-8", "replace")
        lines = []
        async for line in answer.aiter_lines():
            lines.append(line)
            if len(lines) == STREAM_LINES:
                break
        return answer.status_code, "\n".join(lines)


async def walk_routes(cell: Cell, role: Role | None, credential: Credential | None, walk: Walk) -> None:
    """Read every address as a role."""
    gate = asyncio.Semaphore(MAX_CALLS_AT_ONCE)
    async with browser(cell, credential) as web:

        async def read(route: str, address: str) -> None:
            async with gate:
                status, text = await fetch(web, address)
            is_answered = status == 200 or (route in LEADING_ON and status in (303, 307, 308))
            walk.note(role, route if is_answered else "", address, text)

        await asyncio.gather(*(read(*each) for each in list_addresses(cell.process.http_address)))


async def walk_queries(cell: Cell, role: Role | None, credential: Credential | None, walk: Walk) -> None:
    """Call every query as a role, with and without the fields that only some callers may set."""
    token = cell.token(credential) if credential else ""
    subject, player = (credential.subject, credential.player) if credential else ("", "")
    for path, method in list_queries():
        for with_narrowed in (True, False):
            request: Any = build_request(method, OWN, subject, player or walk.waiting, with_narrowed=with_narrowed)
            if isinstance(request, pairing.ListActsRequest):
                request.others_after = 0
            try:
                answer = await cell.call(path, request, token)
            except grpc.aio.AioRpcError as error:
                walk.note(role, "", path, str(error.details()))
            else:
                walk.note(role, path, path, text_format.MessageToString(answer, as_utf8=True))


async def hide(cell: Cell) -> Walk:
    """Enter what is hidden; return a walk that looks for it, and for the rack of a player at the first table."""

    async def direct(request: Any) -> Any:
        request.tournament_id = OWN
        return await do(cell, request)

    await direct(registration.SetRegistrationRequest(open=True, fields=["need"]))
    form = registration.SubmitEntryRequest(
        name=HIDDEN_NAME, email=ADDRESS, need=NEED, listing=registration_events.ENTRY_LISTING_HIDDEN
    )
    await direct(form)
    away = next(number for number in range(1, 7) if f"{OWN}-{number}" not in cell.players[OWN])
    await direct(pairing.AmendPlayerRequest(player_id=f"{OWN}-{away}", email=ADDRESS, need=NEED))
    await direct(fees.SetFeesRequest(currency="EUR", amount=2_500))
    await direct(fees.AdjustFeeRequest(player_id=f"{OWN}-{away}", amount=AMOUNT))
    await direct(fees.RecordPaymentRequest(player_id=f"{OWN}-{away}", method=events.PAYMENT_METHOD_CASH))
    to_one = pairing.SendMessageRequest(
        text=PRIVATE_TEXT,
        audience=pairing_events.MESSAGE_AUDIENCE_PLAYERS,
        player_ids=[f"{OWN}-{away}"],
    )
    await direct(to_one)
    await direct(pairing.PointSlotRequest(slot=1, table=1))
    federation = replace(build_credential(FEDERATION), scope=Scope())
    await do(cell, season.CreateSeasonRequest(season_id="year", name="Year"), federation)
    circuit = season.SetCircuitRequest(
        season_id="year", circuit_id="cup", name="Cup", basis=season_events.POINTS_BASIS_PLACE, place_points=[3, 2, 1]
    )
    await do(cell, circuit, federation)
    added = season.AddCircuitTournamentRequest(season_id="year", circuit_id="cup", tournament_id=OWN)
    await do(cell, added, federation)
    waiting, _ = await play(cell, PLAYED)
    found = await do(cell, game.GetGameRequest(game_id=PLAYED, player_id=waiting))
    return Walk(waiting, [*found.rack])


@pytest.mark.parametrize(
    "roles", [ROLES_BY_DAY, pytest.param((None, *MAY_GIVE), marks=pytest.mark.nightly)], ids=["day", "night"]
)
async def test_no_answer_has_what_is_hidden_from_a_role(cell: Cell, roles: Sequence[Role | None]) -> None:
    walk = await hide(cell)
    assert len(walk.rack) > 5
    others = [number for number in range(1, 7) if f"{OWN}-{number}" not in cell.players[OWN]]
    for role in roles:
        credential = None
        if role is not None:
            credential = build_credential(role)
        if credential and role == PLAYER:
            credential = replace(credential, player=f"{OWN}-{others[-1]}")  # not the player with the secrets
        await walk_routes(cell, role, credential, walk)
        await walk_queries(cell, role, credential, walk)
    assert not walk.found, "\n".join(walk.found)
    for what in ("address", "need", "entrant", "fee", "message", "rack"):
        assert (what, DIRECTOR) in walk.seen, f"the director reads the {what} nowhere: the walk would not find it"
    assert ("fee", TREASURER) in walk.seen
    unread = {route for route, _ in list_addresses("") if route not in walk.answered and not NOT_HERE.search(route)}
    assert not unread, sorted(unread)


async def test_five_hundred_phones_that_read_a_pairing_lose_it_when_it_is_withdrawn(cell: Cell) -> None:
    """Each answer during the withdrawal has the pairing or is 404, and each one after it is 404."""
    cup = "crowded"
    director = replace(build_credential(DIRECTOR), scope=Scope())

    async def direct(request: Any) -> Any:
        request.tournament_id = cup
        return await do(cell, request, director)

    await direct(pairing.CreateTournamentRequest(name="Crowded", rounds=5))
    for number in range(1, 7):
        await direct(pairing.RegisterPlayerRequest(player_id=f"{cup}-{number}", name=f"Seated Player {number}"))
    await direct(pairing.PairRoundRequest(round=1, draft=True))
    position = (await direct(pairing.PublishRoundRequest(round=1))).position
    pages = (f"/tournaments/{cup}/round/1", f"/api/v1/tournaments/{cup}/rounds/1/pairings")
    gate = asyncio.Semaphore(MAX_PHONES_AT_ONCE)
    async with browser(cell, None) as web:

        async def read(number: int) -> tuple[int, bool]:
            async with gate:
                answer = await web.get(pages[number % len(pages)], params={"min_position": position})
            return answer.status_code, "Seated Player" in answer.text

        assert {await read(0), await read(1)} == {(200, True)}
        phones = [asyncio.create_task(read(number)) for number in range(NUM_PHONES)]
        withdrawn = (await direct(pairing.UnpublishRoundRequest(round=1, note="a table broke"))).position
        during = {await phone for phone in phones}
        assert during <= {(200, True), (404, False)}
        position = withdrawn
        await read(1)  # waits until the read models have reached it
        after = set(await asyncio.gather(*map(read, range(NUM_PHONES))))
    assert after == {(404, False)}
