"""Every value of a ruleset has an effect: code reads it, and distinguishes its values.

A parameter reported here is set by a book or chosen by an organiser, but has no effect: use it or remove it.

It is found in the syntax of the code, independent of the executed paths. A read is an attribute of a section, and a
section an attribute of something that holds a ruleset (``ruleset.blank.fixed_on``), a name that was set to one in the
same function (``law = ruleset.challenge``), or an argument annotated with its class. Code that handles all values alike
does not count as a read: the consistency of a ruleset, its file, and the commands that print it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from faristol.rules import load_ruleset

ROOT = Path(__file__).parents[4]
SECTIONS: Mapping[str, type[Any]] = {
    name: type(section) for name, section in load_ruleset("box").sections.items() if name != "law"
}
"""Every section with values. The articles of ``law`` have none: that a case shows each is for tests/rulebook to see."""

HOLDS_RULESET = frozenset({"ruleset", "_ruleset", "rules", "book", "_book", "load_ruleset", "pinned_ruleset"})
"""Names by which code has a ruleset."""

ALL_ALIKE = ("rules/sections.py", "rules/consistency.py", "rules/ruleset.py", "rules/ruleset_file.py", "/pb/")
"""Code that reads values without using their meaning."""

ALIKE: Mapping[str, str] = {
    "start.method": "by lot, and in a match, the pairing says who begins: the order of its players is lot or turn",
    "clock.reminders": "a table's clock is read by its players and its arbiter: nobody else could be told",
    "challenge.opens_on": "a play is announced and counted in the command that places it",
    "scoresheet.coordinates": "a play that is recorded always has its square",
}
"""Parameters of which values come to the same here, and why. They differ in the books, and for people at a table."""

Key = tuple[str, str]
"""A section and a field of it."""


@dataclasses.dataclass
class Read:
    """The places where a parameter is read, and the text constants of their functions."""

    places: list[str] = dataclasses.field(default_factory=list)
    constants: set[object] = dataclasses.field(default_factory=set)


@cache
def reads() -> Mapping[Key, Read]:
    """Return every parameter that code reads."""
    found: defaultdict[Key, Read] = defaultdict(Read)
    for folder in ("libs", "services", "apps"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if not any(part in str(file) for part in ALL_ALIKE):
                _read(ast.parse(file.read_text(encoding="utf-8")), str(file.relative_to(ROOT)), found)
    return found


def _read(module: ast.Module, file: str, found: defaultdict[Key, Read]) -> None:
    tables = {name: node.value for node in module.body for name, node in _set_by(node)}
    for scope in (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
        names = dict(_named_sections(scope))
        for node in ast.walk(scope):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                section = _section(node.value, names)
                if section and node.attr in SECTIONS[section].__dataclass_fields__:
                    read = found[section, node.attr]
                    read.places.append(f"{file}:{node.lineno}")
                    read.constants |= _constants(scope, tables)


def _set_by(node: ast.stmt) -> Iterator[tuple[str, Any]]:
    """Yield the names that a statement of a module sets."""
    if isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        yield node.target.id, node
    if isinstance(node, ast.Assign):
        yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))


def _named_sections(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, str]]:
    """Yield the names that stand for a section in a function."""
    classes = {kind.__name__: name for name, kind in SECTIONS.items()}
    for argument in (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs):
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id in classes:
            yield argument.arg, classes[argument.annotation.id]
    for node in ast.walk(scope):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            pairs = zip(target.elts, node.value.elts, strict=False) if several else [(target, node.value)]  # type: ignore[attr-defined]
            for name, value in pairs:
                if isinstance(name, ast.Name) and (section := _section(value, {})):
                    yield name.id, section


def _section(node: ast.expr, names: Mapping[str, str]) -> str | None:
    """Return the section that an expression is."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if not isinstance(node, ast.Attribute) or node.attr not in SECTIONS:
        return None
    holder = node.value.func if isinstance(node.value, ast.Call) else node.value
    name = holder.attr if isinstance(holder, ast.Attribute) else holder.id if isinstance(holder, ast.Name) else ""
    return node.attr if name in HOLDS_RULESET else None


def _constants(scope: ast.AST, tables: Mapping[str, ast.expr]) -> set[object]:
    """Return the constants that a function names, and those in the tables of its module that it reads."""
    found: set[object] = {node.value for node in ast.walk(scope) if isinstance(node, ast.Constant)}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and node.id in tables:
            found |= {part.value for part in ast.walk(tables[node.id]) if isinstance(part, ast.Constant)}
    return found


def parameters() -> Iterator[tuple[Key, Any]]:
    """Yield every parameter of a ruleset, and its type."""
    for section, kind in SECTIONS.items():
        hints = get_type_hints(kind)
        yield from (((section, field.name), hints[field.name]) for field in dataclasses.fields(kind))


def test_code_reads_every_parameter_of_a_ruleset() -> None:
    known = reads()
    single = {key for key, kind in parameters() if get_origin(kind) is Literal and len(get_args(kind)) == 1}
    unread = [".".join(key) for key, _ in parameters() if key not in known and key not in single]
    assert unread == []
    assert {".".join(key) for key in single} == {"abandon.both"}, "a parameter of a single value decides nothing"


def test_code_tells_every_value_of_a_parameter_from_the_others() -> None:
    known = reads()
    alike = {}
    for key, kind in parameters():
        values = set(get_args(kind)) if get_origin(kind) is Literal else set()
        if key in known and len(values - known[key].constants) > 1:
            alike[".".join(key)] = sorted(values - known[key].constants)
    assert set(alike) == set(ALIKE), alike


def test_a_parameter_that_nothing_reads_would_be_found() -> None:
    found: defaultdict[Key, Read] = defaultdict(Read)
    code = """
def f(ruleset):
    law = ruleset.challenge
    table.clock.model
    return law.once, ruleset.blank.fake == 'none'
"""
    _read(ast.parse(code), "f.py", found)
    assert set(found) == {("challenge", "once"), ("blank", "fake")}
    assert found["blank", "fake"].constants == {"none"}
