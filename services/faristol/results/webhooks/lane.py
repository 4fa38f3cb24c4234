"""Lanes: how many messages are sent, and how many names are looked up, at the same time."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

from faristol.results.webhooks.target import Address, Target

LOOKING = 8
"""Names that a lane looks up at a time: who keeps a slow name server keeps these."""


class Lane:
    """Messages that are sent at the same time, and names that are looked up: so many and no more."""

    def __init__(self, most: int) -> None:
        self.slots = asyncio.Semaphore(most)
        self._executor = ThreadPoolExecutor(LOOKING, thread_name_prefix="webhook-names")

    async def addresses(self, target: Target) -> list[Address]:
        """The addresses of a target. Raises ``OSError`` where it has none."""
        if known := target.address:
            return [known]

        def look_up() -> list[Address]:
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            return [ip_address(each[4][0]) for each in found]

        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, look_up)
        except UnicodeError as problem:  # a part of the name is too long
            raise OSError(str(problem)) from problem

    def close(self) -> None:
        """Look nothing up any more."""
        self._executor.shutdown(wait=False, cancel_futures=True)
