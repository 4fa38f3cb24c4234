"""Tables of functions by the message that each handles, as the annotation of one of its parameters names it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, get_args, get_type_hints

from google.protobuf.message import Message


def find_handlers(
    namespace: Mapping[str, Any], parameter: str, prefix: str = ""
) -> dict[type[Message], Callable[..., Any]]:
    """Return the functions of a module whose names begin with ``prefix``, by the message of their ``parameter``.

    A function for several messages is annotated with all of them; one for only that message takes precedence. Functions
    without such a parameter are left out. Raises ``ValueError`` for two functions for the same message.
    """
    found: defaultdict[type[Message], dict[bool, list[Callable[..., Any]]]] = defaultdict(lambda: {True: [], False: []})
    for name, function in namespace.items():
        if isinstance(function, FunctionType) and name.startswith(prefix):
            kind = get_type_hints(function).get(parameter)
            for each in (kind, *get_args(kind)):
                if isinstance(each, type) and issubclass(each, Message):
                    found[each][each is kind].append(function)
    chosen = {message: functions[True] or functions[False] for message, functions in found.items()}
    for message, functions in chosen.items():
        if len(functions) > 1:
            names = ", ".join(each.__name__ for each in functions)
            raise ValueError(f"expected one function for {message.__name__}, found {names}")
    return {message: function for message, (function,) in chosen.items()}
