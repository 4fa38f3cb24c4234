"""The command handler of fees: load, decide, write. Fees are on a stream of their own.

A person owes a fee as a player or by an entry. An entry that was merged with a known person has two ids; payments count
for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.event_store import Decision, Loaded, Record, Write, load
from faristol.host import Runtime
from faristol.host.rpc.dispatch import Context
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.pairing.v1 import registration_pb2
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.outcome import at_position
from faristol.tournament.command_handling.registry import normalize_note
from faristol.tournament.fees.decide import FeeInput, Payer
from faristol.tournament.fees.state import FeeState, evolve_fees, fees_stream
from faristol.tournament.registration.state import (
    ENDED,
    RegistrationState,
    evolve_registration,
    registration_stream,
)
from faristol.tournament.state import TournamentState

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class LoadedFees:
    """The loaded input of a decision."""

    current: FeeInput
    fees: Loaded[FeeState]
    tournament: TournamentState

    def write(self, new_events: Sequence[Message]) -> Write:
        """Build the write that appends events to the fees."""
        tournament_id = self.tournament.tournament_id
        return Write(fees_stream(tournament_id), self.fees.version, list(new_events), tournament_id)


class FeeHandler:
    """The handler of commands on fees."""

    def __init__(self, pairing_handler: PairingHandler) -> None:
        self._pairing = pairing_handler
        self.runtime: Runtime = pairing_handler.runtime
        self.record: Record = pairing_handler.record

    async def load(self, tournament_id: str, at: datetime | None = None) -> LoadedFees:
        """Load the fees of a tournament. Raises ``Invalid`` and ``NotFound`` as ``PairingHandler.load``."""
        tournament = await self._pairing.load(tournament_id)
        fees = await load(self.record, fees_stream(tournament_id), FeeState(), evolve_fees)
        registration = await load(
            self.record, registration_stream(tournament_id), RegistrationState(), evolve_registration
        )
        since = _times_of(await self._pairing.past_events(tournament))
        payers = list_payers(tournament.state, registration.state, since)
        by_id = {player_id: payer for payer in payers for player_id in payer.ids}
        current = FeeInput(fees.state, tournament_id, self.runtime.now(), at, by_id)
        return LoadedFees(current, fees, tournament.state)

    async def carry_out(
        self,
        request: Any,
        context: Context,
        decide: Callable[[FeeInput, Any], list[Message]],
        response: type[M],
        answer: Callable[[Sequence[Message]], M],
    ) -> M:
        """Handle a command after the others on the fees of the tournament. ``answer`` builds it from the new events."""
        asked: Any = normalize_note(request)
        at = self._pairing.at(request)

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(request.tournament_id, at)
            new_events = decide(loaded.current, asked)
            return Decision([loaded.write(new_events)]), at_position(answer(new_events))

        return await self.runtime.command_handler.handle(
            context, request, attempt, response=response, queue=fees_stream(request.tournament_id)
        )


def _times_of(past_events: Sequence[Message]) -> dict[str, datetime]:
    """Return the time of the registration of each player."""
    return {
        event.player_id: to_datetime(event.occurred_at)
        for event in past_events
        if isinstance(event, pairing.PlayerRegistered | pairing.LateEntryAdmitted)
    }


def list_payers(
    tournament: TournamentState, registration: RegistrationState, since: Mapping[str, datetime]
) -> list[Payer]:
    """Return the players and entrants: each person once, a player with the entry."""
    entries = {entry.player_id: entry for entry in registration.entries}
    found = []
    for player in tournament.players:
        entry = entries.get(player.player_id)
        ids = frozenset({player.player_id, *((entry.first_id,) if entry else ())})
        found.append(
            Payer(
                player.player_id,
                ids,
                player.category,
                entry.number if entry else 0,
                entry.received_at if entry else since.get(player.player_id),
                player.withdrawn is None or not player.never_came,
                entry.phase.value if entry else registration_pb2.ENTRY_STATE_UNSPECIFIED,
            )
        )
    players = {player.player_id for player in tournament.players}
    for entry in entries.values():
        if entry.player_id not in players:
            ids = frozenset({entry.player_id, entry.first_id})
            stands = entry.phase not in ENDED
            found.append(
                Payer(entry.player_id, ids, entry.category, entry.number, entry.received_at, stands, entry.phase.value)
            )
    return found
