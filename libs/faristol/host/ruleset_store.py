"""The rules of a tournament and its games, by what is pinned: from the files, or as the record keeps them."""

from __future__ import annotations

import contextlib

from faristol.kernel.pins import Pin
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.record import Record, Write
from faristol.rules import Ruleset, pinned_ruleset
from faristol.rules.ruleset_pins import keep_content


def ruleset_of(pin: Pin | game.Pin) -> Ruleset:
    """The ruleset that is pinned, with what was chosen for it, where this process has its content.

    Raises ``Refusal`` when no file has that content and the process has not read it from a record (``rules_of``).
    """
    if isinstance(pin, game.Pin):
        pin = Pin.of(pin)
    return pinned_ruleset(pin.name, pin.digest, dict(pin.options))


async def rules_of(record: Record, pin: Pin | game.Pin) -> Ruleset:
    """The ruleset that is pinned, with what was chosen for it, by the files or as the record keeps it.

    Raises ``Refusal`` when neither has that content, and when this version cannot read what the record keeps.
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
    """The ruleset of which a record keeps ``content``. Raises ``Refusal`` when this version cannot read it."""
    try:
        return keep_content(content, pin.digest, dict(pin.options))
    except ValueError as problem:
        raise Refusal(
            "RULESET_UNREADABLE",
            "",
            N_("This version cannot read the ruleset {name} as the record keeps it: {problem}."),
            {"name": pin.name, "problem": str(problem)},
        ) from problem


async def bring(record: Record, pin: Pin | game.Pin) -> None:
    """Have the rules that are pinned at hand for ``ruleset_of``, which refuses where they are nowhere."""
    with contextlib.suppress(Refusal):
        await rules_of(record, pin)


async def content_of(record: Record, digest: str) -> bytes:
    """The content of a ruleset that some tournament on the record pins; empty when there is none."""
    facts = await record.facts(stream_of(digest))
    return next((fact.content for fact in facts if isinstance(fact, pairing.RulesetKept)), b"")


async def keeping(record: Record, ruleset: Ruleset, tournament_id: str) -> list[Write]:
    """What keeps the content of a ruleset on the record with the tournament that pins it; nothing where it is kept."""
    if await record.facts(stream_of(ruleset.digest)):
        return []
    kept = pairing.RulesetKept(digest=ruleset.digest, content=ruleset.canonical)
    return [Write(stream_of(ruleset.digest), 0, [kept], tournament_id)]


def stream_of(digest: str) -> str:
    """The stream on which the content of a ruleset is kept."""
    return f"ruleset-{digest}"
