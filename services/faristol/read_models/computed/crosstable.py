"""The crosstable: the result of each player in each round, in the order of the standings. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage.rows import Game, Player, Round, Seat

Seats = Mapping[str, tuple[Game, Seat]]
"""The seat of each player in a round."""


def crosstable(
    lines: Sequence[results.Standing],
    players: Mapping[str, Player],
    rounds: Sequence[Round],
    ranks: Mapping[str, int] | None = None,
) -> list[results.CrosstableRow]:
    """Return the rows for ``lines``, which come with their arithmetic; the rows leave it out.

    ``ranks`` are those of all players, needed if ``lines`` are only a part of them.
    """
    ranks = ranks or {line.player_id: line.rank for line in lines}
    seats = {round_.round: _seats(round_) for round_ in rounds}
    rows = []
    for line in lines:
        player = players[line.player_id]
        terms = {term.round: term for term in line.point_arithmetic.terms}
        row = results.CrosstableRow(rating=player.rating, unrated=player.unrated)
        row.standing.CopyFrom(line)
        row.standing.ClearField("point_arithmetic")
        for tie_break in row.standing.tie_breaks:
            tie_break.ClearField("arithmetic")
        row.cells.extend(_cell(line.player_id, number, terms.get(number), at, ranks) for number, at in seats.items())
        rows.append(row)
    return rows


def _seats(round_: Round) -> Seats:
    return {seat.player_id: (game, seat) for game in round_.games for seat in game.seats}


def _cell(
    player_id: str, number: int, term: results.Term | None, seats: Seats, ranks: Mapping[str, int]
) -> results.CrosstableCell:
    """Return the cell of a player and a round.

    A round without a term waits for its result: a game, or a bye of a round that is being played.
    """
    cell = results.CrosstableCell(round=number)
    if term is not None:
        cell.basis, cell.half_points = term.basis, term.quarters // 2
        cell.annulled = term.left_out == results.LEFT_OUT_ANNULLED
        gives_nothing = (
            term.basis in (results.TERM_BASIS_BYE, results.TERM_BASIS_REQUESTED_BYE) and not term.quarters
        )  # a rest or a bye of 0 points is neither won nor lost
        if term.basis != results.TERM_BASIS_ABSENCE and not gives_nothing:
            cell.outcome = term.outcome
    elif player_id in seats:
        cell.basis = results.TERM_BASIS_GAME
    if player_id in seats:
        game, own = seats[player_id]
        others = [seat for seat in game.seats if seat.player_id != player_id]
        cell.opponent_ids.extend(other.player_id for other in others)
        cell.opponent_ranks.extend(ranks[other.player_id] for other in others)
        cell.score, cell.against = own.score, others[0].score if len(others) == 1 else 0
        cell.game_id, cell.final = game.game_id, game.final
        if game.first_player_id:
            cell.starts = game.first_player_id == player_id
    return cell
