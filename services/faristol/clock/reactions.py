"""What the clock does by itself: it follows the game (FISC I.11)."""

from __future__ import annotations

from faristol.bus import Reaction
from faristol.clock.streams import GAME, clock_stream, game_stream, load_clock, load_table
from faristol.host.ruleset_store import rules_of
from faristol.pb.game.v1 import events_pb2
from faristol.record import Decision, Guard, Record, Recorded, Write
from faristol.table.clock.watch import ENDS, ENDS_TURN, INTERRUPTS, LEAVES, RETAKES, SETTLES, TAKES, WRITES
from faristol.table.settlement.clock import settle

FOLLOWED = frozenset({"GameStarted", *ENDS, *INTERRUPTS, *SETTLES, *TAKES, *RETAKES, *ENDS_TURN, *LEAVES, *WRITES})
"""Names of the facts of a game that its clock may have to follow."""

TYPES = frozenset(
    message.full_name for name, message in events_pb2.DESCRIPTOR.message_types_by_name.items() if name in FOLLOWED
)


def following(record: Record) -> Reaction:
    """The reaction that keeps every clock in step with its game."""

    async def follow(event: Recorded) -> Decision | None:
        game_id = event.stream.removeprefix(GAME)
        clock = await load_clock(record, game_id)
        if isinstance(event.message, events_pb2.TilesDrawn) and not clock.state.neutralised:
            return None  # a draw only ends that a clock stands, and most are made while it does not
        table = await load_table(record, game_id)
        facts = settle(clock.state, table.state, await rules_of(record, table.state.ruleset))
        if not facts:
            return None
        return Decision(
            writes=[Write(clock_stream(game_id), clock.version, facts, table.state.tournament_id)],
            guards=[Guard(game_stream(game_id), table.version)],
        )

    return Reaction(name="clock.follow", types=TYPES, react=follow)
