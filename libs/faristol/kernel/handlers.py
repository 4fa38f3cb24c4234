"""Handlers of events and requests, found by the type of message that a parameter has.

The annotation of a handler states its type of message, and no table repeats it: a handler cannot be listed under
another type, nor be forgotten.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from types import ModuleType
from typing import Any, TypeVar, get_args

from google.protobuf.message import Message

Handler = Callable[..., Any]

F = TypeVar("F", bound=Handler)


def folds_in(*modules: str) -> Mapping[type[Message], Handler]:
    """Return the functions ``_apply_…`` of modules, given by name, by the event that each applies to a state."""
    found = (
        _list_handlers(sys.modules[name], lambda function: function.__name__.startswith("_apply_")) for name in modules
    )
    return dict(chain.from_iterable(found))


def find_fold(folds: Mapping[type[Message], F], event: Message, subject: str) -> F:
    """Return the function that applies an event. Raises ``TypeError`` if it is not one of ``subject``."""
    fold = folds.get(type(event))
    if fold is None:
        raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of {subject}")
    return fold


def commands_in(*modules: ModuleType) -> Mapping[type[Message], Handler]:
    """Return the public functions of some modules with a ``request`` as second parameter, by its type."""
    found = (_list_handlers(module, _takes_request) for module in modules)
    return dict(chain.from_iterable(found))


def methods_of(*services: object) -> Mapping[type[Message], Handler]:
    """Return the public methods of some objects with a ``request`` of a known type as first parameter, by that type."""
    functions = {
        method.__func__: method for service in services for _, method in inspect.getmembers(service, inspect.ismethod)
    }
    found = chain.from_iterable(_list_types(function) for function in functions if _takes_request(function))
    return {kind: functions[function] for kind, function in found if kind is not Any}


def _takes_request(function: Handler) -> bool:
    return not function.__name__.startswith("_") and [*inspect.signature(function).parameters][1:2] == ["request"]


def _list_handlers(
    module: ModuleType, is_handler: Callable[[Handler], bool]
) -> Iterator[tuple[type[Message], Handler]]:
    """Yield the handlers among the functions of a module, with their types of messages."""
    for function in filter(inspect.isfunction, [*vars(module).values()]):
        if function.__module__ == module.__name__ and is_handler(function):
            yield from _list_types(function)


def _list_types(function: Handler) -> Iterator[tuple[Any, Handler]]:
    """Yield the type of the second parameter of a function, or each type of a union, with the function."""
    wanted = [*inspect.signature(function, eval_str=True).parameters.values()][1].annotation
    yield from ((kind, function) for kind in get_args(wanted) or (wanted,))
