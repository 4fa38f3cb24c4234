"""What is wrong in a file of cases is told with file, line, and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from faristol.cli.referee.articles import separated
from faristol.cli.referee.case import TableCase
from faristol.cli.referee.document import CaseError
from faristol.cli.referee.expectations import EXPECTATIONS
from faristol.cli.referee.reader import FILE_KEYS, files_in, read_cases
from faristol.cli.referee.running import run_case
from faristol.cli.referee.steps import SAID_KEYS
from faristol.cli.referee.tables import CASE_KEYS, SHARED_KEYS
from faristol.cli.referee.tournament import expectations as of_tournaments
from faristol.cli.referee.tournament import reader as tournaments

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
    assert isinstance(case, TableCase)
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


TOURNAMENT = """\
kind: tournament
ruleset: fisc-2023
cases:
  - case: A round
    articles: FISC I.1
    rounds: 5
    players: {Anna: 1500, Blai: 1400, Cesca: 1300, Dídac: 1200, Eloi: 1100, Fina: 1000}
    steps:
      - director: play-round 1
        results: [Anna 400 – Dídac 300, Blai 400 – Eloi 300, Cesca 400 – Fina 300]
        points: {Anna: 1}
"""


@pytest.mark.parametrize(
    ("good", "bad", "line", "problem"),
    [
        ("kind: tournament", "kind: turnament", 1, "there is no kind 'turnament': is it 'tournament'?"),
        ("    rounds: 5\n", "", 4, "expected the key 'rounds' in every case of a tournament"),
        ("rounds: 5", "rounds: five", 6, "expected a whole number, got 'five'"),
        ("Blai: 1400", "Anna: 1400", 7, "'Anna' stands here twice"),
        ("Blai: 1400", "director: 1400", 7, "expected players, none of them called"),
        ("Blai: 1400", "Ánna: 1400", 7, "expected names that differ in more than accents"),
        ("Blai: 1400", "Blai: strong", 7, "expected a whole number, got 'strong'"),
        ("play-round 1", "play-round one", 9, "expected the number of a round, such as `play-round 1`"),
        ("play-round 1", "play-ruond 1", 9, "there is no verb 'play-ruond': is it 'play-round'?"),
        ("play-round 1", "grant-bye Anna 1 half-point 7 8", 9, "grant-bye takes no '7 8'"),
        ("play-round 1", "grant-bye Anna 1 quarter", 9, "there is no bye-kind 'quarter'"),
        ("Blai 400 – Eloi", "Blai 400 – Elio", 10, "'Elio' is nobody of this case; there are: Anna, Blai"),
        ("Blai 400 – Eloi 300", "Blai 400 – Eloi", 10, "expected players with their scores"),
        ("Blai 400 – Eloi", "Blai 400 – Fina", 10, "Blai and Fina have not been paired"),
        ("Blai 400 – Eloi 300", "Blai – Eloi: {absent: Fina}", 10, "Fina does not play there"),
        ("points: {Anna: 1}", "points: {Ana: 1}", 11, "there is no key 'Ana': is it 'Anna'?"),
        ("points: {Anna: 1}", "points: {Anna: one}", 11, "expected a number such as 8.5, got 'one'"),
        ("points: {Anna: 1}", "score: 1", 11, "there is no key 'score'"),
    ],
)
async def test_what_is_wrong_with_a_tournament_is_told_with_its_place(
    tmp_path: Path, good: str, bad: str, line: int, problem: str
) -> None:
    assert good in TOURNAMENT
    file = written(tmp_path, TOURNAMENT.replace(good, bad, 1))
    try:
        problems = [problem for case in read_cases(file) for problem in (await run_case(case)).problems]
    except CaseError as error:
        problems = [str(error)]
    assert len(problems) == 1, problems
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
    keys = FILE_KEYS | CASE_KEYS | SHARED_KEYS | SAID_KEYS | EXPECTATIONS
    keys |= tournaments.CASE_KEYS | tournaments.SHARED_KEYS | tournaments.GIVEN_KEYS | of_tournaments.EXPECTATIONS
    for key in keys:
        assert f"`{key}`" in grammar, key


async def test_the_examples_of_the_grammar_come_out_as_they_say(tmp_path: Path) -> None:
    grammar = (Path(__file__).parents[4] / "docs" / "rulebook-cases.md").read_text(encoding="utf-8")
    examples = [part.partition("```")[0] for part in grammar.split("```yaml\n")[1:]]
    assert len(examples) == 2
    for example in examples:
        (case,) = read_cases(written(tmp_path, example))
        assert (await run_case(case)).problems == ()


def test_a_file_without_cases_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="1: there is no case in this file"):
        read_cases(written(tmp_path, "# Nothing yet.\n"))
