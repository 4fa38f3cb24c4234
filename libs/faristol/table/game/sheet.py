"""Effects of counts, corrections, officials and the end of a game on a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from faristol.kernel.times import instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Placement, Square, Tile
from faristol.table.game.state import Course, Game, Phase, tiles_of
from faristol.table.game.turns import with_score


def _apply_score_written(game: Game, event: events.ScoreWritten) -> Game:
    play = game.in_question
    if play is None or play.turn != event.turn:
        return game
    noted = game.noted
    if event.blanks:
        blanks = [square for square, tile in tiles_of(play) if tile.blank]
        scores = {
            square: MappingProxyType({**noted.get(square, {}), event.player_id: face})
            for square, face in zip(blanks, event.blanks, strict=False)
        }
        noted = MappingProxyType({**noted, **scores})
    written = MappingProxyType({**game.course.written, event.player_id: event})
    return replace(game, noted=noted, course=replace(game.course, written=written))


def _apply_blank_settled(game: Game, event: events.BlankSettled) -> Game:
    settled = _with_blank(game, event)
    if not event.arbiter_id:
        return settled
    lay = [
        _blank_at(earlier, event) is not None and _blank_at(earlier, event) == _blank_at(game, event)
        for earlier in game.begun
    ]
    begun = (_with_blank(earlier, event) if there else earlier for earlier, there in zip(game.begun, lay, strict=True))
    return settled.but(begun=tuple(begun))


def _blank_at(game: Game, event: events.BlankSettled) -> tuple[str, Tile] | None:
    """Return the blank on a square and the player who laid it; None without a blank."""
    square = Square(event.row, event.column)
    tile = game.board.get(square)
    return None if tile is None or not tile.blank else (game.placers[square], tile)


def _with_blank(game: Game, event: events.BlankSettled) -> Game:
    """Return the game with the settled letter of a blank."""
    square = Square(event.row, event.column)
    board = game.board.remove([square]).place([Placement(square, Tile(event.face, blank=True))])
    course, open_play = game.course, game.open_play
    if course.pending is not None:
        course = replace(course, pending=_reading(course.pending, event))
    if open_play is not None:
        open_play = _reading(open_play, event)
    return replace(game, board=board, course=course, open_play=open_play)


def _reading(play: events.PlayPlaced, settled: events.BlankSettled) -> events.PlayPlaced:
    """Return ``play`` with its tiles and words as they read after a blank is settled: so they are challenged."""
    read = events.PlayPlaced()
    read.CopyFrom(play)
    for tile in read.placements:
        if (tile.row, tile.column) == (settled.row, settled.column):
            tile.face = settled.face
    for word in read.words:
        down, right = settled.row - word.row, settled.column - word.column
        place, aside = (right, down) if word.across else (down, right)
        if aside == 0 and place in range(len(word.word.faces)):
            word.word.faces[place] = settled.face
    return read


def _apply_count_settled(game: Game, event: events.CountSettled) -> Game:
    course = replace(game.course, settled_score=event.score) if game.pending else game.course
    return replace(game, interruption=None, course=course)


def _apply_play_corrected(game: Game, event: events.PlayCorrected) -> Game:
    turns = list(game.turns_taken)
    turns[event.turn - 1] = replace(turns[event.turn - 1], points=event.score)
    corrected = replace(_with_total(game, event.player_id, event.total, event.turn), turns_taken=tuple(turns))
    length = [len(earlier.turns_taken) for earlier in corrected.begun]
    begun = (earlier.but(turns_taken=tuple(turns[:to])) for earlier, to in zip(corrected.begun, length, strict=True))
    return replace(corrected, begun=tuple(begun))


def _apply_total_corrected(game: Game, event: events.TotalCorrected) -> Game:
    return _with_total(game, event.player_id, event.total)


def _with_total(game: Game, player_id: str, total: int, turn: int = 0) -> Game:
    """Return the game with another total, which remains when entries after ``turn`` are taken back.

    Signatures on the previous total become void.
    """
    points = total - game.scores[player_id]
    signed = () if points else game.signed
    begun = tuple(
        earlier.but(scores=with_score(earlier, player_id, earlier.scores[player_id] + points))
        if earlier.turn > turn
        else earlier
        for earlier in game.begun
    )
    return replace(game, scores=with_score(game, player_id, total), begun=begun, signed=signed)


def _apply_arbiter_assigned(game: Game, event: events.ArbiterAssigned) -> Game:
    return replace(game, arbiter=event.arbiter_id)


def _apply_arbiter_called(game: Game, event: events.ArbiterCalled) -> Game:
    return replace(game, arbiter_called=event.player_id)


def _apply_arbiter_left(game: Game, _: events.ArbiterLeft) -> Game:
    return replace(game, arbiter_called="")


def _apply_sanction_imposed(game: Game, event: events.SanctionImposed) -> Game:
    if event.kind == events.SANCTION_KIND_GAME and len(game.player_ids) > 2:
        game = _out(game, [event.player_id], event)
    if not event.overholding:
        return game
    return replace(game, overholding=MappingProxyType({**game.overholding, event.player_id: event.overholding}))


def _out(game: Game, player_ids: Iterable[str], event: events.SanctionImposed | events.Abandoned) -> Game:
    """Return the game with players that are out of it from now on."""
    gone = dict.fromkeys(player_ids, instant(event.occurred_at))
    return replace(game, gone=MappingProxyType({**game.gone, **gone}))


def _apply_word_asked(game: Game, event: events.WordAsked) -> Game:
    word = tuple(event.word.faces)
    involved = [player for player in (event.player_id, event.answerer_id) if player]
    return replace(game, asked=game.asked | {(player, word) for player in involved})


def _apply_end_agreed(game: Game, event: events.EndAgreed) -> Game:
    return replace(game, course=replace(game.course, agreed=game.course.agreed | {event.player_id}))


def _apply_abandoned(game: Game, event: events.Abandoned) -> Game:
    return _out(game, event.player_ids, event)


def _apply_game_ended(game: Game, event: events.GameEnded) -> Game:
    return replace(
        game,
        phase=Phase.ENDED,
        mover="",
        course=Course(),
        open_play=None,
        interruption=None,
        arbiter_called="",
        condition=event.condition,
        losers=tuple(event.loser_ids),
    )


def _apply_score_line(game: Game, event: events.RackPenalty | events.TimePenalty | events.OutBonus) -> Game:
    """Return the game with a line at the foot of the sheet, which adds or deducts its points."""
    sign = 1 if isinstance(event, events.OutBonus) else -1
    scores = with_score(game, event.player_id, game.scores[event.player_id] + sign * event.points)
    return replace(game, scores=scores, adjusted=game.adjusted | {(event.player_id, event.DESCRIPTOR.name)})


def _apply_score_adjusted(game: Game, event: events.ScoreAdjusted) -> Game:
    adjusted = _with_total(game, event.player_id, game.scores[event.player_id] + event.points)
    line = events.AdjustmentReason.Name(event.reason)
    return replace(adjusted, adjusted=game.adjusted | {(event.player_id, line)})


def _apply_sheet_signed(game: Game, event: events.SheetSigned) -> Game:
    return replace(game, signed=(*game.signed, event.player_id))


def _apply_result_final(game: Game, _: events.ResultFinal) -> Game:
    return replace(game, phase=Phase.FINAL)


def _apply_table_closed(game: Game, event: events.TableClosed) -> Game:
    ended = events.GameEnded(condition=event.condition, loser_ids=event.loser_ids)
    scores = MappingProxyType({score.player_id: score.score for score in event.scores})
    return replace(_apply_game_ended(game, ended), phase=Phase.FINAL, scores=scores, closed=True)


def _apply_game_reopened(game: Game, _: events.GameReopened) -> Game:
    return replace(game, phase=Phase.ENDED, signed=(), revision=game.revision + 1)
