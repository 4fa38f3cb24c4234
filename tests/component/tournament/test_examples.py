"""The program of examples/ that directs a tournament does so, against the pairing service."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.support.pairing_service import PairingService

PROGRAM = Path(__file__).parents[3] / "examples" / "championship.py"


async def run(service: PairingService) -> tuple[int | None, str, str]:
    """Run the program to its end; return its exit code, output and errors."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROGRAM),
        service.runtime.channels.own_address,
        "copa",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        said, errors = await process.communicate()
    return process.returncode, said.decode(), errors.decode()


async def test_a_round_is_paired_and_its_results_are_entered_and_a_second_run_is_refused(
    service: PairingService,
) -> None:
    assert await run(service) == (0, "1: ada 400, dolors 350\n2: berta 400, emili 350\n3: carles 400, fina 350\n", "")
    assert await run(service) == (1, "", "there is a tournament 'copa' already\n")
