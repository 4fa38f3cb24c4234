"""Running cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from faristol.casebook.case import Case, TableCase
from faristol.casebook.document import CaseError, Errors
from faristol.casebook.duplicate_game import services as duplicates
from faristol.casebook.duplicate_game.case import DuplicateCase
from faristol.casebook.duplicate_game.expectations import of_duplicate
from faristol.casebook.duplicate_game.services import Duplicates
from faristol.casebook.duplicate_game.world import DuplicateWorld
from faristol.casebook.expectations import Compared, differences
from faristol.casebook.forms import by_name
from faristol.casebook.hosts import cell, memory
from faristol.casebook.hosts.services import Tables
from faristol.casebook.hosts.world import PROBLEMS, S, World
from faristol.casebook.table_world import TableWorld
from faristol.casebook.tournament import cell as tournament_cell
from faristol.casebook.tournament import memory as tournament_memory
from faristol.casebook.tournament.case import TournamentCase
from faristol.casebook.tournament.expectations import of_tournament
from faristol.casebook.tournament.services import Tournaments
from faristol.casebook.tournament.world import TournamentWorld
from faristol.kernel.refusal import Refusal


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


@dataclass(frozen=True, slots=True)
class Halls:
    """The services for each kind of case."""

    tables: Tables
    tournaments: Tournaments
    duplicates: Duplicates


IN_MEMORY = Halls(memory.in_memory, tournament_memory.in_memory, duplicates.in_memory)


def on_cell(nats_url: str) -> Halls:
    """Return services with a cell for every case, on a running NATS server."""
    return Halls(
        partial(cell.on_cell, nats_url),
        partial(tournament_cell.on_cell, nats_url),
        partial(duplicates.on_cell, nats_url),
    )


NOT_PLAYED = "this case cannot be played, and the cause is not known"
"""The message for an unexpected failure of a case."""


async def run_case(case: Case, halls: Halls = IN_MEMORY) -> Verdict:
    """Run a case. A step with a difference does not stop the rest.

    After an unreadable step, only other unreadable steps are reported: later differences may result from it.
    """
    problems: list[str] = []
    notes: list[str] = []
    try:
        await _play(case, halls, problems, notes)
    except CaseError as error:
        problems.append(str(error))
    except (*PROBLEMS, ValueError) as error:
        problems.append(str(case.place.wrong(_why(case, error))))
    except Exception as error:  # noqa: BLE001 # the content of a file must not end the run of the others
        problems.append(str(case.place.wrong(f"{NOT_PLAYED}: {type(error).__name__}: {error}")))
    return Verdict(case, tuple(problems), tuple(notes))


def _why(case: Case, error: Exception, called: Callable[[str], str] = str) -> str:
    """Return the reason that a case ends before its last step."""
    if isinstance(error, Refusal):
        what = {TableCase: "table", DuplicateCase: "duplicate game"}.get(type(case), "tournament")
        return f"no {what} can stand like this: {by_name(error, called)}"
    return f"the services cannot go on: {by_name(error, called)}"


async def _play(case: Case, halls: Halls, problems: list[str], notes: list[str]) -> None:
    match case:
        case TableCase():
            table = TableWorld(case)
            table.notes = notes
            async with halls.tables(case, table.now) as at_table:
                await _take_steps(table, at_table, case, table.differences, problems)
        case TournamentCase():
            tournament = TournamentWorld(case)
            async with halls.tournaments(case, tournament.now) as in_hall:
                await _take_steps(tournament, in_hall, case, partial(of_tournament, tournament), problems)
        case DuplicateCase():
            duplicate = DuplicateWorld(case)
            async with halls.duplicates(case, duplicate.now) as in_halls:
                await _take_steps(duplicate, in_halls, case, partial(of_duplicate, duplicate), problems)
        case _:
            raise TypeError(f"{type(case).__name__} is not a case that can be played")


async def _take_steps(world: World[S], services: S, case: Case, compared: Compared, problems: list[str]) -> None:
    """Execute the steps of a case in order. ``problems`` collects differences and unreadable steps."""
    unread = Errors()
    try:
        await world.open(services)
        for step in case.steps:
            follows = bool(unread)
            with unread.gather():
                done = await world.do(step)
                found = await differences(compared, done, step, unread)
                problems += () if follows else found
    except CaseError as error:
        unread.add(error)
    except (*PROBLEMS, ValueError) as error:
        if not unread:
            problems.append(str(case.place.wrong(_why(case, error, world.name_of))))
    problems += map(str, unread.found)
