"""Answers on duplicate games, made of those of the game service and the names of players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from faristol.kernel.likeness import like
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.rules.duplicate_game.ranking import ranks_among

Names = Mapping[str, str]
"""Names of players by id; an erased player has none."""


def build_game(game: pb.GetDuplicateResponse, position: int) -> pb.GetDuplicateResponse:
    """Return a game with the position up to which it holds at least."""
    game.position = position
    return game


def build_standings(
    game_id: str, found: pb.GetDuplicateStandingsResponse, names: Names, position: int
) -> api.DuplicateStandings:
    """Return the standings of a game with names, which hold at least up to ``position``."""
    lines = [api.DuplicateStanding(line=line, name=names.get(line.player_id, "")) for line in found.lines]
    return like(api.DuplicateStandings, found, game_id=game_id, standings=lines, position=position)


def build_totals(
    tournament_id: str,
    found: pb.GetDuplicateTotalsResponse,
    listed: results_pb.ListPlayersResponse,
    category: str = "",
) -> api.DuplicateTotals:
    """Return the sums of all games with names. Players of a category are ranked among themselves."""
    players = {player.player_id: player for player in listed.players}
    unknown, wanted = results_pb.Player(), category.casefold()
    chosen = [
        (each, players.get(each.line.player_id, unknown))
        for each in found.lines
        if not wanted or players.get(each.line.player_id, unknown).category.casefold() == wanted
    ]
    answer = api.DuplicateTotals(
        tournament_id=tournament_id,
        category=category,
        games=found.games,
        position=listed.position,
        without_halls=found.without_halls,
    )
    ranks = ranks_among([each.line.rank for each, _ in chosen])
    for (each, player), rank in zip(chosen, ranks, strict=True):
        answer.standings.add(line=each, name=player.name, category=player.category).line.line.rank = rank
    return answer


def build_sheets(
    game_id: str, found: Iterable[pb.GetHallSheetResponse], names: Names, position: int
) -> api.DuplicateSheets:
    """Return the sheets of players with names, which hold at least up to ``position``."""
    sheets = [
        api.DuplicateSheet(
            player_id=player.player_id,
            name=names.get(player.player_id, ""),
            number=player.number,
            hall=sheet.hall.name,
            total=sum(score.points for score in player.scores),
            slips=[
                api.ScoredSlip(turn=turn, slip=slip, score=score)
                for turn, slip, score in zip(player.turns, player.slips, player.scores, strict=True)
            ],
        )
        for sheet in found
        for player in sheet.players
    ]
    return api.DuplicateSheets(position=position, game_id=game_id, sheets=sheets)
