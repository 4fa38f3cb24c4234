"""Notifications after which ``static/live.js`` reloads each page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from faristol.kernel import event_types
from faristol.pb.event.v1.event_pb2 import (
    AUDIENCE_PUBLIC,
    CHANGE_BROADCAST,
    CHANGE_CLOCKS,
    CHANGE_DUPLICATE,
    CHANGE_INCIDENTS,
    CHANGE_PROGRESS,
    CHANGE_RATINGS,
    CHANGE_RESULT,
    CHANGE_SCHEDULE,
    CHANGE_SCORE,
    CHANGE_SCREENS,
    CHANGE_SHEET,
    CHANGE_TEAMS,
    CHANGE_WAITS,
    Change,
)
from faristol.pb.game.v1.duplicate_events_pb2 import DuplicateOpened

PAGE_CHANGES: Mapping[str, tuple[Change.ValueType, ...]] = {
    "standings.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "standing.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "teams.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT),
    "team.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT),
    "crosstable.html": (CHANGE_PROGRESS, CHANGE_RESULT, CHANGE_SCORE),
    "prospects.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "stages.html": (CHANGE_PROGRESS, CHANGE_RESULT, CHANGE_SCORE),
    "prizes.html": (CHANGE_PROGRESS, CHANGE_RESULT, CHANGE_SCORE),
    "pairings.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT, CHANGE_SCHEDULE, CHANGE_SCORE),
    "players.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT, CHANGE_RATINGS),
    "rulings.html": (CHANGE_PROGRESS,),
    "files.html": (CHANGE_PROGRESS, CHANGE_TEAMS),
    "find.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "screen.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT, CHANGE_SCHEDULE, CHANGE_DUPLICATE),
    "screen_programme.html": (
        CHANGE_PROGRESS,
        CHANGE_TEAMS,
        CHANGE_RESULT,
        CHANGE_SCHEDULE,
        CHANGE_DUPLICATE,
        CHANGE_SCREENS,
    ),
    "embed.html": (CHANGE_SHEET, CHANGE_CLOCKS, CHANGE_RESULT),
    "overlay.html": (CHANGE_SHEET, CHANGE_CLOCKS, CHANGE_RESULT),
    "slot.html": (CHANGE_SHEET, CHANGE_CLOCKS, CHANGE_RESULT, CHANGE_PROGRESS, CHANGE_BROADCAST),
    "slot_standings.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "game.html": (CHANGE_SHEET, CHANGE_INCIDENTS, CHANGE_CLOCKS, CHANGE_RESULT),
}
"""Changes that affect each page of a tournament, by template."""

DUPLICATES: Mapping[str, tuple[Change.ValueType, ...]] = {
    "duplicate/game.html": (CHANGE_DUPLICATE,),
    "duplicate/screen.html": (CHANGE_DUPLICATE,),
    "duplicate/sheet.html": (CHANGE_DUPLICATE,),
    "duplicate/totals.html": (CHANGE_DUPLICATE, CHANGE_PROGRESS),
}
"""Changes that affect pages of duplicate games, whose notifications name the game."""

CONSOLES: Mapping[str, tuple[Change.ValueType, ...]] = {
    "director/overview.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "director/late.html": (CHANGE_PROGRESS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "director/preview.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "director/players.html": (CHANGE_PROGRESS, CHANGE_TEAMS),
    "director/round.html": (CHANGE_PROGRESS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "director/halls.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "director/messages.html": (CHANGE_PROGRESS,),
    "arbiter_messages.html": (CHANGE_PROGRESS,),
    "director/discipline.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "director/presence.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "director/prize_lists.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "director/closing.html": (CHANGE_PROGRESS, CHANGE_RESULT),
    "director/history.html": (CHANGE_PROGRESS, CHANGE_TEAMS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "results/round.html": (CHANGE_PROGRESS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "results/table.html": (CHANGE_PROGRESS, CHANGE_RESULT, CHANGE_SCHEDULE),
    "slots.html": (CHANGE_PROGRESS, CHANGE_BROADCAST),
    "duplicate/collector.html": (CHANGE_DUPLICATE,),
    "duplicate/judge.html": (CHANGE_DUPLICATE,),
    "arbiter_hall.html": (CHANGE_PROGRESS, CHANGE_WAITS, CHANGE_RESULT),
    "arbiter_table.html": (CHANGE_SHEET, CHANGE_INCIDENTS, CHANGE_CLOCKS, CHANGE_RESULT, CHANGE_WAITS),
}
"""Changes that affect pages of consoles, which are not cached."""


ALSO: Mapping[str, frozenset[event_types.Kind]] = {
    "find.html": frozenset([DuplicateOpened]),
}
"""Further events of a page: the seats of a duplicate game are fixed when it opens."""


def events_of(template: str) -> frozenset[event_types.Kind]:
    """Return the events after which a page is reloaded; an empty set for a static page."""
    found = event_types.types_that_change(*{**PAGE_CHANGES, **DUPLICATES, **CONSOLES}.get(template, ()))
    return (found | ALSO.get(template, frozenset())) & event_types.types_for_audience(AUDIENCE_PUBLIC)


@cache
def of_page(template: str) -> str:
    """Return the names of these events for the attribute ``data-news``."""
    return " ".join(sorted(kind.DESCRIPTOR.name for kind in events_of(template)))
