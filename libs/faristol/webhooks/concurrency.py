"""Queues that limit concurrent messages and name lookups."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

from faristol.webhooks.target import Address, Target

MAX_CONCURRENT_LOOKUPS = 8
"""Concurrent name lookups of one object; a slow name server blocks at most these."""


class DeliverySlots:
    """A limit on concurrent messages and on name lookups."""

    def __init__(self, most: int) -> None:
        self.slots = asyncio.Semaphore(most)
        self._executor = ThreadPoolExecutor(MAX_CONCURRENT_LOOKUPS, thread_name_prefix="webhook-names")

    async def addresses(self, target: Target) -> list[Address]:
        """Resolve the addresses of a target. Raises ``OSError`` if it has none."""
        if known := target.address:
            return [known]

        def look_up() -> list[Address]:
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            return [ip_address(each[4][0]) for each in found]

        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, look_up)
        except UnicodeError as error:  # a label of the name is too long
            raise OSError(str(error)) from error

    def close(self) -> None:
        """Stop resolving names."""
        self._executor.shutdown(wait=False, cancel_futures=True)
