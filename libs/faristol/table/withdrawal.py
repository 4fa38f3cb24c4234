"""A play that is removed from the board. Pure."""

from __future__ import annotations

from collections import Counter

from faristol.kernel.times import Instant, timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.table.game.state import Game, LastDraw


def build_play_withdrawn(
    game: Game, ruleset: Ruleset, reason: events.WithdrawalReason.ValueType, at: Instant
) -> events.PlayWithdrawn:
    """Return the event that removes the play in question from the board, with the tiles drawn after it.

    If a play can be challenged after the draw, its draw was not due (UF 23): those tiles go back into the bag.
    """
    play = game.in_question
    assert play is not None, "a play lies on the board"
    last = game.drawn[play.player_id]
    returned = _surplus(game, ruleset, play, last) if last.turn == play.turn and last.for_play else ()
    return events.PlayWithdrawn(
        turn=play.turn,
        player_id=play.player_id,
        reason=reason,
        returned=returned,
        bag_left=game.bag_left + len(returned) if returned else 0,
        occurred_at=timestamp(at),
    )


def _surplus(game: Game, ruleset: Ruleset, play: events.PlayPlaced, last: LastDraw) -> tuple[str, ...]:
    """Return the tiles drawn after ``play`` that are too many once its own are back on the rack.

    If the rack was entered only after the draw, it is unknown which of its tiles were drawn: the last ones are taken,
    and a scorer may enter the rack again.
    """
    rack = game.racks[play.player_id]
    over = len(rack) + len(play.placements) - ruleset.game.rack_size
    if over <= 0:
        return ()
    drawn = last.faces[max(len(last.faces) - over, 0) :]
    return rack[-len(drawn) :] if Counter(drawn) - Counter(rack) else drawn
