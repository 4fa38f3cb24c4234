"""Byes that players or teams ask for before a round is paired. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.likeness import like
from faristol.kernel.pairings import REQUESTED_BYES
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_to_come, taking_part
from faristol.tournament.rounds.systems import CYCLES
from faristol.tournament.situation import PairingCommand, Situation, Undo, since
from faristol.tournament.teams.selection import of_entry


def grant(situation: Situation, request: pb.GrantByeRequest) -> list[Message]:
    """Grant a player or a team a bye in a later round. Raises ``Invalid`` for an unknown kind.

    In a round robin it must be a zero-point bye: the opponent of that round wins without a game.
    """
    with_entry, entry, answer_fields = of_entry(situation, request)
    ruleset, number, kind = situation.ruleset, request.round, request.kind
    player = taking_part(with_entry, entry)
    if kind not in REQUESTED_BYES:
        raise Invalid("kind", N_("expected a half-point, a full-point or a zero-point bye"))
    if ruleset.championship.system in CYCLES and kind != events.BYE_KIND_ZERO_POINT:
        raise Refusal(
            "BYE_WITH_POINTS",
            N_(
                "All players meet each other: the opponent of {player} in round {round} wins without a game. A bye "
                "with points would award them twice; grant a zero-point bye."
            ),
            {"player": entry, "round": number},
            article=ruleset.article("championship.system"),
        )
    check_to_come(with_entry, number)
    if number in player.byes:
        raise Refusal(
            "BYE_GRANTED",
            N_("{player} already sits out round {round}: revoke that bye first."),
            {"player": entry, "round": number},
        )
    return [situation.event(events.ByeGranted, round=number, kind=kind, **answer_fields)]


def revoke(situation: Situation, request: pb.RevokeByeRequest) -> list[Message]:
    """Revoke a bye before its round is paired."""
    with_entry, entry, answer_fields = of_entry(situation, request)
    player = taking_part(with_entry, entry)
    check_to_come(with_entry, request.round)
    if request.round not in player.byes:
        raise Refusal(
            "NO_BYE", N_("{player} has no requested bye in round {round}."), {"player": entry, "round": request.round}
        )
    return [situation.event(events.ByeRevoked, round=request.round, **answer_fields)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.GrantByeRequest: PairingCommand(grant, of_tables=True),
    pb.RevokeByeRequest: PairingCommand(revoke, of_tables=True),
}


def _granting(revoked: events.ByeRevoked, before: Sequence[Message]) -> Message:
    granting = (event for event in reversed(before) if isinstance(event, events.ByeGranted))
    granted = next((event for event in granting if _place(event) == _place(revoked)), events.ByeGranted())
    return like(pb.GrantByeRequest, revoked, kind=granted.kind, occurred_at=None)


def _place(act: events.ByeGranted | events.ByeRevoked) -> tuple[str, str, int]:
    return act.player_id, act.team_id, act.round


_REQUESTED_BYE = ("bye", "player_id", "team_id", "round")

UNDO: Mapping[type[Message], Undo] = {
    events.ByeGranted: Undo(pb.RevokeByeRequest, thing=_REQUESTED_BYE, rests=since(events.RoundPaired)),
    events.ByeRevoked: Undo(_granting, thing=_REQUESTED_BYE, rests=since(events.RoundPaired)),
}
