"""The rules of a tournament and its games, by what is pinned."""

from __future__ import annotations

from faristol.kernel.pins import Pin
from faristol.pb.game.v1 import events_pb2 as game
from faristol.rules import Ruleset, pinned_ruleset


def ruleset_of(pin: Pin | game.Pin) -> Ruleset:
    """The ruleset that is pinned, with what was chosen for it.

    Raises ``Refusal`` when it is not installed here with that content.
    """
    if isinstance(pin, game.Pin):
        pin = Pin.of(pin)
    return pinned_ruleset(pin.name, pin.digest, dict(pin.options))
