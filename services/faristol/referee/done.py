"""What came of a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import Message

from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import Refusal

PROBLEMS = (Refusal, Invalid, NotFound, AlreadyExists)
Problem = Refusal | Invalid | NotFound | AlreadyExists
"""How a command is answered that cannot be done."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a step."""

    facts: Sequence[Message] = ()
    """Everything that was recorded, in order."""
    answers: Sequence[Message] = ()
    """Those of the commands, in order."""
    problem: Problem | None = None
    """Why a command could not be done; what came after it in the step was not tried."""
