"""Seats in a duplicate game by name, and the results of a player in the duplicate games of a tournament."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import grpc

from faristol.duplicate_game.preparation import duplicate_id
from faristol.gateway.duplicate_game.service import Duplicates, is_duplicate
from faristol.gateway.pages.spectators.seats import PlayerPlace, in_order
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.concurrency import ask_each
from faristol.gateway.rpc.service import UNAVAILABLE_CODES
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation.ruleset_lookup import is_of_duplicate_games


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """Duplicate game of a player."""

    round: int
    game_id: str
    hall: str = ""
    number: int = 0
    """Number on the slips; 0 for an absent player."""
    total: int = 0
    is_over: bool = False
    is_scored: bool = False
    """True if a turn is scored."""


@dataclass(frozen=True, slots=True)
class PlayerResults:
    """Results of a player in the duplicate games of a tournament."""

    line: pb.DuplicateLine | None = None
    """Line in the standings of all games; None before the first scored turn and for an unlisted player."""
    games: Sequence[PlayedGame] = field(default_factory=list)


async def places_in_game(
    games: Duplicates,
    tournament_id: str,
    round_: int,
    players: Iterable[results_pb.Player],
    hall: str = "",
    language: str = "",
) -> list[PlayerPlace] | None:
    """Return the seats of all players in a duplicate game, sorted by name for a ``language``.

    With a ``hall``, only its seats. A player without a seat has no number. None before the game is open: seats are
    assigned when it begins.
    """
    game_id = duplicate_id(tournament_id, round_)

    async def ask() -> Sequence[pb.GetHallSheetResponse]:
        return await games.sheets(await games.game(game_id), seats_alone=True)

    sheets = await answer_or(ask(), None, grpc.StatusCode.NOT_FOUND, *UNAVAILABLE_CODES)
    if sheets is None:
        return None
    seats = {seat.player_id: (sheet.hall.name, seat.number) for sheet in sheets for seat in sheet.players}
    found = []
    for player in players:
        own_hall, number = seats.get(player.player_id, ("", 0))
        if not hall or (number and own_hall == hall):
            place = PlayerPlace(player.player_id, player.shown_name, duplicate_id=game_id, hall=own_hall, number=number)
            found.append(place)
    return in_order(found, language)


async def place_in_game(games: Duplicates, tournament_id: str, round_: int, player_id: str) -> PlayerPlace | None:
    """Return the seat of a player in a duplicate game, without a number if the player has none.

    None before the game is open, or if the game service is unavailable.
    """
    game_id = duplicate_id(tournament_id, round_)
    try:
        sheet = await games.sheet(game_id, player_id=player_id, seats_alone=True)
    except grpc.aio.AioRpcError as error:
        if error.code() in UNAVAILABLE_CODES:
            return None
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        # The service gives the same answer before the game is open and to a player without a seat.
        return PlayerPlace(player_id, "", duplicate_id=game_id) if await is_duplicate(games, game_id) else None
    return PlayerPlace(player_id, "", duplicate_id=game_id, hall=sheet.hall.name, number=sheet.players[0].number)


async def played_by(games: Duplicates, tournament: results_pb.Tournament, player_id: str) -> PlayerResults | None:
    """Return a player's results in the duplicate games of a tournament; None if the game service is unavailable."""
    try:
        found = await games.totals(tournament.tournament_id)
        each = await asyncio.gather(
            *(
                _load_played_game(games, tournament, round_, player_id)
                for round_ in tournament.played
                if round_.phase != results_pb.ROUND_PHASE_PAIRED
            )
        )
    except grpc.aio.AioRpcError as error:
        if error.code() not in UNAVAILABLE_CODES:
            raise
        return None
    line = next((line for line in found.lines if line.line.player_id == player_id), None)
    shares = {} if line is None else dict(zip((game.game_id for game in found.games), line.games, strict=True))
    scored = {game.game_id for game in found.games if game.turns}
    return PlayerResults(
        line.line if line is not None and scored else None,
        [
            replace(game, total=shares[game.game_id].total, is_scored=game.game_id in scored)
            if game.game_id in shares
            else game
            for game in each
        ],
    )


async def played_in(games: Duplicates, player: results_pb.GetPlayerResponse) -> Mapping[str, PlayerResults]:
    """Return a player's results in the tournaments of duplicate games of an answer, by tournament id."""
    of = {each.tournament.tournament_id: each.tournament for each in player.tournaments}

    async def ask(tournament_id: str) -> PlayerResults | None:
        return await played_by(games, of[tournament_id], player.player_id)

    found = await ask_each(ask, [each for each, tournament in of.items() if is_of_duplicate_games(tournament)])
    return {tournament_id: each for tournament_id, each in found.items() if each is not None}


async def _load_played_game(
    games: Duplicates, tournament: results_pb.Tournament, round_: results_pb.Round, player_id: str
) -> PlayedGame:
    """Return a game with the seat of a player, without a number if the player has none."""
    game_id = duplicate_id(tournament.tournament_id, round_.round)
    is_over = round_.phase == results_pb.ROUND_PHASE_CLOSED
    asked = games.sheet(game_id, player_id=player_id, seats_alone=True)
    sheet = await answer_or(asked, None, grpc.StatusCode.NOT_FOUND)
    if sheet is None:
        return PlayedGame(round_.round, game_id, is_over=is_over)
    return PlayedGame(round_.round, game_id, sheet.hall.name, sheet.players[0].number, is_over=is_over)
