"""The rating systems that a tournament can choose. A system in use never changes: a variant gets a new name."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.rating.elo import Curve, Elo, Factor
from faristol.rating.glicko import Glicko2
from faristol.rating.naspa import Naspa

ELO_1 = Elo(
    name="elo-1",
    curve=Curve(base=Decimal(10), per_point=Decimal(1) / Decimal(400)),
    first_factors=(Factor(0, 40),),
    factors=(Factor(0, 20), Factor(1800, 16), Factor(2000, 10)),
)
"""A system like FISC's RaScCat, which rests on the Elo formula with a start rating of 1000. It is not the official one.

The factors and the curve of RaScCat are not public. The curve here is the usual logistic one on 400 points. The factors
are those of NASPA, with 40 in a player's first tournament, so that a newcomer's rating moves faster.
"""

NASPA_1 = Elo(
    name="naspa-1",
    curve=Curve(base=Decimal(1).exp(), per_point=Decimal("0.0031879")),
    first_factors=(Factor(0, 30), Factor(1800, 24), Factor(2000, 15)),
    factors=(Factor(0, 20), Factor(1800, 16), Factor(2000, 10)),
)
"""A system like NASPA's, with its curve of 2009 and its multipliers.

NASPA uses the higher multipliers for the first 50 games. Here they apply to a first tournament, because the cell does
not know games played elsewhere. A long tournament is not split in parts.
"""

NASPA_2 = Naspa(name="naspa-2", base=NASPA_1, accelerated_points=5)
"""NASPA's formula with its acceleration and feedback points, as tsh computes it. The factors are those of naspa-1."""

GLICKO_2_1 = Glicko2(
    name="glicko2-1",
    tau=Decimal("0.5"),
    first_deviation=350_00,
    other_deviation=200_00,
    first_volatility=60_000,
)
"""Glickman's Glicko-2 with the start values of his paper. A tournament is one rating period."""


RatingSystem = Elo | Naspa | Glicko2

SYSTEMS_BY_NAME: Mapping[str, RatingSystem] = {system.name: system for system in (ELO_1, NASPA_1, NASPA_2, GLICKO_2_1)}
"""By name."""

DEFAULT_SYSTEM = ELO_1
"""The default of a tournament."""


def system_named(name: str) -> RatingSystem:
    """Return the system with this name, or the default if it is empty. Raises ``Invalid`` if it is unknown."""
    if not name:
        return DEFAULT_SYSTEM
    if name not in SYSTEMS_BY_NAME:
        raise Invalid(
            "system",
            N_("there is no rating system {name}; there are: {known}"),
            {"name": name, "known": ", ".join(SYSTEMS_BY_NAME)},
        )
    return SYSTEMS_BY_NAME[name]
