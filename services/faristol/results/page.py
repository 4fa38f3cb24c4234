"""A part of a long answer, and what gives the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

T = TypeVar("T")

LONGEST_TOKEN = 9
"""Digits."""


def page(items: Sequence[T], size: int, token: str) -> tuple[Sequence[T], str]:
    """The items after those that gave ``token``, at most ``size`` (0: all), and the token of the next; empty for none.

    Raises ``Invalid`` for a size below 0, and for a token that no answer gave.
    """
    if size < 0:
        raise Invalid("page_size", N_("is {size}; expected 1 or more, or 0 for everything"), {"size": size})
    if token and not (token.isascii() and token.isdigit() and len(token) <= LONGEST_TOKEN):
        raise Invalid("page_token", N_("expected what an answer gave as next_page_token"))
    start = int(token or 0)
    end = start + size if size else len(items)
    return items[start:end], str(end) if end < len(items) else ""
