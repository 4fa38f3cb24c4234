"""Plans of demonstrations by the options of the command line; an omitted option has its default."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.demo.plan import Plan

DEMO_HALLS_COUNT, DEMO_TURNS_COUNT = 4, 4
"""Halls and turns of a demonstration of duplicate games."""

DEMO_ROUNDS, DUPLICATE_DEMO_ROUNDS = 5, 1
"""Rounds at tables, and duplicate games."""

TABLES_RULESET, DUPLICATE_RULESET = "fisc-2023", "fisc-2023-duplicate"


@dataclass(frozen=True)
class DemoOptions:
    """Options of a demonstration; None if omitted."""

    players: int
    seed: int
    rounds: int | None = None
    halls: int | None = None
    turns: int | None = None
    ruleset: str | None = None
    chosen: tuple[tuple[str, str], ...] = ()
    """Options of the rules, by name."""


def plan_tables(given: DemoOptions, *, pace: float = 0.0) -> Plan:
    """Plan rounds at tables."""
    ruleset = given.ruleset or TABLES_RULESET
    return Plan(given.players, given.rounds or DEMO_ROUNDS, given.seed, ruleset, given.chosen, pace)


def plan_duplicate(given: DemoOptions, *, pace: float = 0.0) -> DuplicatePlan:
    """Plan duplicate games. The option ``turns`` of the rules is the number of turns, and is set to it."""
    turns, chosen = DEMO_TURNS_COUNT if given.turns is None else given.turns, given.chosen
    announced = dict(chosen).get("turns", "")
    if announced.isdecimal():
        turns = int(announced)
    elif turns:
        chosen = (*chosen, ("turns", str(turns)))
    return DuplicatePlan(
        given.players,
        given.rounds or DUPLICATE_DEMO_ROUNDS,
        given.seed,
        given.ruleset or DUPLICATE_RULESET,
        chosen,
        pace,
        halls=DEMO_HALLS_COUNT if given.halls is None else given.halls,
        turns=turns,
    )
