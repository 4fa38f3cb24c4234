"""The director of a demonstration of duplicate games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from faristol.demo.championship import DirectorActions, ignore_progress
from faristol.demo.duplicate_game.game import DuplicateGame, Ended
from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.duplicate_game.preparation import duplicate_id
from faristol.kernel.likeness import like
from faristol.pb.game.v1 import duplicate_pb2
from faristol.pb.pairing.v1 import pairing_pb2

ENTRANT_BATCH_SIZE = 100
"""Players per registration request."""


@dataclass(frozen=True)
class DuplicateOutcome:
    """The outcome of a championship of duplicate games."""

    tournament: pairing_pb2.GetTournamentResponse
    games: Sequence[Ended]


@dataclass(frozen=True)
class DuplicateChampionship(DirectorActions):
    """A director of duplicate games. All turns except the last are dated before ``now``."""

    plan: DuplicatePlan
    seen: Callable[[int, int, int], None] = field(default=ignore_progress, kw_only=True)
    """Callback for progress: game, scored turns, all turns (0 if unknown)."""

    async def play(self) -> DuplicateOutcome:
        """Play the whole championship. Raises ``grpc.aio.AioRpcError`` if a service refuses a request."""
        await self.create()
        async with self.cast.director():
            await self._enter()
            games = [await self._play_round(number) for number in range(1, self.plan.rounds + 1)]
            which = pairing_pb2.GetTournamentRequest(tournament_id=self.plan.tournament_id)
            return DuplicateOutcome(await self.api.call(which), games)

    async def _enter(self) -> None:
        plan, opening = self.plan, self.plan.round_start(1, self.now)
        for begin in range(0, plan.players, ENTRANT_BATCH_SIZE):
            request = pairing_pb2.RegisterPlayersRequest()
            for entrant in plan.entrants[begin : begin + ENTRANT_BATCH_SIZE]:
                registered = like(pairing_pb2.RegisterPlayerRequest, entrant, tournament_id=plan.tournament_id)
                registered.command_id = plan.command_id("register", entrant.player_id)
                request.players.append(registered)
            await self.send(request, opening, "register", begin)
        halls = pairing_pb2.SetHallsRequest()
        for place, name in enumerate(plan.hall_names):
            halls.halls.add(name=name, first_table=place * plan.seats + 1, last_table=(place + 1) * plan.seats)
        await self.send(halls, opening, "halls")

    async def _play_round(self, number: int) -> Ended:
        plan = self.plan
        when = plan.round_start(number, self.now)
        await self.send(pairing_pb2.PairRoundRequest(round=number), when, "pair", number)
        await self.send(pairing_pb2.StartRoundRequest(round=number), when, "start", number)
        game_id = duplicate_id(plan.tournament_id, number)
        await self.api.call_until_found(duplicate_pb2.GetDuplicateRequest(game_id=game_id))
        seen = partial(self.seen, number)
        ended = await DuplicateGame(self.api, plan, self.graph, self.cast, number, self.now, seen).play()
        close = pairing_pb2.CloseRoundRequest(round=number)
        is_last = number == plan.rounds
        over = None if is_last else plan.round_end(number, self.now)
        await self.send(close, over, "close", number)
        return ended
