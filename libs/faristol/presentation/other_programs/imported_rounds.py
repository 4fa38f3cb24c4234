"""The rounds of another program's file as a command, and a comparison of its standings with those here. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faristol.kernel.details import is_country
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.rules.tournament_files import FileDivision, FileRound, RoundKind

_BYE_KINDS: Mapping[RoundKind, events.ByeKind.ValueType] = {
    RoundKind.BYE: events.BYE_KIND_FULL_POINT,
    RoundKind.FORFEIT_WIN: events.BYE_KIND_FULL_POINT,
    RoundKind.HALF_BYE: events.BYE_KIND_HALF_POINT,
    RoundKind.ABSENCE: events.BYE_KIND_ZERO_POINT,
    RoundKind.FORFEIT_LOSS: events.BYE_KIND_ZERO_POINT,
}
"""Values of rounds without an opponent."""


def find_bye_spread(division: FileDivision) -> int:
    """Return the points on the spread that the byes of a file have; 0 if they have none or several values."""
    spreads = {cell.spread for player in division.players for cell in player.rounds if cell.kind is RoundKind.BYE}
    return spreads.pop() if len(spreads) == 1 else 0


def build_registrations(division: FileDivision, tournament_id: str) -> list[pairing.RegisterPlayerRequest]:
    """Return a registration of each player, in the order of their numbers."""
    return [
        pairing.RegisterPlayerRequest(
            tournament_id=tournament_id,
            name=player.name,
            rating=player.rating,
            country=player.country.upper() if is_country(player.country.upper()) else "",
        )
        for player in division.players
    ]


def list_withdrawn(division: FileDivision, player_ids: Sequence[str]) -> list[str]:
    """Return the ids of the players to withdraw: those who have left a tournament whose rounds have all results."""
    if division.complete_rounds < division.rounds:
        return []
    return [player_id for player, player_id in zip(division.players, player_ids, strict=True) if player.left]


def build_rounds(division: FileDivision, player_ids: Sequence[str]) -> list[pairing.ImportedRound]:
    """Return the rounds of a division; ``player_ids`` are the ids of its players in the order of their numbers."""
    return [_build_round(division, player_ids, number) for number in range(1, division.rounds + 1)]


def _build_round(division: FileDivision, player_ids: Sequence[str], number: int) -> pairing.ImportedRound:
    built = pairing.ImportedRound(round=number)
    tables: list[int] = []
    for own, player in enumerate(division.players, 1):
        cell, player_id = player.round(number), player_ids[own - 1]
        if not cell.opponent:
            if cell.kind is RoundKind.BYE and not built.bye_player_id:
                built.bye_player_id = player_id
            else:
                built.byes.add(player_id=player_id, kind=_BYE_KINDS[cell.kind])
        elif own < cell.opponent:
            other = division.players[cell.opponent - 1].round(number)
            built.games.append(_build_game(cell, other, player_id, player_ids[cell.opponent - 1]))
            tables.append(cell.table)
    if len({*tables}) == len(tables) and all(tables):
        for game, table in zip(built.games, tables, strict=True):
            game.table = table
    return built


def _build_game(cell: FileRound, other: FileRound, player_id: str, opponent_id: str) -> pairing.ImportedGame:
    """Return a game; the player named first starts, if the file tells who does."""
    swapped = cell.starts is False or (cell.starts is None and other.starts is True)
    sides = [(player_id, cell), (opponent_id, other)]
    first, second = reversed(sides) if swapped else sides
    game = pairing.ImportedGame(first_player_id=first[0], second_player_id=second[0])
    if lost := [each for each, of in sides if of.kind is RoundKind.FORFEIT_LOSS]:
        game.forfeited_by.extend(lost)
    elif cell.score is not None and cell.against is not None:
        game.first_score, game.second_score = first[1].score or 0, second[1].score or 0
    return game


def compare_standings(
    division: FileDivision, player_ids: Sequence[str], standings: results.GetStandingsResponse
) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield name, half points and spread in the file, and the same two here, of each player with a difference."""
    here = {line.player_id: (line.half_points, line.spread) for line in standings.standings}
    for number, half_points, spread in division.rank(division.complete_rounds):
        found = here.get(player_ids[number - 1], (0, 0))
        if found != (half_points, spread):
            yield division.name_of(number), half_points, spread, *found
