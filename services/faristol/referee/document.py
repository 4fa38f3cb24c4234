"""A YAML file with places: every value knows its line, and every error names file and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from faristol.kernel.refusal import N_, Param
from faristol.referee.letters import tell_apart
from faristol.text import say, translations

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader written in C where PyYAML has it: it is ten times as fast."""

NO_YAML = N_("this is no YAML: {said}")
QUESTION_MARK = N_(
    'what begins with ? stands in quotation marks, such as "? A E": a bare ? means something else in YAML'
)
ALIAS = N_("what stands behind * is written out in full: anchors and aliases of YAML are not read")
TOO_DEEP = N_("this is nested more than {most} levels deep")
MOST_LEVELS = 30
"""Levels of lists and keys within each other: three times what the deepest case needs."""

_TIME = re.compile(r"(\d{1,4}):([0-5]\d)(?:\.(\d{1,3}))?")


class CaseError(ValueError):
    """A file of cases that cannot be read; says where, what is wrong, and what was expected.

    ``problem`` is English; with ``params`` it has ``{named}`` places for them. Where a person at a table may meet it,
    it is marked with ``N_``.
    """

    def __init__(self, file: Path, line: int, problem: str, params: Mapping[str, Param] | None = None) -> None:
        self.file = file
        self.line = line
        self._text = problem
        self._params = params
        super().__init__(f"{file}:{line}: {tell_apart(self.problem)}")

    @property
    def problem(self) -> str:
        """What is wrong, in English, without the place."""
        return self._text if self._params is None else self._text.format_map(self._params)

    def say(self, language: str) -> str:
        """What is wrong, in ``language``, without the place."""
        if self._params is None:
            return translations(language).gettext(self._text)
        kind = self._params.get("what")
        words = {"what": translations(language).gettext(kind)} if isinstance(kind, str) else {}
        return say(self._text, {**self._params, **words}, language)


class Errors:
    """The errors of a file, gathered so that all of them are told at once."""

    def __init__(self) -> None:
        self._found: dict[str, CaseError] = {}

    def __len__(self) -> int:
        return len(self._found)

    @property
    def found(self) -> list[CaseError]:
        """Each once, in the order of lines."""
        return sorted(self._found.values(), key=lambda error: error.line)

    def add(self, error: CaseError) -> None:
        """Keep an error; what a file says for all its cases is found wrong in each of them, and kept once."""
        self._found.setdefault(str(error), error)

    @contextmanager
    def gather(self) -> Iterator[None]:
        """Keep the error that the block ends with, and go on behind it."""
        try:
            yield
        except CaseError as error:
            self.add(error)


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a file and its place. Scalars are text as written: ``1:30``, ``N`` and ``no`` mean nothing else."""

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
        """The error of this place; see there."""
        return CaseError(self.file, self.line, problem, params)

    def no_such(self, what: str, name: str, known: Iterable[str]) -> CaseError:
        """The error of a name here that means nothing: with one that is nearly the same, or all that there are."""
        names = sorted(known)
        params: dict[str, Param] = {"what": what, "name": repr(name), "known": ", ".join(names)}
        if near := get_close_matches(name, names, n=1, cutoff=0.75):
            return self.wrong(N_("there is no {what} {name}: is it {near}?"), {**params, "near": repr(near[0])})
        return self.wrong(N_("there is no {what} {name}; there are: {known}"), params)

    def saying(self, text: str) -> Value:
        """Another text at the same place."""
        return Value(self.file, yaml.ScalarNode(self.node.tag, text, self.node.start_mark, self.node.end_mark))

    def text(self) -> str:
        """The text, empty when nothing is written."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.wrong(N_("expected a text"))
        return str(self.node.value).strip()

    def number(self) -> int:
        """A whole number, which may be negative."""
        text = self.text().replace("−", "-")
        if not re.fullmatch(r"[+-]?\d{1,9}", text):
            raise self.wrong(N_("expected a whole number, got {text}"), {"text": repr(text)})
        return int(text)

    def truth(self) -> bool:
        """``yes`` or ``no``."""
        text = self.text()
        if text not in ("yes", "no"):
            raise self.wrong(N_("expected yes or no, got {text}"), {"text": repr(text)})
        return text == "yes"

    def milliseconds(self) -> int:
        """A time in minutes and seconds: ``24:50``, ``0:15.1``."""
        text = self.text()
        if not (match := _TIME.fullmatch(text)):
            raise self.wrong(
                N_("expected minutes and seconds such as 1:30 or 0:15.1, got {text}"), {"text": repr(text)}
            )
        minutes, seconds, part = match.groups()
        return (int(minutes) * 60 + int(seconds)) * 1000 + int((part or "").ljust(3, "0"))

    def items(self) -> tuple[Value, ...]:
        """The items of a list; a text alone is a list of one, and nothing an empty one."""
        if isinstance(self.node, yaml.SequenceNode):
            return tuple(Value(self.file, item) for item in self.node.value)
        if isinstance(self.node, yaml.ScalarNode):
            return (self,) if self.text() else ()
        raise self.wrong(N_("expected a list"))

    def parts(self) -> tuple[str, ...]:
        """A list of texts, or one text with commas."""
        return tuple(part.strip() for item in self.items() for part in item.text().split(",") if part.strip())

    def keys(self, known: Collection[str] | None = None, errors: Errors | None = None) -> Mapping[str, Value]:
        """The values by key. One that comes twice or is not ``known`` goes to ``errors``, or raises ``CaseError``."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.wrong(N_("expected keys with values, such as `Anna: A B C`"))
        found: dict[str, Value] = {}
        for key, value in self.node.value:
            try:
                name = self._key(Value(self.file, key), known)
                if name in found:
                    raise Value(self.file, key).wrong(N_("{name} stands here twice"), {"name": repr(name)})
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
    """The documents of ``text``. Raises ``CaseError`` where it is no YAML, or YAML that no case is written in."""
    try:
        _check_shape(file, text)
        for node in yaml.compose_all(text, Loader=LOADER):
            yield Value(file, node)
    except yaml.MarkedYAMLError as error:
        raise _no_yaml(file, text, error) from error
    except yaml.YAMLError as error:
        raise CaseError(file, 1, NO_YAML, {"said": str(error)}) from error


def _check_shape(file: Path, text: str) -> None:
    """Refuse what cannot be walked through: the loader calls itself for every level, and an alias repeats all it names.

    The parser's events come one by one, however deep they are nested.
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
        if depth > MOST_LEVELS:
            raise CaseError(file, line, TOO_DEEP, {"most": MOST_LEVELS})


def _no_yaml(file: Path, text: str, error: yaml.MarkedYAMLError) -> CaseError:
    """What is wrong, at the line where it begins: a bracket or quotation mark that is not closed is found out later."""
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return CaseError(file, 1, NO_YAML, {"said": str(error.problem)})
    lines = text.split("\n")
    if mark.line < len(lines) and lines[mark.line][mark.column : mark.column + 1] == "?":
        return CaseError(file, mark.line + 1, QUESTION_MARK, {})
    if error.context_mark and re.search(r"flow (sequence|mapping)|quoted scalar", error.context or ""):
        mark = error.context_mark
    said = " ".join(part for part in (error.context, error.problem) if part)
    return CaseError(file, mark.line + 1, NO_YAML, {"said": said})
