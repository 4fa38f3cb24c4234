"""Who sends a command: an id on the record, and a name beside it that can be erased."""

from __future__ import annotations

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import grpc
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host.access import REMEMBERED, caller, is_asked
from faristol.host.metadata import ACTOR, ACTOR_NAME
from faristol.kernel.bounded import keep
from faristol.kernel.errors import Invalid
from faristol.kernel.names import ACTOR_ID, OFFICIAL, checked_name
from faristol.kernel.refusal import N_
from faristol.record import Record, people


@dataclass(frozen=True, slots=True)
class Actor:
    """Who sends a command; nobody where that was not said."""

    actor_id: str = ""
    name: str = ""
    """To be kept with the command; empty where it is known already, or no name was given."""

    async def remember(self, connection: AsyncConnection) -> str:
        """Keep the name in the transaction of the command; who has one, or had it until it was erased, keeps that.

        Gives what binds it to the events, see ``Decision.also``.
        """
        if await people.named(connection, self.actor_id):
            return ""
        return await people.remember(connection, self.actor_id, self.name, "")


def said(context: grpc.aio.ServicerContext[Any, Any]) -> Mapping[str, str | bytes]:
    """The metadata of a call."""
    return dict(context.invocation_metadata() or ())


def checked(key: str, value: str | bytes) -> str:
    """An id out of the metadata of a call, empty for none. Raises ``Invalid`` for what is none."""
    if not isinstance(value, str) or not ACTOR_ID.fullmatch(value):
        raise Invalid(key, N_("expected an id of at most 64 of a-z, 0-9 and -, and no name: it stays for ever"))
    return value


async def actor_of(record: Record, context: grpc.aio.ServicerContext[Any, Any], command_id: str) -> Actor:
    """Who sends a command: the subject of their credential, whatever the call says besides.

    Where a process asks for no credentials, it is who the call says. Raises ``Invalid`` for an id or a name that cannot
    be one.
    """
    if is_asked():
        credential = caller()
        if credential is None:
            return Actor()
        name = credential.name if credential.name and not await _is_known(record, credential.subject) else ""
        return Actor(credential.subject, name)
    metadata = said(context)
    if given := checked(ACTOR, metadata.get(ACTOR, "")):
        return Actor(given)
    name = _name(metadata.get(ACTOR_NAME, b""))
    return await _official_named(record, name, command_id) if name else Actor()


async def _official_named(record: Record, name: str, command_id: str) -> Actor:
    """Find the official of a name, with the id that they have, where calls say by a name alone who makes them.

    Who acts under a name for the first time gets an id made from that of the command, a UUID: from an id that was made
    from the name, whoever has a list of names would find the name after it was erased.
    """
    if known := await people.official(record, name):
        return Actor(known)
    return new_official(name, command_id)


def new_official(name: str, command_id: str) -> Actor:
    """Make the id of an official who is not known, from that of the command, a UUID, and give it with their name."""
    made = hashlib.sha256(uuid.UUID(command_id).bytes).hexdigest()[:12]
    return Actor(f"{OFFICIAL}{made}", name)


_known: OrderedDict[tuple[str, str], None] = OrderedDict()
"""The subjects last found to have a name on a record, or to be erased from it."""


async def _is_known(record: Record, subject: str) -> bool:
    """Whether the record has the name of somebody, or had it until they were erased."""
    key = (record.record_id, subject)
    if key in _known:
        return True
    async with record.reading() as connection:
        found = await people.named(connection, subject)
    if found:
        keep(_known, key, None, REMEMBERED)
    return found


def _name(value: str | bytes) -> str:
    """The name without space around it, in Unicode NFC; empty where none is given."""
    try:
        text = value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        raise Invalid(ACTOR_NAME, N_("expected a name in UTF-8")) from None
    return checked_name(ACTOR_NAME, text, empty=True)
