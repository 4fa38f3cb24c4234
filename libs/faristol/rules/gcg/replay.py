"""Replay of a file: the points of every line by the rules, compared with the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from faristol.kernel.refusal import Refusal
from faristol.rules.board import Board
from faristol.rules.conditions import EndCondition
from faristol.rules.gcg.game import Event, GcgGame, RackPenalty
from faristol.rules.gcg.problem import GcgProblem, Wrong
from faristol.rules.gcg.table import GcgTable
from faristol.rules.ruleset.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Step:
    """One replayed event. ``event`` is from the file, the rest is computed by the rules."""

    event: Event
    score: int
    """Points of the line."""
    total: int
    """The player's computed total after it."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A file, replayed up to its end or to the first illegal line."""

    game: GcgGame
    ruleset: Ruleset
    steps: tuple[Step, ...]
    totals: Mapping[str, int]
    """Points by nickname."""
    board: Board
    end: EndCondition | None
    """The end condition of the game; None if it is not over."""
    problems: tuple[GcgProblem, ...]
    """All errors, in the order of the lines."""


def replay(game: GcgGame, ruleset: Ruleset) -> Replay:
    """Replay ``game`` under ``ruleset``, compare every score and total, and continue after an error of arithmetic.

    An illegal line ends the replay. The points of failed challenges are taken from the file, as files do not name the
    variant. So are overtime, and the way in which the tiles left are counted.
    """
    first, second = game.players
    table = GcgTable((first.nick, second.nick), ruleset, twice=_twice(game, ruleset))
    written = dict.fromkeys(table.nicks, 0)
    steps: list[Step] = []
    problems: list[GcgProblem] = []
    for event in game.events:
        try:
            score = table.take(event)
        except Wrong as wrong:
            problems.append(wrong.at(event.line))
            break
        except Refusal as refusal:
            problems.append(GcgProblem(event.line, refusal.reason, str(refusal), article=refusal.article))
            break
        total = table.totals[event.nick]
        problems += _compare(event, score, total, written[event.nick] + event.score)
        written[event.nick] = event.total
        steps.append(Step(event, score, total))
    else:
        problems += _at_end(game, table)
    totals = MappingProxyType(dict(table.totals))
    return Replay(game, ruleset, tuple(steps), totals, table.board, table.end, tuple(problems))


def _compare(event: Event, score: int, total: int, carried: int) -> Iterator[GcgProblem]:
    """Yield differences from the file. ``carried`` is the total by the file's own earlier lines.

    A total that is wrong only as a consequence of a reported error is not reported again.
    """
    if event.score != score:
        yield GcgProblem(event.line, "SCORE", f"the score is written as {event.score:+}", f"{score:+}")
    if event.total not in (total, carried):
        yield GcgProblem(event.line, "TOTAL", f"the total of {event.nick} is written as {event.total}", f"{total}")


def _twice(game: GcgGame, ruleset: Ruleset) -> bool:
    """Check whether the player who goes out gets the opponent's rack twice. The file may deduct it nevertheless."""
    return ruleset.end.out_bonus == "twice-opponents-racks" and not any(
        isinstance(event, RackPenalty) for event in game.events
    )


def _at_end(game: GcgGame, table: GcgTable) -> list[GcgProblem]:
    """Return the problems that remain after the last line."""
    found = []
    if (missing := table.missing()) and not game.incomplete:
        last = game.events[-1].line
        message = f"the game is over ({table.end}) and the tiles left are not counted"
        found.append(GcgProblem(last, "RACKS_MISSING", message, f"after it {missing}"))
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
