"""Names of a package that are brought in when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def names_of(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of a package, with the module of each name that it offers."""

    def found(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return found
