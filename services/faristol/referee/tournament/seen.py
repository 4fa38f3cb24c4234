"""What expectations of a tournament look at, and how they say what they saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from faristol.pb.pairing.v1 import pairing_pb2
from faristol.referee.document import Value
from faristol.referee.table_state import NOBODY

if TYPE_CHECKING:
    from faristol.referee.tournament.world import World


async def last_round(world: World) -> pairing_pb2.Round:
    """The last round paired; an empty one before."""
    played = (await world.services.tournament()).played
    return played[-1] if played else pairing_pb2.Round()


def text_of(world: World, players: Iterable[str]) -> str:
    """Players who meet, or teams, as a case writes them."""
    return " – ".join(map(world.names.name, players))


def all_of(world: World, tables: Iterable[Iterable[str]]) -> str:
    """Who meets, table by table."""
    return ", ".join(text_of(world, players) for players in tables) or "none"


def shown(values: Mapping[str, object]) -> str:
    """Values by name."""
    return ", ".join(f"{name} {value}" for name, value in values.items()) or NOBODY


def number_of(value: Value) -> float:
    """A number in quarters: ``8.5``, ``−0.25``."""
    try:
        return float(value.text().replace("−", "-"))
    except ValueError:
        raise value.wrong(f"expected a number such as 8.5, got {value.text()!r}") from None
