"""Personal data of the signed-in player: to read, to download, and to have corrected or erased."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from http import HTTPStatus

import grpc
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.access_control.roles import DIRECTOR, FEDERATION, PLAYER
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import NEW_FORM, SentForm, Unsent, command_id, hide_errors, to_problem
from faristol.gateway.consoles.director.players import RESEMBLES
from faristol.gateway.consoles.forms import fill
from faristol.gateway.consoles.frame import Console, ConsoleDep, Typed
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.render import private_page
from faristol.gateway.rpc.calls import Calls
from faristol.gateway.rpc.results import Reader
from faristol.kernel.details import DETAILS, read_details
from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.people.v1.details_pb2 import PersonalDetails
from faristol.pb.register.v1 import register_pb2 as register
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.labels import DATA_REQUEST_STATES, DATA_REQUESTS
from faristol.presentation.names import Roster
from faristol.presentation.register_sentences import describe_licence
from faristol.text import say
from faristol.typed_input.resembling import similar_player

MAX_NOTE_CHARACTERS = 500
"""Limit in characters of the note of a request and of its answer."""

REQUEST_KINDS: Mapping[str, pairing_events.DataRequestKind.ValueType] = {
    "correction": pairing_events.DATA_REQUEST_KIND_CORRECTION,
    "erasure": pairing_events.DATA_REQUEST_KIND_ERASURE,
}
"""Kinds of requests, by form value."""

ANSWERS = frozenset({"corrected", "erased", "refused"})
"""Form values of an answer, which are fields of the command."""

routes = APIRouter(include_in_schema=False)


@routes.get("/my-data")
async def show_own_data(console: ConsoleDep, sent: Unsent = NEW_FORM) -> Response:
    """Show a player the stored data, and the requests for correction and erasure with their answers."""
    answer = await _own(console)
    scope = set(console.session.credential.scope.tournament_ids)
    played = _list_own_tournaments(console, answer)
    requests = await _requests(console.calls, scope, answer.player_id)
    entry = await _get_register_entry(console)
    waiting = {each.kind for each in requests if each.state == pairing.DATA_REQUEST_STATE_WAITING}
    return private_page(
        console.request,
        "own_data.html",
        status=sent.status,
        session=console.session,
        player=answer,
        details=await _get_details(console, played),
        entry=entry,
        licences=[describe_licence(each, console.language) for each in entry.licences] if entry else (),
        tournaments=played,
        zones={each.tournament.tournament_id: each.tournament.time_zone for each in answer.tournaments},
        requests=requests,
        may_ask={act for act, kind in REQUEST_KINDS.items() if kind not in waiting},
        kinds=DATA_REQUESTS,
        states=DATA_REQUEST_STATES,
        said=sent.refused,
        typed=Typed(sent.given),
    )


@routes.post("/my-data")
async def ask_about_own_data(console: ConsoleDep, given: Fields) -> Response:
    """Request a correction or erasure. Raises ``HTTPException`` for any other form."""
    if console.session.credential.role != PLAYER:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    act = given.get("act", "")
    if act not in REQUEST_KINDS:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    command = pairing.LodgeDataRequestRequest(
        command_id=command_id(given, act),
        tournament_id=given.get("tournament_id", "")[:64],
        player_id=console.session.credential.player_id,
        kind=REQUEST_KINDS[act],
        note=given.get("note", "").strip()[:MAX_NOTE_CHARACTERS],
    )
    try:
        await console.calls.ask(command)
    except grpc.aio.AioRpcError as error:
        return await show_own_data(console, SentForm(given, refused=to_problem(error, console.language).detail))
    return redirect_to("/my-data")


@routes.get("/my-data.json")
async def get_own_data(console: ConsoleDep) -> Response:
    """Send the data as a file."""
    answer = await _own(console)
    details = await _get_details(console, _list_own_tournaments(console, answer))
    entry = await _get_register_entry(console)
    own = to_json(answer) | read_details(details) | ({"register": to_json(entry)} if entry else {})
    text = json.dumps(own, ensure_ascii=False, indent=2)
    headers = {
        "Content-Disposition": f'attachment; filename="{console.session.credential.player_id}.json"',
        "Cache-Control": "no-store, private",
    }
    return Response(text, media_type="application/json", headers=headers)


@routes.get("/data-requests")
async def show_requests(console: ConsoleDep, results: Reader, sent: Unsent = NEW_FORM) -> Response:
    """Show directors and the federation the requests of players, with forms to answer them."""
    _check_decides(console)
    listed = await results.tournaments(archived=True)
    requests = await _requests(console.calls, set(console.session.credential.scope.tournament_ids))
    waits = pairing.DATA_REQUEST_STATE_WAITING
    return private_page(
        console.request,
        "data_requests.html",
        status=HTTPStatus.CONFLICT if sent.refused or sent.errors else HTTPStatus.OK,
        session=console.session,
        similar=sent.errors.get("name", ""),
        zones={each.tournament_id: each.time_zone for each in listed.tournaments},
        waiting=[each for each in requests if each.state == waits],
        answered=[each for each in reversed(requests) if each.state != waits],
        may_erase=console.session.credential.role == FEDERATION,
        kinds=DATA_REQUESTS,
        states=DATA_REQUEST_STATES,
        erasure=pairing_events.DATA_REQUEST_KIND_ERASURE,
        granted=pairing.DATA_REQUEST_STATE_GRANTED,
        said=sent.refused,
        typed=Typed(sent.given),
    )


@routes.post("/data-requests")
async def answer_request(console: ConsoleDep, results: Reader, given: Fields) -> Response:
    """Grant or refuse a request. Raises ``HTTPException`` for any other form."""
    _check_decides(console)
    act, number = given.get("act", ""), given.get("request", "")
    if act not in ANSWERS or not (number.isascii() and number.isdecimal() and len(number) < 8):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    command = pairing.AnswerDataRequestRequest(
        command_id=command_id(given, act),
        tournament_id=given.get("tournament_id", "")[:64],
        request=int(number),
        note=given.get("note", "").strip()[:MAX_NOTE_CHARACTERS],
    )
    setattr(command, act, True)
    try:
        if act == "corrected":
            fill(command, {key: value for key, value in given.items() if key.partition(".")[0] in DETAILS})
    except Invalid as problem:
        said = problem.format_message(lambda text, params: say(text, params, console.language))
        return await show_requests(console, results, SentForm(given, refused=said))
    with hide_errors(grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT):
        tournament = await console.calls.ask(pairing.GetTournamentRequest(tournament_id=command.tournament_id))
    renamed = command.name if given.get("others") != "yes" else ""
    if renamed and (other := similar_player(tournament.players, renamed, given.get("player_id", ""))):
        similar = say(RESEMBLES, {"name": other}, console.language)
        return await show_requests(console, results, SentForm(given, errors={"name": similar}))
    try:
        await console.calls.ask(command)
    except grpc.aio.AioRpcError as error:
        said = Roster(tournament, console.language).named_in_refusal(to_problem(error, console.language).detail, error)
        return await show_requests(console, results, SentForm(given, refused=said))
    return redirect_to("/data-requests")


def _check_decides(console: Console) -> None:
    """Raise ``HTTPException`` (404) if the user may not decide on requests."""
    if console.session.credential.role not in (DIRECTOR, FEDERATION):
        raise HTTPException(HTTPStatus.NOT_FOUND)


async def _requests(calls: Calls, scope: Collection[str], player_id: str = "") -> list[pairing.DataRequest]:
    """Return the requests in the tournaments of a scope, or in all if it is empty; of one player or of all."""
    asked = [
        calls.ask(pairing.ListDataRequestsRequest(tournament_id=tournament, player_id=player_id))
        for tournament in sorted(scope) or [""]
    ]
    found = [each for answer in await asyncio.gather(*asked) for each in answer.requests]
    return sorted(found, key=lambda each: each.lodged_at.ToNanoseconds())


def _list_own_tournaments(console: Console, answer: pb.GetPlayerResponse) -> list[pb.Tournament]:
    """Return the tournaments of the player in the scope of the credential, the latest first."""
    scope = set(console.session.credential.scope.tournament_ids)
    return [each.tournament for each in answer.tournaments if not scope or each.tournament.tournament_id in scope]


async def _get_details(console: Console, tournaments: Sequence[pb.Tournament]) -> PersonalDetails:
    """Return all personal details of the signed-in player; empty unless registered in one of ``tournaments``."""
    if not tournaments:
        return PersonalDetails()
    asked = pairing.GetPersonalDetailsRequest(
        tournament_id=tournaments[0].tournament_id, player_id=console.session.credential.player_id
    )
    answer = await console.calls.ask(asked)
    return answer.details


async def _get_register_entry(console: Console) -> register.RegisteredPerson | None:
    """Return the entry of the signed-in player in the register of persons; None without one."""
    answer = await console.calls.ask(
        register.GetRegisteredPersonRequest(person_id=console.session.credential.player_id)
    )
    return answer.person if answer.HasField("person") else None


async def _own(console: Console) -> pb.GetPlayerResponse:
    """Return the data of the signed-in player. Raises ``HTTPException`` for any other role."""
    if console.session.credential.role != PLAYER:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return await console.calls.ask(pb.GetPlayerRequest(player_id=console.session.credential.player_id))
