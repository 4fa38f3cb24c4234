"""Every address of the gateway, requested for each mode of tournament before, during and after play.

A new route is requested too: the addresses come from the routes, and a parameter without a value here fails.
"""

from __future__ import annotations

import asyncio
import html
import itertools
import json
import logging
import re
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import grpc
import httpx
import pytest
import pytest_asyncio
from fastapi.routing import APIRoute
from starlette.routing import Route
from tests.component.gateway.api.test_document import EXAMPLES, FINITE, held_to_its_document
from tests.component.method_requests import build_request, list_queries
from tests.component.officials import do
from tests.component.test_duplicate import WORDS
from tests.support.access_cell import Cell, build_credential
from tests.support.court import until
from tests.support.plain_http import PLAIN

from faristol.access_control.credential import Credential
from faristol.access_control.roles import Role
from faristol.casebook.hosts.lexicons import LEXICON_NAME, install
from faristol.client.services import call_until_found
from faristol.gateway.app import ROUTES
from faristol.gateway.pages.alternatives import ALTERNATIVE_PATHS
from faristol.gateway.pages.spectators.slots import SLOT_CONTENTS
from faristol.gateway.print.day import TABLE_PAPERS
from faristol.gateway.print.duplicate import ALL_PAPERS, DUPLICATE_PAPERS
from faristol.gateway.print.form import STYLES
from faristol.host import SERVICES, Settings
from faristol.launcher.processes import running
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_pb2 as duplicate
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.game.v1.duplicate_pb2_grpc import DuplicateServiceStub
from faristol.pb.game.v1.game_pb2_grpc import GameServiceStub
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import load_tile_set
from faristol.text import LANGUAGES, translations
from faristol.words import About, Library

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Clock:
    """a stopped time, except for waits: no turn at a table expires while addresses are requested"""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


CLOCK = Clock()

PLAYERS = ("anna", "blai", "cesca", "p-0264b7df82e4")
"""Ids of players: a name of a person, or the one that the platform generates."""
MAX_CALLS_AT_ONCE = 4
HALLS = (("Nord", 1, 2), ("Sud", 3, 4))

Option = game_events.ChosenOption


@dataclass(frozen=True, slots=True)
class Mode:
    """A tournament that is walked."""

    id: str
    ruleset: str
    options: Mapping[str, str] = field(default_factory=dict)
    teams: Sequence[Sequence[str]] = ()

    mode: str = "classic"

    @property
    def is_duplicate(self) -> bool:
        return self.mode == "duplicate"

    @property
    def game(self) -> str:
        """The id of the first game."""
        return f"{self.id}-r1" if self.is_duplicate else f"{self.id}-r1-t1"


CLASSIC = Mode("lliga", "uf-2007", {"minutes": "30"})
TEAMS = Mode("equips", "fise", {"teams": "2", "tie_breaks": "spread"}, (PLAYERS[:2], PLAYERS[2:]))
MULTI = Mode("festa", "festa-major", mode="multi")
DUPLICATE = Mode("rondes", "fisc-2023-duplicate", mode="duplicate")
MODES = (DUPLICATE, CLASSIC, TEAMS, MULTI)

STATES = BEFORE, WHILE, AFTER = "before", "while", "after"

OF_TABLES = (
    "not in this round",
    "Not in this round:",
    "No round is paired yet.",
    "No round is paired yet. This page shows the tables when a round is paired.",
    "W–D–L",
    "Crosstable",
    "By table",
    "Median-Buchholz",
    "No player of that name plays here. The beginning of a name is enough; accents do not matter.",
)
"""Terms that no page of a duplicate game has; the last of them everywhere."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, shared_nats: str, no_open: None) -> AsyncIterator[Cell]:
    """Yield a platform with a tournament of each mode, players and teams registered, and no round paired."""
    folder = tmp_path_factory.mktemp("modes")
    library = Library(folder / "lexicons")
    install(library, load_tile_set("ca-100"), WORDS)
    about = About("spanish", "first", "CC0-1.0", "written for the tests", date(2024, 2, 29))
    library.install("spanish", {("Z", "U", "LL", "A")}, tile_set=load_tile_set("es-100"), about=about)
    given = {"data": folder, "lexicons": folder / "lexicons", "nats_url": shared_nats, "open": False}
    settings = Settings.model_validate(
        {**given, "http_port": 0, "grpc_port": 0, "grace_seconds": 0.1, "http_requests_per_second": 0}
    )
    async with (
        running(settings, SERVICES, CLOCK) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
    ):
        made = Cell(process, channel, folder, {})
        for mode in MODES:
            await _enter(made, mode)
        yield made


def _build_credential(role: Role, tournament: str, subject: str = "") -> Credential:
    """Return a credential that is valid at the time of the cell."""
    found = build_credential(role, tournament=tournament, **({"subject": subject} if subject else {}))
    if role == needs.ROLE_PLAYER:
        found = replace(found, player="anna")
    issued = CLOCK.now.replace(microsecond=0)
    return replace(found, issued_at=issued, expires_at=issued + timedelta(hours=1))


async def _enter(cell: Cell, mode: Mode) -> None:
    options = [Option(name=name, value=value) for name, value in mode.options.items()]
    create = pairing.CreateTournamentRequest(
        tournament_id=mode.id,
        name=mode.id.title(),
        rounds=1,
        ruleset=mode.ruleset,
        lexicon="spanish" if mode.ruleset == "fise" else LEXICON_NAME,
        options=options,
        seed=bytes(32),
    )
    await do(cell, create, _build_credential(needs.ROLE_FEDERATION, tournament=""))
    players = pairing.RegisterPlayersRequest(tournament_id=mode.id)
    for number, player in enumerate(PLAYERS):
        players.players.add(
            command_id=str(uuid.uuid4()),
            tournament_id=mode.id,
            player_id=player,
            name="Dídac" if player.startswith("p-") else player.title(),
            rating=1500 - number,
        )
    await _direct(cell, mode, players)
    halls = pairing.SetHallsRequest()
    for name, first, last in HALLS:
        halls.halls.add(name=name, first_table=first, last_table=last)
    await _direct(cell, mode, halls)
    for number, line_up in enumerate(mode.teams, start=1):
        await _direct(
            cell, mode, pairing.RegisterTeamRequest(team_id=f"t{number}", name=f"Team {number}", player_ids=line_up)
        )


async def _direct(cell: Cell, mode: Mode, request: Any) -> Any:
    request.tournament_id = mode.id
    return await do(cell, request, _build_credential(needs.ROLE_DIRECTOR, tournament=mode.id))


async def _begin(cell: Cell, mode: Mode) -> None:
    await _direct(cell, mode, pairing.PairRoundRequest(round=1))
    await _direct(cell, mode, pairing.StartRoundRequest(round=1))
    if not mode.is_duplicate:
        await call_until_found(GameServiceStub(cell.channel).GetGame, game_pb2.GetGameRequest(game_id=mode.game))
        return
    judge = _build_credential(needs.ROLE_ARBITER, tournament=mode.id, subject="judge")
    found = await call_until_found(
        DuplicateServiceStub(cell.channel).GetDuplicate, duplicate.GetDuplicateRequest(game_id=mode.game)
    )
    assert found.halls
    rack = ["C", "A", "S", "E", "R", "N", "A"]
    await do(cell, duplicate.CallRackRequest(game_id=mode.game, faces=rack, arbiter_id="judge"), judge)
    await do(cell, turns.StartTurnRequest(game_id=mode.game, turn=1, arbiter_id="judge"), judge)
    CLOCK.wait(181)
    scorer = _build_credential(needs.ROLE_SCORER, tournament=mode.id, subject="collector")
    for hall, player in (("Nord", "anna"), ("Sud", "cesca")):
        paper = duplicate.SubmitSlipsRequest(game_id=mode.game, turn=1, hall=hall, collector_id="collector")
        paper.slips.add(player_id=player, coordinates="H8", word="C A S A")
        await do(cell, paper, scorer)
        closed = duplicate.CloseHallRequest(game_id=mode.game, turn=1, hall=hall, collector_id="collector")
        await do(cell, closed, scorer)
    await do(cell, duplicate.ScoreTurnRequest(game_id=mode.game, turn=1, arbiter_id="judge"), judge)


async def _end(cell: Cell, mode: Mode) -> None:
    """Bring a tournament to its final standings."""
    if mode.is_duplicate:
        judge = _build_credential(needs.ROLE_ARBITER, tournament=mode.id, subject="judge")
        await do(cell, duplicate.EndGameRequest(game_id=mode.game, reason="it is late", arbiter_id="judge"), judge)
        await do(cell, duplicate.ValidateResultsRequest(game_id=mode.game, arbiter_id="judge"), judge)
    else:
        known = await _direct(cell, mode, pairing.GetTournamentRequest())
        for table in known.played[0].pairings:
            players = [*table.player_ids] or [table.first_player_id, table.second_player_id]
            entered = pairing.EnterResultRequest(game_id=table.game_id, arbiter_id="eva")
            for number, player in enumerate(players):
                entered.scores.add(player_id=player, score=400 - 37 * number)
            await _direct(cell, mode, entered)
    await _direct(cell, mode, pairing.CloseRoundRequest(round=1))
    await _direct(cell, mode, pairing.PublishStandingsRequest())


# --- the walk ------------------------------------------------------------------------------------------------------


def _routes() -> Iterator[str]:
    """Return the paths of all GET requests over HTTP, each once."""
    paths = [
        route.path
        for routes in ROUTES
        for route in routes.routes
        if isinstance(route, Route | APIRoute) and "GET" in (route.methods or ())
        if not route.path.startswith("/slots/")  # it leads to the only tournament in play: test_slots.py
    ]
    return iter(dict.fromkeys([*paths, "/healthz", "/readyz", "/openapi.json", "/openapi-commands.json"]))


OF_DUPLICATE = re.compile(r"/duplicate/\{game_id\}")


NOT_HERE = re.compile(
    r"^/log/|^/api/.*/proof$|\{season_id\}|/ratings/\{number\}$|^/federation/|/career/\{opponent_id\}"
)
"""Addresses of what this cell has not: a log with a checkpoint, seasons, rating lists, and their official."""

UNPROVEN = re.compile(r"^/api/.*/proof$")
"""Proofs of what no checkpoint covers yet: the log has none in this cell."""

SHEET_PROOF = "/api/v1/games/{game_id}/proof"
"""The proof of a table, which has public events from its start on."""

FOR_OTHERS = ("/tsh.zip", "/results.tou", "/crosstable.txt")
"""Files for other programs."""

OEMBED = "/oembed"


def _embeddable(mode: Mode) -> Iterator[str]:
    """Yield the pages of a tournament of which there are descriptions for programs that embed links."""
    yield from (
        f"/tournaments/{mode.id}",
        f"/tournaments/{mode.id}/round/1",
        f"/tournaments/{mode.id}/embed/pairings?theme=dark",
    )
    yield f"/tournaments/{mode.id}/screen"
    if not mode.is_duplicate:
        yield f"/games/{mode.game}"


def _addresses(mode: Mode, site: str) -> Iterator[tuple[str, str]]:
    """Yield each path with the addresses that it has for a tournament at ``site``."""
    for path in _routes():
        if path == OEMBED:
            yield from ((path, f"{path}?{urlencode({'url': f'{site}{page}'})}") for page in _embeddable(mode))
            continue
        game = f"{mode.id}-r1" if OF_DUPLICATE.search(path) else mode.game
        values = {
            "tournament_id": [mode.id],
            "game_id": [game],
            "player_id": ["anna"],
            "team_id": ["t1"],
            "number": ["1"],
            "table": ["1"],
            "case_id": [f"{game}-c1"],
            "service": ["pairing"],
            "digest": ["0" * 64],
            "name": [next(iter(STYLES))],
            "help_name": ["duplicate"],
            "receipt": ["1"],
            "slot": ["1"],
            "season_id": ["none"],
            "circuit_id": ["none"],
            "level": ["0"],
            "path": ["000"],
            "opponent_id": ["berta"],
            "person_id": ["anna"],
            "content": [f"{name}{kind}" for name, kind in zip(SLOT_CONTENTS, ["", ".txt", ".json"] * 2, strict=True)],
            "rest": [mode.id if path.startswith("/t/") else mode.game],
            "kind": [kind for kind, paper in ALL_PAPERS.items() if paper.of_round == ("{number}" in path)],
        }
        names = re.findall(r"\{(\w+)[^}]*\}", path)
        assert set(names) <= set(values), f"{path}: say what its parameters are for a tournament of each mode"
        for found in itertools.product(*(values[name] for name in names)):
            address = path
            for value in found:
                address = re.sub(r"\{[^}]*\}", value, address, count=1)
            yield path, address


@dataclass(frozen=True, slots=True)
class Walked:
    """An answer of the gateway."""

    path: str
    address: str
    language: str
    status: int
    text: str
    type: str
    instead: str
    """The address to ask instead, of a refusal that has one."""

    @property
    def is_page(self) -> bool:
        return self.type.startswith("text/html")


async def _fetch(web: httpx.AsyncClient, path: str, address: str, language: str, headers: Mapping[str, str]) -> Walked:
    """Return the answer; of a stream its beginning."""
    asked = f"{address}{'&' if '?' in address else '?'}lang={language}"
    async with web.stream("GET", asked, headers=headers) as answer:
        kind = answer.headers.get("content-type", "")
        if kind.startswith("text/event-stream"):
            text = ""
            async for line in answer.aiter_lines():
                text = line
                break
        else:
            text = (await answer.aread()).decode("utf-8", "replace")
        instead = answer.links.get("related", {}).get("url", "")
    return Walked(path, address, language, answer.status_code, text, kind, instead)


ONCE = frozenset(("/docs", "/train", "/openapi.json", "/openapi-commands.json"))
"""Slow pages that no tournament changes: only requested at the end."""

OF_A_PLAYER = re.compile(r"/my-|/slip$|/api/v1/my")
"""Pages of a player who is signed in."""

CONSOLES = re.compile(r"/(console|print|arbiter|round/[^/]+/results|access|judge|slip|docs|sign-in|account|new|my-)")


def _languages(mode: Mode, state: str) -> Mapping[str, str]:
    """Return the language of each path: another for each mode in a state, and for each state of a mode."""
    offset = MODES.index(mode) + STATES.index(state)
    return {path: LANGUAGES[(number + offset) % len(LANGUAGES)] for number, path in enumerate(_routes())}


def _list_addresses(mode: Mode, state: str, site: str, *, all_pdfs: bool) -> Iterator[tuple[str, str]]:
    """Yield the addresses to request; those of no tournament only with one mode.

    A PDF is made from the page beside it, which is requested in each state. Each PDF is made in one state of a mode,
    and in a different state for each mode; without ``all_pdfs``, for one mode.
    """
    turn = MODES.index(mode) + STATES.index(state)
    for number, (path, address) in enumerate(_addresses(mode, site)):
        if path.endswith(".pdf") and (
            (number + turn) % len(STATES) or not (all_pdfs or MODES[number % len(MODES)] is mode)
        ):
            continue
        if "{" in path or path == OEMBED or (mode is CLASSIC and (path not in ONCE or state == AFTER)):
            yield path, address


async def _walk(cell: Cell, mode: Mode, state: str, *, all_pdfs: bool) -> list[Walked]:
    """Return all addresses, by a director who is signed in, and by a player where a page is theirs."""
    gate = asyncio.Semaphore(MAX_CALLS_AT_ONCE)
    cookies = {
        role: {"Cookie": f"faristol={cell.token(_build_credential(role, tournament=mode.id))}"}
        for role in (needs.ROLE_DIRECTOR, needs.ROLE_PLAYER)
    }
    headers = {"Cache-Control": "no-cache", "Sec-Fetch-Site": "same-origin"}
    languages = _languages(mode, state)
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=60, headers=headers) as web:

        async def fetch(path: str, address: str) -> Walked:
            async with gate:
                role = needs.ROLE_PLAYER if OF_A_PLAYER.search(path) else needs.ROLE_DIRECTOR
                return await _fetch(web, path, address, languages[path], cookies[role])

        addresses = _list_addresses(mode, state, cell.process.http_address, all_pdfs=all_pdfs)
        return await asyncio.gather(*(fetch(*each) for each in addresses))


ALWAYS: Mapping[str, int] = {
    "/tournaments/{tournament_id}/entry": 404,  # without a key
    "/tournaments/{tournament_id}/fees/receipts/{receipt}": 404,  # without a payment
    "/sign-in/openid": 404,  # there is no provider
    "/sign-in/openid/callback": 303,
    "/judge/cases/{case_id}": 404,
    "/tournaments/{tournament_id}/pictures/{digest}": 404,  # there is no picture
    "/hall-state": 404,  # this is no cell of a hall
    "/start/restore": 404,  # the record is in use
    "/start/restored": 404,
    "/t/{rest:path}": 308,
    "/g/{rest:path}": 308,
    "/tournaments/{tournament_id}/console/rounds": 303,
    "/me": 303,
    "/tournaments/{tournament_id}/console/round/{number}": 200,
}
"""Addresses that need more than a tournament, or lead on."""


def _expect_status(mode: Mode, state: str, path: str, address: str) -> int:
    """Return the status of an address."""
    kind = address.rpartition("/")[2]
    is_missing = state == BEFORE and ("{game_id}" in path or "{number}" in path)
    if path in ALWAYS:
        return ALWAYS[path]
    if NOT_HERE.search(path):
        is_table = mode.is_duplicate and "{game_id}" in path  # a duplicate game has proofs by round only
        is_public = state == AFTER or (state == WHILE and path == SHEET_PROOF)
        return 409 if is_public and UNPROVEN.search(path) and not is_table else 404
    if mode is MULTI and path.endswith(FOR_OTHERS) and not is_missing and state != BEFORE:
        return 409  # other programs know games of two players
    if path == OEMBED:
        return 404 if state == BEFORE and "%2Fgames%2F" in address else 200
    if "/print/" in path and "{kind}" in path:
        if kind not in (DUPLICATE_PAPERS if mode.is_duplicate else TABLE_PAPERS):
            return 409
        return 404 if is_missing else 200
    if OF_DUPLICATE.search(path):
        return 200 if mode.is_duplicate and not is_missing else 404
    if "duplicate" in path and not mode.is_duplicate:
        return 409
    if mode is MULTI and (path.endswith(".gcg") or (path.endswith("/report.trf") and state == AFTER)):
        return 404 if is_missing else 409  # both hold games of two players
    if path.endswith("/prospects") and mode in (TEAMS, MULTI):
        return 409  # other figures than points decide the places
    if "duplicate" not in path and mode.is_duplicate and path in ALTERNATIVE_PATHS:
        return 404 if is_missing and "{game_id}" in path else 409
    if "{team_id}" in path and not mode.teams:
        return 404
    if _is_of_results(path):
        return 409 if is_missing or mode.is_duplicate else 200
    return 404 if is_missing else 200


def _is_of_results(path: str) -> bool:
    """Return whether results are typed there."""
    return path.startswith("/tournaments/{tournament_id}/round/{number}/results")


def _is_early(state: str, path: str) -> bool:
    """Return whether a refusal concerns an unpaired round, in any mode."""
    return state == BEFORE and _is_of_results(path)


def _text(page: str) -> str:
    """Return the words of a page."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


INTERNAL = re.compile(
    r"\b[op]-[0-9a-f]{8,12}\b"  # ids that are made for players and officials
    r"|\b(?:elo|naspa|glicko2)-\d\b|\b(?:festa-major|uf-2007|fisc-2023-duplicate)\b"
    r"|\b[a-z]+(?:_[a-z]+)+\b"  # fields of the contract
)
"""Names of programs that no text for people contains."""

OF_PROGRAMS = re.compile(r"^/(docs|new|train)\b")
"""Pages for programmers, and forms whose fields have such a name beside the words."""


def _internal(walked: Walked) -> Iterator[str]:
    """Yield the program names in the visible text of a page, except those marked as code."""
    if walked.is_page and walked.status == HTTPStatus.OK and not OF_PROGRAMS.search(walked.path):
        shown = re.sub(
            r"<(script|style|code|pre|textarea)\b.*?</\1>|<title>.*?</title>", " ", walked.text, flags=re.DOTALL
        )
        yield from dict.fromkeys(INTERNAL.findall(_text(shown)))


def _wrong(mode: Mode, state: str, walked: Sequence[Walked]) -> Iterator[str]:
    """Yield the problems of an answer."""
    by_address = {each.address: each for each in walked}
    for each in walked:
        what = f"{mode.id} {state}: {each.address} {each.language}"
        expected = _expect_status(mode, state, each.path, each.address)
        if each.status != expected:
            yield f"{what}: {each.status} for {expected}"
        yield from (f"{what}: shows {name!r}" for name in _internal(each))
        if "Traceback" in each.text:
            yield f"{what}: a traceback"
        if each.is_page and "/print/" not in each.path and f'<html lang="{each.language}"' not in each.text:
            yield f"{what}: in another language"
        if each.status == HTTPStatus.CONFLICT and not (_is_early(state, each.path) or UNPROVEN.search(each.path)):
            pointer = f'href="{each.instead}"' if each.is_page else f'"instead":"{each.instead}"'
            found = by_address.get(each.instead)
            if pointer not in each.text or not found or not (state == BEFORE or found.status == HTTPStatus.OK):
                yield f"{what}: no way to what there is instead, but {each.instead!r}"
        if (
            each.path.startswith("/api/v1/")
            and each.type.startswith("application/json")
            and each.status == HTTPStatus.OK
        ):
            for link in _links(json.loads(each.text)):
                if (found := by_address.get(link)) and found.status != HTTPStatus.OK:
                    yield f"{what}: leads to {link}, which is {found.status}"
        if mode.is_duplicate and each.status == HTTPStatus.OK:
            yield from (f"{what}: says {word!r}" for word in _of_tables(each))


def _links(found: Any) -> Iterator[str]:
    """Yield the addresses that a JSON answer leads to."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield from (_flat(value.values()) if name == "links" else _links(value))
    elif isinstance(found, list):
        for value in found:
            yield from _links(value)


def _flat(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from [value] if isinstance(value, str) else value


LINKED = (
    "/api/v1/tournaments/{tournament_id}/standings",
    "/api/v1/tournaments/{tournament_id}/rounds/{number}/pairings",
    "/api/v1/tournaments/{tournament_id}/crosstable",
    "/api/v1/tournaments/{tournament_id}/duplicate-standings",
    "/api/v1/duplicate/{game_id}",
    "/api/v1/duplicate/{game_id}/standings",
    "/api/v1/duplicate/{game_id}/sheets",
)
"""Pages that link to themselves, and to more than their tournament."""


def _own(person: str, mode: Mode) -> Any:
    """Return the part of a player's JSON that concerns a tournament."""
    tournaments = json.loads(person)["tournaments"]
    return next(each for each in tournaments if each["tournament"]["tournament_id"] == mode.id)


def _of_tables(walked: Walked) -> Iterator[str]:
    """Yield the terms of tables in an answer about duplicate games; none in a career, which has all tournaments."""
    if "/career" in walked.path:
        return
    if walked.type.startswith("application/json"):
        text = walked.text
        if walked.path.startswith("/api/v1/players/"):  # it has the other tournaments of the player too
            text = json.dumps(_own(text, DUPLICATE))
        yield from (name for name in ("half_points", "wins", "spread", "tie_breaks") if f'"{name}":' in text)
    elif walked.is_page and not CONSOLES.search(walked.path):
        read = translations(walked.language).gettext
        shown = re.sub(r'<p class="empty"[^>]* hidden>.*?</p>', "", walked.text, flags=re.DOTALL)
        if walked.path.startswith("/players/"):  # it has the other tournaments of the player too
            own = re.search(
                rf'<section class="entered" aria-labelledby="t-{DUPLICATE.id}".*?</section>', shown, re.DOTALL
            )
            shown = own[0] if own else ""
        text = _text(shown)
        yield from (each for each in OF_TABLES if read(each) in text)


DRAFT_TABLE_NUMBER = 977
"""The table of a pairing that only a draft has."""

CHANGING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9_+/=-]{20,}|\d+")
"""Nonces, ids, times, positions: the parts of an answer that change without an event."""


IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9_+/=-]{20,}")
"""Nonces and ids, which can contain any number."""


def _has_draft_table(text: str) -> bool:
    """Check whether an answer has the number of the table that only the draft has."""
    return re.search(rf"(?<!\d){DRAFT_TABLE_NUMBER}(?!\d)", IDS.sub("", text)) is not None


def _is_without_rounds(address: str) -> bool:
    """Check whether the answer has no round: a card for each table of the halls, a new code for each screen."""
    return address == "/screen" or "/print/tablecards" in address


async def _read_as(cell: Cell, mode: Mode, roles: Sequence[Role | None]) -> dict[tuple[str, str], str]:
    """Return the answers of all addresses of a tournament, by role and address; a PDF is made from its page."""
    found: dict[tuple[str, str], str] = {}
    gate = asyncio.Semaphore(MAX_CALLS_AT_ONCE)
    site = cell.process.http_address
    async with httpx.AsyncClient(verify=PLAIN, base_url=site, timeout=60) as web:

        async def fetch(name: str, headers: Mapping[str, str], path: str, address: str) -> None:
            async with gate:
                walked = await _fetch(web, path, address, "en", {**headers, "Cache-Control": "no-cache"})
                found[name, address] = f"{walked.status} {walked.text}"

        for role in roles:
            name, headers = "anonymous", {}
            if role is not None:
                token = cell.token(_build_credential(role, tournament=mode.id))
                name, headers = str(role), {"Cookie": f"faristol={token}", "Sec-Fetch-Site": "same-origin"}
            addresses = [
                each
                for each in _addresses(mode, site)
                if each[0] not in ONCE and ".pdf" not in each[0] and not _is_without_rounds(each[1])
            ]
            await asyncio.gather(*(fetch(name, headers, *each) for each in addresses))
    return found


async def _ask_queries(cell: Cell, mode: Mode, role: Role | None) -> dict[str, str]:
    """Return the answers to all queries over gRPC as a role, with and without fields that only some callers may set."""
    credential = None if role is None else _build_credential(role, tournament=mode.id)
    token = "" if credential is None else cell.token(credential)
    found = {}
    for path, method in list_queries():
        for with_narrowed in (True, False):
            subject = credential.subject if credential else ""
            request = build_request(method, mode.id, subject, "anna", with_narrowed=with_narrowed)
            try:
                answer = str(await cell.call(path, request, token))
            except grpc.aio.AioRpcError as error:
                answer = str(error.details())
            found[f"{path} {with_narrowed}"] = answer
    return found


async def _read_streams(cell: Cell, mode: Mode, after: int, position: int) -> str:
    """Return the public events after a position up to another, as the stream sends them."""
    text = ""
    async with (
        httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=60) as web,
        web.stream("GET", f"/api/v1/tournaments/{mode.id}/stream?after={after}") as answer,
    ):
        async for line in answer.aiter_lines():
            text += f"{line}\n"
            if line.startswith("id:") and int(line.rpartition("-")[2].rpartition(":")[2]) >= position:
                break
    return text


async def _wait_for_position(cell: Cell, mode: Mode, position: int) -> None:
    """Wait until the read models have applied the events up to a position."""
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=60) as web:
        answer = await web.get(f"/api/v1/tournaments/{mode.id}", params={"min_position": position})
        assert answer.status_code == HTTPStatus.OK, answer.text


async def _wait_for_pairing(cell: Cell, mode: Mode, status: HTTPStatus) -> None:
    """Wait until the read models have applied the last event of a pairing."""
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=60) as web:
        address = f"/api/v1/tournaments/{mode.id}/rounds/1/pairings"

        async def is_reached() -> bool | None:
            return (await web.get(address, headers={"Cache-Control": "no-cache"})).status_code == status or None

        await until(is_reached)


BESIDE_BY_DAY = (needs.ROLE_SCORER,)
BESIDE = (*BESIDE_BY_DAY, needs.ROLE_JUDGE, needs.ROLE_OPERATOR, needs.ROLE_TREASURER, needs.ROLE_ANNOTATOR)
"""Roles of officials without rights on a draft."""


@pytest.mark.parametrize(
    ("mode", "beside"),
    [
        pytest.param(CLASSIC, BESIDE_BY_DAY, id="day"),
        pytest.param(CLASSIC, BESIDE, id="night", marks=pytest.mark.nightly),
        pytest.param(TEAMS, BESIDE, id="night-teams", marks=pytest.mark.nightly),
    ],
)
async def test_no_answer_has_a_draft_before_its_publication(cell: Cell, mode: Mode, beside: Sequence[Role]) -> None:
    """Compare every answer before and with a draft, for callers without rights on it.

    The draft has a table that no other pairing has. An anonymous visitor reads the same before and with the draft.
    """
    roles = (None, needs.ROLE_PLAYER, *beside)
    record, wrong = cell.process.runtime.record, []
    halls = [*HALLS, ("Torre", 970, 979)]
    request = pairing.SetHallsRequest()
    for name, first, last in halls:
        request.halls.add(name=name, first_table=first, last_table=last)
    given = await _direct(cell, mode, request)
    await _wait_for_position(cell, mode, given.position)
    before = await _read_as(cell, mode, (None,))
    start = await record.last_position()
    await _direct(cell, mode, pairing.PairRoundRequest(round=1, draft=True))
    await _direct(cell, mode, pairing.MovePairingRequest(round=1, table=1, to_table=DRAFT_TABLE_NUMBER))
    drafted = await _direct(cell, mode, pairing.GetDraftRequest())
    assert DRAFT_TABLE_NUMBER in [seat.table for seat in drafted.draft.pairings]
    found = await _read_as(cell, mode, roles)
    wrong += [f"{role}: {address}" for (role, address), text in found.items() if _has_draft_table(text)]
    for role in roles:
        asked = await _ask_queries(cell, mode, role)
        wrong += [f"{role}: {path}" for path, text in asked.items() if _has_draft_table(text)]
    if not any(map(_has_draft_table, (await _ask_queries(cell, mode, needs.ROLE_DIRECTOR)).values())):
        wrong.append("the director gets the draft by no query: the walk would not find it")
    wrong += [
        f"anonymous, changed: {address}"
        for (_, address), text in before.items()
        if CHANGING.sub("", text) != CHANGING.sub("", found["anonymous", address])
    ]
    await _direct(cell, mode, pairing.PublishRoundRequest(round=1))
    await _wait_for_pairing(cell, mode, HTTPStatus.OK)
    shown = await _read_as(cell, mode, (None,))
    if not any(map(_has_draft_table, shown.values())):
        wrong.append("the published table is on no page")
    await _direct(cell, mode, pairing.UnpublishRoundRequest(round=1, note="a table broke"))
    await _wait_for_pairing(cell, mode, HTTPStatus.NOT_FOUND)
    again = await _read_as(cell, mode, (None,))
    wrong += [f"unpublished: {address}" for (_, address), text in again.items() if _has_draft_table(text)]
    wrong += [f"unpublished, reason: {address}" for (_, address), text in again.items() if "a table broke" in text]
    await _direct(cell, mode, pairing.UnpairRoundRequest(round=1))
    restored = pairing.SetHallsRequest()
    for name, first, last in HALLS:
        restored.halls.add(name=name, first_table=first, last_table=last)
    await _direct(cell, mode, restored)
    told = await _direct(cell, mode, pairing.AnnounceRoundsRequest())
    events = await _read_streams(cell, mode, start, told.position)
    types = re.findall(r"event: ?(\w+)", events)
    if any("Draft" in kind or kind in ("RoundPublished", "PublicationScheduled") for kind in types):
        wrong.append(f"the stream told {types}")
    if not {"RoundPaired", "RoundUnpublished"} <= {*types}:
        wrong.append(f"the stream told only {types}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("by_day", [True, pytest.param(False, marks=pytest.mark.nightly)])
async def test_every_address_is_right_for_each_mode_before_while_and_after_it_is_played(
    cell: Cell, caplog: pytest.LogCaptureFixture, record_property: Any, *, by_day: bool
) -> None:
    """Request each address. By day, those of teams and of games of more players only while they are played."""
    wrong: list[str] = []
    count: Counter[str] = Counter()
    for state, bring in ((BEFORE, None), (WHILE, _begin), (AFTER, _end)):
        for mode in MODES:
            if bring:
                await bring(cell, mode)
            if by_day and mode in (TEAMS, MULTI) and state != WHILE:
                continue
            walked = await _walk(cell, mode, state, all_pdfs=not by_day)
            count.update(each.path for each in walked)
            wrong += _wrong(mode, state, walked)
            wrong += _unsaid(mode, state, {each.address: each for each in walked})
    wrong += [f"log: {each.getMessage()}" for each in caplog.records if each.levelno >= logging.ERROR]
    listed = "\n".join(f"{times:5} {path}" for path, times in sorted(count.items(), key=lambda each: each[0]))
    record_property("walked", listed)
    assert not wrong, "\n".join(wrong)
    assert set(count) == set(_routes()), listed


def _unsaid(mode: Mode, state: str, found: Mapping[str, Walked]) -> Iterator[str]:
    """Yield the fields that a tournament should have and does not have."""
    for path in (each for each in found.values() if each.path in LINKED and each.status == HTTPStatus.OK):
        links = list(_links(json.loads(path.text)))
        if path.address not in links or len(set(links)) < 3 + (state != BEFORE):
            yield f"{mode.id} {state}: {path.address} leads to {links}"
    head = json.loads(found[f"/api/v1/tournaments/{mode.id}"].text)["tournament"]
    games = [(each["game_id"], each["round"], each["phase"]) for each in head["duplicate_games"]]
    began = [(f"{mode.id}-r1", 1, "started" if state == WHILE else "closed")] if state != BEFORE else []
    if (head["mode"], games) != (mode.mode, began if mode.is_duplicate else []):
        yield f"{mode.id} {state}: is told as {head['mode']} with {games}"
    own = _own(found["/api/v1/players/anna"].text, mode)
    pages = {name: _text(found[f"/tournaments/{mode.id}/{name}"].text) for name in ("find", "screen")}
    pages["player"] = _text(found["/players/anna"].text)
    if not mode.is_duplicate:
        if own["duplicate"] is not None or (state != BEFORE and len(own["games"]) != 1):
            yield f"{mode.id} {state}: anna has {own}"
        return
    if own["standing"] is not None or own["player"]["new_rating"] is not None:
        yield f"{mode.id} {state}: anna has {own}"
    if state == BEFORE:
        return
    game = own["duplicate"]["games"][0]
    if (own["duplicate"]["rank"], game["hall"], game["number"], game["total"]) != (1, "Nord", 1, 10):
        yield f"{mode.id} {state}: anna has {own['duplicate']}"
    for name, text in pages.items():
        if "Nord" not in text and not (name == "screen" and state == AFTER):
            yield f"{mode.id} {state}: {name} does not say where anna sits"
    if "Anna" not in pages["screen"]:
        yield f"{mode.id} {state}: nothing of anna on the screen"


@pytest.mark.nightly
async def test_every_mode_is_answered_as_the_document_says(cell: Cell) -> None:
    """Schemathesis on a cell with a tournament of each mode, with ids of all of them."""
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=60) as web:
        head = (await web.get(f"/api/v1/tournaments/{CLASSIC.id}")).json()["tournament"]
    for bring in () if head["played"] else (_begin, _end):
        for mode in MODES:
            await bring(cell, mode)
    ids = {
        "tournament_id": [mode.id for mode in MODES],
        "game_id": [mode.game for mode in MODES],
        "duplicate": [DUPLICATE.game, CLASSIC.game],
        "player_id": list(PLAYERS),
        "team_id": ["t1", "t2"],
    }
    last = await cell.process.runtime.record.last_position()
    await held_to_its_document(cell.process.http_address, last, ids, EXAMPLES["nightly"], *FINITE)
