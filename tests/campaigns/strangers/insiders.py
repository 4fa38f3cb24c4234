"""Attacks from the same machine: the bus without credentials and with those of the platform, and its files."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import nats
from nats.aio.client import Client
from nats.errors import Error, NoRespondersError
from tests.campaigns.strangers.outcome import Attack
from tests.campaigns.strangers.platform import Platform

STREAM = "FARISTOL"
FORBIDDEN = (
    f"$JS.API.STREAM.DELETE.{STREAM}",
    f"$JS.API.STREAM.PURGE.{STREAM}",
    f"$JS.API.STREAM.MSG.GET.{STREAM}",
    f"$JS.API.STREAM.MSG.DELETE.{STREAM}",
    f"$JS.API.DIRECT.GET.{STREAM}",
    "$JS.API.STREAM.NAMES",
    "$SYS.REQ.SERVER.PING",
)
"""Subjects that no process of the platform needs. The relay needs ``STREAM.UPDATE``: its settings limit the stream."""
HEARD = ("faristol.>", "faristol-internal.>", ">", "$JS.>", "_INBOX.>")
"""Subjects on which all news would be heard, or the answers to others."""
PUBLIC = frozenset({"lock", "record"})
"""Files in the data folder that anybody may read, beside public keys."""


async def on_the_bus(cell: Platform) -> Attack:
    """Attack NATS without credentials, with wrong ones, and with those of the process itself."""
    attack = Attack("on the bus")
    address = json.loads(next((cell.data / "nats").glob("*.ports")).read_text(encoding="utf-8"))["nats"][0]
    for credentials in ({}, {"user": "cell", "password": "wrong"}, {"token": "wrong"}):
        attack.tries += 1
        try:
            client = await nats.connect(address, allow_reconnect=False, connect_timeout=5, **credentials)
        except Error as problem:
            attack.refused[type(problem).__name__] += 1
        else:
            attack.wrong.append(f"NATS lets in by {sorted(credentials) or 'nothing'}")
            await client.close()
    settings = (cell.data / "nats" / "nats.conf").read_text(encoding="utf-8")
    user, password = (re.search(rf'{key}: "([^"]+)"', settings) for key in ("user", "password"))
    if user is None or password is None:
        attack.wrong.append("the platform's own NATS has no user with a password")
        return attack
    heard: list[str] = []
    client = await nats.connect(
        address,
        user=user[1],
        password=password[1],
        error_cb=_counting(attack),
        inbox_prefix=f"_INBOX.{user[1]}".encode(),
    )
    await _listen(client, attack, heard)
    for subject in FORBIDDEN:
        attack.tries += 1
        try:
            answer = await client.request(subject, b"{}", timeout=0.5)
        except (Error, NoRespondersError) as problem:
            attack.refused[type(problem).__name__] += 1
        else:
            attack.wrong.append(f"{subject} answers {answer.data[:80]!r}")
    await client.close()
    attack.wrong.extend(f"{subject} is heard" for subject in heard)
    return attack


async def _listen(client: Client, attack: Attack, heard: list[str]) -> None:
    async def hear(message: object) -> None:
        heard.append(str(getattr(message, "subject", "")))

    for subject in HEARD:
        attack.tries += 1
        await client.subscribe(subject, cb=hear)
    await asyncio.sleep(1)  # the officials act in parallel


def _counting(attack: Attack) -> Callable[[Exception], Awaitable[None]]:
    async def count(problem: Exception) -> None:
        attack.refused[str(problem).split(" for ")[0][:60]] += 1

    return count


def at_the_files(cell: Platform) -> Attack:
    """Return the data folder as another user of the machine sees it."""
    attack = Attack("at the files")
    for path in sorted(cell.data.rglob("*")):
        attack.tries += 1
        mode = path.stat().st_mode
        if mode & stat.S_IWOTH:
            attack.wrong.append(f"anybody may write {path.relative_to(cell.data)}")
        if path.is_file() and mode & stat.S_IROTH and _reachable(path, cell.data):
            attack.refused["readable"] += 1
            if path.name not in PUBLIC and path.suffix != ".pub":
                attack.wrong.append(f"anybody may read {path.relative_to(cell.data)}")
    return attack


def _reachable(path: Path, top: Path) -> bool:
    folders = [parent for parent in path.parents if parent == top or top in parent.parents]
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in folders)
