"""What is wrong in a file of cases is told with file, line, and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from faristol.cli.referee.articles import separated
from faristol.cli.referee.document import CaseError
from faristol.cli.referee.reader import CASE_KEYS, FILE_KEYS, STEP_KEYS, files_in, read_cases
from faristol.cli.referee.running import run_case

GOOD = """\
ruleset: fisc-2023
words: [C A S A]
cases:
  - case: A word
    articles: FISC I.6
    racks: {Anna: C A S A N Y T}
    steps:
      - Anna: place-play H8 C A S A
        score: 10
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "cases.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_tiles_called_n_and_y_and_times_are_no_truths_and_no_numbers(tmp_path: Path) -> None:
    text = GOOD.replace("N Y T", "N N T").replace("    steps", "    clocks: {Anna: 1:30}\n    steps")
    (case,) = read_cases(written(tmp_path, text))
    assert case.position.racks == {"Anna": ("C", "A", "S", "A", "N", "N", "T")}
    assert case.position.used_ms == {"Anna": 90_000}
    assert case.words == {("C", "A", "S", "A")}


@pytest.mark.parametrize(
    ("good", "bad", "line", "problem"),
    [
        ("fisc-2023", "fisc-1999", 1, "there is no ruleset 'fisc-1999'"),
        ("fisc-2023", "uf-2007", 1, "leave minutes to the organiser"),
        ("fisc-2023", "fise:minutes", 1, "'minutes' is no option: expected NAME=VALUE"),
        ("FISC I.6", "FISC I.66", 5, "fisc-2023 cites no article 'FISC I.66'"),
        ("    articles: FISC I.6\n", "", 4, "expected the key 'articles'"),
        ("racks:", "rack:", 6, "there is no key 'rack'"),
        ("Anna: C A", "Ana: C A", 6, "there is no key 'Ana': is it 'Anna'?"),
        ("N Y T", "NN T", 6, "ca-100 has no tile 'NN'"),
        ("score: 10", "score: ten", 9, "expected a whole number, got 'ten'"),
        ("score: 10", "skore: 10", 9, "there is no key 'skore'"),
        ("score: 10", "at: ten", 9, "expected minutes and seconds such as 1:30 or 0:15.1"),
        ("    steps:\n      - Anna: place-play H8 C A S A\n        score: 10", "    steps: []", 7, "at least one step"),
        ("score: 10", "score: [", 10, "this is no YAML"),
        ("score: 10", "score: 1\n        score: 2", 10, "'score' stands here twice"),
        ("place-play", "lay", 8, "there is no verb 'lay'; there are: abandon, "),
        ("H8 C A S A", "Z8 C A S A", 8, "'Z8' is no start of a word"),
        ("N Y T", "X X T", 4, "the set has not as many tiles X as the rack of Anna asks for"),
        ("score: 10", "facts: [Playplaced]", 9, "there is no fact 'Playplaced': is it 'PlayPlaced'?"),
        (
            "score: 10",
            "facts: [PlayPlaced: {points: 10}]",
            9,
            "there is no field of PlayPlaced 'points'; there are: bingo, ",
        ),
    ],
)
async def test_what_is_wrong_is_told_with_its_place(
    tmp_path: Path, good: str, bad: str, line: int, problem: str
) -> None:
    text = GOOD.replace("N Y T", "N N T") if good != "N Y T" else GOOD
    assert good in text
    file = written(tmp_path, text.replace(good, bad, 1))
    try:
        problems = [problem for case in read_cases(file) for problem in (await run_case(case)).problems]
    except CaseError as error:
        problems = [str(error)]
    assert len(problems) == 1
    assert problems[0].startswith(f"{file}:{line}: ")
    assert problem in problems[0]


def test_a_folder_stands_for_its_cases_and_must_have_some(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=r"there is no \.yaml file in this folder"):
        files_in([tmp_path])
    file = written(tmp_path, GOOD)
    assert files_in([tmp_path, file]) == [file, file]
    with pytest.raises(CaseError, match="there is no such file"):
        files_in([tmp_path / "other.yaml"])


def test_a_citation_of_several_articles_is_each_of_them() -> None:
    assert separated("UF 20, 23") == ("UF 20", "UF 23")
    assert separated("FISC I.11") == ("FISC I.11",)
    assert separated("") == ()


def test_the_grammar_names_every_key() -> None:
    grammar = (Path(__file__).parents[4] / "docs" / "rulebook-cases.md").read_text(encoding="utf-8")
    for key in FILE_KEYS | CASE_KEYS | STEP_KEYS:
        assert f"`{key}`" in grammar, key


async def test_the_example_of_the_grammar_comes_out_as_it_says(tmp_path: Path) -> None:
    grammar = (Path(__file__).parents[4] / "docs" / "rulebook-cases.md").read_text(encoding="utf-8")
    example = grammar.partition("```yaml\n")[2].partition("```")[0]
    (case,) = read_cases(written(tmp_path, example))
    assert (await run_case(case)).problems == ()


def test_a_file_without_cases_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="1: there is no case in this file"):
        read_cases(written(tmp_path, "# Nothing yet.\n"))
