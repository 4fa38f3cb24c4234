"""Attacks by calls: no credential, a false one, that of another user, another name, replayed calls."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.campaigns.strangers.outcome import Attack, private_in
from tests.campaigns.strangers.platform import NOTE, OTHER, PLAYED, Platform, command, credential_of
from tests.component.method_requests import METHODS, build_request
from tests.support.plain_http import PLAIN

from faristol.access_control.credential import Credential
from faristol.access_control.needs import needs_of
from faristol.access_control.roles import DIRECTOR, JUDGE, PLAYER, SCORER
from faristol.access_control.tokens import issue
from faristol.pb.access.v1 import access_pb2, events_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.results.v1 import webhooks_pb2

ACCESS = "/faristol.access.v1.AccessService"
PASS = "/faristol.game.v1.GameService/Pass"
CALL_ARBITER = "/faristol.game.v1.GameService/CallArbiter"
WARN = "/faristol.pairing.v1.PairingService/WarnPlayer"
GUESS_COUNT = 1_000
FREE_GUESS_COUNT = 10
"""Wrong PINs that are counted before a table is locked."""
TABLE_COUNT = 6
LOCK_COUNT = 300
FREE_ADDRESS_GUESS_COUNT = 31
"""Wrong PINs of one address that are counted before its next one has to wait a minute; one more a minute later."""
LARGEST_ERROR_BYTES = 100_000
"""Bytes of an answer to a request that fails; a page of an error repeats the path."""
INTERNAL = (
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "https://localhost:8443/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://0/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fd00::1]/",
    "https://[fe80::1%25lo]/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://192.0.0.8/",
    "https://10.0.0.1/",
    "https://example.org@127.0.0.1/",
    "https://example.org\\@127.0.0.1/",
    "file:///etc/passwd",
)
"""Addresses of webhooks that are inside the network of a cell, in the notations that resolvers accept."""
FLOOD_COUNT = 800
FLOOD_KIND_COUNT = 4
"""Kinds of lines that the flood causes: each at most once a second."""


def reason_of(problem: grpc.aio.AioRpcError) -> str:
    """Return the reason in the details of a refusal."""
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # the stubs know no asynchronous call
    info = error_details_pb2.ErrorInfo()
    return str(info.reason) if status and status.details and status.details[0].Unpack(info) else ""


async def try_call(cell: Platform, attack: Attack, path: str, request: Message, token: str = "", **said: str) -> Any:
    """Make a call and count it. Return its answer, or None for a refusal."""
    attack.tries += 1
    try:
        answer = await cell.call(path, request, token, **said)
    except grpc.aio.AioRpcError as problem:
        attack.refused[f"{problem.code().name} {reason_of(problem)}".strip()] += 1
        if problem.code() in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE):
            attack.wrong.append(f"{path}: {problem.code().name} {problem.details()}")
        return None
    if isinstance(answer, Message):
        attack.wrong.extend(f"{path} tells {private}" for private in private_in(answer))
    return answer


async def walk(cell: Platform, attack: Attack, token: str, subject: str, player: str, **said: str) -> None:
    """Try every method on the attacked tournament: commands are refused, and answers contain no private data."""
    for path, method in METHODS.items():
        request = build_request(method, PLAYED, subject, player)
        answer = await try_call(cell, attack, path, request, token, **said)
        if answer is not None and needs_of(method).is_command:
            attack.wrong.append(f"{path} was carried out")


async def without_credential(cell: Platform) -> Attack:
    """Call every method without rights, also under the names of officials."""
    attack = Attack("without a credential")
    await walk(cell, attack, "", "nobody", cell.player)
    for said in ({"faristol-actor": "official-1"}, {"faristol-role": "director"}, {"authorization": "Basic YTpi"}):
        await walk(cell, attack, "", "nobody", cell.player, **said)
    return attack


async def from_elsewhere(cell: Platform) -> Attack:
    """Call every method with rights for another place: each role of another tournament, a player of another table."""
    attack = Attack("by a credential for something else")
    for role in (PLAYER, SCORER, DIRECTOR, JUDGE):
        player = f"{OTHER}-1" if role == PLAYER else ""
        credential = credential_of(role, OTHER, player=player)
        await _walk_own_session(cell, attack, credential)
    game = await cell.call("/faristol.game.v1.GameService/GetGame", game_pb2.GetGameRequest(game_id=f"{PLAYED}-r1-t2"))
    await _walk_own_session(cell, attack, credential_of(PLAYER, PLAYED, player=game.sides[0].player_id))
    await _walk_own_session(cell, attack, credential_of(SCORER, PLAYED, 2))
    return attack


async def _walk_own_session(cell: Platform, attack: Attack, credential: Credential) -> None:
    """Call every method except those by which a user ends or grants their own credentials."""
    token = cell.token(credential)
    own = {f"{ACCESS}/SignOut", "/faristol.pairing.v1.PairingService/CreateTournament"}
    for path, method in METHODS.items():
        if path in own or (path.endswith("/LodgeAppeal") and PLAYED in credential.scope.tournaments):
            continue
        answer = await try_call(
            cell, attack, path, build_request(method, PLAYED, credential.subject, cell.player), token
        )
        if answer is not None and needs_of(method).is_command:
            attack.wrong.append(f"{path} was carried out for {credential}")


async def false_tokens(cell: Platform) -> Attack:
    """Return tokens that are forged, damaged, expired, of another key or record, or of an unknown role."""
    attack = Attack("by a false token")
    request = build_request(METHODS[PASS], PLAYED, "nobody", cell.player)
    for name, token in _false(cell):
        if await try_call(cell, attack, PASS, request, token) is not None:
            attack.wrong.append(f"{name} was taken")
    if len(attack.refused) != sum(1 for reason in attack.refused if "UNAUTHENTICATED" in reason):
        attack.wrong.append(f"a false token is more than unknown: {dict(attack.refused)}")
    return attack


def _false(cell: Platform) -> Iterator[tuple[str, str]]:
    now = datetime.now(UTC).replace(microsecond=0)
    good = credential_of(SCORER, PLAYED)
    token, stranger = cell.token(good), Ed25519PrivateKey.generate()
    header, claims, signature = token.split(".")
    yield "an expired token", cell.token(replace(good, issued_at=now - timedelta(2), expires_at=now - timedelta(1)))
    yield "a token of another key", issue(good, stranger, cell.record_id)
    yield "a token of another record", issue(good, cell.keyring.signer(), "another")
    yield "alg none", f"{_part({'alg': 'none', 'typ': 'JWT'})}.{claims}."
    known = json.loads(base64.urlsafe_b64decode(header + "=="))
    for algorithm in ("none", "None", "HS256", "EdDSA", "RS256"):
        yield f"alg {algorithm} with its signature", f"{_part(known | {'alg': algorithm})}.{claims}.{signature}"
    public = cell.keyring.signer().public_key().public_bytes_raw()
    signed = f"{_part(known | {'alg': 'HS256'})}.{claims}"
    mac = hmac.new(public, signed.encode(), hashlib.sha256).digest()
    yield "HS256 by the public key", f"{signed}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"
    body = json.loads(base64.urlsafe_b64decode(claims + "=="))
    changes: list[dict[str, Any]] = [{"role": "director"}, {"role": "emperor"}, {"scope": {}}, {"exp": 4_000_000_000}]
    for change in changes:
        yield f"{change} under an old signature", f"{header}.{_part(body | change)}.{signature}"
    own = json.loads(base64.urlsafe_b64decode(header + "==")) | {"jwk": {"kty": "OKP", "crv": "Ed25519"}}
    yield "a header with a key", f"{_part(own)}.{claims}.{signature}"
    yield "half a token", token[: len(token) // 2]
    yield "a token without signature", f"{header}.{claims}."
    yield "no token", "x"
    yield "a very long one", "a." * 3_000


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


async def use_revoked_token(cell: Platform, federation: str) -> Attack:
    """Return a token that expired two seconds ago."""
    attack = Attack("by a token revoked two seconds ago")
    grant = command(
        access_pb2.GrantCredentialRequest,
        name="Joan Vila",
        role=SCORER,
        scope=events_pb2.Scope(tournament_ids=[PLAYED]),
        lifetime_seconds=600,
        form=events_pb2.FORM_TOKEN,
    )
    given = await cell.call(f"{ACCESS}/GrantCredential", grant, federation)
    revoke = command(access_pb2.RevokeCredentialRequest, credential_id=given.credential.credential_id)
    await cell.call(f"{ACCESS}/RevokeCredential", revoke, federation)
    await asyncio.sleep(2)
    await walk(cell, attack, given.token, given.credential.subject_id, cell.player)
    return attack


async def under_another_name(cell: Platform, scorer: Credential) -> Attack:
    """Call as a scorer under the name of the director. Permitted calls of the scorer are not errors."""
    attack = Attack("under another name")
    token = cell.token(scorer)
    said = {"faristol-actor": "official-director", "faristol-role": "director"}
    request = command(game_pb2.CallArbiterRequest, game_id=f"{PLAYED}-r1-t1", player_id=cell.player)
    if await try_call(cell, attack, CALL_ARBITER, request, token, **said) is None:
        attack.wrong.append("a scorer cannot call the arbiter")
    for path in (
        "/faristol.game.v1.GameService/ReopenGame",
        "/faristol.game.v1.GameService/ImposeSanction",
        "/faristol.pairing.v1.PairingService/CloseRound",
    ):
        request = build_request(METHODS[path], PLAYED, "official-director", cell.player)
        if await try_call(cell, attack, path, request, token, **said) is not None:
            attack.wrong.append(f"{path} was carried out under another name")
    return attack


async def replay_command(cell: Platform, director: Credential) -> Attack:
    """Replay an intercepted command: by attackers, and by its sender."""
    attack = Attack("by a command that was overheard")
    token = cell.token(director)
    request = command(
        pairing_pb2.WarnPlayerRequest, tournament_id=PLAYED, player_id=f"{PLAYED}-2", arbiter_id=director.subject
    )
    first = await cell.call(WARN, request, token)
    for other in ("", cell.token(credential_of(DIRECTOR, OTHER)), cell.token(credential_of(SCORER, PLAYED, 2))):
        for _ in range(20):
            if await try_call(cell, attack, WARN, request, other) is not None:
                attack.wrong.append("the command of another was carried out")
    for _ in range(20):
        again = await try_call(cell, attack, WARN, request, token)
        if again is None or again.position != first.position:
            attack.wrong.append("who sends a command again is told something else")
    return attack


async def guess_pins(cell: Platform, federation: str) -> Attack:
    """Return a PIN of six digits, a thousand times."""
    attack = Attack("by guessing a PIN")
    grant = command(
        access_pb2.GrantCredentialRequest,
        name="Ona Mas",
        role=SCORER,
        scope=events_pb2.Scope(tournament_ids=[PLAYED], tables=[3]),
        lifetime_seconds=600,
        form=events_pb2.FORM_PIN,
    )
    pin = int((await cell.call(f"{ACCESS}/GrantCredential", grant, federation)).pin)

    async def guess(number: int) -> Any:
        at = access_pb2.PinAtTable(tournament_id=PLAYED, table=3, pin=f"{(pin + number) % 10**6:06}")
        return await try_call(cell, attack, f"{ACCESS}/SignIn", command(access_pb2.SignInRequest, pin=at))

    found = [answer for answer in await asyncio.gather(*map(guess, range(1, GUESS_COUNT + 1))) if answer is not None]
    if found or attack.refused["UNAUTHENTICATED PIN_WRONG"] > FREE_GUESS_COUNT:
        attack.wrong.append(f"{attack.refused['UNAUTHENTICATED PIN_WRONG']} guesses counted, {len(found)} were taken")
    return attack


async def locked_out(cell: Platform, federation: str) -> tuple[Attack, list[str]]:
    """Guess PINs of every table from changing addresses, to guess one and to lock out the people in the hall.

    Also returns the ids of the credentials of the people in the hall.
    """
    attack = Attack("by locking tables, from forged addresses")

    async def grant_pin(form: Any, table: int) -> Any:
        grant = command(
            access_pb2.GrantCredentialRequest,
            name=f"Scorer {table}",
            role=SCORER,
            scope=events_pb2.Scope(tournament_ids=[OTHER], tables=[table]),
            lifetime_seconds=600,
            form=form,
        )
        return await cell.call(f"{ACCESS}/GrantCredential", grant, federation)

    tables = range(1, TABLE_COUNT + 1)
    pins = {table: await grant_pin(events_pb2.FORM_PIN, table) for table in tables}
    link = await grant_pin(events_pb2.FORM_LINK, 1)
    async with (
        httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{cell.http_port}", timeout=20) as hall,
        httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{cell.http_port}", timeout=20) as stranger,
    ):

        async def signed_in(web: httpx.AsyncClient, headers: dict[str, str], **by: str) -> bool:
            answer = await web.post("/sign-in", data=by, headers={"sec-fetch-site": "same-origin", **headers})
            refusal = "too many" if "too many wrong PINs" in answer.text else "wrong"
            reason = "" if answer.status_code == 303 else refusal
            attack.refused[f"{answer.status_code} {reason}".strip()] += 1
            return answer.status_code == 303

        def at(table: int, pin: int) -> dict[str, str]:
            return {"tournament": OTHER, "table": str(table), "pin": f"{pin % 10**6:06}"}

        if not await signed_in(hall, {}, **at(1, int(pins[1].pin))):
            attack.wrong.append("the hall could not sign in before the attack")
        await hall.post("/sign-out", headers={"sec-fetch-site": "same-origin"}, data={})
        for number in range(1, LOCK_COUNT + 1):
            attack.tries += 1
            forged = {
                "x-forwarded-for": f"198.51.{number % 250}.{number % 7}",
                "forwarded": f"for=198.51.100.{number % 250}",
            }
            table = number % TABLE_COUNT + 1
            if await signed_in(stranger, forged, **at(table, int(pins[table].pin) + number)):
                attack.wrong.append(f"guess {number} at table {table} was taken")
        counted = attack.refused["401 wrong"]
        if counted > FREE_ADDRESS_GUESS_COUNT:
            attack.wrong.append(f"{counted} guesses of one address were counted, whatever address it claimed")
        if not await signed_in(hall, {}, **at(1, int(pins[1].pin))):
            attack.wrong.append("a device that was at table 1 before is locked out")
        if not await signed_in(hall, {}, code=link.code):
            attack.wrong.append("the QR code of table 1 lets nobody in any more")
    return attack, [pins[1].credential.credential_id, link.credential.credential_id]


async def flooded_log(cell: Platform) -> Attack:
    """Fill the log: false tokens, requests that are malformed, and some that are broken off."""
    attack = Attack("by filling the log")
    before, began = len(cell.child.output()), time.monotonic()
    for _ in range(FLOOD_COUNT):
        await try_call(cell, attack, PASS, command(game_pb2.PassRequest, game_id=f"{PLAYED}-r1-t1"), "a.b.c")
    head = b"POST /api/v1/game/Pass HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    bodies = (b"transfer-encoding: chunked\r\n\r\nzz\r\n", b"content-length: 5\n\n", b"content-length: 500\r\n\r\n{")
    for number in range(FLOOD_COUNT // 4):
        attack.tries += 1
        _, writer = await asyncio.open_connection("127.0.0.1", cell.http_port)
        writer.write(head + bodies[number % len(bodies)])
        await writer.drain()
        writer.close()
    await asyncio.sleep(1.5)
    said = cell.child.output()[before:]
    lines, seconds = said.count("\n"), time.monotonic() - began
    attack.refused[f"{lines} lines, {len(said):,} bytes in {seconds:.0f} s"] += 1
    if lines > FLOOD_KIND_COUNT * (seconds + 2) or len(said) > 300 * FLOOD_KIND_COUNT * (seconds + 2):
        attack.wrong.append(f"{attack.tries} requests wrote {lines} lines, {len(said):,} bytes, in {seconds:.0f} s")
    if "Traceback" in said:
        attack.wrong.append("a stranger had a traceback written")
    return attack


async def inside(cell: Platform, director: Credential) -> Attack:
    """Send webhooks to addresses inside the network, by a director of a tournament."""
    attack = Attack("by webhooks to internal addresses")
    token = cell.token(director)
    for url in INTERNAL:
        request = command(webhooks_pb2.AddWebhookRequest, tournament_id=PLAYED, url=url)
        if await try_call(cell, attack, "/faristol.results.v1.WebhookService/AddWebhook", request, token) is not None:
            attack.wrong.append(f"a webhook to {url} was added")
    return attack


async def over_http(cell: Platform, token: str) -> Attack:
    """Request pages and JSON: other verbs, paths that lead out, tokens in addresses, data only for officials."""
    attack = Attack("over HTTP")
    async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{cell.http_port}", timeout=20) as web:
        described = (await web.get("/openapi.json")).json()["paths"]
        async for path, response in _request_pages(web, list(described), token):
            attack.tries += 1
            attack.refused[str(response.status_code)] += 1
            if response.status_code >= 500:
                attack.wrong.append(f"{path}: {response.status_code}")
            if response.status_code >= 400 and len(response.content) > LARGEST_ERROR_BYTES:
                attack.wrong.append(f"{path[:100]}: {len(response.content):,} bytes of an error")
            if NOTE in response.text or "root:" in response.text:
                attack.wrong.append(f"{path} tells what is private")
    return attack


async def _request_pages(
    web: httpx.AsyncClient, paths: Sequence[str], token: str
) -> AsyncIterator[tuple[str, httpx.Response]]:
    for path in paths:
        if path.endswith("/stream"):
            continue
        filled = path.replace("{tournament_id}", PLAYED).replace("{game_id}", f"{PLAYED}-r1-t1")
        filled = filled.replace("{player_id}", f"{PLAYED}-1").replace("{number}", "1").replace("{round}", "1")
        for verb in ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            headers = {"authorization": f"Bearer {token}", "cookie": "faristol-session=x; __Host-faristol=y"}
            yield f"{verb} {path}", await web.request(verb, filled, headers=headers)
        yield f"{path} by a token in its address", await web.get(filled, params={"token": token})
    for path in (
        "/static/../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "//evil/..",
        "/%00",
        "/tournaments/" + "a" * 9_000,
        "/" + "a" * 30_000,
        "/?" + "a=b&" * 7_000,
    ):
        yield path, await web.get(path)
