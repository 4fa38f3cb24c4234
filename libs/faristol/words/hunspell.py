"""Writing out a hunspell dictionary: every word that its stems and affixes make.

Only what can become words on a board: an affix with an apostrophe, a hyphen, a capital or a digit is left
out from the start, which is most of a Catalan dictionary (``l'``, ``-se``). Suffixes may be followed by one more
suffix, and a prefix goes with suffixes where both allow it (hunspell's cross product). Compounds are not made.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

_LETTERS = re.compile(r"(?:[^\W\d_]|·)*")


@dataclass(frozen=True, slots=True)
class _Change:
    """What one line of an affix class does to a word that meets the line's condition."""

    strip: str
    add: str
    onward: tuple[str, ...]
    """Flags that the changed word has, for a second suffix."""


@dataclass(slots=True)
class _Class:
    """An affix class: its lines by their condition, so that each condition is tried once a word."""

    suffix: bool
    crosses: bool
    lines: dict[re.Pattern[str], list[_Change]] = field(default_factory=lambda: defaultdict(list))


class Affixes:
    """The affix file of a dictionary."""

    def __init__(self, text: str) -> None:
        """Read ``text``, the content of an ``.aff`` file, which must be UTF-8 by its own word."""
        self._mode = ""
        self._marks: dict[str, str] = {}
        self._full_strip = False
        self._classes: dict[str, _Class] = {}
        for line in text.splitlines():
            match line.split():
                case ["FLAG", mode, *_]:
                    self._mode = mode
                case ["FULLSTRIP"]:
                    self._full_strip = True
                case ["FORBIDDENWORD" | "NEEDAFFIX" | "ONLYINCOMPOUND" as meaning, flag, *_]:
                    self._marks[meaning] = flag
                case ["SFX" | "PFX" as kind, flag, "Y" | "N" as crosses, count] if count.isdigit():
                    self._classes[flag] = _Class(kind == "SFX", crosses == "Y")
                case ["SFX" | "PFX", flag, strip, change, *condition]:
                    self._add_line(self._classes[flag], strip, change, condition[0] if condition else ".")

    def _add_line(self, affix: _Class, strip: str, change: str, condition: str) -> None:
        add, _, onward = change.partition("/")
        add = "" if add == "0" else add
        if not _LETTERS.fullmatch(add) or add != add.lower():
            return
        pattern = re.compile(f"(?:{condition})$" if affix.suffix else condition)
        affix.lines[pattern].append(_Change("" if strip == "0" else strip, add, self._flags(onward)))

    def _flags(self, text: str) -> tuple[str, ...]:
        if self._mode == "long":
            return tuple(text[at : at + 2] for at in range(0, len(text), 2))
        return tuple(text.split(",")) if self._mode == "num" else tuple(text)

    def words(self, entries: str) -> Iterator[str]:
        """Every word of ``entries``, the content of a ``.dic`` file, repeats among them."""
        for line in entries.splitlines()[1:]:
            stem, _, flags = line.split("\t")[0].split(" ")[0].partition("/")
            if _LETTERS.fullmatch(stem) and stem == stem.lower():
                yield from self._forms(stem, self._flags(flags))

    def _forms(self, stem: str, flags: tuple[str, ...]) -> Iterator[str]:
        marked = {meaning for meaning, flag in self._marks.items() if flag in flags}
        if marked - {"NEEDAFFIX"}:
            return
        if not marked:
            yield stem
        prefixes = [affix for flag in flags if (affix := self._classes.get(flag)) and not affix.suffix]
        for prefix in prefixes:
            for form, _ in self._changed(stem, prefix):
                yield form
        for form, crosses in self._suffixed(stem, flags, again=True):
            yield form
            for prefix in prefixes:
                if crosses and prefix.crosses:
                    for prefixed, _ in self._changed(form, prefix):
                        yield prefixed

    def _suffixed(self, word: str, flags: tuple[str, ...], *, again: bool) -> Iterator[tuple[str, bool]]:
        """``word`` with each suffix, and whether that suffix goes with prefixes."""
        for flag in flags:
            suffix = self._classes.get(flag)
            if suffix is None or not suffix.suffix:
                continue
            for form, onward in self._changed(word, suffix):
                yield form, suffix.crosses
                if again and onward:
                    yield from self._suffixed(form, onward, again=False)

    def _changed(self, word: str, affix: _Class) -> Iterator[tuple[str, tuple[str, ...]]]:
        for condition, changes in affix.lines.items():
            if not (condition.search(word) if affix.suffix else condition.match(word)):
                continue
            for change in changes:
                if len(change.strip) == len(word) and not self._full_strip:
                    continue
                if affix.suffix and word.endswith(change.strip):
                    yield word[: len(word) - len(change.strip)] + change.add, change.onward
                elif not affix.suffix and word.startswith(change.strip):
                    yield change.add + word[len(change.strip) :], change.onward
