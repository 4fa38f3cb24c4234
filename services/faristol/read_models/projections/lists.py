"""Lists of a tournament: messages, screens, pictures, slots, claims, cells of halls, kept results; and the delay. Pure.

Cells and kept results change by events of halls.
"""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.pb.hall.v1 import events_pb2 as halls
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.projections.changes import Change, adds, copies, removes, replaces
from faristol.read_models.storage.rows import (
    StoredClaim,
    StoredHallBehind,
    StoredHallCell,
    StoredKept,
    StoredMessage,
    StoredPart,
    StoredPicture,
    StoredScreen,
    StoredSlot,
    Tournament,
)


def _fall_behind(tournament: Tournament, event: halls.HallFellBehind, position: int) -> None:
    """Add a hall, or set the time of its last report."""
    others = [each for each in tournament.halls_behind if each.hall != event.hall]
    tournament.halls_behind = tuple(sorted([*others, StoredHallBehind(event.hall, event.since.ToNanoseconds())]))


def _keep_result(tournament: Tournament, event: halls.HallCommandKept, position: int) -> None:
    """Add the result of a command that a hall keeps, or remove that of the one which it withdraws."""
    if event.withdrawn_id:
        tournament.kept = tuple(each for each in tournament.kept if each.command_id != event.withdrawn_id)
        return
    kept = StoredKept(event.table, event.game_id, event.command_id, tuple(each.score for each in event.scores))
    tournament.kept = (*tournament.kept, kept)


HALL_HANDLERS: Mapping[type[Message], Change] = {
    halls.HallJoined: replaces("hall_cells", StoredHallCell, by="hall"),
    halls.HallReleased: removes("hall_cells", by="hall"),
    halls.HallFellBehind: _fall_behind,
    halls.HallCaughtUp: removes("halls_behind", by="hall"),
    halls.HallCommandKept: _keep_result,
    halls.HallCommandExecuted: removes("kept", by="command_id"),
    halls.HallCommandRefused: removes("kept", by="command_id"),
}
"""The effect of an event with its position on the halls of a tournament."""


def _add_message(tournament: Tournament, event: pairing.MessageSent | pairing.PlayerMessageSent, position: int) -> None:
    """Add a message. Those that had expired when it was sent are removed, so that the list stays short."""
    at = event.occurred_at.ToNanoseconds()
    public = event if isinstance(event, pairing.MessageSent) else None
    added = StoredMessage(
        number=event.number,
        kind=event.kind,
        audience=event.audience,
        hall=event.hall,
        tables=list(public.tables) if public else [],
        player_ids=list(event.player_ids) if isinstance(event, pairing.PlayerMessageSent) else [],
        round=event.round,
        until=event.until.ToNanoseconds() if event.HasField("until") else None,
        interrupts=public is not None and public.interrupts,
        sent_at=at,
        expires_at=event.expires_at.ToNanoseconds(),
        public=public is not None,
        text_at=position,
    )
    tournament.messages = (*(each for each in tournament.messages if each.expires_at > at), added)


MESSAGE_HANDLERS: Mapping[type[Message], Change] = {
    pairing.MessageSent: _add_message,
    pairing.PlayerMessageSent: _add_message,
    pairing.MessageWithdrawn: removes("messages", by="number"),
    pairing.PlayerMessageWithdrawn: removes("messages", by="number"),
}
"""The effect of an event with its position on the messages of a tournament."""


def _set_screen(tournament: Tournament, event: pairing.ScreenSet, position: int) -> None:
    """Add a screen, or change it in place."""
    programme = [[*StoredPart(part.content, part.hall, part.table, part.digest)] for part in event.programme]
    changed = StoredScreen(event.code, event.name, programme, event.seconds, position)
    known = {screen.code: screen for screen in tournament.screens}
    tournament.screens = tuple({**known, event.code: changed}.values())


SCREEN_HANDLERS: Mapping[type[Message], Change] = {
    pairing.ScreenSet: _set_screen,
    pairing.ScreenRemoved: removes("screens", by="code"),
    pairing.PictureAdded: adds("pictures", StoredPicture),
    pairing.PictureRemoved: removes("pictures", by="digest"),
}
"""The effect of an event with its position on the screens and pictures of a tournament."""


def _set_delay(tournament: Tournament, event: pairing.BroadcastDelaySet, position: int) -> None:
    """Set the delay. The first one begins to hold events back."""
    tournament.broadcast_delay_minutes = event.minutes
    if event.minutes and not tournament.held_from:
        tournament.held_from = tournament.told = position


BROADCAST_HANDLERS: Mapping[type[Message], Change] = {
    pairing.SlotPointed: replaces("slots", StoredSlot, by="slot"),
    pairing.SlotRemoved: removes("slots", by="slot"),
    pairing.TableClaimed: replaces("claims", StoredClaim, by="annotator_id"),
    pairing.ClaimReleased: removes("claims", by="table"),
    pairing.BroadcastDelaySet: _set_delay,
    pairing.HeldEventTold: copies(told="told"),
}
"""The effect of an event with its position on the broadcast of a tournament."""
