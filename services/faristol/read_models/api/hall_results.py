"""Results that the hall of this cell has and that its copy of the tournament lacks, added to answers.

Rows have only events of the championship, so that no row is taken back. A table that ended in the hall, or got a
typed result there, is final in its own row all the same. A hall without a line shows it so.
"""

from __future__ import annotations

from collections.abc import Sequence

from faristol.event_store import Record
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage.rows import Game, Tournament


def is_final_here(record: Record, game: Game) -> bool:
    """Check whether the hall of this cell has the final result of a table, and the tournament lacks it."""
    if not record.owner_key or game.final or game.sheet is None:
        return False
    return game.sheet.final and bool(game.cell_hall) and not record.loss_of(game.game_id)


async def add_hall_results(record: Record, head: Tournament, tables: Sequence[results.Table]) -> None:
    """Add the results of the hall to its tables, and leave out the hall from tables that it has lost."""
    if not record.owner_key:
        return
    asked = [table.game_id for table in tables if not table.final]
    games, _ = await read_now(record, lambda reader: reader.those_games(asked), head.tournament_id)
    for table in tables:
        if record.loss_of(table.game_id):
            table.ClearField("cell_hall")
        game = games.get(table.game_id)
        if game is not None and game.sheet is not None and is_final_here(record, game):
            sheet, points = game.sheet, _find_scores(head, game)
            table.final = table.kept = True
            table.state = results.GAME_STATE_FINAL
            table.winner_id, table.lost_by_all = sheet.winner_id, sheet.lost_by_all
            table.condition = game_events.EndCondition.ValueType(sheet.end_condition)
            table.loser_ids[:] = sheet.loser_ids
            for seat, score in zip(table.seats, points, strict=True):
                seat.score = score
            if points != _table_scores(game):
                table.winner_id = _find_winner(game, points)


def add_hall_result(record: Record, head: Tournament, game: Game, answer: results.GetGameResponse) -> None:
    """Add the result of the hall to a game, and leave out the hall if it has lost the table."""
    if record.loss_of(game.game_id):
        answer.ClearField("cell_hall")
    if not is_final_here(record, game):
        return
    answer.kept, answer.state = True, results.GAME_STATE_FINAL
    points = _find_scores(head, game)
    if points != _table_scores(game):
        del answer.counted[:]
        for seat, score in zip(game.seats, points, strict=True):
            answer.counted.add(player_id=seat.player_id, score=score)


def _find_scores(head: Tournament, game: Game) -> tuple[int, ...]:
    """Return the scores of a game after the last command that the hall keeps, else those of its table."""
    kept = [each.scores for each in head.kept if each.game_id == game.game_id and each.scores]
    return kept[-1] if kept else _table_scores(game)


def _table_scores(game: Game) -> tuple[int, ...]:
    return tuple(seat.table_score for seat in game.seats)


def _find_winner(game: Game, points: Sequence[int]) -> str:
    """Return the player with the best score; empty for a draw."""
    best = [seat.player_id for seat, score in zip(game.seats, points, strict=True) if score == max(points)]
    return best[0] if len(best) == 1 else ""
