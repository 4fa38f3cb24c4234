"""What a command is answered. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.pairing.rounds.readiness import round_paired_without, round_to_pair_again
from faristol.pairing.situation import Command, Situation
from faristol.pb.pairing.v1 import events_pb2 as events

M = TypeVar("M", bound=Message)


def _rounds_after(situation: Situation, facts: Sequence[Message]) -> list[int]:
    """The rounds that were paired after the one of which a result is corrected; none where none is."""
    corrected = next((fact.round for fact in facts if isinstance(fact, events.ResultCorrected)), None)
    return [played.number for played in situation.state.played if corrected and played.number > corrected]


SHARED: Mapping[str, Callable[[Situation, Sequence[Message]], Any]] = {
    "round_to_pair_again": lambda situation, facts: round_to_pair_again(situation.state, situation.ruleset, facts),
    "round_paired_without": lambda situation, facts: round_paired_without(situation.state, facts),
    "rounds_after": _rounds_after,
}
"""Fields that the answers to several commands have."""


def answer_to(
    command: Command, response: type[M], situation: Situation, request: Any, facts: Sequence[Message]
) -> Callable[[int], M]:
    """What makes the answer of type ``response`` from the position of the last of ``facts``."""
    names = response.DESCRIPTOR.fields_by_name
    fields = {name: told(situation, facts) for name, told in SHARED.items() if name in names}
    telling = next((fact for fact in facts if command.tells and isinstance(fact, command.tells)), None)
    if telling is not None:
        fields |= {field.name: value for field, value in telling.ListFields() if field.name in names}
    fields |= command.more(situation, request, facts)

    def answer(position: int) -> M:
        made: Any = response
        return made(position=position, **fields)  # type: ignore[no-any-return] # a message of that type

    return answer
