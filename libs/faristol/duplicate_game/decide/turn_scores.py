"""Scoring a turn: all slips of the halls that have closed it, and its master play (FISC II.1, II.7)."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.duplicate_game.decide.masters import find_finished_turn, has_play, master
from faristol.duplicate_game.game import Turn
from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent, reason_given
from faristol.kernel.bounded import split_batches
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game import slips as law
from faristol.rules.duplicate_game.slips import Verdict, WrittenSlip, judge_slip

MAX_EVENT_SCORES = 1000
"""Scores in one event."""


class Judging:
    """The verdicts of a turn: equal slips are judged once."""

    def __init__(self, situation: Situation, turn: Turn) -> None:
        self._turn = law.TurnData(turn.board, turn.rack, situation.ruleset, situation.words.is_word)
        self._known: dict[WrittenSlip, Verdict] = {}

    def verdict(self, slip: WrittenSlip) -> Verdict:
        """Judge a slip."""
        if slip not in self._known:
            self._known[slip] = judge_slip(slip, self._turn)
        return self._known[slip]

    def score(self, player_id: str, slip: WrittenSlip) -> events.SlipScore:
        """Return the verdict on a slip for the record."""
        verdict = self.verdict(slip)
        return events.SlipScore(
            player_id=player_id,
            points=verdict.points,
            fault=verdict.null.fault if verdict.null else "",
            warned=[finding.fault for finding in verdict.warned],
        )


def score_turn(situation: Situation, request: pb.ScoreTurnRequest) -> list[StreamEvent]:
    """Score every hall that has closed the turn and is not scored.

    A turn whose rack has no play is scored without a master play, and the rack goes back to the bag. Raises ``Refusal``
    while halls are open, unless the judge continues without them. Raises it also while slips wait for an arbiter, and
    if all halls are scored.

    The cell of a hall scores the slips that it has itself, when it knows of this (``score_own_slips``). Its hall counts
    as open while a slip waits for an arbiter of the hall.
    """
    turn = find_finished_turn(situation, request.turn)
    if not turn.completed:
        situation.running()
    situation.not_final()
    unscored = [hall for hall in situation.halls.values() if hall.seats and not hall.turn(turn.number).scores]
    closed = [hall for hall in unscored if _has_all_slips(situation, hall, turn)]
    open_ = [hall for hall in unscored if hall not in closed]
    own = [hall for hall in closed if situation.is_own(hall)]
    reason = ""
    if open_ and not turn.completed:
        if not request.without_open_halls:
            raise Refusal(
                "HALLS_OPEN",
                N_("{count} {count:hall has|halls have} not closed round {turn}: {halls}."),
                {"turn": turn.number, "count": len(open_), "halls": ", ".join(hall.name or "–" for hall in open_)},
                article=situation.ruleset.article("turns.seconds"),
            )
        reason = reason_given(request.reason)
    if turn.completed and not own:
        nothing = N_("Round {turn} is scored, and no other hall has closed it.")
        raise situation.refuse_turn("NOTHING_TO_SCORE", nothing, turn.number)
    _nothing_waits(situation, turn, own)
    new_events: list[StreamEvent] = []
    if turn.master is None and not has_play(situation, turn):
        pass  # the turn is scored without a master play, and its rack goes back
    elif turn.master is None:
        new_events.append((GAME_STREAM_NUMBER, master(situation, turn, None, "", request.arbiter_id)))
    elif not turn.completed and _is_another(situation, turn):
        voided = events.SealVoided(
            from_turn=turn.number + 1,
            cause=events.SEAL_VOID_MASTER_PLAY,
            reason=turn.reason,
            arbiter_id=request.arbiter_id,
        )
        new_events.append((GAME_STREAM_NUMBER, voided))
    judging = Judging(situation, turn)
    for hall in own:
        new_events += _scores(situation, hall, turn, judging)
    if not turn.completed:
        completed = events.TurnCompleted(
            turn=turn.number,
            without_halls=[hall.number for hall in open_],
            reason=reason,
            arbiter_id=request.arbiter_id,
        )
        new_events.append((GAME_STREAM_NUMBER, completed))
    return new_events


def score_own_slips(situation: Situation, hall: Hall) -> list[StreamEvent]:
    """Return the scores of the completed turns that a hall has closed and that are not scored yet, as its cell.

    A turn whose slips wait for an arbiter is left out.
    """
    new_events: list[StreamEvent] = []
    for turn in situation.game.turns:
        timer, of_turn = hall.apply_own_time(turn).timer, hall.turn(turn.number)
        if not turn.completed or timer is None or of_turn.scores or not of_turn.is_closed(timer):
            continue
        if not _list_waiting(situation, hall, turn):
            new_events += _scores(situation, hall, turn, Judging(situation, turn))
    return new_events


def _has_all_slips(situation: Situation, hall: Hall, turn: Turn) -> bool:
    """Check whether a hall has closed a turn, and, if its own cell decides on the slips, that none of them waits."""
    timer = hall.apply_own_time(turn).timer
    is_closed = timer is not None and hall.turn(turn.number).is_closed(timer)
    return is_closed and (situation.is_own(hall) or not _list_waiting(situation, hall, turn))


def _is_another(situation: Situation, turn: Turn) -> bool:
    """Check whether the chosen master play differs from the sealed one, or the sealed one is unavailable."""
    assert turn.master is not None
    if not turn.sealed or not situation.game.seal_holds(turn.number + 1):
        return False
    sealed = situation.sealed.game.turn(turn.number) if situation.sealed else None
    return sealed is None or not turn.master.lays_as(sealed.master)


def _nothing_waits(situation: Situation, turn: Turn, halls: list[Hall]) -> None:
    waiting = [player for hall in halls for player in _list_waiting(situation, hall, turn)]
    if waiting:
        raise Refusal(
            "SLIPS_WAIT",
            N_("{count} {count:slip waits|slips wait} for an arbiter: {players}."),
            {"count": len(waiting), "players": ", ".join(waiting[:20])},
            article=situation.ruleset.article("slips.two_slips"),
        )


def _list_waiting(situation: Situation, hall: Hall, turn: Turn) -> list[str]:
    """Return the players of a hall whose slips wait for an arbiter."""
    return [player for player in hall.seats if situation.counting(hall, turn, player).waits is not None]


def _scores(situation: Situation, hall: Hall, turn: Turn, judging: Judging) -> Iterator[StreamEvent]:
    scores = [
        judging.score(player, situation.counting(hall, turn, player).slip)
        for player, _ in sorted(hall.seats.items(), key=lambda seat: seat[1])
    ]
    for part in split_batches(scores, MAX_EVENT_SCORES):
        yield hall.number, events.TurnScored(turn=turn.number, scores=part)
