"""Automatic events of a game, derived from its clock, a ruling, and the rules. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Ruleset, TurnKind, Word, check_play
from faristol.rules.challenges import cost, play_stands
from faristol.rules.clockwork import lost_by_timeout
from faristol.rules.conditions import EndCondition, end_of_turns, is_out
from faristol.table.clock import Clock
from faristol.table.decide.checks import in_doubt
from faristol.table.decide.draws import unseen
from faristol.table.decide.plays import build_play_placed
from faristol.table.final_score import (
    CONDITIONS,
    clock_is_done,
    final,
    missing_line,
    racks_wanted,
    signers,
)
from faristol.table.game.state import UNENTERED_TILE, Game, Phase
from faristol.table.views import Ruling
from faristol.table.withdrawal import build_play_withdrawn


def missing(game: Game, clock: Clock, ruling: Ruling | None, ruleset: Ruleset) -> Sequence[Message]:
    """Return the first events that the game lacks, if any; ``ruling`` is that on the pending challenge.

    A press completes the turn (FISC I.11), or its last step if no clock is pressed (FM 1). A ruling lets the play
    stand, or removes it from the board with loss of the turn (FISC I.10). The game ends as its book says, and the sheet
    gets its last lines.
    """
    if game.phase is Phase.FINAL or not game.game_id:
        return ()
    if not game.hosted and (deduced := _deduce_rack(game, ruleset)):
        return (deduced,)
    if game.phase is Phase.ENDED:
        return _list_last_lines(game, clock, ruleset)
    if clock.forfeited:
        at = max(clock.forfeited_at, game.last_at)
        return (_end_game(game, EndCondition.FORFEIT, at, clock.forfeited),)
    if game.phase is Phase.UNSPECIFIED:
        return ()
    if (completed_at := _find_completion(game, clock, ruleset)) is not None:
        return (_complete_play(game, completed_at),)
    if ended := _find_end(game, clock, ruleset):
        return (ended,)
    if game.phase is Phase.CHALLENGED:
        return _after_ruling(game, clock, ruling, ruleset)
    if game.phase is Phase.TURN and game.interruption is None:
        return _without_turn(game, clock, ruleset)
    return ()


def _find_completion(game: Game, clock: Clock, ruleset: Ruleset) -> Instant | None:
    """Return the instant at which the turn is complete: at its press, its last step, or when all have written it."""
    if game.phase in (Phase.PLACED, Phase.DRAWN) and clock.pressed_turn == game.turn:
        if not game.entered_again:
            return clock.pressed_at
        if _entered_to_the_end(game, clock, ruleset):
            return max(clock.pressed_at, game.last_at)
    if "press" not in ruleset.turn.steps and _taken_to_its_end(game):
        return game.last_at
    return game.last_at if _written_to_the_end(game, ruleset) else None


def _find_end(game: Game, clock: Clock, ruleset: Ruleset) -> Message | None:
    """Return the end of a game by its book, by the cap of overtime or by the time of the round; None if it goes on."""
    if game.phase is Phase.TURN and (condition := _end(game, clock, ruleset)):
        return _end_game(game, condition, game.last_at)
    if clock.exceeded_at is not None:
        # Play may have continued after the cap was reached: the end is not earlier than the last event.
        return _end_game(game, EndCondition.OVERTIME, max(clock.exceeded_at, game.last_at))
    if clock.last_turn is not None and game.turn > clock.last_turn:
        return _end_game(game, EndCondition.ROUND_TIME, max(clock.round_over_at, game.last_at))
    return None


def _deduce_rack(game: Game, ruleset: Ruleset) -> events.RackDeduced | None:
    """Return the last rack not entered, after the bag is empty: it holds all tiles not seen elsewhere."""
    hidden = [player for player, rack in game.racks.items() if UNENTERED_TILE in rack]
    if game.bag_left or len(hidden) != 1:
        return None
    (player,) = hidden
    known = tuple(face for face in game.racks[player] if face != UNENTERED_TILE)
    return events.RackDeduced(
        player_id=player, faces=(*known, *unseen(game, ruleset)), occurred_at=timestamp(game.last_at)
    )


def _taken_to_its_end(game: Game) -> bool:
    """Check whether the turn is complete without a press."""
    if game.interruption is not None:
        return False
    draws = game.bag_left > 0 and game.mover not in game.gone
    return game.phase is Phase.DRAWN or (game.phase is Phase.PLACED and not draws)


def _entered_to_the_end(game: Game, clock: Clock, ruleset: Ruleset) -> bool:
    """Check whether all steps of a re-entered turn before its press are entered; the press stands."""
    if game.interruption is not None:
        return False
    writing = ruleset.turn.complete_on == "both-written" and game.taken is TurnKind.PLAY
    if writing and set(game.player_ids) - clock.away - game.course.written.keys():
        return False
    undrawn = game.mover in clock.away or (clock.away and not ruleset.absence.opponent_may_draw)
    return game.phase is Phase.DRAWN or not game.bag_left or bool(undrawn)


def _written_to_the_end(game: Game, ruleset: Ruleset) -> bool:
    """Check whether the last play of the game is complete because all have written it: no clock is left to start.

    PES Ε.β: the time is stopped since the last tile was laid, and Δ.ε: after both have written, no challenge is
    possible. FISE 32, 45.4: the play is complete when both have noted its score, and the player of the last tile has
    ended the game.
    """
    return (
        ruleset.turn.complete_on == "both-written"
        and game.phase is Phase.PLACED
        and is_out(game.racks[game.mover], game.bag_left)
        and game.course.written.keys() >= set(game.player_ids)
        and game.interruption is None
        and not game.arbiter_called
    )


def _complete_play(game: Game, at: Instant) -> events.PlayCompleted:
    score = game.counted if game.taken is TurnKind.PLAY else 0
    total = game.scores[game.mover] + score
    return events.PlayCompleted(
        turn=game.turn, player_id=game.mover, score=score, total=total, occurred_at=timestamp(at)
    )


def _end(game: Game, clock: Clock, ruleset: Ruleset) -> EndCondition | None:
    """Return the condition that ends the game between two turns, if any.

    While a play can still be challenged, a play that emptied a rack must first be accepted. The time for that ends when
    the next player begins, or later for a player who was away.
    """
    if any(is_out(rack, game.bag_left) for rack in game.racks.values()):
        if in_doubt(game, clock, ruleset) is not None:
            return None
        late = clock.last_turn is not None and game.turn > clock.last_turn
        return EndCondition.ROUND_TIME if late and not ruleset.round_time.out_counts else EndCondition.OUT
    return _end_of_rows(game, ruleset)


def _end_of_rows(game: Game, ruleset: Ruleset) -> EndCondition | None:
    """Return the end by consecutive turns, if any; turns of players who have left permanently do not count."""
    turns = [turn for turn in game.turns_taken if turn.player_id not in game.gone]
    scores = [game.scores[player] for player in game.in_play]
    kinds, points = [turn.kind for turn in turns], [turn.points for turn in turns]
    return end_of_turns(kinds, scores, ruleset, points, bag_size=game.bag_left)


def _end_game(game: Game, condition: EndCondition, at: Instant, losers: Sequence[str] = ()) -> events.GameEnded:
    """Return the end by ``condition``; players who were out of the game do not win either."""
    loser_ids = [player for player in game.player_ids if player in losers or player in game.gone]
    return events.GameEnded(condition=CONDITIONS[condition], loser_ids=loser_ids, occurred_at=timestamp(at))


def _after_ruling(game: Game, clock: Clock, ruling: Ruling | None, ruleset: Ruleset) -> Sequence[Message]:
    """Return the events of the ruling, after the clock has applied the challenge.

    Before that it is unknown whether the mover had time left. A game that ends by overtime must end so in any order of
    arrival. A player who can appeal a ruling of invalid is awaited (FISE 42.4).
    """
    if game.ruled is None:
        heard = not _clock_listens(game, clock, ruleset) or clock.challenge >= game.challenges
        if ruling is None or not heard:
            return ()
        return (_appeal_ruled(game, ruling),) if game.course.appealed else _apply_ruling(game, ruling, ruleset)
    law = ruleset.challenge
    if law.appeal_by == "mover" and game.course.rulings < law.rulings_max:
        return ()
    return (build_play_withdrawn(game, ruleset, events.WITHDRAWAL_REASON_CHALLENGED, game.last_at),)


def _clock_listens(game: Game, clock: Clock, ruleset: Ruleset) -> bool:
    """Check whether a challenge stops the running clock."""
    if ruleset.clock.model == "none" or clock.held_turn == game.turn:
        return False
    return "challenge" in ruleset.clock.neutralised_by


def _appeal_ruled(game: Game, ruling: Ruling) -> events.AppealRuled:
    """Return the last ruling, if the judges of a case made it instead of the arbiter at the table."""
    play = game.in_question
    assert play is not None, "an appeal is about a play"
    return events.AppealRuled(
        turn=play.turn,
        challenge=game.challenges,
        valid=ruling.valid,
        occurred_at=timestamp(max(ruling.at, game.last_at)),
    )


def _apply_ruling(game: Game, ruling: Ruling, ruleset: Ruleset) -> Sequence[Message]:
    """Return the ruling for the players, and its cost to the challenger (PES Δ.ε)."""
    play, challenger = game.in_question, game.course.challenger
    assert play is not None, "a play that was placed is challenged"
    good = [valid for _, valid in ruling.words] or [ruling.valid]
    at = timestamp(max(ruling.at, game.last_at))
    by_word = ruleset.challenge.ruling == "word"
    due = cost(good, game.unfounded.get(challenger, 0), ruleset) if challenger else None
    new_events: list[Message] = [
        events.ChallengeRuled(
            turn=play.turn,
            challenge=game.challenges,
            valid=play_stands(good),
            words=[
                events.RuledWord(word=events.Word(faces=word), valid=valid)
                for word, valid in (ruling.words if by_word else ())
            ],
            unfounded=due.unfounded if due and ruleset.challenge.free_invalid is not None else 0,
            occurred_at=at,
        )
    ]
    if due is None:
        return new_events
    new_events.extend(
        events.ChallengePenalty(
            turn=play.turn, challenge=game.challenges, player_id=player, points=points, occurred_at=at
        )
        for player, points in ((challenger, -due.from_challenger), (play.player_id, due.to_mover))
        if points
    )
    if due.turn_lost:
        new_events.append(
            events.NextTurnForfeited(
                player_id=challenger,
                reason=events.TURN_LOST_REASON_CHALLENGE,
                article=ruleset.article("challenge.unfounded_loses_turn"),
                occurred_at=at,
            )
        )
    return new_events


def _without_turn(game: Game, clock: Clock, ruleset: Ruleset) -> Sequence[Message]:
    """Return the loss of the turn of a player who left, lost it before, or let its time pass."""
    if game.mover in game.gone:
        return (_lose_turn(game, events.TURN_LOST_REASON_ABANDONED, ruleset.article("abandon.rule"), game.last_at),)
    owed = next((each for each in game.forfeited if each.player_id == game.mover and each.since <= game.turn), None)
    if owed is not None:
        return (_lose_turn(game, owed.reason, owed.article, game.last_at),)
    if clock.timed_out_turn == game.turn:
        return _timed_out(game, max(clock.timed_out_at, game.last_at), ruleset)
    return ()


def _timed_out(game: Game, at: Instant, ruleset: Ruleset) -> Sequence[Message]:
    """Return the events of a timed-out turn: tiles laid count, may be finished, or the turn is lost (FM 2, FISE 33)."""
    limited = ruleset.clock.turn_timeout != "none"
    words = _words_lying(game, ruleset)
    laid = None if not game.course.laid else words is not None
    if limited and not lost_by_timeout(laid, ruleset):
        if words is None or ruleset.clock.turn_timeout != "stands-or-lost":
            return ()
        return (build_play_placed(game, ruleset, game.mover, game.course.laid, words, at),)
    article = ruleset.article("clock.turn_timeout" if limited else "round_time.last_turn_seconds")
    return (_lose_turn(game, events.TURN_LOST_REASON_TIME, article, at),)


def _words_lying(game: Game, ruleset: Ruleset) -> Sequence[Word] | None:
    """Return the words of the unannounced tiles on the board; None if they are not a play."""
    if not game.course.laid:
        return None
    try:
        return check_play(game.board, game.course.laid, rack=game.racks[game.mover], ruleset=ruleset)
    except Refusal:
        return None


def _lose_turn(game: Game, reason: events.TurnLostReason.ValueType, article: str, at: Instant) -> events.TurnLost:
    return events.TurnLost(
        turn=game.turn, player_id=game.mover, reason=reason, article=article, occurred_at=timestamp(at)
    )


def _list_last_lines(game: Game, clock: Clock, ruleset: Ruleset) -> Sequence[Message]:
    """Return the last lines of the sheet and, if there are no signers, the result."""
    line = missing_line(game, clock, ruleset)
    if line is not None:
        return (line,)
    if not signers(game, ruleset) and clock_is_done(clock, ruleset) and not racks_wanted(game, clock, ruleset):
        return final(game, game.last_at)
    return ()
