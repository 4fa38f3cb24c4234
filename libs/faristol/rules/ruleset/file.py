"""Strict parsing of ruleset files: a typing mistake in a rule book is found when it is loaded.

Every section of a file is one class of ``ruleset.sections``, every key one of its fields, every value a table
``{ value = …, article = "…" }``. ``[options.NAME]`` tables are options. An unknown or missing key, a value of the wrong
type, or two contradictory values are refused with the file, the line, the key and the reason.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

from faristol.rules.ruleset.consistency import contradictions
from faristol.rules.ruleset.formats import list_format_options
from faristol.rules.ruleset.modes import Absent, Mode, has_section, law_of
from faristol.rules.ruleset.option_file import OptionFileError, convert_value, field_types, read_option
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.sections import BEYOND_BOOKS, NOBODY_MEETS, Law

S = TypeVar("S")

NOT_SECTIONS = frozenset({"articles", "options", "chosen", "kept"})
"""Fields of a ruleset that are not sections of its file."""


class RulesetError(ValueError):
    """An invalid ruleset file, described by ``file``, ``line`` (from 1), ``key`` (``section.key``) and ``problem``."""

    def __init__(self, file: str, line: int, key: str, problem: str) -> None:
        self.file, self.line, self.key, self.problem = file, line, key, problem
        super().__init__(f"{file}:{line}: {key}: {problem}" if key else f"{file}:{line}: {problem}")


def read_ruleset(text: str, *, file: str) -> Ruleset:
    """Parse a ruleset from TOML; ``file`` is its name for messages. Raises ``RulesetError``."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"\(at line (\d+)", str(error))
        end = text.count("\n") + 1
        raise RulesetError(file, int(line[1]) if line else end, "", f"is not TOML: {error}") from None
    reader = _Reader(file, text)
    ruleset = reader.read(data)
    for key, problem in contradictions(ruleset):
        reader.fail(key, problem)
    return ruleset


@cache
def load_ruleset(name: str) -> Ruleset:
    """Load the ruleset ``name``, for example ``fisc-2023``.

    Raises ``LookupError`` for an unknown name, ``RulesetError`` for an invalid file.
    """
    if name not in ruleset_names():
        raise LookupError(f"there is no ruleset {name!r}; there are: {', '.join(ruleset_names())}")
    file = resources.files("faristol.rules") / "rulebooks" / f"{name}.toml"
    return read_ruleset(file.read_text(encoding="utf-8"), file=f"{name}.toml")


@cache
def ruleset_names(*modes: Mode) -> tuple[str, ...]:
    """Return the names of all rulesets, or of those with one of these modes, sorted."""
    folder = resources.files("faristol.rules") / "rulebooks"
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    return tuple(name for name in names if not modes or load_ruleset(name).game.mode in modes)


def section_types(mode: str) -> Mapping[str, Any]:
    """Return the class of each section of a file of ``mode``, by name; ``name`` and ``title`` are ``str``."""
    hints = field_types(Ruleset)
    return {name: hint for name, hint in hints.items() if name not in NOT_SECTIONS and has_section(mode, name)}


def absent_sections(mode: str) -> Mapping[str, Any]:
    """Return the placeholders for the absent sections of a ruleset of ``mode``."""
    sections = field_types(Ruleset).keys() - NOT_SECTIONS
    absent: dict[str, Any] = {name: Absent(mode, name) for name in sections if not has_section(mode, name)}
    return absent | {"championship": NOBODY_MEETS} if "championship" in absent else absent


class _Reader:
    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = _lines(text)
        self.articles: dict[str, str] = {}

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raise ``RulesetError`` for ``key``, with its line or that of the nearest enclosing table."""
        place = re.sub(r"\[\d+\]", "", key)
        while place not in self.lines and "." in place:
            place = place.rpartition(".")[0]
        raise RulesetError(self.file, self.lines.get(place, 1), key, problem)

    def read(self, data: Mapping[str, Any]) -> Ruleset:
        mode = _mode(data)
        hints = section_types(mode)
        options = data.get("options", {})
        self._same_keys("", {name: part for name, part in data.items() if name != "options"}, hints)
        values: dict[str, Any] = {}
        for name, hint in hints.items():
            if hint is str:
                values[name] = self._value(name, data[name], str)
            elif hint is Law:
                values[name] = self._law(name, data[name], mode)
            else:
                values[name] = self._section(name, data[name], hint)
        ruleset = Ruleset(
            **values, **absent_sections(mode), articles=MappingProxyType(dict(sorted(self.articles.items())))
        )
        found = []
        for name, table in self._table("options", options).items():
            try:
                found.append(read_option(name, self._table(f"options.{name}", table), ruleset))
            except OptionFileError as wrong:
                self.fail(f"options.{name}{wrong.key and '.'}{wrong.key}", wrong.problem)
        return dataclasses.replace(ruleset, options=(*found, *list_format_options(ruleset)))

    def _section(self, section: str, table: object, kind: type[S]) -> S:
        table = self._table(section, table)
        every = field_types(kind)
        hints = {name: hint for name, hint in every.items() if f"{section}.{name}" not in BEYOND_BOOKS}
        self._same_keys(section, table, hints)
        values: dict[str, Any] = {}
        self.articles |= {f"{section}.{name}": "" for name in every.keys() - hints.keys()}
        for name, hint in hints.items():
            key = f"{section}.{name}"
            entry = self._table(key, table[name])
            self._same_keys(key, entry, {"value": hint, "article": str})
            values[name] = self._value(key, entry["value"], hint)
            self.articles[key] = self._value(key, entry["article"], str)
        return kind(**values)

    def _law(self, section: str, table: object, mode: str) -> Law:
        table = self._table(section, table)
        known = tuple(field.name for field in dataclasses.fields(Law))
        self._same_keys(section, table, dict.fromkeys(law_of(mode, known), str))
        articles = {name: self._value(f"{section}.{name}", article, str) for name, article in table.items()}
        return Law(**dict.fromkeys(known, "") | articles)

    def _table(self, key: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self.fail(key, f"expected a table, got {value!r}")
        return value

    def _same_keys(self, section: str, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
        dot = f"{section}." if section else ""
        for name in found:
            if name not in expected:
                self.fail(dot + name, f"unknown key; expected {', '.join(expected)}")
        for name in expected:
            if name not in found:
                self.fail(dot + name, "is missing")

    def _value(self, key: str, value: object, hint: Any) -> Any:
        try:
            return convert_value(value, hint)
        except ValueError as error:
            place, bracket, rest = str(error).partition("]: ")
            inner = bracket and place.startswith("[")
            self.fail(key + place + "]" if inner else key, rest if inner else str(error))


def _mode(data: Mapping[str, Any]) -> str:
    """Return the mode of a file if it is readable, otherwise an empty string: errors are reported by the reader."""
    game = data.get("game")
    entry = game.get("mode") if isinstance(game, dict) else None
    return str(entry.get("value")) if isinstance(entry, dict) else ""


def _lines(text: str) -> Mapping[str, int]:
    """Return the line of every table and key of ``text``, from 1, by its dotted name."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            table = header[1]
            found.setdefault(table, number)
        elif key := re.match(r"""\s*("[^"]+"|[\w-]+)\s*=""", line):
            found.setdefault(f"{table}.{key[1].strip(chr(34))}" if table else key[1], number)
    return found
