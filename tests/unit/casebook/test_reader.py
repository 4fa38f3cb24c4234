"""Errors in a file of cases are reported with file, line, and the expected input."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from faristol.casebook.articles import split_articles
from faristol.casebook.case import TableCase, TournamentCase
from faristol.casebook.document import CaseError
from faristol.casebook.duplicate_game import reader as duplicates
from faristol.casebook.reader import FILE_KEYS, files_in, read_cases, read_file
from faristol.casebook.runner import KINDS, run_case
from faristol.casebook.steps import SAID_KEYS
from faristol.casebook.table.reader import CASE_KEYS, SHARED_KEYS
from faristol.casebook.tournament import reader as tournaments
from faristol.pb.pairing.v1.pairing_pb2 import RegisterPlayerRequest

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


def write_case(folder: Path, text: str) -> Path:
    file = folder / "cases.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_tiles_called_n_and_y_and_times_are_no_truths_and_no_numbers(tmp_path: Path) -> None:
    text = GOOD.replace("N Y T", "N N T").replace("    steps", "    clocks: {Anna: 1:30}\n    steps")
    (case,) = read_cases(write_case(tmp_path, text))
    assert isinstance(case, TableCase)
    assert case.position.racks == {"Anna": ("C", "A", "S", "A", "N", "N", "T")}
    assert case.position.used_ms == {"Anna": 90_000}
    assert case.words == {("C", "A", "S", "A")}


@pytest.mark.parametrize(
    ("good", "bad", "line", "problem"),
    [
        ("fisc-2023", "fisc-1999", 1, "there is no ruleset 'fisc-1999'"),
        ("fisc-2023", "uf-2007", 1, "leave minutes to the organiser"),
        ("fisc-2023", "fise:minutes", 1, "'minutes' is not an option: expected NAME=VALUE"),
        ("FISC I.6", "FISC I.66", 5, "no article in the book of fisc-2023 'FISC I.66'; did you mean 'FISC I.6'?"),
        ("    articles: FISC I.6\n", "", 4, "expected the key 'articles'"),
        (
            "score: 10",
            "refused: FISC I.8.G",
            9,
            "there is no article in the book of fisc-2023 'FISC I.8.G'; did you mean",
        ),
        ("racks:", "rack:", 6, "there is no key 'rack'"),
        ("Anna: C A", "Ana: C A", 6, "there is no key 'Ana'; did you mean 'Anna'?"),
        ("N Y T", "NN T", 6, "ca-100 has no tile 'NN'"),
        ("score: 10", "score: ten", 9, "expected a whole number, got 'ten'"),
        ("score: 10", "skore: 10", 9, "there is no key 'skore'"),
        ("score: 10", "board: {Z9: C}", 9, "expected a square such as H8, got 'Z9'"),
        ("score: 10", "facts: [PlayPlaced: {words: [{square: H88}]}]", 9, "expected a square such as H8, got 'H88'"),
        ("score: 10", "at: ten", 9, "expected minutes and seconds, such as 12:30"),
        ("    steps:\n      - Anna: place-play H8 C A S A\n        score: 10", "    steps: []", 7, "at least one step"),
        ("score: 10", "score: [", 10, "this is not YAML"),
        ("score: 10", "score: 1\n        score: 2", 10, "'score' occurs twice"),
        ("place-play", "lay", 8, "there is no verb 'lay'; there are: abandon, "),
        ("H8 C A S A", "Z8 C A S A", 8, "'Z8' is not a start of a word"),
        ("N Y T", "X X T", 4, "the set has fewer tiles X than the rack of Anna requires"),
        ("score: 10", "facts: [Playplaced]", 9, "there is no event 'Playplaced'; did you mean 'PlayPlaced'?"),
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
    file = write_case(tmp_path, text.replace(good, bad, 1))
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
        ("kind: tournament", "kind: turnament", 1, "there is no kind 'turnament'; did you mean 'tournament'?"),
        ("    rounds: 5\n", "", 4, "expected the key 'rounds' in every case of a tournament"),
        ("rounds: 5", "rounds: five", 6, "expected a whole number, got 'five'"),
        ("Blai: 1400", "Anna: 1400", 7, "'Anna' occurs twice"),
        ("Blai: 1400", "director: 1400", 7, "expected players, none of them called"),
        ("Blai: 1400", "Ánna: 1400", 7, "expected names that differ in more than accents"),
        ("Blai: 1400", "Blai: strong", 7, "expected a whole number, got 'strong'"),
        ("play-round 1", "play-round one", 9, "expected the number of a round, such as `play-round 1`"),
        ("play-round 1", "play-ruond 1", 9, "there is no verb 'play-ruond'; did you mean 'play-round'?"),
        ("play-round 1", "grant-bye Anna 1 half-point 7 8", 9, "grant-bye takes no '7 8'"),
        ("play-round 1", "grant-bye Anna 1 quarter", 9, "there is no bye-kind 'quarter'"),
        ("Blai 400 – Eloi", "Blai 400 – Elio", 10, "'Elio' is not in this case; there are: Anna, Blai"),
        ("Blai 400 – Eloi 300", "Blai 400 – Eloi", 10, "expected players with their scores"),
        ("Blai 400 – Eloi", "Blai 400 – Fina", 10, "Blai and Fina have not been paired"),
        ("Blai 400 – Eloi 300", "Blai – Eloi: {absent: Fina}", 10, "Fina does not play there"),
        ("points: {Anna: 1}", "points: {Ana: 1}", 11, "there is no key 'Ana'; did you mean 'Anna'?"),
        ("points: {Anna: 1}", "points: {Anna: one}", 11, "expected a number such as 8.5, got 'one'"),
        ("points: {Anna: 1}", "skore: 1", 11, "there is no key 'skore'"),
        ("points: {Anna: 1}", "score: 1", 11, "score is expected of a table: no step was at a table"),
    ],
)
async def test_what_is_wrong_with_a_tournament_is_told_with_its_place(
    tmp_path: Path, good: str, bad: str, line: int, problem: str
) -> None:
    assert good in TOURNAMENT
    file = write_case(tmp_path, TOURNAMENT.replace(good, bad, 1))
    try:
        problems = [problem for case in read_cases(file) for problem in (await run_case(case)).problems]
    except CaseError as error:
        problems = [str(error)]
    assert len(problems) == 1, problems
    assert problems[0].startswith(f"{file}:{line}: ")
    assert problem in problems[0]


SEVERAL = """\
ruleset: fisc-2023
words: [C A S A]
cases:
  - case: A word
    articles: FISC I.6
    racks: {Anna: C A S A N N T}
    steps:
      - Anna: place-play H8 C A S A
        score: 10
  - case: Another word
    articles: FISC I.66
    rack: {Anna: C A}
    racks: {Anna: NN}
    steps:
      - Anna: place-play H8 C A S A
        skore: 10
      - Ana: press
      - Anna: press
        at: soon
  - case: A third word
    articles: FISC I.6
    racks: {Anna: C A S A N N T}
    steps:
      - Anna: place-play H8 C A S A
        score: 10
"""


def test_a_player_of_a_tournament_has_the_fields_of_a_registration(tmp_path: Path) -> None:
    entries = (
        "{Anna: {rating: 1500, school: Institut, birth-year: 2010}, Blai: {rating: unrated, country: AND}, Cesca: 9}"
    )
    (case,) = read_cases(write_case(tmp_path, re.sub("players: .*", f"players: {entries}", TOURNAMENT)))
    assert isinstance(case, TournamentCase)
    assert case.entries == {
        "Anna": RegisterPlayerRequest(rating=1500, school="Institut", birth_year=2010),
        "Blai": RegisterPlayerRequest(country="AND"),
        "Cesca": RegisterPlayerRequest(rating=9),
    }
    wrong = write_case(tmp_path, TOURNAMENT.replace("Anna: 1500", "Anna: {birthyear: 2010}"))
    with pytest.raises(CaseError, match="there is no key 'birthyear'; did you mean 'birth-year'"):
        read_cases(wrong)


def test_one_bad_line_does_not_drop_its_file_and_all_errors_are_told_at_once(tmp_path: Path) -> None:
    cases, errors = read_file(write_case(tmp_path, SEVERAL))
    assert [case.name for case in cases] == ["A word", "A third word"]
    assert [(error.line, re.split("[:;]", error.problem)[0]) for error in errors] == [
        (11, "there is no article in the book of fisc-2023 'FISC I.66'"),
        (12, "there is no key 'rack'"),
        (13, "ca-100 has no tile 'NN'"),
        (16, "there is no key 'skore'"),
        (17, "there is no key 'Ana'"),
        (19, "expected minutes and seconds, such as 12"),
    ]


@pytest.mark.parametrize("bad", ["racks: {Anna: C A S", "racks: [", "racks: 'C A", "  racks: a: b", "\tracks: a"])
def test_a_case_that_is_no_yaml_does_not_drop_its_file(tmp_path: Path, bad: str) -> None:
    text = SEVERAL.replace("rack: {Anna: C A}", bad)
    cases, errors = read_file(write_case(tmp_path, text))
    assert [case.name for case in cases] == ["A word", "A third word"]
    assert [error.problem.partition(":")[0] for error in errors] == ["this is not YAML"]
    assert errors[0].line in (12, 13)


def test_a_head_that_is_no_yaml_leaves_nothing_to_read(tmp_path: Path) -> None:
    cases, errors = read_file(write_case(tmp_path, SEVERAL.replace("words: [", "words: ][")))
    assert (cases, [error.line for error in errors]) == ([], [2])


async def test_lines_that_are_found_wrong_as_they_are_played_are_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("N Y T", "N N T").replace("        score: 10", "        score: ten\n      - Anna: pres\n")
    (case,) = read_cases(write_case(tmp_path, text + "      - Blai: place-play Z8 C A\n        score: 3\n"))
    problems = (await run_case(case)).problems
    assert [problem.split(":")[1] for problem in problems] == ["9", "10", "12"], problems


@pytest.mark.parametrize("rack", ["{Anna: ? A S A N N T}", "{Anna: ?}", "\n      Anna: ? A S A\n"])
def test_a_rack_that_begins_with_a_question_mark_is_explained(tmp_path: Path, rack: str) -> None:
    _, (error,) = read_file(write_case(tmp_path, GOOD.replace("{Anna: C A S A N Y T}", rack)))
    assert error.problem == (
        'a value that begins with ? needs quotation marks, such as "? A E": a bare ? has another meaning in YAML'
    )
    assert error.line == (7 if "\n" in rack else 6)


NESTING_COUNT = 100_000
BOMB = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'}, *a]\n" for n in range(60))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * NESTING_COUNT, "this is nested more than 30 levels deep"),
        ("{a: " * NESTING_COUNT, "this is nested more than 30 levels deep"),
        ("- " * NESTING_COUNT, "this is nested more than 30 levels deep"),
        ("? " * NESTING_COUNT, "this is nested more than 30 levels deep"),
        (BOMB, "a value after * must be written in full: anchors and aliases of YAML are not supported"),
        ("a: &a [*a]", "a value after * must be written in full: anchors and aliases of YAML are not supported"),
    ],
)
def test_yaml_that_cannot_be_walked_through_is_refused_with_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    _, (error,) = read_file(write_case(tmp_path, text))
    assert error.problem == problem
    good = GOOD.replace("N Y T", "N N T")
    cases, errors = read_file(write_case(tmp_path, f"{good}  - case: deep\n    steps: {text.splitlines()[-1]}\n"))
    assert ([case.name for case in cases], [error.line for error in errors]) == (["A word"], [11])


AT_TABLES = """\
kind: tournament
ruleset: fisc-2023
words: [C A S A]
cases:
  - case: A round
    articles: FISC I.1
    rounds: 5
    players: {Anna Puig: 1500, Blai: 1400, Cesca: 1300, Dídac: 1200, Eloi: 1100, Fina: 1000}
    steps:
      - director: pair-round 1
      - director: start-round 1
      - Anna Puig: start-game
        on-turn: Anna Puig
      - Anna Puig: place-play H8 C A S A
        score: 10
"""


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    [
        ("on-turn: Anna Puig", "on-turn: Dídac", "13: expected Dídac to be on turn, got Anna Puig"),
        ("Anna Puig: start-game", "arbiter: call-arbiter", "12: expected at which table, such as"),
        ("Anna Puig: start-game", "judge: rule maybe", "12: expected at which table, such as"),
        ("score: 10", "scores: {Anna Puig: 9}", "15: expected 9 points for Anna Puig, got 0"),
        ("score: 10", "with: {game-id: Anna Puig – Blai}", "14: Anna Puig and Blai sit at no table"),
        ("place-play H8", "place-play Z8", "14: 'Z8' is not a start of a word"),
    ],
)
async def test_what_is_wrong_at_a_table_of_a_tournament_is_told_with_its_place(
    tmp_path: Path, good: str, bad: str, problem: str
) -> None:
    (case,) = read_cases(write_case(tmp_path, AT_TABLES))
    assert (await run_case(case)).problems == ()
    (case,) = read_cases(write_case(tmp_path, AT_TABLES.replace(good, bad, 1)))
    problems = (await run_case(case)).problems
    assert any(problem in told for told in problems), problems


BY_HAND = """\
kind: tournament
ruleset: fisc-2023
cases:
  - case: Rounds by hand
    articles: FISC I.1
    rounds: 5
    players: {Anna: 1500, Blai: 1400, Cesca: 1300, Dídac: 1200, Eloi: 1100, Fina: 1000}
    steps:
      - director: play-rounds 2
        by-hand: yes
        results:
          - Anna 400 – Blai 300
          - Cesca 400 – Dídac 300
          - Eloi 400 – Fina 300
          - Anna 400 – Cesca 300
          - Blai 400 – Eloi 300
          - Dídac 300 – Fina 310
        pairs: [Anna – Cesca, Blai – Eloi, Dídac – Fina]
        points: {Anna: 2, Cesca: 1, Fina: 1}
"""


async def test_rounds_are_played_with_pairs_made_by_hand(tmp_path: Path) -> None:
    (case,) = read_cases(write_case(tmp_path, BY_HAND))
    assert (await run_case(case)).problems == ()


async def test_results_of_more_rounds_than_are_played_by_hand_are_told(tmp_path: Path) -> None:
    (case,) = read_cases(write_case(tmp_path, BY_HAND.replace("play-rounds 2", "play-rounds 1")))
    (problem,) = (await run_case(case)).problems
    assert "expected the results of 1 rounds, one after another, got those of 2: a round ends where" in problem


async def test_squares_and_players_are_said_as_people_say_them(tmp_path: Path) -> None:
    text = """\
ruleset: pes-2024
players: [Άννα Παππά, Βίκυ Ρώσση]
cases:
  - case: A letter turned over
    articles: PES Δ.β
    keeping: recorded
    racks: {Άννα Παππά: "Ψ Ω ? Ι Α Ε Σ"}
    steps:
      - Άννα Παππά: place-play H8 Ψ Ω (Μ) Ι
        facts: [PlayPlaced: {words: [{word: Ψ Ω Μ Ι, square: H8, score: 28}]}]
      - Άννα Παππά: stop
      - Βίκυ Ρώσση: claim-fake-blank
        with: {square: H10, face: Λ}
        on-turn: Βίκυ Ρώσση
      - Βίκυ Ρώσση: correct-total
        with: {player-ids: "Άννα Παππά – Βίκυ Ρώσση", player-id: Άννα Παππά, total: 3}
        facts: [TotalCorrected: {player-id: Άννα Παππά}]
"""
    (case,) = read_cases(write_case(tmp_path, text))
    assert (await run_case(case)).problems == ()


def test_a_folder_stands_for_its_cases_and_must_have_some(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=r"there is no \.yaml file in this folder"):
        files_in([tmp_path])
    file = write_case(tmp_path, GOOD)
    assert files_in([tmp_path, file]) == [file, file]
    with pytest.raises(CaseError, match="there is no such file"):
        files_in([tmp_path / "other.yaml"])


def test_a_citation_of_several_articles_is_each_of_them() -> None:
    assert split_articles("UF 20, 23") == ("UF 20", "UF 23")
    assert split_articles("FISC I.11") == ("FISC I.11",)
    assert split_articles("") == ()


def test_the_grammar_names_every_key() -> None:
    grammar = (Path(__file__).parents[3] / "docs" / "rulebook-cases.md").read_text(encoding="utf-8")
    keys = FILE_KEYS | CASE_KEYS | SHARED_KEYS | SAID_KEYS
    keys |= tournaments.CASE_KEYS | tournaments.SHARED_KEYS | tournaments.GIVEN_KEYS
    keys |= duplicates.CASE_KEYS | duplicates.SHARED_KEYS
    keys = keys.union(*(kind.expectations for _, kind in KINDS.values()))
    for key in keys:
        assert f"`{key}`" in grammar, key


async def test_the_examples_of_the_grammar_come_out_as_they_say(tmp_path: Path) -> None:
    grammar = (Path(__file__).parents[3] / "docs" / "rulebook-cases.md").read_text(encoding="utf-8")
    examples = [part.partition("```")[0] for part in grammar.split("```yaml\n")[1:]]
    assert len(examples) == 4
    for example in examples:
        (case,) = read_cases(write_case(tmp_path, example))
        assert (await run_case(case)).problems == ()


def test_a_file_without_cases_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="1: there is no case in this file"):
        read_cases(write_case(tmp_path, "# Nothing yet.\n"))
