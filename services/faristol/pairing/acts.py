"""What was done, as it is told: acts out of facts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from faristol.kernel.naming import players_of
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Recorded
from faristol.record.people import Person

_TOLD = frozenset(("round", "player_id", "player_ids", "game_id", "inputs_digest"))
"""Fields of a fact that an act has by themselves, or that tell nobody anything."""


def result_of(fact: Message, version: int, facts: Sequence[Message]) -> Message:
    """The fact that tells the result of an act: what was recorded when it was entered, or else the fact itself.

    ``facts`` are all of the tournament, of which the act made ``version``, from 1.
    """
    if not isinstance(fact, events.ResultEntered):
        return fact
    after = islice(facts, version, None)
    recorded = (one for one in after if isinstance(one, events.ResultRecorded) and one.game_id == fact.game_id)
    return next(recorded, fact)


def act_of(
    recorded: Recorded,
    before: Sequence[Message],
    note: str,
    known: Mapping[str, Person],
    told: Message,
    undone_by: str = "",
) -> pairing.Act:
    """An act with its ``note``, which in what older versions wrote stands in the event itself, and players' names.

    Scores and players are those of ``told``, the fact that has its result.
    """
    fact = recorded.message
    named = players_of(told)
    shown = pairing.Act(
        version=recorded.version,
        position=recorded.position,
        type=recorded.name,
        round=int(getattr(fact, "round", 0)),
        player_ids=named,
        players=[pairing.ActPlayer(player_id=one, name=known[one].name if one in known else "") for one in named],
        scores=getattr(told, "scores", ()),
        game_id=str(getattr(fact, "game_id", "")),
        note=note or str(getattr(fact, "note", "")),
        actor=recorded.metadata.actor,
        actor_name=known[recorded.metadata.actor].name if recorded.metadata.actor in known else "",
        role=recorded.metadata.role,
        recorded_at=to_timestamp(recorded.recorded_at),
        undone_by=undone_by,
        details=[*_details(fact, recorded.metadata.actor), *_scores_before(fact, before)],
    )
    if "occurred_at" in fact.DESCRIPTOR.fields_by_name:
        shown.occurred_at.CopyFrom(fact.occurred_at)  # type: ignore[attr-defined] # the line above has looked
    return shown


def _details(fact: Message, actor: str) -> Iterator[str]:
    """What a fact says beside what every act has: halls and no other parts, no seeds, no free words.

    The arbiter is left out who is the ``actor``, as every act tells that.
    """
    if isinstance(fact, events.HallsSet):
        halls = (f"{hall.name} {hall.first_table}–{hall.last_table}" for hall in fact.halls)
        yield f"halls: {', '.join(halls) or 'none'}"
    for field, value in fact.ListFields():
        if field.name in _TOLD or field.message_type or field.type == field.TYPE_BYTES:
            continue
        if field.GetOptions().debug_redact or (field.name == "arbiter_id" and value == actor):
            continue
        told = ", ".join(_told(field, one) for one in (value if field.is_repeated else (value,)))
        yield f"{field.name.replace('_', '-')}: {told}"


def _told(field: FieldDescriptor, value: object) -> str:
    """A value as a director writes it: ``points`` for ``SANCTION_KIND_POINTS``."""
    if field.enum_type is not None and isinstance(value, int):
        names = field.enum_type.values_by_number
        prefix = names[0].name.removesuffix("UNSPECIFIED")
        return names[value].name.removeprefix(prefix).lower().replace("_", "-")
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _scores_before(fact: Message, before: Sequence[Message]) -> Iterator[str]:
    """The scores that a corrected result takes the place of."""
    if not isinstance(fact, events.ResultCorrected):
        return
    for one in reversed(before):
        if isinstance(one, events.ResultRecorded | events.ResultCorrected) and one.game_id == fact.game_id:
            yield f"scores-before: {', '.join(f'{score.player_id} {score.score}' for score in one.scores)}"
            return
