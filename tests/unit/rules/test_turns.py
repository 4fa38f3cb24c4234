from __future__ import annotations

import dataclasses
from typing import Literal

import pytest

from faristol.rules import Refusal, check_pass, load_ruleset
from faristol.rules.turns import exchange_limit

FISC = load_ruleset("fisc-2023")


@pytest.mark.parametrize(
    ("limit", "by_bag"),
    [
        ("bag", {0: 0, 3: 3, 6: 6, 7: 7, 50: 7}),
        ("full-rack-in-bag", {0: 0, 6: 0, 7: 7, 50: 7}),
        ("leave-full-rack", {0: 0, 7: 0, 10: 3, 13: 6, 14: 7, 50: 7}),
    ],
)
def test_each_rule_book_bounds_an_exchange_in_its_way(
    limit: Literal["bag", "full-rack-in-bag", "leave-full-rack"], by_bag: dict[int, int]
) -> None:
    ruleset = dataclasses.replace(FISC, exchange=dataclasses.replace(FISC.exchange, limit=limit))
    assert {bag: exchange_limit(bag, ruleset) for bag in by_bag} == by_bag


def test_a_pass_may_need_a_full_rack_in_the_bag() -> None:
    ruleset = dataclasses.replace(FISC, passing=dataclasses.replace(FISC.passing, allowed="full-rack-in-bag"))
    check_pass(7, ruleset)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "PASS_NOT_ALLOWED"):
        check_pass(6, ruleset)
    check_pass(0, FISC)
