"""Delivering seals to witnesses, as a part of a process."""

from __future__ import annotations

from faristol.host.part import Part
from faristol.host.runtime import Runtime
from faristol.host.services import StartError
from faristol.record import RecordError
from faristol.record.witness import deliver_to_all, open_witness


def part(runtime: Runtime) -> Part:
    """What delivers to the witnesses of the settings. Raises ``StartError`` for what cannot be one."""
    settings = runtime.settings
    places = filter(None, (place.strip() for place in settings.witnesses.split(",")))
    try:
        witnesses = [open_witness(place, settings.witness_token, to_deliver=True) for place in places]
    except RecordError as problem:
        raise StartError(str(problem)) from problem

    async def deliver() -> None:
        await deliver_to_all(runtime.record, witnesses)

    return Part(name="witnesses", tasks=(deliver,))
