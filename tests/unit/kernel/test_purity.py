"""Pure packages can be imported without a database, a network, or translations."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

IO = {"grpc", "sqlalchemy", "nats", "opentelemetry", "babel", "pydantic"}
PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
"""The project's settings: the pure rooms are those of its import contract, so that no second list can go stale."""
PURE = next(
    contract["source_modules"]
    for contract in PROJECT["tool"]["importlinter"]["contracts"]
    if contract["name"] == "The kernel, models and decisions do no I/O"
)


@pytest.mark.parametrize("module", PURE)
def test_a_pure_module_brings_in_nothing_that_does_io(module: str) -> None:
    code = (
        f"import importlib, pkgutil, sys; room = importlib.import_module({module!r})\n"
        "for found in pkgutil.walk_packages(getattr(room, '__path__', []), room.__name__ + '.'):\n"
        "    importlib.import_module(found.name)\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded
    assert IO.isdisjoint(loaded)
