"""Parts of a process that seal the record: its seals, their delivery to witnesses, and the transparency log."""

from __future__ import annotations

from faristol.event_store import RecordError
from faristol.event_store.integrity.keys import SealKey
from faristol.event_store.integrity.sealer import Sealer
from faristol.event_store.integrity.token_key import open_key
from faristol.event_store.transparency.log_writer import LogWriter, name_log
from faristol.event_store.transparency.policy import TrustPolicy, load_policy
from faristol.event_store.witness import deliver_to_all, open_witness
from faristol.host.runtime import Runtime
from faristol.host.service_module import Part
from faristol.host.services import StartError
from faristol.pb.pairing.v1 import events_pb2 as pairing

CHECKPOINT_TYPES = (pairing.RoundClosed, pairing.StandingsPublished)
"""Events after which a checkpoint is signed at once: those that end a round or a tournament."""


def open_configured_key(where: str) -> SealKey:
    """Return the key of a setting. Raises ``StartError`` if it cannot be read."""
    try:
        return open_key(where)
    except RecordError as error:
        raise StartError(str(error)) from error


def build_sealer(runtime: Runtime) -> Part:
    """Return the part that seals with the configured key. Raises ``StartError`` if the key cannot be read.

    An unavailable token is waited for.
    """
    settings = runtime.settings
    key = open_configured_key(settings.seal_key)
    sealer = Sealer(runtime.record, key, events=settings.seal_events, seconds=settings.seal_seconds)
    return Part(name="sealing", tasks=(sealer.run,))


def build_log(runtime: Runtime) -> Part:
    """Return the part that signs the log. Raises ``StartError`` if the key, the origin or the policy is invalid."""
    settings = runtime.settings
    try:
        key = open_key(settings.seal_key)
        origin = name_log(settings.transparency_origin, runtime.record.record_id)
        policy = load_policy(settings.transparency_policy) if settings.transparency_policy else TrustPolicy()
    except RecordError as error:
        raise StartError(str(error)) from error
    if not policy.is_met({witness.name for witness in policy.witnesses if witness.url}):
        raise StartError(
            f"{settings.transparency_policy}: the quorum {policy.quorum!r} cannot be met, as too few of its witnesses"
            " have an address, such as “witness NAME VKEY https://…”"
        )
    writer = LogWriter(
        runtime.record,
        key,
        origin,
        policy,
        seconds=settings.transparency_seconds,
        at_once=[kind.DESCRIPTOR.full_name for kind in CHECKPOINT_TYPES],
    )
    return Part(name="log", tasks=(writer.run,))


def build_delivery(runtime: Runtime) -> Part:
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
