"""The actor of a command: an id in the record, and a name stored beside it that can be erased."""

from __future__ import annotations

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import grpc
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Record
from faristol.host.rpc.metadata import ACTOR, ACTOR_NAME
from faristol.host.security.authorization import AUTHORIZATION_CACHE_SIZE, caller, is_asked
from faristol.kernel.bounded import store_bounded
from faristol.kernel.errors import Invalid
from faristol.kernel.names import ACTOR_ID, OFFICIAL, check_name
from faristol.kernel.refusal import N_
from faristol.personal_data import people


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor of a command; with empty fields if unknown."""

    actor_id: str = ""
    name: str = ""
    """Name to store with the command; empty if it is stored already, or not given."""

    async def remember(self, connection: AsyncConnection) -> str:
        """Store the name in the transaction of the command, unless the id has a name or was erased.

        Returns the binding for the events, as in ``Decision.also``.
        """
        if await people.has_name(connection, self.actor_id):
            return ""
        return await people.store_player(connection, self.actor_id, self.name, "")


def read_metadata(context: grpc.aio.ServicerContext[Any, Any]) -> Mapping[str, str | bytes]:
    """Return the metadata of a call."""
    return dict(context.invocation_metadata() or ())


def check_id(key: str, value: str | bytes) -> str:
    """Return an id from the metadata of a call, which may be empty. Raises ``Invalid`` if it is malformed."""
    if not isinstance(value, str) or not ACTOR_ID.fullmatch(value):
        raise Invalid(key, N_("expected a permanent id of at most 64 of a-z, 0-9 and -, not a name"))
    return value


async def actor_of(record: Record, context: grpc.aio.ServicerContext[Any, Any], command_id: str) -> Actor:
    """Return the actor of a command: the subject of the credential, whatever the call's metadata states.

    A process without credentials trusts the metadata. Raises ``Invalid`` for a malformed id or name.
    """
    if is_asked():
        credential = caller()
        if credential is None:
            return Actor()
        name = credential.name if credential.name and not await _is_known(record, credential.subject) else ""
        return Actor(credential.subject, name)
    metadata = read_metadata(context)
    if given := check_id(ACTOR, metadata.get(ACTOR, "")):
        return Actor(given)
    name = _name(metadata.get(ACTOR_NAME, b""))
    return await _official_named(record, name, command_id) if name else Actor()


async def _official_named(record: Record, name: str, command_id: str) -> Actor:
    """Find the official of a name, for calls that state only a name; create an id for a new name.

    A new id is derived from the command's UUID. An id derived from the name would let the owner of a list of names find
    it after its erasure.
    """
    if known := await people.official(record, name):
        return Actor(known)
    return new_official(name, command_id)


def new_official(name: str, command_id: str) -> Actor:
    """Create an official with an id derived from the command's UUID."""
    made = hashlib.sha256(uuid.UUID(command_id).bytes).hexdigest()[:12]
    return Actor(f"{OFFICIAL}{made}", name)


_known: OrderedDict[tuple[str, str], None] = OrderedDict()
"""Subjects recently found to have a name in a record, or to be erased from it."""


async def _is_known(record: Record, subject: str) -> bool:
    """Check whether the record has the name of a subject, or had it until the erasure."""
    key = (record.record_id, subject)
    if key in _known:
        return True
    async with record.reading() as connection:
        found = await people.has_name(connection, subject)
    if found:
        store_bounded(_known, key, None, AUTHORIZATION_CACHE_SIZE)
    return found


def _name(value: str | bytes) -> str:
    """Return the name in Unicode NFC without surrounding space; empty if it is not given."""
    try:
        text = value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        raise Invalid(ACTOR_NAME, N_("expected a name in UTF-8")) from None
    return check_name(ACTOR_NAME, text, empty=True)
