"""Queries of the messages of officials."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from faristol.access_control.credential import Credential
from faristol.access_control.roles import ARBITER, DIRECTOR, FEDERATION
from faristol.event_store import Record
from faristol.host.rpc.dispatch import Context
from faristol.host.security.authorization import caller, is_asked
from faristol.kernel.likeness import like
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage import lookup
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.rows import StoredMessage, Tournament


async def list_messages(
    models: ReadModels, request: results.ListMessagesRequest, context: Context
) -> results.ListMessagesResponse:
    """List the messages that are shown now and that the caller may read, the latest first."""
    await models.reach(request.min_position, context)
    found = await lookup.tournament(models.record, request.tournament_id)
    check_reached(request.min_position, found.position)
    messages = await load_readable_messages(models, found.head)
    return results.ListMessagesResponse(messages=messages, position=found.position)


async def load_readable_messages(models: ReadModels, head: Tournament) -> Sequence[results.Message]:
    """Return the messages of a tournament that are shown now and that the caller may read, the latest first.

    Callers other than officials get only themselves among the players of a message.
    """
    asking = caller()

    def may_read(message: StoredMessage) -> bool:
        return message.public or not is_asked() or may_read_private(asking, head, message)

    messages = await load_messages(models.record, head, models.now_ns(), may_read)
    if is_asked() and (asking is None or asking.role not in _OFFICIALS):
        for message in messages:
            own = [player for player in message.player_ids if asking is not None and player == asking.player]
            del message.player_ids[:]
            message.player_ids.extend(own)
    return messages


_OFFICIALS = frozenset((ARBITER, DIRECTOR, FEDERATION))


def may_read_private(asking: Credential | None, head: Tournament, message: StoredMessage) -> bool:
    """Check whether a caller may read a message to players: they and the officials of the tournament may.

    An official of some halls reads the messages of these halls.
    """
    if asking is None or not asking.scope.touches(head.tournament_id):
        return False
    if asking.player and asking.player in message.player_ids:
        return True
    scope = asking.scope
    in_scope = scope.holds(head.tournament_id) or (
        bool(message.hall) and scope.holds_halls(head.tournament_id, [message.hall])
    )
    return asking.role in _OFFICIALS and in_scope


async def load_messages(
    record: Record,
    head: Tournament,
    now: int,
    may_read: Callable[[StoredMessage], bool] = lambda message: message.public,
) -> Sequence[results.Message]:
    """Return the messages of a tournament that are not expired at ``now``, the latest first, with their texts.

    ``now`` is in nanoseconds since 1970. By default, only public messages are returned.
    """
    shown = [each for each in reversed(head.messages) if each.expires_at > now and may_read(each)]
    texts = await record.notes_at([each.text_at for each in shown]) if shown else {}
    return [like(results.Message, each, text=texts.get(each.text_at, "")) for each in shown]
