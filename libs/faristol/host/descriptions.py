"""Whom to ask about tournaments, and their arbiters: names that stand beside the events, so that they can be erased."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from faristol.kernel import facts
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.record.record import Record

_CONTACT = next(iter(facts.types_of([pairing.ContactSet])))
_ARBITERS = next(iter(facts.types_of([pairing.ArbitersNamed])))
_BETWEEN = ";"


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of a tournament beside its events; empty where it was not said, and where it was erased."""

    contact: str = ""
    arbiters: tuple[str, ...] = ()
    """The chief arbiter first."""


NONE = Description()


async def of(record: Record, tournament_ids: Collection[str]) -> Mapping[str, Description]:
    """Return what is said of tournaments beside their events, by tournament; those of which nothing is are left out."""
    if not tournament_ids:
        return {}
    streams = {f"tournament-{tournament_id}": tournament_id for tournament_id in tournament_ids}
    found: dict[str, Description] = {}
    for (stream, kind), text in (await record.latest_notes(streams, (_CONTACT, _ARBITERS))).items():
        before = found.get(streams[stream], NONE)
        if kind == _CONTACT:
            found[streams[stream]] = replace(before, contact=text)
        else:
            names = tuple(name.strip() for name in text.split(_BETWEEN) if name.strip())
            found[streams[stream]] = replace(before, arbiters=names)
    return found
