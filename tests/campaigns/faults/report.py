"""The result of a campaign: as JSON, as a table for people, and as the table in docs/operations.md."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.campaigns.faults.campaign import Outcome

COLUMNS = (
    "fault", "calls", "retried", "failed", "pages", "not shown", "events lost", "duplicated", "standings",
    "longest silence", "recovered after",
)  # fmt: skip


def earlier(file: Path) -> list[Outcome]:
    """Return the outcomes of earlier runs from a file; empty if there is no file."""
    if not file.exists():
        return []
    return [Outcome(**each) for each in json.loads(file.read_text(encoding="utf-8"))["faults"]]


def as_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return all outcomes, by fault."""
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    return {"machine": machine, "faults": [asdict(outcome) for outcome in outcomes]}


def rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """Return the cells of the table, a row for each fault that was tried."""
    return [
        (
            outcome.what,
            f"{outcome.calls:,}",
            f"{sum(outcome.again.values()):,}",
            f"{outcome.failed}",
            f"{outcome.pages:,}",
            f"{sum(outcome.pages_failed.values())}",
            f"{outcome.lost}",
            f"{outcome.doubled}",
            outcome.standings,
            f"{outcome.silence:.1f} s",
            f"{outcome.well:.1f} s" if outcome.fault != "nothing" else "",
        )
        for outcome in outcomes
        if not outcome.untried
    ]


def as_markdown(outcomes: Sequence[Outcome]) -> str:
    """Return the table as in the documentation."""
    lines = [COLUMNS, tuple("---" for _ in COLUMNS), *rows(outcomes)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
