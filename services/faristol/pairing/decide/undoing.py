"""What undoes an act: the act that compensates for it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from google.protobuf.message import Message

from faristol.pairing.decide import pairs, players, rounds
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import N_, Refusal, Ruleset

UNDONE_BY: Mapping[type[Message], str] = {
    events.PlayerRegistered: "WithdrawPlayer",
    events.LateEntryAdmitted: "WithdrawPlayer",
    events.PlayerCheckedIn: "CheckOutPlayer",
    events.PlayerCheckedOut: "CheckInPlayer",
    events.PlayerWithdrawn: "ReinstatePlayer",
    events.PlayerReinstated: "WithdrawPlayer",
    events.ByeGranted: "RevokeBye",
    events.PairForbidden: "AllowPair",
    events.PairAllowed: "ForbidPair",
    events.PairKept: "ReleasePair",
    events.PairReleased: "KeepPair",
    events.RoundPaired: "UnpairRound",
}
"""The command that undoes a fact. What is not here stands: a round that began, a result, what was published."""


def undo(
    state: Tournament, ruleset: Ruleset, act: Message, *, note: str, at: datetime | None, now: datetime
) -> list[Message]:
    """The facts that undo ``act``, one of the tournament's own. Raises ``Refusal`` for what cannot be undone (now)."""
    match act:
        case events.PlayerRegistered() | events.LateEntryAdmitted() | events.PlayerReinstated():
            return players.withdraw(state, player_id=act.player_id, note=note, at=at, now=now)
        case events.PlayerCheckedIn():
            return players.check_out(state, player_id=act.player_id, at=at, now=now)
        case events.PlayerCheckedOut():
            return players.check_in(state, player_id=act.player_id, at=at, now=now)
        case events.PlayerWithdrawn():
            return players.reinstate(state, player_id=act.player_id, at=at, now=now)
        case events.ByeGranted():
            return players.revoke_bye(state, player_id=act.player_id, number=act.round, at=at, now=now)
        case events.PairForbidden():
            return pairs.allow(state, player_ids=act.player_ids, at=at, now=now)
        case events.PairAllowed():
            return pairs.forbid(state, ruleset, player_ids=act.player_ids, at=at, now=now)
        case events.PairKept():
            return pairs.release(state, player_ids=act.player_ids, at=at, now=now)
        case events.PairReleased():
            return pairs.keep(state, ruleset, player_ids=act.player_ids, rematch=True, at=at, now=now)
        case events.RoundPaired():
            return rounds.unpair(state, number=act.round, note=note, at=at, now=now)
        case _:
            raise Refusal(
                "NOT_UNDONE",
                "",
                N_("{act} cannot be undone by another act."),
                {"act": act.DESCRIPTOR.name},
            )
