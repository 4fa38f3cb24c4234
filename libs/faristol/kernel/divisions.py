"""Divisions of a championship, each a separate tournament, in any message or row of a tournament. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from faristol.kernel.names import same_name


class _Division(Protocol):
    """A division in the list of a championship: a message, or a row."""

    @property
    def name(self) -> str: ...

    @property
    def tournament_id(self) -> str: ...


D = TypeVar("D", bound=_Division)


def format_title(tournament: Any) -> str:
    """Return the name of a tournament with that of its division."""
    return ", ".join(filter(None, (tournament.name, tournament.division)))


def first_division_of(tournament: Any) -> str:
    """Return the id of the first division of the championship of a tournament; its own id without divisions."""
    return str(tournament.division_of or tournament.tournament_id)


def list_other_divisions(divisions: Iterable[D], tournament_id: str) -> list[D]:
    """Return the divisions of a championship except one."""
    return [division for division in divisions if division.tournament_id != tournament_id]


def find_division(divisions: Iterable[D], name: str) -> D | None:
    """Return the division that readers take for the one of a name; None for an unknown one."""
    return next((division for division in divisions if same_name(division.name, name)), None)
