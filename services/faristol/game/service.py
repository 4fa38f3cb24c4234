"""Tables over gRPC: load and settle, decide, append, answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.event_store import Decision, Guard, Record, load
from faristol.game import answers
from faristol.game.best_plays import BestPlays
from faristol.host import Runtime
from faristol.host.halls.elsewhere import check_decides_here
from faristol.host.held_events import refuse_while_held
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.host.table_store import Settled, game_stream, load_other_games, load_table
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.event_types import methods_of
from faristol.kernel.pairings import seats_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import game_pb2
from faristol.table import decide
from faristol.table.offers import offers
from faristol.table.views import TableTournament, watch_tournament


async def add_other_games(record: Record, settled: Settled, *player_ids: str) -> Settled:
    """Return the table with data of these players from their other games in the tournament.

    It has warnings for too many tiles on the rack (FISE 28) and questions about words (UF 28.2, FISE 46.2). The other
    games are guarded.
    """
    game = settled.game
    tournament = (await load(record, f"tournament-{game.tournament_id}", TableTournament(), watch_tournament)).state
    pairings = [pairing for tables in tournament.pairings.values() for pairing in tables]
    others = [
        pairing.game_id
        for pairing in pairings
        if {*player_ids} & {*seats_of(pairing)} and pairing.game_id != game.game_id
    ]
    games = await load_other_games(record, others)
    states = [loaded.state for loaded in games.values()]
    table = replace(
        settled.table,
        overheld_elsewhere=sum(state.overholding.get(player, 0) for state in states for player in player_ids),
        asked_elsewhere=frozenset(player for state in states for player, _ in state.asked) & {*player_ids},
        strangers=frozenset(player_ids) - tournament.players if tournament.players else frozenset(),
    )
    guards = [Guard(game_stream(game_id), loaded.version) for game_id, loaded in games.items()]
    return replace(settled, table=table, guards=(*settled.guards, *guards))


M = TypeVar("M", bound=Message)


def service(runtime: Runtime) -> Dispatcher:
    """Build the dispatcher of the game service. The contract documents its methods."""
    games = GameService(runtime)
    descriptor = game_pb2.DESCRIPTOR.services_by_name["GameService"]
    return Dispatcher(descriptor, decide.GAME_COMMANDS, games.carry_out, methods_of(games))


class GameService:
    """The methods of the game service."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._best_plays = BestPlays(runtime.settings.lexicons)

    async def get_game(self, request: game_pb2.GetGameRequest, context: Context) -> game_pb2.GetGameResponse:
        """Return the state of a table, as a player or the public may see it."""
        table = await self._table_for(request)
        await self._refuse_while_held(table)
        return answers.build_game_response(table, request.player_id)

    async def list_offers(self, request: game_pb2.ListOffersRequest, context: Context) -> game_pb2.ListOffersResponse:
        """Return the possible commands at a table."""
        table = await self._table_for(request)
        at = table.moment(game_pb2.PassRequest(), self._runtime.now)
        found = offers(table.table, at, request.arbiter_id, request.methods)
        return answers.build_offers_response(table, found, request.player_id)

    async def list_draws(self, request: game_pb2.ListDrawsRequest, context: Context) -> game_pb2.ListDrawsResponse:
        """Return the draws of a finished table."""
        table = await self._table(request.game_id, rulings=False)
        await self._refuse_while_held(table)
        events = await self._runtime.record.events(game_stream(request.game_id))
        return answers.draws(table, events)

    async def list_best_plays(
        self, request: game_pb2.ListBestPlaysRequest, context: Context
    ) -> game_pb2.ListBestPlaysResponse:
        """Return the best plays for the racks of a finished table."""
        if not self._runtime.settings.best_plays:
            raise Refusal("NOT_SHOWN", N_("The organiser does not show the best plays."))
        table = await self._table(request.game_id, rulings=False)
        await self._refuse_while_held(table)
        events = await self._runtime.record.events(game_stream(request.game_id))
        held = answers.racks(table, events)
        return await self._best_plays.of(request.game_id, len(events), table.game.lexicon.digest, held)

    async def _refuse_while_held(self, table: Settled) -> None:
        """Raise ``Refusal`` for a caller who gets the events of a table late, while some are held back."""
        game = table.game
        await refuse_while_held(self._runtime.record, game.tournament_id, game.player_ids, game.game_id)

    async def _table_for(self, request: game_pb2.GetGameRequest | game_pb2.ListOffersRequest) -> Settled:
        """Load the table for a player of it or the public. Raises ``Invalid`` for any other person."""
        table = await self._table(request.game_id, rulings=False)
        if request.player_id and request.player_id not in table.game.player_ids:
            raise Invalid("player_id", N_("{player} does not play at this table"), {"player": repr(request.player_id)})
        return table

    async def _table(self, game_id: str, *, rulings: bool = True, cached: bool = False) -> Settled:
        table = await load_table(self._runtime.record, game_id, rulings=rulings, cached=cached)
        if table is None:
            raise NotFound("game", game_id)
        return table

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Settle the table, handle the command, write both, and answer."""

        async def attempt(*, cached: bool = False) -> tuple[Decision, Callable[[int], M]]:
            table = await self._table(request.game_id, cached=cached)
            await check_decides_here(self._runtime.record, table)
            if isinstance(request, game_pb2.RecordOverholdingRequest):
                table = await add_other_games(self._runtime.record, table, request.player_id)
            if isinstance(request, game_pb2.RecordWordAskedRequest):
                involved = [player for player in (request.player_id, request.answerer_id) if player]
                table = await add_other_games(self._runtime.record, table, *involved)
            new_events = table.with_consequences(
                decide.decide(table.table, request, table.moment(request, self._runtime.now))
            )

            def answer(position: int) -> M:
                return answers.answer(response, position, new_events)

            return table.decision(new_events), answer

        return await self._runtime.command_handler.handle(
            context, request, attempt, response=response, decide_on_cache=partial(attempt, cached=True)
        )
