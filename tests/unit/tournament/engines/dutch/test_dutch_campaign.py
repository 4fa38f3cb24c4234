"""The campaign that compares random tournaments with other programs finds their differences."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaigns.dutch.campaign import Series, build_tournament, check_elsewhere, compare

REPORT = """tournament: Round #1
tournament: Round #2
  Checker pairings        Tournament pairings
      4 -   1                  1 -   4

tournament: Round #3
"""


def write_checker(folder: Path, report: str) -> str:
    """Write a program that answers each tournament with the same report."""
    program = folder / "checker"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{report}END\n")
    program.chmod(0o755)
    return str(program)


def test_a_round_that_a_checker_pairs_differently_is_a_difference(tmp_path: Path) -> None:
    series = Series(6, 3, "plain", (write_checker(tmp_path, REPORT),))
    assert compare(series, 1).differences == ["round 2: checker has Checker pairings Tournament pairings 4 - 1 1 - 4"]


def test_a_checker_that_leaves_a_round_out_is_an_error(tmp_path: Path) -> None:
    document = build_tournament(Series(6, 3, "plain"), 1)
    with pytest.raises(ValueError, match="checked 2 of 3 rounds"):
        check_elsewhere(write_checker(tmp_path, REPORT.replace("tournament: Round #3\n", "")), document)
