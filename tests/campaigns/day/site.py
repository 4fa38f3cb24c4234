"""The cell of the campaign: ``faristol up`` as an operator runs it, a mail server, and a push service over HTTPS."""

from __future__ import annotations

import asyncio
import os
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
from tests.component.processes import START_SECONDS, Child, faristol, free_port, wait_until_serving
from tests.support.mail_server import Inbox, smtp_server
from tests.support.mail_server import free_port as free_mail_port
from tests.support.plain_http import PLAIN
from tests.support.push_services import PushServer, open_push_server

LINK_LIFETIME = "3d"
POLL_SECONDS = 0.1
SECOND_TICKS_COUNT = os.sysconf("SC_CLK_TCK")


class AddressedInbox(Inbox):
    """The mail server, with the messages by address."""

    def __init__(self) -> None:
        super().__init__()
        self.by_address: defaultdict[str, list[EmailMessage]] = defaultdict(list)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 # the library's name
        """Take a message."""
        answer = await super().handle_DATA(server, session, envelope)
        message = self.messages[-1]
        self.by_address[str(message["To"])].append(message)
        return answer

    async def wait(self, address: str, count: int, seconds: float) -> EmailMessage:
        """Return the message that is the ``count``-th to an address. Raises ``TimeoutError``."""
        await wait_until(lambda: len(self.by_address[address]) >= count, seconds)
        return self.by_address[address][count - 1]


async def wait_until(condition: Callable[[], bool], seconds: float) -> float:
    """Wait until a condition holds, and return the time that it took. Raises ``TimeoutError``."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 # another thread or process fulfils it
            await asyncio.sleep(POLL_SECONDS)
    return time.monotonic() - began


class Site:
    """The processes of the cell, and the services of others that it uses."""

    def __init__(
        self, folder: Path, mails: AddressedInbox, pushes: PushServer, mail_port: int, database_url: str
    ) -> None:
        http, grpc = free_port(), free_port()
        self.base = f"http://127.0.0.1:{http}"
        self.mails, self.pushes = mails, pushes
        self._folder = folder
        self._address = f"127.0.0.1:{grpc}"
        self._settings: dict[str, object] = {
            "open": False,
            "http_address": self.base,
            "mail_server": f"smtp://127.0.0.1:{mail_port}",
            "mail_sender": "open@example.org",
            "mail_plain": True,
            "webhook_networks": "127.0.0.0/8,::1/128",
        }
        given = ["up", "--data", str(folder / "data"), "--grpc", str(grpc), "--http", str(http)]
        given += ["--pages-apart", "--no-browser"]
        if database_url:
            given += ["--database-url", database_url]
        self.child = Child(given, self._settings, folder / "up.log")

    def wait(self) -> None:
        """Wait until its services and its pages are available."""
        wait_until_serving(self._address, self.child)
        give_up = time.monotonic() + START_SECONDS
        while True:
            try:
                httpx.get(f"{self.base}/healthz", verify=PLAIN, trust_env=False).raise_for_status()
            except httpx.HTTPError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(POLL_SECONDS)
            else:
                return

    def grant_director(self) -> str:
        """Return the link of a director, which the operator of the server makes once."""
        words = ("access", "grant", "director", "Eva Soler", "--for", LINK_LIFETIME, "--by", "link")
        own: dict[str, object] = {"data": self._folder / "data", "client_address": self._address}
        settings: dict[str, Any] = {**self._settings, **own}
        made = faristol(*words, **settings)
        assert "/sign-in#" in made.stdout, made.stderr
        return made.stdout.split()[-1]

    def read_cpu_seconds(self) -> float:
        """Return the processor time of all processes of the cell so far."""
        return sum(_cpu_seconds(pid) for pid in _family(self.child.process.pid))

    def stop(self) -> str:
        """End the processes as an operator does; return what was wrong with it, empty for an orderly end."""
        code = self.child.terminate()
        return "" if code == 0 else f"faristol up ended with {code}: see {self.child.log}"


def _family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split() if int(child) not in found]
    return found


def _cpu_seconds(pid: int) -> float:
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / SECOND_TICKS_COUNT


@asynccontextmanager
async def open_site(folder: Path, database_url: str = "") -> AsyncIterator[Site]:
    """Yield the cell, on the embedded database if none is given."""
    mails, mail_port = AddressedInbox(), free_mail_port()
    async with open_push_server(folder) as (pushes, authority):
        before = os.environ.get("SSL_CERT_FILE")
        os.environ["SSL_CERT_FILE"] = str(authority)  # of the push service
        try:
            with smtp_server(mails, mail_port):
                site = Site(folder, mails, pushes, mail_port, database_url)
                try:
                    await asyncio.to_thread(site.wait)
                    yield site
                finally:
                    if site.child.process.poll() is None:
                        site.child.kill()
        finally:
            os.environ.pop("SSL_CERT_FILE")
            if before is not None:
                os.environ["SSL_CERT_FILE"] = before
