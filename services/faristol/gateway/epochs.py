"""Tags of answers, each with the epoch of the record: after a restore, what was known before is known no more."""

from __future__ import annotations

import re
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.representation import Header

_TAG = re.compile(rb'(W/)?"([^"]*)"')


class Tail(Protocol):
    """The news, as far as it has come in: see ``faristol.gateway.tail``."""

    @property
    def epoch(self) -> str:
        """Of the record; empty before it is known."""


class Epochs:
    """Has each ``ETag`` begin with the epoch of the record, and passes on an ``If-None-Match`` of the same epoch alone.

    Positions are used again after the restore of a backup, and a cache in front cannot tell one past from another.
    What lies under ``/static`` is of no record.
    """

    def __init__(self, app: ASGIApp, tail: Tail) -> None:
        self._app = app
        self._tail = tail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        epoch = self._tail.epoch.encode()
        if scope["type"] != "http" or not epoch or scope["path"].startswith("/static/"):
            await self._app(scope, receive, send)
            return
        prefix = epoch + b"-"

        async def tagged(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [_with_epoch(header, prefix) for header in message.get("headers", ())]
                message = {**message, "headers": headers}
            await send(message)

        headers = [_of_epoch(header, prefix) for header in scope["headers"]]
        await self._app({**scope, "headers": headers}, receive, tagged)


def _with_epoch(header: Header, prefix: bytes) -> Header:
    """A header of an answer, an ``ETag`` with a prefix."""
    name, value = header
    return (name, _TAG.sub(rb'\1"' + prefix + rb'\2"', value, count=1)) if name.lower() == b"etag" else (name, value)


def _of_epoch(header: Header, prefix: bytes) -> Header:
    """A header of a request, an ``If-None-Match`` with the tags alone that have a prefix, and without it."""
    name, value = header
    if name.lower() != b"if-none-match" or value.strip() == b"*":
        return header
    tags = (tag for _, tag in _TAG.findall(value) if tag.startswith(prefix))
    return name, b", ".join(b'"%b"' % tag.removeprefix(prefix) for tag in tags)
