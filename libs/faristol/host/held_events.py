"""Events that the delay of a broadcast holds back, and the callers who get them late."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from sqlalchemy import func, select

from faristol.access_control.roles import PLAYER, TREASURER
from faristol.event_store import Record
from faristol.event_store.backends.tables import events
from faristol.event_store.event import moment, utc_now
from faristol.host.security.authorization import caller, is_asked
from faristol.kernel.event_types import DELAY_TYPES, HELD_TYPES, TOLD_TYPES, begins_delay, broadcast_stream
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing

HELD_BACK = N_(
    "Games of {tournament} are published with a delay of {delay} min: this is shown {delay} min after the last play or "
    "result, in {minutes} {minutes:minute|minutes} if none follows."
)


def hears_late(tournament_id: str, players: Collection[str] = ()) -> bool:
    """Check whether the caller gets events of games only after the delay.

    Officials of the tournament get them at once, and so do the ``players`` of a game for that game.
    """
    asking = caller()
    if asking is None:
        return True
    if asking.role == PLAYER:
        return asking.player not in players
    return asking.role == TREASURER or not asking.scope.touches(tournament_id)


async def find_told(record: Record, tournament_id: str, position: int) -> int | None:
    """Return the position up to which held events were published as of ``position``; None without a delay by then."""
    begun = None
    for event in await record.read(tournament=tournament_id, types=DELAY_TYPES, up_to=position):
        if begins_delay(event.message):
            begun = event.position
            break
    if begun is None:
        return None
    query = select(func.max(events.c.position)).where(
        events.c.stream == broadcast_stream(tournament_id), events.c.position <= position
    )
    async with record.reading() as connection:
        last = (await connection.execute(query)).scalar_one()
    if last is None:
        return begun
    (event,) = await record.read(last - 1, limit=1, types=TOLD_TYPES)
    assert isinstance(event.message, pairing.HeldEventTold)
    return event.message.told


async def has_held(record: Record, tournament_id: str, told: int, up_to: int | None = None) -> bool:
    """Check whether events of a tournament after ``told`` are held back."""
    return bool(await record.read(told, limit=1, tournament=tournament_id, types=HELD_TYPES, up_to=up_to))


async def refuse_while_held(
    record: Record, tournament_id: str, players: Collection[str] = (), game_id: str = ""
) -> None:
    """Raise ``Refusal`` for a caller who gets events late, while some of the tournament or of a game are held back.

    A process that checks no credentials cannot tell officials from the public, and refuses no caller.
    """
    if not is_asked() or not hears_late(tournament_id, players):
        return
    told = await find_told(record, tournament_id, await record.last_position())
    if told is None:
        return
    if game_id:
        last = await record.last_events([f"game-{game_id}", f"clock-{game_id}"])
        is_held = any(event.position > told for event in last.values())
    else:
        is_held = await has_held(record, tournament_id, told)
    if is_held:
        raise await load_held_refusal(record, tournament_id)


async def load_held_refusal(record: Record, tournament_id: str) -> Refusal:
    """Return the refusal of an answer that has no form without the held events, with the time until it is given."""
    delays = await record.read(tournament=tournament_id, types=DELAY_TYPES)
    delay = next((e.message.minutes for e in reversed(delays) if isinstance(e.message, pairing.BroadcastDelaySet)), 0)
    query = select(func.max(events.c.recorded_at)).where(
        events.c.tournament == tournament_id, events.c.type.in_(sorted(HELD_TYPES))
    )
    async with record.reading() as connection:
        last = (await connection.execute(query)).scalar_one()
    left = moment(last) + timedelta(minutes=delay) - utc_now() if last else timedelta(0)
    minutes = max(1, -(-left // timedelta(minutes=1)))
    return Refusal("GAMES_HELD_BACK", HELD_BACK, {"tournament": tournament_id, "delay": delay, "minutes": minutes})
