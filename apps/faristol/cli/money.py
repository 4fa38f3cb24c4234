"""Amounts on the command line, in whole units of the currency: ``12.50`` for 1250 cents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from faristol.cli.client import ServiceClient
from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import fees_pb2 as fees
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.tournament_commands import Command
from faristol.table_terminal.shared.common import localize
from faristol.text.money import DEFAULT_CURRENCY, count_currency_digits
from faristol.typed_input.money import parse_money

ABOUT_AMOUNTS = "In units of the currency, such as 12.50."
"""Text instead of the smallest unit in the help of an option."""


def load_currency(method: str, tournament_id: str, client: ServiceClient) -> str:
    """Return the currency of the prizes or of the fees of a tournament; the default one without any."""
    asked: Any = (
        results.GetAwardsRequest(tournament_id=tournament_id, provisional=True)
        if method == "SetPrizeList"
        else fees.ListFeesRequest(tournament_id=tournament_id)
    )
    answer = client.answer_to(asked)
    return (answer.currency if method == "SetPrizeList" else answer.settings.currency) or DEFAULT_CURRENCY


def to_smallest_units(act: Command, given: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """Return the parameters of a command with its amounts in the smallest unit of the currency.

    An amount is plain, ``12.50``, or that of a category, ``U18=12.50``. Raises ``BadParameter`` for any other text.
    """
    digits = count_currency_digits(currency)

    def convert(name: str, text: str) -> str:
        key, equals, amount = text.rpartition("=")
        try:
            return f"{key}{equals}{parse_money(name, amount, digits)}"
        except Invalid as problem:
            raise typer.BadParameter(localize(problem.problem, **problem.params), param_hint=f"--{name}") from None

    changed = dict(given)
    for name in act.money:
        if isinstance(value := given.get(name), str):
            changed[name] = convert(name, value)
        elif value:
            changed[name] = [convert(name, part) for text in value for part in text.split(",")]
    return changed
