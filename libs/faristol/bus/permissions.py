"""Permissions on NATS: the users, and the subjects that each may publish and subscribe to.

A process publishes to JetStream and receives replies in its own inbox. Only the relay publishes events, and only its
own user pulls a consumer. No user deletes the stream, or reads it or events without a consumer. A program outside the
cell reads public events only.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NOTIFICATION_STREAM = "FARISTOL"
PUBLIC_ROOT = "faristol"
"""First token of the subjects of events that are published whole."""
INTERNAL_ROOT = "faristol-internal"
"""First token of the subjects of references to events with private values.

The root differs, because a consumer's permission names the beginning of its filter: with one root, a filter could be
widened to the references by a wildcard.
"""
STREAM_SUBJECTS = (f"{PUBLIC_ROOT}.>", f"{INTERNAL_ROOT}.>")
"""Subjects of the stream."""


PASSWORD_BYTES = 24
"""Random bytes of a password."""


def create_password() -> str:
    """Return a random password of a user."""
    return secrets.token_urlsafe(PASSWORD_BYTES)


def inbox(user: str) -> str:
    """Return the prefix of the subjects for replies to a user."""
    return f"_INBOX.{user}"


@dataclass(frozen=True)
class User:
    """A user with permissions."""

    name: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def user(name: str, durables: Sequence[str] = (), *, relays: bool = False, removes: bool = False) -> User:
    """Build the user of a process with these consumers, and with a relay if it ``relays``; ``*`` is any consumer.

    One that ``removes`` may list and delete consumers, for cells that have ended.
    """
    publish = [f"$JS.API.STREAM.INFO.{NOTIFICATION_STREAM}"]
    if relays:
        publish += [
            *STREAM_SUBJECTS,
            *(f"$JS.API.STREAM.{act}.{NOTIFICATION_STREAM}" for act in ("CREATE", "UPDATE")),
        ]
    if removes:
        publish += [
            f"$JS.API.CONSUMER.{act}" for act in (f"LIST.{NOTIFICATION_STREAM}", f"DELETE.{NOTIFICATION_STREAM}.*")
        ]
    for durable in durables:
        publish += [
            f"$JS.API.CONSUMER.DURABLE.CREATE.{NOTIFICATION_STREAM}.{durable}",
            f"$JS.API.CONSUMER.MSG.NEXT.{NOTIFICATION_STREAM}.{durable}",
            f"$JS.ACK.{NOTIFICATION_STREAM}.{durable}.>",
        ]
    return User(name, tuple(publish), (f"{inbox(name)}.>",))


def program(name: str, tournaments: Sequence[str] = ()) -> User:
    """Build the user of a program outside the cell. It reads public events of these tournaments, or of all.

    Its durable consumer is named ``name`` and has one filter, which its permission names.
    """
    filters = [f"{PUBLIC_ROOT}.{each}.>" for each in tournaments] or [STREAM_SUBJECTS[0]]
    consumers = f"{NOTIFICATION_STREAM}.{name}"
    publish = (
        f"$JS.API.STREAM.INFO.{NOTIFICATION_STREAM}",
        *(f"$JS.API.CONSUMER.CREATE.{consumers}.{each}" for each in filters),
        f"$JS.API.CONSUMER.INFO.{consumers}",
        f"$JS.API.CONSUMER.MSG.NEXT.{consumers}",
        f"$JS.ACK.{consumers}.>",
    )
    return User(name, publish, (f"{inbox(name)}.>",))


def authorization(users: Sequence[User], passwords: Mapping[str, str]) -> str:
    """Render the users for the configuration of a NATS server; ``passwords`` are by name."""
    lines = ["authorization {", "  users: ["]
    for each in users:
        password = f", password: {json.dumps(passwords[each.name])}" if each.name in passwords else ""
        lines += [
            f"    {{ user: {json.dumps(each.name)}{password}, permissions: {{",
            f"      publish: {{ allow: {json.dumps(list(each.publish))} }}",
            f"      subscribe: {{ allow: {json.dumps(list(each.subscribe))} }}",
            "    } }",
        ]
    return "\n".join([*lines, "  ]", "}", ""])
