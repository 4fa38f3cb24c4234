"""Clock rules: the time available, the activities that use it, and the cost of overtime. Durations are milliseconds."""

from __future__ import annotations

from enum import StrEnum

from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.sections import Neutraliser
from faristol.rules.ruleset.with_options import check_settled

MINUTE_MS = 60_000


class Activity(StrEnum):
    """An activity of the player on turn."""

    THINKING = "thinking"
    COUNTING = "counting"
    DRAWING = "drawing"


def thinking_ms(ruleset: Ruleset) -> int:
    """Return the time of each player for the game (FISC I.11: 25 minutes).

    Raises ``Refusal`` if the organiser has not chosen it, and ``ValueError`` if the clock is per turn or absent.
    """
    check_settled(ruleset)
    if ruleset.clock.minutes is None:
        raise ValueError(f"{ruleset.name} has no time for a whole game: its clock is {ruleset.clock.model}")
    return ruleset.clock.minutes * MINUTE_MS


def runs(activity: Activity, ruleset: Ruleset) -> bool:
    """Check whether the mover's clock runs during ``activity``. Under FISC it runs until it is pressed (I.11)."""
    match activity:
        case Activity.THINKING:
            return True
        case Activity.COUNTING:
            return ruleset.clock.runs_while_counting
        case Activity.DRAWING:
            return ruleset.clock.runs_while_drawing


def stops_both_clocks(reason: Neutraliser, ruleset: Ruleset) -> bool:
    """Check whether ``reason`` stops both clocks (FISC I.11 A to D)."""
    return reason in ruleset.clock.neutralised_by


def overtime_penalty(overtime: int, ruleset: Ruleset) -> int:
    """Return the points that ``overtime`` (ms) costs: for each minute or part of one, up to the cap (FISC I.11).

    Raises ``ValueError`` if ``overtime`` is negative.
    """
    if overtime < 0:
        raise ValueError(f"overtime is 0 ms or more, not {overtime}")
    minutes = -(-overtime // MINUTE_MS)
    if ruleset.clock.overtime_cap_minutes is not None:
        minutes = min(minutes, ruleset.clock.overtime_cap_minutes)
    return minutes * ruleset.clock.overtime_points


def turn_ms(ruleset: Ruleset) -> int | None:
    """Return the time of one turn if turns are timed (FM 2, UF 18.1, FISE 31.1: two minutes), or None."""
    return None if ruleset.clock.turn_seconds is None else ruleset.clock.turn_seconds * 1000


def lost_by_timeout(laid: bool | None, ruleset: Ruleset) -> bool:  # noqa: FBT001 # the state of the board
    """Check whether a turn is lost at its timeout; ``laid`` is whether the tiles are a play, None without tiles.

    Under FM 2 a play on the board is scored; otherwise the turn is lost. Under FISE 33 a play that was begun is
    finished, and without one the turn is lost. Raises ``ValueError`` if turns are not timed.
    """
    if ruleset.clock.turn_timeout == "none":
        raise ValueError(f"{ruleset.name} does not time turns")
    match ruleset.clock.turn_timeout:
        case "stands-or-lost":
            return not laid
        case "begun-or-lost":
            return laid is None
    return True


def round_ms(ruleset: Ruleset) -> int | None:
    """Return the time of a round, or None without a limit (UF 17, 20: twice the clock of a player).

    A duplicate game has no such limit: its turns have one each.
    """
    if ruleset.game.mode == "duplicate":
        return None
    if ruleset.round_time.twice_the_clock:
        return 2 * thinking_ms(ruleset)
    return None if ruleset.round_time.minutes is None else ruleset.round_time.minutes * MINUTE_MS


def absence_loses_at_ms(ruleset: Ruleset) -> int | None:
    """Return the time from the signal after which an absent player has lost; None if an arbiter decides.

    FISC I.5: when more than 15 minutes have passed, so one millisecond later than the limit. PES Γ.β: 20 minutes on a
    clock that started after 10. FISE 37: at the end of the player's own time.
    """
    late = ruleset.lateness
    if late.loses_with == "arbiter":
        return None
    after_limit = 0 if late.loses_at_limit else 1
    delay = late.clock_starts_after_minutes or 0
    if late.loses_with == "own-time-or-round":
        return delay * MINUTE_MS + thinking_ms(ruleset) + after_limit if ruleset.clock.model == "chess" else None
    assert late.loses_after_minutes is not None, "a limit has minutes"
    return (late.loses_after_minutes + (delay if late.loses_counted == "on-clock" else 0)) * MINUTE_MS + after_limit


def postponement_in_time(before_ms: int, ruleset: Ruleset) -> bool:
    """Check whether a postponement requested ``before_ms`` before the game can be granted (PES Γ.β: two hours)."""
    hours = ruleset.lateness.postponement_hours
    return hours is not None and before_ms >= hours * 60 * MINUTE_MS
