"""The championship cases of the rule book, as an arbiter can read and check them in the file beside this one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from faristol.rules import Outcome, Refusal, Result, Ruleset, load_ruleset, standings
from faristol.rules.championship import check_rounds, late_entry_points

Case = Mapping[str, Any]

FILE = Path(__file__).parent / "championships.toml"
SCENARIOS = {97, 100, 101, 102, 103}
"""The acceptance scenarios of FISC's championships that the law alone decides."""


def cases() -> Iterator[tuple[Ruleset, Case]]:
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    for case in data["case"]:
        yield load_ruleset(data["ruleset"]), case


def championship(case: Case, ruleset: Ruleset) -> None:
    if "enters_at" in case:
        assert late_entry_points(case["enters_at"], case["planned"], ruleset) == case["fictitious"]
    elif "results" in case:
        results = [result_of(text) for text in case["results"]]
        players = [player for pair in results for player in (pair.first, pair.second) if player]
        rows = standings(results, players, ruleset, case["planned"])
        assert [f"{row.rank} {row.player}" for row in rows] == case["order"]
    elif "opponents" in case:
        row = row_against(case["opponents"], case["outcomes"], ruleset)
        expected = {name: case[name] for name in ("median-buchholz", "berger") if name in case}
        assert {name: value for name, value in row.items() if name in expected} == expected
    else:
        check_rounds(case["rounds"], ruleset)


def result_of(text: str) -> Result:
    round_, first, first_score, second, second_score = text.split()
    return Result.of_game(int(round_), first, second, int(first_score), int(second_score))


def row_against(points: list[float], outcomes: list[str], ruleset: Ruleset) -> dict[str, float]:
    """The tie-breaks of a player whose opponents end with ``points``: what is left of them they get elsewhere."""
    rounds = len(points)
    scores = {"win": (400, 300), "draw": (350, 350), "loss": (300, 400)}
    results, players = [], ["subject"]
    for number, (total, outcome) in enumerate(zip(points, outcomes, strict=True), start=1):
        opponent = f"opponent {number}"
        players.append(opponent)
        results.append(Result.of_game(number, "subject", opponent, *scores[outcome]))
        wanted = total - {"win": 0.0, "draw": 0.5, "loss": 1.0}[outcome]
        for other in (round_ for round_ in range(1, rounds + 1) if round_ != number):
            sparring = f"sparring {number}.{other}"
            players.append(sparring)
            got = min(1.0, wanted)
            wanted -= got
            results.append(
                Result.of_game(other, opponent, sparring, *scores[{1.0: "win", 0.5: "draw", 0.0: "loss"}[got]])
            )
        assert wanted == 0, f"{opponent} cannot end with {total} points"
    rows = standings(results, players, ruleset, rounds)
    row = next(row for row in rows if row.player == "subject")
    own = sum({"win": 1.0, "draw": 0.5, "loss": 0.0}[Outcome(outcome)] for outcome in outcomes)
    assert row.points == own
    return {str(name): value for name, value in row.tie_breaks.items()}


@pytest.mark.parametrize(
    ("ruleset", "case"),
    [pytest.param(*found, id=f"{found[1].get('scenario', 'more')}: {found[1]['title']}") for found in cases()],
)
def test_the_law_says_what_the_case_says(ruleset: Ruleset, case: Case) -> None:
    if "refused" not in case:
        championship(case, ruleset)
        return
    with pytest.raises(Refusal) as caught:
        championship(case, ruleset)
    assert (caught.value.reason, caught.value.article) == (case["refused"], case["article"])


def test_every_scenario_that_the_law_alone_decides_has_a_case() -> None:
    assert {case["scenario"] for _, case in cases() if "scenario" in case} == SCENARIOS


def test_every_case_names_an_article_of_its_rulebook() -> None:
    for ruleset, case in cases():
        assert case["article"] in ruleset.articles.values(), case["title"]
