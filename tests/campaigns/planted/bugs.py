"""The planted bugs: a text of a file of the product, and the defect that replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CONSUMERS = "libs/faristol/consumers"
APPEND = "libs/faristol/event_store/append"
STORE = "libs/faristol/host/table_store/__init__.py"
HANDLER = "libs/faristol/host/command_handler.py"


class NotPlanted(Exception):
    """The text of a bug is not in its file exactly once: the code has changed, and so must the bug."""


@dataclass(frozen=True, slots=True)
class Bug:
    """A planted bug."""

    description: str
    path: str
    """From the root of the repository."""
    before: str
    """A text that the file has exactly once."""
    after: str

    def plant(self, root: Path) -> bytes:
        """Write the bug into its file. Return the content before. Raises ``NotPlanted``."""
        file = root / self.path
        content = file.read_bytes()
        if (count := content.decode().count(self.before)) != 1:
            raise NotPlanted(f"{self.path}: {self.before!r} is there {count} times; expected once ({self.description})")
        file.write_bytes(content.replace(self.before.encode(), self.after.encode()))
        return content


BUGS: Sequence[Bug] = (
    Bug(
        "the checkpoint of a reaction is one event ahead",
        f"{CONSUMERS}/handlers.py",
        "checkpoint = Checkpoint(self.name, self.noted, event.position)",
        "checkpoint = Checkpoint(self.name, self.noted, event.position + 1)",
    ),
    Bug(
        "an event that fails in a reaction is skipped",
        f"{CONSUMERS}/handlers.py",
        "            except CannotTake as error:\n                await self._park(error)\n",
        "            except CannotTake as error:\n",
    ),
    Bug(
        "a retry of a parked key begins after the event that failed",
        f"{CONSUMERS}/handlers.py",
        "events = await self.record.read(row.done, limit=limit,",
        "events = await self.record.read(row.done + 1, limit=limit,",
    ),
    Bug(
        "the first event of each batch is left out of a projection",
        f"{CONSUMERS}/handlers.py",
        "await self._in_parts(self._project, events, last)",
        "await self._in_parts(self._project, events[1:], last)",
    ),
    Bug(
        "a projection does not move its checkpoint with its rows",
        f"{CONSUMERS}/handlers.py",
        "                await self._move(connection, last)\n                await self._apply(connection, events)",
        "                await self._apply(connection, events)",
    ),
    Bug(
        "a projection does not notice the switch to a rebuilt generation",
        f"{CONSUMERS}/handlers.py",
        "if generation != self._generation:",
        "if generation is False:",
    ),
    Bug(
        "a rebuild switches before it has the last events",
        f"{CONSUMERS}/rebuild.py",
        "            while self._position < live:\n",
        "            while self._position < live - 40:\n",
    ),
    Bug(
        "a consumer reads the record only after a message",
        f"{CONSUMERS}/consumer.py",
        "if notified > self._handler.position or not messages:",
        "if notified > self._handler.position:",
    ),
    Bug(
        "the last table of a round is not opened",
        "services/faristol/game/reactions.py",
        "for pairing in tournament.pairings[started.round]:",
        "for pairing in tournament.pairings[started.round][:-1]:",
    ),
    Bug(
        "a ruling is not applied at its table",
        "services/faristol/game/reactions.py",
        'return settled.decision() if settled else None\n\n    return Reaction("game.follow"',
        'return None\n\n    return Reaction("game.follow"',
    ),
    Bug(
        "the tournament records no winner",
        "services/faristol/tournament/results/results.py",
        "        revision=result.decided.revision,\n        **result.decided.fields(),\n    )\n    return [recorded",
        "        revision=result.decided.revision,\n    )\n    return [recorded",
    ),
    Bug(
        "the rating list waits for a round after the last one",
        "services/faristol/rating/reactions.py",
        "_last(message) < tournament.state.rounds:",
        "_last(message) <= tournament.state.rounds:",
    ),
    Bug(
        "the missing consequences at a table are not written",
        STORE,
        "events = [*self.missing, *new_events]",
        "events = [*new_events]",
    ),
    Bug(
        "a decision on a game does not guard its clock and its case",
        STORE,
        "if stream not in written]",
        "if stream in ()]",
    ),
    Bug(
        "an append does not notice that a stream has grown",
        f"{APPEND}/group.py",
        "if found != version:",
        "if found < version:",
    ),
    Bug(
        "the answer to a command is not stored with its events",
        HANDLER,
        "metadata, command=call.command(answer))",
        "metadata, command=None)",
    ),
    Bug(
        "a repeated command is refused because of its own effect",
        HANDLER,
        "if before := await self._record.find_answer(call.command_id):",
        "if before := None:",
    ),
    Bug(
        "appends of one transaction get the outcomes of each other",
        f"{APPEND}/group_commit.py",
        "in zip(requests, outcomes, strict=True):\n            if request.done",
        "in zip(requests, outcomes[::-1], strict=True):\n            if request.done",
    ),
    Bug(
        "the lease of a crashed process never expires",
        "libs/faristol/event_store/leases.py",
        "(table.c.holder == holder) | ~is_held(now, longest)",
        "(table.c.holder == holder) | (table.c.until == until)",
    ),
    Bug(
        "a relay that takes over begins at the end of the record",
        "libs/faristol/bus/relay.py",
        "                position = max(position, noted)\n",
        "                position = max(position, noted, await self._record.last_position())\n",
    ),
)
