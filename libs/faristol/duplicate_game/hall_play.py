"""A duplicate game as it is played in a hall that goes on by itself with the sealed game. Pure.

Problem. A hall without a line calls racks that the stream of the game does not have yet, and its cell writes no event
to that stream. But its pages, phones and decisions need the rack, the board and the time of the turn that it plays.

Idea. The hall's own stream has the racks that it called and the times at which it started them. The game is folded on
with the events that the judge will cause, which the sealed game determines: the master play, the completion, the next
rack. This state is never written. As soon as the game itself has a turn, that one is used; with the same rack, it keeps
the time of the hall.

Invariants:

- A rack that the hall knows to be void is not used.
- A hall that is behind sees no master play and no rack after the turn that it plays.
"""

from __future__ import annotations

from dataclasses import replace

from faristol.duplicate_game.game import Duplicate, Turn, evolve, rejected_rack, written_play
from faristol.duplicate_game.hall import Hall, OwnTurn
from faristol.duplicate_game.sealed import SealedGame
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import duplicate_events_pb2 as events


def as_played(game: Duplicate, hall: Hall, sealed: SealedGame | None, at: Instant) -> Duplicate:
    """Return the game with the turns that a hall called by itself, up to the one that it plays."""
    for number, of_turn in sorted(hall.turns.items()):
        own = of_turn.own
        if own is None:
            continue
        if game.turn(number) is None:
            game = _call_ahead(game, number, sealed)
        turn = game.turn(number)
        if turn is None or not turn.sealed or turn.rack != own.rack:
            continue
        game = _with_turn(game, replace(turn, timer=own.timer(at)))
        if _is_open(hall, game.turns[number - 1], own):
            return _end_with(game, number)
    return game


def _call_ahead(game: Duplicate, number: int, sealed: SealedGame | None) -> Duplicate:
    """Return the game after the sealed rack of the next turn is called; the same game if that is impossible."""
    sealed_turn = sealed.turn(number) if sealed is not None and game.seal_holds(number) else None
    if sealed is None or sealed_turn is None or number != len(game.turns) + 1 or game.end:
        return game
    before = game.current
    if before is not None and not before.completed:
        previous = sealed.turn(before.number)
        if previous is None or not before.sealed:
            return game
        if before.master is not None and not before.master.lays_as(previous.master):
            return game  # the judge has chosen another play, so the next racks are void
        play = written_play(previous.master)
        game = evolve(game, events.MasterPlayChosen(turn=before.number, play=play, top=previous.top))
        game = evolve(game, events.TurnCompleted(turn=before.number))
    called = events.RackCalled(
        turn=number,
        faces=sealed_turn.rack.faces,
        leftover=sealed_turn.rack.leftover,
        draw=sealed_turn.rack.draw,
        rejected=map(rejected_rack, sealed_turn.went_back),
        by_hand=sealed_turn.by_hand,
        sealed=True,
    )
    return evolve(game, called)


def _is_open(hall: Hall, turn: Turn, own: OwnTurn) -> bool:
    """Check whether the hall still plays a turn that it called by itself."""
    of_turn = hall.turn(turn.number)
    return not of_turn.scores and (own.began_at is None or turn.timer is None or not of_turn.is_closed(turn.timer))


def _end_with(game: Duplicate, number: int) -> Duplicate:
    """Return the game up to a turn whose time runs in the hall: without its master play, later turns and the end."""
    turn = replace(game.turns[number - 1], completed=False, master=None, top=0, reason="")
    on_board = (tile.in_rack for _, tile in turn.board.items())
    return replace(
        game,
        turns=(*game.turns[: number - 1], turn),
        board=turn.board,
        drawn=(*on_board, *turn.rack),
        leftover=(),
        end=events.DUPLICATE_END_UNSPECIFIED,
    )


def _with_turn(game: Duplicate, turn: Turn) -> Duplicate:
    return replace(game, turns=(*game.turns[: turn.number - 1], turn, *game.turns[turn.number :]))
