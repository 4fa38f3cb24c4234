"""The list of the commands that halls keep or kept, with what became of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from faristol.event_store import Record
from faristol.host.halls.kept import (
    REFUSED_AS_WITHDRAWN,
    KeptEvent,
    Outcome,
    enters_result,
    is_followed,
    list_effective,
    load_outcomes,
    read_kept,
)
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.personal_data import people


async def list_kept(record: Record, tournament_id: str, keys: Iterable[bytes]) -> list[pb.KeptCommand]:
    """Return the commands of the halls with these keys, those of each hall in the order in which it accepted them."""
    outcomes = (await load_outcomes(record, tournament_id)).by_command
    listed: list[pb.KeptCommand] = []
    for key in keys:
        kept = await read_kept(record, tournament_id, key)
        effective = list_effective(each for each in kept if each[1].command_id not in outcomes)
        listed += [_describe(each, outcomes.get(each[1].command_id), effective) for each in kept]
    if not record.owner_key:  # the hall of a command withdraws it
        for each in listed:
            each.withdrawable = False
    known = await people.names(record, {each.actor for each in listed})
    for each in listed:
        each.actor_name = known[each.actor].name if each.actor in known else ""
    return listed


def _describe(found: KeptEvent, outcome: Outcome | None, effective: Collection[KeptEvent]) -> pb.KeptCommand:
    """Return the description of a kept command. ``effective`` are those of its hall that have effects."""
    recorded, kept = found
    described = pb.KeptCommand(
        command_id=kept.command_id,
        hall=kept.hall,
        method=kept.type.rpartition(".")[2].removesuffix("Request"),
        game_id=kept.game_id,
        scores=kept.scores,
        kept_at=kept.occurred_at,
        state=pb.KEPT_STATE_EXECUTED if outcome else pb.KEPT_STATE_PENDING,
        table=kept.table,
        actor=recorded.metadata.actor,
    )
    if outcome is None and not kept.withdrawn_id:
        is_effective = any(each.command_id == kept.command_id for _, each in effective)
        described.state = pb.KEPT_STATE_PENDING if is_effective else pb.KEPT_STATE_WITHDRAWN
        described.withdrawable = is_effective and not enters_result(kept) and not is_followed(kept, effective)
    if isinstance(outcome, events.HallCommandRefused):
        is_withdrawn = outcome.reason == REFUSED_AS_WITHDRAWN
        described.state = pb.KEPT_STATE_WITHDRAWN if is_withdrawn else pb.KEPT_STATE_REFUSED
        described.reason, described.text = outcome.reason, outcome.text
        described.parameters.extend(outcome.parameters)
    return described
