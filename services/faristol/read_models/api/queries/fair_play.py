"""The queries of officials on fair play."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from faristol.access_control.errors import Denied
from faristol.event_store import load
from faristol.fair_play.comparison import Comparison, compare
from faristol.fair_play.figures import measure_all
from faristol.fair_play.overlaps import find_overlaps
from faristol.fair_play.turns import AnalysedTurn
from faristol.host.rpc.dispatch import Context
from faristol.host.security.authorization import caller
from faristol.kernel.bounded import store_bounded
from faristol.kernel.errors import NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import timestamp, to_datetime
from faristol.pb.results.v1 import fair_play_pb2 as pb
from faristol.read_models.computed.fair_play import (
    WARNING,
    build_years,
    to_comparison,
    to_figures,
    to_overlaps,
    to_turn,
)
from faristol.read_models.computed.game_analyses import MAX_ANALYSED_GAMES_COUNT, Analyses, GameAnalyses
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage.lookup import find_head
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.names import load_people
from faristol.read_models.storage.rows import Game, Player, Tournament
from faristol.read_models.storage.store import Reader
from faristol.seasons.model import SEASONS_STREAM, Seasons, evolve

ANALYSIS_TIMEOUT_SECONDS = 2.0
"""Seconds that a query waits for games that are not analysed yet; they are analysed in any case."""

REPORTS_CAPACITY = 32
"""Limit of cached complete answers."""

OWN_FIGURES = N_("the figures of {player} are not shown to that player")
NOT_FINAL = N_("Draws are shown when the result is final: now they would reveal the racks.")
NO_LEXICON = N_("This game cannot be analysed: its lexicon is not installed here, or its rules cannot be read.")

Look = Callable[[Reader], Awaitable[list[Game]]]
"""Returns the games of a query."""

R = TypeVar("R", pb.GetTournamentFairPlayResponse, pb.GetPlayerFairPlayResponse)

Build = Callable[[Analyses, Sequence[AnalysedTurn]], Awaitable[R]]
"""Builds an answer from the analyses of its games and their turns."""


class _Source(NamedTuple):
    """The games of a query with their players, as the read models have them."""

    games: Sequence[Game]
    """Those of the query first, then others of the record for base rates."""
    players: Sequence[Player]
    tournaments: Mapping[str, Tournament]
    seasons: Seasons
    position: int

    def person_turns(self, analyses: Analyses) -> list[AnalysedTurn]:
        """Return all analysed turns; a player with several merged entries has one id."""
        return [
            turn._replace(player_id=self.seasons.person_of(turn.player_id))
            for game in self.games
            if game.game_id in analyses.games
            for turn in analyses.games[game.game_id].turns
        ]

    def ratings(self) -> dict[str, int | None]:
        """Return the rating of each player in the latest tournament; None for an unrated one."""
        ordered = sorted(self.players, key=lambda player: self.tournaments[player.tournament_id].created_at)
        return {
            self.seasons.person_of(player.player_id): None if player.unrated or not player.rating else player.rating
            for player in ordered
        }


class FairPlay:
    """The queries with their caches."""

    def __init__(self, models: ReadModels, lexicons: Path) -> None:
        """``lexicons`` is the folder of installed lexicons."""
        self._models = models
        self.analyses = GameAnalyses(models.record, lexicons)
        """The worker that analyses games."""
        self._reports: OrderedDict[tuple[str, bytes, str, int], Any] = OrderedDict()

    async def get_game(self, request: pb.GetGameFairPlayRequest, context: Context) -> pb.GetGameFairPlayResponse:
        """Return the turns of a game beside the best plays.

        Raises ``NotFound``, and ``Refusal`` before the result is final or if the game cannot be analysed.
        """

        async def look(reader: Reader) -> Game:
            games = await reader.those_games([request.game_id])
            if request.game_id not in games:
                raise NotFound("game", request.game_id)
            return games[request.game_id]

        game, position = await read_now(self._models.record, look)
        _check_not_own(seat.player_id for seat in game.seats)
        if not game.final:
            raise Refusal("DRAWS_SECRET", NOT_FINAL)
        found = await self.analyses.find([game.game_id], ANALYSIS_TIMEOUT_SECONDS)
        if game.game_id in found.unreadable:
            raise Refusal("NO_LEXICON", NO_LEXICON)
        answer = pb.GetGameFairPlayResponse(game_id=game.game_id, warning=WARNING, position=position)
        answer.pending = found.pending > 0
        if game.game_id in found.games:
            analysis = found.games[game.game_id]
            names = await self._name(turn.player_id for turn in analysis.turns)
            answer.turns.extend(to_turn(turn, names) for turn in analysis.turns)
            figures = measure_all(analysis.turns)
            answer.players.extend(to_figures(each, names) for each in figures.values())
            answer.unknown_plays = analysis.unknown_count
        return answer

    async def get_tournament(
        self, request: pb.GetTournamentFairPlayRequest, context: Context
    ) -> pb.GetTournamentFairPlayResponse:
        """Return the comparison of the players of a tournament, without the caller, and the overlaps of its tables.

        Raises ``NotFound`` for an unknown tournament.
        """

        async def look(reader: Reader) -> list[Game]:
            head = await find_head(reader, request.tournament_id)
            return await reader.recorded_games(MAX_ANALYSED_GAMES_COUNT, [head.tournament_id])

        source = await self._load(look)
        caller_id = _caller_player()

        async def build(found: Analyses, turns: Sequence[AnalysedTurn]) -> pb.GetTournamentFairPlayResponse:
            own = [turn for turn in turns if turn.tournament_id == request.tournament_id]
            names = await self._name(turn.player_id for turn in own)
            compared, overlaps = await asyncio.to_thread(
                lambda: (_compare(own, turns, source), [to_overlaps(each, names) for each in find_overlaps(own)])
            )
            hidden = source.seasons.person_of(caller_id)
            ids = {game.game_id for game in source.games if game.tournament_id == request.tournament_id}
            analysed = [analysis for game_id, analysis in found.games.items() if game_id in ids]
            return pb.GetTournamentFairPlayResponse(
                tournament_id=request.tournament_id,
                players=[to_comparison(each, names) for each in compared if each.player_id != hidden],
                overlaps=overlaps,
                games=len(analysed),
                unknown_plays=sum(analysis.unknown_count for analysis in analysed),
            )

        return await self._report(request, caller_id, source, build)

    async def get_player(self, request: pb.GetPlayerFairPlayRequest, context: Context) -> pb.GetPlayerFairPlayResponse:
        """Return the comparison of a player over several tournaments, and the figures of each year.

        Raises ``NotFound`` for an unknown player, and ``Denied`` for the caller's own figures.
        """
        only = set(request.tournament_ids)

        async def look(reader: Reader) -> list[Game]:
            seasons = (await load(self._models.record, SEASONS_STREAM, Seasons(), evolve)).state
            entries = seasons.entries_of(request.player_id)
            played = [game for each in entries for game in await reader.games_of_player(each)]
            if not played and not await reader.those(Player, "player_id", entries):
                raise NotFound("player", request.player_id)
            return [game for game in played if game.final and game.turns and (not only or game.tournament_id in only)]

        source = await self._load(look)
        person = source.seasons.person_of(request.player_id)
        _check_not_own([request.player_id, *source.seasons.entries_of(request.player_id)])

        async def build(_: Analyses, turns: Sequence[AnalysedTurn]) -> pb.GetPlayerFairPlayResponse:
            own = [turn for turn in turns if turn.player_id == person and (not only or turn.tournament_id in only)]
            names = await self._name([person])
            compared = await asyncio.to_thread(_compare, own, turns, source)
            years = {tournament_id: _year_of(each) for tournament_id, each in source.tournaments.items()}
            return pb.GetPlayerFairPlayResponse(
                player_id=request.player_id,
                comparison=to_comparison(compared[0], names) if compared else None,
                years=build_years(person, own, years, names),
            )

        return await self._report(request, "", source, build)

    async def _load(self, look: Look) -> _Source:
        """Return the games of ``look``, then others of the record up to the limit, with their players."""
        seasons = (await load(self._models.record, SEASONS_STREAM, Seasons(), evolve)).state

        async def read(reader: Reader) -> tuple[list[Game], list[Player], list[Tournament]]:
            games = {game.game_id: game for game in await look(reader)}
            for game in await reader.recorded_games(MAX_ANALYSED_GAMES_COUNT):
                games.setdefault(game.game_id, game)
            chosen = list(games.values())[:MAX_ANALYSED_GAMES_COUNT]
            ids = {game.tournament_id for game in chosen}
            players = await reader.those(Player, "tournament_id", ids)
            return chosen, players, await reader.those(Tournament, "tournament_id", ids)

        (games, players, tournaments), position = await read_now(self._models.record, read)
        return _Source(games, players, {each.tournament_id: each for each in tournaments}, seasons, position)

    async def _report(self, request: Message, caller_id: str, source: _Source, build: Build[R]) -> R:
        """Return the answer of ``build`` to a caller; a cached one if all games are analysed."""
        found = await self.analyses.find((game.game_id for game in source.games), ANALYSIS_TIMEOUT_SECONDS)
        key = (request.DESCRIPTOR.name, request.SerializeToString(deterministic=True), caller_id, source.position)
        if found.is_complete and key in self._reports:
            cached: R = self._reports[key]
            return cached
        answer = await build(found, source.person_turns(found))
        answer.warning, answer.position = WARNING, source.position
        answer.reference_games = len(found.games)
        answer.pending_games, answer.unreadable_games = found.pending, len(found.unreadable)
        if found.is_complete:
            store_bounded(self._reports, key, answer, REPORTS_CAPACITY)
        return answer

    async def _name(self, player_ids: Iterable[str]) -> Mapping[str, str]:
        people = await load_people(self._models.record, set(player_ids))
        return {player_id: person.name for player_id, person in people.items()}


def _compare(own: Sequence[AnalysedTurn], turns: Sequence[AnalysedTurn], source: _Source) -> list[Comparison]:
    """Compare the players of some turns with all others of the record."""
    return compare(measure_all(own).values(), measure_all(turns), source.ratings())


def _caller_player() -> str:
    """Return the player that the caller is; empty for an official who does not play."""
    asking = caller()
    return asking.player if asking else ""


def _check_not_own(player_ids: Iterable[str]) -> None:
    """Raise ``Denied`` if the caller is one of the players: figures would tell a player what is noticed."""
    own = _caller_player()
    if own and own in set(player_ids):
        raise Denied("OWN_FIGURES", OWN_FIGURES, {"player": own})


def _year_of(tournament: Tournament) -> int:
    """Return the year in which a tournament began."""
    if tournament.starts_on:
        return int(tournament.starts_on[:4])
    return to_datetime(timestamp(tournament.created_at)).year
