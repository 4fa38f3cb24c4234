"""Commands of an arbiter at a table: their forms, from the contract and the catalogue, and their requests. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from google.protobuf.message import Message

from faristol.gateway.consoles.forms import FormField, fill, list_fields
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import game_pb2
from faristol.presentation.table_commands import GROUPS, TABLE_COMMANDS
from faristol.rules.board import BOARD_SIZE
from faristol.typed_input.fields import parse_number

TITLES: Mapping[str, str] = {
    "WarnPlayer": N_("Warn a player for conduct"),
    **{method: command.title for method, command in TABLE_COMMANDS.items()},
}

REQUESTS: Mapping[str, type[Message]] = {method.name: request for request, method in METHODS_BY_REQUEST.items()}

OF_SITUATION: Mapping[str, str] = {
    "SettleCount": "incident",
    "ResolveOverdraw": "incident",
    "ResolveUnderdraw": "incident",
    "RuleAppeal": "question",
    "DecideOffCentre": "question",
    "CancelPlay": "question",
}
"""Part of the situation of a table that a form concerns: if that has changed, no command is sent."""

OF_PLAYERS = frozenset({("SettleBlank", "stated")})
"""Fields of a command that only a player may set."""


@dataclass(frozen=True)
class Act:
    """Command of an arbiter."""

    request: type[Message]
    name: str
    """Label of its button, to be translated."""
    group: str
    depends: str = ""
    """Part of the situation that it concerns: if that has changed, no command is sent."""

    @property
    def method(self) -> str:
        """Name of the method: ``ResolveOverdraw``."""
        return self.request.DESCRIPTOR.name.removesuffix("Request")

    @cached_property
    def fields(self) -> Sequence[FormField]:
        """Fields of its form, in the order of the contract."""
        return [field for field in list_fields(self.request) if (self.method, field.name) not in OF_PLAYERS]


ARBITER_COMMANDS: Sequence[Act] = tuple(
    Act(REQUESTS[method], TITLES[method], key, OF_SITUATION.get(method, ""))
    for key, group in GROUPS.items()
    for method in group.methods
)
"""Commands of an arbiter at a table, without those of the scorer."""

BY_METHOD: Mapping[str, Act] = {act.method: act for act in ARBITER_COMMANDS}


@dataclass(frozen=True, slots=True)
class Offered:
    """Command that the table accepts now."""

    act: Act
    article: str
    players: Sequence[str]
    """Players that it may concern, if it concerns a player."""
    choices: Sequence[int]
    """Accepted values of its choice field."""


def list_offered(offers: Iterable[game_pb2.Offer], warned: Sequence[str] = (), warning: str = "") -> list[Offered]:
    """Return the arbiter's commands among the offers of a table, in the order of ``ARBITER_COMMANDS``.

    ``warned`` are the players whom the tournament can warn, by the article ``warning``.
    """
    found: dict[str, list[game_pb2.Offer]] = {}
    for offer in offers:
        act = BY_METHOD.get(offer.method)
        if act and (offer.by_arbiter or "arbiter_id" not in act.request.DESCRIPTOR.fields_by_name):
            found.setdefault(offer.method, []).append(offer)
    if warned:
        found["WarnPlayer"] = [game_pb2.Offer(player_id=player, article=warning) for player in warned]
    return [
        Offered(
            act,
            found[act.method][0].article,
            list(dict.fromkeys(each.player_id for each in found[act.method] if each.player_id)),
            sorted({choice for each in found[act.method] for choice in each.choices}),
        )
        for act in ARBITER_COMMANDS
        if act.method in found
    ]


def request(act: Act, given: Mapping[str, str], players: Sequence[str], **named: str) -> Message:
    """Build the request of a form. ``players`` are those at the table; ``named`` are the ids of every request.

    Raises ``Invalid`` for a missing or invalid field.
    """
    known = act.request.DESCRIPTOR.fields_by_name
    made: Any = act.request(**{name: value for name, value in named.items() if name in known})
    if act.request is game_pb2.ReopenGameRequest:
        made.player_ids.extend(players)
    typed = {field.name: given.get(field.name, "").strip() for field in act.fields}
    for field in act.fields:
        if not typed[field.name] and not field.optional:
            raise Invalid(field.name, N_("is missing"))
    if "square" in typed:
        row, column = divmod(parse_number("square", typed["square"]), BOARD_SIZE)
        typed |= {"row": str(row), "column": str(column)}
    fill(made, typed)
    return made  # type: ignore[no-any-return] # a message of the contract
