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
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Of what the document allows, keep what its words allow; what is made up to be refused stays as it is."""
    if not case.query or (case.meta and not case.meta.generation.mode.is_positive):
        return
    said = [name for name in MOMENTS if name in case.query]
    for name in said[1:]:
        del case.query[name]
    if said and said[0] != "as_of" and str(case.query[said[0]]).isdigit():
        case.query[said[0]] = min(int(case.query[said[0]]), LAST)
