from __future__ import annotations

import pytest

from faristol.kernel.refusal import N_, Refusal, fill


def test_a_refusal_says_in_english_what_was_found_and_keeps_the_message_for_translation() -> None:
    message = N_("{square} is taken.")
    refusal = Refusal("SQUARE_TAKEN", message, {"square": "H8"}, article="FISC I.6")
    assert str(refusal) == "H8 is taken."
    assert (refusal.reason, refusal.article, refusal.message) == ("SQUARE_TAKEN", "FISC I.6", "{square} is taken.")
    assert repr(refusal) == "Refusal(SQUARE_TAKEN, 'FISC I.6': H8 is taken.)"


def test_what_a_refusal_says_cannot_be_changed_afterwards() -> None:
    params = {"square": "H8"}
    refusal = Refusal("SQUARE_TAKEN", "{square}", params)
    params["square"] = "A1"
    assert str(refusal) == "H8"
    with pytest.raises(TypeError):
        refusal.params["square"] = "A1"  # type: ignore[index]


@pytest.mark.parametrize(("tiles", "told"), [(0, "0 tiles"), (1, "1 tile"), ("1", "1 tile"), (2, "2 tiles")])
def test_a_noun_goes_with_its_number(tiles: int | str, told: str) -> None:
    assert fill("{tiles} {tiles:tile|tiles}", {"tiles": tiles}) == told
    assert str(Refusal("TILES", "{tiles} {tiles:tile|tiles}", {"tiles": tiles})) == told


def test_what_is_filled_in_is_not_read_as_a_place() -> None:
    assert fill("{word}: {{player}}", {"word": "{tiles:a|b}"}) == "{tiles:a|b}: {player}"
