"""Pages of a long answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

T = TypeVar("T")

MAX_TOKEN_DIGITS = 9
"""Digits."""


def page(items: Sequence[T], size: int, token: str) -> tuple[Sequence[T], str]:
    """Return at most ``size`` items (0: all) from ``token`` on, and the token of the next page; empty for none.

    Raises ``Invalid`` for a negative size and for a malformed token.
    """
    if size < 0:
        raise Invalid("page_size", N_("is {size}; expected 1 or more, or 0 for everything"), {"size": size})
    if token and not (token.isascii() and token.isdigit() and len(token) <= MAX_TOKEN_DIGITS):
        raise Invalid("page_token", N_("expected the next_page_token of an answer"))
    start = int(token or 0)
    end = start + size if size else len(items)
    return items[start:end], str(end) if end < len(items) else ""
