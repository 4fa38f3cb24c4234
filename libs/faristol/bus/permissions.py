"""Who may do what on NATS: users, what each may send, and what it may hear.

A process sends to JetStream and hears answers in an inbox of its own. The relay alone publishes news; a consumer is
pulled by its own user alone. Nobody removes the stream, reads it around a consumer, or listens to news directly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

STREAM = "FARISTOL"
NEWS = "faristol.>"
"""Subjects of the news."""


def inbox(user: str) -> str:
    """What the subjects begin with on which a user is answered."""
    return f"_INBOX.{user}"


@dataclass(frozen=True)
class User:
    """Somebody who may connect."""

    name: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def user(name: str, durables: Sequence[str] = (), *, relays: bool = False, removes: bool = False) -> User:
    """The user of a process with these consumers, and with a relay where it ``relays``; ``*`` is any consumer.

    One that ``removes`` lists and removes consumers, those of cells that have ended.
    """
    publish = [f"$JS.API.STREAM.INFO.{STREAM}"]
    if relays:
        publish += [NEWS, *(f"$JS.API.STREAM.{act}.{STREAM}" for act in ("CREATE", "UPDATE"))]
    if removes:
        publish += [f"$JS.API.CONSUMER.{act}" for act in (f"LIST.{STREAM}", f"DELETE.{STREAM}.*")]
    for durable in durables:
        publish += [
            f"$JS.API.CONSUMER.DURABLE.CREATE.{STREAM}.{durable}",
            f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{durable}",
            f"$JS.ACK.{STREAM}.{durable}.>",
        ]
    return User(name, tuple(publish), (f"{inbox(name)}.>",))


def authorization(users: Sequence[User], secrets: Mapping[str, str]) -> str:
    """The users for the settings of a NATS server; ``secrets`` holds a password by name, if the user has one."""
    lines = ["authorization {", "  users: ["]
    for each in users:
        password = f", password: {json.dumps(secrets[each.name])}" if each.name in secrets else ""
        lines += [
            f"    {{ user: {json.dumps(each.name)}{password}, permissions: {{",
            f"      publish: {{ allow: {json.dumps(list(each.publish))} }}",
            f"      subscribe: {{ allow: {json.dumps(list(each.subscribe))} }}",
            "    } }",
        ]
    return "\n".join([*lines, "  ]", "}", ""])
