"""Whatever a file of cases holds, each mistake is told with its place, and the run goes on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faristol.referee.reader import NOT_READ, read_file
from faristol.referee.runner import NOT_PLAYED, run_case

TABLES = """\
ruleset: uf-2007:minutes=25
words: [C A S A]
cases:
  - case: One
    articles: UF 27.2
    keeping: recorded
    board: [H8 C A S A]
    bag: 0
    racks: {Anna: S, Blai: L·L E}
    scores: {Anna: 30, Blai: 40}
    clocks: {Anna: 1:30}
    turns: P X W
    to-play: Blai
    steps:
      - Blai: challenge C A S A
        with: {occurred-at: 0:10}
        at: 0:20
        refused: UF 23
      - Anna: turn H8 C A S A S
        ends: out
        scores: {Anna: 318, Blai: 289}
        facts: [PlayPlaced: {words: [{square: H8}]}]
        board: {H8: C}
        runs: nobody
        sheet: [{kind: play}]
  - case: Two
    articles: UF 15
    steps:
      - Anna: turn pass
        on-turn: Blai
"""

WORDS = sorted(
    {*re.findall(r"[^\s{}\[\],]+", TABLES), "", "0", "-1", "99999999999", "?", "{}", "[]", "{a: b}", "Α", "null"}
)
PLACES = [match.span() for match in re.finditer(r"[^\s{}\[\],]+", TABLES)]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(WORDS)), min_size=1, max_size=2))
async def test_a_mistake_in_a_case_is_told_with_its_line(
    tmp_path: Path, changes: list[tuple[tuple[int, int], str]]
) -> None:
    text = TABLES
    for (start, end), word in sorted(changes, reverse=True):
        text = text[:start] + word + text[end:]
    file = tmp_path / "cases.yaml"
    file.write_text(text, encoding="utf-8")
    cases, errors = read_file(file)
    problems = [str(error) for error in errors]
    for case in cases:
        problems += (await run_case(case)).problems
    for problem in problems:
        assert re.match(rf"{re.escape(str(file))}:\d+: ", problem), problem
        assert NOT_READ not in problem, (problem, text)
        assert NOT_PLAYED not in problem, (problem, text)


@pytest.mark.parametrize(
    ("good", "bad", "told"),
    [
        ("turns: P X W", "turns: P P P P X", "the game is over after 'PPPP': no turn follows that"),
        ("ends: out", "ends: finished", "there is no end of a game 'finished'"),
        ("runs: nobody", "runs: Zoe", "there is no player 'Zoe'"),
        ("racks: {Anna: S,", "racks: {Anna: S S S S S S S S,", "expected 7 tiles on a rack at most, got 8"),
        ("racks: {Anna: S,", "racks: {Anna: Ж,", "U+0416 CYRILLIC CAPITAL LETTER ZHE"),
    ],
)
async def test_the_other_cases_of_the_run_go_on(tmp_path: Path, good: str, bad: str, told: str) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(TABLES.replace(good, bad, 1), encoding="utf-8")
    cases, errors = read_file(file)
    problems = [str(error) for error in errors]
    verdicts = [await run_case(case) for case in cases]
    problems += [problem for verdict in verdicts for problem in verdict.problems]
    assert any(told in problem for problem in problems), problems
    assert verdicts[-1].case.name == "Two"
    assert verdicts[-1].passed
