from __future__ import annotations

from tests.unit.cli.conftest import nobody_acts_yet

__all__ = ["nobody_acts_yet"]
