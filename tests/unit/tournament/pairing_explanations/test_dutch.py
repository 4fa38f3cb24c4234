"""The explanation why two players meet or not names the first criterion that would be met less well."""

from __future__ import annotations

import pytest
from tests.support.dutch_tournaments import Draw

from faristol.kernel.refusal import Refusal
from faristol.text import LANGUAGES, say
from faristol.tournament.engines.dutch.pairing import pair_round
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer, DutchRound, Float
from faristol.tournament.pairing_explanations import dutch_sentences
from faristol.tournament.pairing_explanations.dutch import BYE_NUMBER, Reason, why, why_not


def answer(a_round: DutchRound, number: int, other: int) -> str:
    return why_not(a_round, pair_round(a_round), number, other).name


def of(*players: DutchPlayer, **given: object) -> DutchRound:
    return DutchRound(players, number=2, **given)  # type: ignore[arg-type]


FOUR = tuple(DutchPlayer(number) for number in range(1, 5))


def test_what_is_not_for_the_criteria_is_said() -> None:
    met = (
        DutchPlayer(1, opponents=frozenset({3})),
        DutchPlayer(2),
        DutchPlayer(3, opponents=frozenset({1})),
        DutchPlayer(4),
    )
    assert answer(of(*met), 1, 3) == "C1"
    assert answer(of(*FOUR), 1, 3) == dutch_sentences.MEET
    assert answer(of(*FOUR), 1, 9) == dutch_sentences.NOT_TO_BE_PAIRED
    assert answer(of(*FOUR, forbidden=frozenset({frozenset((1, 3))})), 1, 3) == dutch_sentences.FORBIDDEN
    assert answer(of(*FOUR, kept=((1, 4),)), 1, 3) == dutch_sentences.PAIRED_ELSEWHERE
    twice = [DutchPlayer(number, colours=(colour, colour)) for number, colour in enumerate((WHITE, BLACK) * 2, 1)]
    assert answer(of(*twice), 1, 3) == "C3"


def test_the_order_of_candidates_decides_between_equals() -> None:
    assert answer(of(*FOUR), 1, 4) == dutch_sentences.ORDER


@pytest.mark.parametrize(
    ("players", "number", "other", "criterion"),
    [
        ((DutchPlayer(1, 10), DutchPlayer(2, 10), DutchPlayer(3), DutchPlayer(4)), 1, 3, "C6"),
        ((DutchPlayer(1, 20), DutchPlayer(2, 10), DutchPlayer(3, 10), DutchPlayer(4)), 1, 4, "C7"),
        ([DutchPlayer(number, colours=(colour,)) for number, colour in enumerate((1, 1, -1, -1), 1)], 1, 2, "C12"),
        (
            (
                DutchPlayer(1, 10),
                DutchPlayer(2, 10, floats=(Float.DOWN, Float.NONE)),
                DutchPlayer(3, 10),
                DutchPlayer(4),
            ),
            2,
            4,
            "C14",
        ),
        (
            (DutchPlayer(1, 10), DutchPlayer(2, floats=(Float.UP, Float.NONE)), DutchPlayer(3), DutchPlayer(4)),
            1,
            2,
            "C15",
        ),
    ],
)
def test_the_criterion_is_named(players: tuple[DutchPlayer, ...], number: int, other: int, criterion: str) -> None:
    assert answer(DutchRound(tuple(players), number=3), number, other) == criterion


def test_the_bye_has_reasons_too() -> None:
    a_round = of(DutchPlayer(1, 10), DutchPlayer(2, 10), DutchPlayer(3), DutchPlayer(4, had_bye=True), DutchPlayer(5))
    paired = pair_round(a_round)
    assert paired.bye in {3, 5}
    assert why(a_round, paired, paired.bye or 0).name == dutch_sentences.BYE
    assert why_not(a_round, paired, 4, BYE_NUMBER).name == "C2"
    assert why_not(a_round, paired, 1, BYE_NUMBER).name == "C5"
    assert why_not(of(*FOUR), pair_round(of(*FOUR)), 1, BYE_NUMBER).name == dutch_sentences.NO_BYE


def test_a_pair_that_the_bye_forbids_is_told_from_one_that_nothing_completes() -> None:
    """2 and 3 have met: if 1 met 4, the player with the least points, the bye would go to one of them."""
    players = (
        DutchPlayer(1, 10),
        DutchPlayer(2, 10, frozenset({3})),
        DutchPlayer(3, 10, frozenset({2})),
        DutchPlayer(4),
        DutchPlayer(5, 20),
    )
    a_round = DutchRound(players, number=3)
    assert pair_round(a_round).bye == 4
    assert answer(a_round, 1, 4) == "C5"


def test_every_pair_of_a_tournament_has_a_reason_in_every_language() -> None:
    seen = set()
    for seed in range(6):
        try:
            for a_round, paired in Draw(seed, most_players=10).pair_rounds():
                numbers = [player.number for player in a_round.players]
                answers = [why(a_round, paired, number) for number in numbers]
                answers += [
                    why_not(a_round, paired, number, other) for number in numbers for other in (*numbers, BYE_NUMBER)
                ]
                seen |= {(answer.name, answer.other == BYE_NUMBER) for answer in answers}
        except Refusal:
            continue
    assert {"C1", "C4", "C6", "C12", dutch_sentences.ORDER, dutch_sentences.FIRST_CANDIDATE} <= {
        name for name, _ in seen
    }
    for language in LANGUAGES:
        for name, bye in seen:
            reason = Reason(name, 7, BYE_NUMBER if bye else 8)
            assert "7" in say(reason.message, reason.params, language) or name == dutch_sentences.NO_BYE
