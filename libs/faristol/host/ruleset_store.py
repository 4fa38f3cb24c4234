"""The rulesets of tournaments and games by their pins: from the installed files, or from the record."""

from __future__ import annotations

import contextlib

from faristol.event_store import Record, Write
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.rules import Ruleset, pinned_ruleset
from faristol.rules.ruleset.pins import keep_content


def ruleset_of(pin: Pin | game.Pin) -> Ruleset:
    """Return the pinned ruleset with its options, if this process has its content.

    Raises ``Refusal`` if no file has that content and the process has not read it from a record (``rules_of``).
    """
    if isinstance(pin, game.Pin):
        pin = Pin.of(pin)
    return pinned_ruleset(pin.name, pin.digest, dict(pin.options))


async def rules_of(record: Record, pin: Pin | game.Pin) -> Ruleset:
    """Return the pinned ruleset with its options, from the files or the record.

    Raises ``Refusal`` if neither has that content, or if this version cannot read the stored content.
    """
    if isinstance(pin, game.Pin):
        pin = Pin.of(pin)
    try:
        return ruleset_of(pin)
    except Refusal:
        content = await content_of(record, pin.digest)
        if not content:
            raise
    return kept_ruleset(content, pin)


def kept_ruleset(content: bytes, pin: Pin) -> Ruleset:
    """Return the ruleset with the stored ``content``. Raises ``Refusal`` if this version cannot read it."""
    try:
        return keep_content(content, pin.digest, dict(pin.options))
    except ValueError as error:
        raise Refusal(
            "RULESET_UNREADABLE",
            N_("This version cannot read the recorded ruleset {name}: {problem}."),
            {"name": pin.name, "problem": str(error)},
        ) from error


async def load_pinned(record: Record, pin: Pin | game.Pin) -> None:
    """Load the pinned rules for ``ruleset_of``, which refuses if they are not available."""
    with contextlib.suppress(Refusal):
        await rules_of(record, pin)


async def content_of(record: Record, digest: str) -> bytes:
    """Return the stored content of a ruleset that a tournament pins; empty if it is not stored."""
    events = await record.events(stream_of(digest))
    return next((event.content for event in events if isinstance(event, pairing.RulesetKept)), b"")


async def list_ruleset_writes(record: Record, ruleset: Ruleset, tournament_id: str) -> list[Write]:
    """Return the writes that store the content of a ruleset with its first tournament; empty if it is stored."""
    if await record.events(stream_of(ruleset.digest)):
        return []
    kept = pairing.RulesetKept(digest=ruleset.digest, content=ruleset.canonical)
    return [Write(stream_of(ruleset.digest), 0, [kept], tournament_id)]


def stream_of(digest: str) -> str:
    """Return the stream with the content of a ruleset."""
    return f"ruleset-{digest}"
