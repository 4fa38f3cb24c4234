"""The ready-made stages that the console offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from faristol.kernel.refusal import N_


class Plan(NamedTuple):
    """A ready-made stage of the form."""

    key: str
    label: str
    """An English text marked with ``N_``."""
    last_place: int
    """Last place that qualifies; 0 if the director chooses it."""
    format: str
    """The format, as in the options of the rules."""
    placed: int
    """Places of a knock-out that are played off."""


PLANS: Sequence[Plan] = (
    Plan("final", N_("Final match of the first two"), 2, "knock-out", 2),
    Plan("semi-finals", N_("Semi-finals of the first four, with a match for the third place"), 4, "knock-out", 4),
    Plan(
        "quarter-finals", N_("Quarter-finals of the first eight, with a match for the third place"), 8, "knock-out", 4
    ),
    Plan("knock-out", N_("Knock-out of as many as below, with a match for the third place"), 0, "knock-out", 4),
    Plan("round-robin", N_("Round robin of as many as below"), 0, "round-robin", 2),
    Plan("double-round-robin", N_("Double round robin of as many as below"), 0, "double-round-robin", 2),
)
"""The ready-made stages. The command line has all formats, places and groups."""

PLANS_BY_KEY = {plan.key: plan for plan in PLANS}
