"""A table as the record has it: its own stream, and those that it is decided against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from google.protobuf.message import Message

from faristol.host.ruleset_store import rules_of
from faristol.kernel.cases import case_ids_of
from faristol.record import Decision, Guard, Record, Write, load
from faristol.rules import Ruleset
from faristol.table.game import Game, Phase, evolve
from faristol.table.settlement.game import fold, settle
from faristol.table.views import Clock, Ruling, Tournament, seated, watch_case, watch_clock, watch_tournament


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


def tournament_stream(tournament_id: str) -> str:
    """The stream of the tournament that a table is of."""
    return f"tournament-{tournament_id}"


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
    asked_elsewhere: frozenset[str] = frozenset()
    """Who of those that it is asked of asked about a word in another game, or answered, as the game noted it."""
    strangers: frozenset[str] = frozenset()
    """Who of those that it is asked of is not registered in the tournament."""
    overheld_elsewhere: int = 0
    """Racks that a player held too full on purpose in other games of the tournament, where that is asked."""

    def with_consequences(self, facts: Sequence[Message]) -> list[Message]:
        """``facts`` and what follows from them by the rules alone: an end, the last lines of a sheet."""
        return [*facts, *settle(fold(self.game, facts), self.clock, None, self.ruleset)]

    def decision(self, facts: Sequence[Message] = ()) -> Decision | None:
        """Write the settled facts and ``facts``; None when there are none."""
        events = [*self.settled, *facts]
        if not events:
            return None
        game = self.game
        write = Write(game_stream(game.game_id), self.version, events, game.tournament_id, concerned=game.player_ids)
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
    ruleset = await rules_of(record, game.state.ruleset)
    settled = settle(game.state, clock.state, ruling, ruleset)
    return Table(fold(game.state, settled), clock.state, ruleset, settled, game.version, guards)


async def with_other_games(record: Record, table: Table, *player_ids: str) -> Table:
    """``table`` with what players did in their other games of the tournament.

    Racks held too full (FISE 28), and questions about words (UF 28.2, FISE 46.2).
    """
    tournament = await load(record, tournament_stream(table.game.tournament_id), Tournament(), watch_tournament)
    pairings = [pairing for tables in tournament.state.pairings.values() for pairing in tables]
    others = [one.game_id for one in pairings if {*player_ids} & {*seated(one)} and one.game_id != table.game.game_id]
    games = {game_id: await load(record, game_stream(game_id), Game(), evolve) for game_id in others}
    guards = [Guard(game_stream(game_id), game.version) for game_id, game in games.items()]
    states = [game.state for game in games.values()]
    registered = tournament.state.players
    return replace(
        table,
        overheld_elsewhere=sum(state.overholding.get(player, 0) for state in states for player in player_ids),
        asked_elsewhere=frozenset(player for state in states for player, _ in state.asked) & {*player_ids},
        strangers=frozenset(player_ids) - registered if registered else frozenset(),
        guards=(*table.guards, *guards),
    )
