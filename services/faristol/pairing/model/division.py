"""A division of a championship: a tournament of its own, which knows the others. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.pb.pairing.v1 import events_pb2 as events


@dataclass(frozen=True, slots=True)
class Division:
    """A tournament, and the public name that it has among the others."""

    tournament_id: str
    name: str

    @classmethod
    def of(cls, division: events.Division) -> Division:
        """The division that a fact holds."""
        return cls(division.tournament_id, division.name)

    def message(self) -> events.Division:
        """As the contract has it."""
        return events.Division(tournament_id=self.tournament_id, name=self.name)
