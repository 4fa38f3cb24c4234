"""Entrants of a form over real services: the way to it, the link by which they sign in, the methods of treasurers."""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Any

import grpc
import httpx
import pytest
from tests.component.officials import browser, press
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential, cell
from tests.support.court import until

from faristol.access_control.credential import Credential
from faristol.access_control.roles import DIRECTOR, PLAYER, TREASURER
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST, NAMED
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.pairing.v1 import registration_pb2 as registration

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def do(cell: Cell, request: Any, credential: Credential | None) -> Any:
    """Call a method as a role; a command gets an id."""
    fields = request.DESCRIPTOR.fields_by_name
    if "command_id" in fields and not request.command_id:
        request.command_id = str(uuid.uuid4())
    if "tournament_id" in fields:
        request.tournament_id = OWN
    return await cell.call(
        METHODS_BY_REQUEST[type(request)].path, request, cell.token(credential) if credential else ""
    )


@pytest.mark.parametrize("is_open", [True, False])
async def test_the_page_of_a_tournament_leads_to_its_form_while_it_is_open(cell: Cell, is_open: bool) -> None:
    await do(cell, registration.SetRegistrationRequest(open=is_open), build_credential(DIRECTOR))
    async with browser(cell, None) as web:

        async def is_told() -> bool | None:
            shown = (await web.get(f"/tournaments/{OWN}")).text
            return (f'href="/tournaments/{OWN}/register"' in shown) == is_open or None

        await until(is_told)
        told = (await web.get(f"/api/v1/tournaments/{OWN}")).json()["tournament"]
        assert (told["entry_form"] is not None) == is_open


async def test_a_country_is_typed_by_its_name_and_an_unknown_one_is_asked_about_once(cell: Cell) -> None:
    await do(cell, registration.SetRegistrationRequest(open=True, fields=["country"]), build_credential(DIRECTOR))
    page = f"/tournaments/{OWN}/register"
    async with browser(cell, None) as web:

        async def send(name: str, country: str, **more: str) -> httpx.Response:
            fields = {"command_id": str(uuid.uuid4()), "name": name, "country": country, "listing": "3"}
            return await web.post(page, data={**fields, **more})

        named = await send("Marta Espanyola", "Spain")
        assert "ESP" in (await web.get(named.headers["location"])).text
        asked = await send("Nil Errat", "SPA")
        assert asked.status_code == HTTPStatus.BAD_REQUEST
        assert "SPA is not in the list of countries" in asked.text
        assert 'name="country_asked" value="SPA"' in asked.text
        insisted = await send("Nil Errat", "SPA", country_asked="SPA")
        assert "SPA" in (await web.get(insisted.headers["location"])).text


async def test_a_treasurer_may_call_no_method_but_those_of_entries_and_fees() -> None:
    from faristol.gateway.consoles.navigation import callers

    own = {name for (_, name), method in NAMED.items() if TREASURER in callers(method)}
    assert own == {
        *("ListEntries", "ListFees", "RecordPayment", "CancelPayment", "CorrectPayment", "RefundPayment"),
        *("SignOut", "GetCaller", "GetHallCode"),  # of the caller
    }


async def test_an_accepted_entrant_signs_in_as_the_player_with_the_link_of_the_entry(cell: Cell) -> None:
    director = build_credential(DIRECTOR)
    await do(cell, registration.SetRegistrationRequest(open=True), director)
    key = (await do(cell, registration.SubmitEntryRequest(name="Nova Jugadora"), None)).key
    page = f"/tournaments/{OWN}/entry?key={key}"
    async with browser(cell, None) as web:
        refused_page = await press(web, page, "sign-in")
        assert refused_page.status_code == HTTPStatus.CONFLICT, "the entry is not accepted"
        assert 'value="sign-in"' not in (await web.get(page)).text
        entry = (await do(cell, registration.GetOwnEntryRequest(key=key), None)).entry.entry
        player_id = (await do(cell, registration.AcceptEntryRequest(entry=entry), director)).player_id
        assert 'value="sign-in"' in (await web.get(page)).text
        answer = await press(web, page, "sign-in")
        assert (answer.status_code, answer.headers["location"]) == (303, f"/tournaments/{OWN}/my-table")
        assert "Nova Jugadora" in (await web.get("/account")).text
    async with browser(cell, None) as web:
        link = {"code": f"https://cell.example{page}", "next": f"/tournaments/{OWN}/here"}
        answer = await web.post("/sign-in", data=link)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/tournaments/{OWN}/here")
    listed = await do(cell, access.ListCredentialsRequest(), director)
    (line,) = [each for each in listed.credentials if each.credential.player_id == player_id]
    assert (line.form, line.sessions) == (access_events.FORM_LINK, 2), "one credential, which the director can revoke"
    assert (line.credential.role, [*line.credential.scope.tournament_ids]) == (PLAYER, [OWN])
    await do(cell, access.RevokeCredentialRequest(credential_id=line.credential.credential_id), director)
    for by in ({"entry_key": key}, {"entry_key": "a" * 27}):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await do(cell, access.SignInRequest(**by), None)
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_form_under_the_name_of_a_known_person_does_not_sign_in_as_that_person(cell: Cell) -> None:
    director = build_credential(DIRECTOR)
    await do(cell, registration.SetRegistrationRequest(open=True), director)
    key = (await do(cell, registration.SubmitEntryRequest(name="Coneguda, diu"), None)).key
    entry = (await do(cell, registration.GetOwnEntryRequest(key=key), None)).entry.entry
    merged = registration.AcceptEntryRequest(entry=entry, player_id=f"{FOREIGN}-1")
    await do(cell, merged, director)
    own = await do(cell, registration.GetOwnEntryRequest(key=key), None)
    assert (own.entry.state, own.may_sign_in) == (registration.ENTRY_STATE_ACCEPTED, False)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await do(cell, access.SignInRequest(entry_key=key), None)
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
