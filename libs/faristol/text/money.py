"""Amounts of money as text. Amounts are whole numbers of the smallest unit of their currency."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from babel.numbers import format_currency, get_currency_precision

DEFAULT_CURRENCY = "EUR"
"""Currency of the prizes of a tournament without prize rules."""


def count_currency_digits(currency: str) -> int:
    """Return the number of digits after the point in amounts of a currency; 2 for an unknown one."""
    return get_currency_precision(currency)


def format_money(amount: int, currency: str, language: str) -> str:
    """Format an amount in the smallest unit of a currency: ``€300.00`` or ``300,00 €``.

    Without a currency, the number of units is returned.
    """
    if not currency:
        return str(amount)
    digits = count_currency_digits(currency)
    whole, rest = divmod(abs(amount), 10**digits)
    value = Decimal(whole) + Decimal(rest).scaleb(-digits)
    return str(format_currency(value if amount >= 0 else -value, currency, locale=language)).replace("-", "−")


def format_plain(amount: int, digits: int) -> str:
    """Format an amount without its currency, with ``digits`` after the point, as in an input: ``12.50``."""
    return f"{Decimal(amount).scaleb(-digits):f}"


def format_prize(amount: int, things: Sequence[str], currency: str, language: str) -> str:
    """Format a prize of money and things, separated by commas; a dash for neither."""
    parts = [format_money(amount, currency, language)] if amount else []
    return ", ".join([*parts, *filter(None, things)]) or "–"
