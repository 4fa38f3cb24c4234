"""The direct way to write a group: in one go, on the word of what this process knows of the record's end.

Positions only grow, so where the counter stands at the position that is known here, nobody else has appended
since, and every version and hash that is known here holds. The counter row is then taken, checked and moved by the
very statement that writes the events, and nobody waits while this process thinks.
"""

from __future__ import annotations

from typing import Protocol

from faristol.record.group import Group


class Direct(Protocol):
    """One per kind of database."""

    async def write(self, group: Group) -> bool:
        """Write the whole group durably, or nothing: False when the group rests on something that is not so.

        Raises ``OperationalError`` when the database fails; whether the group was written is then unknown.
        """

    async def close(self) -> None:
        """Give back what is held."""
