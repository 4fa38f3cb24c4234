"""The metadata of calls: what stands in it under which name."""

from __future__ import annotations

from collections.abc import Iterable

AUTHORIZATION = "authorization"
"""``Bearer`` and the token of who makes the call."""

ACTOR = "faristol-actor"
"""The id of who sends a command, which stays on the record for ever."""

ACTOR_NAME = "faristol-actor-name-bin"
"""The name of who sends it, UTF-8, instead of an id. They get one, and the name is kept beside."""

ROLE = "faristol-role"
"""In what role it is sent, where a process asks for no credentials."""

CORRELATION = "faristol-correlation"
"""What a command belongs to."""


def metadata_of(metadata: Iterable[tuple[str, str | bytes]] | None, name: str) -> str:
    """What the metadata of a call has under a name; empty for nothing."""
    return next((str(value) for key, value in metadata or () if key == name), "")
