from __future__ import annotations

import pytest

from faristol.table_terminal.shared import common


@pytest.fixture(autouse=True)
def nobody_acts_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset the actor, which is stored for the whole process: a test must not see that of another one."""
    monkeypatch.setattr(common._Person, "name", "")
