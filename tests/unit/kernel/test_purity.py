"""What decides and what follows from facts can be brought in without a database, a network, or translations."""

from __future__ import annotations

import subprocess
import sys

import pytest

IO = {"grpc", "sqlalchemy", "nats", "opentelemetry", "babel", "pydantic"}


@pytest.mark.parametrize(
    "module",
    [
        *(f"faristol.{service}.decide" for service in ("table", "lexicon", "pairing", "rating")),
        *(f"faristol.{service}.model" for service in ("lexicon", "pairing", "rating")),
        *(f"faristol.table.{room}" for room in ("game", "clock", "settlement", "deadlines")),
        *(f"faristol.kernel.{name}" for name in ("cases", "errors", "facts", "names", "naming")),
        *(f"faristol.kernel.{name}" for name in ("pins", "refusal", "times")),
    ],
)
def test_a_pure_module_brings_in_nothing_that_does_io(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded
    assert IO.isdisjoint(loaded)
