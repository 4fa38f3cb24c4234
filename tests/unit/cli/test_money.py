"""Amounts on the command line are in whole units of the currency."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from faristol.cli.money import to_smallest_units
from faristol.presentation.catalogue import CATALOGUE


@pytest.mark.parametrize(
    ("method", "currency", "given", "smallest"),
    [
        ("RecordPayment", "EUR", {"amount": "12.50", "player_id": "anna"}, {"amount": "1250", "player_id": "anna"}),
        ("RefundPayment", "EUR", {"amount": "12,5"}, {"amount": "1250"}),
        ("RecordPayment", "JPY", {"amount": "1200"}, {"amount": "1200"}),
        ("RecordPayment", "EUR", {"amount": None}, {"amount": None}),
        (
            "SetFees",
            "EUR",
            {"amount": "25", "early_discount": "2.5", "categories": ["U18=10", "Over=60=7.50"]},
            {"amount": "2500", "early_discount": "250", "categories": ["U18=1000", "Over=60=750"]},
        ),
        ("SetPrizeList", "EUR", {"amounts": ["300,200.50"]}, {"amounts": ["30000", "20050"]}),
    ],
)
def test_an_amount_is_read_in_units_of_the_currency(
    method: str, currency: str, given: dict[str, Any], smallest: dict[str, Any]
) -> None:
    assert to_smallest_units(CATALOGUE[method], given, currency) == smallest


@pytest.mark.parametrize(("amount", "currency"), [("12.505", "EUR"), ("1.5", "JPY"), ("much", "EUR"), ("-1", "EUR")])
def test_any_other_amount_is_refused(amount: str, currency: str) -> None:
    with pytest.raises(typer.BadParameter, match="expected an amount"):
        to_smallest_units(CATALOGUE["RecordPayment"], {"amount": amount}, currency)


def test_no_command_writes_an_amount_in_the_smallest_unit() -> None:
    for method, command in CATALOGUE.items():
        fields = {"amount", "amounts", "early_discount"} & _fields_of(method)
        assert fields <= command.money, method


def _fields_of(method: str) -> set[str]:
    from faristol.cli.contract import COMMAND_METHODS

    return {field.name for field in COMMAND_METHODS[method].input_type.fields}
