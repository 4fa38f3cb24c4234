"""Sign-in by OpenID Connect, with a real provider: accepted and refused persons, and the binding to a browser."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import grpc
import httpx
import pytest
import pytest_asyncio
from tests.component.processes import free_port
from tests.openid.real_provider import Provider, build_provider, pass_through
from tests.support.access_cell import Cell, open_access_cell
from tests.support.plain_http import PLAIN

from faristol.credentials.provider import KEY_REFRESH_SECONDS
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as events
from faristol.pb.access.v1 import needs_pb2 as needs

pytestmark = pytest.mark.asyncio(loop_scope="module")

BACK = "/sign-in/openid/callback"
START = "/sign-in/openid"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(
    tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None
) -> AsyncIterator[tuple[Cell, Provider]]:
    folder, port = tmp_path_factory.mktemp("openid"), free_port()
    with build_provider(free_port(), f"http://127.0.0.1:{port}{BACK}", folder) as provider:
        provider.start()
        async with open_access_cell(
            tmp_path_factory.mktemp("cell"), lexicons, openid=provider.file, http_port=port
        ) as cell:
            yield cell, provider


@asynccontextmanager
async def browser(cell: Cell) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address, timeout=20) as web:
        yield web


async def signed_in(cell: Cell, login: str, asked: str = START) -> httpx.Response:
    """Return the final page of a sign-in."""
    async with browser(cell) as web:
        return await pass_through(web, asked, login)


@pytest.mark.parametrize(
    ("login", "role", "scope"),
    [("eva", "federation", "all tournaments"), ("marta", "director", "own"), ("arbiter-nil", "arbiter", "own")],
)
async def test_who_has_a_role_is_signed_in_by_their_account(
    site: tuple[Cell, Provider], login: str, role: str, scope: str
) -> None:
    cell, _ = site
    page = await signed_in(cell, login)
    assert page.url.path == "/account"
    for told in (f"{login.title().split('-')[0]}", f"<dd>{role}</dd>", f"<dd>{scope}</dd>"):
        assert told in page.text


async def test_it_is_on_the_record_who_signed_in_and_no_name_is(site: tuple[Cell, Provider]) -> None:
    cell, _ = site
    new_events = []
    for _ in range(2):
        assert (await signed_in(cell, "marta")).url.path == "/account"
        *_, event = await cell.process.runtime.record.read_stream("access-cell")
        assert b"marta" not in event.payload.lower()
        message = event.message
        assert isinstance(message, events.CredentialGranted)
        new_events.append(message)
    for message in new_events:
        assert (message.form, message.credential.role) == (events.FORM_OPEN_ID, needs.ROLE_DIRECTOR)
    first, second = (message.credential for message in new_events)
    assert first.subject_id.startswith("o-")
    assert first.subject_id == second.subject_id
    assert first.credential_id != second.credential_id


@pytest.mark.parametrize("login", ["stranger", "eva-unverified", "player"])
async def test_who_has_no_role_is_refused_with_a_sentence(
    site: tuple[Cell, Provider], login: str, caplog: pytest.LogCaptureFixture
) -> None:
    cell, _ = site
    before = await cell.process.runtime.record.last_position()
    await asyncio.sleep(1.1)  # each kind of refusal is a line a second
    with caplog.at_level(logging.WARNING, "faristol.audit"):
        page = await signed_in(cell, login)
    assert "This account has no role here." in page.text
    assert await cell.process.runtime.record.last_position() == before
    audit = [line.getMessage() for line in caplog.records if line.name == "faristol.audit"]
    assert any("NOT_APPOINTED" in line for line in audit)
    assert not any(login in line for line in audit)


async def test_who_signed_in_stands_where_they_wanted_to_go_and_nowhere_else(site: tuple[Cell, Provider]) -> None:
    cell, _ = site
    page = await signed_in(cell, "eva", f"{START}?next=/tournaments/own/access")
    assert page.url.path == "/tournaments/own/access"
    assert (await signed_in(cell, "eva", f"{START}?next=//evil.example/")).url.path == "/account"


async def test_the_way_there_is_bound_to_the_browser_by_pkce_state_and_nonce(site: tuple[Cell, Provider]) -> None:
    cell, provider = site
    async with browser(cell) as web:
        first, second = [await web.get(START) for _ in range(2)]
    for answer in (first, second):
        assert (answer.status_code, answer.headers["cache-control"]) == (302, "no-store")
        assert answer.headers["location"].startswith(f"{provider.issuer}/auth?")
        assert {"HttpOnly", "Max-Age=600", "SameSite=lax"} <= set(answer.headers["set-cookie"].split("; "))
    asked, other = [parse_qs(urlsplit(answer.headers["location"]).query) for answer in (first, second)]
    assert (asked["code_challenge_method"], asked["response_type"], asked["scope"]) == (
        ["S256"],
        ["code"],
        ["openid profile email"],
    )
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[name][0]) >= 32
        assert asked[name] != other[name]


async def test_what_another_browser_began_signs_nobody_in(site: tuple[Cell, Provider]) -> None:
    """a callback of an attacker, opened by another person, would sign that person in as the attacker"""
    cell, _ = site
    async with browser(cell) as attacker, browser(cell) as victim, browser(cell) as fresh:
        began = (await attacker.get(START)).headers["location"]
        async with browser(cell) as other:
            address = await code_at(other, began)
        await victim.get(START)
        for visitor in (victim, fresh):
            answer = await visitor.get(address)
            assert (answer.headers["location"], visitor.cookies["faristol-why"]) == ("/sign-in", "OPENID_ELSEWHERE")
            assert "faristol" not in visitor.cookies
        assert (await attacker.get(address)).headers["location"] == "/account"
        again = await attacker.get(address)
        assert again.headers["location"] == "/sign-in"
        assert attacker.cookies["faristol-why"].startswith("OPENID")


async def test_a_code_is_good_for_the_nonce_and_the_verifier_that_it_was_asked_with(
    site: tuple[Cell, Provider],
) -> None:
    cell, _ = site
    sign_in = "/faristol.access.v1.AccessService/SignIn"
    redirect_uri = f"{cell.process.http_address}{BACK}"
    start = access.StartSignInRequest(redirect_uri=redirect_uri)
    for spoiled in ("nonce", "code_verifier", "redirect_uri"):
        began = await cell.call("/faristol.access.v1.AccessService/StartSignIn", start)
        async with browser(cell) as web:
            address = await code_at(web, began.authorization_url)
        brought = access.OpenIdCode(
            code=address.params["code"].encode(),
            nonce=began.nonce,
            code_verifier=began.code_verifier,
            redirect_uri=redirect_uri,
        )
        setattr(brought, spoiled, "https://evil.example/" if spoiled == "redirect_uri" else "x" * 43)
        request = access.SignInRequest(command_id=str(uuid.uuid4()), open_id=brought)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await cell.call(sign_in, request)
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED, spoiled


async def code_at(web: httpx.AsyncClient, address: str) -> httpx.URL:
    """Return the redirection of the provider from an address: it is refused, because its state is unknown."""
    page = await pass_through(web, address, "marta")
    (back,) = [each.url for each in page.history if each.url.path == BACK]
    return back


async def test_who_says_no_at_the_provider_is_not_signed_in(site: tuple[Cell, Provider]) -> None:
    cell, _ = site
    async with browser(cell) as web:
        state = parse_qs(urlsplit((await web.get(START)).headers["location"]).query)["state"][0]
        answer = await web.get(f"{BACK}?error=access_denied&state={state}")
        assert (answer.headers["location"], web.cookies["faristol-why"]) == ("/sign-in", "OPENID_REFUSED")
        assert "did not confirm" in (await web.get(answer.headers["location"])).text


async def test_it_is_offered_where_there_is_a_provider(site: tuple[Cell, Provider]) -> None:
    cell, _ = site
    async with browser(cell) as web:
        assert "Federació</a>" in (await web.get("/sign-in")).text


async def test_signing_out_everywhere_ends_it_in_other_browsers_too(site: tuple[Cell, Provider]) -> None:
    cell, _ = site
    async with browser(cell) as first, browser(cell) as second:
        for web in (first, second):
            await pass_through(web, START, "marta")
        form = {"Origin": cell.process.http_address, "Content-Type": "application/x-www-form-urlencoded"}
        await first.post("/sign-out", content="everywhere=1", headers=form)
        give_up = time.monotonic() + 60
        while (await second.get("/account")).is_success or second.cookies["faristol-why"] != "CREDENTIAL_REVOKED":
            assert time.monotonic() < give_up
            await asyncio.sleep(0.1)


async def test_a_provider_that_signs_by_another_key_is_believed_and_one_that_is_away_is_said_to_be(
    site: tuple[Cell, Provider],
) -> None:
    cell, provider = site
    assert (await signed_in(cell, "marta")).url.path == "/account"
    provider.stop()
    async with browser(cell) as web:
        address = (await web.get(START)).headers["location"]
        state = parse_qs(urlsplit(address).query)["state"][0]
        answer = await web.get(f"{BACK}?code=x&state={state}")
        assert (answer.headers["location"], web.cookies["faristol-why"]) == ("/sign-in", "OPENID_AWAY")
    provider.start("second")
    await asyncio.sleep(KEY_REFRESH_SECONDS)
    assert (await signed_in(cell, "marta")).url.path == "/account"


async def test_where_there_is_no_provider_nothing_is_begun(cell_without: Cell) -> None:
    async with browser(cell_without) as web:
        assert (await web.get(START)).status_code == 404
        assert START not in (await web.get("/sign-in")).text


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell_without(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    async with open_access_cell(tmp_path_factory.mktemp("without"), lexicons) as cell:
        yield cell
