"""The service of seasons over gRPC. The contract documents its methods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import Message

from faristol.event_store import Decision, Write, load
from faristol.host import Runtime
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.kernel import event_types
from faristol.kernel.event_types import OF_THE_CELL
from faristol.kernel.likeness import like
from faristol.kernel.mentions import players_of
from faristol.kernel.times import occurred_at
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.season.v1 import season_pb2 as pb
from faristol.personal_data.people import names
from faristol.rating.cell_scope import check_covers_cell
from faristol.rating.rated import load_rated
from faristol.rating.seasons.decide import SEASON_COMMANDS, merge
from faristol.seasons.model import SEASONS_STREAM, Seasons, evolve


def season_service(runtime: Runtime) -> Dispatcher:
    """Build the dispatcher of the service of seasons."""
    handler = SeasonHandler(runtime)
    commands = (*SEASON_COMMANDS, pb.MergePersonsRequest)
    descriptor = pb.DESCRIPTOR.services_by_name["SeasonService"]
    return Dispatcher(descriptor, commands, handler.carry_out, {pb.ListMergesRequest: handler.list_merges})


ENTRY_TYPES = event_types.types_of([pairing_events.PlayerRegistered, pairing_events.LateEntryAdmitted])
"""Events by which a player enters a tournament."""

ENTRY_BATCH_EVENTS = 1_000
"""Events per read."""


class SeasonHandler:
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
                await load_rated(self._record, request.tournament_id)
            if isinstance(request, pb.MergePersonsRequest):
                entered = await self._find_entries(seasons.state, (request.person_id, request.merged_id))
                new_events = merge(seasons.state, request, at, entered)
            else:
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
            context, request, attempt, response=response, queue=SEASONS_STREAM
        )
        return handled

    async def list_merges(self, request: pb.ListMergesRequest, context: Context) -> pb.ListMergesResponse:
        """Return the merges with the names of both entries, the latest first."""
        merges = (await load(self._record, SEASONS_STREAM, Seasons(), evolve)).state.merges
        people = await names(self._record, {each for one in merges for each in (one.person_id, one.merged_id)})
        listed = []
        for each in reversed(merges):
            person, other = people.get(each.person_id), people.get(each.merged_id)
            shown = like(pb.PersonMerge, each, name=person.name if person else "")
            shown.merged_name = other.name if other else ""
            listed.append(shown)
        return pb.ListMergesResponse(merges=listed)

    async def _find_entries(self, seasons: Seasons, player_ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the tournaments that players and the entries merged into them entered, read from the whole record."""
        wanted = {each for player_id in player_ids for each in seasons.entries_of(player_id)}
        found: defaultdict[str, set[str]] = defaultdict(set)
        after = 0
        while entries := await self._record.read(after, types=ENTRY_TYPES, limit=ENTRY_BATCH_EVENTS):
            for entry in entries:
                for player_id in wanted.intersection(players_of(entry.message)):
                    found[player_id].add(entry.tournament)
            after = entries[-1].position
        return {player_id: frozenset(tournaments) for player_id, tournaments in found.items()}
