"""Small wrong changes of a source file. Pure.

Each is a plausible mistake: a boundary moved by one, an inverted condition, an omitted step.
Annotations, docstrings, imports and texts for people are left alone: no test of behaviour can detect them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_COUNTED: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.Div: "*",
    ast.Mod: "//",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
_SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_UNTESTED_CALLS = frozenset({"N_", "say", "_", "cast", "TypeVar", "ParamSpec", "getLogger", "debug", "info", "warning"})
"""Calls whose arguments are texts, types or lines of a log."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change of a file: the bytes from ``start`` to ``end`` become ``text``."""

    line: int
    """Of the file, from 1."""
    start: int
    end: int
    text: str
    what: str
    """The change in words: ``< becomes <=``."""

    def apply_to(self, source: bytes) -> bytes:
        """Return the file after the change."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutations(source: bytes) -> list[Mutation]:
    """Return every mutation of a file that still can be read as Python, in the order of their places."""
    tree = ast.parse(source)
    found = sorted(set(_Finder(source).of(tree)), key=lambda mutation: (mutation.start, mutation.end, mutation.text))
    return [mutation for mutation in found if _is_python(mutation.apply_to(source))]


def _is_python(source: bytes) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


class _Finder:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._offsets = [0]
        for line in source.splitlines(keepends=True):
            self._offsets.append(self._offsets[-1] + len(line))

    def of(self, node: ast.AST) -> Iterator[Mutation]:
        """Yield the mutations of a node and of its descendants."""
        yield from self._own(node)
        for child in _behaviour(node):
            yield from self.of(child)

    def _own(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Compare():
                places = [node.left, *node.comparators]
                for operator, left, right in zip(node.ops, places, places[1:], strict=False):
                    yield from self._between(left, right, type(operator), _COMPARED[type(operator)])
            case ast.BinOp() if type(node.op) in _COUNTED:
                yield from self._between(node.left, node.right, type(node.op), _COUNTED[type(node.op)])
            case ast.BoolOp():
                other = "or" if isinstance(node.op, ast.And) else "and"
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield from self._between(left, right, type(node.op), other)
            case ast.UnaryOp(op=ast.Not()):
                yield self._instead(node, self._text(node.operand), "not is dropped")
            case ast.Constant(value=bool() as value):
                yield self._instead(node, str(not value), f"{value} becomes {not value}")
            case ast.Constant(value=int() as value):
                yield self._instead(node, str(value + 1), f"{value} becomes {value + 1}")
            case ast.If() | ast.While() | ast.IfExp():
                yield self._instead(node.test, f"(not ({self._text(node.test)}))", "the condition is turned round")
            case ast.Call(func=ast.Name(id=name)) if name in _SWAPPED:
                yield self._instead(node.func, _SWAPPED[name], f"{name} becomes {_SWAPPED[name]}")
            case ast.AugAssign():
                yield self._instead(node, "pass", "the step is left out")
            case ast.Expr(value=ast.Call() | ast.YieldFrom()) if not _is_untested(node.value):
                yield self._instead(node, "pass", "the step is left out")

    def _between(
        self, left: ast.expr, right: ast.expr, operator: type[ast.cmpop | ast.operator | ast.boolop], other: str
    ) -> Iterator[Mutation]:
        """Yield the operator between two operands, which may be in brackets."""
        start, end = self._place(left)[1], self._place(right)[0]
        between = self._source[start:end]
        written = _WRITTEN[operator].encode()
        if between.count(written) == 1 and b"#" not in between:
            at = start + between.index(written)
            line = left.end_lineno or left.lineno
            yield Mutation(line, at, at + len(written), other, f"{_WRITTEN[operator]} becomes {other}")

    def _instead(self, node: ast.expr | ast.stmt, text: str, what: str) -> Mutation:
        start, end = self._place(node)
        return Mutation(node.lineno, start, end, text, what)

    def _text(self, node: ast.expr) -> str:
        start, end = self._place(node)
        return self._source[start:end].decode()

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._offsets[node.lineno - 1] + node.col_offset,
            self._offsets[node.end_lineno - 1] + node.end_col_offset,
        )


_WRITTEN: dict[type[ast.cmpop | ast.operator | ast.boolop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Div: "/",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.And: "and",
    ast.Or: "or",
}


def _behaviour(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node that have behaviour: no annotations, decorators, texts or imports."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Assert | ast.Raise):
        return
    if isinstance(node, ast.Call) and _is_untested(node):
        return
    if isinstance(node, ast.keyword) and ast.unparse(node) == "strict=True":
        return  # an assertion that two things are as long as each other
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return
    left_out = {"annotation", "returns", "decorator_list", "type_params", "bases", "keywords" * _is_class(node)}
    for name, value in ast.iter_fields(node):
        if name in left_out:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _is_class(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef)


def _is_untested(node: ast.expr) -> bool:
    """Return whether a call makes a text, a type or a line of a log."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _UNTESTED_CALLS
