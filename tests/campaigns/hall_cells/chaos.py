"""The faults of a campaign of hall cells: of the line, of both processes, and of their machines."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.campaigns.hall_cells.machine import Machine
from tests.component.test_hall_cell import Scene, Site

_log = logging.getLogger(__name__)

MAX_PAUSE_SECONDS = 3.0
"""Longest pause between two faults."""
MAX_OUTAGE_SECONDS = 4.0
"""Longest time for which the line stays cut, silent or bent."""
FLAP_SECONDS = 5.0
"""Seconds from one cut to the next one of a line that flaps."""
FLAPS_COUNT = 3
"""Cuts of one fault."""

WEIGHTS: Mapping[str, int] = {
    "cut": 4,
    "flapping": 2,
    "silent": 2,
    "bent": 2,
    "doubled": 1,
    "swapped": 1,
    "delayed": 1,
    "repeated": 2,
    "late": 2,
    "hall killed": 2,
    "championship killed": 1,
}
"""How often each fault occurs."""
POWER_WEIGHTS: Mapping[str, int] = {"hall without power": 2, "championship without power": 1}
"""How often each of these occurs on machines whose disks are observed."""

OF_THE_LINE: Mapping[str, Mapping[str, Any]] = {
    "silent": {"is_silent": True},
    "bent": {"bent_share": 0.05},
    "doubled": {"doubled_share": 0.1},
    "swapped": {"swapped_share": 0.1},
    "delayed": {"delay_seconds": 0.05},
    "repeated": {"is_deaf": True},
    "late": {"is_late": True},
}
"""Attributes of the line during each of its faults."""


class Chaos:
    """Causes faults, one after the other."""

    def __init__(self, at: Scene, chance: random.Random, faults: Counter[str], machines: Mapping[str, Machine]) -> None:
        """``machines`` are those of ``championship`` and ``hall``, without which no power is lost."""
        self.unsynced = 0
        """Number of files that have lost bytes."""
        self._at = at
        self._chance = chance
        self._faults = faults
        self._machines = machines

    def note(self, kind: str) -> None:
        """Count a fault."""
        self._faults[kind] += 1
        _log.info("%d: %s", self._faults.total(), kind)

    async def pause(self) -> None:
        """Let a time without faults pass."""
        await asyncio.sleep(self._chance.random() * MAX_PAUSE_SECONDS)

    def choose(self) -> str:
        """Return the next fault."""
        weights = {**WEIGHTS, **(POWER_WEIGHTS if self._machines else {})}
        return self._chance.choices([*weights], [*weights.values()])[0]

    async def cause(self, kind: str) -> None:
        """Cause a fault, and mend it."""
        self.note(kind)
        name, _, end = kind.partition(" ")
        if end:
            await self._end_process(name, has_power=end == "killed")
        elif kind == "flapping":
            for _ in range(FLAPS_COUNT):
                await self.flap()
        else:
            line = self._at.line
            if kind == "cut":
                await line.cut()
            for attribute, value in OF_THE_LINE.get(kind, {}).items():
                setattr(line, attribute, value)
            await asyncio.sleep(self._chance.random() * MAX_OUTAGE_SECONDS)
            line.mend()

    async def flap(self) -> None:
        """Cut the line for half the time of a cycle."""
        await self._at.line.cut()
        await asyncio.sleep(FLAP_SECONDS / 2)
        self._at.line.mend()
        await asyncio.sleep(FLAP_SECONDS / 2)

    async def _end_process(self, name: str, *, has_power: bool) -> None:
        """Kill a process, and start it again on the bytes of its disk."""
        site: Site = getattr(self._at, name)
        if not has_power:
            self.unsynced += await asyncio.to_thread(self._machines[name].lose_power, site.child.process.pid)
        site.child.kill()
        await site.start_again()


async def run_faults(chaos: Chaos, faults: int) -> None:
    """Cause so many faults."""
    for _ in range(faults):
        await chaos.pause()
        await chaos.cause(chaos.choose())


async def run_flapping(chaos: Chaos, seconds: int) -> None:
    """Cut the line every ``FLAP_SECONDS`` for so many seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await chaos.flap()
        chaos.note("flap")
