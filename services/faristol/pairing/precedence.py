"""Who was first: the act of somebody else that a refusal comes from, for the one who came second."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.kernel.naming import players_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.model import Tournament, evolve, stream
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.record import Record, Recorded, load, people

RECENT = timedelta(minutes=15)
"""How long ago an act may be that is told: two directors who work side by side know what is older."""

MOST = 1_000
"""Facts that are gone back over. The act is looked for among them alone: nothing is decided or folded again."""

MOST_PLAYERS = 4
"""Players of an act who are named: those of a table, and not those of a whole round."""

WAS_FIRST = N_("{who} was first, at {time}.")
WAS_FIRST_WITH = N_("{who} was first, at {time}: {players}.")
CAME_FIRST = N_("This came first, at {time}.")
CAME_FIRST_WITH = N_("This came first, at {time}: {players}.")

CAUSES: Mapping[str, type[Message]] = MappingProxyType(
    {
        "RESULT_KNOWN": events.ResultRecorded,
        "RESULT_CHANGED": events.ResultCorrected,
        "SAME_RESULT": events.ResultCorrected,
        "WITHDRAWN": events.PlayerWithdrawn,
        "NOT_WITHDRAWN": events.PlayerReinstated,
        "EXPELLED": events.PlayerExpelled,
        "CHECKED_IN": events.PlayerCheckedIn,
        "ROUND_PAIRED": events.RoundPaired,
        "ROUND_NOT_PAIRED": events.RoundUnpaired,
        "ROUND_STARTED": events.RoundStarted,
        "ROUND_CLOSED": events.RoundClosed,
        "BYE_GRANTED": events.ByeGranted,
        "NO_BYE": events.ByeRevoked,
        "POSTPONED_ALREADY": events.GamePostponed,
        "TOURNAMENT_OVER": events.StandingsPublished,
    }
)
"""What brought about the state that a reason of a refusal speaks of."""

_SUBJECTS = {"games": "game_id", "players": "player_id", "rounds": "round"}
_OF_ANY_ROUND = (events.PlayerWithdrawn, events.PlayerReinstated, events.PlayerExpelled, events.StandingsPublished)
_ABOUT = tuple(_SUBJECTS.values())


async def preceded(record: Record, request: Any, refusal: Refusal, actor: str, now: datetime) -> Refusal:
    """A refusal of a command of ``actor``, with who brought it about and when, in the time of the halls.

    The refusal itself where that was nobody in the last minutes, or was ``actor``. It costs one question for the last
    facts, however long the tournament is.
    """
    causes = [one for one in (refusal, *refusal.others) if one.reason in CAUSES]
    if not causes:
        return refusal
    loaded = await load(record, stream(request.tournament_id), Tournament(), evolve)
    recorded = await record.read_stream(stream(request.tournament_id), max(loaded.version - MOST, 0))
    for reason in causes:
        first = _last(recorded, reason, request, now)
        if first is not None and not (actor and first.metadata.actor == actor):
            told = await _told(record, first, reason.subject, loaded.state.time_zone)
            others = [*refusal.others, told]
            return Refusal(
                refusal.reason, refusal.article, refusal.message, refusal.params, subject=refusal.subject, others=others
            )
    return refusal


def _last(recorded: list[Recorded], reason: Refusal, request: Any, now: datetime) -> Recorded | None:
    """The last fact of the last minutes that brought about what a reason speaks of."""
    about = _about(reason, request)
    for one in reversed(recorded):
        if now - one.recorded_at > RECENT:
            return None
        if isinstance(one.message, CAUSES[reason.reason]) and _concerns(one.message, about):
            return one
    return None


def _concerns(fact: Message, about: Mapping[str, str]) -> bool:
    """Whether a fact is about what a reason is about. Of who left, and of the end, the round is no matter."""
    has = {name: str(getattr(fact, name)) for name in _ABOUT if hasattr(fact, name)}
    if isinstance(fact, _OF_ANY_ROUND):
        has.pop("round", None)
    common = has.keys() & about.keys()
    return (bool(common) or not has) and all(has[name] == about[name] for name in common)


def _about(reason: Refusal, request: Any) -> dict[str, str]:
    """The game, player or round that a reason is about: its subject, or else those that the request names."""
    kind, _, value = reason.subject.partition("/")
    if kind:
        return {_SUBJECTS[kind]: value} if kind in _SUBJECTS else {}
    given = {name: str(getattr(request, name, "")) for name in _ABOUT}
    return {name: value for name, value in given.items() if value not in {"", "0"}}


async def _told(record: Record, first: Recorded, subject: str, time_zone: str) -> Refusal:
    fact, by = first.message, first.metadata
    named = players_of(fact)
    known = await people.names(record, {*named, by.actor})
    scores = {one.player_id: f" {one.score}" for one in getattr(fact, "scores", ())}
    shown = [f"{known[one].name if one in known else one}{scores.get(one, '')}" for one in named]
    params = {
        "who": known[by.actor].name if by.actor in known else by.actor,
        "time": f"{first.recorded_at.astimezone(ZoneInfo(time_zone)):%H:%M:%S}",
        "players": ", ".join(shown),
    }
    # Acts of a service, such as a result that came in from its table, have no person behind them.
    nobody = by.role == "service" or not by.actor
    if 0 < len(named) <= MOST_PLAYERS:
        text = CAME_FIRST_WITH if nobody else WAS_FIRST_WITH
    else:
        text = CAME_FIRST if nobody else WAS_FIRST
    return Refusal("WAS_FIRST", "", text, params, subject=subject)
