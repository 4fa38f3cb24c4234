from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.support.halls import decide_command, hall_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.text import translations
from faristol.tournament.command_handling.duplicate_texts import (
    SAID_OF_DUPLICATE_GAMES,
    has_text_of_games,
    refuse_of_games,
    to_problem_of_games,
)

FISC = load_ruleset("fisc-2023")
DUPLICATE = load_ruleset("fisc-2023-duplicate")
TOURNAMENT = Path("services/faristol/tournament")

ABOUT_TABLES = (
    "byes/allocated.py",
    "byes/requested.py: All players meet",
    "engines",
    "pairing_explanations",
    "teams",
    "results",
    "queries/results.py",
    "rounds/pairs.py",
    "rounds/systems.py",
    "rounds/tables.py",
    "players/registration.py: {player} cannot enter: all players meet",
    "players/absences.py: {player} has no table",
    "messages/sending.py: No round is paired or played now, so no table",
    "messages/sending.py: Table {table} is not in use",
    "messages/slots.py: Round {round} has no table",
    "queries/pairings.py: Officials changed the pairing",
    "rounds/draft",
    "rounds/preview.py",
    "rounds/pairing.py: Round {round} has a draft",
    "rounds/course.py: Round {round} is a draft",
    "rounds/course.py: Round {round} cannot be closed: one result is missing",
    "rounds/course.py: Round {round} cannot be closed: {count} results",
    "rounds/course.py: Round {round} cannot be closed: the results of tables",
    "rounds/readiness.py: The result of table",
    "rounds/readiness.py: A round needs 2",
    "rounds/readiness.py: Round {round} cannot be started",
    "rounds/readiness.py: Round {round} cannot be published",
    "administration/tournaments.py: The table of rounds",
    "administration/qualification.py",
    "administration/stages.py",
    "rounds/imported.py",
    "rounds/knock_out.py",
    "conditions.py: This is a tournament of duplicate games",
    "command_handling/duplicate_texts.py",
)
"""Modules, or texts of a module, about tables and opponents, which a tournament of duplicate games does not have."""

OF_ROUNDS = re.compile(r"(?i)\b(rounds?|pair(s|ed|ing|ings)?)\b")
PLACEHOLDER = r"\{\w+(?=[:}])|`[^`]*`"
"""The name of a placeholder without its forms for one and several, or a command."""
OF_ROUNDS_ELSEWHERE = {"ca": r"(?i)rond|aparell", "es": r"(?i)rond|emparej", "el": r"(?i)γύρ|κληρ"}


def texts_of_the_service() -> list[str]:
    """Return the marked texts of the pairing service as ``path: text``."""
    found: list[str] = []
    for path in sorted(TOURNAMENT.rglob("*.py")):
        found += [
            f"{path.relative_to(TOURNAMENT)}: {ast.literal_eval(node.args[0])}"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "N_"
        ]
    return found


def test_each_text_about_rounds_has_one_about_games_unless_it_is_about_tables() -> None:
    found = [
        text for text in texts_of_the_service() if OF_ROUNDS.search(re.sub(PLACEHOLDER, "", text.partition(": ")[2]))
    ]
    left = [text for text in found if not text.startswith(ABOUT_TABLES)]
    assert len(left) > 20
    assert [text for text in left if text.partition(": ")[2] not in SAID_OF_DUPLICATE_GAMES] == []


@pytest.mark.parametrize("language", ["en", *OF_ROUNDS_ELSEWHERE])
def test_no_text_about_games_speaks_of_rounds_in_any_language(language: str) -> None:
    read, pattern = translations(language).gettext, OF_ROUNDS_ELSEWHERE.get(language, OF_ROUNDS.pattern)
    told = [re.sub(PLACEHOLDER, "", read(text)) for text in SAID_OF_DUPLICATE_GAMES.values()]
    assert [text for text in told if re.search(pattern, text)] == []


def test_a_refusal_speaks_of_games_with_all_its_reasons_where_the_games_are_duplicate() -> None:
    hall = hall_of(10)
    hall.pair(1)
    with pytest.raises(Refusal) as problem:
        decide_command(hall.state, pb.PairRoundRequest(round=2))
    refusal = problem.value
    assert [each.reason for each in refusal.others] == ["ROUND_NOT_STARTED"]
    assert has_text_of_games(refusal)
    told = refuse_of_games(refusal, DUPLICATE)
    assert (told.reason, told.article, told.params) == (refusal.reason, refusal.article, refusal.params)
    assert [str(told), *map(str, told.others)] == [
        "The seats of game 2 cannot be assigned: game 1 is not closed.",
        "Game 1 is not open yet.",
    ]
    assert to_problem_of_games(refusal, FISC) is refusal


def test_an_invalid_field_speaks_of_games_too() -> None:
    with pytest.raises(Invalid) as problem:
        decide_command(hall_of(10).state, pb.CloseRoundRequest())
    assert (
        str(to_problem_of_games(problem.value, DUPLICATE))
        == "round: is missing; expected the number of the game, from 1"
    )
