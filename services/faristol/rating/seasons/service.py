"""The service of seasons over gRPC. The contract documents its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from faristol.event_store import Decision, Write, load, load_at_once
from faristol.host import Runtime
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import OF_THE_CELL
from faristol.kernel.times import occurred_at
from faristol.pb.season.v1 import season_pb2 as pb
from faristol.rating.cell_scope import check_covers_cell
from faristol.rating.model import TournamentView, tournament_stream, view
from faristol.rating.rated import mode_of
from faristol.rating.seasons.decide import SEASON_COMMANDS
from faristol.rules.ruleset.modes import refuse_without_tables
from faristol.seasons.model import SEASONS_STREAM, Seasons, evolve


def season_service(runtime: Runtime) -> Dispatcher:
    """Build the dispatcher of the service of seasons."""
    return Dispatcher(
        pb.DESCRIPTOR.services_by_name["SeasonService"], SEASON_COMMANDS, SeasonOffice(runtime).carry_out, {}
    )


class SeasonOffice:
    """The handler of commands on seasons, one after the other in a process."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._record = runtime.record

    async def carry_out(self, request: Any, context: Context, response: type[Any]) -> Message:
        """Decide and write.

        Raises ``Denied`` for a credential of some tournaments only, and ``NotFound`` and ``Refusal`` for a tournament
        that cannot be in a circuit.
        """
        check_covers_cell()
        at = occurred_at(request, self._runtime.now)

        async def attempt() -> tuple[Decision, Callable[[int], Message]]:
            seasons = await load(self._record, SEASONS_STREAM, Seasons(), evolve)
            if isinstance(request, pb.AddCircuitTournamentRequest):
                await self._check_has_games(request.tournament_id)
            new_events = SEASON_COMMANDS[type(request)](seasons.state, request, at)
            fields = {
                name: getattr(request, name)
                for name in ("season_id", "circuit_id")
                if name in response.DESCRIPTOR.fields_by_name
            }

            def answer(position: int) -> Message:
                written: Message = response(position=position, **fields)
                return written

            write = Write(SEASONS_STREAM, seasons.version, new_events, OF_THE_CELL)
            return Decision([write]), answer

        handled: Message = await self._runtime.command_handler.handle(
            context, request, attempt, response=response, lane=SEASONS_STREAM
        )
        return handled

    async def _check_has_games(self, tournament_id: str) -> None:
        """Raise ``NotFound`` for an unknown tournament, and ``Refusal`` for one of duplicate games."""
        found = await load_at_once(self._record, tournament_stream(tournament_id), TournamentView(), view)
        if not found.version:
            raise NotFound("tournament", tournament_id)
        refuse_without_tables(await mode_of(self._record, tournament_id), tournament_id)
