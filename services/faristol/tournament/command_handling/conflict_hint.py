"""The other person's event that caused a refusal, added to the refusal."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.event_store import Record, Recorded, load
from faristol.kernel.mentions import players_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.personal_data import people
from faristol.tournament.state import TournamentState, evolve, stream

MAX_HINT_AGE = timedelta(minutes=15)
"""Maximum age of such an event: directors who work together know of older ones."""

MAX_SEARCHED_EVENTS = 1_000
"""Number of the latest events that are searched. No decision is made and no state is folded by them."""

MAX_HINT_PLAYERS = 4
"""Limit of players to name: enough for a table, not for a round."""

WAS_FIRST = N_("{who} made a change first, at {time}.")
WAS_FIRST_WITH = N_("{who} made a change first, at {time}: {players}.")
CAME_FIRST = N_("Another change was made first, at {time}.")
CAME_FIRST_WITH = N_("Another user made a change first, at {time}: {players}.")

_Thing = Mapping[str, str]
"""The game, player and round of an event or a refusal, as far as it has one."""


class Cause(NamedTuple):
    """The event that causes the state a refusal speaks of."""

    event: type[Message]
    about: tuple[str, ...] = ()
    """The fields of the event that identify its subject."""


_GAME, _PLAYER, _ROUND, _BYE = ("game_id", "round"), ("player_id",), ("round",), ("player_id", "round")

CAUSES: Mapping[str, Cause] = MappingProxyType(
    {
        "RESULT_KNOWN": Cause(events.ResultRecorded, _GAME),
        "RESULT_CHANGED": Cause(events.ResultCorrected, _GAME),
        "SAME_RESULT": Cause(events.ResultCorrected, _GAME),
        "WITHDRAWN": Cause(events.PlayerWithdrawn, ("player_id", "game_id")),
        "NOT_WITHDRAWN": Cause(events.PlayerReinstated, _PLAYER),
        "EXPELLED": Cause(events.PlayerExpelled, _PLAYER),
        "CHECKED_IN": Cause(events.PlayerCheckedIn, _PLAYER),
        "ROUND_PAIRED": Cause(events.RoundPaired, _ROUND),
        "ROUND_NOT_PAIRED": Cause(events.RoundUnpaired, _ROUND),
        "ROUND_PUBLISHED": Cause(events.RoundPublished, _ROUND),
        "NO_DRAFT": Cause(events.DraftDiscarded, _ROUND),
        "ROUND_STARTED": Cause(events.RoundStarted, _ROUND),
        "ROUND_CLOSED": Cause(events.RoundClosed, _ROUND),
        "BYE_GRANTED": Cause(events.ByeGranted, _BYE),
        "NO_BYE": Cause(events.ByeRevoked, _BYE),
        "POSTPONED_ALREADY": Cause(events.GamePostponed, _GAME),
        "TOURNAMENT_OVER": Cause(events.StandingsPublished),
    }
)
"""By reason."""

_SUBJECTS = {"games": "game_id", "players": "player_id", "rounds": "round"}


async def add_conflict_hint(record: Record, request: Any, refusal: Refusal, actor: str, now: datetime) -> Refusal:
    """Return a refusal with the recent event that caused it: its actor and time, in the time zone of the halls.

    Returns the refusal unchanged if there is no recent event, or if it is of the same ``actor``. It costs one query for
    the latest events, regardless of the size of the tournament.
    """
    causes = [reason for reason in (refusal, *refusal.others) if reason.reason in CAUSES]
    if not causes:
        return refusal
    loaded = await load(record, stream(request.tournament_id), TournamentState(), evolve)
    recorded = await record.read_stream(stream(request.tournament_id), max(loaded.version - MAX_SEARCHED_EVENTS, 0))
    for reason in causes:
        first = _last(recorded, reason, request, now)
        if first is not None and not (actor and first.metadata.actor == actor):
            hint = await _build_hint(record, first, reason.subject, loaded.state.time_zone)
            return refusal.replace(others=[*refusal.others, hint])
    return refusal


def _last(recorded: list[Recorded], reason: Refusal, request: Any, now: datetime) -> Recorded | None:
    """Return the last recent event that caused the state of a reason, or None."""
    cause, about = CAUSES[reason.reason], _about(reason, request)
    for event in reversed(recorded):
        if now - event.recorded_at > MAX_HINT_AGE:
            return None
        message = event.message
        if isinstance(message, cause.event) and _same(
            {name: str(getattr(message, name)) for name in cause.about}, about
        ):
            return event
    return None


def _same(event: _Thing, about: _Thing) -> bool:
    """Check whether an event and a reason have the same subject. An event without a subject matches every reason."""
    common = event.keys() & about.keys()
    return (bool(common) or not event) and all(event[name] == about[name] for name in common)


def _about(reason: Refusal, request: Any) -> _Thing:
    """Return the game, player or round of a reason: its subject, or else the fields of the request."""
    kind, _, value = reason.subject.partition("/")
    if kind:
        return {_SUBJECTS[kind]: value} if kind in _SUBJECTS else {}
    names = _SUBJECTS.values()
    return {field.name: str(value) for field, value in request.ListFields() if field.name in names}


async def _build_hint(record: Record, first: Recorded, subject: str, time_zone: str) -> Refusal:
    event, by = first.message, first.metadata
    named = players_of(event)
    known = await people.names(record, {*named, by.actor})
    results = event.scores if isinstance(event, events.ResultRecorded | events.ResultCorrected) else ()
    scores = {score.player_id: f" {score.score}" for score in results}
    shown = [f"{known[player].name if player in known else player}{scores.get(player, '')}" for player in named]
    params = {
        "who": known[by.actor].name if by.actor in known else by.actor,
        "time": f"{first.recorded_at.astimezone(ZoneInfo(time_zone)):%H:%M:%S}",
        "players": ", ".join(shown),
    }
    # Events of a service, such as a result from a table, have no person as their actor.
    nobody = by.role == "service" or not by.actor
    if 0 < len(named) <= MAX_HINT_PLAYERS:
        text = CAME_FIRST_WITH if nobody else WAS_FIRST_WITH
    else:
        text = CAME_FIRST if nobody else WAS_FIRST
    return Refusal("WAS_FIRST", text, params, subject=subject)
