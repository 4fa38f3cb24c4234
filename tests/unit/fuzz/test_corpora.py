"""Every committed input of the fuzzing, also without the fuzzer."""

from __future__ import annotations

import pytest
from tests.fuzz.__main__ import SEEDS
from tests.fuzz.targets import TARGETS


def test_every_target_has_inputs_and_all_inputs_have_a_target() -> None:
    assert {folder.name for folder in SEEDS.iterdir()} == TARGETS.keys()
    assert all(any(folder.iterdir()) for folder in SEEDS.iterdir())


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_reads_or_refuses_each_input_that_was_found(name: str) -> None:
    for file in sorted((SEEDS / name).iterdir()):
        try:
            TARGETS[name](file.read_bytes())
        except Exception as error:
            raise AssertionError(f"{name} failed on {file.name}") from error
