"""The transparency log of the record, as a part of a process."""

from __future__ import annotations

from faristol.event_store import RecordError
from faristol.event_store.integrity.token_key import open_key
from faristol.event_store.transparency.log_writer import LogWriter, name_log
from faristol.event_store.transparency.policy import TrustPolicy, load_policy
from faristol.host.runtime import Runtime
from faristol.host.service_module import Part
from faristol.host.services import StartError
from faristol.pb.pairing.v1 import events_pb2 as pairing

CHECKPOINT_TYPES = (pairing.RoundClosed, pairing.StandingsPublished)
"""Events after which a checkpoint is signed at once: those that end a round or a tournament."""


def part(runtime: Runtime) -> Part:
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
