"""Simulated worlds: a few of them are clean, the same seed gives the same world, and a defect is found."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.campaigns.simulation.campaign import seeds_of
from tests.campaigns.simulation.run import install_lexicon, run
from tests.campaigns.simulation.world import World

from faristol.event_store import Record


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the lexicon of the simulated championships."""
    return install_lexicon(tmp_path_factory.mktemp("lexicons"))


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 6))])
def test_nothing_breaks_in_a_world(seed: int, words: Path) -> None:
    outcome = run(seed, words)
    assert not outcome.problems
    assert outcome.events > 50, "a championship was played"


@pytest.mark.nightly
def test_a_seed_is_the_same_world_in_every_process(words: Path) -> None:
    program = (
        "import sys, pathlib; from tests.campaigns.simulation.run import run; "
        "print(run(3, pathlib.Path(sys.argv[1])).digest)"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, str(words)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {run(3, words).digest}
    assert run(4, words).digest not in digests


def test_no_service_holds_the_clock_of_the_machine_by_name() -> None:
    """A world replaces ``time.monotonic``: a module that imported the function itself would not see it."""
    held = [name for name, module in sys.modules.items() if vars(module).get("monotonic") is time.monotonic]
    assert not [name for name in held if name.startswith("faristol.")]


def test_a_command_that_is_refused_because_it_was_carried_out_is_found(
    words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def forget_answer(self: Record, command_id: str) -> None:
        """Do not search for the lost answer."""

    monkeypatch.setattr(Record, "find_answer", forget_answer)
    often_lost = sorted(range(200), key=lambda seed: World(seed).faults.answer_lost, reverse=True)[:8]
    assert any(run(seed, words).problems for seed in often_lost)


def test_seeds_are_named_one_by_one_and_in_ranges() -> None:
    assert seeds_of("7") == [7]
    assert seeds_of("3,5,10-12") == [3, 5, 10, 11, 12]


@pytest.mark.parametrize("text", ["", "x", "5-3", "1,", "-4"])
def test_seeds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(Exception, match="names no seeds"):
        seeds_of(text)
