"""Pages for signed-in users, over real HTTP: cookies, other sites, every role, and cached data."""

from __future__ import annotations

import asyncio
import html
import logging
import re
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from fastapi.routing import APIRoute
from tests.component.processes import Child, faristol, free_port
from tests.openid.real_provider import DESCRIBED
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential, grant, open_access_cell
from tests.support.plain_http import PLAIN
from tests.support.stage import open_stage
from tests.support.synthetic import Championship
from tests.unit.access_control.access_table import PAGE

from faristol.access_control import keyring
from faristol.access_control.credential import Scope
from faristol.access_control.roles import MAY_GIVE, PLAYER, ROLE_NAMES, ROLES, Role
from faristol.access_control.tokens import issue
from faristol.gateway.api import downloads
from faristol.gateway.api import routes as api
from faristol.gateway.app import app
from faristol.gateway.auth import credentials, openid, sign_in
from faristol.gateway.consoles import (
    arbiter,
    director,
    duplicate_game,
    fair_play,
    judge,
    lexicons,
    own_data,
    own_table,
    results_entry,
    takeover,
)
from faristol.gateway.consoles.attendance import day, here
from faristol.gateway.consoles.awards import ceremony
from faristol.gateway.consoles.messages import slots as slot_console
from faristol.gateway.consoles.scorer import page as scorer_page
from faristol.gateway.consoles.treasurer import page as treasurer_page
from faristol.gateway.federation import packs, rating_lists, register_console, register_import, season_console
from faristol.gateway.http.headers import CONTENT_SECURITY_POLICY
from faristol.gateway.pages import routes as pages
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as events
from faristol.pb.access.v1 import needs_pb2 as needs

pytestmark = pytest.mark.asyncio(loop_scope="module")

TLS = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
"""The headers of a proxy whose browser uses TLS."""

HOLDERS = frozenset(ROLE_NAMES[role] for role in MAY_GIVE)
EVERYBODY = HOLDERS | {""}
"""Including a caller without a role."""


def _who() -> Iterator[tuple[tuple[str, str], frozenset[str]]]:
    table = PAGE.read_text(encoding="utf-8").partition("## Pages that require a session")[2].partition("\n## ")[0]
    for method, path, roles in re.findall(r"^\| (GET|POST) (\S+) \| (.+) \|$", table, re.MULTILINE):
        yield (method, path), EVERYBODY if roles == "all visitors" else frozenset(roles.split(", "))


PRIVATE = (
    sign_in.routes,
    openid.routes,
    credentials.routes,
    *director.ROUTES,
    takeover.routes,
    results_entry.routes,
    judge.routes,
    arbiter.routes,
    scorer_page.routes,
    *duplicate_game.ROUTES,
    lexicons.routes,
    own_table.routes,
    own_data.routes,
    treasurer_page.routes,
    slot_console.routes,
    day.routes,
    here.routes,
    ceremony.routes,
    fair_play.routes,
    packs.routes,
    season_console.routes,
    rating_lists.console_routes,
    register_console.routes,
    register_import.routes,
)
"""The routes of pages that are not public."""

WHO = dict(_who())
"""The roles with access to each page that is not public, from the page of access."""

RESTORE = "/start/restore"
OF_A_TOURNAMENT = [
    (method, path)
    for method, path in WHO
    if "_id}" not in path.replace("{tournament_id}", "") and not path.startswith(RESTORE) and "{receipt}" not in path
]
"""Pages that are there for each tournament. Those of a case, a table, a receipt and the restore are held to the same by
`test_judge_page.py`, `test_hidden_answers.py`, `test_arbiter_page.py`, `test_duplicate_consoles.py` and
`test_first_restore.py`."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    folder = tmp_path_factory.mktemp("openid")
    secret, described = folder / "secret", folder / "openid.toml"
    secret.write_text("of a client")
    described.write_text(DESCRIBED.format(port=free_port(), secret=secret))  # where no provider answers
    more = {"http_proxies": "127.0.0.1", "openid": described}
    async with open_access_cell(tmp_path_factory.mktemp("cell"), lexicons, **more) as made:
        yield made


class Visitor(httpx.AsyncClient):
    """A browser of the pages: it stores cookies, and sends the origin of its forms."""

    async def send_form(self, path: str, **fields: str) -> httpx.Response:
        headers = {"Origin": str(self.base_url).rstrip("/"), "Content-Type": "application/x-www-form-urlencoded"}
        return await self.post(path, content=str(httpx.QueryParams(fields)), headers=headers)


@asynccontextmanager
async def visiting(cell: Cell, token: str = "", **more: Any) -> AsyncIterator[Visitor]:
    cookies = {"faristol": token} if token else {}
    async with Visitor(verify=PLAIN, base_url=cell.process.http_address, cookies=cookies, timeout=20, **more) as web:
        yield web


def session_of(role: Role, tournament: str, cell: Cell) -> str:
    player = cell.players[tournament][0] if role == PLAYER else ""
    return cell.token(build_credential(role, tournament, player=player))


async def test_every_route_is_public_or_says_who_is_let_in() -> None:
    public = {
        route.path for part in (api, downloads, pages) for route in part.routes.routes if isinstance(route, APIRoute)
    }
    private = {
        (method, route.path)
        for routes in PRIVATE
        for route in routes.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    assert private == set(WHO)
    assert not public & {path for _, path in private}


ROLE_GROUP_COUNT = 4
"""Groups of roles: by day each page is requested as the roles of one group, the next page as those of the next."""


def roles_by_day(method: str, path: str) -> list[Role]:
    """Return the roles as which a page is requested by day: always one that is let in, if there is one."""
    offset = OF_A_TOURNAMENT.index((method, path))
    let_in = [role for role in MAY_GIVE if ROLE_NAMES[role] in WHO[method, path]]
    chosen = {
        *list(MAY_GIVE)[offset % ROLE_GROUP_COUNT :: ROLE_GROUP_COUNT],
        *let_in[offset % max(len(let_in), 1) :][:1],
    }
    return [role for role in MAY_GIVE if role in chosen]


@pytest.mark.parametrize("by_day", [True, pytest.param(False, marks=pytest.mark.nightly)], ids=["day", "night"])
@pytest.mark.parametrize(("method", "path"), OF_A_TOURNAMENT)
async def test_a_page_is_for_its_roles_and_for_what_is_theirs(
    cell: Cell, method: str, path: str, *, by_day: bool
) -> None:
    """Visitors without a session are redirected to the sign-in; forbidden pages are not found."""
    address = path.format(tournament_id=OWN, game_id=f"{OWN}-r1-t1", number=1, table=1, season_id="any")
    for tournament in (OWN, FOREIGN):
        for role in (None, *(roles_by_day(method, path) if by_day else MAY_GIVE)):
            name = ROLE_NAMES[role] if role else ""
            if tournament == FOREIGN and name not in WHO[method, path]:
                continue  # it is refused in its own tournament too
            theirs = tournament == OWN or address == path or WHO[method, path] == EVERYBODY
            async with visiting(cell, session_of(role, tournament, cell) if role else "") as web:
                answer = await (
                    web.get(address)
                    if method == "GET"
                    else web.send_form(address, act="cards", command_id=str(uuid.uuid4()))
                )
                to_sign_in = answer.headers.get("location", "").startswith("/sign-in?next=")
                outcome = "sign in" if to_sign_in else "nothing" if answer.status_code == 404 else "page"
                refused = "nothing" if name else "sign in"
                assert outcome == ("page" if theirs and name in WHO[method, path] else refused), (name, tournament)
                assert answer.status_code < 500
                assert answer.status_code == 404 or "no-store" in answer.headers["cache-control"]
                assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", sorted({path for method, path in WHO if method == "POST"}))
async def test_a_form_of_another_site_does_nothing(cell: Cell, path: str) -> None:
    code = (await grant(cell, events.FORM_LINK)).code
    token = session_of(needs.ROLE_DIRECTOR, OWN, cell)
    fields = {"code": code, "everywhere": "1", "act": "cards", "command_id": str(uuid.uuid4()), "tables": "1"}
    before = await cell.process.runtime.record.last_position()
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {},
    ):
        async with visiting(cell, token) as web:
            address = path.format(
                tournament_id=OWN,
                case_id="any",
                game_id=f"{OWN}-r1-t1",
                number=1,
                table=1,
                season_id="any",
                person_id="any",
            )
            answer = await web.post(address, data=fields, headers=headers)
            assert (answer.status_code, "set-cookie" in answer.headers) == (403, False), headers
            assert "The request came from another site and was refused." in answer.text
    assert await cell.process.runtime.record.last_position() == before


async def test_a_preview_of_a_link_uses_nothing_up(cell: Cell) -> None:
    code = (await grant(cell, events.FORM_LINK)).code
    before = await cell.process.runtime.record.last_position()
    async with visiting(cell) as web:
        for _ in range(3):
            assert (await web.get(f"/sign-in#{code}")).status_code == 200
        assert await cell.process.runtime.record.last_position() == before
        for _ in range(2):
            assert (await web.send_form("/sign-in", code=code)).headers["location"] == "/account"


def _credential_cookie(answer: httpx.Response) -> str:
    """Return the cookie of the credential, which no script reads, among the others that are set."""
    (told,) = [each for each in answer.headers.get_list("set-cookie") if re.match("(__Host-)?faristol=", each)]
    return told


async def test_the_cookie_is_for_this_host_and_no_script_and_lasts_as_long_as_the_credential(cell: Cell) -> None:
    code = (await grant(cell, events.FORM_LINK, lifetime_seconds=600)).code
    async with visiting(cell) as web:
        plain = _credential_cookie(await web.send_form("/sign-in", code=code))
        web.cookies.clear()
        safe = _credential_cookie(
            await web.post("/sign-in", data={"code": code}, headers={**TLS, "Sec-Fetch-Site": "same-origin"})
        )
    for told in (plain, safe):
        assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(told.split("; "))
        assert "Domain" not in told
        (lasts,) = re.findall(r"Max-Age=(\d+)", told)
        assert 590 <= int(lasts) <= 600
    assert plain.startswith("faristol=")
    assert "Secure" not in plain
    assert safe.startswith("__Host-faristol=")
    assert "; Secure" in safe


async def test_over_tls_a_cookie_without_the_prefix_lets_nobody_in(cell: Cell) -> None:
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as web:
        assert (await web.get("/account")).status_code == 200
        assert (await web.get("/account", headers=TLS)).headers["location"].startswith("/sign-in")


@pytest.mark.parametrize("token", ["x", "a.b.c", "à", "a b", "x" * 5_000, "x\x7f"])
async def test_a_cookie_that_is_none_of_ours_is_taken_away(cell: Cell, token: str) -> None:
    async with visiting(cell) as web:
        answer = await web.get("/account", headers={b"Cookie": f"faristol={token}".encode()})
        assert answer.status_code == 303
        assert answer.headers["location"] == "/sign-in?next=%2Faccount"
        assert web.cookies["faristol-why"] == "CREDENTIAL_INVALID"
        assert "Max-Age=0" in answer.headers["set-cookie"]


async def test_a_session_that_was_ended_meanwhile_is_told_so_and_its_cookie_is_gone(cell: Cell) -> None:
    link = await grant(cell, events.FORM_LINK)
    async with visiting(cell) as web:
        await web.send_form("/sign-in", code=link.code)
        assert "Ona Mas" in (await web.get("/account")).text
        revoke = access.RevokeCredentialRequest(
            command_id=str(uuid.uuid4()), credential_id=link.credential.credential_id
        )
        director = cell.token(build_credential(needs.ROLE_DIRECTOR))
        await cell.call("/faristol.access.v1.AccessService/RevokeCredential", revoke, director)
        answer = await until(lambda: web.get("/account?lang=es"), 303)
        assert answer.headers["location"] == "/sign-in?next=%2Faccount%3Flang%3Des"
        assert not web.cookies.get("faristol")
        told = await web.get(answer.headers["location"])
        assert "Su sesión se ha cerrado" in told.text


async def test_who_comes_after_their_time_is_told_so(cell: Cell) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    over = replace(
        build_credential(needs.ROLE_DIRECTOR), issued_at=now - timedelta(hours=2), expires_at=now - timedelta(hours=1)
    )
    async with visiting(cell, cell.token(over)) as web:
        answer = await web.get("/account")
        assert answer.headers["location"] == "/sign-in?next=%2Faccount"
        assert "Max-Age=0" in answer.headers["set-cookie"]
        assert "Your session has expired." in (await web.get(answer.headers["location"])).text


async def test_each_role_finds_its_pages(cell: Cell) -> None:
    table = Scope(frozenset({OWN}), tables=frozenset({1}))
    player = cell.players[OWN][0]
    kept = {f"/games/{OWN}-r1-t1/keep", f"/games/{OWN}-r1-t1/clock"}
    results, halls = f"/tournaments/{OWN}/round/1/results", f"/tournaments/{OWN}/arbiter"
    console = f"/tournaments/{OWN}/console"
    for credential, addresses in (
        (replace(build_credential(needs.ROLE_SCORER), scope=table), {*kept, results}),
        (replace(build_credential(needs.ROLE_ARBITER), scope=table), {*kept, results, halls, "/judge"}),
        (build_credential(needs.ROLE_DIRECTOR), {console, results, halls, "/judge"}),
        (replace(build_credential(needs.ROLE_DIRECTOR), scope=Scope()), {console, results, halls, "/judge", "/new"}),
        (build_credential(needs.ROLE_JUDGE), {"/judge"}),
        (build_credential(PLAYER, player=player), {f"/tournaments/{OWN}/my-table", f"/players/{player}"}),
    ):
        async with visiting(cell, cell.token(credential)) as web:
            shown = set(re.findall(r'href="([^"]+)"', (await web.get("/account")).text))
            assert addresses <= shown, credential.role
            assert (credential.role in (needs.ROLE_SCORER, PLAYER)) == ("/judge" not in shown)
            for page in addresses:
                assert (await web.get(page)).status_code == 200, page
    async with visiting(cell, cell.token(build_credential(PLAYER, player=player))) as web:
        assert f'href="{results}"' in (await web.get("/account")).text
        own = (await web.get(results)).headers["location"]
        assert re.fullmatch(rf"{results}/\d+", own)
        assert (await web.get(own)).status_code == 200
    async with visiting(cell, cell.token(build_credential(needs.ROLE_ARBITER))) as web:
        frame = (await web.get(halls)).text
        assert 'href="/judge"' in re.findall(r'<nav class="consoles".*?</nav>', frame, re.DOTALL)[0]


async def test_two_gateways_serve_one_session(cell: Cell) -> None:
    code = (await grant(cell, events.FORM_LINK)).code
    other = httpx.ASGITransport(app(cell.process.runtime))
    async with visiting(cell) as first, Visitor(verify=PLAIN, base_url="http://127.0.0.1", transport=other) as second:
        await first.send_form("/sign-in", code=code)
        second.cookies.set("faristol", str(first.cookies["faristol"]))
        assert "Ona Mas" in (await second.get("/account")).text
        await second.send_form("/sign-out")
        assert (await until(lambda: first.get("/account"), 303)).status_code == 303


async def until(ask: Any, status: int) -> httpx.Response:
    """Return the answer once it has a status: an ended credential is invalid everywhere within two seconds."""
    give_up = time.monotonic() + 5
    while True:
        answer: httpx.Response = await ask()
        if answer.status_code == status:
            return answer
        assert time.monotonic() < give_up, answer.status_code
        await asyncio.sleep(0.1)


async def test_who_signs_out_here_is_signed_in_elsewhere_until_they_sign_out_everywhere(cell: Cell) -> None:
    link = await grant(cell, events.FORM_LINK)
    async with visiting(cell) as phone, visiting(cell) as desk, visiting(cell) as third:
        for web in (phone, desk, third):
            await web.send_form("/sign-in", code=link.code)
        stolen = str(phone.cookies["faristol"])
        left = await phone.send_form("/sign-out")
        assert (left.headers["location"], phone.cookies["faristol-why"]) == ("/sign-in", "SIGNED_OUT")
        assert not phone.cookies.get("faristol-name")
        assert not phone.cookies.get("faristol")
        async with visiting(cell, stolen) as thief:
            assert (await until(lambda: thief.get("/account"), 303)).status_code == 303
        assert (await desk.get("/account")).status_code == 200
        await desk.send_form("/sign-out", everywhere="1")
        await until(lambda: third.get("/account"), 303)
        assert third.cookies["faristol-why"] == "CREDENTIAL_REVOKED"


async def test_a_pin_lets_in_at_its_table_and_is_locked_after_ten_wrong_ones(cell: Cell) -> None:
    pin = (await grant(cell, events.FORM_PIN, tables=[2])).pin
    at = {"tournament": OWN, "table": "2"}
    async with visiting(cell) as web:
        assert (await web.send_form("/sign-in", **at, pin=f"{pin[:3]} {pin[3:]}")).status_code == 303
        assert "table 2" in (await web.get("/account")).text
        web.cookies.clear()
        for number in range(1, 12):
            wrong = await web.send_form("/sign-in", **at, pin=f"{(int(pin) + number) % 10**6:06}")
            assert wrong.status_code == 401
            assert ("too many wrong PINs: retry in 1 minute" in wrong.text) == (number > 10)
            assert not web.cookies
        assert (await web.send_form("/sign-in", **at, pin=pin)).status_code == 401


async def test_a_stranger_who_guesses_keeps_no_device_from_its_table_that_was_there(cell: Cell) -> None:
    pin = (await grant(cell, events.FORM_PIN, tables=[6])).pin
    link = await grant(cell, events.FORM_LINK, tables=[6])
    at = {"tournament": OWN, "table": "6"}
    async with visiting(cell) as hall, visiting(cell) as other, visiting(cell) as stranger:
        assert (await hall.send_form("/sign-in", **at, pin=pin)).status_code == 303
        await hall.send_form("/sign-out")
        for number in range(1, 12):
            wrong = await stranger.send_form("/sign-in", **at, pin=f"{(int(pin) + number) % 10**6:06}")
            assert wrong.status_code == 401
        assert (await stranger.send_form("/sign-in", **at, pin=pin)).status_code == 401
        assert (await hall.send_form("/sign-in", **at, pin=pin)).status_code == 303
        assert (await other.send_form("/sign-in", code=link.code)).status_code == 303
        mark = hall.cookies["faristol-tables"]
        assert len(mark) == 52
        stranger.cookies.set("faristol-tables", "a" * 52)  # a mark that no service issued
        assert (await stranger.send_form("/sign-in", **at, pin=pin)).status_code == 401


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"code": "nobody"}, 401),
        ({"code": "x" * 400}, 401),
        ({"tournament": OWN, "table": "two", "pin": "123456"}, 400),
        ({"tournament": OWN, "table": "-1", "pin": "123456"}, 400),
        ({"tournament": OWN, "table": "٢", "pin": "123456"}, 400),
        ({"tournament": OWN, "table": "1", "pin": "1"}, 400),
        ({"tournament": "nosuch", "table": "1", "pin": "123456"}, 401),
        ({"tournament": "\x00", "table": "1", "pin": "123456"}, 400),
    ],
)
async def test_what_lets_nobody_in_is_told_on_the_page(cell: Cell, fields: dict[str, str], status: int) -> None:
    async with visiting(cell) as web:
        answer = await web.send_form("/sign-in", **fields, next="//evil.example")
        assert (answer.status_code, 'role="alert"' in answer.text) == (status, True)
        assert "evil" not in answer.text
        assert not web.cookies


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"code=%ff", "application/x-www-form-urlencoded", 400),
        (b"&".join(b"a=b" for _ in range(501)), "application/x-www-form-urlencoded", 400),
        (b"code=" + b"x" * 20_000, "application/x-www-form-urlencoded", 413),
        (b'{"code":"x"}', "application/json", 415),
        (b"code=x", "text/plain", 415),
        (b"code=x", "text/<b>%s", 415),
    ],
)
async def test_what_is_no_form_is_refused(cell: Cell, content: bytes, kind: str, status: int) -> None:
    async with visiting(cell) as web:
        headers = {"Origin": cell.process.http_address, "Content-Type": kind}
        answer = await web.post("/sign-in", content=content, headers=headers)
        assert (answer.status_code, "internal error" in answer.text, "<b>" in answer.text) == (status, False, False)


async def test_public_pages_are_the_same_for_whoever_is_signed_in(cell: Cell) -> None:
    for path in ("/", f"/tournaments/{OWN}", f"/api/v1/tournaments/{OWN}/standings"):
        async with visiting(cell) as stranger, visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as director:
            public, signed_in = await stranger.get(path), await director.get(path)
        assert public.text == signed_in.text
        assert public.headers["cache-control"] == signed_in.headers["cache-control"] == "no-cache"


async def test_pages_of_who_is_signed_in_are_kept_by_nobody_and_hold_nothing_inline(cell: Cell) -> None:
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as web:
        for path in ("/sign-in", "/account", f"/tournaments/{OWN}/access"):
            answer = await web.get(path, headers={"Origin": "https://app.example"})
            assert answer.headers["cache-control"] == "no-store, private"
            assert answer.headers["vary"] == "Accept-Language, Cookie"
            assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
            assert "access-control-allow-origin" not in answer.headers
            assert not re.search(r"<script(?![^>]* src=)|style=| on\w+=", answer.text)
            assert str(web.cookies["faristol"]) not in answer.text


async def test_the_language_is_kept_through_signing_in_and_out(cell: Cell) -> None:
    link = await grant(cell, events.FORM_LINK)
    async with visiting(cell, follow_redirects=True) as web:
        page = (await web.get("/sign-in?lang=el")).text
        assert "Σύνδεση" in page
        assert "<code>faristol access grant director NAME --by link</code>" in page  # the origin of a link
        assert "Ρόλος" in (await web.send_form("/sign-in", code=link.code)).text
        assert "Αποσυνδεθήκατε." in (await web.send_form("/sign-out")).text


async def test_no_log_holds_a_code_a_pin_or_a_token(cell: Cell, caplog: pytest.LogCaptureFixture) -> None:
    link, pin = await grant(cell, events.FORM_LINK), (await grant(cell, events.FORM_PIN, tables=[3])).pin
    with caplog.at_level(logging.DEBUG):
        async with visiting(cell) as web:
            await web.send_form("/sign-in", code=link.code)
            token = str(web.cookies["faristol"])
            await web.get("/account")
            await web.send_form("/sign-in", tournament=OWN, table="3", pin=pin)
            await web.send_form("/sign-out", everywhere="1")
    ours = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))
    )
    for secret in (link.code, token, f"={pin}", f'"{pin}"'):
        assert secret not in ours


ACCESS = f"/tournaments/{OWN}/access"


def links_in(text: str) -> list[str]:
    return re.findall(r"<a href=\"[^\"]*/sign-in#(\w+)\"", text)


async def test_a_director_gives_a_scorer_a_table_by_a_link_and_ends_it_again(cell: Cell) -> None:
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as director, visiting(cell) as scorer:
        form = {"act": "grant", "command_id": str(uuid.uuid4()), "role": "scorer", "name": "Berta Pi", "tables": "2"}
        made = await director.send_form(ACCESS, **form, by="link", lasts="day")
        assert made.headers["cache-control"] == "no-store, private"
        assert "<svg" in made.text
        (code,) = links_in(made.text)
        assert links_in((await director.send_form(ACCESS, **form, by="link", lasts="day")).text) == [code]
        await scorer.send_form("/sign-in", code=code)
        assert {"Berta Pi", "table 2"} <= set(re.findall("Berta Pi|table 2", (await scorer.get("/account")).text))
        listed = (await director.get(ACCESS)).text
        assert code not in listed
        (line,) = [part for part in listed.split("<li>") if "Berta Pi" in part]
        assert "1 device" in line
        (credential_id,) = re.findall(r'name="credential_id" value="([^"]+)"', line)
        end = {"act": "revoke", "command_id": str(uuid.uuid4()), "credential_id": credential_id}
        assert (await director.send_form(ACCESS, **end)).headers["location"] == f"{ACCESS}?ended=1"
        left = (await director.get(f"{ACCESS}?ended=1")).text
        assert "Berta Pi" not in left
        assert "It stops working everywhere within two seconds." in left
        await until(lambda: scorer.get("/account"), 303)


async def test_credentials_are_shown_without_the_lexicon_service(tmp_path: Path) -> None:
    async with open_stage(tmp_path, "access", open=False) as stage:
        await stage.add(*Championship().create())
        signer = keyring.Keyring(tmp_path / "access").signer()
        token = issue(build_credential(needs.ROLE_DIRECTOR, "lliga"), signer, stage.record.record_id)
        shown = await stage.http.get("/tournaments/lliga/access", headers={"Cookie": f"faristol={token}"})
    assert shown.status_code == 200, shown.text
    assert "Grant a role" in shown.text


async def test_fields_of_another_role_are_ignored_in_the_form_of_a_credential(cell: Cell) -> None:
    form = {"act": "grant", "role": "director", "name": "Nil", "tables": "2", "language": "ca", "subject": "ada"}
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as web:
        assert (await web.send_form(ACCESS, command_id=str(uuid.uuid4()), **form)).status_code == 200
        listed = await web.get(ACCESS)
    granted = listed.text.partition("<strong>Nil</strong>")[2].partition("</p>")[0]
    assert "Director" in granted or "director" in granted
    assert ("table 2" in granted, "Catalan" in granted) == (False, False)


async def test_cards_let_whoever_has_them_in_at_their_tables(cell: Cell) -> None:
    form = {"act": "cards", "command_id": str(uuid.uuid4()), "tables": "1-2, 3", "lasts": "day"}
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as director:
        first, again = [(await director.send_form(ACCESS, **form)).text for _ in range(2)]
    pins = re.findall(r"</span> (\d{3} \d{3})</p>", first)
    assert (len(pins), first.count("<svg")) == (3, 3)
    assert first == again
    for table, pin in enumerate(pins, start=1):
        async with visiting(cell) as scorer:
            wrong = await scorer.send_form("/sign-in", tournament=OWN, table=str(table % 3 + 1), pin=pin)
            assert wrong.status_code == 401
            assert (await scorer.send_form("/sign-in", tournament=OWN, table=str(table), pin=pin)).status_code == 303
            assert f"table {table}" in (await scorer.get("/account")).text


async def test_an_arbiter_of_a_hall_makes_cards_for_its_tables_alone(cell: Cell) -> None:
    hall = Scope(frozenset({OWN}), frozenset({"Sala A"}))
    form = {"act": "cards", "command_id": str(uuid.uuid4()), "tables": "2", "lasts": "day"}
    async with visiting(cell, cell.token(replace(build_credential(needs.ROLE_ARBITER), scope=hall))) as arbiter:
        assert "own, hall Sala A, table 2" in (await arbiter.send_form(ACCESS, **form)).text
        elsewhere = {**form, "command_id": str(uuid.uuid4()), "hall": "Sala B"}
        assert (await arbiter.send_form(ACCESS, **elsewhere)).status_code == 403


async def test_who_directs_by_a_link_of_three_days_makes_cards_for_three_days(cell: Cell) -> None:
    days = 3 * 24 * 3_600
    link = await grant(cell, events.FORM_LINK, needs.ROLE_DIRECTOR, token=federation(cell), lifetime_seconds=days)
    async with visiting(cell) as director:
        await director.send_form("/sign-in", code=link.code)
        form = {"act": "cards", "command_id": str(uuid.uuid4()), "tables": "1", "lasts": "season"}
        assert (await director.send_form(ACCESS, **form)).status_code == 200
    request = access.ListCredentialsRequest(tournament_id=OWN)
    listed = await cell.call("/faristol.access.v1.AccessService/ListCredentials", request, federation(cell))
    newest = listed.credentials[0].credential
    assert 0 <= link.credential.expires_at.seconds - newest.expires_at.seconds <= 5


def federation(cell: Cell) -> str:
    return cell.token(build_credential(needs.ROLE_FEDERATION, ""))


@pytest.mark.parametrize(
    ("role", "form", "status", "told"),
    [
        ("arbiter", {"act": "grant", "role": "director", "name": "Nil"}, 403, "may not grant the role director"),
        ("scorer", {"act": "grant", "role": "arbiter", "name": "Nil"}, 403, "may not grant the role arbiter"),
        ("director", {"act": "grant", "role": "scorer"}, 400, "expected the name or the id"),
        ("director", {"act": "grant", "role": "player"}, 400, "the role of a player requires the id of a tournament"),
        ("director", {"act": "grant", "role": "", "name": "Nil"}, 400, "expected one of"),
        (
            "director",
            {"act": "grant", "role": "scorer", "name": "Nil", "by": "pin"},
            400,
            "a PIN is for a table",
        ),
        ("director", {"act": "grant", "role": "scorer", "name": "Nil", "tables": "x"}, 400, "Expected table numbers"),
        ("director", {"act": "cards", "tables": "1-201"}, 400, "Expected table numbers"),
        ("director", {"act": "cards", "tables": "3-1"}, 400, "Expected table numbers"),
        ("director", {"act": "cards", "tables": ""}, 400, "Expected table numbers"),
        ("director", {"act": "revoke", "credential_id": "nosuch"}, 404, "there is no credential 'nosuch'"),
        ("director", {"act": "dance"}, 400, ""),
        ("director", {"act": "cards", "tables": "1", "command_id": "mine"}, 400, ""),
    ],
)
async def test_what_may_not_be_given_is_told_on_the_page(
    cell: Cell, role: str, form: dict[str, str], status: int, told: str
) -> None:
    before = await cell.process.runtime.record.last_position()
    async with visiting(cell, session_of(ROLES[role], OWN, cell)) as web:
        answer = await web.send_form(ACCESS, **{"command_id": str(uuid.uuid4()), "lasts": "day", **form})
    assert (answer.status_code, told in html.unescape(answer.text)) == (status, True), answer.text
    assert await cell.process.runtime.record.last_position() == before


async def test_an_arbiter_sees_who_is_below_them_alone(cell: Cell) -> None:
    link = await grant(cell, events.FORM_LINK, needs.ROLE_DIRECTOR, token=federation(cell), name="Eva Soler")
    async with visiting(cell, session_of(needs.ROLE_ARBITER, OWN, cell)) as arbiter:
        assert "Eva Soler" not in (await arbiter.get(ACCESS)).text
        end = {"act": "revoke", "command_id": str(uuid.uuid4()), "credential_id": link.credential.credential_id}
        assert (await arbiter.send_form(ACCESS, **end)).status_code == 404


async def test_a_director_makes_cards_for_all_players_at_once_and_none_twice(cell: Cell) -> None:
    form = {"act": "player-cards", "lasts": "day"}
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as director:
        assert 'id="player-cards"' in (await director.get(ACCESS)).text
        made = await director.send_form(ACCESS, command_id=str(uuid.uuid4()), **form)
        codes = dict(re.findall(r'data-player="([^"]+)".*?<p class="code">([a-z2-7]{52})</p>', made.text, re.DOTALL))
        assert len(codes) == made.text.count("data-player=") > 1
        again = await director.send_form(ACCESS, command_id=str(uuid.uuid4()), **form)
        assert (again.status_code, "Every player has a code." in again.text) == (400, True)
    player, code = next(iter(codes.items()))
    async with visiting(cell, follow_redirects=True) as phone:
        here = await phone.send_form("/sign-in", code=code, next=f"/tournaments/{OWN}/here")
        assert (here.status_code, 'id="by-link"' in here.text) == (200, False), "the phone is signed in"
        assert f"/players/{player}" in (await phone.get(f"/tournaments/{OWN}/my-table")).text


async def test_the_link_has_the_address_that_people_reach(cell: Cell) -> None:
    form = {"act": "grant", "role": "scorer", "name": "Pau Riu", "tables": "1", "by": "link", "lasts": "day"}
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as director:
        made = await director.send_form(ACCESS, command_id=str(uuid.uuid4()), **form)
        assert f'href="{cell.process.http_address}/sign-in#' in made.text


async def test_a_link_from_the_console_is_whole_and_signs_a_browser_in(cell: Cell) -> None:
    at: dict[str, Any] = {
        "client_address": cell.process.grpc_address,
        "data": cell.folder,
        "http_address": "https://results.example/",
    }
    words = ("access", "grant", "director", "Eva Soler", "--tournament", OWN, "--by", "link", "--for", "1h")
    made = await asyncio.to_thread(faristol, *words, open=False, **at)
    *drawn, link = made.stdout.splitlines()
    assert link.startswith("https://results.example/sign-in#"), made.stderr
    assert len(drawn) > 15
    assert set("".join(drawn)) <= set(" ▀▄█")
    async with visiting(cell, follow_redirects=True) as web:
        assert "Eva Soler" in (await web.send_form("/sign-in", code=link)).text


@pytest.mark.nightly
async def test_the_demonstration_tells_how_to_direct_it_in_a_browser(tmp_path: Path, lexicons: Path) -> None:
    small = ("--players", "4", "--rounds", "1", "--ruleset", "uf-2007", "--serve", "--http", "0")
    demo = Child(("demo", *small), {"open": False, "lexicons": lexicons}, tmp_path / "log")
    try:
        link = await wait_for_output(demo, r"sign in by (http://\S+/sign-in#\w+)")
        address, _, code = link.partition("/sign-in#")
        async with Visitor(verify=PLAIN, base_url=address, follow_redirects=True) as web:
            account = await web.send_form("/sign-in", code=code)
            assert "director" in account.text
            assert "/access" in account.text
            tournament = re.search(r"/tournaments/([\w-]+)/access", account.text)
            assert tournament
            given = await web.get(tournament[0])
            assert f'href="/tournaments/{tournament[1]}/console"' in given.text  # there is a way back
    finally:
        demo.process.terminate()
        demo.process.wait(20)


async def wait_for_output(child: Child, pattern: str) -> str:
    """Wait for the output of a process that matches."""
    give_up = time.monotonic() + 120
    while not (found := re.search(pattern, child.log.read_text())):
        assert child.process.poll() is None, child.log.read_text()
        assert time.monotonic() < give_up, child.log.read_text()
        await asyncio.sleep(0.2)
    return str(found[1])


async def console(cell: Cell, *words: str, **more: Any) -> tuple[int, str]:
    """Return the exit code and the whole output of a command at the console of the cell."""
    at = {"client_address": cell.process.grpc_address, "data": cell.folder, **more}
    done = await asyncio.to_thread(faristol, "access", *words, open=False, **at)
    return done.returncode, done.stdout + done.stderr


async def test_a_player_is_named_as_people_name_them(cell: Cell) -> None:
    code, said = await console(cell, "grant", "player", "--player", f"{OWN} 2", "--tournament", OWN, "--json")
    assert code == 0, said
    assert f'"player_id": "{OWN}-2"' in said
    code, said = await console(cell, "grant", "player", "--player", "Nobody", "--tournament", OWN)
    assert (code, "'Nobody'" in said) == (2, True), said


async def test_nothing_is_given_over_what_does_not_exist(cell: Cell) -> None:
    for words, told in (
        (("--tournament", "nope"), "there is no tournament 'nope'"),
        (("--tournament", OWN, "--table", "99"), f"{OWN} has no table 99; it has 1–3"),
        (("--tournament", OWN, "--hall", "Sala Z"), f"{OWN} has no halls"),
    ):
        code, said = await console(cell, "grant", "scorer", "Pau Riu", *words)
        assert (code, told in said) == (2, True), said


async def test_a_pin_asks_for_its_table_and_a_link_is_taken_whole(cell: Cell) -> None:
    code, said = await console(cell, "grant", "scorer", "Pau Riu", "--by", "pin", "--tournament", OWN)
    assert (code, "add --table N" in said) == (2, True), said
    code, said = await console(cell, "sign-in", "123456")
    assert (code, "add --tournament ID --table N" in said) == (2, True), said
    link = await grant(cell, events.FORM_LINK, tables=[2])
    code, said = await console(cell, "sign-in", f"http://hall.example/sign-in#{link.code}")
    assert (code, "export FARISTOL_CLIENT_TOKEN=" in said) == (0, True), said
    code, said = await console(cell, "grant", "scorer", "Pau Riu", "--tournament", OWN, "--for", "0m")
    assert (code, "--for 0m: expected more than 0" in said) == (2, True), said


async def test_the_page_makes_no_card_for_a_table_that_there_is_not(cell: Cell) -> None:
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as director:
        for form in ({"act": "cards", "tables": "2-4"}, {"act": "grant", "role": "scorer", "name": "P", "tables": "4"}):
            answer = await director.send_form(ACCESS, command_id=str(uuid.uuid4()), **form)
            assert (answer.status_code, "has no table 4; it has 1–3" in answer.text) == (400, True)


async def test_a_scorer_finds_the_games_and_the_forms_of_their_tables_alone(cell: Cell) -> None:
    credential = replace(build_credential(needs.ROLE_SCORER), scope=Scope(frozenset({OWN}), tables=frozenset({2})))
    async with visiting(cell, cell.token(credential)) as scorer:
        account = (await scorer.get("/account")).text
        assert re.findall(r'href="/games/([^"/]+)"', account) == [f"{OWN}-r1-t2"]
        page = (await scorer.get(ACCESS)).text
        assert re.findall(r'name="tables" required[^>]* value="([^"]*)"', page) == ["2"]
        assert [name for name in ("player", "language", "subject") if f'name="{name}"' in page] == []
    async with visiting(cell, session_of(needs.ROLE_DIRECTOR, OWN, cell)) as director:
        page = (await director.get(ACCESS)).text
        assert [name for name in ("player", "language") if f'name="{name}"' not in page] == []


async def test_the_console_says_how_one_is_let_in_and_names_roles_in_its_language(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = await console(cell, "who", data=tmp_path)
    assert (code, "FARISTOL_CLIENT_TOKEN" in said, "FARISTOL_DATA" in said) == (2, True, True), said
    monkeypatch.setenv("LC_ALL", "ca_ES.UTF-8")
    code, said = await console(cell, "who", client_token=cell.token(build_credential(needs.ROLE_ARBITER)))
    assert (code, said.startswith("àrbitre  ")) == (0, True), said


async def test_the_console_gives_the_roles_of_operators_and_programs(cell: Cell) -> None:
    for role in ("operator", "service"):
        code, said = await console(cell, "grant", role, "Pau Riu", "--json")
        assert (code, f'"role": "ROLE_{role.upper()}"' in said) == (0, True), said
    operator = cell.token(build_credential(needs.ROLE_OPERATOR, ""))
    code, said = await console(cell, "grant", "operator", "Ona Mas", client_token=operator)
    assert code == 0, said
    code, said = await console(
        cell, "grant", "operator", "Ona Mas", client_token=cell.token(build_credential(needs.ROLE_FEDERATION, ""))
    )
    assert code == 2, said


async def test_the_console_names_the_file_that_the_access_service_did_not_write(cell: Cell, tmp_path: Path) -> None:
    code, said = await console(cell, "who", data=tmp_path / "none", access=cell.folder / "access")
    assert (code, f"{tmp_path}/none/access-record" in said) == (2, True), said


async def test_a_player_sees_their_own_table_and_acts_there_as_the_book_lets_them(cell: Cell) -> None:
    own = f"/tournaments/{OWN}/my-table"
    player = cell.players[OWN][0]
    async with visiting(cell, cell.token(build_credential(PLAYER, player=player))) as web:
        page = (await web.get(own)).text
        assert f'href="/players/{player}"' in page
        assert 'value="CallArbiter"' in page
        assert 'value="SignSheet"' not in page  # the game is not over
        called = await web.send_form(own, act="CallArbiter", command_id=str(uuid.uuid4()))
        assert (called.status_code, called.headers["location"]) == (303, own)
        early = await web.send_form(own, act="SignSheet", command_id=str(uuid.uuid4()), totals="0,0")
        assert early.status_code == 409
        assert 'role="alert"' in early.text
        for wrong in ({"act": "RuleAppeal"}, {"act": "SignSheet", "totals": "x"}, {}):
            answer = await web.send_form(own, command_id=str(uuid.uuid4()), **wrong)
            assert answer.status_code == 400, wrong
        assert (await web.get("/tournaments/nowhere/my-table")).status_code == 404
    async with visiting(cell, cell.token(build_credential(needs.ROLE_DIRECTOR))) as web:
        assert (await web.get(own)).status_code == 404
        assert (await web.get("/my-data")).status_code == 404


async def test_a_player_takes_away_what_is_held_of_them(cell: Cell) -> None:
    player = cell.players[OWN][0]
    async with visiting(cell, cell.token(build_credential(PLAYER, player=player))) as web:
        assert 'href="/my-data.json"' in (await web.get("/my-data")).text
        answer = await web.get("/my-data.json")
        assert answer.json()["player_id"] == player
        assert OWN in {each["tournament"]["tournament_id"] for each in answer.json()["tournaments"]}
        assert answer.headers["cache-control"] == "no-store, private"


async def test_a_player_asks_for_a_correction_and_for_erasure_and_sees_what_is_answered(cell: Cell) -> None:
    player = cell.players[OWN][1]
    director, federation = (cell.token(build_credential(role)) for role in (needs.ROLE_DIRECTOR, needs.ROLE_FEDERATION))
    asked = {"tournament_id": OWN, "note": "My club is Vic"}
    async with visiting(cell, cell.token(build_credential(PLAYER, player=player))) as web:
        for act in ("correction", "erasure"):
            answer = await web.send_form("/my-data", act=act, command_id=str(uuid.uuid4()), **asked)
            assert (answer.status_code, answer.headers["location"]) == (303, "/my-data")
        again = await web.send_form("/my-data", act="correction", command_id=str(uuid.uuid4()), **asked)
        assert again.status_code == 409
        assert (await web.get("/my-data")).text.count("pending") == 2
        foreign = await web.send_form(
            "/my-data", act="correction", command_id=str(uuid.uuid4()), tournament_id=FOREIGN, note="x"
        )
        assert foreign.status_code in {403, 404, 409}
        assert (await web.send_form("/my-data", act="x", command_id=str(uuid.uuid4()))).status_code == 400
        assert (await web.get("/data-requests")).status_code == 404
    given_ = {"tournament_id": OWN, "club": "Vic", "club.before": "", "note": "It is done"}
    given_ |= {"school": "Institut Jaume Callís", "school.before": "", "birth_year": "2011", "birth_year.before": ""}
    async with visiting(cell, director) as web:
        page = (await web.get("/data-requests")).text
        assert "My club is Vic" in page
        assert 'value="erased"' not in page
        number = re.findall(r'name="request" value="(\d+)"', page)[0]
        overview = (await web.get(f"/tournaments/{OWN}/console")).text
        assert "2 requests about personal data wait for an answer." in overview
        done = await web.send_form(
            "/data-requests", act="corrected", request=number, command_id=str(uuid.uuid4()), **given_
        )
        assert done.status_code == 303, done.text
        erased = str(int(number) + 1)
        form = {"request": erased, "tournament_id": OWN, "command_id": str(uuid.uuid4())}
        assert (await web.send_form("/data-requests", act="erased", **form)).status_code == 409  # a director may not
    async with visiting(cell, federation) as web:
        assert 'value="erased"' in (await web.get("/data-requests")).text
        assert (await web.send_form("/data-requests", act="refused", **form)).status_code == 409  # without a reason
        assert (await web.send_form("/data-requests", act="erased", **form)).status_code == 303
        assert f"faristol record erase-person {player}" in (await web.get("/data-requests")).text
    async with visiting(cell, cell.token(build_credential(PLAYER, player=player))) as web:
        page = (await web.get("/my-data")).text
        assert page.count("granted") == 2
        assert "Answer: It is done" in page
        assert 'Institut Jaume Callís <span class="sub">not public</span>' in page
        own = (await web.get("/my-data.json")).json()
        assert (own["club"], own["school"], own["birth_year"]) == ("Vic", "Institut Jaume Callís", 2011)
        for public in (f"/players/{player}", f"/api/v1/players/{player}", f"/tournaments/{OWN}/players"):
            shown = (await web.get(public)).text
            assert "Vic" in shown
            assert "Callís" not in shown
