"""A game as the public sees it: how an event changes the sheet of its table, its lines and its seats. Pure.

No rack is ever copied from an event, nor a seed before it is revealed, so none can leak. Of a draw, only the size of
the bag is stored; of an exchange, only the number of tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import folds_in
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections import incidents
from faristol.read_models.projections.championship import Broken
from faristol.read_models.projections.changes import Change, copies, sets
from faristol.read_models.storage.rows import (
    Game,
    Line,
    Option,
    Placement,
    RuledWord,
    Seat,
    Sheet,
    SheetScore,
    decode_tuples,
    encode_tuples,
)
from faristol.rules.board import Direction, Square
from faristol.rules.notation import Notation, Start

Fold = Callable[[Game, Sheet, Any], None]


def open_table(game: Game, event: events.GameOpened) -> None:
    """Open the table of a paired game, with an empty sheet."""
    game.sheet = Sheet(
        game.game_id,
        ruleset=event.ruleset.name,
        ruleset_digest=event.ruleset.digest,
        ruleset_options=tuple(Option(each.name, each.value) for each in event.ruleset.options),
        lexicon=event.lexicon.name,
        lexicon_digest=event.lexicon.digest,
    )
    game.lines.clear()


def turns_taken(game: Game) -> int:
    """Count the turns completed or lost."""
    return sum(1 for line in game.lines if line.turn and line.complete)


def board(game: Game) -> list[Placement]:
    """Return every tile on the board, in the order of placement."""
    settled = {(tile.row, tile.column): tile for tile in game.sheet.settled} if game.sheet else {}
    return [
        settled.get((tile.row, tile.column), tile)
        for line in game.lines
        if line.kind == results.ENTRY_KIND_PLAY
        for tile in decode_tuples(Placement, line.placements)
    ]


def _apply_tiles_laid(game: Game, sheet: Sheet, event: events.TilesLaid) -> None:
    sheet.laid += tuple(Placement(*tile) for tile in _tiles(event.placements))


def _apply_tiles_taken_back(game: Game, sheet: Sheet, event: events.TilesTakenBack) -> None:
    """Return to the rack the tiles laid, or a play announced and not completed yet; remove its line."""
    sheet.laid = ()
    if game.lines and game.lines[-1].turn == event.turn:
        _unsettle(sheet, game.lines.pop())


def _apply_play_placed(game: Game, sheet: Sheet, event: events.PlayPlaced) -> None:
    sheet.laid = ()
    main = event.words[0]
    start = Start(Square(main.row, main.column), Direction.ACROSS if main.across else Direction.DOWN)
    line = _add(game, results.ENTRY_KIND_PLAY, event.turn, event.player_id)
    line.placements = encode_tuples(_tiles(event.placements))
    line.words = encode_tuples(
        [(list(each.word.faces), each.row, each.column, each.across, each.score) for each in event.words]
    )
    line.score, line.bingo = event.score, event.bingo
    line.total += event.score
    line.coordinates = Notation.FISC.write(start)


def _apply_score_written(game: Game, sheet: Sheet, event: events.ScoreWritten) -> None:
    _line(game, event.turn).written += (SheetScore(event.player_id, event.score, event.total),)


def _apply_challenge_raised(game: Game, sheet: Sheet, event: events.ChallengeRaised) -> None:
    _line(game, event.turn).challenged = True


def _apply_challenge_ruled(game: Game, sheet: Sheet, event: events.ChallengeRuled) -> None:
    line = _line(game, event.turn)
    line.ruled_words += tuple(RuledWord(tuple(each.word.faces), each.valid) for each in event.words)


def _apply_play_withdrawn(game: Game, sheet: Sheet, event: events.PlayWithdrawn) -> None:
    line, seat = _line(game, event.turn), _seat(game, event.player_id)
    _unsettle(sheet, line)
    challenged = event.reason == events.WITHDRAWAL_REASON_CHALLENGED
    line.kind = results.ENTRY_KIND_PHONY if challenged else results.ENTRY_KIND_WITHDRAWN
    line.withdrawn_for = event.reason
    if line.complete:  # it was withdrawn before the next player began
        seat.table_score -= line.score
    else:
        sheet.turn_player_id = _next(game, event.player_id)
    line.score, line.total, line.complete = 0, seat.table_score, True
    if event.returned:
        sheet.bag_left = event.bag_left


def _apply_blank_settled(game: Game, sheet: Sheet, event: events.BlankSettled) -> None:
    for tile in board(game):
        if (tile.row, tile.column) == (event.row, event.column):
            others = tuple(each for each in sheet.settled if (each.row, each.column) != (tile.row, tile.column))
            sheet.settled = (*others, tile._replace(face=event.face))


def _apply_exchanged(game: Game, sheet: Sheet, event: events.Exchanged) -> None:
    _add(game, results.ENTRY_KIND_EXCHANGE, event.turn, event.player_id).exchanged = len(event.faces)


def _apply_free_exchanged(game: Game, sheet: Sheet, event: events.FreeExchanged) -> None:
    line = _add(game, results.ENTRY_KIND_FREE_EXCHANGE, 0, event.player_id)
    line.exchanged, line.complete = len(event.faces), True


def _apply_turn_lost(game: Game, sheet: Sheet, event: events.TurnLost) -> None:
    line = _add(game, results.ENTRY_KIND_LOST_TURN, event.turn, event.player_id)
    line.lost_for, line.article, line.complete = event.reason, event.article, True
    sheet.turn_player_id = _next(game, event.player_id)
    sheet.laid = ()


def _apply_play_completed(game: Game, sheet: Sheet, event: events.PlayCompleted) -> None:
    line = _line(game, event.turn)
    line.score, line.total, line.complete = event.score, event.total, True
    _seat(game, event.player_id).table_score = event.total
    sheet.turn_player_id = _next(game, event.player_id)


def _apply_count_settled(game: Game, sheet: Sheet, event: events.CountSettled) -> None:
    incidents.close(sheet, results.INCIDENT_KIND_COUNT_DISPUTED)
    last = game.lines[-1] if game.lines else None
    if last is not None and last.turn == event.turn and not last.complete:
        last.total += event.score - last.score
        last.score = event.score


def _apply_play_corrected(game: Game, sheet: Sheet, event: events.PlayCorrected) -> None:
    """Change the score of a play and the totals after it."""
    corrected, change = _line(game, event.turn), event.score - event.before
    corrected.score = event.score
    for line in game.lines:
        if line.number >= corrected.number and line.player_id == event.player_id:
            line.total += change
    _seat(game, event.player_id).table_score = event.total
    incidents.note(sheet, results.INCIDENT_KIND_PLAY_CORRECTED, event.turn, event.player_id, change)


def _apply_total_corrected(game: Game, sheet: Sheet, event: events.TotalCorrected) -> None:
    _settle(game, results.ENTRY_KIND_CORRECTION, event.player_id, event.total - event.before)


def _apply_rack_penalty(game: Game, sheet: Sheet, event: events.RackPenalty) -> None:
    _settle(game, results.ENTRY_KIND_RACK_PENALTY, event.player_id, -event.points).faces = tuple(event.faces)


def _apply_out_bonus(game: Game, sheet: Sheet, event: events.OutBonus) -> None:
    _settle(game, results.ENTRY_KIND_OUT_BONUS, event.player_id, event.points)


def _apply_time_penalty(game: Game, sheet: Sheet, event: events.TimePenalty) -> None:
    line = _settle(game, results.ENTRY_KIND_TIME_PENALTY, event.player_id, -event.points)
    line.overtime_ms = event.overtime_ms


def _apply_challenge_penalty(game: Game, sheet: Sheet, event: events.ChallengePenalty) -> None:
    _settle(game, results.ENTRY_KIND_CHALLENGE_PENALTY, event.player_id, event.points)


_ADJUSTMENTS: Mapping[int, int] = {
    events.ADJUSTMENT_REASON_ABANDONMENT: results.ENTRY_KIND_ABANDONMENT,
    events.ADJUSTMENT_REASON_FORFEIT: results.ENTRY_KIND_FORFEIT,
    events.ADJUSTMENT_REASON_SANCTION: results.ENTRY_KIND_SANCTION,
}


def _apply_score_adjusted(game: Game, sheet: Sheet, event: events.ScoreAdjusted) -> None:
    _settle(game, _ADJUSTMENTS[event.reason], event.player_id, event.points).article = event.article


def _apply_game_ended(game: Game, sheet: Sheet, event: events.GameEnded | events.TableClosed) -> None:
    sheet.end_condition, sheet.turn_player_id = event.condition, ""
    sheet.loser_ids, sheet.laid = tuple(event.loser_ids), ()
    if game.lines and not game.lines[-1].complete:  # time ran out during it: it is not scored
        game.lines[-1].total = _seat(game, game.lines[-1].player_id).table_score


def _apply_result_final(game: Game, sheet: Sheet, event: events.ResultFinal | events.TableClosed) -> None:
    sheet.final, sheet.winner_id, sheet.lost_by_all = True, event.winner_id, event.lost_by_all
    for final in event.scores:
        _seat(game, final.player_id).table_score = final.score


def _apply_table_closed(game: Game, sheet: Sheet, event: events.TableClosed) -> None:
    if event.given_up:
        last = max((line.turn for line in game.lines), default=0)
        incidents.note(sheet, results.INCIDENT_KIND_GIVEN_UP, last)
    _apply_game_ended(game, sheet, event)
    _apply_result_final(game, sheet, event)


def _apply_game_reopened(game: Game, sheet: Sheet, event: events.GameReopened) -> None:
    sheet.final, sheet.winner_id, sheet.lost_by_all = False, "", False
    last = max((line.turn for line in game.lines), default=0)
    incidents.note(sheet, results.INCIDENT_KIND_REOPENED, last)


def _apply_entries_taken_back(game: Game, sheet: Sheet, event: events.EntriesTakenBack) -> None:
    """Remove the lines from a turn on: tiles from the board, points from the totals, draws from the racks."""
    first = next((line.number for line in game.lines if line.turn >= event.turn), None)
    after = [line for line in game.lines if first is not None and line.number >= first]
    for line in after:
        if not line.turn and line.kind != results.ENTRY_KIND_CHALLENGE_PENALTY:
            continue  # sanctions of an arbiter remain
        if line.kind == results.ENTRY_KIND_PLAY:
            _unsettle(sheet, line)
        if line.complete:
            _seat(game, line.player_id).table_score -= line.score
        game.lines.remove(line)
    sheet.laid = ()
    incidents.close_all(sheet)
    sheet.bag_left, sheet.turn_player_id = event.bag_left, event.player_id
    incidents.note(sheet, results.INCIDENT_KIND_TAKEN_BACK, event.turn, event.player_id)


def _add_turn(kind: int, game: Game, sheet: Sheet, event: events.Passed | events.CannotPlay) -> None:
    _add(game, kind, event.turn, event.player_id)


def _beside(change: Change, game: Game, sheet: Sheet, event: Any) -> None:
    change(sheet, event)


def _change_game(change: Change, game: Game, sheet: Sheet, event: Any) -> None:
    change(game, event)


_ON_SHEET: Mapping[type[Message], Change] = {
    events.DrawsCommitted: copies(draw_commitment="commitment"),
    events.SeedRevealed: copies(seed="seed"),
    events.StartDecided: copies(first_player_id="player_id"),
    events.TilesDrawn: copies(bag_left="bag_left"),
    events.GameStarted: copies(turn_player_id="first_player_id"),
    **incidents.INCIDENT_HANDLERS,
}
"""The effect of an event that changes only the sheet."""

_ON_GAME: Mapping[type[Message], Change] = {
    events.TableHandedOver: copies(cell_hall="hall"),
    events.TableReturned: sets(cell_hall=""),
    events.TableTakenBack: sets(cell_hall=""),
}
"""The effect of an event that changes only the game."""

FOLDS: Mapping[type[Message], Fold] = {
    **folds_in(__name__),
    events.Passed: partial(_add_turn, results.ENTRY_KIND_PASS),
    events.CannotPlay: partial(_add_turn, results.ENTRY_KIND_CANNOT_PLAY),
    **{event: partial(_beside, change) for event, change in _ON_SHEET.items()},
    **{event: partial(_change_game, change) for event, change in _ON_GAME.items()},
}
"""The effect of an event of a game on the rows of its open table."""

WITHOUT_LINES: frozenset[type[Message]] = frozenset(
    (
        events.DrawsCommitted,
        events.SeedRevealed,
        events.TilesDrawn,
        events.GameStarted,
        events.TilesLaid,
        *_ON_GAME,
        *incidents.INCIDENT_HANDLERS,
    )
)
"""Events of a game that change neither the lines of its sheet nor the game of the tournament."""


def _tiles(placements: Iterable[events.Placement]) -> list[tuple[int, int, str, bool]]:
    """Return the fields of a ``rows.Placement`` for each tile."""
    return [(tile.row, tile.column, tile.face, tile.blank) for tile in placements]


def _add(game: Game, kind: int, turn: int, player_id: str) -> Line:
    """Append a line with the current total of the player."""
    number = game.lines[-1].number + 1 if game.lines else 1
    total = _seat(game, player_id).table_score
    line = Line(game.game_id, number, game.tournament_id, kind, turn, player_id, total=total)
    game.lines.append(line)
    return line


def _settle(game: Game, kind: int, player_id: str, points: int) -> Line:
    """Append a line of points outside turns."""
    _seat(game, player_id).table_score += points
    line = _add(game, kind, 0, player_id)
    line.score, line.complete = points, True
    return line


def _unsettle(sheet: Sheet, line: Line) -> None:
    """Remove the settled blanks of a play whose tiles are removed from the board."""
    if sheet.settled:
        gone = {(tile.row, tile.column) for tile in decode_tuples(Placement, line.placements)}
        sheet.settled = tuple(tile for tile in sheet.settled if (tile.row, tile.column) not in gone)


def _seat(game: Game, player_id: str) -> Seat:
    seat = game.seat(player_id)
    if seat is None:
        raise Broken(f"player {player_id!r} does not sit at {game.game_id}")
    return seat


def _next(game: Game, player_id: str) -> str:
    """Return the player who has the turn after ``player_id``."""
    seats = [seat.player_id for seat in game.seats]
    return seats[(seats.index(player_id) + 1) % len(seats)]


def _line(game: Game, turn: int) -> Line:
    for line in reversed(game.lines):
        if line.turn == turn:
            return line
    raise Broken(f"{game.game_id} has no turn {turn} on its scoresheet")
