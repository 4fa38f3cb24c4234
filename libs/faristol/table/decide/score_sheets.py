"""The sheets of the players: written scores, disputes and corrections. Pure."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Square, TurnKind
from faristol.rules.blanks import check_blank_face, resolve_blank
from faristol.rules.corrections import check_play_correction, check_total_correction
from faristol.table import Table
from faristol.table.decide.checks import (
    check_agreed,
    check_arbiter,
    check_back,
    check_no_challenge,
    check_not_final,
    check_player,
    check_points,
    check_running,
    check_seated,
    check_undisturbed,
    checked_blank,
    has_missed_play,
    in_doubt,
)
from faristol.table.game.state import Phase


def write_score(table: Table, request: game_pb2.WriteScoreRequest, at: Instant) -> list[Message]:
    """Write the score of the play on the board and the mover's total, by default as computed (FISE 32, PES Δ.β.i).

    A score that others wrote differently is disputed at once. A player who was away when a play was completed accepts
    it by writing its score (FISE 37, 38). ``blanks`` are the noted letters of its blanks.
    """
    game, clock, ruleset = table.game, table.clock, table.ruleset
    score = request.score if request.HasField("score") else None
    total = request.total if request.HasField("total") else None
    player_id = request.player_id
    check_player(table, player_id)
    play = in_doubt(game, clock, ruleset)
    if play is None:
        raise Refusal(
            "NOTHING_TO_WRITE",
            N_("The board has no play whose score is still to be written."),
            article=ruleset.law.write,
        )
    check_no_challenge(table)
    check_undisturbed(table)
    complete = play is not game.pending
    if complete:
        check_back(table, player_id)
    else:
        _check_stopped(table)
    if player_id in game.course.written:
        raise Refusal(
            "WRITTEN_ALREADY",
            N_("{player} has already written this score; dispute or correct a wrong score."),
            {"player": player_id},
            article=ruleset.law.write,
        )
    if score is not None:
        check_points("score", score, 0)
    if total is not None:
        check_points("total", total)
    for face in request.blanks:
        check_blank_face(face, ruleset)
    if score is None:
        score = game.turns_taken[play.turn - 1].points if complete else game.counted
    if total is None:
        total = game.scores[play.player_id] + (0 if complete else score)
    new_events: list[Message] = [
        events.ScoreWritten(turn=play.turn, player_id=player_id, score=score, total=total, blanks=request.blanks)
    ]
    if complete and player_id == game.mover and has_missed_play(game, clock, ruleset):
        new_events.append(events.PlayAccepted(turn=play.turn, player_id=player_id))
    if any((other.score, other.total) != (score, total) for other in game.course.written.values()):
        new_events.append(events.CountDisputed(turn=game.turn, player_id=player_id))
    return new_events


def dispute_count(table: Table, request: game_pb2.DisputeCountRequest, at: Instant) -> list[Message]:
    """Dispute the count of the last play, or a running total (FISC I.11.B, UF 20.2, FISE 34.3)."""
    check_player(table, request.player_id)
    check_no_challenge(table)
    check_undisturbed(table)
    return [events.CountDisputed(turn=table.game.turn, player_id=request.player_id)]


def settle_count(table: Table, request: game_pb2.SettleCountRequest, at: Instant) -> list[Message]:
    """End a dispute: the play counts ``score`` points, by default as the rules count it."""
    game, ruleset = table.game, table.ruleset
    score = request.score if request.HasField("score") else None
    check_running(table)
    if not isinstance(game.interruption, events.CountDisputed):
        raise Refusal("NOT_DISPUTED", N_("No score is disputed."), article=ruleset.law.correction)
    check_agreed(table, request.player_ids, request.arbiter_id)
    if score is not None:
        check_points("score", score, 0)
    if score is not None and game.pending is None:
        raise Refusal(
            "PLAY_COUNT_FIXED",
            N_("The board has no play with an open score: correct the score or a total, if the rules allow it."),
            article=ruleset.article("scoresheet.plays_until"),
        )
    play = game.pending
    points = score if score is not None else play.score if play else 0
    return [events.CountSettled(turn=game.turn, score=points, arbiter_id=request.arbiter_id)]


def correct_play(table: Table, request: game_pb2.CorrectPlayRequest, at: Instant) -> list[Message]:
    """Correct the count of a complete play, if that is still possible (FISE 41, PES Ε.α; not UF 22, FISC I.9).

    Raises ``Invalid`` if the turn does not exist or has no play that stands.
    """
    game = table.game
    turn = request.turn
    if not 1 <= turn <= len(game.turns_taken) or game.turns_taken[turn - 1].kind is not TurnKind.PLAY:
        raise Invalid("turn", N_("is {turn}; expected the number of a turn with a valid play"), {"turn": turn})
    check_play_correction(final=game.phase is Phase.FINAL, ruleset=table.ruleset)
    check_agreed(table, request.player_ids, request.arbiter_id)
    check_points("score", request.score, 0)
    taken = game.turns_taken[turn - 1]
    return [
        events.PlayCorrected(
            turn=turn,
            player_id=taken.player_id,
            before=taken.points,
            score=request.score,
            total=game.scores[taken.player_id] + request.score - taken.points,
            arbiter_id=request.arbiter_id,
        )
    ]


def correct_total(table: Table, request: game_pb2.CorrectTotalRequest, at: Instant) -> list[Message]:
    """Correct the running total of ``player_id`` (FISC I.9, FISE 41, PES Ε.α)."""
    game = table.game
    check_seated(table, request.player_id)
    check_total_correction(final=game.phase is Phase.FINAL, ruleset=table.ruleset)
    check_agreed(table, request.player_ids, request.arbiter_id)
    check_points("total", request.total)
    return [
        events.TotalCorrected(
            player_id=request.player_id,
            before=game.scores[request.player_id],
            total=request.total,
            arbiter_id=request.arbiter_id,
        )
    ]


def settle_blank(table: Table, request: game_pb2.SettleBlankRequest, at: Instant) -> list[Message]:
    """Settle the letter of a blank on the board from the notes of the players (FISE 10.4).

    ``stated`` is the letter that its player states to an arbiter, by default that of the board. ``face`` is the
    decision of an arbiter, if one is required. Raises ``Invalid`` if no blank lies there, ``Refusal`` without it.
    """
    game, ruleset = table.game, table.ruleset
    face = request.face or None
    arbiter_id = request.arbiter_id
    square = Square(request.row, request.column)
    if arbiter_id:
        check_arbiter(table, arbiter_id)
    check_not_final(table)
    tile = checked_blank(square, game.board.get(square))
    placer = game.placers[square]
    notes: dict[str, str | None] = {player: game.noted.get(square, {}).get(player) for player in game.player_ids}
    ruling = resolve_blank(notes, placer, request.stated or tile.face, ruleset, game.starter)
    settled = ruling.face or face
    evident = ruling.face is not None and ruling.face in (tile.face, *notes.values())
    if settled is None or not (evident or arbiter_id):
        raise Refusal(
            "ARBITER_DECIDES",
            N_("An arbiter must decide what the blank on {square} stands for."),
            {"square": str(square)},
            article=ruling.article,
        )
    check_blank_face(settled, ruleset)
    return [
        events.BlankSettled(
            row=square.row,
            column=square.col,
            face=settled,
            warned_ids=ruling.warning,
            arbiter_id=arbiter_id if ruling.face is None else "",
        )
    ]


def _check_stopped(table: Table) -> None:
    """Check that the mover has stopped their clock, if that comes before writing (PES Δ.β.i)."""
    game, ruleset = table.game, table.ruleset
    steps = ruleset.turn.steps
    if "stop" in steps and steps.index("stop") < steps.index("write") and not table.clock.has_stopped(game.turn):
        raise Refusal(
            "STOP_FIRST",
            N_("{mover} must stop the clock before the score is written."),
            {"mover": game.mover},
            article=ruleset.article("clock.stopped_by_mover"),
        )
