"""Attacks by size: messages, metadata and lists that are much larger than any that the platform needs."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import httpx
from tests.campaigns.strangers.outcome import Attack
from tests.campaigns.strangers.platform import HALL, Platform, credential_of
from tests.support.http2 import call_frames, send_call
from tests.support.plain_http import PLAIN

from faristol.access_control.roles import DIRECTOR

REGISTER = "/faristol.pairing.v1.PairingService/RegisterPlayers"
EMPTY_PLAYER = b"\x1a\x00"
"""An empty player of ``RegisterPlayersRequest``, field 3."""
REPEAT_COUNT = 20
MAX_ANSWER_BYTES = 200_000
MAX_ANSWER_SECONDS = 30.0
"""Seconds that one request of an attacker may take."""
MAX_WAIT_SECONDS = 3.0
"""Seconds that any other visitor may wait meanwhile, on a busy machine."""
PROBE_PAUSE_SECONDS = 0.05
MAX_GROWTH_MB = 400
"""Memory that the platform may need beside its own: the largest messages are parsed one after another."""

BODIES = {
    "unknown fields": json.dumps({f"field{number}": 1 for number in range(60_000)}).encode(),
    "numbers in place of players": b'{"players":[' + b",".join([b"1"] * 400_000) + b"]}",
    "empty players": b'{"players":[' + b",".join([b"{}"] * 300_000) + b"]}",
    "lists in lists": b'{"players":' + b"[" * 400_000 + b"]" * 400_000 + b"}",
    "long number": b'{"players":' + b"9" * 900_000 + b"}",
}
HEADERS = {
    "metadata that is not UTF-8": [(b"authorization", b"Bearer \xff\xfe"), (b"accept-language", b"\xff")],
    "names of metadata that are not UTF-8": [(b"x-\xff", b"a")],
    "metadata of a megabyte": [(b"accept-language", b"ca," * 300_000)],
    "10,000 values of metadata": [(b"x-%d" % number, b"v") for number in range(10_000)],
    "control characters": [(b"authorization", b"Bearer a\0\r\nb")],
    "two credentials": [(b"authorization", b"Bearer a"), (b"authorization", b"Bearer b")],
    "no time": [(b"grpc-timeout", b"0n")],
    "an encoding that is none": [(b"grpc-encoding", b"\xff")],
}
LISTS = {
    "200,000 lines": "x\n" * 200_000,
    "a line of a megabyte": "x" * 900_000,
    "a cell that never ends": '"' * 250_000,
    "10,000 players": "\n".join(f"Anna{number} Puig{number}" for number in range(9_990)),
    "10,000 namesakes of different clubs": "\n".join(f"Anna Puig;{number:x} Valls" for number in range(9_990)),
    "10,000 similar names": "\n".join(("Anna Puig;Valls", "Puig Anna;Reus")[number % 2] for number in range(9_990)),
    "spaces": ("Anna" + " " * 1_900 + "1\n") * 150,
}


def memory_mb(process: int) -> int:
    """Return the memory of a process and of its descendants, in megabytes."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found, pending = 0, [process]
    while pending:
        each = pending.pop()
        pending += children.get(each, [])
        try:
            status = Path(f"/proc/{each}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        found += next((int(line.split()[1]) for line in status.split("\n") if line.startswith("VmRSS")), 0)
    return found // 1_024


async def by_size(cell: Platform) -> Attack:
    """Send the largest messages, metadata and lists, without a credential and as a director of another tournament."""
    attack = Attack("by size")
    before, said = memory_mb(cell.child.process.pid), len(cell.child.output())
    token = cell.token(credential_of(DIRECTOR, HALL))
    await _over_grpc(cell, attack)
    await _send_compressed(cell, attack)
    await _over_http(cell, attack, token)
    await asyncio.sleep(1.5)
    grown = memory_mb(cell.child.process.pid) - before
    attack.refused[f"{grown} MB more"] += 1
    if grown > MAX_GROWTH_MB:
        attack.wrong.append(f"the platform needs {grown} MB more than before the attack by size")
    if "Traceback" in cell.child.output()[said:]:
        attack.wrong.append("the attack by size had a traceback written")
    return attack


async def _over_grpc(cell: Platform, attack: Attack) -> None:
    for name, headers in HEADERS.items():
        for _ in range(REPEAT_COUNT):
            await _send(cell, attack, name, call_frames(REGISTER.encode(), headers))
    for path in (b"/\xff\xfe/\x80", b"/faristol.game.v1.GameService/\xc3", b"*", b"/" + b"a" * 7_000):
        await _send(cell, attack, "a method that is none", call_frames(path))
    raw: Any = cell.channel.unary_unary(REGISTER, request_serializer=_as_it_is, response_deserializer=_as_it_is)
    for message in (EMPTY_PLAYER * 2_000_000, b"\x0a" + b"\xff" * 3_900_000, EMPTY_PLAYER * 3_000_000):
        attack.tries += 1
        try:
            await raw(message, timeout=30)
        except grpc.aio.AioRpcError as problem:
            attack.refused[problem.code().name] += 1
            if problem.code() not in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED):
                attack.wrong.append(f"a message of {len(message):,} bytes: {problem.code().name} {problem.details()}")


async def _send_compressed(cell: Platform, attack: Attack) -> None:
    bomb = gzip.compress(bytes(60_000_000), 9)
    frames = call_frames(REGISTER.encode(), [(b"grpc-encoding", b"gzip")], bomb, is_compressed=True)
    await asyncio.gather(*(_send(cell, attack, "a compressed message", frames) for _ in range(REPEAT_COUNT)))


async def _send(cell: Platform, attack: Attack, name: str, frames: bytes) -> None:
    attack.tries += 1
    try:
        answer = await send_call(cell.grpc_port, frames, 30)
    except (OSError, TimeoutError) as problem:
        attack.wrong.append(f"{name}: {problem!r}")
        return
    attack.refused["refused" if answer else "closed"] += 1


async def _over_http(cell: Platform, attack: Attack, token: str) -> None:
    page = f"/tournaments/{HALL}/console/players/list"
    credentials: tuple[dict[str, str], ...] = (
        {},
        {"authorization": "Bearer x"},
        {"authorization": f"Bearer {token}"},
    )
    base = f"http://127.0.0.1:{cell.http_port}"
    form = {"sec-fetch-site": "same-origin", "cookie": f"faristol={token}"}
    async with (
        httpx.AsyncClient(verify=PLAIN, base_url=base, timeout=2 * MAX_ANSWER_SECONDS) as web,
        _visitor(base, attack),
    ):

        async def count_answer(name: str, answer: httpx.Response) -> None:
            attack.tries += 1
            if answer.elapsed.total_seconds() > MAX_ANSWER_SECONDS:
                attack.wrong.append(f"{name}: an answer after {answer.elapsed.total_seconds():.0f} s")
            attack.refused[str(answer.status_code)] += 1
            if answer.status_code >= 500:
                attack.wrong.append(f"{name}: {answer.status_code}")
            if answer.status_code >= 400 and len(answer.content) > MAX_ANSWER_BYTES:
                attack.wrong.append(f"{name}: {len(answer.content):,} bytes of an error")

        for name, body in BODIES.items():
            for headers in credentials:
                told = {"content-type": "application/json", **headers}
                await count_answer(name, await web.post("/api/v1/pairing/RegisterPlayers", content=body, headers=told))
        packed = gzip.compress(b"{" + b" " * 50_000_000 + b"}")
        told = {"content-type": "application/json", "content-encoding": "gzip", "authorization": f"Bearer {token}"}
        await count_answer("gzip", await web.post("/api/v1/pairing/RegisterPlayers", content=packed, headers=told))
        for name, text in LISTS.items():
            await count_answer(name, await web.post(page, data={"text": text, "act": "preview"}, headers=form))
        for name, content in (("a workbook", b"PK\x03\x04" + bytes(900_000)), ("noise", bytes(range(256)) * 3_600)):
            file = {"content-type": "application/octet-stream", **form}
            await count_answer(name, await web.post(f"{page}/text", content=content, headers=file))


@asynccontextmanager
async def _visitor(base: str, attack: Attack) -> AsyncIterator[None]:
    """Request a page all the time as another visitor, and note the longest wait for it."""
    longest = 0.0

    async def visit() -> None:
        nonlocal longest
        async with httpx.AsyncClient(verify=PLAIN, base_url=base, timeout=2 * MAX_ANSWER_SECONDS) as web:
            while True:
                longest = max(longest, (await web.get("/healthz")).elapsed.total_seconds())
                await asyncio.sleep(PROBE_PAUSE_SECONDS)

    visiting = asyncio.create_task(visit())
    try:
        yield
    finally:
        visiting.cancel()
        with suppress(asyncio.CancelledError):
            await visiting
    attack.refused[f"{1_000 * longest:.0f} ms the longest wait of a visitor"] += 1
    if longest > MAX_WAIT_SECONDS:
        attack.wrong.append(f"a visitor waited {longest:.1f} s during the attack by size")


def _as_it_is(message: bytes) -> bytes:
    return message
