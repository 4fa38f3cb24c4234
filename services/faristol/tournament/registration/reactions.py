"""Reactions of registrations: to players who withdraw or return, and to persons who are erased."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import Reaction
from faristol.event_store import Decision, Recorded
from faristol.kernel import event_types
from faristol.mail import outbox
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.people.v1 import events_pb2 as people_events
from faristol.tournament.registration import links
from faristol.tournament.registration.decide import accept, with_moves, withdraw
from faristol.tournament.registration.handler import RegistrationHandler
from faristol.tournament.registration.state import EntryPhase


def withdrawals(handler: RegistrationHandler) -> Reaction:
    """Build the reaction that withdraws the entry of a player who withdraws, and moves up the waiting list.

    A player without an entry leaves a place, too. The entry of a player who returns is accepted again.
    """

    async def follow(event: Recorded) -> Decision | None:
        await handler.prepare()
        moved = event.message
        assert isinstance(moved, pairing.PlayerWithdrawn | pairing.PlayerReinstated)
        loaded = await handler.load(event.tournament)
        is_gone = isinstance(moved, pairing.PlayerWithdrawn)
        phase = EntryPhase.ACCEPTED if is_gone else EntryPhase.WITHDRAWN
        entries = [each for each in loaded.current.state.entries if each.player_id == moved.player_id]
        entry = next((each for each in entries if each.phase is phase), None)
        player = loaded.current.tournament.player(moved.player_id)
        if player is None or (player.withdrawn is None) == is_gone:
            return None
        new_events: Sequence[Message]
        if entry is None:
            new_events = with_moves(loaded.current, []) if is_gone else []
            if not new_events:
                return None
        elif is_gone:
            new_events = withdraw(loaded.current, entry.number, by_entrant=False, with_player=True)
        else:
            new_events = accept(loaded.current, entry, entry.player_id)
        return await handler.decision(loaded, event.event_id, new_events)

    types = event_types.types_of([pairing.PlayerWithdrawn, pairing.PlayerReinstated])
    return Reaction("pairing.entries", types, follow)


def erasures(handler: RegistrationHandler) -> Reaction:
    """Build the reaction that deletes the links of an erased person, and the messages to this person."""

    async def forget(event: Recorded) -> Decision | None:
        await handler.prepare()
        gone = event.message
        assert isinstance(gone, people_events.PersonErased)

        async def delete(connection: AsyncConnection) -> None:
            await links.forget_persons(connection, [gone.person_id])
            await outbox.forget_persons(connection, [gone.person_id])

        return Decision(also=delete)

    return Reaction("pairing.erasures", event_types.types_of([people_events.PersonErased]), forget)
