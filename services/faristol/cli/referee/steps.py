"""Steps as a file has them."""

from __future__ import annotations

from collections.abc import Collection

from faristol.cli.referee.case import OFFICIALS, Step
from faristol.cli.referee.document import Value
from faristol.rules import N_

SAID_KEYS = frozenset({"with", "at", "after"})
"""Keys of what a step says beside who does what."""


def read_step(
    value: Value,
    players: Collection[str],
    expectations: Collection[str] = (),
    given: Collection[str] = (),
) -> Step:
    """A step of these players. Raises ``CaseError``, also for a key that says nothing.

    ``expectations`` are the keys of what can be expected of it, ``given`` those of what else can happen in it.
    """
    actors = {*players, *OFFICIALS}
    keys = value.keys({*actors, *SAID_KEYS, *expectations, *given})
    acting = [key for key in keys if key in actors]
    if len(acting) > 1:
        raise value.wrong(N_("expected one to act in a step, got {acting}"), {"acting": " and ".join(acting)})
    verb, argument = "", None
    if acting:
        said = keys[acting[0]]
        verb, _, rest = said.text().partition(" ")
        argument = said.saying(rest) if rest.strip() else None
        if not verb:
            raise said.wrong(N_("expected what {who} does"), {"who": acting[0]})
    if "at" in keys and "after" in keys:
        raise value.wrong(N_("expected `at` or `after`, not both"))
    return Step(
        place=value,
        actor=acting[0] if acting else "",
        verb=verb,
        argument=argument,
        fields=keys["with"].keys() if "with" in keys else {},
        at_ms=keys["at"].milliseconds() if "at" in keys else None,
        after_ms=keys["after"].milliseconds() if "after" in keys else None,
        expected={key: one for key, one in keys.items() if key in expectations},
        given={key: one for key, one in keys.items() if key in given},
    )
