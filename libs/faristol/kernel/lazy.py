"""Lazy import of the names of a package."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module


def names_of(package: str, names: Mapping[str, Collection[str]]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package; ``names`` are those of each of its modules."""
    modules = {name: module for module, of_module in names.items() for name in of_module}

    def load_name(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return load_name
