"""Conditions that always hold, and situations that campaigns must reach."""

from __future__ import annotations

import logging

import pytest

from faristol import assertions
from faristol.assertions import Always, Sometimes, reset_counts


@pytest.fixture(autouse=True)
def _own_assertions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use empty lists, so that the process counts none of those made here."""
    monkeypatch.setattr(assertions, "SITUATIONS", [])
    monkeypatch.setattr(assertions, "INVARIANTS", [])


def test_a_situation_is_counted_when_its_condition_holds() -> None:
    found = Sometimes("two at once")
    found.note(condition=False)
    found.note([1])
    found.note()
    assert found.count == 2
    assert [found] == assertions.SITUATIONS
    reset_counts()
    assert found.count == 0


def test_a_violation_is_counted_and_logged_with_its_details_and_the_program_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    invariant = Always("positions have no gap")
    with caplog.at_level(logging.ERROR):
        invariant.check(condition=True, details="never shown")
        assert not caplog.records
        invariant.check(condition=False, details="results at position 7")
    assert invariant.count == 1
    assert [record.getMessage() for record in caplog.records] == [
        "violated: positions have no gap (results at position 7)"
    ]
