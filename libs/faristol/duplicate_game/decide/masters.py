"""Choosing the master play of a turn (FISC II.1)."""

from __future__ import annotations

from faristol.duplicate_game.game import Turn, written_play
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game.plays import Play, check_master, make_play
from faristol.rules.notation import Notation
from faristol.rules.readings import word_readings


def choose_master(situation: Situation, request: pb.ChooseMasterRequest) -> list[StreamEvent]:
    """Choose the master play of the judge, by default the proposed one."""
    situation.running()
    turn = find_finished_turn(situation, request.turn)
    if turn.completed:
        raise Refusal(
            "TURN_SCORED",
            N_("Round {turn} is scored."),
            {"turn": turn.number},
            article=situation.ruleset.article("master_plays.chosen_by"),
        )
    chosen = _read_play(situation, turn, request) if request.coordinates or request.word else None
    return [(GAME_STREAM_NUMBER, master(situation, turn, chosen, request.reason, request.arbiter_id))]


def master(
    situation: Situation, turn: Turn, chosen: Play | None, reason: str, arbiter_id: str
) -> events.MasterPlayChosen:
    """Return the event that makes ``chosen``, or the proposed play, the master play of ``turn``.

    While a sealed game is valid, its master play is proposed. Another one needs a reason, and voids later sealed turns.
    """
    tops = situation.words.tops(turn.board, turn.rack)
    sealed = None if chosen and reason.strip() else sealed_master(situation, turn)
    if not tops and chosen is None and sealed is None:
        raise Refusal(
            "NO_PLAY",
            N_("The rack of round {turn} has no valid play."),
            {"turn": turn.number},
            article=situation.ruleset.article("finish.no_play"),
        )
    play = chosen or sealed or tops[0]
    top = tops[0].score if tops else play.score
    if sealed is not None and not play.lays_as(sealed):
        raise Refusal(
            "NOT_SEALED",
            N_("The sealed game has the master play {play}. Another play voids its later racks: specify a reason."),
            {"play": str(sealed)},
            article=situation.ruleset.article("master_plays.chosen_by"),
        )
    if sealed is None:
        check_master(play, top, reason, situation.ruleset)
    return events.MasterPlayChosen(
        turn=turn.number,
        play=written_play(play),
        top=top,
        tops=len(tops),
        reason=reason.strip(),
        arbiter_id=arbiter_id,
    )


def has_play(situation: Situation, turn: Turn) -> bool:
    """Check whether the rack of a turn has a play, or its sealed game has a master play."""
    return bool(situation.words.tops(turn.board, turn.rack)) or sealed_master(situation, turn) is not None


def sealed_master(situation: Situation, turn: Turn) -> Play | None:
    """Return the sealed master play of a turn with the sealed rack; None for another rack."""
    sealed = situation.sealed_turn(turn.number) if turn.sealed else None
    return sealed.master if sealed else None


def find_finished_turn(situation: Situation, number: int) -> Turn:
    """Return a turn whose time is over. Raises ``Refusal`` before that."""
    turn = situation.turn(number)
    if turn.timer is None or turn.timer.called_at is None:
        raise situation.refuse_turn("TIME_NOT_OVER", N_("The time of round {turn} is not over."), number)
    return turn


def _read_play(situation: Situation, turn: Turn, request: pb.ChooseMasterRequest) -> Play:
    """Return the play that the judge wrote. Raises ``Invalid`` or ``Refusal`` if it is not a play."""
    try:
        start = Notation.FISC.read(request.coordinates)
    except ValueError:
        raise Invalid(
            "coordinates",
            N_("{written} is not a square where a word can begin: expected a letter A to O and a number 1 to 15."),
            {"written": repr(request.coordinates)},
        ) from None
    readings = word_readings(request.word, start, turn.board, situation.ruleset.tile_set)
    if not readings:
        raise Invalid(
            "word", N_("{word} does not fit there: other tiles are on its squares."), {"word": repr(request.word)}
        )
    refusals = []
    for reading in readings:
        try:
            return make_play(start, reading, turn.board, turn.rack, situation.ruleset, situation.words.is_word)
        except Refusal as refusal:
            refusals.append(refusal)
    raise refusals[0]
