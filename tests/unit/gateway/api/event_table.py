"""Regenerate the table of `docs/events.md`: `python tests/unit/gateway/api/event_table.py`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from faristol.gateway.api.event_types import EVENT_TYPES

PAGE = Path(__file__).parents[4] / "docs" / "events.md"
HEAD = "## Every type\n\n"


def table() -> str:
    """Return every type of event with its meaning and the data that change with it."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield from ("| type | means | changes |", "|---|---|---|")
    in_order = sorted(EVENT_TYPES.values(), key=attrgetter("stream"))
    for stream, types in groupby(in_order, attrgetter("stream")):
        yield f"| **{stream}** | | |"
        for each in types:
            yield f"| `{each.name}` | {each.about} | {', '.join(each.changes)} |"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    PAGE.write_text(f"{text}{HEAD}{table()}", encoding="utf-8")
