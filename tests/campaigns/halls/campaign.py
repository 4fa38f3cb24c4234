"""Worlds of halls: each seed is played without and with faults, and both runs must end with the same result."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.campaigns.halls.plan import Faults, Plan, plan_of
from tests.campaigns.halls.world import World

_SHARED_MEMORY = Path("/dev/shm")  # no secret is stored there
MEMORY = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
"""Folder of records, if there is such a folder: no machine loses its power in these worlds."""


@dataclass(slots=True)
class Found:
    """The outcome of a world."""

    seed: int
    problems: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


async def judge_seed(seed: int) -> Found:
    """Play the world of a seed with and without faults, and compare."""
    began = time.perf_counter()
    plan = plan_of(seed)
    found = Found(seed)
    with TemporaryDirectory(dir=MEMORY) as folder:
        prepared = await _prepare_folder(plan, Path(folder) / "prepared")
        outcomes, taken = [], []
        for name in ("without", "with"):
            shutil.copytree(prepared, Path(folder) / name)
            faults = Faults(plan, on=name == "with")
            world = World(plan, Path(folder) / name, faults)
            await world.open()
            try:
                await world.play()
                outcomes.append(await world.outcome())
                taken.append(await world.slips_taken())
            except Exception as problem:  # noqa: BLE001 # told with its seed
                found.problems.append(f"{name} faults: {problem!r}")
                return found
            finally:
                await world.close()
            found.faults.update(faults.counts)
    found.problems += _differences(outcomes, taken)
    found.seconds = time.perf_counter() - began
    return found


async def _prepare_folder(plan: Plan, folder: Path) -> Path:
    """Return the folder of a world whose game has begun."""
    await asyncio.to_thread(folder.mkdir)
    world = World(plan, folder, Faults(plan, on=False))
    await world.open()
    await world.prepare()
    await world.close()
    return folder


def _differences(outcomes: list[dict], taken: list[dict]) -> Iterator[str]:  # type: ignore[type-arg] # of JSON
    quiet, faulty = outcomes
    for key, had in quiet["scores"].items():
        if faulty["scores"].get(key) != had:
            yield f"{key}: {had} without faults, {faulty['scores'].get(key)} with them"
    if quiet["lines"] != faulty["lines"]:
        yield f"the classification is {faulty['lines']}, and {quiet['lines']} without faults"
    for key, count in taken[0].items():
        if taken[1].get(key, 0) != count:
            yield f"slips of {key} were taken {taken[1].get(key, 0)} times, {count} times without faults"


def run(seed: int) -> Found:
    """Return the world of a seed in a separate loop."""
    return asyncio.run(judge_seed(seed))
