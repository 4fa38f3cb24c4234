"""The withdrawal of a command that this cell keeps, before the championship executes it.

It is the undo of a hall. An entered result cannot be withdrawn, as it cannot be undone in the championship: its table
is closed. It is corrected instead. Whether a withdrawal comes in time is known only when the line is back, because the
command may have been sent without an answer.
"""

from __future__ import annotations

from faristol.access_control.roles import DIRECTOR
from faristol.event_store import Decision
from faristol.host.command_handler import canonical
from faristol.host.halls.kept import KeptEvent, enters_result, is_followed, list_effective, read_kept, read_pending
from faristol.host.rpc.dispatch import Context
from faristol.host.security.actor import actor_of
from faristol.host.security.authorization import caller
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.registry import normalize_note
from faristol.tournament.conditions import compute_command_time

DECIDED = N_("The championship has already decided on this command: correct it or undo it there.")
NOT_OWN = N_("Another official gave this command: that official or the director can withdraw it.")
ENTERED = N_("A result cannot be withdrawn, because its table is closed: correct the result of {game}.")
FOLLOWED = N_("A later command on {game} is kept: withdraw that one first.")


async def withdraw_kept(
    handler: PairingHandler, request: pb.WithdrawKeptCommandRequest, context: Context
) -> pb.WithdrawKeptCommandResponse:
    """Withdraw a kept command.

    Raises ``Invalid`` without an id, ``NotFound`` for one that this cell does not keep, and ``Refusal`` if it cannot be
    withdrawn, or not by this caller.
    """
    asked, record, key = normalize_note(request), handler.record, handler.record.owner_key

    async def attempt() -> tuple[Decision, pb.WithdrawKeptCommandResponse]:
        loaded = await handler.load(asked.tournament_id)
        known = await read_kept(record, asked.tournament_id, key) if key else []
        if not asked.kept_command_id:
            raise Invalid("kept_command_id", N_("is missing; expected the id of the kept command"))
        found = next((each for each in known if each[1].command_id == asked.kept_command_id), None)
        if found is None:
            raise NotFound("act", asked.kept_command_id)
        recorded, kept = found
        check_withdrawable(kept, await read_pending(record, asked.tournament_id, key))
        actor = (await actor_of(record, context, canonical(request.command_id))).actor_id
        if not may_withdraw(actor, recorded.metadata.actor):
            raise Refusal("NOT_OWN_COMMAND", NOT_OWN)
        at = compute_command_time(loaded.state, handler.at(asked), handler.runtime.now())
        decision = await handler.kept.keep_withdrawal(loaded.state, asked, kept, to_timestamp(at))
        return decision, pb.WithdrawKeptCommandResponse(game_id=kept.game_id)

    return await handler.handle(request, context, attempt, pb.WithdrawKeptCommandResponse)


def check_withdrawable(kept: events.HallCommandKept, pending: list[KeptEvent]) -> None:
    """Check that a kept command can be withdrawn. Raises ``Refusal``. ``pending`` are those without an outcome."""
    if kept.command_id not in {each.command_id for _, each in pending}:
        raise Refusal("KEPT_DECIDED", DECIDED)
    effective = list_effective(pending)
    if kept.withdrawn_id or kept.command_id not in {each.command_id for _, each in effective}:
        raise Refusal("KEPT_WITHDRAWN", N_("This command is withdrawn already."))
    about, subject = {"game": kept.game_id}, f"games/{kept.game_id}"
    if enters_result(kept):
        raise Refusal("NOT_UNDONE", ENTERED, about, subject=subject)
    if is_followed(kept, effective):
        raise Refusal("NOT_UNDONE", FOLLOWED, about, subject=subject)


def may_withdraw(actor: str, author: str) -> bool:
    """Check whether a caller with the id ``actor`` may withdraw a command of ``author``.

    A director may withdraw those of all. So may a caller of services without credentials.
    """
    credential = caller()
    return credential is None or credential.role == DIRECTOR or actor == author
