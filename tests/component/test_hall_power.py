"""The machine of a hall loses its power: what it had acknowledged is there, and unsynced bytes are not missed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.campaigns.hall_cells.machine import Machine, build_library
from tests.component.test_hall_cell import play_with_challenge, scene, until, words

__all__ = ["words"]


@pytest.mark.nightly
async def test_a_hall_that_loses_its_power_starts_again_with_each_event_that_it_acknowledged(
    tmp_path: Path, words: Path
) -> None:
    library = await asyncio.to_thread(build_library, tmp_path)
    if library is None:
        pytest.skip("the bytes of a disk cannot be observed without a C compiler")
    machines = {name: Machine(library, tmp_path / name, tmp_path / f"{name}-disk") for name in ("championship", "hall")}
    variables = {name: machine.variables for name, machine in machines.items()}
    async with scene(tmp_path, words, tls=True, variables=variables) as at:
        first, second = at.games
        await at.line.cut()
        await play_with_challenge(replace(at.desk, api=at.hall.api), first)
        acknowledged = await at.hall.streams()
        for name, site in (("hall", at.hall), ("championship", at.championship)):
            await asyncio.to_thread(machines[name].lose_power, site.child.process.pid)
            site.child.kill()
            await site.start_again()
        assert await at.hall.streams() == acknowledged
        at.line.mend()
        await replace(at.desk, api=at.hall.api)._game(second, [])
        await until(at.are_final, "the results arrive")
        await at.check_equal()
