"""Amounts of money in forms and on pages. Pure."""

from __future__ import annotations

import re
from decimal import Decimal

from babel.numbers import format_currency

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

_AMOUNT = re.compile(r"(\d{1,12})(?:[.,](\d{1,3}))?")


def parse_amount(field: str, text: str, decimals: int) -> int:
    """Return an amount, typed as ``25``, ``25.50`` or ``25,50``, in the smallest unit; 0 if empty.

    Raises ``Invalid`` for any other text, and for more digits than the currency has.
    """
    if not text.strip():
        return 0
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or len(found[2] or "") > decimals:
        raise Invalid(
            field, N_("{given} is not an amount; expected one such as 25 or 25.50"), {"given": repr(text.strip())}
        )
    units: int = 10**decimals
    return int(found[1]) * units + int((found[2] or "").ljust(decimals, "0") or 0)


def format_amount(amount: int, decimals: int, currency: str, language: str) -> str:
    """Return an amount as a reader of a language writes it, with its currency."""
    value = Decimal(amount).scaleb(-decimals)
    return str(format_currency(value, currency, locale=language)) if currency else str(value)


def format_input(amount: int, decimals: int) -> str:
    """Return an amount as an input of a form has it."""
    return f"{Decimal(amount).scaleb(-decimals):f}"
