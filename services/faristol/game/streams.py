"""A table as the record has it: its own stream, and those that it is decided against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import Message

from faristol.game.model import Game, Phase, evolve
from faristol.game.pinning import ruleset_of
from faristol.game.settling import fold, settle
from faristol.game.views import Clock, Ruling, watch_case, watch_clock
from faristol.host.cases import case_ids_of
from faristol.record import Decision, Guard, Record, Write, load
from faristol.rules import Ruleset


def game_stream(game_id: str) -> str:
    """The stream of a table."""
    return f"game-{game_id}"


def clock_stream(game_id: str) -> str:
    """The stream of its clock."""
    return f"clock-{game_id}"


def case_streams(game: Game) -> list[str]:
    """The streams on which the case of the last challenge may be, or that of the appeal in it."""
    known = case_ids_of(game.game_id, game.seed, game.challenges, appeal=game.course.appealed)
    return [f"case-{case_id}" for case_id in known]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that has been settled."""

    game: Game
    """With the settled facts."""
    clock: Clock
    ruleset: Ruleset
    settled: Sequence[Message]
    """The facts that followed from the other streams and that the record does not have yet."""
    version: int
    """Of the table's stream, without the settled facts."""
    guards: Sequence[Guard]
    """The other streams, as they were read."""

    def with_consequences(self, facts: Sequence[Message]) -> list[Message]:
        """``facts`` and what follows from them by the rules alone: an end, the last lines of a sheet."""
        return [*facts, *settle(fold(self.game, facts), self.clock, None, self.ruleset)]

    def decision(self, facts: Sequence[Message] = ()) -> Decision | None:
        """Write the settled facts and ``facts``; None when there are none."""
        events = [*self.settled, *facts]
        if not events:
            return None
        write = Write(game_stream(self.game.game_id), self.version, events, self.game.tournament_id)
        return Decision(writes=[write], guards=self.guards)


async def load_table(record: Record, game_id: str, *, rulings: bool = True) -> Table | None:
    """The table, settled; None when there is no such game.

    Without ``rulings`` a pending challenge stays pending, though its case may have been ruled on: players see a
    ruling once it stands on the table's own stream, where the clock reads it too. Otherwise they could be told
    to press a clock that does not know yet that it runs.

    Raises ``Refusal`` when the ruleset that it pins is not installed here.
    """
    game = await load(record, game_stream(game_id), Game(), evolve)
    if not game.version:
        return None
    clock = await load(record, clock_stream(game_id), Clock(), watch_clock)
    guards = [Guard(clock_stream(game_id), clock.version)]
    ruling: Ruling | None = None
    if rulings and game.state.phase is Phase.CHALLENGED:
        for name in case_streams(game.state):
            case = await load(record, name, ruling, watch_case)
            guards.append(Guard(name, case.version))
            ruling = ruling or case.state
    ruleset = ruleset_of(game.state.ruleset)
    settled = settle(game.state, clock.state, ruling, ruleset)
    return Table(fold(game.state, settled), clock.state, ruleset, settled, game.version, guards)
