"""Appeals, and the members of the tribunal that decides on them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from faristol.pb.pairing.v1 import events_pb2 as events


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the tribunal of appeals."""

    person_id: str
    role: events.TribunalRole.ValueType

    @classmethod
    def of(cls, member: events.TribunalMember) -> Member:
        """The member that a fact holds."""
        return cls(member.person_id, member.role)

    def message(self) -> events.TribunalMember:
        """As the contract has it."""
        return events.TribunalMember(person_id=self.person_id, role=self.role)


class AppealPhase(Enum):
    """Where an appeal stands."""

    OPEN = "open"
    UPHELD = "upheld"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    """Taken back before it was decided on."""


@dataclass(frozen=True, slots=True)
class Appeal:
    """An appeal against an act of the tournament."""

    player_id: str
    """Who appealed."""
    version: int
    """Of the tournament's stream, that the act made."""
    members: tuple[Member, ...]
    """Who sits."""
    involved: tuple[str, ...]
    """The players involved in the dispute, who appealed among them."""
    phase: AppealPhase = AppealPhase.OPEN
