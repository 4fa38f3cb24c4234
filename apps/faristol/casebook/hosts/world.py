"""The environment of cases: services, and a clock that the case controls."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from faristol.casebook.case import Step
from faristol.casebook.forms import moment
from faristol.casebook.hosts.services import Services
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import Refusal

PROBLEMS = (Refusal, Invalid, NotFound, AlreadyExists)
Problem = Refusal | Invalid | NotFound | AlreadyExists
"""The answers to a failed command."""

Differences = AsyncIterator[str]
"""Differences from the expectations of a step, in words."""

S = TypeVar("S", bound=Services)


@dataclass(frozen=True, slots=True)
class StepResult:
    """The results of a step."""

    facts: Sequence[Message] = ()
    """All appended events, in order."""
    answers: Sequence[Message] = ()
    """Those of the commands, in order."""
    problem: Problem | None = None
    """The failure of a command; the rest of the step was skipped."""
    called: Callable[[str], str] = str
    """Returns the name for an id; the id itself without a name."""


class World(ABC, Generic[S]):
    """A table or a tournament at the start of a case, and how its steps change it."""

    services: S
    tournament_id: str
    game_id = ""
    """The game of commands that name none."""

    def __init__(self) -> None:
        self.now_ms = 0
        """The time since the case began."""
        self._sent = 0
        self.notes: list[str] = []
        """Additions to the position that the case does not mention, with file and line."""

    @abstractmethod
    async def open(self, services: S) -> None:
        """Set up the start of the case on these services."""

    @abstractmethod
    async def append_due_events(self) -> None:
        """Append the events that are due by now."""

    @abstractmethod
    async def act(self, step: Step, answers: list[Message]) -> None:
        """Execute a step. ``answers`` receives those of its commands, in order."""

    def now(self) -> datetime:
        """Return the time of the case."""
        return moment(self.now_ms).ToDatetime(UTC)

    async def do(self, step: Step) -> StepResult:
        """Advance the time to a step, and execute it."""
        before = await self.services.record.last_position()
        if step.at_ms is not None:
            if step.at_ms < self.now_ms:
                raise step.place.wrong("this happens before the step before it")
            self.now_ms = step.at_ms
        self.now_ms += step.after_ms or 0
        await self.append_due_events()
        answers: list[Message] = []
        problem: Problem | None = None
        try:
            await self.act(step, answers)
        except PROBLEMS as found:
            problem = found
        return StepResult(await self.services.facts(before), answers, problem, self.name_of)

    def name_of(self, id_: str) -> str:
        """Return the name for an id in a case; the id itself without a name."""
        return id_

    def complete(self, _: str, __: str, request: Any) -> None:
        """Set the fields of a command that no step has: its id, time, and subject."""
        known = request.DESCRIPTOR.fields_by_name
        if "command_id" in known:
            self._sent += 1
            request.command_id = str(uuid.UUID(int=self._sent))
        if "tournament_id" in known:
            request.tournament_id = self.tournament_id
        if "game_id" in known and self.game_id:
            request.game_id = self.game_id
        if "occurred_at" in known:
            request.occurred_at.CopyFrom(moment(self.now_ms))
