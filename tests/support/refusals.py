"""Run a command that is refused, and return its refusal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from faristol.kernel.refusal import Refusal


def refusal_of(act: Callable[[], object]) -> Refusal:
    """Return the refusal that a call raises."""
    with pytest.raises(Refusal) as refused:
        act()
    return refused.value


def reason_of(act: Callable[[], object]) -> str:
    """Return the reason of the refusal that a call raises."""
    return refusal_of(act).reason


def reason_and_article_of(act: Callable[[], object]) -> tuple[str, str]:
    """Return the reason and the article of the refusal that a call raises."""
    refusal = refusal_of(act)
    return refusal.reason, refusal.article
