"""A YAML file with positions, also one of which a case is invalid: every value knows its line, as every error does."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from faristol.casebook.letters import tell_apart
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Param
from faristol.text import say, translations
from faristol.typed_input.fields import parse_duration, parse_number

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader written in C if PyYAML has it: it is ten times as fast."""

NO_YAML = N_("this is not YAML: {said}")
QUESTION_MARK = N_(
    'a value that begins with ? needs quotation marks, such as "? A E": a bare ? has another meaning in YAML'
)
ALIAS = N_("a value after * must be written in full: anchors and aliases of YAML are not supported")
TOO_DEEP = N_("this is nested more than {most} levels deep")
MAX_NESTING_LEVELS = 30
"""Nesting levels of lists and keys: three times those of the deepest case."""


class CaseError(ValueError):
    """An error in a file of cases, with its place, the problem, and the expected value.

    ``problem`` is English; with ``params`` it has ``{named}`` placeholders. If a person at a table may see it, it is
    marked with ``N_``.
    """

    def __init__(self, file: Path, line: int, problem: str, params: Mapping[str, Param] | None = None) -> None:
        self.file = file
        self.line = line
        self._text = problem
        self._params = params
        super().__init__(f"{file}:{line}: {tell_apart(self.problem)}")

    @property
    def problem(self) -> str:
        """The problem in English, without the place."""
        return self._text if self._params is None else self._text.format_map(self._params)

    def say(self, language: str) -> str:
        """Return the problem in ``language``, without the place."""
        if self._params is None:
            return translations(language).gettext(self._text)
        kind = self._params.get("what")
        words = {"what": translations(language).gettext(kind)} if isinstance(kind, str) else {}
        return say(self._text, {**self._params, **words}, language)


class Errors:
    """The errors of a file, collected to be reported together."""

    def __init__(self) -> None:
        self._found: dict[str, CaseError] = {}

    def __len__(self) -> int:
        return len(self._found)

    @property
    def found(self) -> list[CaseError]:
        """The distinct errors, in the order of lines."""
        return sorted(self._found.values(), key=lambda error: error.line)

    def add(self, error: CaseError) -> None:
        """Add an error once, even if it recurs in every case of a file."""
        self._found.setdefault(str(error), error)

    @contextmanager
    def gather(self) -> Iterator[None]:
        """Add the error that ends the block, and continue after it."""
        try:
            yield
        except CaseError as error:
            self.add(error)


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a file and its place. Scalars are text as written: ``1:30``, ``N`` and ``no`` are not converted."""

    file: Path
    node: yaml.Node

    @property
    def line(self) -> int:
        """From 1."""
        return int(self.node.start_mark.line) + 1

    @property
    def is_text(self) -> bool:
        """Whether it is neither a list nor a mapping."""
        return isinstance(self.node, yaml.ScalarNode)

    @property
    def is_mapping(self) -> bool:
        """Whether it has keys."""
        return isinstance(self.node, yaml.MappingNode)

    def wrong(self, problem: str, params: Mapping[str, Param] | None = None) -> CaseError:
        """Return an error of this place, as ``CaseError`` describes it."""
        return CaseError(self.file, self.line, problem, params)

    def no_such(self, what: str, name: str, known: Iterable[str]) -> CaseError:
        """Return the error of an unknown name, with the closest known name, or all known names."""
        names = sorted(known)
        params: dict[str, Param] = {"what": what, "name": repr(name), "known": ", ".join(names)}
        if near := get_close_matches(name, names, n=1, cutoff=0.75):
            return self.wrong(N_("there is no {what} {name}; did you mean {near}?"), {**params, "near": repr(near[0])})
        return self.wrong(N_("there is no {what} {name}; there are: {known}"), params)

    def saying(self, text: str) -> Value:
        """Return another text at the same place."""
        return Value(self.file, yaml.ScalarNode(self.node.tag, text, self.node.start_mark, self.node.end_mark))

    def text(self) -> str:
        """Return the text, empty if blank. Raises ``CaseError`` for a list or a mapping."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.wrong(N_("expected a text"))
        return str(self.node.value).strip()

    def number(self) -> int:
        """Return a whole number, possibly negative. Raises ``CaseError``."""
        return self._parse(parse_number)

    def truth(self) -> bool:
        """Return ``yes`` or ``no`` as a Boolean. Raises ``CaseError``."""
        text = self.text()
        if text not in ("yes", "no"):
            raise self.wrong(N_("expected yes or no, got {text}"), {"text": repr(text)})
        return text == "yes"

    def milliseconds(self) -> int:
        """Parse a time in minutes and seconds: ``24:50``, ``0:15.1``. Raises ``CaseError``."""
        return self._parse(parse_duration)

    def _parse(self, parse: Callable[[str, str], int]) -> int:
        try:
            return parse("", self.text())
        except Invalid as error:
            raise self.wrong(error.problem, error.params) from None

    def items(self) -> tuple[Value, ...]:
        """Return the items of a list; a single text is a list of one, an empty text an empty list."""
        if isinstance(self.node, yaml.SequenceNode):
            return tuple(Value(self.file, item) for item in self.node.value)
        if isinstance(self.node, yaml.ScalarNode):
            return (self,) if self.text() else ()
        raise self.wrong(N_("expected a list"))

    def parts(self) -> tuple[str, ...]:
        """Return the texts of a list, or of a text with commas."""
        return tuple(part.strip() for item in self.items() for part in item.text().split(",") if part.strip())

    def keys(self, known: Collection[str] | None = None, errors: Errors | None = None) -> Mapping[str, Value]:
        """Return the values by key. A duplicate or unknown key goes to ``errors``, or raises ``CaseError``."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.wrong(N_("expected keys with values, such as `Anna: A B C`"))
        found: dict[str, Value] = {}
        for key, value in self.node.value:
            try:
                name = self._key(Value(self.file, key), known)
                if name in found:
                    raise Value(self.file, key).wrong(N_("{name} occurs twice"), {"name": repr(name)})
            except CaseError as error:
                if errors is None:
                    raise
                errors.add(error)
                continue
            found[name] = Value(self.file, value)
        return found

    @staticmethod
    def _key(key: Value, known: Collection[str] | None) -> str:
        name = key.text()
        if known is not None and name not in known:
            raise key.no_such(N_("key"), name, known)
        return name


def documents(file: Path, text: str) -> Iterator[Value]:
    """Yield the documents of ``text``. Raises ``CaseError`` for invalid or unsupported YAML."""
    try:
        _check_shape(file, text)
        for node in yaml.compose_all(text, Loader=LOADER):
            yield Value(file, node)
    except yaml.MarkedYAMLError as error:
        raise _no_yaml(file, text, error) from error
    except yaml.YAMLError as error:
        raise CaseError(file, 1, NO_YAML, {"said": str(error)}) from error


def _check_shape(file: Path, text: str) -> None:
    """Refuse deep nesting and aliases: the loader recurses for every level, and an alias repeats its content.

    The parser's events arrive one by one at any depth.
    """
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise CaseError(file, line, ALIAS, {})
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_NESTING_LEVELS:
            raise CaseError(file, line, TOO_DEEP, {"most": MAX_NESTING_LEVELS})


def _no_yaml(file: Path, text: str, error: yaml.MarkedYAMLError) -> CaseError:
    """Return the error at the line where it begins: an unclosed bracket or quotation mark is only detected later."""
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return CaseError(file, 1, NO_YAML, {"said": str(error.problem)})
    lines = text.split("\n")
    if mark.line < len(lines) and lines[mark.line][mark.column : mark.column + 1] == "?":
        return CaseError(file, mark.line + 1, QUESTION_MARK, {})
    if error.context_mark and re.search(r"flow (sequence|mapping)|quoted scalar", error.context or ""):
        mark = error.context_mark
    message = " ".join(part for part in (error.context, error.problem) if part)
    return CaseError(file, mark.line + 1, NO_YAML, {"said": message})


_CASES = re.compile(r"cases:\s*(#.*)?")
_ITEM = re.compile(r"( *)- ")


def readable(file: Path, text: str, errors: Errors) -> list[Value]:
    """Return the documents of ``text`` without cases of invalid YAML, which ``errors`` reports.

    Lines keep their numbers. If the error is outside any case, the list is empty.
    """
    while True:
        try:
            return list(documents(file, text))
        except CaseError as error:
            errors.add(error)
            rest = _without_case(text, error.line)
            if rest is None:
                return []
            text = rest


def _without_case(text: str, number: int) -> str | None:
    """Return ``text`` with the case of line ``number`` blanked; None if the line is in no case."""
    lines = text.split("\n")
    first = next((line for line in range(min(number, len(lines)) - 1, -1, -1) if _begins_case(lines, line)), None)
    if first is None or any(_CASES.fullmatch(line) for line in lines[first:number]):
        return None
    after = next((line for line in range(first + 1, len(lines)) if _ends_case(lines, line)), len(lines))
    return "\n".join([*lines[:first], *("" for _ in lines[first:after]), *lines[after:]])


def _begins_case(lines: list[str], line: int) -> bool:
    """Check whether an item of a list of cases begins there: it is indented as the first one is."""
    item = _ITEM.match(lines[line])
    if item is None:
        return False
    head = next((above for above in range(line, -1, -1) if _CASES.fullmatch(lines[above])), None)
    if head is None:
        return False
    first = next(match for below in lines[head + 1 :] if (match := _ITEM.match(below)))
    return first[1] == item[1]


def _ends_case(lines: list[str], line: int) -> bool:
    """Check whether the content after a case begins there: the next case, or a key of the file."""
    begins = lines[line]
    return _begins_case(lines, line) or (bool(begins) and not begins[0].isspace() and not begins.startswith(("#", "-")))
