"""Which acts of a tournament rest on others, or took their place. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from google.protobuf.message import Message

from faristol.kernel.naming import players_of, teams_of
from faristol.pb.pairing.v1 import events_pb2 as events


def superseding(act: Message, later: Sequence[Message]) -> Message | None:
    """The first of the facts after ``act`` without which it cannot be taken back alone; None when there is none.

    That is what speaks of the same thing again, and what was done because things stood as ``act`` left them.
    """
    return next((fact for fact in _standing(later) if _of_same(act, fact) or _rests_on(act, fact)), None)


def _standing(facts: Sequence[Message]) -> list[Message]:
    """Facts without the pairings among them that were taken back."""
    standing: list[Message] = []
    for fact in facts:
        place = _pairing_of(fact.round, standing) if isinstance(fact, events.RoundUnpaired) else None
        if place is None:
            standing.append(fact)
        else:
            standing[place:] = [one for one in standing[place:] if not isinstance(one, _OF_PAIRING)]
    return standing


_OF_PAIRING = (events.RoundPaired, events.ByeAwarded, events.GamePostponed, events.PostponementCancelled)
"""What goes with a pairing that is taken back: no other round is paired before its start."""


def _pairing_of(number: int, facts: Sequence[Message]) -> int | None:
    """The place of the last pairing of a round among ``facts``."""
    found = (place for place, one in enumerate(facts) if isinstance(one, events.RoundPaired) and one.round == number)
    return max(found, default=None)


def _of_same(act: Message, fact: Message) -> bool:
    """Both decide the same thing."""
    return (thing := _thing(act)) is not None and thing == _thing(fact)


def _thing(fact: Message) -> Hashable:
    """What a fact decides, for facts of which a later one takes the place of an earlier."""
    match fact:
        case events.RoundsChanged():
            return "rounds"
        case events.HallsSet():
            return "halls"
        case events.PlayerCheckedIn() | events.PlayerCheckedOut():
            return "check-in", fact.player_id
        case events.PlayerWithdrawn() | events.PlayerReinstated():
            return "taking part", fact.player_id
        case events.LineUpSet():
            return "line-up", fact.team_id
        case events.TeamWithdrawn() | events.TeamReinstated():
            return "team taking part", fact.team_id
        case events.ByeGranted() | events.ByeRevoked():
            return "bye", fact.player_id, fact.team_id, fact.round
        case events.TableFixed() | events.TableReleased():
            return "table", fact.player_id
        case events.PairForbidden() | events.PairAllowed():
            return "apart", frozenset(fact.team_ids or fact.player_ids)
        case events.PairKept() | events.PairReleased():
            return "by hand", fact.round, frozenset(fact.team_ids or fact.player_ids)
        case events.RoundPaired() | events.RoundUnpaired():
            return "pairing", fact.round
        case events.WarningLifted() | events.SanctionLifted():
            return "lifted", fact.version
        case events.GamePostponed() | events.PostponementCancelled() | events.PostponedGameStarted():
            return "postponement", fact.game_id
        case events.SpreadAdjusted():
            return "ruling", fact.game_id, fact.turn
        case events.StandingsPublished() | events.StandingsReopened():
            return "final standings"
        case _:
            return None


def _rests_on(act: Message, fact: Message) -> bool:
    """Whether ``fact`` would have been another, or would have been none, without ``act``."""
    match act:
        case events.PlayerRegistered() | events.LateEntryAdmitted():
            return act.player_id in players_of(fact)
        case events.TeamRegistered():
            return act.team_id in teams_of(fact)
        case events.LineUpSet():
            return isinstance(fact, events.RoundPaired) and act.team_id in teams_of(fact)
        case events.TeamWithdrawn():
            return isinstance(fact, events.RoundPaired) and fact.round >= act.round
        case events.TeamReinstated():
            return isinstance(fact, events.RoundPaired) and act.team_id in teams_of(fact)
        case events.PlayerExpelled():
            lost = isinstance(fact, events.ResultRecorded) and act.player_id in fact.loser_ids
            return lost or (isinstance(fact, events.RoundPaired) and fact.round > act.round)
        case events.PlayerWithdrawn():
            lost = isinstance(fact, events.ResultRecorded) and fact.game_id == act.game_id
            return lost or (isinstance(fact, events.RoundPaired) and fact.round >= act.round)
        case events.PlayerReinstated():
            return isinstance(fact, events.RoundPaired) and act.player_id in players_of(fact)
        case events.PlayerCheckedIn() | events.PlayerCheckedOut():
            return isinstance(fact, events.RoundPaired)
        case events.ByeGranted() | events.ByeRevoked() | events.PairKept() | events.PairReleased():
            return isinstance(fact, events.RoundPaired) and fact.round == act.round
        case events.WarningLifted() if isinstance(fact, events.PlayerWarned):
            return fact.player_id == act.player_id
        case events.SanctionLifted() if isinstance(fact, events.PlayerSanctioned):
            # Undone already, or imposed anew: either way the player has it.
            return (fact.player_id, fact.kind, fact.game_id) == (act.player_id, act.kind, act.game_id)
        case events.PlayerSanctioned() | events.SanctionLifted():
            return isinstance(fact, events.RoundPaired) and fact.round in act.rounds
        case events.AppealLodged():
            return isinstance(fact, events.AppealDecided | events.AppealWithdrawn) and fact.appeal == act.appeal
        case events.RoundPaired() | events.GamePostponed():
            return isinstance(fact, events.RoundStarted) and fact.round == act.round
        case events.RoundUnpaired():
            # Paired again, it would be another round than the one that was taken back.
            return True
        case _:
            return False
