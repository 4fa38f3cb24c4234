"""Refusals: the result of a command that the rules do not allow.

A refusal is an expected result, not a fault. It cites its article and says, in the reader's language, what was found
and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from string import Formatter
from types import MappingProxyType
from typing import Any

Param = str | int | float


class _Filling(Formatter):
    """A formatter of messages; ``{tiles:tile|tiles}`` selects the noun for the number ``tiles``."""

    def format_field(self, value: Any, format_spec: str) -> str:
        of_one, of_several, many = format_spec.partition("|")
        if not of_several:
            return str(super().format_field(value, format_spec))
        return of_one if str(value) == "1" else many


_FILLING = _Filling()


def fill(message: str, params: Mapping[str, Param]) -> str:
    """Return ``message`` with ``params`` in its fields.

    ``{tiles}`` is the value; ``{tiles:tile|tiles}`` is the first word for 1 and the second for any other number.
    English, Catalan, Spanish and Greek form the plural so.
    """
    return _FILLING.vformat(message, (), params)


def N_(message: str) -> str:  # noqa: N802 - the name that gettext tools look for
    """Mark ``message`` for translation without translating it."""
    return message


class Refusal(Exception):
    """A command or request that the rules do not allow.

    ``reason`` is a code for programs (``NOT_IN_LINE``). ``message`` is an English sentence with ``{named}`` fields
    (:func:`fill`) and the key of its translations; ``params`` fill the fields. ``article`` is the article of the rule
    book (``FISC I.6``), or empty if none applies. ``subject`` is the path of a resource that it concerns
    (``games/open-r1-t2``), or empty. ``others`` are further reasons. ``str()`` returns the English text.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        params: Mapping[str, Param] | None = None,
        *,
        article: str = "",
        subject: str = "",
        others: Sequence[Refusal] = (),
    ) -> None:
        self.reason = reason
        self.article = article
        self.message = message
        self.params: Mapping[str, Param] = MappingProxyType(dict(params or {}))
        self.subject = subject
        self.others = tuple(others)
        super().__init__(reason, message, dict(self.params))

    def replace(self, **changed: Any) -> Refusal:
        """Return the refusal with other values of some arguments."""
        values = {name: getattr(self, name) for name in ("reason", "article", "message", "params", "subject", "others")}
        return Refusal(**values | changed)

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling, for a refusal that another process raises."""
        make = partial(Refusal, article=self.article, subject=self.subject, others=self.others)
        return make, (self.reason, self.message, dict(self.params))

    def __str__(self) -> str:
        return fill(self.message, self.params)

    def __repr__(self) -> str:
        return f"Refusal({self.reason}, {self.article!r}: {self})"


def check_none(refusals: Sequence[Refusal]) -> None:
    """Raise the first of ``refusals``, if any, with the others attached."""
    if refusals:
        first, *others = refusals
        raise first.replace(others=others)
