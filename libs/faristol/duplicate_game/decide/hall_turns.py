"""Turns that a hall plays by itself from the sealed game, at its own cell: without a line, or after it missed them.

The rack is the same in all halls. The hall needs no leave: it states in its own stream what it called and when its time
began. Its slips count if the game has the same rack in that turn.
"""

from __future__ import annotations

from faristol.duplicate_game.game import Turn
from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.situation import Situation, StreamEvent
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game.finish import end_article

WAIT_FOR_RACK = N_("There is a connection: the rack is shown when it is called for all halls.")
WAIT_FOR_TIME = N_("The time of this round starts with that of all halls.")


def call_hall_rack(situation: Situation, request: pb.CallHallRackRequest) -> list[StreamEvent]:
    """Call the rack of the next turn that the hall has not played. Raises ``Refusal`` if it has to wait."""
    hall = situation.hall(request.hall)
    _check_has_cell(situation)
    number, rack = _find_rack(situation, hall)
    called = events.HallRackCalled(turn=number, faces=rack, collector_id=request.collector_id)
    return [(hall.number, called)]


def start_hall_turn(situation: Situation, request: pb.StartHallTurnRequest) -> list[StreamEvent]:
    """Start the time of a turn that the hall has called by itself. Raises ``Refusal`` for any other turn."""
    hall = situation.hall(request.hall)
    _check_has_cell(situation)
    turn = situation.turn(request.turn)
    own = hall.turn(turn.number).own
    if own is None or own.rack != turn.rack:
        raise situation.refuse_turn("WAIT", WAIT_FOR_TIME, turn.number)
    if own.began_at is not None:
        started = N_("The time of round {turn} has already started.")
        raise situation.refuse_turn("TURN_STARTED", started, turn.number)
    started_event = events.HallTurnStarted(
        turn=turn.number, milliseconds=situation.ruleset.turns.seconds * 1000, collector_id=request.collector_id
    )
    return [(hall.number, started_event)]


def find_callable_turn(situation: Situation, hall: Hall) -> int:
    """Return the number of the turn whose rack the hall may call now; 0 if it waits for the judge."""
    if not situation.cell_key or not situation.is_own(hall):
        return 0
    try:
        return _find_rack(situation, hall)[0]
    except Refusal:
        return 0


def find_startable_turn(situation: Situation, hall: Hall) -> int:
    """Return the number of the turn that the hall has called by itself and not started; 0 if none."""
    if not situation.cell_key or not situation.is_own(hall):
        return 0
    waiting = (
        turn.number
        for turn in situation.game.turns
        if (own := hall.turn(turn.number).own) is not None and own.rack == turn.rack and own.began_at is None
    )
    return next(waiting, 0)


def _find_rack(situation: Situation, hall: Hall) -> tuple[int, tuple[str, ...]]:
    """Return the next turn of the hall, and its rack. Raises ``Refusal`` if the hall has to wait."""
    situation.not_final()
    turn = next((turn for turn in situation.game.turns if not _is_done(hall, turn)), None)
    if turn is not None:
        _check_missed(situation, hall, turn)
        return turn.number, turn.rack
    situation.running()
    number = len(situation.game.turns) + 1
    if not situation.is_cut:
        raise situation.refuse_turn("WAIT", WAIT_FOR_RACK, number)
    seal = situation.game.seal
    if seal is None:
        no_seal = N_(
            "There is no connection and no sealed game that can be opened: the hall stops until it is connected."
        )
        raise situation.refuse_turn("NO_LINE", no_seal, number)
    if not situation.game.seal_holds(number):
        void = N_("The racks of the sealed game are void from round {turn} on: the hall stops until it is connected.")
        raise situation.refuse_turn("SEAL_VOID", void, seal.void_from)
    sealed = situation.sealed_turn(number)
    if sealed is None:
        assert situation.sealed is not None
        raise Refusal(
            "GAME_OVER", N_("The game is over."), article=end_article(situation.sealed.game.end, situation.ruleset)
        )
    return number, sealed.rack.faces


def _check_missed(situation: Situation, hall: Hall, turn: Turn) -> None:
    """Check that the hall has not played a turn that it has not closed, and cannot play it with all halls."""
    of_turn, timer = hall.turn(turn.number), turn.timer
    is_called_here = of_turn.own is not None and of_turn.own.rack == turn.rack
    has_slips = timer is not None and any(of_turn.of_attempt(player, timer) for player in hall.seats)
    if not turn.sealed or is_called_here or has_slips:
        close_first = N_("Close round {turn} first: some of its slips are missing.")
        raise situation.refuse_turn("HALLS_OPEN", close_first, turn.number)
    if timer is None and not situation.is_cut:
        raise situation.refuse_turn("WAIT", WAIT_FOR_TIME, turn.number)
    if timer is not None and timer.called_at is None:
        raise situation.refuse_turn("WAIT", WAIT_FOR_TIME, turn.number)


def _is_done(hall: Hall, turn: Turn) -> bool:
    """Check whether the hall has closed a turn, or is scored."""
    of_turn, timer = hall.turn(turn.number), hall.apply_own_time(turn).timer
    return bool(of_turn.scores) or (timer is not None and of_turn.is_closed(timer))


def _check_has_cell(situation: Situation) -> None:
    if not situation.cell_key:
        raise Refusal("NO_HALL_CELL", N_("The judge calls the racks here: a hall does it on its own laptop only."))
