"""The cost of a failed challenge in a file: by the rules, or by the file if the rules have none."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from faristol.rules import Ruleset, load_ruleset
from faristol.rules.gcg.game import Challenge, Wrong
from faristol.rules.gcg.table import check_challenge

FISC, BOX = load_ruleset("fisc-2023"), load_ruleset("box")


def costing(points: int, unit: Literal["challenge", "word"], goes: Literal["from-challenger", "to-mover"]) -> Ruleset:
    return replace(FISC, challenge=replace(FISC.challenge, penalty=points, penalty_unit=unit, penalty_goes=goes))


FIVE_A_WORD = costing(5, "word", "to-mover")
TEN_AT_ONCE = costing(10, "challenge", "from-challenger")


@pytest.mark.parametrize(
    ("ruleset", "nick", "points", "words", "stands", "reason"),
    [
        (FIVE_A_WORD, "a", 5, 2, True, ""),
        (FIVE_A_WORD, "a", 10, 2, True, ""),
        (FIVE_A_WORD, "a", 15, 2, True, "CHALLENGE_POINTS"),
        (FIVE_A_WORD, "a", 7, 2, True, "CHALLENGE_POINTS"),
        (FIVE_A_WORD, "a", 0, 2, True, "CHALLENGE_POINTS"),
        (FIVE_A_WORD, "a", -5, 2, True, "CHALLENGE_POINTS"),
        (FIVE_A_WORD, "b", -5, 2, True, "CHALLENGE_POINTS"),
        (FIVE_A_WORD, "a", 5, 2, False, ""),
        (FIVE_A_WORD, "a", 10, 2, False, "CHALLENGE_POINTS"),
        (FIVE_A_WORD, "a", 5, 1, False, "NO_PLAY"),
        (TEN_AT_ONCE, "b", -10, 3, True, ""),
        (TEN_AT_ONCE, "b", -20, 3, True, "CHALLENGE_POINTS"),
        (TEN_AT_ONCE, "b", -13, 3, True, "CHALLENGE_POINTS"),
        (TEN_AT_ONCE, "b", 10, 3, True, "CHALLENGE_POINTS"),
        (TEN_AT_ONCE, "a", 10, 3, True, "CHALLENGE_POINTS"),
        (TEN_AT_ONCE, "b", -10, 3, False, "NO_PLAY"),
        (FISC, "a", 5, 1, True, "CHALLENGE_POINTS"),
        (FISC, "a", 0, 1, True, "CHALLENGE_POINTS"),
        (BOX, "a", 5, 1, True, ""),
        (BOX, "a", 10, 1, True, ""),
        (BOX, "b", -20, 2, True, ""),
        (BOX, "a", 15, 1, True, "CHALLENGE_POINTS"),
        (BOX, "a", 0, 1, True, "CHALLENGE_POINTS"),
        (BOX, "a", 7, 1, True, "CHALLENGE_POINTS"),
        (BOX, "a", 5, 3, False, "NO_PLAY"),
    ],
)
def test_a_failed_challenge_is_worth_what_the_rules_allow(
    ruleset: Ruleset, nick: str, points: int, words: int, stands: bool, reason: str
) -> None:
    event = Challenge(nick=nick, rack=None, score=points, total=0)
    if not reason:
        check_challenge(event, "a", words, ruleset, stands=stands)
        return
    with pytest.raises(Wrong) as wrong:
        check_challenge(event, "a", words, ruleset, stands=stands)
    assert wrong.value.reason == reason
