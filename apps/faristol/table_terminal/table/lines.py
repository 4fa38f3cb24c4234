"""The parser of typed steps: the grammar of rulebook cases, line by line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import yaml

from faristol.casebook.case import Step
from faristol.casebook.document import CaseError, Value, documents
from faristol.casebook.steps import read_step
from faristol.host import StartError
from faristol.kernel.refusal import N_

TYPED = Path("line")
"""The file name in errors: ``line:3``."""


class Typed(NamedTuple):
    """A step as typed, over one line or several, and the number of its first, from 1."""

    number: int
    text: str


def script_lines(content: bytes) -> list[str]:
    """Return the lines of a script. Raises ``StartError`` if it is not UTF-8."""
    try:
        return StringIO(content.decode("utf-8-sig"), newline=None).readlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"line {line}: byte {content[error.start]:#04x} is not UTF-8"
        raise StartError(f"the script cannot be read: {found}") from None


def steps_of(lines: Iterable[str]) -> Iterator[Typed]:
    """Yield the steps of a script: a step begins with a line that is not indented, and its other lines are."""
    began, gathered = 0, list[str]()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if gathered and not line[0].isspace():
            yield Typed(began, "\n".join(gathered))
            gathered = []
        if not gathered:
            began = number
        gathered.append(line.rstrip())
    if gathered:
        yield Typed(began, "\n".join(gathered))


def read_typed(typed: Typed, people: Collection[str]) -> Step | str:
    """Parse a typed step, or return the text of a command of the tool itself: ``board``.

    A step in one line may have its keys after commas: ``Anna: draw-tiles, with: {count: 4}``. Raises ``CaseError``.
    """
    try:
        value = _value(typed, typed.text)
    except CaseError:
        value = _value(typed, f"{{{typed.text.removeprefix('- ')}}}")
    if value.is_text:
        return value.text()
    return read_step(value, people)


def _value(typed: Typed, text: str) -> Value:
    found = list(documents(TYPED, "\n" * (typed.number - 1) + text))
    if len(found) != 1:
        raise CaseError(TYPED, typed.number, N_("expected a step such as `Anna: turn H8 C A S A`"))
    node = found[0].node
    if isinstance(node, yaml.SequenceNode) and len(node.value) == 1:
        return Value(TYPED, node.value[0])
    return found[0]
