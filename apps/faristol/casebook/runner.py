"""Running cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from faristol.casebook.case import Case, DuplicateCase, TableCase, TournamentCase
from faristol.casebook.document import CaseError, Errors
from faristol.casebook.duplicate_game.actions import DUPLICATE_KIND
from faristol.casebook.expectations import differences
from faristol.casebook.forms import by_name
from faristol.casebook.hosts import cell
from faristol.casebook.hosts.memory import in_memory
from faristol.casebook.hosts.services import Host, Services
from faristol.casebook.table.actions import TABLE_KIND
from faristol.casebook.tournament.actions import TOURNAMENT_KIND
from faristol.casebook.world import PROBLEMS, Kind, World
from faristol.kernel.refusal import Refusal

KINDS: Mapping[type[Case], tuple[str, Kind]] = {
    TableCase: ("table", TABLE_KIND),
    TournamentCase: ("tournament", TOURNAMENT_KIND),
    DuplicateCase: ("duplicate game", DUPLICATE_KIND),
}
"""The noun and the kind of each case."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a case."""

    case: Case
    problems: tuple[str, ...]
    """All differences from the case, each with file and line; empty if it passed."""
    notes: tuple[str, ...] = ()
    """Tiles of the position that the case does not mention, with file and line."""

    @property
    def passed(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


def on_cell(nats_url: str) -> Host:
    """Return a host that runs a cell for every case, on a running NATS server."""
    return partial(cell.on_cell, nats_url)


NOT_PLAYED = "this case cannot be played, and the cause is not known"
"""The message for an unexpected failure of a case."""


async def run_case(case: Case, host: Host = in_memory) -> Verdict:
    """Run a case. A step with a difference does not stop the rest.

    After an unreadable step, only other unreadable steps are reported: later differences may result from it.
    """
    problems: list[str] = []
    world = world_of(case)
    try:
        async with host(case, world.now) as services:
            await _take_steps(world, services, problems)
    except CaseError as error:
        problems.append(str(error))
    except (*PROBLEMS, ValueError) as error:
        problems.append(str(case.place.wrong(_why(case, error))))
    except Exception as error:  # noqa: BLE001 # the content of a file must not end the run of the others
        problems.append(str(case.place.wrong(f"{NOT_PLAYED}: {type(error).__name__}: {error}")))
    return Verdict(case, tuple(problems), tuple(world.notes))


def world_of(case: Case) -> World:
    """Return the world of a case, which is not open yet."""
    return World(case, KINDS[type(case)][1])


def _why(case: Case, error: Exception, called: Callable[[str], str] = str) -> str:
    """Return the reason that a case ends before its last step."""
    if isinstance(error, Refusal):
        return f"no {KINDS[type(case)][0]} can stand like this: {by_name(error, called)}"
    return f"the services cannot go on: {by_name(error, called)}"


async def _take_steps(world: World, services: Services, problems: list[str]) -> None:
    """Execute the steps of a case in order. ``problems`` collects differences and unreadable steps."""
    case, unread = world.case, Errors()
    try:
        await world.open(services)
        for step in case.steps:
            follows = bool(unread)
            with unread.gather():
                done = await world.do(step)
                found = await differences(world, done, step, unread)
                problems += () if follows else found
    except CaseError as error:
        unread.add(error)
    except (*PROBLEMS, ValueError) as error:
        if not unread:
            problems.append(str(case.place.wrong(_why(case, error, world.name_of))))
    problems += map(str, unread.found)
