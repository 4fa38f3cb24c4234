"""The events of a hall in a duplicate game, checked before they are copied. Pure.

A hall decides what its players have handed in, so slips are not judged here. But scores follow from the slips, the rack
and the words. The championship computes each again: a hall cannot give points that a slip is not worth.
"""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.duplicate_game.decide.slips import MAX_FIELD_CHARACTERS, MAX_SLIPS
from faristol.duplicate_game.decide.turn_scores import Judging
from faristol.duplicate_game.game import Timer, Turn
from faristol.duplicate_game.hall import HANDED_BY_VALUE, Hall, written_slip
from faristol.duplicate_game.situation import Situation
from faristol.kernel.times import instant
from faristol.pb.game.v1 import duplicate_events_pb2 as events

_SOURCES = (events.SLIP_SOURCE_PAPER, events.SLIP_SOURCE_PHONE)


def find_problem(situation: Situation, hall: Hall, event: Message) -> str:
    """Return why a hall cannot have written an event, in English for programmers; empty if it can."""
    if strangers := [player for player in _list_named(event) if player not in hall.seats]:
        return f"player {strangers[0][:128]!r} does not play in this hall"
    if isinstance(event, events.ClaimDecided):
        claim = hall.claims.get(event.claim_id)
        return "" if claim is not None and not claim.decided else f"no claim {event.claim_id[:64]!r} waits"
    number = getattr(event, "turn", 0)
    turn = situation.game.turn(number)
    if isinstance(event, events.HallRackCalled):
        return _find_call_problem(situation, hall, event)
    if isinstance(event, events.HallTurnStarted):
        return _find_start_problem(situation, hall, event)
    own = hall.turn(number).own
    timer = hall.apply_own_time(turn).timer if turn is not None else None
    if isinstance(event, events.SlipsTaken | events.HallClosed | events.SlipRuled) and event.HasField("began_at"):
        if own is None or own.began_at != instant(event.began_at):
            return f"it is of a time of turn {number} that the hall has not started"
        timer = own.timer()
    if timer is None:
        return f"it is of turn {number}, whose time has not started"
    match event:
        case events.SlipsTaken():
            return _find_slips_problem(hall, timer, event)
        case events.HallClosed() | events.SlipRuled() if hall.turn(number).scores:
            return f"turn {number} is scored"
        case events.HallClosed():
            return ""
        case events.SlipRuled():
            return _find_slip_problem(event.slip)
        case events.TurnScored() if turn is not None:
            return _find_score_problem(situation, hall, turn, timer, event)
        case events.SlipCorrected() if turn is not None:
            return _find_slip_problem(event.slip) or _find_correction_problem(situation, hall, turn, event)
        case events.ClaimRaised():
            return _find_claim_problem(hall, event)
        case _:
            return f"{event.DESCRIPTOR.name} is not an event of a hall"


def _list_named(event: Message) -> list[str]:
    """Return the players whose slips, scores or claims an event has."""
    match event:
        case events.SlipsTaken():
            return [slip.player_id for slip in event.slips]
        case events.TurnScored():
            return [score.player_id for score in event.scores]
        case events.SlipRuled() | events.SlipCorrected():
            return [event.slip.player_id]
        case events.ClaimRaised():
            return [event.player_id, event.about_player_id or event.player_id]
        case _:
            return []


def _find_call_problem(situation: Situation, hall: Hall, event: events.HallRackCalled) -> str:
    """Return why a hall cannot have called a rack by itself: it goes on turn by turn, and only with a sealed game.

    The rack is not compared here: slips count only if it is the rack of the game in that turn.
    """
    of_turn = hall.turn(event.turn)
    if situation.game.seal is None or len(event.faces) > situation.ruleset.game.rack_size:
        return "the game has no sealed rack for it"
    if of_turn.scores or (of_turn.own is not None and of_turn.own.rack == tuple(event.faces)):
        return f"turn {event.turn} was called or scored in the hall"
    before = hall.turn(event.turn - 1)
    if event.turn < 1 or (event.turn > 1 and before.closed_at is None and not before.scores):
        return f"the hall has not closed turn {event.turn - 1}"
    return ""


def _find_start_problem(situation: Situation, hall: Hall, event: events.HallTurnStarted) -> str:
    own = hall.turn(event.turn).own
    if own is None or own.began_at is not None:
        return f"turn {event.turn} was not called in the hall, or its time has started"
    is_whole = event.milliseconds == situation.ruleset.turns.seconds * 1000
    return "" if is_whole and event.HasField("occurred_at") else "expected the time of a turn"


def _find_slips_problem(hall: Hall, timer: Timer, event: events.SlipsTaken) -> str:
    of_turn = hall.turn(event.turn)
    if of_turn.scores:
        return f"turn {event.turn} is scored"
    if of_turn.is_closed(timer) and not event.after_close:
        return f"the hall has closed turn {event.turn}"
    if event.source not in _SOURCES or not 1 <= len(event.slips) <= MAX_SLIPS:
        return f"expected 1 to {MAX_SLIPS} slips of a known source"
    return next(filter(None, map(_find_slip_problem, event.slips)), "")


def _find_slip_problem(slip: events.Slip) -> str:
    if slip.handed not in HANDED_BY_VALUE:
        return f"a slip cannot be handed in as {slip.handed}"
    for name, most in MAX_FIELD_CHARACTERS.items():
        if len(getattr(slip, name)) > most:
            return f"{name} has more than {most} characters"
    return ""


def _find_score_problem(situation: Situation, hall: Hall, turn: Turn, timer: Timer, event: events.TurnScored) -> str:
    of_turn = hall.turn(turn.number)
    if not turn.completed or not of_turn.is_closed(timer):
        return f"turn {turn.number} is not completed, or the hall has not closed it"
    if not event.scores:
        return "expected scores"
    judging = Judging(situation, turn)
    for score in event.scores:
        if score.player_id in of_turn.scores:
            return f"player {score.player_id!r} is scored twice"
        counting = situation.counting(hall, turn, score.player_id)
        if counting.waits is not None:
            return f"the slip of {score.player_id!r} waits for an arbiter"
        if score != judging.score(score.player_id, counting.slip):
            return f"the score of {score.player_id!r} is not that of the slip"
    return ""


def _find_correction_problem(situation: Situation, hall: Hall, turn: Turn, event: events.SlipCorrected) -> str:
    player_id, before = event.slip.player_id, hall.turn(turn.number).scores.get(event.slip.player_id)
    if before is None or before.points != event.points_before:
        return f"turn {turn.number} is not scored for {player_id!r} with {event.points_before} points"
    if event.score != Judging(situation, turn).score(player_id, written_slip(event.slip)):
        return f"the score of {player_id!r} is not that of the slip"
    return ""


def _find_claim_problem(hall: Hall, event: events.ClaimRaised) -> str:
    of_turn = hall.turn(event.turn)
    if event.claim_id in hall.claims:
        return f"the claim {event.claim_id[:64]!r} was raised before"
    of_this = [claim for claim in hall.claims.values() if claim.turn == event.turn]
    if event.claim_id != f"t{event.turn}-{len(of_this) + 1}":
        return f"the claim {event.claim_id[:64]!r} is not the next one of turn {event.turn}"
    about = event.about_player_id or event.player_id
    return "" if about in of_turn.scores else f"turn {event.turn} is not scored for {about!r}"
