"""The constraints that the document of the interface states in text: of as_of, as_of_position and min_position one at
most, no position that the record has not come to, no last day before the first, and ids of what there is.

Schemathesis imports it by ``SCHEMATHESIS_HOOKS``; the position comes by ``LAST_POSITION``, and ids by ``IDS``, as JSON:
lists by the name of the parameter, with ``duplicate`` for games of addresses that have that word in them. Of three
requests that may be answered, two are for ids of these lists in turn; the third has an id that was made up.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

import schemathesis

LAST = int(os.environ["LAST_POSITION"])
IDS: dict[str, list[str]] = json.loads(os.environ["IDS"])
MOMENTS = ("as_of", "as_of_position", "min_position")
EXAMPLES = frozenset(("demo", "demo-r1", "demo-r1-t1", "anna-puig"))
"""Ids that the document gives as examples."""

_turns: Counter[str] = Counter()


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Restrict the generated values to those that the text of the document allows; invalid ones stay as they are."""
    is_allowed = not case.meta or case.meta.generation.mode.is_positive
    _ask_for_what_there_is(case, is_allowed=is_allowed)
    if not case.query or not is_allowed:
        return
    said = [name for name in MOMENTS if name in case.query]
    for name in said[1:]:
        del case.query[name]
    if said and said[0] != "as_of" and str(case.query[said[0]]).isdigit():
        case.query[said[0]] = min(int(case.query[said[0]]), LAST)
    if str(case.query.get("until", "")) < str(case.query.get("from", "")) and "until" in case.query:
        case.query["until"] = case.query["from"]


def _ask_for_what_there_is(case: Any, *, is_allowed: bool) -> None:
    given = case.path_parameters or {}
    for name, value in given.items():
        known = IDS.get("duplicate" if name == "game_id" and "/duplicate/" in case.path else name)
        if known and (is_allowed or value in EXAMPLES):
            turn = _turns[case.path]
            _turns[case.path] += 1
            if turn % 3 < 2 or not is_allowed:
                given[name] = known[(turn - turn // 3) % len(known)]
