"""The delivery of seals to witnesses, as a part of a process."""

from __future__ import annotations

from faristol.event_store import RecordError
from faristol.event_store.witness import deliver_to_all, open_witness
from faristol.host.runtime import Runtime
from faristol.host.service_module import Part
from faristol.host.services import StartError


def part(runtime: Runtime) -> Part:
    """Return the part that delivers to the configured witnesses. Raises ``StartError`` if one is invalid."""
    settings = runtime.settings
    places = filter(None, (place.strip() for place in settings.seal_witnesses.split(",")))
    try:
        witnesses = [open_witness(place, settings.seal_witness_token, to_deliver=True) for place in places]
    except RecordError as error:
        raise StartError(str(error)) from error

    async def deliver() -> None:
        await deliver_to_all(runtime.record, witnesses)

    return Part(name="witnesses", tasks=(deliver,))
