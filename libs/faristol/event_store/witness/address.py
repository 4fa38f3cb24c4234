"""A program at an HTTP address as a witness. ``docs/record.md`` specifies its answers."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from functools import partial
from http.client import HTTPException
from pathlib import Path

from faristol.event_store.errors import CorruptData
from faristol.event_store.http_requests import opener_without_redirects, reason_of
from faristol.event_store.integrity.seals import NO_SEAL, Seal, to_json
from faristol.event_store.witness.witness import Fork, WitnessUnavailable, Worker, parse_seal

WITNESS_TIMEOUT_SECONDS = 10.0
"""Timeout in seconds without data."""

WITNESS_PAGE_SIZE = 1_000
"""Seals in one request."""

_MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Bytes of one answer."""


class HttpWitness:
    """A witness over HTTP: POST sends one seal, GET returns seals in the form of ``/api/v1/seals``."""

    kind = "http"

    def __init__(self, url: str, token: Path | None = None) -> None:
        self._url = url
        self._token = token
        self._worker = Worker("witness")
        parts = urllib.parse.urlsplit(url)
        self.shown = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"

    async def newest(self) -> Seal | None:
        """Return the last seal of the witness."""
        found = await self._worker.do(partial(self._request_seals, {"newest": "true"}))
        return found[-1] if found else None

    async def deliver(self, seals: Sequence[Seal]) -> None:
        """Send the seals one by one."""
        for seal in seals:
            await self._worker.do(partial(self._send, seal))

    async def seals(self) -> list[Seal]:
        """Return all seals of the witness, page by page."""
        found: list[Seal] = []
        while True:
            after = found[-1].to_position if found else 0
            page = await self._worker.do(
                partial(self._request_seals, {"after": str(after), "limit": str(WITNESS_PAGE_SIZE)})
            )
            if page and min(seal.to_position for seal in page) <= after:
                raise CorruptData(f"position {after + 1}: the witness returned, after {after}, {page[0]}")
            if not page:
                return found
            found += page

    async def close(self) -> None:
        """Stop the worker."""
        self._worker.close()

    def _send(self, seal: Seal) -> None:
        body = json.dumps(to_json(seal)).encode()
        try:
            self._open(urllib.request.Request(self._url, body, {"Content-Type": "application/json"}))  # noqa: S310 # kinds.py accepts only http and https
        except urllib.error.HTTPError as answer:
            if answer.code == 409:
                raise Fork(seal) from None
            raise WitnessUnavailable(f"it answered {answer.code} to a seal") from None

    def _request_seals(self, query: Mapping[str, str]) -> list[Seal]:
        url = f"{self._url}{'&' if '?' in self._url else '?'}{urllib.parse.urlencode(query)}"
        try:
            answer = self._open(urllib.request.Request(url, headers={"Accept": "application/json"}))  # noqa: S310 # as above
        except urllib.error.HTTPError as refused:
            raise WitnessUnavailable(f"it answered {refused.code} when asked for its seals") from None
        try:
            members = json.loads(answer)["seals"]
        except NO_SEAL:
            raise WitnessUnavailable("it did not return seals") from None
        if not isinstance(members, list):
            raise WitnessUnavailable("it returned no list of seals")
        return [parse_seal(member, self.shown) for member in members]

    def _open(self, request: urllib.request.Request) -> bytes:
        if self._token is not None:
            try:
                token = self._token.read_text().strip()  # read for each request: tokens change
            except OSError as error:
                raise WitnessUnavailable(f"its token in {self._token} cannot be read: {error.strerror}") from None
            request.add_unredirected_header("Authorization", f"Bearer {token}")
        try:
            with opener_without_redirects.open(request, timeout=WITNESS_TIMEOUT_SECONDS) as answer:
                content: bytes = answer.read(_MAX_ANSWER_BYTES)
                return content
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError as error:
            raise WitnessUnavailable(reason_of(error)) from None
        except (HTTPException, ValueError) as error:
            # The error of a malformed header includes the token, so only its type is reported.
            raise WitnessUnavailable(f"the request failed: {type(error).__name__}") from None
