"""Permissions over real gRPC and HTTP: every method, every role, within and outside the scope."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.component.method_requests import METHODS, build_request
from tests.component.processes import faristol
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential, grant, open_access_cell
from tests.support.plain_http import PLAIN
from tests.unit.access_control.access_table import PAGE

from faristol.access_control import keyring
from faristol.access_control.needs import needs_of
from faristol.access_control.roles import MAY_GIVE, PLAYER, ROLE_NAMES, Role
from faristol.access_control.tokens import decode_unverified, issue
from faristol.client.credentials import authorize, build_interceptors
from faristol.client.services import Api
from faristol.demo.championship import Championship
from faristol.demo.plan import Plan
from faristol.demo.readiness import open_lexicon
from faristol.event_store.integrity import keys
from faristol.host import Settings, StartError
from faristol.host.security.authorization import REVOCATION_POLL_SECONDS
from faristol.kernel.details import Person
from faristol.launcher.processes import running
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import access_pb2_grpc as access_grpc
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs_pb
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.lexicon.v1 import adjudication_pb2, adjudication_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc
from faristol.personal_data import people

pytestmark = pytest.mark.asyncio(loop_scope="module")

REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cell")


WITH_OWN_CREDENTIAL = {"SignIn", "TakeProviderEvent"}
"""Methods whose request is the credential: a PIN, or the signature of a payment provider."""

OF_WHOLE_CELL = {
    *("CreateSeason", "SetCircuit", "RemoveCircuit", "AddCircuitTournament", "RemoveCircuitTournament"),
    *("MergePersons", "SeparatePersons", "PublishFederationList", "ReviseFederationList"),
    *("SetRegisteredPerson", "RemoveRegisteredPerson", "SetLicence", "RemoveLicence", "SetClub", "RemoveClub"),
    *("MergeClubs", "SetCategories", "ImportPersons", "UndoRegisterAct"),
}
"""Commands of a federation that a credential of some tournaments may not give."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(folder: Path, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    async with open_access_cell(folder, lexicons) as made:
        yield made


def rows() -> dict[str, tuple[str, str]]:
    """Return the callers of each method and the required scope, from the page of access."""
    found: dict[str, tuple[str, str]] = {}
    service = ""
    for line in PAGE.read_text(encoding="utf-8").partition("## Every method\n")[2].splitlines()[3:]:
        name, roles, scope = (cell.strip() for cell in line.strip("|").split("|"))
        if name.startswith("**"):
            service = name.strip("*")
        else:
            found[f"{service}/{name}"] = roles, scope
    return found


async def outcome(cell: Cell, path: str, request: Message, token: str) -> tuple[grpc.StatusCode, str]:
    """Return the status of a call, and the reason of a refusal."""
    try:
        await cell.call(path, request, token)
    except grpc.aio.AioRpcError as problem:
        return problem.code(), reason_of(problem)
    return grpc.StatusCode.OK, ""


def reason_of(problem: grpc.aio.AioRpcError) -> str:
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # the stubs know no asynchronous call
    info = error_details_pb2.ErrorInfo()
    return str(info.reason) if status and status.details and status.details[0].Unpack(info) else ""


@pytest.mark.parametrize("path", METHODS)
async def test_a_method_is_for_its_roles_and_for_what_is_theirs(cell: Cell, path: str) -> None:
    method = METHODS[path]
    may, scope = rows()[f"{method.containing_service.name}/{method.name}"]
    named = may.replace("all callers", ", ".join(ROLE_NAMES.values()))
    narrow = scope.partition(" only for ")[2]
    allowed = {name for name in ROLE_NAMES.values() if name in named.split(", ") and (not narrow or name in narrow)}
    for tournament in (OWN, FOREIGN):
        player = cell.players[tournament][0]
        for role in MAY_GIVE:
            if tournament == FOREIGN and ROLE_NAMES[role] not in allowed:
                continue  # it is refused in its own tournament too
            own = "" if method.name in OF_WHOLE_CELL else OWN
            credential = build_credential(role, own, player=cell.players[OWN][0] if role == PLAYER else "")
            request = build_request(method, tournament, credential.subject, player)
            code, reason = await outcome(cell, path, request, cell.token(credential))
            is_other = tournament == FOREIGN and any(word in scope for word in ("tourn", "game"))
            is_other_player = tournament == FOREIGN and role == PLAYER and "own player" in scope
            may_call = ROLE_NAMES[role] in allowed and not (own and (is_other or is_other_player))
            refused = code in REFUSED and not (method.name in WITH_OWN_CREDENTIAL and reason == "CREDENTIAL_INVALID")
            assert refused != may_call, (ROLE_NAMES[role], tournament, code, reason)
    before = await cell.process.runtime.record.last_position()
    code, reason = await outcome(cell, path, build_request(method, OWN, "somebody", "own-1"), "")
    if "public" in allowed:
        assert code not in REFUSED or method.name in WITH_OWN_CREDENTIAL
    else:
        assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, "NO_CREDENTIAL")
        assert await cell.process.runtime.record.last_position() == before


def command(kind: Any, **fields: Any) -> Any:
    return kind(command_id=str(uuid.uuid4()), **fields)


class AccessUser:
    """The access service as called by a user."""

    def __init__(self, cell: Cell, token: str = "") -> None:
        self._cell = cell
        self._token = token

    async def ask(self, name: str, request: Message) -> Any:
        return await self._cell.call(f"/faristol.access.v1.AccessService/{name}", request, self._token)

    async def grant(self, role: Role, form: access_events.Form.ValueType, **fields: Any) -> Any:
        scope = access_events.Scope(tournament_ids=[OWN], tables=fields.pop("tables", ()))
        wanted = {"name": "Ona Mas", "lifetime_seconds": 1_800, "scope": scope, **fields}
        return await self.ask("GrantCredential", command(access.GrantCredentialRequest, role=role, form=form, **wanted))

    async def sign_in(self, **by: Any) -> Any:
        return await self.ask("SignIn", command(access.SignInRequest, **by))

    async def reason(self, name: str, request: Message) -> str:
        """Return the reason why a call is refused; empty where it is not."""
        try:
            await self.ask(name, request)
        except grpc.aio.AioRpcError as problem:
            return reason_of(problem)
        return ""


def director_of(cell: Cell) -> AccessUser:
    return AccessUser(cell, cell.token(build_credential(needs_pb.ROLE_DIRECTOR)))


async def press_clock(cell: Cell, token: str, table: int) -> str:
    """Return why a clock cannot be pressed at a table with a token; empty if the credential is sufficient."""
    request = command(game_pb2.PassRequest, game_id=f"{OWN}-r1-t{table}", player_id="nobody")
    code, reason = await outcome(cell, "/faristol.game.v1.GameService/Pass", request, token)
    return reason if code in REFUSED else ""


async def test_a_link_lets_a_device_in_at_its_table_alone(cell: Cell) -> None:
    given = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_LINK, tables=[2])
    session = await AccessUser(cell).sign_in(code=given.code)
    assert await press_clock(cell, session.token, 2) == ""
    assert await press_clock(cell, session.token, 1) == "OUT_OF_SCOPE"
    assert await press_clock(cell, "", 2) == "NO_CREDENTIAL"
    who = await AccessUser(cell, session.token).ask("GetCaller", access.GetCallerRequest())
    assert (who.name, who.credential.role, list(who.credential.scope.tables)) == ("Ona Mas", needs_pb.ROLE_SCORER, [2])


async def test_a_pin_is_guessed_ten_times_and_not_a_thousand(cell: Cell) -> None:
    given = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_PIN, tables=[3])
    right = {"tournament_id": OWN, "table": 3, "pin": given.pin}
    assert (await AccessUser(cell).sign_in(pin=right)).token

    async def guess(number: int) -> str:
        wrong = f"{(int(given.pin) + 1 + number) % 10**6:06}"
        return await AccessUser(cell).reason("SignIn", command(access.SignInRequest, pin={**right, "pin": wrong}))

    reasons = await asyncio.gather(*map(guess, range(1_000)))
    assert {reason: reasons.count(reason) for reason in sorted(set(reasons))} == {"PIN_LOCKED": 990, "PIN_WRONG": 10}
    assert await AccessUser(cell).reason("SignIn", command(access.SignInRequest, pin=right)) == "PIN_LOCKED"
    fresh = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_PIN, tables=[3])
    assert (await AccessUser(cell).sign_in(pin={**right, "pin": fresh.pin})).token


async def test_what_a_stranger_says_of_themselves_is_not_on_the_record(cell: Cell) -> None:
    given = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_PIN, tables=[1])
    wrong = access.PinAtTable(tournament_id=OWN, table=1, pin=f"{(int(given.pin) + 1) % 10**6:06}")
    request = command(access.SignInRequest, pin=wrong)
    stub = access_grpc.AccessServiceStub(cell.channel)
    with pytest.raises(grpc.aio.AioRpcError):
        await stub.SignIn(request, metadata=(("faristol-actor", "the-director"), ("faristol-role", "director")))
    (event,) = [
        event
        for event in await cell.process.runtime.record.read_stream("access-cell")
        if event.metadata.command_id == request.command_id
    ]
    assert (event.name, event.metadata.actor, event.metadata.role) == ("PinRefused", "", "public")


async def test_where_there_is_no_pin_a_stranger_writes_nothing(cell: Cell) -> None:
    before = await cell.process.runtime.record.last_position()
    for table, tournament in ((5, OWN), (1, "nosuch"), (-7, OWN)):
        pin = access.PinAtTable(tournament_id=tournament, table=table, pin="123456")
        assert await AccessUser(cell).reason("SignIn", command(access.SignInRequest, pin=pin)) == "PIN_WRONG"
    assert await cell.process.runtime.record.last_position() == before


async def test_a_pin_is_not_guessed_by_the_command_of_who_had_it_right(cell: Cell) -> None:
    given = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_PIN, tables=[2])
    right = command(access.SignInRequest, pin=access.PinAtTable(tournament_id=OWN, table=2, pin=given.pin))
    signed_in = await AccessUser(cell).ask("SignIn", right)
    assert signed_in.credential.credential_id != right.command_id
    for number in range(1, 12):
        guess = access.PinAtTable(tournament_id=OWN, table=2, pin=f"{(int(given.pin) + number) % 10**6:06}")
        reason = await AccessUser(cell).reason("SignIn", access.SignInRequest(command_id=right.command_id, pin=guess))
        assert reason == ("PIN_WRONG" if number <= 10 else "PIN_LOCKED")
    assert await AccessUser(cell).reason("SignIn", command(access.SignInRequest, pin=right.pin)) == "PIN_LOCKED"


async def test_who_repeats_the_grant_of_another_does_not_get_what_was_for_them(cell: Cell) -> None:
    scope = access_events.Scope(tournament_ids=[OWN], tables=[1])
    request = command(
        access.GrantCredentialRequest,
        name="Joan Vila",
        role=needs_pb.ROLE_SCORER,
        form=access_events.FORM_TOKEN,
        scope=scope,
        lifetime_seconds=60,
    )
    first, other = director_of(cell), director_of(cell)
    given = await first.ask("GrantCredential", request)
    assert (await first.ask("GrantCredential", request)).token == given.token
    assert await other.reason("GrantCredential", request) == "INVALID"


async def test_nobody_is_renamed_by_a_credential_that_they_are_given(cell: Cell) -> None:
    federation = AccessUser(cell, cell.token(build_credential(needs_pb.ROLE_FEDERATION, "")))
    given = await federation.grant(needs_pb.ROLE_SCORER, access_events.FORM_TOKEN, name="Maria Pons")
    who = given.credential.subject_id
    await federation.grant(needs_pb.ROLE_SCORER, access_events.FORM_TOKEN, name="Another", subject_id=who)
    told = await AccessUser(cell, given.token).ask("GetCaller", access.GetCallerRequest())
    assert told.name == "Maria Pons"
    refused = command(
        access.GrantCredentialRequest,
        subject_id=f"{OWN}-1",
        name="Cheater",
        role=needs_pb.ROLE_SCORER,
        form=access_events.FORM_TOKEN,
        scope=access_events.Scope(tournament_ids=[OWN]),
        lifetime_seconds=60,
    )
    assert await director_of(cell).reason("GrantCredential", refused) == "OTHER_PERSON"


async def test_directors_of_two_tournaments_appoint_people_of_one_name(cell: Cell) -> None:
    async def appoint_scorer(token: str, tournament: str, **more: Any) -> str:
        scope = access_events.Scope(tournament_ids=[tournament])
        wanted = {"name": "Joan Puig", "scope": scope, **more}
        answer = await AccessUser(cell, token).grant(needs_pb.ROLE_SCORER, access_events.FORM_TOKEN, **wanted)
        return str(answer.credential.subject_id)

    own, foreign = (cell.token(build_credential(needs_pb.ROLE_DIRECTOR, place)) for place in (OWN, FOREIGN))
    first, second = await appoint_scorer(own, OWN), await appoint_scorer(foreign, FOREIGN, name="joan puig")
    third = await appoint_scorer(foreign, FOREIGN)
    assert len({first, second, third}) == 3
    assert (await appoint_scorer(own, OWN), await appoint_scorer(foreign, FOREIGN)) == (first, third)
    assert await people.names(cell.process.runtime.record, [first, third]) == {
        who: Person(who, "Joan Puig", "") for who in (first, third)
    }
    federation = cell.token(build_credential(needs_pb.ROLE_FEDERATION, ""))
    assert await appoint_scorer(federation, FOREIGN, subject_id=first, name="") == first
    assert await appoint_scorer(federation, FOREIGN) in (first, third)
    assert await appoint_scorer(own, OWN) not in (
        first,
        third,
    )  # the federation appoints a person who is known elsewhere


async def test_a_key_that_was_retired_lets_in_nobody_whom_it_let_in_before(cell: Cell) -> None:
    folder = cell.folder / "access"
    token = cell.token(build_credential(needs_pb.ROLE_SCORER))
    signer = next(key for key, _, signing in keyring.list_keys(folder) if signing)
    assert await press_clock(cell, token, 1) == ""
    keyring.rotate(folder)
    keyring.retire(folder, signer)
    await asyncio.sleep(2 * REVOCATION_POLL_SECONDS)
    assert await press_clock(cell, token, 1) == "CREDENTIAL_INVALID"


async def test_the_id_of_another_command_brings_nobody_a_token(cell: Cell) -> None:
    given = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_LINK, tables=[1])
    request = command(access.SignInRequest, code=given.code)
    first = await AccessUser(cell).ask("SignIn", request)
    again = await AccessUser(cell).ask("SignIn", request)
    assert again.credential.credential_id == first.credential.credential_id
    stolen = access.SignInRequest(command_id=request.command_id, code="a" * 52)
    assert await AccessUser(cell).reason("SignIn", stolen)
    pin = access.PinAtTable(tournament_id=OWN, table=1, pin="000000")
    assert await AccessUser(cell).reason("SignIn", access.SignInRequest(command_id=request.command_id, pin=pin))


async def test_a_session_of_hours_ago_cannot_renew_itself_by_a_grant(cell: Cell) -> None:
    director = build_credential(needs_pb.ROLE_DIRECTOR)
    signed_in = director.issued_at - timedelta(hours=2)
    token = cell.token(replace(director, auth_time=signed_in))
    for form in (access_events.FORM_LINK, access_events.FORM_TOKEN):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await grant(cell, form, needs_pb.ROLE_DIRECTOR, token=token)
        assert reason_of(caught.value) == "SIGN_IN_TOO_OLD"
    given = await grant(cell, access_events.FORM_TOKEN, token=token)
    assert decode_unverified(given.token).signed_in == signed_in
    ended = access.RevokeCredentialRequest(command_id=str(uuid.uuid4()), credential_id=given.credential.credential_id)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await cell.call("/faristol.access.v1.AccessService/RevokeCredential", ended, token)
    assert reason_of(caught.value) == "SIGN_IN_TOO_OLD"


async def test_what_was_revoked_works_nowhere_after_two_seconds_and_its_streams_end(cell: Cell) -> None:
    user = director_of(cell)
    given = await user.grant(needs_pb.ROLE_JUDGE, access_events.FORM_TOKEN, subject_id="nil")
    judges = adjudication_pb2_grpc.JudgeServiceStub(cell.channel)
    queue = judges.WatchQueue(
        adjudication_pb2.WatchQueueRequest(judge_id="nil"), metadata=(("authorization", f"Bearer {given.token}"),)
    )
    assert await queue.read()
    revoked_at = time.monotonic()
    credential_id = given.credential.credential_id
    await user.ask("RevokeCredential", command(access.RevokeCredentialRequest, credential_id=credential_id))
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await _read_to_the_end(queue)
    assert time.monotonic() - revoked_at < 6  # two, with the delay of a busy machine
    assert reason_of(ended.value) == "CREDENTIAL_REVOKED"
    assert await AccessUser(cell, given.token).reason("GetCaller", access.GetCallerRequest()) == "CREDENTIAL_REVOKED"


async def _read_to_the_end(stream: Any) -> None:
    while await stream.read():
        pass


async def test_who_signs_out_is_out_on_every_device(cell: Cell) -> None:
    given = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_LINK, tables=[2], name="Pau Riu")
    devices = [await AccessUser(cell).sign_in(code=given.code) for _ in range(2)]
    await AccessUser(cell, devices[0].token).ask("SignOut", command(access.SignOutRequest))
    give_up = time.monotonic() + 5
    while (reasons := {await press_clock(cell, device.token, 2) for device in devices}) != {"CREDENTIAL_REVOKED"}:
        assert time.monotonic() < give_up, reasons
        await asyncio.sleep(0.1)
    assert await press_clock(cell, (await AccessUser(cell).sign_in(code=given.code)).token, 2) == ""


async def test_a_list_shows_what_the_caller_may_end(cell: Cell) -> None:
    await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_TOKEN, name="Berta Pi")
    everything = access.ListCredentialsRequest()
    own = await director_of(cell).ask("ListCredentials", everything)
    assert "Berta Pi" in {line.name for line in own.credentials}
    other = AccessUser(cell, cell.token(build_credential(needs_pb.ROLE_DIRECTOR, FOREIGN)))
    assert "Berta Pi" not in {line.name for line in (await other.ask("ListCredentials", everything)).credentials}
    federation = AccessUser(cell, cell.token(build_credential(needs_pb.ROLE_FEDERATION, "")))
    assert len((await federation.ask("ListCredentials", everything)).credentials) >= len(own.credentials)


async def test_who_acts_is_on_the_record_from_the_credential_and_not_from_what_the_call_says(cell: Cell) -> None:
    federation = AccessUser(cell, cell.token(build_credential(needs_pb.ROLE_FEDERATION, "")))
    everywhere = access_events.Scope()
    given = await federation.grant(
        needs_pb.ROLE_FEDERATION, access_events.FORM_TOKEN, name="Eva Soler", scope=everywhere
    )
    request = command(pairing_pb2.CreateTournamentRequest, tournament_id="hers", name="Hers", rounds=5)
    stub = pairing_pb2_grpc.PairingServiceStub(cell.channel)
    claims = (("faristol-actor", "nil"), ("faristol-role", "director"), ("authorization", f"Bearer {given.token}"))
    await stub.CreateTournament(request, metadata=claims)
    event, *_ = [
        event
        for event in await cell.process.runtime.record.read_stream("tournament-hers")
        if event.metadata.command_id == request.command_id
    ]
    who = (event.metadata.actor, event.metadata.role, event.metadata.credential)
    assert who == (given.credential.subject_id, "federation", given.credential.credential_id)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"expires_at": timedelta(hours=-1), "issued_at": timedelta(hours=-2)}, "CREDENTIAL_EXPIRED"),
        ({"issued_at": timedelta(minutes=50)}, ""),  # by the clock of a machine that is behind
        ({"issued_at": timedelta(seconds=50)}, ""),
    ],
)
async def test_a_token_is_good_in_its_time(cell: Cell, changed: dict[str, timedelta], reason: str) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    times: dict[str, Any] = {key: now + by for key, by in changed.items()}
    credential = replace(build_credential(needs_pb.ROLE_SCORER), **times)
    assert await press_clock(cell, cell.token(credential), 1) == reason


async def test_a_key_is_changed_without_throwing_anybody_out(cell: Cell) -> None:
    before = cell.token(build_credential(needs_pb.ROLE_SCORER))
    assert await press_clock(cell, before, 1) == ""
    path = keyring.rotate(cell.folder / "access")
    after = issue(
        build_credential(needs_pb.ROLE_SCORER), keys.read_private(path), cell.process.runtime.record.record_id
    )
    await asyncio.sleep(2 * REVOCATION_POLL_SECONDS)
    assert [await press_clock(cell, token, 1) for token in (before, after)] == ["", ""]


async def test_a_refusal_is_in_the_audit_log_without_a_secret(cell: Cell, caplog: pytest.LogCaptureFixture) -> None:
    credential = build_credential(needs_pb.ROLE_SCORER, FOREIGN)
    token = cell.token(credential)
    with caplog.at_level(logging.WARNING, "faristol.audit"):
        assert await press_clock(cell, token, 1) == "OUT_OF_SCOPE"
    (record,) = [record for record in caplog.records if record.name == "faristol.audit"]
    line = record.getMessage()
    assert credential.credential_id in line
    assert "OUT_OF_SCOPE" in line
    assert "from 127.0.0.1 by 'grpc-python" in line
    assert token not in caplog.text
    fields = vars(record)["fields"]
    assert (fields["outcome"], fields["address"], fields["subject"]) == ("refused", "127.0.0.1", credential.subject)


async def test_what_is_given_used_and_ended_is_in_the_audit_log_without_a_name_and_without_a_secret(
    cell: Cell, caplog: pytest.LogCaptureFixture
) -> None:
    user = director_of(cell)
    with caplog.at_level(logging.INFO, "faristol.audit"):
        given = await user.grant(needs_pb.ROLE_SCORER, access_events.FORM_LINK, tables=[2], name="Jordi Coll")
        signed_in = await AccessUser(cell).sign_in(code=given.code)
        credential_id = given.credential.credential_id
        await user.ask("RevokeCredential", command(access.RevokeCredentialRequest, credential_id=credential_id))
    lines = [record.getMessage() for record in caplog.records if record.name == "faristol.audit"]
    assert [line.split(",")[0] for line in lines] == [
        "gave the role scorer by link",
        "signed in by code",
        f"ended credential {credential_id}",
    ]
    assert signed_in.credential.credential_id in lines[1]
    assert all("from 127.0.0.1" in line for line in lines)
    for secret in (given.code, signed_in.token, "Jordi", "Coll"):
        assert secret not in caplog.text


async def test_a_flood_of_false_tokens_is_a_line_a_second_and_counted(
    cell: Cell, caplog: pytest.LogCaptureFixture
) -> None:
    await asyncio.sleep(1.1)  # the notifications of earlier tests
    with caplog.at_level(logging.WARNING, "faristol.audit"):
        began = time.monotonic()
        for _ in range(100):
            assert await press_clock(cell, "a.b.c", 1) == "CREDENTIAL_INVALID"
        took = time.monotonic() - began
        await asyncio.sleep(1.1)
    lines = [record.getMessage() for record in caplog.records if record.name == "faristol.audit"]
    assert 2 <= len(lines) <= took + 3
    more = [int(line.split(": ")[1].split()[0]) for line in lines if "more in 1 s" in line]
    assert sum(more) + len(lines) - len(more) == 100


async def test_a_wrong_code_is_in_the_audit_log_and_the_code_is_not(
    cell: Cell, caplog: pytest.LogCaptureFixture
) -> None:
    given = await director_of(cell).grant(needs_pb.ROLE_SCORER, access_events.FORM_PIN, tables=[1])
    await asyncio.sleep(1.1)  # each kind of refusal is a line a second
    wrong = f"{(int(given.pin) + 1) % 10**6:06}"
    with caplog.at_level(logging.WARNING, "faristol.audit"):
        pin = access.PinAtTable(tournament_id=OWN, table=1, pin=wrong)
        assert await AccessUser(cell).reason("SignIn", command(access.SignInRequest, pin=pin)) == "PIN_WRONG"
        assert await AccessUser(cell).reason("SignIn", command(access.SignInRequest, code="a" * 52)) == "CODE_UNKNOWN"
    lines = [record.getMessage() for record in caplog.records if record.name == "faristol.audit"]
    # The line of the grant is written when its event comes back, which may be during the refusals.
    assert [line.partition(",")[0] for line in lines if line.startswith("refused") and "more in" not in line] == [
        f"refused to sign in by pin at table 1 of '{OWN}': PIN_WRONG",
        "refused to sign in by code: CODE_UNKNOWN",
    ]


async def test_a_refusal_is_told_in_the_language_of_the_caller(cell: Cell) -> None:
    stub = game_pb2_grpc.GameServiceStub(cell.channel)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Pass(command(game_pb2.PassRequest, game_id=f"{OWN}-r1-t1"), metadata=(("accept-language", "ca"),))
    assert "això demana una credencial" in str(caught.value.details()).lower()


async def test_pages_and_json_are_for_everybody_and_change_nothing(cell: Cell) -> None:
    async with httpx.AsyncClient(verify=PLAIN, base_url=cell.process.http_address) as web:
        described = (await web.get("/openapi.json")).json()["paths"]
        assert {method for path in described.values() for method in path} <= {"get", "head"}
        for path in ("/", f"/tournaments/{OWN}", "/api/v1/tournaments", f"/api/v1/tournaments/{OWN}/standings"):
            assert (await web.get(path)).status_code == 200, path
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                assert (await web.request(method, path)).status_code == 405, (method, path)


async def test_nobody_is_asked_only_where_nobody_else_can_reach_the_ports(folder: Path) -> None:
    for host in ({"http_host": "0.0.0.0"}, {"grpc_host": "::"}, {"grpc_host": "results.example"}):
        settings = Settings(data=folder.parent / "open", open=True, http_port=0, grpc_port=0, **host)  # type: ignore[arg-type]
        with pytest.raises(StartError, match="is reachable from other machines"):
            async with running(settings):
                raise AssertionError("it started")


class Shadow(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Tries each command first without a credential, and with that of a scorer of another tournament."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._stranger = cell.token(build_credential(needs_pb.ROLE_SCORER, FOREIGN))
        self.tried: set[str] = set()
        self.let_in: list[str] = []

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        path = client_call_details.method
        path = path.decode() if isinstance(path, bytes) else path
        needs = needs_of(METHODS[path])
        if needs.is_command and not needs.is_public:
            self.tried.add(path.rpartition("/")[2])
            for token in ("", self._stranger):
                code, _ = await outcome(self._cell, path, request, token)
                if code not in REFUSED:
                    self.let_in.append(path)
        return await continuation(client_call_details, request)


@pytest.mark.nightly
async def test_the_demonstration_is_played_by_credentials_and_a_stranger_is_refused_at_each_step(
    cell: Cell, lexicons: Path
) -> None:
    plan = Plan(players=4, rounds=1, seed=7, ruleset="uf-2007")
    small = ("--players", "4", "--rounds", "1", "--seed", "7", "--ruleset", "uf-2007", "--json")
    unasked = await asyncio.to_thread(faristol, "demo", *small, timeout=180, lexicons=lexicons, open=True)
    assert unasked.returncode == 0, unasked.stderr
    shadow, address = Shadow(cell), cell.process.grpc_address
    console: list[Any] = [*build_interceptors(authorize(address, cell.folder / "access", "Console")), shadow]
    name, graph = open_lexicon(Settings(lexicons=lexicons), plan)
    async with grpc.aio.insecure_channel(address, interceptors=console) as channel:
        api, now = Api(lambda service: channel), datetime.now(UTC)
        played = await Championship(api, plan, graph, name, now).play()
    assert shadow.let_in == []
    assert {"CreateTournament", "PairRound", "PlacePlay", "Press", "Challenge", "SignSheet"} <= shadow.tried
    before = [(line["player_id"], line["total"]) for line in json.loads(unasked.stdout)["standings"]]
    assert [(line.player_id, line.total) for line in played.standings] == before


async def test_the_service_takes_no_player_and_no_tournament_that_there_is_not(cell: Cell) -> None:
    console = AccessUser(cell, cell.token(build_credential(needs_pb.ROLE_FEDERATION, "")))
    scope = access_events.Scope(tournament_ids=[OWN])
    player = {"role": needs_pb.ROLE_PLAYER, "form": access_events.FORM_TOKEN, "lifetime_seconds": 60, "scope": scope}
    for more, reason in (
        ({"player_id": "Anna Puig"}, "INVALID"),
        ({"player_id": "own-17"}, "NOT_FOUND"),
        ({"player_id": "own-2", "scope": access_events.Scope(tournament_ids=["nope"])}, "NOT_FOUND"),
        ({"player_id": "own-2"}, ""),
    ):
        wanted = {**player, **more}
        assert await console.reason("GrantCredential", command(access.GrantCredentialRequest, **wanted)) == reason


async def test_the_console_prints_the_papers_of_officials(cell: Cell) -> None:
    words = ("print", OWN, "--html", "--address", cell.process.grpc_address)
    where = ("--pages", "https://results.example")
    for kind, text in (
        ("minutes", f"{OWN} 1"),
        ("certificates", f"{OWN} 1"),
        ("receipts", "<html"),
        ("attendance", OWN),
    ):
        done = await asyncio.to_thread(faristol, words[0], words[1], kind, *words[2:], *where, data=cell.folder)
        assert (done.returncode, text in done.stdout) == (0, True), done.stderr
    refused = await asyncio.to_thread(faristol, words[0], words[1], "minutes", *words[2:], data="/nowhere")
    assert refused.returncode == 2
    assert refused.stdout == ""
