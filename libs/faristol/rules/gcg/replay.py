"""Replaying a file: what every line is worth by the rules, beside what the file says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from faristol.kernel.refusal import Refusal
from faristol.rules.board import Board
from faristol.rules.conditions import EndCondition
from faristol.rules.gcg.game import Event, GcgGame, RackPenalty
from faristol.rules.gcg.problem import Problem, Wrong
from faristol.rules.gcg.table import Table
from faristol.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Step:
    """One event, replayed. ``event`` is what the file says, the rest is what the rules say."""

    event: Event
    score: int
    """Points that the line is worth."""
    total: int
    """The player's points after it, added up here."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A file, replayed up to its end or to the first line that cannot stand."""

    game: GcgGame
    ruleset: Ruleset
    steps: tuple[Step, ...]
    totals: Mapping[str, int]
    """Points by nickname."""
    board: Board
    end: EndCondition | None
    """What ended the game; None when it is not over."""
    problems: tuple[Problem, ...]
    """All that is wrong, in the order of the lines; empty for a file that is right."""


def replay(game: GcgGame, ruleset: Ruleset) -> Replay:
    """Replay ``game`` under ``ruleset``, compare every score and total, and go on after an error of arithmetic.

    A line that the rules do not allow to stand there ends the replay. How failed challenges are paid is taken from the
    file, for files do not name the variant; so is overtime, and which of two ways the tiles left are written.
    """
    first, second = game.players
    table = Table((first.nick, second.nick), ruleset, twice=_twice(game, ruleset))
    written = dict.fromkeys(table.nicks, 0)
    steps: list[Step] = []
    problems: list[Problem] = []
    for event in game.events:
        try:
            score = table.take(event)
        except Wrong as wrong:
            problems.append(wrong.at(event.line))
            break
        except Refusal as refusal:
            problems.append(Problem(event.line, refusal.reason, str(refusal), article=refusal.article))
            break
        total = table.totals[event.nick]
        problems += _compare(event, score, total, written[event.nick] + event.score)
        written[event.nick] = event.total
        steps.append(Step(event, score, total))
    else:
        problems += _at_end(game, table)
    totals = MappingProxyType(dict(table.totals))
    return Replay(game, ruleset, tuple(steps), totals, table.board, table.end, tuple(problems))


def _compare(event: Event, score: int, total: int, carried: int) -> Iterator[Problem]:
    """What the file says otherwise. ``carried`` is the total that follows from its own lines before this one.

    A total that is only the consequence of an error told before is not told again.
    """
    if event.score != score:
        yield Problem(event.line, "SCORE", f"the score is written as {event.score:+}", f"{score:+}")
    if event.total not in (total, carried):
        yield Problem(event.line, "TOTAL", f"the total of {event.nick} is written as {event.total}", f"{total}")


def _twice(game: GcgGame, ruleset: Ruleset) -> bool:
    """Whether who goes out gets the other's rack twice. Where the rules have it so, a file may still take it off."""
    return ruleset.end.out_bonus == "twice-opponents-racks" and not any(
        isinstance(event, RackPenalty) for event in game.events
    )


def _at_end(game: GcgGame, table: Table) -> list[Problem]:
    """What the last line leaves open."""
    found = []
    if (missing := table.missing()) and not game.incomplete:
        last = game.events[-1].line
        message = f"the game is over ({table.end}) and the tiles left are not counted"
        found.append(Problem(last, "RACKS_MISSING", message, f"after it {missing}"))
    racks: dict[str, str] = {}
    for player in game.players:
        pragma = game.pragma(f"rack{player.number}")
        if pragma is not None and pragma.text:
            racks[player.nick] = pragma.text
            try:
                table.check_racks(racks)
            except Wrong as wrong:
                found.append(wrong.at(pragma.line))
                break
    return found
