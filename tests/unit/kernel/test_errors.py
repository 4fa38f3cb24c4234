from __future__ import annotations

from faristol.kernel.errors import NotFound


def test_a_missing_round_is_told_with_its_tournament_and_not_by_an_internal_id() -> None:
    assert str(NotFound("round", "tardor/9")) == "tardor has no round 9"
    assert str(NotFound("round", "9")) == "there is no round '9'"
