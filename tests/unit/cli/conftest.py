from __future__ import annotations

import pytest

from faristol.table_terminal.shared import common


@pytest.fixture(autouse=True)
def nobody_acts_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who acts is noted for a whole process, as a command is one: no test is told whom another one named."""
    monkeypatch.setattr(common._Person, "name", "")
