"""Every round satisfies the absolute rules, in any tournament."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.dutch_tournaments import Draw
from tests.support.examples import scale_examples
from tests.support.other_dutch import pair_elsewhere

from faristol.kernel.refusal import Refusal
from faristol.tournament.engines.dutch import pairing
from faristol.tournament.engines.dutch.digest import digest, draw_initial_colour
from faristol.tournament.engines.dutch.pairing import PairedRound, pair_round
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer, DutchRound, Float, Strength

MAX_SEED = 5000
"""A seed range wide enough that no two runs of hypothesis see the same tournaments."""


def pairs(paired: PairedRound) -> set[frozenset[int]]:
    return {frozenset((board.white, board.black)) for board in paired.boards}


@settings(max_examples=scale_examples(40), deadline=None)
@given(st.integers(0, MAX_SEED))
def test_no_absolute_criterion_is_broken(seed: int) -> None:
    try:
        for a_round, paired in Draw(seed).pair_rounds():
            players = {player.number: player for player in a_round.players}
            met = [number for pair in pairs(paired) for number in pair]
            resting = [] if paired.bye is None else [paired.bye]
            assert sorted([*met, *resting]) == sorted(players)
            assert len(resting) == len(players) % 2
            assert not any(players[number].had_bye for number in resting)
            for pair in pairs(paired):
                player, other = (players[number] for number in pair)
                assert other.number not in player.opponents
                if player.strength is other.strength is Strength.ABSOLUTE and not (player.topscorer or other.topscorer):
                    assert player.preference != other.preference
    except Refusal as refusal:
        assert refusal.reason in {"NO_PAIRING", "NO_BYE_LEFT", "NO_OPPONENT_LEFT"}  # noqa: PT017


@settings(max_examples=15, deadline=None)
@given(st.integers(0, MAX_SEED))
def test_nobody_has_an_absolute_preference_denied_without_being_a_topscorer(seed: int) -> None:
    try:
        for a_round, paired in Draw(seed).pair_rounds():
            if any(player.topscorer for player in a_round.players):
                continue
            players = {player.number: player for player in a_round.players}
            for board in paired.boards:
                for number, colour in ((board.white, WHITE), (board.black, BLACK)):
                    if players[number].strength is Strength.ABSOLUTE:
                        assert players[number].preference == colour
    except Refusal:
        return


@settings(max_examples=15, deadline=None)
@given(st.integers(0, MAX_SEED))
def test_looking_at_the_next_scoregroup_alone_gives_the_same_pairs(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        try:
            for a_round, paired in Draw(seed).pair_rounds():
                patch.setattr(pairing, "SMALL_FIELD_PLAYERS", 0)
                near = pair_round(a_round)
                patch.undo()
                assert (near.boards, near.bye) == (paired.boards, paired.bye)
        except Refusal:
            return


@pytest.mark.parametrize("seed", range(20))
def test_another_engine_pairs_alike(seed: int) -> None:
    """caissify-pairings follows the same edition. It takes the colour of 5.2.4 and 5.2.5 by another order."""
    draw = Draw(seed, most_players=14)
    rounds = 0
    try:
        for a_round, paired in draw.pair_rounds():
            rounds += 1
            expected = pair_elsewhere(a_round, draw.rounds)
            assert pairs(paired) == {frozenset(pair) for pair in expected if None not in pair}
            for board in paired.boards:
                if board.article in {"5.2.1", "5.2.2", "5.2.3"}:
                    assert (board.white, board.black) in expected
            assert paired.bye == next((first for first, other in expected if other is None), None)
    except Refusal as refusal:
        assert refusal.reason  # noqa: PT017
    assert rounds


def eight(**changed: object) -> DutchRound:
    return replace(DutchRound(tuple(DutchPlayer(number) for number in range(1, 9))), **changed)  # type: ignore[arg-type]


def test_the_first_round_is_the_upper_half_against_the_lower() -> None:
    paired = pair_round(eight())
    assert [(board.white, board.black) for board in paired.boards] == [(1, 5), (6, 2), (3, 7), (8, 4)]
    assert {board.article for board in paired.boards} == {"5.2.5"}


def test_the_initial_colour_is_that_of_the_odd_numbers() -> None:
    paired = pair_round(eight(initial_colour=BLACK))
    assert [(board.white, board.black) for board in paired.boards] == [(5, 1), (2, 6), (7, 3), (4, 8)]
    assert {draw_initial_colour(bytes([number])) for number in range(20)} == {WHITE, BLACK}
    assert draw_initial_colour(b"seed") == draw_initial_colour(b"seed")


def test_pairs_that_are_kept_apart_do_not_meet() -> None:
    paired = pair_round(eight(forbidden=frozenset({frozenset((1, 5)), frozenset((2, 5))})))
    assert pairs(paired) == {frozenset(pair) for pair in ((1, 6), (2, 7), (3, 5), (4, 8))}


def test_pairs_made_by_hand_stand() -> None:
    paired = pair_round(eight(kept=((7, 1),)))
    assert (7, 1) in [(board.white, board.black) for board in paired.boards]
    assert pairs(paired) - {frozenset((1, 7))} == {frozenset(pair) for pair in ((2, 5), (3, 6), (4, 8))}


def test_without_colours_the_higher_player_stands_first_and_histories_do_not_matter() -> None:
    players = tuple(DutchPlayer(number, colours=(WHITE, WHITE)) for number in range(1, 5))
    with pytest.raises(Refusal, match="may meet no remaining player"):
        pair_round(DutchRound(players, number=3))
    paired = pair_round(DutchRound(players, number=3, colours=False))
    assert [(board.white, board.black, board.article) for board in paired.boards] == [(1, 3, ""), (2, 4, "")]


def test_a_downfloat_is_not_repeated_where_that_can_be_avoided() -> None:
    """Three leaders: the last would float down, but did so before, so another one floats (C14)."""
    floats = (Float.DOWN, Float.NONE)
    leaders = [DutchPlayer(1, 10), DutchPlayer(2, 10), DutchPlayer(3, 10, floats=floats)]
    paired = pair_round(
        DutchRound((*leaders, *(DutchPlayer(number) for number in range(4, 7))), number=2, colours=False)
    )
    assert frozenset((1, 3)) in pairs(paired)
    usual = pair_round(
        DutchRound(
            (*leaders[:2], DutchPlayer(3, 10), *(DutchPlayer(number) for number in range(4, 7))),
            number=2,
            colours=False,
        )
    )
    assert frozenset((1, 2)) in pairs(usual)


def test_the_same_inputs_have_the_same_digest_and_others_another() -> None:
    assert digest(eight()) == digest(replace(eight(), players=tuple(reversed(eight().players))))
    others = [
        eight(number=2),
        eight(colours=False),
        eight(initial_colour=BLACK),
        eight(kept=((1, 2),)),
        eight(forbidden=frozenset({frozenset((1, 2))})),
        replace(eight(), players=eight().players[1:]),
        replace(eight(), players=(replace(eight().players[0], points=5), *eight().players[1:])),
    ]
    assert len({digest(a_round) for a_round in (eight(), *others)}) == len(others) + 1
