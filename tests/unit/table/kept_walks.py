"""Tables at which anything is done, and what came of it: kept in ``kept_walks.json``, renewed by `make golden`.

A table comes to the same facts and the same refusals when it is decided again. Where a decision is changed on purpose,
what is kept is renewed, and the first step that differs is what the test tells.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from tests.unit.table.hall import Hall
from tests.unit.table.hall import rules as rules_of
from tests.unit.table.test_any_command import TABLES, Somebody

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.rules import Ruleset
from faristol.table.deadlines import next_deadline
from faristol.table.decide import CLOCK, GAME
from faristol.table.game.state import Game, Phase
from faristol.table.offers import offers

FILE = Path(__file__).with_name("kept_walks.json")
SEEDS = range(4)
STEPS = 45
PROBED = 3
"""Commands that are tried after each step, of which nothing comes."""
KINDS = [*GAME, *CLOCK]


class Anybody(Somebody):
    """Does what is offered, what fits and what does not, at the game and at its clock."""

    def offered(self) -> list[str]:
        """Everything that somebody or an arbiter may do now."""
        hall = self.hall
        hall.settle()
        found = offers(hall.table, hall.at + 10**9, "eleni")
        if found and hall.game.phase is not Phase.FINAL:
            chosen = self.chance.choice(found).example
            self._tried(lambda: hall.do(chosen, self.chance.choice([0.5, 20, 130])))
        return [f"{offer.command} {offer.who} {offer.choices} {offer.article}" for offer in found]

    def probed(self) -> str:
        """What would come of a command, whoever gives it and whatever it says."""
        kind = self.chance.choice(KINDS)
        request: Any = kind()
        for field in request.DESCRIPTOR.fields:
            if self.chance.random() < 0.9:
                self._fill(self.hall.game, request, field.name)
        at = self.chance.choice([0, 1, 200])
        return f"{kind.DESCRIPTOR.name}: {self._tried(lambda: self.hall.decided(request, at))}"

    def _tried(self, act: Any) -> str:
        try:
            return " ".join(f"{_name(fact)} {_summed(fact)}" for fact in act())
        except Refusal as refused:
            return f"{refused.reason} {refused.article} {sorted(refused.params.items())}"
        except Invalid as invalid:
            return f"{invalid.field}: {invalid}"

    def _fill(self, game: Game, request: Any, name: str) -> None:
        field = request.DESCRIPTOR.fields_by_name[name]
        if name == "arbiter_id":
            request.arbiter_id = self.chance.choice(["eleni", "eleni", "anna", ""])
        elif field.type == FieldDescriptor.TYPE_ENUM and name != "kind":
            setattr(request, name, self.chance.choice([value.number for value in field.enum_type.values]))
        elif name == "used_ms":
            request.used_ms = self.chance.choice([-1, 0, 1, 60_000, 1_500_000, 10**9])
        elif name != "occurred_at":
            super()._fill(game, request, name)


def _name(fact: Message) -> str:
    return fact.DESCRIPTOR.name


def _summed(fact: Message) -> str:
    return hashlib.sha256(fact.SerializeToString(deterministic=True)).hexdigest()[:8]


def walked(ruleset: Ruleset, players: int, seed: int) -> Iterator[str]:
    """Step by step: the facts that came of it, what would come of something else, and what may be done then."""
    chance = Random(f"{ruleset.name} {players} {seed}")
    hall = Hall(ruleset, players, recorded=seed % 3 == 2)
    somebody = Anybody(hall, chance, arbiters=0.1)
    facts = ticks = told = 0
    for step in range(STEPS):
        offered: list[str] = []
        if step % 5 == 4:
            offered = somebody.offered()
        else:
            somebody.act()
        deadline = next_deadline(hall.clock, hall.game, ruleset)
        parts = [
            *(f"{_name(fact)} {_summed(fact)}" for fact in (*hall.facts[facts:], *hall.ticks[ticks:])),
            *somebody.told[told:],
            *offered,
            f"{deadline.due if deadline else None} {[_name(fact) for fact in deadline.facts] if deadline else ''}",
            *(somebody.probed() for _ in range(PROBED)),
        ]
        facts, ticks, told = len(hall.facts), len(hall.ticks), len(somebody.told)
        yield "\n".join(parts)


def sums(name: str, players: int, seed: int) -> str:
    """Four letters for each step of a walk."""
    steps = walked(rules_of(name), players, seed)
    return " ".join(hashlib.sha256(step.encode()).hexdigest()[:4] for step in steps)


def renewed() -> dict[str, str]:
    """What every walk comes to now."""
    return {f"{name} {players} {seed}": sums(name, players, seed) for name, players in TABLES for seed in SEEDS}


def main() -> int:
    """Keep what every walk comes to now."""
    FILE.write_text(json.dumps(renewed(), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
