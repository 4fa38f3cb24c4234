"""Messages about a case use its terms: names for ids, squares for numbers, and code points of letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from faristol.casebook.forms import format_message
from faristol.casebook.letters import tell_apart
from faristol.casebook.reader import read_file
from faristol.casebook.runner import run_case
from faristol.pb.game.v1 import events_pb2 as events

DUPLICATE = """\
kind: duplicate
ruleset: fisc-2023-duplicate
words: [C A S E R N A, C A S A]
players: [Anna Puig, Βασίλης]
cases:
  - case: One
    articles: FISC II.9
    steps:
      - judge: call-rack C A S E R N A
      - judge: start-turn
        at: 0:00
      - Anna Puig: slip H8 C A S A
      - judge: score-turn
        at: 3:00
        facts: [TurnScored: {turn: 1, scores: [{player-id: Anna Puig, points: 10}, {player-id: Βασίλης, fault: FAULT}]}]
"""

TOURNAMENT = """\
kind: tournament
ruleset: fise
players: {Anna Puig: 1800, Βασίλης: 1700}
rounds: 1
cases:
  - case: One
    articles: FISE 26
    steps:
      - director: pair-round 1
        facts: [RoundPaired: {pairings: [{table: 1, player-ids: PLAYERS}]}]
      - director: start-round 1
      - Anna Puig: start-game
      - Anna Puig: turn pass
        on-turn: TURN
        facts: [TurnPassed: {player-id: PASSED}]
"""


async def problems_of(tmp_path: Path, text: str) -> list[str]:
    """Return all problems of the cases of ``text``."""
    file = tmp_path / "cases.yaml"
    file.write_text(text, encoding="utf-8")
    cases, errors = read_file(file)
    found = [str(error) for error in errors]
    for case in cases:
        found += (await run_case(case)).problems
    return [problem.removeprefix(str(file)) for problem in found]


async def test_names_stand_for_ids_in_lists_inside_events(tmp_path: Path) -> None:
    assert await problems_of(tmp_path, DUPLICATE.replace("FAULT", "not-handed-in")) == []
    (wrong,) = await problems_of(tmp_path, DUPLICATE.replace("FAULT", "illegible"))
    assert "{player-id: Anna Puig, points: 10}" in wrong
    assert "fault: not-handed-in" in wrong
    assert "anna-puig" not in wrong
    assert "p2" not in wrong


@pytest.mark.parametrize(("turn", "passed"), [("Βασίλης", "Βασίλης"), ("Anna Puig", "Anna Puig")])
async def test_what_is_said_of_a_tournament_names_its_players(tmp_path: Path, turn: str, passed: str) -> None:
    text = TOURNAMENT.replace("PLAYERS", "[Anna Puig, Βασίλης]").replace("TURN", turn).replace("PASSED", passed)
    told = await problems_of(tmp_path, text)
    assert told
    assert not [problem for problem in told if "anna-puig" in problem or "p2" in problem]


def test_a_message_is_written_as_a_case_writes_it() -> None:
    word = events.ScoredWord(word=events.Word(faces=["C", "A"]), row=7, column=7, score=4)
    event = events.PlayPlaced(turn=1, player_id="anna", words=[word], score=4)
    assert format_message(event, {"anna": "Anna"}.__getitem__) == (
        "turn: 1, player-id: Anna, words: [{square: 8H, word: C A, score: 4}], score: 4"
    )
    assert (
        format_message(events.SanctionImposed(kind=events.SANCTION_KIND_TURN), named=["points"])
        == "kind: turn, points: 0"
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("is it 'Anna' or 'Αnna'", "U+0041 LATIN CAPITAL LETTER A is not U+0391 GREEK CAPITAL LETTER ALPHA"),
        ("expected José, got Jose\u0301", "U+00E9 LATIN SMALL LETTER E WITH ACUTE is not U+0065 LATIN SMALL LETTER E"),
        ("expected 10 for O, got 1O", ""),
        ("expected Anna, got Hanna", ""),
    ],
)
def test_letters_that_look_alike_are_named(text: str, note: str) -> None:
    told = tell_apart(text)
    assert told.startswith(text)
    assert (note in told) if note else told == text
