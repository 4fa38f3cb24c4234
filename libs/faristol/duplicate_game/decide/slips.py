"""Submitting slips, an arbiter's ruling on them, and closing a turn in a hall (FISC II.2, II.5, II.7).

Words are not validated: a device reveals no more than paper does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.duplicate_game.decide.masters import find_finished_turn
from faristol.duplicate_game.game import Timer, Turn
from faristol.duplicate_game.hall import Hall, written_slip
from faristol.duplicate_game.situation import Situation, StreamEvent, reason_given
from faristol.kernel.errors import Invalid, check_count
from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.kernel.times import Instant, instant, timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game import slips
from faristol.rules.notation import MAX_START_CHARACTERS

MAX_SLIPS = 500
"""In one command."""
MAX_FIELD_CHARACTERS = {"coordinates": MAX_START_CHARACTERS, "word": 120, "score": 12}
"""Characters of each field of a slip."""

FORM_DOUBTS: Mapping[str, str] = {"SLIP_COORDINATES_DOUBTED": "coordinates", "SLIP_WORD_DOUBTED": "word"}
"""The doubtful field, by the reason for which ``check_form`` refuses a slip."""


def submit_slips(situation: Situation, request: pb.SubmitSlipsRequest) -> list[StreamEvent]:
    """Record slips as written, all or none."""
    situation.takes_slips(request.turn)
    hall = situation.hall(request.hall)
    timer = open_turn(situation, hall, request.turn)
    source = request.source or events.SLIP_SOURCE_PAPER
    check_count("slips", request.slips, MAX_SLIPS)
    if source == events.SLIP_SOURCE_PAPER and not request.collector_id:
        raise Invalid("collector_id", N_("is empty; expected the person who typed the slips"))
    if strangers := [slip.player_id for slip in request.slips if slip.player_id not in hall.seats]:
        raise Invalid("slips", N_("are of {players}, who do not play in this hall"), {"players": ", ".join(strangers)})
    named = [slip.player_id for slip in request.slips]
    if twice := sorted({player for player in named if named.count(player) > 1}):
        raise Invalid("slips", N_("name {players} more than once"), {"players": ", ".join(twice)})
    turn = situation.turn(request.turn)
    same_rack(situation, turn, request.rack)
    closed = hall.turn(request.turn).is_closed(timer)
    began = _begun_in_hall(situation, turn, request)
    own = source == events.SLIP_SOURCE_PHONE and request.collector_id in ("", request.slips[0].player_id)
    given = [_date_slip(slip, situation, timer) for slip in request.slips] if own else list(request.slips)
    checked = [_check_slip(slip, source, situation, began or timer.first_at) for slip in given]
    if request.check_form:
        _check_form(situation, turn, checked)
    taken = events.SlipsTaken(
        turn=request.turn,
        source=source,
        collector_id=request.collector_id or request.slips[0].player_id,
        slips=checked,
        after_close=closed,
        began_at=_own_start(hall, turn, timer) if began is None else request.began_at,
    )
    if request.HasField("taken_at"):
        _in_time(situation, "taken_at", instant(request.taken_at), began or timer.first_at)
        taken.taken_at.CopyFrom(request.taken_at)
    return [(hall.number, taken)]


def _check_form(situation: Situation, turn: Turn, given: Sequence[events.Slip]) -> None:
    """Raise ``Refusal`` for slips that are null with any lexicon, each with a separate reason.

    Only the public board and rack are used. The subject of a reason is the id of the player.
    """
    by = slips.TurnData(turn.board, turn.rack, situation.ruleset, lambda _: True)
    doubts: list[Refusal] = []
    for slip in given:
        finding = slips.find_form_fault(written_slip(slip), by)
        if finding is None:
            continue
        reason = "SLIP_COORDINATES_DOUBTED" if finding.fault is slips.Fault.COORDINATES else "SLIP_WORD_DOUBTED"
        params = {**finding.params, "player_id": slip.player_id}
        doubts.append(Refusal(reason, finding.message, params, article=finding.article, subject=slip.player_id))
    check_none(doubts)


def rule_slip(situation: Situation, request: pb.RuleSlipRequest) -> list[StreamEvent]:
    """Rule, as an arbiter, which slip of a player counts."""
    situation.takes_slips(request.turn)
    hall = situation.hall(request.hall)
    timer = open_turn(situation, hall, request.turn)
    check_seated_in_hall(hall, request.slip.player_id)
    slip = _check_slip(request.slip, events.SLIP_SOURCE_PAPER, situation, timer.first_at)
    if slip.handed == events.HANDED_TWICE:
        raise Invalid("slip", N_("says that two slips were handed in; expected the one that is scored, or none"))
    ruled = events.SlipRuled(
        turn=request.turn,
        slip=slip,
        reason=reason_given(request.reason),
        arbiter_id=request.arbiter_id,
        began_at=_own_start(hall, situation.turn(request.turn), timer),
    )
    return [(hall.number, ruled)]


def open_turn(situation: Situation, hall: Hall, number: int) -> Timer:
    """Return the timer of a turn for which a hall can still submit slips.

    Raises ``Refusal`` before its time has begun, and after the hall is scored.
    """
    turn: Turn = hall.apply_own_time(situation.turn(number))
    if turn.timer is None:
        raise situation.refuse_turn("TURN_NOT_STARTED", N_("The time of round {turn} has not started."), number)
    if hall.turn(number).scores:
        raise situation.refuse_turn("TURN_SCORED", N_("Round {turn} is scored."), number)
    return turn.timer


def _own_start(hall: Hall, turn: Turn, timer: Timer) -> Timestamp | None:
    """Return the start of a turn that this hall started by itself; None if ``timer`` has another start."""
    own = hall.find_own_timer(turn)
    return timestamp(timer.first_at) if own is not None and own.first_at == timer.first_at else None


def same_rack(situation: Situation, turn: Turn, rack: Sequence[str]) -> None:
    """Refuse slips of a hall with a rack other than that of the turn; without a rack, check no slip."""
    if rack and list(turn.rack) != list(rack):
        raise Refusal(
            "OTHER_RACK",
            N_("These slips are for the rack {theirs}, but the rack of round {turn} is {rack}."),
            {"theirs": " ".join(rack), "turn": turn.number, "rack": " ".join(turn.rack)},
            article=situation.ruleset.article("game.rack_size"),
        )


def check_seated_in_hall(hall: Hall, player_id: str) -> None:
    """Raise ``Invalid`` for a player who does not play in a hall."""
    if player_id not in hall.seats:
        raise Invalid("player_id", N_("{player} does not play in this hall"), {"player": repr(player_id)})


def _begun_in_hall(situation: Situation, turn: Turn, request: pb.SubmitSlipsRequest) -> Instant | None:
    """Return the start of a turn in a hall that continued with the sealed game; None for the common start.

    Raises ``Invalid`` if the hall cannot have begun by itself.
    """
    if not request.HasField("began_at"):
        return None
    if not turn.sealed:
        raise Invalid(
            "began_at",
            N_("a hall starts round {turn} with all the others: its rack is not sealed"),
            {"turn": turn.number},
        )
    at = instant(request.began_at)
    _in_time(situation, "began_at", at, situation.game.opened_at)
    return at


def _in_time(situation: Situation, field: str, at: Instant, first: Instant) -> None:
    """Raise ``Invalid`` for an impossible time."""
    if not first <= at <= situation.at:
        raise Invalid(field, N_("is not between the start of the round and now"))


def _date_slip(written: events.Slip, situation: Situation, timer: Timer) -> events.Slip:
    """Return a slip of a player's own phone, dated at most now: its clock may be slightly fast.

    Raises ``Refusal`` for a slip saved before this attempt at the turn began.
    """
    slip = deepcopy(written)
    if not written.HasField("written_at"):
        return slip
    at = min(instant(written.written_at), situation.at)
    if at < timer.first_at:
        raise Refusal(
            "TURN_BEGAN_LATER",
            N_("This slip was saved before the time of the round started or restarted: it is not scored."),
            article=situation.ruleset.article("turns.seconds"),
        )
    slip.written_at.CopyFrom(timestamp(at))
    return slip


def _check_slip(
    written: events.Slip, source: events.SlipSource.ValueType, situation: Situation, first: Instant
) -> events.Slip:
    """Return a slip for the record, dated if it was written on a phone. Raises ``Invalid``.

    ``first`` is the start of its turn.
    """
    for name, most in MAX_FIELD_CHARACTERS.items():
        if len(getattr(written, name)) > most:
            raise Invalid(
                "slips",
                N_("of {player}: {field} has {count} characters; at most {most} are allowed"),
                {"player": written.player_id, "field": name, "count": len(getattr(written, name)), "most": most},
            )
    slip = deepcopy(written)
    slip.handed = written.handed or events.HANDED_IN_TIME
    if written.HasField("written_at"):
        at = instant(written.written_at)
        if not first <= at <= situation.at:
            raise Invalid(
                "slips",
                N_("of {player}: written_at is not between the start of the round and now"),
                {"player": written.player_id},
            )
    elif source == events.SLIP_SOURCE_PHONE:
        slip.written_at.CopyFrom(timestamp(situation.at))
    return slip


def close_hall(situation: Situation, request: pb.CloseHallRequest) -> list[StreamEvent]:
    """Close a turn whose time is over in a hall. Later slips wait for an arbiter."""
    situation.takes_slips(request.turn)
    hall = situation.hall(request.hall)
    timer = open_turn(situation, hall, request.turn)
    same_rack(situation, situation.turn(request.turn), request.rack)
    turn = find_finished_turn(situation, request.turn)
    if hall.turn(request.turn).is_closed(timer):
        raise situation.refuse_turn("HALL_CLOSED", N_("The hall has closed round {turn} already."), request.turn)
    began_at = _own_start(hall, turn, timer)
    closed = events.HallClosed(turn=request.turn, collector_id=request.collector_id, began_at=began_at)
    return [(hall.number, closed)]
