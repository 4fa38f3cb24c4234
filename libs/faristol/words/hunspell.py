"""Expansion of a hunspell dictionary: every word that its stems and affixes form.

An affix with an apostrophe, a hyphen, a capital or a digit cannot form a word on a board and is ignored: this is most
of a Catalan dictionary (``l'``, ``-se``). A suffix may be followed by a second one. A prefix combines with a suffix if
both allow it (hunspell's cross product). Compounds are not formed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faristol.words.error import LexiconError

_LETTERS = re.compile(r"(?:[^\W\d_]|·)*")


@dataclass(frozen=True, slots=True)
class _Change:
    """The change of a word by one line of an affix class, if the word meets the line's condition."""

    strip: str
    add: str
    onward: tuple[str, ...]
    """Flags of the changed word, for a second suffix."""


@dataclass(slots=True)
class _Class:
    """An affix class: its lines by condition, so that each condition is matched once for a word."""

    suffix: bool
    crosses: bool
    lines: dict[re.Pattern[str], list[_Change]] = field(default_factory=lambda: defaultdict(list))


class Affixes:
    """The affix file of a dictionary."""

    def __init__(self, text: str, path: Path | None = None) -> None:
        """Parse ``text``, the content of an ``.aff`` file; ``path`` is for the error.

        Entries that form no words are ignored: suggestions, compounds, keyboards. Raises ``LexiconError`` with the line
        of a malformed class or affix.
        """
        self._mode = ""
        self._aliases: list[str] = []
        """The number of aliases, then the flags of each alias: entries have the number of an alias instead of flags."""
        self._marks: dict[str, str] = {}
        self._full_strip = False
        self._classes: dict[str, _Class] = {}
        self._path = path
        stated: dict[str, tuple[int, int]] = {}
        """Maps each class to the line of its header and the number of its lines not read yet."""
        for number, line in enumerate(text.splitlines(), 1):
            match line.split():
                case ["FLAG", mode, *_]:
                    self._mode = mode
                case ["AF", flags, *_]:
                    self._aliases.append(flags)
                case ["FULLSTRIP"]:
                    self._full_strip = True
                case ["FORBIDDENWORD" | "NEEDAFFIX" | "ONLYINCOMPOUND" as meaning, flag, *_]:
                    self._marks[meaning] = flag
                case ["SFX" | "PFX" as kind, flag, "Y" | "N" as crosses, count] if flag not in stated:
                    if not count.isdecimal():
                        raise self._build_error(number, f"{count!r} lines of class {flag}; expected a number")
                    self._classes[flag] = _Class(kind == "SFX", crosses == "Y")
                    stated[flag] = number, int(count)
                case ["SFX" | "PFX" as kind, flag, strip, change, *condition]:
                    header, left = stated.get(flag, (0, 0))
                    if not left or self._classes[flag].suffix != (kind == "SFX"):
                        declared = f"line {header} says" if header else "any header says"
                        raise self._build_error(number, f"one line of {kind} {flag} more than {declared}")
                    stated[flag] = header, left - 1
                    self._add_line(number, self._classes[flag], strip, change, condition[0] if condition else ".")
                case ["SFX" | "PFX", *rest]:
                    raise self._build_error(
                        number, f"{len(rest)} parts; an affix has a flag, what to take away, what to add, a condition"
                    )
        for flag, (header, left) in stated.items():
            if left:
                raise self._build_error(header, f"class {flag} has {left} lines fewer than it says")

    def _build_error(self, line: int, reason: str) -> LexiconError:
        return LexiconError(f"line {line} of the affixes: {reason}", path=self._path)

    def _add_line(self, number: int, affix: _Class, strip: str, change: str, condition: str) -> None:
        add, _, onward = change.partition("/")
        add = "" if add == "0" else add
        if not _LETTERS.fullmatch(add) or add != add.lower():
            return
        try:
            pattern = re.compile(f"(?:{condition})$" if affix.suffix else condition)
        except re.error as error:
            raise self._build_error(number, f"condition {condition!r}: {error}") from error
        affix.lines[pattern].append(_Change("" if strip == "0" else strip, add, self._flags(onward)))

    def _flags(self, text: str) -> tuple[str, ...]:
        if self._aliases and text:
            number = int(text) if text.isdecimal() else 0
            if not 0 < number < len(self._aliases):
                reason = f"{text!r} is not one of the {len(self._aliases) - 1} flag aliases (AF) of the affixes"
                raise LexiconError(reason, path=self._path)
            text = self._aliases[number]
        if self._mode == "long":
            return tuple(text[at : at + 2] for at in range(0, len(text), 2))
        return tuple(text.split(",")) if self._mode == "num" else tuple(text)

    def words(self, entries: str) -> Iterator[str]:
        """Yield every word of ``entries``, the content of a ``.dic`` file, with repeats.

        Raises ``LexiconError`` if it does not begin with the number of its entries.
        """
        count, *lines = entries.splitlines() or [""]
        if not count.strip().isdecimal():
            raise LexiconError(
                f"line 1 of the entries: {count[:40]!r}; expected their number, as in every hunspell dictionary",
                path=self._path,
            )
        for line in lines:
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
            for form, _ in self._apply_affix(stem, prefix):
                yield form
        for form, crosses in self._apply_suffixes(stem, flags, again=True):
            yield form
            for prefix in prefixes:
                if crosses and prefix.crosses:
                    for prefixed, _ in self._apply_affix(form, prefix):
                        yield prefixed

    def _apply_suffixes(self, word: str, flags: tuple[str, ...], *, again: bool) -> Iterator[tuple[str, bool]]:
        """Yield ``word`` with each suffix, and whether that suffix combines with prefixes."""
        for flag in flags:
            suffix = self._classes.get(flag)
            if suffix is None or not suffix.suffix:
                continue
            for form, onward in self._apply_affix(word, suffix):
                yield form, suffix.crosses
                if again and onward:
                    yield from self._apply_suffixes(form, onward, again=False)

    def _apply_affix(self, word: str, affix: _Class) -> Iterator[tuple[str, tuple[str, ...]]]:
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


def expand(affixes: Path, entries: Path) -> Iterator[str]:
    """Yield every word of a dictionary in two files, in the encoding that the affixes state (``SET``).

    Raises ``LexiconError`` for a file that is unreadable, not in that encoding, or malformed.
    """
    try:
        raw = affixes.read_bytes()
        stated = re.search(rb"^\s*SET\s+(\S+)", raw, re.MULTILINE)
        encoding = stated[1].decode("ascii", "replace") if stated else "iso8859-1"
        return Affixes(_decode(raw, encoding, affixes), affixes).words(_decode(entries.read_bytes(), encoding, entries))
    except OSError as error:
        raise LexiconError(f"cannot be read: {error.strerror}", path=Path(error.filename)) from error


def _decode(raw: bytes, encoding: str, path: Path) -> str:
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise LexiconError(f"is in {encoding!r} (SET), an encoding that is not known", path=path) from None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise LexiconError(f"line {line}: byte {raw[error.start]:#04x} is not {encoding}", path=path) from None
