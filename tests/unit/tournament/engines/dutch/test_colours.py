"""The player of a pair with white, and the article (FIDE C.04.3 5.2)."""

from __future__ import annotations

import pytest

from faristol.tournament.engines.dutch.colours import allocate
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer

W, B = WHITE, BLACK


@pytest.mark.parametrize(
    ("higher", "lower", "initial", "colour", "article"),
    [
        ((), (), W, W, "5.2.5"),
        ((), (), B, B, "5.2.5"),
        ((), (W,), W, W, "5.2.1"),
        ((), (B,), W, B, "5.2.1"),
        ((W,), (), W, B, "5.2.1"),
        ((B,), (), B, W, "5.2.1"),
        ((W,), (B,), W, B, "5.2.1"),
        ((W,), (B, W, W), W, W, "5.2.2"),  # the lower one had white twice: an absolute preference
        ((B, W, W), (W,), W, B, "5.2.2"),
        ((W, B), (B,), W, B, "5.2.2"),  # a mild preference against a strong one
        ((B, W, B, B), (B, B), W, W, "5.2.4"),  # both absolute, by two games with black more
        ((B, B), (W, B, B), W, W, "5.2.2"),  # both absolute, by two games more and by one
        ((W, B, B), (B, B), W, B, "5.2.2"),
        ((W, B, W), (B, W, W), W, W, "5.2.2"),
        ((B, W, B), (W, B, B), W, B, "5.2.2"),
        ((W, B, B, W, B), (B, W, W, B, B), W, B, "5.2.2"),
        ((W, W, B), (W, B, W), W, W, "5.2.3"),
        ((B, W, W), (W, W, B), W, B, "5.2.2"),
        ((W,), (W,), W, B, "5.2.4"),
        ((B,), (B,), W, W, "5.2.4"),
        ((B, B), (B, B), B, W, "5.2.4"),
        ((W, B, B), (B, W, W, B, B), W, W, "5.2.4"),
        ((W, B, W, W), (B, W, W), W, B, "5.2.2"),
    ],
)
def test_the_stronger_claim_then_the_latest_difference_then_the_higher_player_decides(
    higher: tuple[int, ...], lower: tuple[int, ...], initial: int, colour: int, article: str
) -> None:
    assert allocate(DutchPlayer(1, colours=higher), DutchPlayer(2, colours=lower), initial) == (colour, article)
