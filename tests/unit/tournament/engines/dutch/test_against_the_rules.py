"""The engine agrees with the rules, by trying every candidate in their order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.unit.tournament.engines.dutch.naive import first_of_the_best

from faristol.kernel.refusal import Refusal
from faristol.tournament.engines.dutch.pairing import pair_round
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer, DutchRound, Float

COLOURS = st.lists(st.sampled_from((WHITE, BLACK)), max_size=4).map(tuple)


@st.composite
def brackets(draw: st.DrawFn) -> tuple[DutchPlayer, ...]:
    """Return players of one score: some have met, all with colours, floats and byes."""
    count = draw(st.integers(2, 8))
    met: dict[int, set[int]] = {number: set() for number in range(1, count + 1)}
    for player in range(1, count + 1):
        for other in range(player + 1, count + 1):
            if draw(st.booleans()) and draw(st.booleans()):
                met[player].add(other)
                met[other].add(player)
    floats = st.sampled_from((Float.NONE, Float.DOWN, Float.UP))
    return tuple(
        DutchPlayer(
            number=number,
            points=30,
            opponents=frozenset(met[number]),
            colours=draw(COLOURS),
            floats=(draw(floats), draw(floats)),
            had_bye=draw(st.booleans()) and draw(st.booleans()),
            unplayed=draw(st.integers(0, 2)),
            topscorer=draw(st.booleans()) and draw(st.booleans()),
        )
        for number in range(1, count + 1)
    )


@settings(max_examples=scale_examples(120), deadline=None)
@given(brackets())
def test_the_first_of_the_best_candidates_is_taken(players: tuple[DutchPlayer, ...]) -> None:
    expected = first_of_the_best(players)
    try:
        paired = pair_round(DutchRound(players, number=5))
    except Refusal:
        assert expected is None
        return
    found = frozenset(frozenset((board.white, board.black)) for board in paired.boards)
    assert (found, paired.bye) == expected
