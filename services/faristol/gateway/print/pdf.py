"""PDFs of pages, made one at a time in separate processes and cached."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections import OrderedDict
from contextlib import suppress
from importlib.util import find_spec

PDF_TIMEOUT_SECONDS = 60.0
"""Timeout for a page: 500 slips take three seconds."""

MAX_WAITING_PAGES = 8
"""Limit of waiting pages; further requests are refused."""

PDF_CACHE_BYTES = 16 * 2**20
"""Size of the cache in bytes, so that a crowd costs one rendering."""


class TypesetterBusy(Exception):
    """Too many waiting pages."""


class TypesetterFault(Exception):
    """Failure to make a PDF, with its reason."""


def is_installed() -> bool:
    """Check whether the typesetter is installed. It does not exist for every platform.

    Otherwise users print the page by the browser.
    """
    return find_spec("plutoprint") is not None


class Pdfs:
    """Maker and cache of PDFs."""

    def __init__(self, most_waiting: int = MAX_WAITING_PAGES, seconds: float = PDF_TIMEOUT_SECONDS) -> None:
        self._turn = asyncio.Semaphore()
        self._waiting = 0
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._most_waiting = most_waiting
        self._seconds = seconds

    async def of(self, html: str) -> bytes:
        """Return the PDF of a page. Raises ``TypesetterBusy`` and ``TypesetterFault``."""
        page = html.encode()
        key = hashlib.sha256(page).digest()
        if key not in self._kept:
            if self._waiting >= self._most_waiting:
                raise TypesetterBusy
            self._waiting += 1
            try:
                async with self._turn:
                    if key not in self._kept:  # made while this request waited
                        self._store(key, await _typeset(page, self._seconds))
            finally:
                self._waiting -= 1
        self._kept.move_to_end(key)
        return self._kept[key]

    def _store(self, key: bytes, made: bytes) -> None:
        self._kept[key] = made
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > PDF_CACHE_BYTES:
            self._kept.popitem(last=False)


async def _typeset(page: bytes, seconds: float) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "faristol.gateway.print.typesetter",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(seconds):
            made, errors = await process.communicate(page)
    except TimeoutError:
        raise TypesetterFault(f"no PDF within {seconds:.0f} seconds") from None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    if process.returncode or not made.startswith(b"%PDF"):
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise TypesetterFault(f"the typesetter ended with {process.returncode}: {last}")
    return made
