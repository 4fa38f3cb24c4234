"""For any content of a file of cases, each mistake is reported with its place, and the run continues."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faristol.casebook.reader import NOT_READ, read_file
from faristol.casebook.runner import NOT_PLAYED, run_case

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

TOURNAMENTS = """\
kind: tournament
ruleset: fisc-2023
cases:
  - case: One
    articles: FISC I.4
    rounds: 5
    players: {Anna: 1800, Blai: {rating: 1700, club: Valls}, Cesca: 1600, Dídac: 1500, Eloi: 1400, Fina: 1300, Gina: 0}
    others: {Hug: 1550}
    steps:
      - director: play-round 1
        results: [Anna 400 – Dídac 350, Blai 380 – Eloi 380, Cesca 410 – Fina 300]
        pairs: [Anna – Dídac, Blai – Eloi, Cesca – Fina]
        bye: Gina
      - director: register-player Hug
        fictitious: {Hug: 0.5}
        facts: [LateEntryAdmitted: {player-id: Hug}]
      - director: register-player Hug
        exists: player
      - director: withdraw-player Fina
        points: {Anna: 1, Fina: 0}
        standing: {Fina: {spread: −110, wins: 0}}
      - director: play-rounds 2
        results: by-rating
        met-twice: nobody
        rounds-are: {1: closed, 2: closed, 3: none}
  - case: Two
    articles: FISC I.1
    rounds: 4
    players: 0
    steps:
      - director: create-tournament
        refused: FISC I.1
        reason: TOO_FEW_ROUNDS
"""

DUPLICATES = """\
kind: duplicate
ruleset: fisc-2023-duplicate
words: [C A S E R N A, C A S A]
players: [Anna, Blai, Cesca, Dídac, Eloi]
cases:
  - case: One
    articles: [FISC II.5, FISC II.7]
    steps:
      - judge: call-rack C A S E R N A
        rack: C A S E R N A
      - judge: start-turn
        at: 0:00
      - Anna: slip H4 C A S E R N A
        at: 3:00
      - Blai: slip H8 C A S A
        with: {score: 12}
      - Cesca: slip C A S A
      - judge: score-turn
        top: 70
        slips: {Anna: 70, Cesca: 0, Eloi: 0}
        null: {Cesca: coordinates, Dídac: not-handed-in, Eloi: not-handed-in}
        facts: [TurnScored: {turn: 1}]
  - case: Two
    articles: FISC II.1
    players: [Anna, Blai, Cesca, Dídac]
    steps:
      - judge: call-rack C A S A L M N
        unofficial: players
"""

KINDS = {"table": TABLES, "tournament": TOURNAMENTS, "duplicate": DUPLICATES}
ODD = ("", "0", "-1", "99999999999", "?", "{}", "[]", "{a: b}", "Α", "null")


def changes_of(text: str) -> st.SearchStrategy[list[tuple[tuple[int, int], str]]]:
    """Return some words of a file, each with its replacement."""
    found = list(re.finditer(r"[^\s{}\[\],]+", text))
    words = sorted({*(match[0] for match in found), *ODD})
    return st.lists(
        st.tuples(st.sampled_from([match.span() for match in found]), st.sampled_from(words)), min_size=1, max_size=2
    )


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(sorted(KINDS)).flatmap(lambda kind: st.tuples(st.just(KINDS[kind]), changes_of(KINDS[kind]))))
async def test_a_mistake_in_a_case_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, list[tuple[tuple[int, int], str]]]
) -> None:
    text, changes = change
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


@pytest.mark.parametrize("kind", KINDS)
async def test_the_cases_that_are_changed_come_out_as_they_are(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(KINDS[kind], encoding="utf-8")
    cases, errors = read_file(file)
    assert not errors
    problems = [problem for case in cases for problem in (await run_case(case)).problems]
    assert not [problem for problem in problems if kind != "table"], problems


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("tournament", "bye: Gina", "bye: Anna"),
        ("tournament", "pairs: [Anna – Dídac", "pairs: [Anna – Eloi"),
        ("tournament", "fictitious: {Hug: 0.5}", "fictitious: {Hug: 1}"),
        ("tournament", "{player-id: Hug}", "{player-id: Cesca}"),
        ("tournament", "LateEntryAdmitted", "PlayerRegistered"),
        ("tournament", "exists: player", "exists: tournament"),
        ("tournament", "points: {Anna: 1", "points: {Anna: 0.5"),
        ("tournament", "spread: −110", "spread: 110"),
        ("tournament", "wins: 0", "wins: 1"),
        ("tournament", "3: none", "3: paired"),
        ("tournament", "refused: FISC I.1", "refused: FISC I.4"),
        ("tournament", "TOO_FEW_ROUNDS", "TOO_MANY_ROUNDS"),
        ("duplicate", "rack: C A S E R N A", "rack: C A S E R N E"),
        ("duplicate", "top: 70", "top: 68"),
        ("duplicate", "slips: {Anna: 70", "slips: {Anna: 68"),
        ("duplicate", "Eloi: 0}", "Eloi: 1}"),
        ("duplicate", "{Cesca: coordinates", "{Cesca: late"),
        ("duplicate", "TurnScored: {turn: 1}", "TurnScored: {turn: 2}"),
        ("duplicate", "facts: [TurnScored", "no-facts: [TurnScored"),
        ("duplicate", "unofficial: players", "unofficial: none"),
    ],
)
async def test_an_expectation_that_is_broken_is_noticed(tmp_path: Path, kind: str, good: str, bad: str) -> None:
    assert good in KINDS[kind]
    file = tmp_path / "cases.yaml"
    file.write_text(KINDS[kind].replace(good, bad, 1), encoding="utf-8")
    cases, errors = read_file(file)
    assert not errors
    assert [problem for case in cases for problem in (await run_case(case)).problems]


@pytest.mark.parametrize(
    ("good", "bad", "told"),
    [
        ("turns: P X W", "turns: P P P P X", "the game is over after 'PPPP': no turn follows that"),
        ("turns: P X W", f"turns: {'L' * 201}", "expected 200 turns at most, got 201"),
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
