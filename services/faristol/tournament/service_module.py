"""The pairing service as a part of a process."""

from __future__ import annotations

from faristol.host import Part, Runtime
from faristol.tournament import reactions
from faristol.tournament.service import service


def part(runtime: Runtime) -> Part:
    """Build the pairing service and its reactions."""
    return Part(
        name="pairing",
        servicers=(service(runtime),),
        reactions=(reactions.results(runtime.record), reactions.sanctions(runtime.record)),
    )
