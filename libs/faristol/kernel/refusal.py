"""Refusals: how the law says no, and why.

A refusal is an answer, not an accident. It names the article that it rests on and says, in the reader's
language, what was found and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from string import Formatter
from types import MappingProxyType
from typing import Any

Param = str | int


class _Filling(Formatter):
    """The places of a sentence; ``{tiles:tile|tiles}`` is the noun that goes with the number ``tiles``."""

    def format_field(self, value: Any, format_spec: str) -> str:
        of_one, of_several, many = format_spec.partition("|")
        if not of_several:
            return str(super().format_field(value, format_spec))
        return of_one if str(value) == "1" else many


_FILLING = _Filling()


def fill(message: str, params: Mapping[str, Param]) -> str:
    """``message`` with ``params`` in its places.

    ``{tiles}`` is the value; ``{tiles:tile|tiles}`` is the first word for the number 1 and the second for every other,
    which is the plural of English, Catalan, Spanish and Greek alike.
    """
    return _FILLING.vformat(message, (), params)


def N_(message: str) -> str:  # noqa: N802 - the name that gettext tools look for
    """Mark ``message`` for translation without translating it."""
    return message


class Refusal(Exception):
    """Something asked for that the rules do not allow.

    ``reason`` is a word for machines (``NOT_IN_LINE``), ``article`` the law it rests on (``FISC I.6``, or
    empty where no article applies), ``message`` an English sentence with ``{named}`` places
    (:func:`fill`), which is also the key of its translations, and ``params`` what fills those places. ``subject`` is
    what it is about where that can be looked at (``games/open-r1-t2``), ``others`` are further reasons. ``str()``
    gives the English text.
    """

    def __init__(
        self,
        reason: str,
        article: str,
        message: str,
        params: Mapping[str, Param] | None = None,
        *,
        subject: str = "",
        others: Sequence[Refusal] = (),
    ) -> None:
        self.reason = reason
        self.article = article
        self.message = message
        self.params: Mapping[str, Param] = MappingProxyType(dict(params or {}))
        self.subject = subject
        self.others = tuple(others)
        super().__init__(reason, article, message, dict(self.params))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it: another process may have refused."""
        make = partial(Refusal, subject=self.subject, others=self.others)
        return make, (self.reason, self.article, self.message, dict(self.params))

    def __str__(self) -> str:
        return fill(self.message, self.params)

    def __repr__(self) -> str:
        return f"Refusal({self.reason}, {self.article!r}: {self})"


def check_none(refusals: Sequence[Refusal]) -> None:
    """Refuse with the first of several reasons, and all others beside it."""
    if refusals:
        first, *others = refusals
        raise Refusal(first.reason, first.article, first.message, first.params, subject=first.subject, others=others)
