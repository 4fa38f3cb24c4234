"""Amounts of money as people write them. Pure."""

from __future__ import annotations

import re

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

_AMOUNT = re.compile(r"(?P<whole>\d{1,12})(?:[.,](?P<rest>\d{1,4}))?", re.ASCII)


def parse_money(field: str, text: str, digits: int) -> int:
    """Return an amount, such as ``300`` or ``12,50``, in the smallest unit of a currency with ``digits`` of a fraction.

    Raises ``Invalid`` for ``field`` if it is not one, or has more digits after the point than the currency.
    """
    found = _AMOUNT.fullmatch(text.strip().replace(" ", "").replace("\N{NO-BREAK SPACE}", ""))
    rest = (found["rest"] or "") if found else ""
    if found is None or len(rest) > digits:
        raise Invalid(field, N_("expected an amount, such as 300 or 12.50, got {given}"), {"given": repr(text[:40])})
    return int(found["whole"] + rest.ljust(digits, "0"))


def parse_amounts(field: str, text: str, digits: int) -> list[int]:
    """Return the amounts of a text with one in each line. Raises ``Invalid`` as ``parse_money`` does."""
    return [parse_money(field, line, digits) for line in text.splitlines() if line.strip()]
