"""A YAML file with places: every value knows its line, and every error names file and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader written in C where PyYAML has it: it is ten times as fast."""

_TIME = re.compile(r"(\d{1,4}):([0-5]\d)(?:\.(\d{1,3}))?")


class CaseError(ValueError):
    """A file of cases that cannot be read; says where, what is wrong, and what was expected."""

    def __init__(self, file: Path, line: int, problem: str) -> None:
        self.file = file
        self.line = line
        self.problem = problem
        super().__init__(f"{file}:{line}: {problem}")


def there_is_no(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence for a name that means nothing: with the one that is nearly the same, or with all that there are."""
    names = sorted(known)
    if near := get_close_matches(name, names, n=1, cutoff=0.75):
        return f"there is no {what} {name!r}: is it {near[0]!r}?"
    return f"there is no {what} {name!r}; there are: {', '.join(names)}"


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

    def wrong(self, problem: str) -> CaseError:
        """The error of this place."""
        return CaseError(self.file, self.line, problem)

    def saying(self, text: str) -> Value:
        """Another text at the same place."""
        return Value(self.file, yaml.ScalarNode(self.node.tag, text, self.node.start_mark, self.node.end_mark))

    def text(self) -> str:
        """The text, empty when nothing is written."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.wrong("expected a text")
        return str(self.node.value).strip()

    def number(self) -> int:
        """A whole number, which may be negative."""
        text = self.text().replace("−", "-")
        if not re.fullmatch(r"[+-]?\d{1,9}", text):
            raise self.wrong(f"expected a whole number, got {text!r}")
        return int(text)

    def truth(self) -> bool:
        """``yes`` or ``no``."""
        text = self.text()
        if text not in ("yes", "no"):
            raise self.wrong(f"expected yes or no, got {text!r}")
        return text == "yes"

    def milliseconds(self) -> int:
        """A time in minutes and seconds: ``24:50``, ``0:15.1``."""
        text = self.text()
        if not (match := _TIME.fullmatch(text)):
            raise self.wrong(f"expected minutes and seconds such as 1:30 or 0:15.1, got {text!r}")
        minutes, seconds, part = match.groups()
        return (int(minutes) * 60 + int(seconds)) * 1000 + int((part or "").ljust(3, "0"))

    def items(self) -> tuple[Value, ...]:
        """The items of a list; a text alone is a list of one, and nothing an empty one."""
        if isinstance(self.node, yaml.SequenceNode):
            return tuple(Value(self.file, item) for item in self.node.value)
        if isinstance(self.node, yaml.ScalarNode):
            return (self,) if self.text() else ()
        raise self.wrong("expected a list")

    def parts(self) -> tuple[str, ...]:
        """A list of texts, or one text with commas."""
        return tuple(part.strip() for item in self.items() for part in item.text().split(",") if part.strip())

    def keys(self, known: Collection[str] | None = None) -> Mapping[str, Value]:
        """The values by key. Raises ``CaseError`` for a key that comes twice or is not ``known``."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.wrong("expected keys with values, such as `Anna: A B C`")
        found: dict[str, Value] = {}
        for key, value in self.node.value:
            at = Value(self.file, key)
            name = at.text()
            if name in found:
                raise at.wrong(f"{name!r} stands here twice")
            if known is not None and name not in known:
                raise at.wrong(there_is_no("key", name, known))
            found[name] = Value(self.file, value)
        return found


def documents(file: Path, text: str) -> Iterator[Value]:
    """The documents of ``text``. Raises ``CaseError`` where it is no YAML."""
    try:
        for node in yaml.compose_all(text, Loader=LOADER):
            yield Value(file, node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(part for part in (error.context, error.problem) if part)
        raise CaseError(file, mark.line + 1 if mark else 1, f"this is no YAML: {said}") from error
    except yaml.YAMLError as error:
        raise CaseError(file, 1, f"this is no YAML: {error}") from error
