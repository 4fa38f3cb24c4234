"""What can be done at a table at a moment, and by whom: every command is tried, and what is refused is not offered.

Decisions are pure, so trying them costs nothing but time. Nothing else knows what the law allows next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant
from faristol.table import Table
from faristol.table.decide import CLOCK, GAME, decide
from faristol.table.offers.articles import article_of
from faristol.table.offers.examples import CHOSEN, EXAMPLES


class Who(NamedTuple):
    """Who does something, and about whom."""

    player_id: str
    """Who does it; of an arbiter's command whom it is about, or nobody."""
    drawer_id: str
    """Whose rack it is about, of a claim."""
    is_arbiter: bool
    """An arbiter does it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that would be accepted now."""

    example: Message
    """A request that is accepted. At a table that the system hosts it may hold tiles that nobody else may see."""
    who: Who
    article: str
    """What it rests on in the book; empty where the book is silent."""
    choices: tuple[int, ...] = ()
    """The values of the field that ``CHOSEN`` names for the command, each of which is accepted."""

    @property
    def command(self) -> str:
        """The method of the contract, as ``PlacePlay``."""
        return self.example.DESCRIPTOR.name.removesuffix("Request")

    @property
    def service(self) -> str:
        """The service that takes it: ``game`` or ``clock``."""
        return "clock" if type(self.example) in CLOCK else "game"

    @property
    def field(self) -> str:
        """The field that ``choices`` are values of; empty where there is none."""
        return CHOSEN.get(type(self.example), "")


def offers(table: Table, at: Instant, arbiter_id: str = "") -> list[Offer]:
    """What is accepted at a settled ``table`` at a moment, in the order of the contract.

    Without the id of an arbiter, nothing that only an arbiter does is among it. What other games of the tournament
    have to do with a command is not looked at: no command is refused for it.
    """
    found: list[Offer] = []
    for kind in (*GAME, *CLOCK):
        found.extend(_of_command(kind, table, at, arbiter_id))
    return found


def accepted(table: Table, request: Message, at: Instant) -> bool:
    """Whether ``request`` would be done at ``at``."""
    try:
        decide(table, request, at)
    except (Refusal, Invalid):
        return False
    return True


def who_of(request: Message) -> Who:
    """Who does what a request asks for."""
    asked: Any = request
    known = request.DESCRIPTOR.fields_by_name
    is_arbiter = bool("arbiter_id" in known and asked.arbiter_id)
    several = list(asked.player_ids) if "player_ids" in known and not is_arbiter else []
    player = asked.player_id if "player_id" in known else several[0] if len(several) == 1 else ""
    drawer = asked.drawer_id if "drawer_id" in known else ""
    return Who(player, drawer, is_arbiter)


def _of_command(kind: type[Message], table: Table, at: Instant, arbiter_id: str) -> list[Offer]:
    field = CHOSEN.get(kind, "")
    first: dict[Who, Message] = {}
    choices: dict[Who, list[int]] = {}
    for example in EXAMPLES[kind](kind, table, at, arbiter_id):
        who = who_of(example)
        if who in first and not field:
            continue
        if not accepted(table, example, at):
            continue
        first.setdefault(who, example)
        if field:
            choices.setdefault(who, []).append(_value(example, field))
    article = article_of(kind, table.ruleset)
    return [Offer(example, who, article, tuple(choices.get(who, ()))) for who, example in first.items()]


def _value(example: Any, field: str) -> int:
    if field == "square":
        return int(example.row * 15 + example.column)
    return int(getattr(example, field))
