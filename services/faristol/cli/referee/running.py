"""Running cases."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.cli.referee.case import Case
from faristol.cli.referee.document import CaseError
from faristol.cli.referee.expectations import differences
from faristol.cli.referee.memory import in_memory
from faristol.cli.referee.services import Tables
from faristol.cli.referee.world import World
from faristol.rules import Refusal


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a case."""

    case: Case
    problems: tuple[str, ...]
    """Everything that is not as the case says, each with file and line; empty when all is."""

    @property
    def passed(self) -> bool:
        """All is as the case says."""
        return not self.problems


async def run_case(case: Case, tables: Tables = in_memory) -> Verdict:
    """Play a case through. A step that comes out otherwise does not keep the rest from being tried."""
    problems: list[str] = []
    world = World(case)
    try:
        async with tables(case, world.now) as services:
            await world.open(services)
            for step in case.steps:
                done = await world.do(step)
                problems += [problem async for problem in differences(world, done, step)]
    except CaseError as error:
        problems.append(str(error))
    except Refusal as refusal:
        problems.append(str(case.place.wrong(f"no table can stand like this: {refusal}")))
    except ValueError as error:
        problems.append(str(case.place.wrong(f"the services cannot go on: {error}")))
    return Verdict(case, tuple(problems))
