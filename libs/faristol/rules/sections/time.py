"""Clocks, rounds, and players who are not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Neutraliser = Literal["challenge", "count-dispute", "arbiter-call", "force-majeure", "overdraw", "correction"]
"""Why both clocks stand: a play is judged; the count is disputed; an arbiter is called; something nobody could help;
tiles drawn too many go back; what was written wrong is put right."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a table."""

    model: Literal["chess", "per-turn", "none"]
    """Time for the whole game of each player; time for each turn; or no clock."""
    minutes: int | None
    """Thinking time of each player for the whole game; None without a chess clock, or while the organiser has not
    said."""
    turn_seconds: int | None
    """Time for one turn; None without a timer."""
    runs_while_counting: bool
    runs_while_drawing: bool
    stopped_by_mover: bool
    """The mover stops the own clock after laying the tiles."""
    verification_pause_seconds: int | None
    """Checking a count for longer than this may stop a running clock."""
    neutralised_by: tuple[Neutraliser, ...]
    """What stops both clocks. Nothing else does."""
    resumed_on: Literal["ruled", "written"]
    """When the time goes on after a challenge of a play that stands: with the ruling, or once its score is written."""
    overtime_points: int
    """Points lost for each minute over, or part of one."""
    overtime_cap_minutes: int | None
    """Going over this many minutes of overtime ends the game; None for no cap."""
    turn_timeout: Literal["stands-or-lost", "begun-or-lost", "turn-lost", "none"]
    """When the time of a turn is over: what lies is counted if it is a play, otherwise the turn is lost; a play that
    was begun is finished, without one the turn is lost; the turn is lost whatever lies; or there is no such time."""
    last_play_stops_on: Literal["placed", "written"]
    """When the last play of a game stops the clock for good: as its tiles are laid, or with its score written."""
    reminders: Literal["forbidden", "players-and-arbiter", "allowed"]
    """Who may say that a clock was forgotten."""
    forgotten_heard: bool
    """Whether an arbiter hears the claim that somebody forgot to press, stop or start a clock."""


@dataclass(frozen=True, slots=True)
class RoundTime:
    """What happens when the time of the round is over."""

    rule: Literal["hand-and-one-more", "equal-turns", "scores-stand", "none"]
    """The hand begun and one more are played; whoever had fewer turns has one more; scores stand at once; or the
    book knows no such time."""
    minutes: int | None
    """Length of a round; None where there is no limit, or the organiser has not said, or ``twice_the_clock``."""
    twice_the_clock: bool
    """The round lasts twice the ``clock.minutes`` of a player."""
    last_turn_seconds: int | None
    """The most that each turn after the end may take."""
    runs_while_challenged: bool
    """The time of the round goes on while the clocks of the players stand."""
    out_counts: bool
    """A player who goes out in those last turns ends the game as at any other time."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """A player who is not there when the round begins."""

    clock_starts_after_minutes: int | None
    """The clock of the absent player is started so long after what ``counted_from`` says; None where it is not."""
    clock_starts_on: Literal["signal", "press"]
    """From when that time counts: from the moment itself, however late somebody notes it; or not before an arbiter, who
    was told, presses the clock."""
    counted_from: Literal["start", "draw"]
    """What those minutes count from: the start of the round, or the draw of its pairings. No clock runs before the
    start."""
    long_break_minutes: int | None
    """A break between draw and start that is so long, or longer, lets the minutes count from the start; None where they
    do anyway."""
    loses_after_minutes: int | None
    """Who is still absent then loses; None for no such limit."""
    loses_counted: Literal["from-signal", "on-clock"]
    """Whether that time is counted from the signal or as shown on the absent player's clock."""
    loses_at_limit: bool
    """Whether the limit itself loses already, or only going over it."""
    loses_with: Literal["limit", "own-time-or-round", "arbiter"]
    """By the limit above; when the own time, or the other games of the round, are over; or as an arbiter decides."""
    both: Literal["both-clocks-run", "arbiter"]
    """Both absent: both clocks run and the first to come has what is left; or an arbiter decides."""
    postponement_hours: int | None
    """How long before a game its postponement must be agreed; None where the book knows none."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A player who leaves the table during a game."""

    told: Literal["arbiter", "opponent", "nobody"]
    """Who must be told before."""
    untold: Literal["disqualified", "game-lost", "none"]
    """What leaving without telling costs."""
    first: Literal["complete-undrawn", "place-undrawn", "none"]
    """What is done before leaving: the play is completed and the clock pressed, and no tile is drawn; or a play is
    laid and no tile is drawn."""
    tiles_min: int
    """Tiles that the play before leaving must lay."""
    opponent_may_draw: bool
    """Whether the opponent may draw while the other is away."""
    played_meanwhile: Literal["questioned-on-return", "stands"]
    """A play that the opponent completed while the player was away: who comes back may question it before writing its
    score, drawing, or beginning the next turn; or it is accepted as any other that was completed."""
    loses_with: Literal["own-time-or-round", "arbiter"]
