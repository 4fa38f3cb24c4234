"""What cases are played in: services, and time that goes by as the case says."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.referee.case import Step
from faristol.referee.forms import moment
from faristol.referee.services import Services

PROBLEMS = (Refusal, Invalid, NotFound, AlreadyExists)
Problem = Refusal | Invalid | NotFound | AlreadyExists
"""How a command is answered that cannot be done."""

Differences = AsyncIterator[str]
"""What is otherwise than a step expects, in words."""

S = TypeVar("S", bound=Services)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a step."""

    facts: Sequence[Message] = ()
    """Everything that was recorded, in order."""
    answers: Sequence[Message] = ()
    """Those of the commands, in order."""
    problem: Problem | None = None
    """Why a command could not be done; what came after it in the step was not tried."""
    called: Callable[[str], str] = str
    """The name that stands for an id; the id itself where it has none."""


class World(ABC, Generic[S]):
    """A table or a tournament as a case begins, and as its steps change it."""

    services: S
    tournament_id: str
    game_id = ""
    """The game that commands are for which name none."""

    def __init__(self) -> None:
        self.now_ms = 0
        """How old the case is."""
        self._sent = 0
        self.notes: list[str] = []
        """What was done for the position that the case does not say, each with file and line."""

    @abstractmethod
    async def open(self, services: S) -> None:
        """Make what the case begins with, on these services."""

    @abstractmethod
    async def let_pass(self) -> None:
        """Let happen what is due by now."""

    @abstractmethod
    async def act(self, step: Step, answers: list[Message]) -> None:
        """Do what a step says. ``answers`` takes those of its commands, in order."""

    def now(self) -> datetime:
        """What time it is in the case."""
        return moment(self.now_ms).ToDatetime(UTC)

    async def do(self, step: Step) -> Done:
        """Let time go by up to a step, and do it."""
        before = await self.services.record.last_position()
        if step.at_ms is not None:
            if step.at_ms < self.now_ms:
                raise step.place.wrong("this happens before the step before it")
            self.now_ms = step.at_ms
        self.now_ms += step.after_ms or 0
        await self.let_pass()
        answers: list[Message] = []
        problem: Problem | None = None
        try:
            await self.act(step, answers)
        except PROBLEMS as found:
            problem = found
        return Done(await self.services.facts(before), answers, problem, self.called)

    def called(self, id_: str) -> str:
        """The name that stands for an id in a case; the id itself where it has none."""
        return id_

    def complete(self, _: str, __: str, request: Any) -> None:
        """Set what no step says of a command: its id, when it is given, and what it is for."""
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
