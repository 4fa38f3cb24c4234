"""Clock law: how much time there is, when it runs, and what overrunning costs. Durations are milliseconds."""

from __future__ import annotations

from enum import StrEnum

from faristol.rules.ruleset import Ruleset
from faristol.rules.sections import Neutraliser
from faristol.rules.with_options import check_settled

MINUTE_MS = 60_000


class Activity(StrEnum):
    """What the player on turn is doing."""

    THINKING = "thinking"
    COUNTING = "counting"
    DRAWING = "drawing"


def thinking_ms(ruleset: Ruleset) -> int:
    """The time that each player has for the game (FISC I.11: 25 minutes).

    Raises ``Refusal`` where nobody has said, and ``ValueError`` where a turn is timed, or nothing.
    """
    check_settled(ruleset)
    if ruleset.clock.minutes is None:
        raise ValueError(f"{ruleset.name} has no time for a whole game: its clock is {ruleset.clock.model}")
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


def turn_ms(ruleset: Ruleset) -> int | None:
    """The time of one turn where turns are timed (FM 2, UF 18.1, FISE 31.1: two minutes); None elsewhere."""
    return None if ruleset.clock.turn_seconds is None else ruleset.clock.turn_seconds * 1000


def lost_by_timeout(laid: bool | None, ruleset: Ruleset) -> bool:  # noqa: FBT001 # what lies on the board
    """Whether the turn is lost when its time is over and what lies is a play (True), none (False) or nothing (None).

    ``laid`` is False for tiles that are no play as they lie. Under FM 2 a play that lies then is counted, anything
    else costs the turn; under FISE 33 a play that was begun is finished, and nothing else can be. Raises
    ``ValueError`` where turns are not timed.
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
    """The time of a round; None where there is no limit (UF 17, 20: twice the clock of a player).

    A duplicate game has none: its turns have one each.
    """
    if ruleset.game.mode == "duplicate":
        return None
    if ruleset.round_time.twice_the_clock:
        return 2 * thinking_ms(ruleset)
    return None if ruleset.round_time.minutes is None else ruleset.round_time.minutes * MINUTE_MS


def absence_loses_at_ms(ruleset: Ruleset) -> int | None:
    """How long after the signal an absent player has lost; None where an arbiter decides.

    FISC I.5: when more than 15 minutes have passed, so a millisecond after them and not at their end.
    PES Γ.β: 20 minutes on a clock that started after 10. FISE 37: when the own time is over.
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
    """Whether a postponement asked ``before_ms`` before the game can be granted (PES Γ.β: two hours)."""
    hours = ruleset.lateness.postponement_hours
    return hours is not None and before_ms >= hours * 60 * MINUTE_MS
