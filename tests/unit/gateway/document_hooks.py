"""What the document of the interface says in words and no schema can: of as_of, as_of_position and min_position one at
most, and no position that the record has not come to.

Schemathesis imports it by ``SCHEMATHESIS_HOOKS``; the position comes by ``LAST_POSITION``.
"""

from __future__ import annotations

import os
from typing import Any

import schemathesis

LAST = int(os.environ["LAST_POSITION"])
MOMENTS = ("as_of", "as_of_position", "min_position")


@schemathesis.hook
def map_query(_context: Any, query: dict[str, Any] | None) -> dict[str, Any] | None:
    if not query:
        return query
    kept = {name: value for name, value in query.items() if name not in MOMENTS}
    said = [name for name in MOMENTS if name in query]
    for name in said[:1]:
        value = query[name]
        is_position = name != "as_of" and isinstance(value, int) and not isinstance(value, bool) and value > LAST
        kept[name] = LAST if is_position else value
    return kept
