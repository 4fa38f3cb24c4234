from __future__ import annotations

import pytest

from faristol.rules import N_, Refusal


def test_a_refusal_says_in_english_what_was_found_and_keeps_the_message_for_translation() -> None:
    message = N_("{square} is taken.")
    refusal = Refusal("SQUARE_TAKEN", "FISC I.6", message, {"square": "H8"})
    assert str(refusal) == "H8 is taken."
    assert (refusal.reason, refusal.article, refusal.message) == ("SQUARE_TAKEN", "FISC I.6", "{square} is taken.")
    assert repr(refusal) == "Refusal(SQUARE_TAKEN, 'FISC I.6': H8 is taken.)"


def test_what_a_refusal_says_cannot_be_changed_afterwards() -> None:
    params = {"square": "H8"}
    refusal = Refusal("SQUARE_TAKEN", "", "{square}", params)
    params["square"] = "A1"
    assert str(refusal) == "H8"
    with pytest.raises(TypeError):
        refusal.params["square"] = "A1"  # type: ignore[index]
