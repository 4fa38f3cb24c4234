"""The rules that a message pins, found again by their content."""

from __future__ import annotations

from faristol.pb.game.v1 import events_pb2 as game
from faristol.rules import Ruleset, pinned_ruleset


def ruleset_of(pin: game.Pin) -> Ruleset:
    """The ruleset that ``pin`` names, with the options chosen.

    Raises ``Refusal`` when it is not installed here with that content.
    """
    return pinned_ruleset(pin.name, pin.digest, {option.name: option.value for option in pin.options})
