"""Delays of officials' commands: only those of the attacked platform without its twin are errors."""

from __future__ import annotations

import random

import pytest
from tests.campaigns.strangers.outcome import Pair, find_delays, measure_commands

COMMAND_COUNT = 400


def commands(*, busy: float = 1.0, stall_ms: float = 0.0, stalls: float = 0.0, slower: float = 1.0) -> list[Pair]:
    """Return times of commands on a machine that is busy for both platforms, one of which is also under attack."""
    dice = random.Random(7)

    def took() -> float:
        return busy * (5 + dice.expovariate(1 / 3) + (dice.random() < 0.05) * dice.expovariate(1 / 20))

    return [Pair(slower * took() + (dice.random() < stalls) * stall_ms, took()) for _ in range(COMMAND_COUNT)]


@pytest.mark.parametrize("busy", [1.0, 3.0, 10.0, 40.0])
def test_a_busy_machine_is_not_a_fault(busy: float) -> None:
    assert not [*find_delays("idle", measure_commands(commands(busy=busy)))]


@pytest.mark.parametrize("busy", [1.0, 3.0, 10.0])
def test_a_platform_that_answers_slowly_is_found_on_any_machine(busy: float) -> None:
    found = [*find_delays("idle", measure_commands(commands(busy=busy, slower=5)))]
    assert any("p50_ms" in line for line in found)


@pytest.mark.parametrize("busy", [1.0, 3.0])
def test_stalls_of_a_few_commands_are_found(busy: float) -> None:
    found = [*find_delays("idle", measure_commands(commands(busy=busy, stalls=0.03, stall_ms=1_000)))]
    assert any("p99_ms" in line for line in found)


def test_too_few_commands_prove_nothing() -> None:
    assert "12 commands are too few" in "".join(find_delays("idle", measure_commands(commands()[:12])))
