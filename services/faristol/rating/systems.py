"""The rating systems that a tournament can choose. One that was used is never changed: it gets another name."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.rating.elo import Curve, Elo, Factor
from faristol.rating.glicko import Glicko2

ELO_1 = Elo(
    name="elo-1",
    curve=Curve(base=Decimal(10), per_point=Decimal(1) / Decimal(400)),
    first_factors=(Factor(0, 40),),
    factors=(Factor(0, 20), Factor(1800, 16), Factor(2000, 10)),
)
"""Like FISC's RaScCat, which rests on the Elo formula and lets players start at 1000, and not the official one.

How fast RaScCat moves and how its curve runs is not public. The curve is the usual logistic one on 400 points; the
factors are those of NASPA, and 40 in a player's first tournament, so that a newcomer finds their place.
"""

NASPA_1 = Elo(
    name="naspa-1",
    curve=Curve(base=Decimal(1).exp(), per_point=Decimal("0.0031879")),
    first_factors=(Factor(0, 30), Factor(1800, 24), Factor(2000, 15)),
    factors=(Factor(0, 20), Factor(1800, 16), Factor(2000, 10)),
)
"""Like NASPA's: its curve of 2009 and its multipliers.

NASPA takes the higher ones for the first 50 games; here they are those of a first tournament, since nobody here knows
what was played elsewhere. A long tournament is not split in parts.
"""

GLICKO_2_1 = Glicko2(
    name="glicko2-1",
    tau=Decimal("0.5"),
    first_deviation=350_00,
    other_deviation=200_00,
    first_volatility=60_000,
)
"""Glickman's Glicko-2 with the values that his paper starts from, a tournament being one rating period."""


RatingSystem = Elo | Glicko2

SYSTEMS: Mapping[str, RatingSystem] = {system.name: system for system in (ELO_1, NASPA_1, GLICKO_2_1)}
"""By name."""

DEFAULT = ELO_1
"""Of a tournament that chooses none."""


def system_named(name: str) -> RatingSystem:
    """The system of that name, the usual one for an empty one. Raises ``Invalid`` for a name that there is not."""
    if not name:
        return DEFAULT
    if name not in SYSTEMS:
        raise Invalid(
            "system",
            N_("there is no rating system {name}; there are: {known}"),
            {"name": name, "known": ", ".join(SYSTEMS)},
        )
    return SYSTEMS[name]
