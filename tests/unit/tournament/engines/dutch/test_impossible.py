"""A round that cannot be paired reports the reason, and the choices of the arbiter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faristol.kernel.refusal import Refusal
from faristol.tournament.engines.dutch.impossible import Choice, WaivedRule, choices
from faristol.tournament.engines.dutch.pairing import pair_round
from faristol.tournament.engines.dutch.player import WHITE, DutchPlayer, DutchRound


def read_refusal(a_round: DutchRound) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        pair_round(a_round)
    return refusal.value


def trio() -> tuple[DutchPlayer, ...]:
    """Return six players of whom two trios have yet to meet among themselves."""
    sides = ({1, 2, 3}, {4, 5, 6})
    return tuple(
        DutchPlayer(number, opponents=frozenset(sides[1] if number in sides[0] else sides[0])) for number in range(1, 7)
    )


def test_two_trios_can_be_paired_by_one_rematch() -> None:
    a_round = DutchRound(trio(), number=4)
    refusal = read_refusal(a_round)
    assert (refusal.reason, refusal.article) == ("NO_PAIRING", "FIDE C.04.3 1.9.3")
    (choice,) = choices(a_round)
    assert choice.way is WaivedRule.REMATCH
    (pair,) = choice.exceptions
    assert len(pair) == 2
    paired = pair_round(replace(a_round, kept=((pair[0], pair[1]),)))
    assert len(paired.boards) == 3


def test_somebody_without_any_opponent_is_named() -> None:
    players = (DutchPlayer(1, opponents=frozenset((2, 3, 4))), DutchPlayer(2), DutchPlayer(3), DutchPlayer(4))
    refusal = read_refusal(DutchRound(players, number=4))
    assert (refusal.reason, refusal.params["player"]) == ("NO_OPPONENT_LEFT", 1)


def test_an_even_number_needs_no_bye() -> None:
    pair = (
        DutchPlayer(1, opponents=frozenset({2}), had_bye=True),
        DutchPlayer(2, opponents=frozenset({1}), had_bye=True),
    )
    assert read_refusal(DutchRound(pair, number=2)).reason == "NO_OPPONENT_LEFT"


@pytest.mark.parametrize("count", [3, 5, 7])
def test_nobody_left_for_the_bye_leaves_a_second_bye(count: int) -> None:
    players = tuple(DutchPlayer(number, had_bye=True) for number in range(1, count + 1))
    assert read_refusal(DutchRound(players, number=4)).reason == "NO_BYE_LEFT"
    assert choices(DutchRound(players, number=4)) == (Choice(WaivedRule.BYE, ((count,),)),)


def test_colours_and_forbidden_pairs_can_be_set_aside() -> None:
    players = tuple(DutchPlayer(number, colours=(WHITE, WHITE)) for number in (1, 2))
    a_round = DutchRound(players, number=3)
    assert choices(a_round) == (Choice(WaivedRule.COLOUR, ((1, 2),)),)
    apart = DutchRound((DutchPlayer(1), DutchPlayer(2)), forbidden=frozenset({frozenset((1, 2))}))
    assert choices(apart) == (Choice(WaivedRule.FORBIDDEN, ((1, 2),)),)


def test_there_is_nothing_to_choose_where_a_pairing_exists() -> None:
    assert choices(DutchRound((DutchPlayer(1), DutchPlayer(2)))) == ()
