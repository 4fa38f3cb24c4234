"""Clock law: how much time there is, when it runs, and what overrunning costs. Durations are milliseconds."""

from __future__ import annotations

from enum import StrEnum

from faristol.rules.ruleset import Neutraliser, Ruleset

MINUTE_MS = 60_000


class Activity(StrEnum):
    """What the player on turn is doing."""

    THINKING = "thinking"
    COUNTING = "counting"
    DRAWING = "drawing"


def thinking_ms(ruleset: Ruleset) -> int:
    """The time that each player has for the game (FISC I.11: 25 minutes)."""
    return ruleset.clock.minutes * MINUTE_MS


def runs(activity: Activity, ruleset: Ruleset) -> bool:
    """Whether the mover's clock runs during ``activity``. Under FISC it does until it is pressed (I.11)."""
    match activity:
        case Activity.THINKING:
            return True
        case Activity.COUNTING:
            return ruleset.clock.runs_while_counting
        case Activity.DRAWING:
            return ruleset.clock.runs_while_drawing


def neutralised(reason: Neutraliser, ruleset: Ruleset) -> bool:
    """Whether ``reason`` stops both clocks (FISC I.11 A to D)."""
    return reason in ruleset.clock.neutralised_by


def overtime_ms(used_ms: int, ruleset: Ruleset) -> int:
    """How far ``used_ms`` goes over the time of a player, 0 if it does not."""
    return max(0, used_ms - thinking_ms(ruleset))


def cap_exceeded(overtime: int, ruleset: Ruleset) -> bool:
    """Whether ``overtime`` (ms) ends the game. Exactly the cap does not (FISC I.8.D, I.11)."""
    cap = ruleset.clock.overtime_cap_minutes
    return cap is not None and overtime > cap * MINUTE_MS


def overtime_penalty(overtime: int, ruleset: Ruleset) -> int:
    """Points that ``overtime`` (ms) costs: for each minute or part of one, up to the cap (FISC I.11).

    Raises ``ValueError`` when ``overtime`` is negative.
    """
    if overtime < 0:
        raise ValueError(f"overtime is 0 ms or more, not {overtime}")
    minutes = -(-overtime // MINUTE_MS)
    if ruleset.clock.overtime_cap_minutes is not None:
        minutes = min(minutes, ruleset.clock.overtime_cap_minutes)
    return minutes * ruleset.clock.overtime_points


def lost_by_absence(late_ms: int, ruleset: Ruleset) -> bool:
    """Whether a player who has been away for ``late_ms`` since the round began loses (FISC I.5: over 15 minutes)."""
    limit = ruleset.clock.absence_minutes
    return limit is not None and late_ms > limit * MINUTE_MS
